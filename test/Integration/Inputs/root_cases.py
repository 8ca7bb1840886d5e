#!/usr/bin/env python3
"""Writes a module that computes roots on tensors and compares them with plain loops.

usage: root_cases.py conv|conv-transpose|matmul|pool|raise [FOLDER]

The expected numbers are computed here, by loop nests that know nothing of the
library; inputs are small integers, so that every sum is exact. @main prints
"PASS name" or "FAIL name" for each case. With FOLDER, they become a model there
instead, with its inputs and the results it is to have.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import struct
import sys


def numbers(shape, seed, modulus):
    """Small integers of both signs."""
    size = product(shape)
    return [((i * 7 + i // 3 + seed) % modulus) - modulus // 2 for i in range(size)]


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


class Array:
    """A tensor, addressed by named dims: Array("nchw", sizes by name)."""

    def __init__(self, dims, sizes, seed=0, modulus=11, element="f32"):
        self.dims, self.sizes, self.element = dims, sizes, element
        self.shape = [sizes[dim] for dim in dims]
        self.values = numbers(self.shape, seed, modulus)

    def at(self, **position):
        index = 0
        for dim in self.dims:
            assert 0 <= position[dim] < self.sizes[dim]
            index = index * self.sizes[dim] + position[dim]
        return index

    def __getitem__(self, position):
        return self.values[self.at(**position)]

    def __setitem__(self, position, value):
        self.values[self.at(**position)] = value

    def positions(self):
        for position in itertools.product(*(range(size) for size in self.shape)):
            yield dict(zip(self.dims, position))

    @property
    def type(self):
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"

    def constant(self):
        """The elements in row-major order, nested as the type wants them."""
        def nest(values, shape):
            if not shape:
                return scalar(values[0], self.element)
            step = len(values) // shape[0] if shape[0] else 0
            return "[" + ", ".join(nest(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
        return f"dense<{nest(self.values, self.shape)}> : {self.type}"


def scalar(value, element):
    if element.startswith("i"):
        return str(value)
    if element == "f32":
        return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X}"
    return f"{float(value):.6e}"


SPATIAL = "hvd"  # height, width, depth


def locate(names, sizes, strides, dilations, low, position, tap):
    """The image position of filter tap `tap`, or None where it is padding."""
    image = {}
    for i, name in enumerate(names):
        where = position[name] * strides[i] + tap[i] * dilations[i] - low[i]
        if not 0 <= where < sizes[name]:
            return None
        image[name] = where
    return image


def convolve(x, w, y, groups, strides, dilations, low, rank):
    """y[n, o, p] = sum over c, k of x[n, g * C + c, p * s + k * d - low] * w[o, c, k], with o in group g."""
    names = SPATIAL[:rank]
    kernel = [w.sizes[tap] for tap in "xyz"[:rank]]
    per_group = w.sizes["c"]
    for at in y.positions():
        group = at["o"] // (y.sizes["o"] // groups)
        total = 0
        for tap in itertools.product(*(range(size) for size in kernel)):
            image = locate(names, x.sizes, strides, dilations, low, at, tap)
            if image is None:
                continue
            for c in range(per_group):
                total += x[dict(image, n=at["n"], i=group * per_group + c)] * \
                    w[dict(zip("xyz", tap), o=at["o"], c=c)]
        y[at] = total


class Case:
    """`text` computes %y from constants whose names are in `arrays`."""

    def __init__(self, name, arrays, text, want):
        self.name, self.arrays, self.text, self.want = name, arrays, text, want

    def function(self):
        want = self.want
        rank = len(want.shape)
        identity = ", ".join(f"d{i}" for i in range(rank))
        equal = f"arith.cmpf une, %got, %wanted : {want.element}" if want.element.startswith(("f", "b")) else \
            f"arith.cmpi ne, %got, %wanted : {want.element}"
        maps = f"affine_map<({identity}) -> ({identity})>"
        iterators = ", ".join(['"reduction"'] * rank)
        constants = "\n".join(f"  %{name} = arith.constant {array.constant()}" for name, array in self.arrays.items())
        return f"""func.func @{self.name}() {{
{constants}
  %want = arith.constant {want.constant()}
  %e = tensor.empty() : {want.type}
{self.text}
  %none = arith.constant dense<0> : tensor<i32>
  %bad = linalg.generic {{indexing_maps = [{maps}, {maps}, affine_map<({identity}) -> ()>], iterator_types = [{iterators}]}}
    ins(%y, %want : {want.type}, {want.type}) outs(%none : tensor<i32>) {{
  ^bb0(%got: {want.element}, %wanted: {want.element}, %so_far: i32):
    %differs = {equal}
    %one = arith.extui %differs : i1 to i32
    %sum = arith.addi %so_far, %one : i32
    linalg.yield %sum : i32
  }} -> tensor<i32>
  %count = tensor.extract %bad[] : tensor<i32>
  %no_difference = arith.constant 0 : i32
  %passed = arith.cmpi eq, %count, %no_difference : i32
  scf.if %passed {{
    vector.print str "PASS {self.name}\\n"
  }} else {{
    vector.print str "FAIL {self.name}\\n"
  }}
  return
}}
"""


def output_size(size, window, stride, dilation, low, high):
    return (size + low + high - dilation * (window - 1) - 1) // stride + 1


# Layouts by name: images, then filters.
IMAGE = {"channels_first": "n{c}{s}", "channels_last": "n{s}{c}"}
FILTER = {"out_in_spatial": "oc{k}", "spatial_in_out": "{k}co", "out_spatial_in": "o{k}c"}


def conv_case(name, batch=1, channels=3, outputs=4, size=(6, 5), kernel=(3, 3), strides=None, dilations=None, low=None,
              high=None, groups=1, images=("channels_first", "channels_first"), filters="out_in_spatial", block=None,
              elements=("f32", "f32"), epilogue="", extra=None, finish=None, init=None):
    rank = len(size)
    strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
    low, high = low or (0,) * rank, high or (0,) * rank
    names, taps = SPATIAL[:rank], "xyz"[:rank]
    x_sizes = dict(zip(names, size), n=batch, i=channels)
    y_sizes = dict(zip(names, map(output_size, size, kernel, strides, dilations, low, high)), n=batch, o=outputs)
    w_sizes = dict(zip(taps, kernel), o=outputs, c=channels // groups)
    x = Array(IMAGE[images[0]].format(s=names, c="i"), x_sizes, 3, 11, elements[0])
    w = Array(FILTER[filters].format(k=taps), w_sizes, 1, 7, elements[0])
    y = Array(IMAGE[images[1]].format(s=names, c="o"), y_sizes, element=elements[1])
    convolve(x, w, y, groups, strides, dilations, low, rank)
    arrays = {"x": x, "w": pack(w, groups, block) if block else w}
    if extra:
        arrays.update(extra(y))
    if finish:
        finish(arrays, y)
    lists = [f"{key} = [{', '.join(map(str, value))}]" for key, value in
             (("strides", strides), ("dilations", dilations), ("pad_low", low), ("pad_high", high))]
    attributes = lists + [f"groups = {groups}", f"input_layout = {images[0]}", f"output_layout = {images[1]}",
                          f"filter_layout = {'packed' if block else filters}"]
    text = (f"  %y = fusion.conv ins(%x, %w : {x.type}, {arrays['w'].type}) outs(%{init or 'e'} : {y.type}) "
            f"{{{', '.join(attributes)}}} {epilogue} -> {y.type}")
    return Case(name, arrays, text, y)


def pack(w, groups, block):
    """[O, C, K…] as [G * ceil(O/G / B), K…, C, B], zeros where a group has no channel left."""
    taps = [dim for dim in "xyz" if dim in w.sizes]
    per_group = w.sizes["o"] // groups
    blocks = -(-per_group // block)
    packed = Array("".join(["p"] + taps + ["c", "b"]), dict(w.sizes, p=groups * blocks, b=block), element=w.element)
    for at in packed.positions():
        group, inner = divmod(at["p"], blocks)
        channel = inner * block + at["b"]
        packed[at] = w[dict(at, o=group * per_group + channel)] if channel < per_group else 0
    return packed


def bias_residual_relu(arrays, y):
    for at in y.positions():
        y[at] = max(y[at] + arrays["b"][at] + arrays["r"][at], 0)


def residual_in_place(arrays, y):
    for at in y.positions():
        y[at] = y[at] * 2 + arrays["r"][at]


UNEVEN = dict(batch=2, size=(8, 9), kernel=(3, 2), strides=(2, 1), dilations=(1, 3), low=(2, 1), high=(0, 3))
LAST = ("channels_last", "channels_last")


def conv_cases():
    yield conv_case("uneven", **UNEVEN)
    yield conv_case("last_spatial_in_out", images=LAST, filters="spatial_in_out", **UNEVEN)
    yield conv_case("last_out_spatial_in", images=LAST, filters="out_spatial_in", **UNEVEN)
    yield conv_case("first_to_last", images=("channels_first", "channels_last"), **UNEVEN)
    yield conv_case("last_to_first", images=("channels_last", "channels_first"), filters="spatial_in_out", **UNEVEN)
    yield conv_case("grouped", channels=6, outputs=4, groups=2, **UNEVEN)
    yield conv_case("grouped_last", channels=6, outputs=9, groups=3, images=LAST, filters="spatial_in_out", **UNEVEN)
    yield conv_case("grouped_last_out_spatial_in", channels=6, outputs=9, groups=3, images=LAST,
                    filters="out_spatial_in", **UNEVEN)
    yield conv_case("depthwise", channels=5, outputs=5, groups=5, **UNEVEN)
    yield conv_case("depthwise_last", channels=5, outputs=5, groups=5, images=LAST, filters="spatial_in_out", **UNEVEN)
    yield conv_case("depthwise_multiplier", channels=3, outputs=6, groups=3, **UNEVEN)
    yield conv_case("packed", outputs=5, block=4, images=LAST, **UNEVEN)
    yield conv_case("packed_exact", outputs=8, block=4, **UNEVEN)
    yield conv_case("packed_grouped", channels=4, outputs=6, groups=2, block=2, images=LAST, **UNEVEN)
    yield conv_case("packed_grouped_rest", channels=4, outputs=10, groups=2, block=4, images=LAST, **UNEVEN)
    yield conv_case("one_dimension", size=(9,), kernel=(4,), strides=(2,), low=(3,), high=(1,))
    yield conv_case("three_dimensions", size=(4, 5, 3), kernel=(2, 3, 2), low=(0, 1, 0), high=(1, 0, 0), channels=2,
                    outputs=3, groups=1, images=LAST, filters="spatial_in_out")
    yield conv_case("bytes_to_words", elements=("i8", "i32"), **UNEVEN)
    yield conv_case("halves_to_floats", elements=("bf16", "f32"), **UNEVEN)
    yield conv_case("window_in_the_padding", size=(3, 3), kernel=(2, 2), low=(3, 3), high=(3, 3), strides=(2, 2))
    yield conv_case(
        "bias_residual_relu",
        epilogue="""epilogue(%acc: f32, %b1 = %b[1] : tensor<4xf32>, %r1 = %r[0, 1, 2, 3] : RESULT) {
    %s = arith.addf %acc, %b1 : f32
    %t = arith.addf %s, %r1 : f32
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %t, %zero : f32
    fusion.yield %m : f32
  }""".replace("RESULT", "tensor<2x4x4x10xf32>"),
        extra=lambda y: {"b": Array("o", y.sizes, 5), "r": Array(y.dims, y.sizes, 2, 13)}, finish=bias_residual_relu,
        **UNEVEN)
    yield conv_case(
        "init_is_read",
        epilogue="""epilogue(%acc: f32, init %d: f32) {
    %two = arith.constant 2.0 : f32
    %s = arith.mulf %acc, %two : f32
    %t = arith.addf %s, %d : f32
    fusion.yield %t : f32
  }""",
        extra=lambda y: {"r": Array(y.dims, y.sizes, 2, 13)}, finish=residual_in_place, init="r", **UNEVEN)


def transpose_case(name, batch=1, channels=3, outputs=4, size=(4, 5), kernel=(3, 3), strides=None, dilations=None,
                   low=None, high=None, more=None, groups=1, images=("channels_first", "channels_first"),
                   filters="out_in_spatial", elements=("f32", "f32"), epilogue="", extra=None, finish=None, init=None):
    """y[n, o, i * s + k * d - low] += x[n, g * C + c, i] * w[o, c, k], with o in group g."""
    rank = len(size)
    strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
    low, high, more = low or (0,) * rank, high or (0,) * rank, more or (0,) * rank
    names, taps = SPATIAL[:rank], "xyz"[:rank]
    x_sizes = dict(zip(names, size), n=batch, i=channels)
    w_sizes = dict(zip(taps, kernel), o=outputs, c=channels // groups)
    y_sizes = dict(zip(names, ((size[i] - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1 + more[i] - low[i] - high[i]
                               for i in range(rank))), n=batch, o=outputs)
    x = Array(IMAGE[images[0]].format(s=names, c="i"), x_sizes, 3, 11, elements[0])
    w = Array(FILTER[filters].format(k=taps), w_sizes, 1, 7, elements[0])
    y = Array(IMAGE[images[1]].format(s=names, c="o"), y_sizes, element=elements[1])
    y.values = [0] * len(y.values)
    per_group, group_size = channels // groups, outputs // groups
    for at in x.positions():
        for tap in itertools.product(*(range(extent) for extent in kernel)):
            to = {name: at[name] * strides[i] + tap[i] * dilations[i] - low[i] for i, name in enumerate(names)}
            if all(0 <= to[name] < y_sizes[name] for name in names):
                for o in range(group_size):
                    out = at["i"] // per_group * group_size + o
                    y.values[y.at(n=at["n"], o=out, **to)] += \
                        x[at] * w[dict(zip(taps, tap), o=out, c=at["i"] % per_group)]
    arrays = {"x": x, "w": w}
    if extra:
        arrays.update(extra(y))
    if finish:
        finish(arrays, y)
    lists = [f"{key} = [{', '.join(map(str, value))}]" for key, value in
             (("strides", strides), ("dilations", dilations), ("pad_low", low), ("pad_high", high), ("output_padding", more))]
    attributes = lists + [f"groups = {groups}", f"input_layout = {images[0]}", f"output_layout = {images[1]}",
                          f"filter_layout = {filters}"]
    text = (f"  %y = fusion.conv_transpose ins(%x, %w : {x.type}, {w.type}) outs(%{init or 'e'} : {y.type}) "
            f"{{{', '.join(attributes)}}} {epilogue.replace('RESULT', y.type)} -> {y.type}")
    return Case(name, arrays, text, y)


STRIDED = dict(batch=2, size=(4, 5), kernel=(3, 2), strides=(2, 3), dilations=(1, 2), low=(1, 0), high=(2, 1), more=(1, 0))


def transpose_cases():
    yield transpose_case("strided", **STRIDED)
    yield transpose_case("last_spatial_in_out", images=LAST, filters="spatial_in_out", **STRIDED)
    yield transpose_case("last_out_spatial_in", images=LAST, filters="out_spatial_in", **STRIDED)
    yield transpose_case("first_to_last", images=("channels_first", "channels_last"), **STRIDED)
    yield transpose_case("last_to_first", images=("channels_last", "channels_first"), **STRIDED)
    yield transpose_case("grouped", channels=6, outputs=4, groups=2, **STRIDED)
    yield transpose_case("grouped_last", channels=6, outputs=9, groups=3, images=LAST, filters="spatial_in_out", **STRIDED)
    yield transpose_case("depthwise", channels=5, outputs=5, groups=5, **STRIDED)
    yield transpose_case("depthwise_last", channels=5, outputs=5, groups=5, images=LAST, filters="spatial_in_out", **STRIDED)
    yield transpose_case("one_dimension", size=(7,), kernel=(4,), strides=(2,), low=(1,), high=(1,))
    yield transpose_case("three_dimensions", size=(3, 2, 4), kernel=(2, 3, 2), strides=(2, 2, 1), low=(0, 1, 0),
                         more=(1, 0, 0), channels=2, outputs=3)
    yield transpose_case("bytes_to_words", elements=("i8", "i32"), **STRIDED)
    yield transpose_case("stride_of_one", kernel=(3, 2), low=(1, 0), high=(0, 1))
    yield transpose_case("pads_beyond_the_filter", size=(5, 5), kernel=(2, 2), strides=(3, 3), low=(2, 4), high=(4, 2))
    yield transpose_case("gaps", kernel=(1, 2), strides=(2, 4), more=(1, 2))
    yield transpose_case("dilation_shares_the_stride", size=(3, 4), kernel=(3, 2), strides=(4, 2), dilations=(2, 4), low=(1, 1))
    yield transpose_case("one_element", size=(1, 1), kernel=(2, 3), strides=(3, 2), low=(0, 1))
    yield transpose_case("one_result", size=(1, 1), kernel=(2, 3), strides=(2, 2), low=(1, 1), high=(0, 1))
    yield transpose_case("much_output_padding", strides=(2, 2), more=(5, 7))
    yield transpose_case(
        "bias_residual_relu",
        epilogue="""epilogue(%acc: f32, %b1 = %b[1] : tensor<4xf32>, %r1 = %r[0, 1, 2, 3] : RESULT) {
    %s = arith.addf %acc, %b1 : f32
    %t = arith.addf %s, %r1 : f32
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %t, %zero : f32
    fusion.yield %m : f32
  }""",
        extra=lambda y: {"b": Array("o", y.sizes, 5), "r": Array(y.dims, y.sizes, 2, 13)}, finish=bias_residual_relu,
        **dict(STRIDED, kernel=(1, 2)))
    yield transpose_case(
        "init_is_read",
        epilogue="""epilogue(%acc: f32, init %d: f32) {
    %two = arith.constant 2.0 : f32
    %s = arith.mulf %acc, %two : f32
    %t = arith.addf %s, %d : f32
    fusion.yield %t : f32
  }""",
        extra=lambda y: {"r": Array(y.dims, y.sizes, 2, 13)}, finish=residual_in_place, init="r",
        **dict(STRIDED, kernel=(1, 2)))


def matmul_case(name, m=3, n=5, k=7, batch=(), lhs_batch=None, rhs_batch=None, transpose=(), block=None):
    lhs_batch, rhs_batch = batch if lhs_batch is None else lhs_batch, batch if rhs_batch is None else rhs_batch
    names = "ABC"[:len(batch)]

    def operand(own, matrix, seed, modulus):
        dims = names[len(batch) - len(own):] + matrix
        return Array(dims, dict(zip(dims, own), m=m, n=n, k=k), seed, modulus)
    x = operand(lhs_batch, "km" if "transpose_lhs" in transpose else "mk", 3, 11)
    w = operand(rhs_batch, "nk" if "transpose_rhs" in transpose else "kn", 1, 7)
    y = Array(names + "mn", dict(zip(names, batch), m=m, n=n))

    def clip(array, at):  # a batch dim of one element is read at 0
        return {dim: min(position, array.sizes[dim] - 1) if dim in "ABC" and dim in array.sizes else position
                for dim, position in at.items()}
    for at in y.positions():
        y[at] = sum(x[dict(clip(x, at), k=i)] * w[dict(clip(w, at), k=i)] for i in range(k))
    if block:
        packed = Array("pkb", dict(p=-(-n // block), k=k, b=block))
        for at in packed.positions():
            column = at["p"] * block + at["b"]
            packed[at] = w[dict(k=at["k"], n=column)] if column < n else 0
        w = packed
    attributes = list(transpose) + (["rhs_layout = packed"] if block else [])
    text = (f"  %y = fusion.matmul ins(%x, %w : {x.type}, {w.type}) outs(%e : {y.type}) "
            f"{{{', '.join(attributes)}}} -> {y.type}")
    return Case(name, {"x": x, "w": w}, text, y)


def matmul_cases():
    yield matmul_case("plain")
    yield matmul_case("row", m=1)
    yield matmul_case("transposed_lhs", transpose=["transpose_lhs"])
    yield matmul_case("transposed_rhs", transpose=["transpose_rhs"])
    yield matmul_case("transposed", transpose=["transpose_lhs", "transpose_rhs"])
    yield matmul_case("packed", block=2)
    yield matmul_case("packed_batch", batch=(2,), rhs_batch=(), block=4)
    yield matmul_case("batch", batch=(2, 3))
    yield matmul_case("batch_missing", batch=(2, 3), rhs_batch=(), transpose=["transpose_rhs"])
    yield matmul_case("batch_of_one", batch=(2, 3), lhs_batch=(2, 1), rhs_batch=(1, 3))
    yield matmul_case("batch_missing_in_lhs", batch=(2, 3), lhs_batch=(3,))


def pool_case(name, kind, batch=2, channels=3, size=(6, 5), window=(3, 2), strides=(1, 1), dilations=(1, 1),
              low=(0, 0), high=(0, 0), layout="channels_first", counted=False, element="f32"):
    names = SPATIAL[:len(size)]
    x = Array(IMAGE[layout].format(s=names, c="o"), dict(zip(names, size), n=batch, o=channels), 3, 11, element)
    if kind == "max":  # an image of negative numbers shows a border of zeros
        x.values = [value - 7 for value in x.values]
    y_sizes = dict(zip(names, map(output_size, size, window, strides, dilations, low, high)), n=batch, o=channels)
    y = Array(x.dims, y_sizes, element=element)
    for at in y.positions():
        seen = []
        for tap in itertools.product(*(range(extent) for extent in window)):
            image = locate(names, x.sizes, strides, dilations, low, at, tap)
            if image is not None:
                seen.append(x[dict(at, **image)])
        lowest = float("-inf") if element == "f32" else -128
        of_unsigned = lambda value: value % 256
        y[at] = {"max": lambda: max(seen, default=lowest), "sum": lambda: sum(seen), "min": lambda: min(seen),
                 "max_unsigned": lambda: max(seen, key=of_unsigned, default=0),
                 "min_unsigned": lambda: min(seen, key=of_unsigned, default=-1),
                 "average": lambda: sum(seen) / (product(window) if counted else len(seen))}[kind]()
    lists = [f"{key} = [{', '.join(map(str, value))}]" for key, value in
             (("window", window), ("strides", strides), ("dilations", dilations), ("pad_low", low), ("pad_high", high))]
    attributes = lists + [f"layout = {layout}"] + (["count_include_pad"] if counted else [])
    text = (f"  %y = fusion.pool {kind} ins(%x : {x.type}) outs(%e : {y.type}) "
            f"{{{', '.join(attributes)}}} -> {y.type}")
    return Case(name, {"x": x}, text, y)


def pool_cases():
    uneven = dict(strides=(2, 1), dilations=(1, 2), low=(2, 1), high=(0, 1))
    for layout in IMAGE:
        for kind in ("max", "sum", "average"):
            yield pool_case(f"{kind}_{layout}", kind, layout=layout, **uneven)
        yield pool_case(f"counted_{layout}", "average", layout=layout, counted=True, **uneven)
        yield pool_case(f"min_{layout}", "min", layout=layout, **uneven)
        for kind in ("max", "min"):
            yield pool_case(f"{kind}_unsigned_{layout}", f"{kind}_unsigned", layout=layout, element="i8", **uneven)
    yield pool_case("max_of_padding_only", "max", window=(2, 2), low=(2, 2), high=(2, 2), strides=(2, 2))
    yield pool_case("max_of_bytes", "max", element="i8", low=(1, 1), high=(1, 0))
    yield pool_case("global", "average", window=(6, 5))
    yield pool_case("average_of_ints", "sum", element="i32", window=(2, 2))


FILL = """  %zero{id} = arith.constant {zero} : {element}
  %i{id} = linalg.fill ins(%zero{id} : {element}) outs(%{empty} : {type}) -> {type}
