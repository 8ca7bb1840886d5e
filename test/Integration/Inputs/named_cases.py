#!/usr/bin/env python3
"""Writes a module that computes linalg's convolutions, pools and products and compares them with plain loops.

usage: named_cases.py conv|quantized|pool|product|average [--generic]
       named_cases.py random_conv|random_pool|random_product

Every named op of MLIR 22.1 is written once, by what its operands index: `h+x` is a window, x its step. With --generic
the same maps and the same body stand in a linalg.generic. The expected numbers are computed here, from the maps, by
loops that know nothing of the library. The random groups are generics whose roles, orders and sizes are drawn, the same
ones each time; the averages are sums divided by counts as importers compute them. @main prints "PASS name" or "FAIL name" for each case.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import random
import sys

from root_cases import Array, Case, scalar

# Sizes by loop; a window's step has a size of its own in each dim. Nothing divides anything.
SIZES = dict(n=2, c=3, f=5, g=2, m=3, h=3, w=4, d=2, x=3, y=2, z=2, b=2, k=7, j=5, p=3, q=2, r=2)
STRIDE = dict(h=2, w=1, d=1)
DILATION = dict(x=1, y=3, z=1)

CONV = """
conv_1d: h+x | x | h
conv_2d: h+x w+y | x y | h w
conv_3d: h+x w+y d+z | x y z | h w d
conv_1d_nwc_wcf: n h+x c | x c f | n h f
conv_1d_ncw_fcw: n c h+x | f c x | n f h
conv_2d_nhwc_hwcf: n h+x w+y c | x y c f | n h w f
conv_2d_nhwc_fhwc: n h+x w+y c | f x y c | n h w f
conv_2d_nchw_fchw: n c h+x w+y | f c x y | n f h w
conv_2d_ngchw_fgchw: n g c h+x w+y | f g c x y | n g f h w
conv_2d_ngchw_gfchw: n g c h+x w+y | g f c x y | n g f h w
conv_2d_nhwgc_gfhwc: n h+x w+y g c | g f x y c | n h w g f
conv_3d_ndhwc_dhwcf: n h+x w+y d+z c | x y z c f | n h w d f
conv_3d_ncdhw_fcdhw: n c h+x w+y d+z | f c x y z | n f h w d
depthwise_conv_1d_nwc_wc: n h+x c | x c | n h c
depthwise_conv_1d_ncw_cw: n c h+x | c x | n c h
depthwise_conv_1d_nwc_wcm: n h+x c | x c m | n h c m
depthwise_conv_2d_nhwc_hwc: n h+x w+y c | x y c | n h w c
depthwise_conv_2d_nchw_chw: n c h+x w+y | c x y | n c h w
depthwise_conv_2d_nhwc_hwcm: n h+x w+y c | x y c m | n h w c m
depthwise_conv_3d_ndhwc_dhwc: n h+x w+y d+z c | x y z c | n h w d c
depthwise_conv_3d_ncdhw_cdhw: n c h+x w+y d+z | c x y z | n c h w d
depthwise_conv_3d_ndhwc_dhwcm: n h+x w+y d+z c | x y z c m | n h w d c m
"""

# What no named op is: other orders, several dims in one role, windows in one dim only.
OTHER_CONV = """
rows_and_columns_swapped: n c w+y h+x | f c x y | n f h w
channels_in_the_middle: n h+x c w+y | x f y c | n h f w
filter_first: h+x w+y c n | c f x y | f h w n
two_batches: n b h+x c | x c f | n b h f
two_channels: n c k h+x | f c k x | n f h
window_in_one_dim: n c h w+y | f c y | n f h w
stride_without_window: n h+ c | c f | n h f
two_groups: n g b h+x c | g b f x c | n g b h f
"""

QUANTIZED = """
conv_2d_nhwc_hwcf_q: n h+x w+y c | x y c f | n h w f
conv_2d_nhwc_fhwc_q: n h+x w+y c | f x y c | n h w f
conv_2d_nchw_fchw_q: n c h+x w+y | f c x y | n f h w
conv_2d_nhwgc_gfhwc_q: n h+x w+y g c | g f x y c | n h w g f
conv_2d_ngchw_gfchw_q: n g c h+x w+y | g f c x y | n g f h w
conv_3d_ndhwc_dhwcf_q: n h+x w+y d+z c | x y z c f | n h w d f
depthwise_conv_2d_nhwc_hwc_q: n h+x w+y c | x y c | n h w c
depthwise_conv_2d_nhwc_hwcm_q: n h+x w+y c | x y c m | n h w c m
quantized_matmul: p k | k j | p j
quantized_batch_matmul: b p k | b k j | b p j
"""

POOL = """
pooling_nhwc_sum: n h+x w+y c | x y | n h w c
pooling_nchw_sum: n c h+x w+y | x y | n c h w
pooling_nhwc_max: n h+x w+y c | x y | n h w c
pooling_nhwc_max_unsigned: n h+x w+y c | x y | n h w c
pooling_nchw_max: n c h+x w+y | x y | n c h w
pooling_nhwc_min: n h+x w+y c | x y | n h w c
pooling_nhwc_min_unsigned: n h+x w+y c | x y | n h w c
pooling_nwc_sum: n h+x c | x | n h c
pooling_ncw_sum: n c h+x | x | n c h
pooling_nwc_max: n h+x c | x | n h c
pooling_nwc_max_unsigned: n h+x c | x | n h c
pooling_ncw_max: n c h+x | x | n c h
pooling_nwc_min: n h+x c | x | n h c
pooling_nwc_min_unsigned: n h+x c | x | n h c
pooling_ndhwc_sum: n h+x w+y d+z c | x y z | n h w d c
pooling_ndhwc_max: n h+x w+y d+z c | x y z | n h w d c
pooling_ndhwc_min: n h+x w+y d+z c | x y z | n h w d c
"""

OTHER_POOL = """
image_alone_max: h+x w+y | x y | h w
three_batches_sum: n b g h+x | x | n b g h
image_transposed_min: c w+y n h+x | x y | n c h w
"""

PRODUCT = """
matvec: p k | k | p
vecmat: k | k p | p
batch_matvec: b p k | b k | b p
batch_vecmat: b k | b k p | b p
dot: k | k | 
matmul: p k | k j | p j
batch_matmul: b p k | b k j | b p j
batch_reduce_matmul: b p k | b k j | p j
mmt4d: p k q r | j k m r | p j q m
batch_mmt4d: b p k q r | b j k m r | b p j q m
"""

OTHER_PRODUCT = """
transposed_result: k p | k j | j p
heads: b p h k | b j h k | b h p j
two_columns: b p k | k j q | b p j q
two_sums: p k r | r j k | p j
batch_behind: p b k | b k j | p j b
weight_of_all_batches: b n p k | j k | b n p j
pointwise: n k h w | p k | n p h w
rows_around_columns: p k q | k j | p j q
"""


def parse(text):
    for line in text.strip("\n").splitlines():
        name, maps = line.split(":")
        yield name, [part.split() for part in maps.split("|")]


def loops_of(maps):
    letters = []
    for part in maps:
        for token in part:
            for letter in token.split("+"):
                if letter and letter not in letters:
                    letters.append(letter)
    return letters


class Op:
    """One op of the tables; with_attributes: whether it has strides and dilations."""

    def __init__(self, name, maps, with_attributes):
        self.name, self.maps = name, maps
        self.window = with_attributes
        self.loops = loops_of(maps)
        self.reductions = [loop for loop in self.loops if loop not in maps[-1]]

    def stride(self, loop):
        return STRIDE.get(loop, 1) if self.window else 1

    def dilation(self, loop):
        return DILATION.get(loop, 1) if self.window else 1

    def place(self, token, at):
        position, *step = [part for part in token.split("+")]
        if "+" not in token:
            return at[token]
        return at[position] * self.stride(position) + (at[step[0]] * self.dilation(step[0]) if step[0] else 0)

    def size(self, token):
        """Of a window's dim, one element more than is read where the stride allows it."""
        if "+" not in token:
            return SIZES[token]
        position, step = token.split("+")
        return self.place(token, {loop: SIZES[loop] - 1 for loop in (position, step) if loop}) + \
            self.stride(position)

    def array(self, tokens, *rest, **more):
        return Array(tokens, {token: self.size(token) for token in tokens}, *rest, **more)

    def expr(self, token):
        if "+" not in token:
            return token
        position, step = token.split("+")
        text = f"{position} * {self.stride(position)}"
        return f"{text} + {step} * {self.dilation(step)}" if step else text

    def map(self, tokens):
        return f"affine_map<({', '.join(self.loops)}) -> ({', '.join(map(self.expr, tokens))})>"

    def attributes(self):
        steps = [token.split("+") for token in self.maps[0] if "+" in token]
        if not self.window or not steps:
            return ""
        rank = len(steps)

        def dense(values):
            return f"dense<[{', '.join(map(str, values))}]> : vector<{rank}xi64>"
        return (f" {{dilations = {dense([self.dilation(step) for _, step in steps])}, "
                f"strides = {dense([self.stride(position) for position, _ in steps])}}}")

    def positions(self):
        for position in itertools.product(*(range(SIZES[loop]) for loop in self.loops)):
            yield dict(zip(self.loops, position))

    def read(self, array, tokens, at):
        index = 0
        for token, size in zip(tokens, array.shape):
            index = index * size + self.place(token, at)
        return index

    def generic(self, operands, types, y, body):
        maps = ", ".join([self.map(part) for part in self.maps[:len(operands)]] + [self.map(self.maps[-1])])
        iterators = ", ".join(f'"{"reduction" if loop in self.reductions else "parallel"}"' for loop in self.loops)
        return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
                f"ins({', '.join(operands)} : {', '.join(types)}) outs(%i : {y.type}) {{\n{body}  }} -> {y.type}")

    def named(self, operands, types, y):
        if self.name == "contract":
            maps = ", ".join(map(self.map, self.maps))
            return (f"linalg.contract indexing_maps = [{maps}] ins({', '.join(operands)} : {', '.join(types)}) "
                    f"outs(%i : {y.type}) -> {y.type}")
        return (f"linalg.{self.name}{self.attributes()} ins({', '.join(operands)} : {', '.join(types)}) "
                f"outs(%i : {y.type}) -> {y.type}")


