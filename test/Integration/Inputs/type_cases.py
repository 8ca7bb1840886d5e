"""Compiles a model of each element type, as a library and in the JIT, and compares every result with numpy.

usage: type_cases.py TARGET FOLDER [TYPE…]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np

np.seterr(all="ignore")
ROWS, COLUMNS = 5, 45  # vectors of every length: 32 + 8 + 4 + 1


def to_bf16(x):
    """Rounds f64 to the nearest bf16, ties to even; the bits."""
    x = np.asarray(x, np.float64)
    exponent = np.clip(np.frexp(x)[1], -125, None)
    unit = np.ldexp(1.0, exponent - 8)
    rounded = np.where(np.isfinite(x), np.round(x / unit) * unit, x).astype(np.float32)  # overflow: infinity
    bits = (np.atleast_1d(rounded).view(np.uint32) >> 16).astype(np.uint16).reshape(x.shape)
    return np.where(np.isnan(x), np.uint16(0x7FC0), bits)


def from_bf16(bits):
    wide = np.atleast_1d(bits).astype(np.uint32) << 16
    return wide.view(np.float32).astype(np.float64).reshape(np.shape(bits))


NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32,
         "i64": np.int64, "index": np.int64}


def store(x, kind):
    """`x` (f64 or integers) as an array of the type; floats are rounded once."""
    return to_bf16(x) if kind == "bf16" else np.asarray(x).astype(NUMPY[kind])


def load(x, kind):
    """What the elements are worth: f64 for floats."""
    return from_bf16(x) if kind == "bf16" else x.astype(np.float64) if kind[0] == "f" else x


class Model:
    """A function of inputs, whose every result has a numpy counterpart."""

    def __init__(self):
        self.arguments, self.body, self.results = [], [], []

    def input(self, array, kind):
        name = f"%in{len(self.arguments)}"
        self.arguments.append((name, array, kind))
        return name

    def constant(self, array, kind):
        return self.emit(f'arith.constant dense<"0x{array.tobytes().hex()}"> : {tensor(array.shape, kind)}')

    def emit(self, text):
        name = f"%v{len(self.body)}"
        self.body.append(f"  {name} = {text}")
        return name

    def returns(self, name, shape, kind, expected, tolerance=0.0):
        """`tolerance` is relative to the largest expected magnitude, or a function of got and expected that says which are wrong."""
        self.results.append((name, shape, kind, expected, tolerance))

    def generic(self, operands, shape, kind, body, maps=None, iterators=None, init=None):
        """linalg.generic; operands are (name, shape, type), the body uses %a0, %a1, … and %o and ends with the result's name."""
        dims = len(iterators) if iterators else len(shape)
        letters = ", ".join(f"d{i}" for i in range(dims))
        maps = [f"affine_map<({letters}) -> ({m})>" for m in (maps or [letters] * (len(operands) + 1))]
        iterators = iterators or ["parallel"] * dims
        init = init or self.emit(f"tensor.empty() : {tensor(shape, kind)}")
        names, types = ", ".join(o[0] for o in operands), ", ".join(tensor(o[1], o[2]) for o in operands)
        arguments = ", ".join([f"%a{i}: {o[2]}" for i, o in enumerate(operands)] + [f"%o: {kind}"])
        ins = f"ins({names} : {types}) " if operands else ""
        lines, result = body
        return self.emit(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(chr(34) + i + chr(34) for i in iterators)}]}} "
            f"{ins}outs({init} : {tensor(shape, kind)}) {{\n  ^bb0({arguments}):\n    "
            + "\n    ".join(lines) + f"\n    linalg.yield {result} : {kind}\n  }} -> {tensor(shape, kind)}")

    def text(self):
        arguments = ", ".join(f"{name}: {tensor(array.shape, kind)}" for name, array, kind in self.arguments)
        types = ", ".join(tensor(shape, kind) for _, shape, kind, _, _ in self.results)
        names = ", ".join(result[0] for result in self.results)
        return (f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join(self.body) + f"\n  return {names} : {types}\n}}\n")


def tensor(shape, kind):
    return "tensor<" + "".join(f"{size}x" for size in shape) + kind + ">"


def add_fill(model, shape, kind, value):
    constant = model.emit(f"arith.constant {value} : {kind}")
    empty = model.emit(f"tensor.empty() : {tensor(shape, kind)}")
    return model.emit(f"linalg.fill ins({constant} : {kind}) outs({empty} : {tensor(shape, kind)}) -> {tensor(shape, kind)}")