"""


def raised_case(name, op, x_dims, w_dims, y_dims, sizes, kernel, groups, text, extra=None, finish=None):
    """A named linalg convolution; the loops see it with groups and channels merged."""
    strides, dilations = (2, 1), (1, 2)
    low, high = (2, 1), (0, 3)
    spatial = dict(h=sizes["h"], v=sizes["v"])
    out = dict(zip("hv", map(output_size, spatial.values(), kernel, strides, dilations, low, high)))
    x = Array(x_dims, dict(spatial, n=sizes["n"], i=sizes["i"]), 3, 11)
    w = Array(w_dims, dict(x=kernel[0], y=kernel[1], o=sizes["o"], c=sizes["i"] // groups), 1, 7)
    y = Array(y_dims, dict(out, n=sizes["n"], o=sizes["o"]))
    convolve(x, w, y, groups, strides, dilations, low, 2)
    arrays = {"x": x, "w": w}
    if extra:
        arrays.update(extra(y))
    if finish:
        finish(arrays, y)
    pads = [("low", low), ("high", high)]
    at = {dim: i for i, dim in enumerate("hv")}
    padding = " ".join(f"{key}[{', '.join(str(pad[at[dim]]) if dim in at else '0' for dim in x_dims)}]"
                       for key, pad in pads)
    padded = [size + (low[at[dim]] + high[at[dim]] if dim in at else 0) for dim, size in zip(x_dims, x.shape)]
    padded_type = f"tensor<{''.join(f'{size}x' for size in padded)}f32>"
    prologue = f"""  %border = arith.constant 0.0 : f32
  %p = tensor.pad %x {padding} {{
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %border : f32
  }} : {x.type} to {padded_type}