def filled(y, value):
    return f"""  %fill = arith.constant {value} : {y.element}
  %i = linalg.fill ins(%fill : {y.element}) outs(%e : {y.type}) -> {y.type}
"""


def multiply_add(element, result):
    if element == "f32":
        return """  ^bb0(%a: f32, %b: f32, %acc: f32):
    %product = arith.mulf %b, %a : f32
    %sum = arith.addf %product, %acc : f32
    linalg.yield %sum : f32
"""
    return f"""  ^bb0(%a: {element}, %b: {element}, %acc: {result}):
    %a32 = arith.extsi %a : {element} to {result}
    %b32 = arith.extsi %b : {element} to {result}
    %product = arith.muli %a32, %b32 : {result}
    %sum = arith.addi %acc, %product : {result}
    linalg.yield %sum : {result}
"""


def product_case(name, op, generic, elements=("f32", "f32")):
    x = op.array(op.maps[0], 3, 11, elements[0])
    w = op.array(op.maps[1], 1, 7, elements[0])
    y = op.array(op.maps[2], element=elements[1])
    y.values = [0] * len(y.values)
    for at in op.positions():
        y.values[op.read(y, op.maps[2], at)] += \
            x.values[op.read(x, op.maps[0], at)] * w.values[op.read(w, op.maps[1], at)]
    operands, types = ["%x", "%w"], [x.type, w.type]
    text = op.generic(operands, types, y, multiply_add(*elements)) if generic else op.named(operands, types, y)
    return Case(name, {"x": x, "w": w}, filled(y, scalar(0, elements[1])) + f"  %y = {text}", y)