def add_casts(model, kind, numbers):
    """From the type to others, and from others to it, each rounded once."""
    shape = numbers.shape
    x = model.input(numbers, kind)
    worth = load(numbers, kind)
    is_float = kind[0] in "fb"
    bits = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
    for other in ("f64", "f32", "f16", "bf16"):
        if other == kind or bits[other] == bits.get(kind):
            continue
        op = ("extf" if bits[other] > bits[kind] else "truncf") if is_float else "sitofp" if kind != "i1" else "uitofp"
        y = model.generic([(x, shape, kind)], shape, other, ([f"%r = arith.{op} %a0 : {kind} to {other}"], "%r"))
        model.returns(y, shape, other, store(worth, other))
    if not is_float:
        for other in ("i8", "i16", "i32", "i64"):
            widths = int(kind[1:]), int(other[1:])
            if widths[0] == widths[1]:
                continue
            op = "trunci" if widths[0] > widths[1] else "extui" if kind == "i1" else "extsi"
            y = model.generic([(x, shape, kind)], shape, other, ([f"%r = arith.{op} %a0 : {kind} to {other}"], "%r"))
            model.returns(y, shape, other, worth.astype(NUMPY[other]))
        return
    small = model.input(store(np.clip(np.nan_to_num(worth), -100, 100), kind), kind)
    for other in ("i8", "i32", "i64"):
        y = model.generic([(small, shape, kind)], shape, other, ([f"%r = arith.fptosi %a0 : {kind} to {other}"], "%r"))
        model.returns(y, shape, other, np.trunc(load(model.arguments[-1][1], kind)).astype(NUMPY[other]))


def add_classes(model, kind, numbers):
    shape = numbers.shape
    x, worth = model.input(numbers, kind), load(numbers, kind)
    smallest = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}[kind]
    for op, expected in (("isnan", np.isnan(worth)), ("isinf", np.isinf(worth)), ("isfinite", np.isfinite(worth)),
                         ("isnormal", np.isfinite(worth) & (np.abs(worth) >= smallest))):
        name = model.generic([(x, shape, kind)], shape, "i1", ([f"%r = math.{op} %a0 : {kind}"], "%r"))
        model.returns(name, shape, "i1", expected)


def add_float_math(model, kind, x, y):
    shape = x.shape
    a, b = model.input(x, kind), model.input(y, kind)
    ka, kb = load(x, kind), load(y, kind)
    operands = [(a, shape, kind), (b, shape, kind)]
    unit = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}[kind]
    for op, expected in (("addf", ka + kb), ("subf", ka - kb), ("mulf", ka * kb), ("divf", ka / kb), ("maximumf", np.maximum(ka, kb)),
                         ("minimumf", np.minimum(ka, kb)), ("maxnumf", np.fmax(ka, kb)), ("minnumf", np.fmin(ka, kb))):
        name = model.generic(operands, shape, kind, ([f"%r = arith.{op} %a0, %a1 : {kind}"], "%r"))
        model.returns(name, shape, kind, store(expected, kind))
    name = model.generic(operands, shape, kind, ([f"%c = arith.cmpf olt, %a0, %a1 : {kind}", f"%n = arith.negf %a0 : {kind}",
                                                  f"%r = arith.select %c, %n, %a1 : {kind}"], "%r"))
    model.returns(name, shape, kind, store(np.where(ka < kb, -ka, kb), kind))
    name = model.generic(operands, shape, "i1", ([f"%r = arith.cmpf oge, %a0, %a1 : {kind}"], "%r"))
    model.returns(name, shape, "i1", ka >= kb)
    for op, expected in (("exp", np.exp(ka)), ("tanh", np.tanh(ka)), ("log", np.log(ka)), ("sqrt", np.sqrt(ka)),
                         ("rsqrt", 1 / np.sqrt(ka)), ("sin", np.sin(ka)), ("floor", np.floor(ka)), ("roundeven", np.round(ka)),
                         ("absf", np.abs(ka)), ("expm1", np.expm1(ka)), ("log1p", np.log1p(ka)), ("exp2", np.exp2(ka)),
                         ("log2", np.log2(ka)), ("log10", np.log10(ka)), ("cos", np.cos(ka)), ("atan", np.arctan(ka)),
                         ("sinh", np.sinh(ka)), ("acos", np.arccos(ka)), ("cbrt", np.cbrt(ka)), ("ceil", np.ceil(ka)),
                         ("trunc", np.trunc(ka))):
        name = model.generic(operands[:1], shape, kind, ([f"%r = math.{op} %a0 : {kind}"], "%r"))
        model.returns(name, shape, kind, store(expected, kind), 4 * unit)
    name = model.generic(operands, shape, kind, ([f"%m = math.absf %a0 : {kind}", f"%r = math.powf %m, %a1 : {kind}"], "%r"))
    model.returns(name, shape, kind, store(np.abs(ka) ** kb, kind), 4 * unit)
    name = model.generic(operands[:1], shape, kind, ([f"%r = math.erf %a0 : {kind}"], "%r"))
    erf = np.vectorize(__import__("math").erf)(ka)
    model.returns(name, shape, kind, store(erf, kind), 4 * unit)
    for op, expected in (("atan2", np.arctan2(ka, kb)), ("copysign", np.copysign(ka, kb))):
        name = model.generic(operands, shape, kind, ([f"%r = math.{op} %a0, %a1 : {kind}"], "%r"))
        model.returns(name, shape, kind, store(expected, kind), 4 * unit)
    name = model.generic(operands, shape, kind, ([f"%l = arith.negf %h : {kind}", f"%r = math.clampf %a0 to [%l, %h] : {kind}"], "%r"))
    model.body[-1] = model.body[-1].replace("%l = ", f"%h = math.absf %a1 : {kind}\n    %l = ")
    model.returns(name, shape, kind, store(np.clip(ka, -np.abs(kb), np.abs(kb)), kind))
    # A chain: each op rounds.
    name = model.generic(operands, shape, kind, ([f"%s = arith.addf %a0, %a1 : {kind}", f"%p = arith.mulf %s, %a0 : {kind}",
                                                  f"%r = arith.subf %p, %a1 : {kind}"], "%r"))
    total = load(store(ka + kb, kind), kind)
    product = load(store(total * ka, kind), kind)
    model.returns(name, shape, kind, store(product - kb, kind))