"""
    windows = "dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>"
    return Case(name, arrays, prologue + text(x, padded, w, y, f"linalg.{op} {{{windows}}}"), y)


def plain(x, padded, w, y, op):
    shape = "x".join(map(str, padded))
    return FILL.format(id="", zero="0.0", element="f32", empty="e", type=y.type) + \
        f"  %y = {op} ins(%p, %w : tensor<{shape}xf32>, {w.type}) outs(%i : {y.type}) -> {y.type}"


def with_bias(x, padded, w, y, op):
    shape = "x".join(map(str, padded))
    others = [i for i, dim in enumerate(y.dims) if dim != "o"]
    return f"  %i = linalg.broadcast ins(%b : tensor<{y.sizes['o']}xf32>) outs(%e : {y.type}) dimensions = {others}\n" + \
        f"  %y = {op} ins(%p, %w : tensor<{shape}xf32>, {w.type}) outs(%i : {y.type}) -> {y.type}"


def reshaped(values, source, shape, groups):
    """`values` with dims split to `shape`, as an expand_shape."""
    target = f"tensor<{'x'.join(map(str, shape))}xf32>"
    return target, (f"tensor.expand_shape %{values} {groups} output_shape [{', '.join(map(str, shape))}] : "
                    f"{source} into {target}")


def depthwise(x, padded, w, y, op):
    """The filter loses its dim of one element."""
    shape = "x".join(map(str, padded))
    groups, flat = ("[[0, 1], [2], [3]]", [w.shape[0], *w.shape[2:]]) if w.dims == "ocxy" else \
        ("[[0], [1], [2, 3]]", [*w.shape[:2], w.shape[3]])
    flat_type = f"tensor<{'x'.join(map(str, flat))}xf32>"
    return FILL.format(id="", zero="0.0", element="f32", empty="e", type=y.type) + \
        f"  %w3 = tensor.collapse_shape %w {groups} : {w.type} into {flat_type}\n" + \
        f"  %y = {op} ins(%p, %w3 : tensor<{shape}xf32>, {flat_type}) outs(%i : {y.type}) -> {y.type}"


def multiplier(x, padded, w, y, op):
    """[KH, KW, 1, C * M] as [KH, KW, C, M]; the result [N, H, W, C, M] is merged."""
    shape = "x".join(map(str, padded))
    channels, outputs = x.sizes["i"], y.sizes["o"]
    flat = [*w.shape[:2], outputs]
    flat_type = f"tensor<{'x'.join(map(str, flat))}xf32>"
    split, expand = reshaped("w3", flat_type, [*flat[:2], channels, outputs // channels], "[[0], [1], [2, 3]]")
    result = f"tensor<{'x'.join(map(str, [*y.shape[:3], channels, outputs // channels]))}xf32>"
    return f"  %w3 = tensor.collapse_shape %w [[0], [1], [2, 3]] : {w.type} into {flat_type}\n  %w4 = {expand}\n" \
        f"  %e5 = tensor.empty() : {result}\n" + \
        FILL.format(id="", zero="0.0", element="f32", empty="e5", type=result) + \
        f"  %y5 = {op} ins(%p, %w4 : tensor<{shape}xf32>, {split}) outs(%i : {result}) -> {result}\n" + \
        f"  %y = tensor.collapse_shape %y5 [[0], [1], [2], [3, 4]] : {result} into {y.type}"


def grouped(filter_groups_inside=False, bias=False):
    def text(x, padded, w, y, op):
        first = x.dims[1] == "i"
        groups = x.sizes["i"] // w.sizes["c"]

        def split(shape):
            shape, dim = list(shape), 1 if first else 3
            return shape[:dim] + [groups, shape[dim] // groups] + shape[dim + 1:]
        images = "[[0], [1, 2], [3], [4]]" if first else "[[0], [1], [2], [3, 4]]"
        padded_type = f"tensor<{'x'.join(map(str, padded))}xf32>"
        x5, x_text = reshaped("p", padded_type, split(padded), images)
        w5, w_text = reshaped("w", w.type, [groups, w.shape[0] // groups, *w.shape[1:]], "[[0, 1], [2], [3], [4]]")
        i5, i_text = reshaped("i4", y.type, split(y.shape), images)
        lines = [f"  %x5 = {x_text}", f"  %w5 = {w_text}"]
        if bias:
            others = [i for i, dim in enumerate(y.dims) if dim != "o"]
            lines.append(f"  %i4 = linalg.broadcast ins(%b : tensor<{y.sizes['o']}xf32>) outs(%e : {y.type}) "
                         f"dimensions = {others}")
        else:
            lines.append(FILL.format(id="4", zero="0.0", element="f32", empty="e", type=y.type))
        lines.append(f"  %i5 = {i_text}")
        filter_name = "%w5"
        if filter_groups_inside:
            shape = [groups, w.shape[0] // groups, *w.shape[1:]]
            shape[:2] = shape[1::-1]
            swapped = f"tensor<{'x'.join(map(str, shape))}xf32>"
            lines.append(f"  %we = tensor.empty() : {swapped}")
            lines.append(f"  %ws = linalg.transpose ins(%w5 : {w5}) outs(%we : {swapped}) permutation = [1, 0, 2, 3, 4]")
            filter_name, w5 = "%ws", swapped
        lines.append(f"  %y5 = {op} ins(%x5, {filter_name} : {x5}, {w5}) outs(%i5 : {i5}) -> {i5}")
        lines.append(f"  %y = tensor.collapse_shape %y5 {images} : {i5} into {y.type}")
        return "\n".join(lines)
    return text


def add_bias(arrays, y):
    for at in y.positions():
        y[at] += arrays["b"][at]


def raise_cases():
    sizes = dict(n=2, i=3, o=4, h=8, v=9)
    split = dict(sizes, i=6, o=4)
    each = dict(sizes, i=5, o=5)
    bias = dict(extra=lambda y: {"b": Array("o", y.sizes, 5)}, finish=add_bias)
    first, last = ("nihv", "nohv"), ("nhvi", "nhvo")
    for name, op, images, filters, at, groups, text, more in (
            ("nchw_fchw", "conv_2d_nchw_fchw", first, "ocxy", sizes, 1, plain, {}),
            ("nhwc_hwcf", "conv_2d_nhwc_hwcf", last, "xyco", sizes, 1, plain, {}),
            ("nhwc_fhwc", "conv_2d_nhwc_fhwc", last, "oxyc", sizes, 1, plain, {}),
            ("nchw_fchw_bias", "conv_2d_nchw_fchw", first, "ocxy", sizes, 1, with_bias, bias),
            ("nhwc_hwcf_bias", "conv_2d_nhwc_hwcf", last, "xyco", sizes, 1, with_bias, bias),
            ("nchw_chw", "depthwise_conv_2d_nchw_chw", first, "ocxy", each, 5, depthwise, {}),
            ("nhwc_hwc", "depthwise_conv_2d_nhwc_hwc", last, "xyco", each, 5, depthwise, {}),
            ("nhwc_hwcm", "depthwise_conv_2d_nhwc_hwcm", last, "xyco", dict(sizes, i=3, o=6), 3, multiplier, {}),
            ("ngchw_gfchw", "conv_2d_ngchw_gfchw", first, "ocxy", split, 2, grouped(), {}),
            ("ngchw_gfchw_bias", "conv_2d_ngchw_gfchw", first, "ocxy", split, 2, grouped(bias=True), bias),
            ("ngchw_fgchw", "conv_2d_ngchw_fgchw", first, "ocxy", split, 2, grouped(filter_groups_inside=True), {}),
            ("nhwgc_gfhwc", "conv_2d_nhwgc_gfhwc", last, "oxyc", split, 2, grouped(), {})):
        yield raised_case(name, op, images[0], filters, images[1], at, (3, 2), groups, text, **more)
    yield from raise_matmul_cases()


def raise_matmul_cases():
    for name, maps, x_dims, w_dims, y_dims in (
            ("matmul", "", "mk", "kn", "mn"),
            ("matmul_transposed", "(k, m) (n, k) (m, n)", "km", "nk", "mn"),
            ("matmul_transposed_result", "(m, k) (k, n) (n, m)", "mk", "kn", "nm")):
        sizes = dict(m=3, n=5, k=7)
        x, w, y = Array(x_dims, sizes, 3), Array(w_dims, sizes, 1, 7), Array(y_dims, sizes)
        for at in y.positions():
            y[at] = sum(x[dict(at, k=i)] * w[dict(at, k=i)] for i in range(7))
        if maps:
            parts = maps.replace(") (", ")|(").split("|")
            maps = f"indexing_maps = [{', '.join(f'affine_map<(m, n, k) -> {part}>' for part in parts)}] "
        text = FILL.format(id="", zero="0.0", element="f32", empty="e", type=y.type) + \
            f"  %y = linalg.matmul {maps}ins(%x, %w : {x.type}, {w.type}) outs(%i : {y.type}) -> {y.type}"
        yield Case(name, {"x": x, "w": w}, text, y)
    sizes = dict(B=6, m=3, n=5, k=7)
    x, w, y = Array("Bmk", sizes, 3), Array("nk", sizes, 1, 7), Array("Bmn", sizes)
    for at in y.positions():
        y[at] = sum(x[dict(at, k=i)] * w[dict(at, k=i)] for i in range(7))
    text = FILL.format(id="", zero="0.0", element="f32", empty="e", type=y.type) + f"""  %te = tensor.empty() : tensor<7x5xf32>
  %t = linalg.transpose ins(%w : {w.type}) outs(%te : tensor<7x5xf32>) permutation = [1, 0]
  %be = tensor.empty() : tensor<2x3x7x5xf32>
  %b = linalg.broadcast ins(%t : tensor<7x5xf32>) outs(%be : tensor<2x3x7x5xf32>) dimensions = [0, 1]
  %c = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x3x7x5xf32> into tensor<6x7x5xf32>
  %y = linalg.batch_matmul ins(%x, %c : {x.type}, tensor<6x7x5xf32>) outs(%i : {y.type}) -> {y.type}"""
    yield Case("batch_matmul_repeated_weight", {"x": x, "w": w}, text, y)


GROUPS = {"conv": conv_cases, "conv-transpose": transpose_cases, "matmul": matmul_cases, "pool": pool_cases, "raise": raise_cases}


def write_model(cases, folder):
    """The cases as one model, whose inputs are their %x and whose results are their %y: model.mlir, the arrays, and the
    arguments that a run of it takes."""
    import numpy as np
    types = {"f32": np.float32, "i8": np.int8, "i32": np.int32}
    arguments, functions, calls = [], [], []
    for i, case in enumerate(cases):
        x, y = case.arrays["x"], case.want
        for option, array, name in (("--input", x, f"in{i}.npy"), ("--expect", y, f"out{i}.npy")):
            np.save(f"{folder}/{name}", np.array(array.values, types[array.element]).reshape(array.shape))
            arguments += [option, f"{folder}/{name}"]
        constants = "\n".join(f"  %{name} = arith.constant {array.constant()}"
                              for name, array in case.arrays.items() if name != "x")
        functions.append(f"func.func private @{case.name}(%x: {x.type}) -> {y.type} {{\n{constants}\n"
                         f"  %e = tensor.empty() : {y.type}\n{case.text}\n  return %y : {y.type}\n}}\n")
        calls.append(f"  %y{i} = func.call @{case.name}(%x{i}) : ({x.type}) -> {y.type}\n")
    inputs = ", ".join(f"%x{i}: {case.arrays['x'].type}" for i, case in enumerate(cases))
    results = ", ".join(case.want.type for case in cases)
    values = ", ".join(f"%y{i}" for i in range(len(cases)))
    with open(f"{folder}/model.mlir", "w") as model:
        model.write("".join(functions) + f"func.func @main({inputs}) -> ({results}) {{\n{''.join(calls)}"
                    f"  return {values} : {results}\n}}\n")
    with open(f"{folder}/arguments", "w") as file:
        file.write(" ".join(arguments))


def print_module(cases):
    for case in cases:
        print(case.function())
    calls = "\n".join(f"  func.call @{case.name}() : () -> ()" for case in cases)
    print(f"func.func @main() {{\n{calls}\n  vector.print str \"{len(cases)} cases\\n\"\n  return\n}}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write_model(list(GROUPS[sys.argv[1]]()), sys.argv[2])
    else:
        print_module(list(GROUPS[sys.argv[1]]()))