def conv_cases(generic):
    for name, maps in parse(CONV):
        op = Op(name, maps, with_attributes=len(name) > len("conv_1d"))
        yield product_case(name, op, generic)
    yield product_case("bytes", Op("conv_2d_nhwc_hwcf", dict(parse(CONV))["conv_2d_nhwc_hwcf"], True), generic,
                       ("i8", "i32"))
    if generic:
        for name, maps in parse(OTHER_CONV):
            yield product_case(name, Op(name, maps, True), generic)


def product_cases(generic):
    for name, maps in parse(PRODUCT):
        yield product_case(name, Op(name, maps, False), generic)
    yield product_case("matvec_of_bytes", Op("matvec", dict(parse(PRODUCT))["matvec"], False), generic, ("i8", "i32"))
    for name, maps in parse(OTHER_PRODUCT):
        yield product_case(name, Op("contract", maps, False), generic)


# Zero points of the input and of the weights; None is one that is no constant.
ZERO_POINTS = ((0, 0), (-3, 0), (5, 0), (0, 4), (-128, 7), (None, None))


def quantized_case(name, op, generic, zx, zw):
    at_run_time = zx is None
    zx, zw = (3, -2) if at_run_time else (zx, zw)
    x = op.array(op.maps[0], 3, 251, "i8")
    w = op.array(op.maps[1], 1, 13, "i8")
    y = op.array(op.maps[2], element="i32")
    y.values = [9] * len(y.values)  # what the init holds is added
    # The border of the image is the zero point.
    low = [1 if "+" in token else 0 for token in op.maps[0]]
    source = Array(op.maps[0], {token: size - edge for token, size, edge in zip(op.maps[0], x.shape, low)}, 3, 251, "i8")
    for at in itertools.product(*(range(size) for size in x.shape)):
        inside = [place - edge for place, edge in zip(at, low)]
        position = dict(zip(op.maps[0], inside))
        x[dict(zip(op.maps[0], at))] = zx if min(inside) < 0 else source[position]
    for at in op.positions():
        y.values[op.read(y, op.maps[2], at)] += (x.values[op.read(x, op.maps[0], at)] - zx) * \
            (w.values[op.read(w, op.maps[1], at)] - zw)
    arrays = {"s": source, "w": w}
    if at_run_time:
        text = f"""  %tx = arith.constant dense<{zx}> : tensor<1xi32>
  %tw = arith.constant dense<{zw}> : tensor<1xi32>
  %zero_at = arith.constant 0 : index
  %shown = call @identity(%tx) : (tensor<1xi32>) -> tensor<1xi32>
  %shown_w = call @identity(%tw) : (tensor<1xi32>) -> tensor<1xi32>
  %zx = tensor.extract %shown[%zero_at] : tensor<1xi32>
  %zw = tensor.extract %shown_w[%zero_at] : tensor<1xi32>
"""
    else:
        text = f"  %zx = arith.constant {zx} : i32\n  %zw = arith.constant {zw} : i32\n"
    if any(low):
        text += f"""  %zx8 = arith.constant {zx} : i8
  %x = tensor.pad %s low[{', '.join(map(str, low))}] high[{', '.join('0' for _ in low)}] {{
  ^bb0({', '.join(f'%a{i}: index' for i in range(len(low)))}):
    tensor.yield %zx8 : i8
  }} : {source.type} to {x.type}
"""
    else:
        arrays = {"x": source, "w": w}
    text += filled(y, 9)
    if generic:
        body = """  ^bb0(%a: i8, %b: i8, %acc: i32):
    %a32 = arith.extsi %a : i8 to i32
    %b32 = arith.extsi %b : i8 to i32
    %a0 = arith.subi %a32, %zx : i32
    %b0 = arith.subi %b32, %zw : i32
    %product = arith.muli %a0, %b0 : i32
    %sum = arith.addi %acc, %product : i32
    linalg.yield %sum : i32
"""
        value = op.generic(["%x", "%w"], [x.type, w.type], y, body)
    else:
        value = op.named(["%x", "%w", "%zx", "%zw"], [x.type, w.type, "i32", "i32"], y)
    return Case(name, arrays, text + f"  %y = {value}", y)


