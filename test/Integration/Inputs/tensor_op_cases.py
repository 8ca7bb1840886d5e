"""Tensor ops that rules decompose (gather, scatter, bitcast, pack, unpack), compiled and compared with plain loops.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  tensor_op_cases.py FOLDER      writes OP.mlir, OP.inI.npy and OP.outI.npy and runs mlir-fusion on them
"""
import itertools
import os
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(7)
NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8"}


def tensor(value, dynamic=()):
    sizes = ["?" if dim in dynamic else str(size) for dim, size in enumerate(value.shape)]
    return f"tensor<{'x'.join(sizes + [NAMES[value.dtype.name]])}>"


def numbers(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def positions(shape):
    return itertools.product(*map(range, shape))


def listed(dims):
    return "[" + ", ".join(map(str, dims)) + "]"


class Model:
    """A function whose inputs and expected results are collected as its ops are added."""

    def __init__(self):
        self.arguments, self.body, self.inputs, self.results = [], [], [], []

    def input(self, value, dynamic=()):
        self.arguments.append(f"%a{len(self.inputs)}: {tensor(value, dynamic)}")
        self.inputs.append(value)
        return f"%a{len(self.inputs) - 1}", tensor(value, dynamic)

    def op(self, text, expected, dynamic=()):
        name, type = f"%r{len(self.results)}", tensor(expected, dynamic)
        self.body.append(f"{name} = {text.format(type=type)}")
        self.results.append((name, type, expected))

    def text(self):
        names, types, _ = zip(*self.results)
        return (f"func.func @main({', '.join(self.arguments)}) -> ({', '.join(types)}) {{\n  "
                + "\n  ".join(self.body) + f"\n  return {', '.join(names)} : {', '.join(types)}\n}}\n")


def gather(model, source, dims, indices, keeps_dims, dynamic=(), indices_dynamic=()):
    batch = indices.shape[:-1]
    rest = [1 if dim in dims else size for dim, size in enumerate(source.shape) if keeps_dims or dim not in dims]
    result = np.zeros(batch + tuple(rest), source.dtype)
    for at in positions(result.shape):
        inner = iter(at[len(batch):])
        place = []
        for dim in range(source.ndim):
            if dim in dims:
                place.append(indices[at[:len(batch)]][dims.index(dim)])
                if keeps_dims:
                    next(inner)
            else:
                place.append(next(inner))
        result[at] = source[tuple(place)]
    open_dims = set(indices_dynamic)
    free = [dim for dim in range(source.ndim) if keeps_dims or dim not in dims]
    open_dims |= {len(batch) + free.index(dim) for dim in dynamic if dim not in dims}
    (x, x_type), (i, i_type) = model.input(source, dynamic), model.input(indices, indices_dynamic)
    model.op(f"tensor.gather {x}[{i}] gather_dims({listed(dims)}) : ({x_type}, {i_type}) -> {{type}}", result, open_dims)


def scatter(model, dest, dims, indices, keeps_dims, dynamic=()):
    batch = indices.shape[:-1]
    rest = [1 if dim in dims else size for dim, size in enumerate(dest.shape) if keeps_dims or dim not in dims]
    source = numbers(*batch, *rest, dtype=dest.dtype)
    result = dest.copy()
    for at in positions(source.shape):
        inner = iter(at[len(batch):])
        place = []
        for dim in range(dest.ndim):
            if dim in dims:
                place.append(indices[at[:len(batch)]][dims.index(dim)])
                if keeps_dims:
                    next(inner)
            else:
                place.append(next(inner))
        result[tuple(place)] = source[at]
    free = [dim for dim in range(dest.ndim) if keeps_dims or dim not in dims]
    source_dynamic = {len(batch) + free.index(dim) for dim in dynamic if dim not in dims}
    (x, x_type), (y, y_type) = model.input(source, source_dynamic), model.input(dest, dynamic)
    i, i_type = model.input(indices)
    model.op(f"tensor.scatter {x} into {y}[{i}] scatter_dims({listed(dims)}) unique : ({x_type}, {y_type}, {i_type}) -> {{type}}",
             result, dynamic)


def bitcast(model, source, dtype, dynamic=()):
    result = np.zeros(source.shape, dtype)
    for at in positions(source.shape):
        result[at] = np.frombuffer(source[at].tobytes(), dtype)[0]
    x, x_type = model.input(source, dynamic)
    model.op(f"tensor.bitcast {x} : {x_type} to {{type}}", result, dynamic)


def packed_place(at, rank, inner_dims, tiles, order):
    """Where of the plain tensor the packed tensor's element `at` is from."""
    place = [0] * rank
    for outer, dim in enumerate(order):
        place[dim] = at[outer]
    for inner, (dim, tile) in enumerate(zip(inner_dims, tiles)):
        place[dim] = place[dim] * tile + at[rank + inner]
    return tuple(place)


def packed_shape(shape, inner_dims, tiles, order):
    outer = list(shape)
    for dim, tile in zip(inner_dims, tiles):
        outer[dim] = -(-outer[dim] // tile)
    return [outer[dim] for dim in order] + list(tiles)


def attributes(inner_dims, tiles, order):
    return f"outer_dims_perm = {listed(order)} inner_dims_pos = {listed(inner_dims)} inner_tiles = {listed(tiles)}"


def pack(model, source, inner_dims, tiles, order=None, pads=False):
    order = order or list(range(source.ndim))
    result = np.zeros(packed_shape(source.shape, inner_dims, tiles, order), source.dtype)
    for at in positions(result.shape):
        place = packed_place(at, source.ndim, inner_dims, tiles, order)
        inside = all(p < size for p, size in zip(place, source.shape))
        result[at] = source[place] if inside else -2
    x, x_type = model.input(source)
    key = len(model.body)
    model.body += [f"%p{key} = arith.constant -2.0 : {NAMES[source.dtype.name]}", f"%e{key} = tensor.empty() : {tensor(result)}"]
    padding = f" padding_value(%p{key} : {NAMES[source.dtype.name]})" if pads else ""
    model.op(f"linalg.pack {x}{padding} {attributes(inner_dims, tiles, order)} into %e{key} : {x_type} -> {{type}}", result)


def unpack(model, shape, inner_dims, tiles, order=None):
    order = order or list(range(len(shape)))
    source = numbers(*packed_shape(shape, inner_dims, tiles, order))
    result = np.zeros(shape, source.dtype)
    for at in positions(source.shape):
        place = packed_place(at, len(shape), inner_dims, tiles, order)
        if all(p < size for p, size in zip(place, shape)):
            result[place] = source[at]
    x, x_type = model.input(source)
    key = len(model.body)
    model.body.append(f"%e{key} = tensor.empty() : {tensor(result)}")
    model.op(f"linalg.unpack {x} {attributes(inner_dims, tiles, order)} into %e{key} : {x_type} -> {{type}}", result)


def rows(count, *limits, dtype=np.int32):
    """`count` different coordinates."""
    places = rng.permutation(np.prod(limits))[:count]
    return np.stack(np.unravel_index(places, limits), axis=-1).astype(dtype)


def make_gathers(model):
    for keeps_dims in (True, False):
        gather(model, numbers(5, 7), [0], rows(4, 5), keeps_dims)
        gather(model, numbers(5, 7), [1], rows(6, 7, dtype=np.int64).reshape(2, 3, 1), keeps_dims)
        gather(model, numbers(3, 4, 5), [1], rows(3, 4), keeps_dims)
        gather(model, numbers(3, 4, 5), [0, 2], rows(6, 3, 5), keeps_dims)
        gather(model, numbers(3, 4), [0, 1], rows(9, 3, 4, dtype=np.int8), keeps_dims)
        gather(model, numbers(3, 4, dtype=np.float64), [1], np.zeros((1, 1), np.int32), keeps_dims)
        gather(model, numbers(5, 7), [0], np.array([[2], [2], [0]], np.int32), keeps_dims, dynamic={0, 1}, indices_dynamic={0})
        gather(model, numbers(3, 4, 5), [1], rows(2, 4), keeps_dims, dynamic={2})


def make_scatters(model):
    for keeps_dims in (True, False):
        scatter(model, numbers(5, 7), [0], rows(4, 5), keeps_dims)
        scatter(model, numbers(5, 7), [1], rows(6, 7, dtype=np.int64).reshape(2, 3, 1), keeps_dims)
        scatter(model, numbers(3, 4, 5), [1], rows(3, 4), keeps_dims)
        scatter(model, numbers(3, 4, 5), [0, 2], rows(6, 3, 5), keeps_dims)
        scatter(model, numbers(3, 4), [0, 1], rows(9, 3, 4, dtype=np.int8), keeps_dims)
        scatter(model, numbers(5, 7), [0], rows(2, 5), keeps_dims, dynamic={0, 1})


def make_bitcasts(model):
    special = np.array([[np.nan, np.inf, -0.0], [1e-40, 1.0, -2.5]], np.float32)
    bitcast(model, special, np.int32)
    bitcast(model, numbers(3, 5).view(np.int32), np.float32)
    bitcast(model, numbers(3, 5, dtype=np.float16), np.int16)
    bitcast(model, numbers(4, dtype=np.float16).view(np.int16), np.float16)
    bitcast(model, numbers(2, 3, 4, dtype=np.float64), np.int64)
    bitcast(model, numbers(2, 3), np.int32, dynamic={0, 1})
    bitcast(model, numbers(6), np.int32, dynamic={0})
    bitcast(model, np.array(1.5, np.float32), np.int32)


def make_packs(model):
    pack(model, numbers(6, 8), [0, 1], [3, 4])
    pack(model, numbers(6, 8), [1, 0], [4, 3])
    pack(model, numbers(6, 8), [0, 1], [3, 2], order=[1, 0])
    pack(model, numbers(6, 8), [1], [8])
    pack(model, numbers(5, 7), [0, 1], [3, 4], pads=True)
    pack(model, numbers(5, 7), [1, 0], [4, 3], order=[1, 0], pads=True)
    pack(model, numbers(2, 5, 3, 7), [1], [4], order=[0, 2, 3, 1], pads=True)
    pack(model, numbers(3, 5, 4, dtype=np.float64), [2, 0], [2, 2], order=[2, 0, 1], pads=True)


def make_unpacks(model):
    unpack(model, [6, 8], [0, 1], [3, 4])
    unpack(model, [6, 8], [1, 0], [4, 3])
    unpack(model, [6, 8], [0, 1], [3, 2], order=[1, 0])
    unpack(model, [5, 7], [0, 1], [3, 4])
    unpack(model, [5, 7], [1, 0], [4, 3], order=[1, 0])
    unpack(model, [2, 5, 3, 7], [1], [4], order=[0, 2, 3, 1])
    unpack(model, [3, 5, 4], [2, 0], [2, 2], order=[2, 0, 1])


def check(name, make, folder):
    model = Model()
    make(model)
    stem = os.path.join(folder, name)
    with open(stem + ".mlir", "w", encoding="utf-8") as file:
        file.write(model.text())
    command = ["mlir-fusion", "run", stem + ".mlir", "--atol", "0", "--rtol", "0"]
    for number, value in enumerate(model.inputs):
        np.save(f"{stem}.in{number}.npy", value)
        command += ["--input", f"{stem}.in{number}.npy"]
    for number, (_, _, value) in enumerate(model.results):
        np.save(f"{stem}.out{number}.npy", value)
        command += ["--expect", f"{stem}.out{number}.npy"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    print(f"{name}: {len(model.results)} " + ("right" if done.returncode == 0 else f"FAIL\n{done.stdout}"))


for op_name, make_cases in (("gather", make_gathers), ("scatter", make_scatters), ("bitcast", make_bitcasts),
                            ("pack", make_packs), ("unpack", make_unpacks)):
    check(op_name, make_cases, sys.argv[1])