def add_int_math(model, kind, x, y):
    shape = x.shape
    a, b = model.input(x, kind), model.input(y, kind)
    operands = [(a, shape, kind), (b, shape, kind)]
    if kind == "i1":
        cases = [("andi", x & y), ("ori", x | y), ("xori", x ^ y)]
    else:
        cases = [("addi", x + y), ("subi", x - y), ("muli", x * y), ("maxsi", np.maximum(x, y)), ("minsi", np.minimum(x, y)),
                 ("andi", x & y), ("xori", x ^ y)]
    for op, expected in cases:
        name = model.generic(operands, shape, kind, ([f"%r = arith.{op} %a0, %a1 : {kind}"], "%r"))
        model.returns(name, shape, kind, expected)
    if kind != "i1":
        divisor = (y & 31) | 1
        d = model.input(divisor.astype(y.dtype), kind)
        toward_zero = (np.abs(x.astype(object)) // divisor * np.sign(x.astype(object))).astype(y.dtype)
        power = np.array([int(a) ** int(b) & (2 ** (8 * x.itemsize) - 1) for a, b in zip(x.flat, divisor.flat)], object)
        power = power.astype(f"u{x.itemsize}").view(x.dtype).reshape(shape)
        places = divisor % (8 * x.itemsize)
        p = model.input(places.astype(y.dtype), kind)
        for op, operand, expected in (("arith.divsi", d, toward_zero), ("arith.remsi", d, x - toward_zero * divisor),
                                      ("arith.floordivsi", d, x // divisor), ("arith.ceildivsi", d, -(-x.astype(object) // divisor)),
                                      ("math.ipowi", d, power), ("arith.shli", p, x << places), ("arith.shrsi", p, x >> places)):
            name = model.generic([(a, shape, kind), (operand, shape, kind)], shape, kind, ([f"%r = {op} %a0, %a1 : {kind}"], "%r"))
            model.returns(name, shape, kind, expected.astype(x.dtype))
    name = model.generic(operands, shape, kind, ([f"%c = arith.cmpi slt, %a0, %a1 : {kind}", f"%r = arith.select %c, %a1, %a0 : {kind}"], "%r"))
    model.returns(name, shape, kind, np.where(-x.astype(np.int8) < -y.astype(np.int8), y, x) if kind == "i1" else np.maximum(x, y))


def add_moves(model, kind, x):
    """Transposes, slices, joins, borders, broadcasts, choices, constants and control flow: bits that are moved."""
    shape = x.shape
    a = model.input(x, kind)
    turned = shape[::-1]
    empty = model.emit(f"tensor.empty() : {tensor(turned, kind)}")
    name = model.emit(f"linalg.transpose ins({a} : {tensor(shape, kind)}) outs({empty} : {tensor(turned, kind)}) permutation = [1, 0]")
    model.returns(name, turned, kind, x.T)
    doubled = (shape[0], 2 * shape[1])
    name = model.emit(f"tensor.concat dim(1) {a}, {a} : ({tensor(shape, kind)}, {tensor(shape, kind)}) -> {tensor(doubled, kind)}")
    model.returns(name, doubled, kind, np.concatenate([x, x], 1))
    if kind != "index":
        literal = {"i1": "true"}.get(kind, "3" if kind[0] == "i" else "3.0")
        constant = model.emit("arith.constant " + (literal if kind == "i1" else f"{literal} : {kind}"))
        padded = (shape[0] + 1, shape[1] + 3)
        name = model.emit(f"tensor.pad {a} low[0, 1] high[1, 2] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield {constant} : {kind}\n  }} : "
                          f"{tensor(shape, kind)} to {tensor(padded, kind)}")
        value = store(np.float64(1 if kind == "i1" else 3), kind)
        model.returns(name, padded, kind, np.pad(x, ((0, 1), (1, 2)), constant_values=value))
        row = ", ".join({"i1": ["true", "false"]}.get(kind, ["1", "2"] if kind[0] == "i" else ["1.0", "2.0"])[i % 2] for i in range(shape[1]))
        constants = model.emit(f"arith.constant dense<[{row}]> : {tensor(shape[1:], kind)}")
        values = store(np.array([([1, 0] if kind == "i1" else [1, 2])[i % 2] for i in range(shape[1])], np.float64), kind)
        chosen = model.generic([(a, shape, kind), (constants, shape[1:], kind)], shape, kind,
                               (["%i = linalg.index 1 : index", "%t = arith.constant 20 : index", "%c = arith.cmpi ult, %i, %t : index",
                                 f"%r = arith.select %c, %a0, %a1 : {kind}"], "%r"), maps=["d0, d1", "d1", "d0, d1"])
        model.returns(chosen, shape, kind, np.where(np.arange(shape[1]) < 20, x, values))
    part = (shape[0] - 1, 7)
    name = model.emit(f"tensor.extract_slice {a}[1, 3] [{part[0]}, {part[1]}] [1, 2] : {tensor(shape, kind)} to {tensor(part, kind)}")
    model.returns(name, part, kind, x[1:, 3:3 + 14:2])
    zero, one = model.emit("arith.constant 0 : index"), model.emit("arith.constant 2 : index")
    element = model.emit(f"tensor.extract {a}[{zero}, {one}] : {tensor(shape, kind)}")
    scalar = model.emit(f"tensor.from_elements {element} : {tensor((), kind)}")
    model.returns(scalar, (), kind, x[0, 2])
    flag = model.emit(f"arith.cmpi eq, {zero}, {one} : index")
    name = model.emit(f"scf.if {flag} -> ({tensor((), kind)}) {{\n    scf.yield {scalar} : {tensor((), kind)}\n  }} else {{\n"
                      f"    %e = tensor.extract {a}[{one}, {one}] : {tensor(shape, kind)}\n    %f = tensor.from_elements %e : {tensor((), kind)}\n"
                      f"    scf.yield %f : {tensor((), kind)}\n  }}")
    model.returns(name, (), kind, x[2, 2])


def add_roots(model, kind, accumulator, random):
    """A product, a convolution, pools and sums, in the type and in the wider one that accumulates."""
    def make(*shape):
        values = random.integers(-4, 5, shape)
        return store(values / 4 if kind[0] != "i" else values * (20 if kind == "i8" else 1), kind)

    def expect(values, to):
        return store(values, to)

    add, multiply = ("arith.addf", "arith.mulf") if kind[0] != "i" else ("arith.addi", "arith.muli")
    zero = {True: "0", False: "0.0"}[kind[0] == "i"]
    lhs, rhs = make(7, 300), make(300, 19)
    image, kernel = make(1, 3, 9, 8), make(6, 3, 3, 3)
    a, b, x, w = (model.input(array, kind) for array in (lhs, rhs, image, kernel))
    product = load(lhs, kind) @ load(rhs, kind) if kind[0] != "i" else lhs.astype(np.int64) @ rhs.astype(np.int64)
    wide_image, wide_kernel = (load(v, kind) if kind[0] != "i" else v.astype(np.int64) for v in (image, kernel))
    windows = np.lib.stride_tricks.sliding_window_view(wide_image, (3, 3), axis=(2, 3))
    conv = np.einsum("nchwij,ocij->nohw", windows, wide_kernel)
    pools = np.lib.stride_tricks.sliding_window_view(wide_image, (2, 2), axis=(2, 3))[:, :, ::2, ::2]
    fixed = model.constant(rhs, kind), model.constant(kernel, kind)  # they are packed, and have kernels
    widest = "i64" if kind[0] == "i" else "f64"
    for to, (b, w) in ((to, weights) for to in dict.fromkeys((accumulator, kind, widest)) for weights in ((b, w), fixed)):
        if to == "i8":
            continue
        # Sums of 16-bit floats are kept in f32, which these numbers do not round.
        tolerance = 1e-6 if to == "f32" else 0.0
        init = add_fill(model, product.shape, to, zero)
        name = model.emit(f"linalg.matmul ins({a}, {b} : {tensor(lhs.shape, kind)}, {tensor(rhs.shape, kind)}) outs({init} : "
                          f"{tensor(product.shape, to)}) -> {tensor(product.shape, to)}")
        model.returns(name, product.shape, to, expect(product, to), tolerance)
        init = add_fill(model, conv.shape, to, zero)
        name = model.emit(f"linalg.conv_2d_nchw_fchw ins({x}, {w} : {tensor(image.shape, kind)}, {tensor(kernel.shape, kind)}) outs({init} : "
                          f"{tensor(conv.shape, to)}) -> {tensor(conv.shape, to)}")
        model.returns(name, conv.shape, to, expect(conv, to), tolerance)
    window = model.emit(f"tensor.empty() : {tensor((2, 2), kind)}")
    out = pools.shape[:4]
    lowest = {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}.get(kind) or str(np.iinfo(NUMPY[kind]).min)
    for pool, fill, expected in (("max", lowest, pools.max((4, 5))), ("sum", zero, pools.sum((4, 5)))):
        if pool == "sum" and kind == "i8":
            continue
        init = add_fill(model, out, kind, fill)
        name = model.emit(f"linalg.pooling_nchw_{pool} {{strides = dense<2> : tensor<2xi64>}} ins({x}, {window} : {tensor(image.shape, kind)}, "
                          f"{tensor((2, 2), kind)}) outs({init} : {tensor(out, kind)}) -> {tensor(out, kind)}")
        model.returns(name, out, kind, expect(expected, kind))
    init = add_fill(model, (7,), accumulator, zero)
    widen = [] if accumulator == kind else [f"%w = arith.{'extsi' if kind[0] == 'i' else 'extf'} %a0 : {kind} to {accumulator}"]
    name = model.generic([(a, lhs.shape, kind)], (7,), accumulator,
                         (widen + [f"%r = {add} %o, {'%w' if widen else '%a0'} : {accumulator}"], "%r"), maps=["d0, d1", "d0"],
                         iterators=["parallel", "reduction"], init=init)
    wide = load(lhs, kind) if kind[0] != "i" else lhs.astype(np.int64)
    model.returns(name, (7,), accumulator, expect(wide.sum(1), accumulator), 1e-6)


SPECIALS = {  # values whose conversion is hard: ties of either type and of f32 between, denormals, infinities
    "f64": [0.0, -0.0, np.inf, -np.inf, np.nan, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-45, 3.0e38, 1e39,
            -1e39, 65519.999999999, 65520.0, 2.0**-24, 2.0**-25, 2.0**-25 * (1 + 2.0**-40), 2.0**-133, 2.0**-134, 2.0**-134 * (1 + 2.0**-45),
            2.0**-149, 2.0**-1074, 3.3961775292304e38, -(1 + 3 * 2.0**-8 - 2.0**-50)],
    "f32": [0.0, -0.0, np.inf, -np.inf, np.nan, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-23, 1 + 3 * 2.0**-8, 65519.0, 65520.0, 3.4e38, 2.0**-149,
            2.0**-133, 2.0**-134, 2.0**-25, 1 + 2.0**-11],
}


def build(kind):
    random = np.random.default_rng(7)
    model = Model()
    shape = (ROWS, COLUMNS)
    if kind[0] in "fb":
        normal = lambda scale: random.normal(0, scale, shape)
        x, y = store(normal(2.0), kind), store(normal(2.0), kind)
        numbers = normal(1.0) * 10.0 ** random.integers(-8, 8, shape)
        numbers.flat[:len(SPECIALS.get(kind, []))] = SPECIALS.get(kind, [])
        if kind in ("f16", "bf16"):  # every kind of bits
            bits = random.integers(0, 1 << 16, shape).astype(np.uint16)
            numbers = bits if kind == "bf16" else bits.view(np.float16)
        numbers = store(numbers, kind) if numbers.dtype == np.float64 else numbers
        add_casts(model, kind, numbers)
        add_classes(model, kind, numbers)
        add_float_math(model, kind, x, y)
        add_moves(model, kind, x)
        add_roots(model, kind, "f32" if kind in ("f16", "bf16") else kind, random)
        return model
    if kind == "i1":
        x, y = random.integers(0, 2, shape).astype(bool), random.integers(0, 2, shape).astype(bool)
    else:
        info = np.iinfo(NUMPY[kind])
        x, y = (random.integers(info.min, info.max, shape, dtype=NUMPY[kind], endpoint=True) for _ in range(2))
    if kind != "index":
        # Sums of 2^8 around ties of bf16 and f16, whose f32 is a tie already.
        numbers = x.copy()
        if kind in ("i32", "i64"):
            numbers.flat[:6] = [(1 << 24) + (1 << 16), (1 << 24) + (1 << 16) + 1, (1 << 24) + (1 << 16) - 1, 0, -1, (1 << 30) + (1 << 22) + 1]
            numbers.flat[6:] >>= random.integers(0, 8 * numbers.itemsize, numbers.size - 6)
        add_casts(model, kind, numbers)
        add_int_math(model, kind, x, y)
    add_moves(model, kind, x)
    if kind in ("i8", "i16", "i32", "i64"):
        add_roots(model, kind, "i32" if kind in ("i8", "i16") else kind, random)
    return model


def compare(index, got, kind, expected, tolerance):
    name = f"result {index} of {kind}{list(expected.shape)}"
    if callable(tolerance):
        wrong = tolerance(got, expected)
    elif kind[0] not in "fb" or (tolerance == 0 and kind == "bf16"):
        nan = np.zeros(expected.shape, bool)
        if kind == "bf16":
            nan = np.isnan(from_bf16(expected)) & np.isnan(from_bf16(got))
        wrong = ~((got == expected) | nan)
    else:
        a, b = load(got, kind), load(expected, kind)
        bound = tolerance * np.max(np.abs(b[np.isfinite(b)]), initial=0)
        wrong = ~((np.abs(a - b) <= bound) | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return []
    at = tuple(index[0] for index in np.nonzero(wrong))
    return [f"{name}: {wrong.sum()} wrong, at {at} {got[at]!r}, expected {expected[at]!r}"]


def check(model, path, target):
    """Compiles the model to PATH.so and PATH.o and runs the library and the JIT; what is wrong."""
    with open(path + ".mlir", "w") as out:
        out.write(model.text())
    inputs, errors = [], []
    for index, (_, array, _) in enumerate(model.arguments):
        np.save(f"{path}.in{index}.npy", array)
        inputs += ["--input", f"{path}.in{index}.npy"]
    subprocess.run(["mlir-fusion", "compile", path + ".mlir", "-o", path + ".so", "--target", target], check=True)
    subprocess.run(["mlir-fusion", "compile", path + ".mlir", "-o", path + ".o", "--target", target], check=True)
    for program in (path + ".so", path + ".mlir"):
        flags = ["--target", target] if program.endswith(".mlir") else []
        subprocess.run(["mlir-fusion", "run", program, *inputs, *flags, "--output-dir", path + ".out"], check=True, stdout=subprocess.DEVNULL)
        for index, (_, shape, other, expected, tolerance) in enumerate(model.results):
            got = np.load(f"{path}.out/out{index}.npy").reshape(shape)
            expected = np.asarray(expected)
            errors += [f"{program}: {error}" for error in compare(index, got.view(expected.dtype), other, expected, tolerance)]
    return errors


def main(target, folder, *kinds):
    errors = []
    for kind in kinds or ("f64", "f32", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "index"):
        model = build(kind)
        errors += check(model, f"{folder}/{kind}", target)
        print(f"{kind}: {len(model.results)} results")
    print("\n".join(errors) if errors else "PASS")


if __name__ == "__main__":
    main(*sys.argv[1:])