def quantized_cases(generic):
    for name, maps in parse(QUANTIZED):
        op = Op(name, maps, with_attributes="conv" in name)
        for index, (zx, zw) in enumerate(ZERO_POINTS):
            yield quantized_case(f"{name}_{index}", op, generic, zx, zw)


def pool_case(name, op, generic):
    unsigned, kind = name.endswith("_unsigned"), name.replace("_unsigned", "").split("_")[-1]
    element = "i8" if unsigned else "f32"
    x = op.array(op.maps[0], 3, 251 if unsigned else 11, element)
    y = op.array(op.maps[2], element=element)
    if kind == "max" and not unsigned:
        x.values = [value - 7 for value in x.values]
    start = {"sum": 0, "max": 0 if unsigned else float("-inf"), "min": 255 if unsigned else float("inf")}[kind]
    y.values = [start] * len(y.values)
    combine = {"sum": lambda a, b: a + b, "max": max, "min": min}[kind]
    for at in op.positions():
        where = op.read(y, op.maps[2], at)
        value = x.values[op.read(x, op.maps[0], at)]
        y.values[where] = combine(y.values[where], value % 256 if unsigned else value)
    if unsigned:  # written as signed numbers
        y.values = [(value + 128) % 256 - 128 for value in y.values]
        start = (start + 128) % 256 - 128
    window = f"tensor<{''.join(f'{SIZES[loop]}x' for loop in op.maps[1])}{element}>"
    text = f"  %k = tensor.empty() : {window}\n" + filled(y, scalar(start, element))
    operands, types = ["%x", "%k"], [x.type, window]
    if generic:
        spelled = {"sum": "addf", "max": "maxui" if unsigned else "maximumf",
                   "min": "minui" if unsigned else "minimumf"}[kind]
        body = f"""  ^bb0(%a: {element}, %b: {element}, %acc: {element}):
    %next = arith.{spelled} %a, %acc : {element}
    linalg.yield %next : {element}
"""
        value = op.generic(operands, types, y, body)
    else:
        value = op.named(operands, types, y)
    return Case(name, {"x": x}, text + f"  %y = {value}", y)


def pool_cases(generic):
    for name, maps in parse(POOL) if not generic else itertools.chain(parse(POOL), parse(OTHER_POOL)):
        yield pool_case(name, Op(name, maps, True), generic)


def draw(family, number):
    """Maps with loops of each role, of few elements, in any order."""
    draws, letters = random.Random(f"{family} {number}"), iter("abcdefghijklmnopqrstuvwxyz")
    x, w, y = [], [], []

    def add(counts, *operands):
        for _ in range(draws.choice(counts)):
            loop = next(letters)
            SIZES[loop] = draws.choice((1, 2, 3, 4))
            for operand in operands:
                operand.append(loop)
    for table in (SIZES, STRIDE, DILATION):
        table.clear()
    add((0, 1, 1, 2), x, y)
    if family == "pool":
        add((0, 1, 1, 2), x, y)
    else:
        add((0, 0, 1, 2), x, w, y)
        add((0, 1, 1, 2), w, y)
        add((1, 2) if family == "product" else (0, 1, 1, 2), x, w)
    for _ in range(0 if family == "product" else draws.choice((1, 1, 2, 3))):
        position, step = next(letters), next(letters)
        SIZES[position], SIZES[step] = draws.choice((1, 2, 3, 4)), draws.choice((1, 2, 3))
        STRIDE[position], DILATION[step] = draws.choice((1, 1, 2, 3)), draws.choice((1, 1, 2))
        x.append(f"{position}+{step}")
        w.append(step)
        y.append(position)
    if draws.random() < 0.7:
        for operand in (x, w, y):
            draws.shuffle(operand)
    return Op("contract", [x, w, y], True)


def random_cases(family):
    for number in range(40):
        op = draw(family, number)
        if family == "pool":
            yield pool_case(f"case_{number}_{('max', 'min', 'sum')[number % 3]}", op, True)
        else:
            yield product_case(f"case_{number}", op, True, ("i8", "i32") if number % 5 == 0 else ("f32", "f32"))


# The count of a window's elements that are no padding, in dim {d} of the result: by the window's ends, and by what sticks
# out on each side.
BY_ENDS = """    %p{d} = linalg.index {d} : index
    %q{d} = arith.index_cast %p{d} : index to i64
    %low{d} = arith.constant {low} : i64
    %size{d} = arith.constant {size} : i64
    %window{d} = arith.constant {window} : i64
    %stride{d} = arith.constant {stride} : i64
    %zero{d} = arith.constant 0 : i64
    %scaled{d} = arith.muli %q{d}, %stride{d} : i64
    %start{d} = arith.subi %scaled{d}, %low{d} : i64
    %end{d} = arith.addi %start{d}, %window{d} : i64
    %from{d} = arith.maxsi %start{d}, %zero{d} : i64
    %to{d} = arith.minsi %end{d}, %size{d} : i64
    %n{d} = arith.subi %to{d}, %from{d} : i64
"""
BY_OVERHANG = """    %p{d} = linalg.index {d} : index
    %low{d} = arith.constant {low} : index
    %size{d} = arith.constant {size} : index
    %window{d} = arith.constant {window} : index
    %stride{d} = arith.constant {stride} : index
    %zero{d} = arith.constant 0 : index
    %one{d} = arith.constant 1 : index
    %scaled{d} = arith.muli %p{d}, %stride{d} : index
    %start{d} = arith.subi %scaled{d}, %low{d} : index
    %before{d} = arith.minsi %start{d}, %zero{d} : index
    %end{d} = arith.addi %start{d}, %window{d} : index
    %rest{d} = arith.subi %size{d}, %end{d} : index
    %behind{d} = arith.minsi %rest{d}, %zero{d} : index
    %some{d} = arith.addi %window{d}, %before{d} : index
    %inside{d} = arith.addi %some{d}, %behind{d} : index
    %least{d} = arith.maxsi %inside{d}, %one{d} : index
    %n{d} = arith.index_cast %least{d} : index to i64
"""


def average_case(name, count, low, high, strides, window=(3, 2), size=(6, 5)):
    out = [(s + a + b - k) // t + 1 for s, a, b, k, t in zip(size, low, high, window, strides)]
    x = Array("nchw", dict(n=2, c=3, h=size[0], w=size[1]), 3, 11)
    y = Array("nchw", dict(n=2, c=3, h=out[0], w=out[1]))
    for at in y.positions():
        seen = [x[dict(at, h=h, w=w)]
                for h in range(at["h"] * strides[0] - low[0], at["h"] * strides[0] - low[0] + window[0])
                for w in range(at["w"] * strides[1] - low[1], at["w"] * strides[1] - low[1] + window[1])
                if 0 <= h < size[0] and 0 <= w < size[1]]
        y[at] = sum(seen) / len(seen)
    padded = f"tensor<2x3x{size[0] + low[0] + high[0]}x{size[1] + low[1] + high[1]}xf32>"
    body = "".join(count.format(d=d + 2, low=low[d], size=size[d], window=window[d], stride=strides[d]) for d in (0, 1))
    identity = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
    text = filled(y, "0.0") + f"""  %p = tensor.pad %x low[0, 0, {low[0]}, {low[1]}] high[0, 0, {high[0]}, {high[1]}] {{
  ^bb0(%a0: index, %a1: index, %a2: index, %a3: index):
    tensor.yield %fill : f32
  }} : {x.type} to {padded}
  %k = tensor.empty() : tensor<{window[0]}x{window[1]}xf32>
  %s = linalg.pooling_nchw_sum {{strides = dense<[{strides[0]}, {strides[1]}]> : vector<2xi64>}}
    ins(%p, %k : {padded}, tensor<{window[0]}x{window[1]}xf32>) outs(%i : {y.type}) -> {y.type}
  %y = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
    ins(%s : {y.type}) outs(%e : {y.type}) {{
  ^bb0(%in: f32, %out: f32):
{body}    %n = arith.muli %n2, %n3 : i64
    %f = arith.sitofp %n : i64 to f32
    %d = arith.divf %in, %f : f32
    linalg.yield %d : f32
  }} -> {y.type}"""
    return Case(name, {"x": x}, text, y)


def average_cases(generic):
    for name, count in (("ends", BY_ENDS), ("overhang", BY_OVERHANG)):
        yield average_case(f"{name}_both_sides", count, (1, 1), (1, 1), (1, 1))
        yield average_case(f"{name}_one_dim", count, (1, 0), (1, 0), (1, 1))
        yield average_case(f"{name}_uneven", count, (1, 0), (0, 1), (2, 1))
        yield average_case(f"{name}_strided", count, (2, 1), (1, 0), (2, 2), window=(3, 3))


GROUPS = {"conv": conv_cases, "quantized": quantized_cases, "pool": pool_cases, "product": product_cases,
          "average": average_cases, "random_conv": lambda generic: random_cases("conv"),
          "random_pool": lambda generic: random_cases("pool"),
          "random_product": lambda generic: random_cases("product")}


def main():
    cases = list(GROUPS[sys.argv[1]]("--generic" in sys.argv))
    # No rule may look inside.
    print("func.func private @identity(%t: tensor<1xi32>) -> tensor<1xi32> attributes {no_inline} {\n"
          "  return %t : tensor<1xi32>\n}")
    for case in cases:
        print(case.function())
    calls = "\n".join(f"  func.call @{case.name}() : () -> ()" for case in cases)
    print(f"func.func @main() {{\n{calls}\n  vector.print str \"{len(cases)} cases\\n\"\n  return\n}}")


if __name__ == "__main__":
    main()
