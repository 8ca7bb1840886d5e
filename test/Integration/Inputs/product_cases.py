"""The product of roots, epilogues, shapes, types and targets: its configurations, a set that covers each pair, and their MLIR.

Each configuration is one root on small numbers, chosen so that sums are exact in f32: what differs then is a fault, not an order.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import random
from dataclasses import dataclass

import numpy as np

AXES = {
    "root": ("conv1d", "conv", "conv3d", "grouped", "depthwise", "pointwise", "transposed", "grouped_transposed", "matmul", "batch_matmul",
             "max_pool", "sum_pool", "average_pool", "global_pool"),
    "epilogue": ("none", "relu", "bias", "batch_norm", "residual", "residual_in_place", "sigmoid", "gelu"),
    "shape": ("even", "odd", "one", "strided", "narrow", "tail"),
    "type": ("f32", "f64", "f16", "bf16", "i8"),
    "target": ("x86-64-v3", "x86-64-v4"),
    "layout": ("first", "last"),
    "weights": ("constant", "argument"),
    "threads": (1, 3),
    "sizes": ("static", "dynamic"),
}
FULL = ("root", "epilogue", "shape", "type", "target")  # the axes of the full product; the others take turns


@dataclass(frozen=True)
class Shape:
    batch: int
    channels: int
    outputs: int
    image: tuple
    kernel: tuple
    strides: tuple = (1, 1, 1)
    dilations: tuple = (1, 1, 1)
    low: tuple = (0, 0, 0)
    high: tuple = (0, 0, 0)


SHAPES = {
    "even": Shape(1, 32, 32, (8, 16, 4), (3, 3, 3), low=(1, 1, 1), high=(1, 1, 1)),
    "odd": Shape(2, 5, 7, (7, 9, 5), (3, 2, 3), low=(1, 0, 2), high=(0, 2, 1)),
    "one": Shape(1, 1, 1, (1, 1, 1), (1, 1, 1)),
    "strided": Shape(1, 6, 10, (11, 13, 6), (3, 3, 2), strides=(2, 3, 2), dilations=(2, 1, 2), low=(2, 1, 0), high=(1, 2, 1)),
    "narrow": Shape(3, 3, 2, (5, 2, 3), (5, 1, 2), low=(2, 0, 0), high=(2, 0, 1)),
    "tail": Shape(1, 17, 33, (6, 29, 3), (1, 4, 1), low=(0, 3, 0)),
}
ACCUMULATOR = {"f32": "f32", "f64": "f64", "f16": "f32", "bf16": "f32", "i8": "i32"}
STORED = {"f32": "f32", "f64": "f64", "f16": "f16", "bf16": "bf16", "i8": "i32"}


def is_valid(values):
    """What is no model: transcendental functions and quotients of integers."""
    return not (values.get("type") == "i8" and
                (values.get("epilogue") in ("sigmoid", "gelu") or values.get("root") in ("average_pool", "global_pool")))


def pairs_of(values):
    return {((a, values[a]), (b, values[b])) for a, b in itertools.combinations(AXES, 2)}


def all_pairs(seed=1, tries=60):
    """Configurations in which each valid pair of values occurs: greedily the best of some random ones."""
    rng = random.Random(seed)
    missing = {((a, x), (b, y)) for a, b in itertools.combinations(AXES, 2) for x in AXES[a] for y in AXES[b]
               if is_valid({a: x, b: y})}
    chosen = []
    while missing:
        (a, x), (b, y) = min(missing, key=str)
        candidates = []
        while len(candidates) < tries:
            values = {axis: rng.choice(options) for axis, options in AXES.items()} | {a: x, b: y}
            if is_valid(values):
                candidates.append(values)
        best = max(candidates, key=lambda values: len(pairs_of(values) & missing))
        missing -= pairs_of(best)
        chosen.append(best)
    return chosen


def full_product():
    others = [axis for axis in AXES if axis not in FULL]
    turns = itertools.cycle(itertools.product(*(AXES[axis] for axis in others)))
    for options in itertools.product(*(AXES[axis] for axis in FULL)):
        values = dict(zip(FULL, options))
        if is_valid(values):
            yield values | dict(zip(others, next(turns)))


def name_of(values):
    return "-".join(str(values[axis]) for axis in AXES)


# ----- one configuration as MLIR --------------------------------------------------------------------------------------


def type_of(shape, element, unknown=()):
    return f"tensor<{''.join('?x' if dim in unknown else f'{size}x' for dim, size in enumerate(shape))}{element}>"


def output_size(size, kernel, stride, dilation, low, high):
    return (size + low + high - dilation * (kernel - 1) - 1) // stride + 1


class Configuration:
    """A root: its operands as arrays, its text with the names of the operands. `dynamic` says whether its text leaves sizes open."""

    def __init__(self, values, index, dynamic=False):
        self.values, self.index, self.dynamic = values, index, dynamic
        self.rng = np.random.default_rng(index)
        self.arguments = []  # (name, MLIR type, array)
        self.constants = []  # lines
        self.root, self.epilogue, self.type = values["root"], values["epilogue"], values["type"]
        self.last = values["layout"] == "last"
        self.growth = {}  # of a spatial dim of the result: (stride, what is added before or after, how it scales)
        self.shape = SHAPES[values["shape"]]
        self.text = self.build()

    def numbers(self, shape, scale):
        """Small integers times a power of two: exact in every type."""
        return self.rng.integers(-4, 5, shape).astype(np.float64) * (1.0 if self.type == "i8" else scale)

    def unknown(self, shape):
        """The dims of images, matrices and results that are left open: all but channels and columns, and batches of matrices."""
        if not self.dynamic:
            return ()
        if self.root.endswith("matmul"):
            return (len(shape) - 2,)
        return tuple(dim for dim in range(len(shape)) if dim != (len(shape) - 1 if self.last else 1))

    def operand(self, name, shape, element, scale=0.25, constant=False, unknown=()):
        values, type = self.numbers(shape, scale), type_of(shape, element, unknown)
        name = f"%{name}{self.index}"
        if constant:
            def literal(array):
                if array.ndim == 0:
                    return str(int(array)) if element.startswith("i") else f"{float(array):.8e}"
                return "[" + ", ".join(literal(part) for part in array) + "]"
            self.constants.append(f"{name} = arith.constant dense<{literal(values)}> : {type}")
        else:
            self.arguments.append((name, type, values))
        return name, type

    # Each of these returns the text of the root before its epilogue, and the shape of the result.

    def dense(self, dims, groups, channels, outputs, kernel, attributes):
        shape, stored = self.shape, self.type
        image = shape.image[:dims]
        x_shape = (shape.batch, *image, channels) if self.last else (shape.batch, channels, *image)
        w_shape = (*kernel, channels // groups, outputs) if self.last else (outputs, channels // groups, *kernel)
        x, x_type = self.operand("x", x_shape, stored, unknown=self.unknown(x_shape))
        w, w_type = self.operand("w", w_shape, stored, constant=self.values["weights"] == "constant")
        if self.last:
            attributes = attributes + ["filter_layout = spatial_in_out", "input_layout = channels_last",
                                       "output_layout = channels_last"]
        if groups != 1:
            attributes = attributes + [f"groups = {groups}"]
        op = "conv_transpose" if "transposed" in self.root else "conv"
        return f"fusion.{op} ins({x}, {w} : {x_type}, {w_type})", attributes

    def window(self, dims, kernel):
        shape = self.shape
        parts = {"strides": shape.strides, "dilations": shape.dilations, "pad_low": shape.low, "pad_high": shape.high}
        attributes = [f"{key} = {list(value[:dims])}" for key, value in parts.items()]
        sizes = []
        for dim, (size, *window) in enumerate(zip(shape.image[:dims], kernel, shape.strides, shape.dilations, shape.low, shape.high)):
            sizes.append(output_size(size, *window))
            extent, stride, dilation, low, high = window
            self.growth[dim + (1 if self.last else 2)] = (stride, low + high - dilation * (extent - 1) - 1 + stride, "divui")
        return attributes, sizes

    def image_result(self, channels, sizes):
        return (self.shape.batch, *sizes, channels) if self.last else (self.shape.batch, channels, *sizes)

    def conv(self, dims, groups=1, channels=None, outputs=None, pointwise=False):
        shape = self.shape
        channels, outputs = channels or shape.channels, outputs or shape.outputs
        kernel = (1,) * dims if pointwise else shape.kernel[:dims]
        attributes, sizes = ([], shape.image[:dims]) if pointwise else self.window(dims, kernel)
        text, attributes = self.dense(dims, groups, channels, outputs, kernel, attributes)
        return text, attributes, self.image_result(outputs, sizes)

    def transposed(self, groups):
        """Each result element is met, or none: sizes are those of the convolution that this one is the transpose of."""
        shape, dims = self.shape, 2
        parts = {"strides": shape.strides, "dilations": shape.dilations, "pad_low": (1, 0), "pad_high": (0, 1), "output_padding": (1, 0)}
        if shape is SHAPES["one"]:
            parts |= {"pad_low": (0, 0), "pad_high": (0, 0), "output_padding": (0, 0)}
        attributes = [f"{key} = {list(value[:dims])}" for key, value in parts.items()]
        sizes = []
        for dim in range(dims):
            size, extent, stride, dilation = shape.image[dim], shape.kernel[dim], shape.strides[dim], shape.dilations[dim]
            low, high, more = (parts[key][dim] for key in ("pad_low", "pad_high", "output_padding"))
            rest = dilation * (extent - 1) + 1 + more - low - high
            sizes.append((size - 1) * stride + rest)
            self.growth[dim + (1 if self.last else 2)] = (stride, rest - stride, "muli")
        channels, outputs = groups * shape.channels, groups * shape.outputs
        text, attributes = self.dense(dims, groups, channels, outputs, shape.kernel[:dims], attributes)
        return text, attributes, self.image_result(outputs, sizes)

    def matmul(self, batch):
        shape = self.shape
        m, k, n = shape.image[0] * shape.image[1], shape.channels, shape.outputs
        x, x_type = self.operand("x", (*batch, m, k), self.type, unknown=self.unknown((*batch, m, k)))
        w, w_type = self.operand("w", (*batch, *((n, k) if self.last else (k, n))), self.type,
                                 constant=self.values["weights"] == "constant")
        return f"fusion.matmul ins({x}, {w} : {x_type}, {w_type})", ["transpose_rhs"] if self.last else [], (*batch, m, n)

    def pool(self, kind, whole=False):
        shape = self.shape
        kernel = shape.image[:2] if whole else shape.kernel[:2]
        attributes, sizes = ([], [1, 1]) if whole else self.window(2, kernel)
        if whole:
            self.growth = {dim + (1 if self.last else 2): (1, 1 - kernel[dim], "divui") for dim in range(2)}
        attributes = attributes + [f"window = {list(kernel)}"] + (["layout = channels_last"] if self.last else [])
        if kind == "average" and self.values["weights"] == "argument":
            attributes.append("count_include_pad")
        image = shape.image[:2]
        x_shape = (shape.batch, *image, shape.channels) if self.last else (shape.batch, shape.channels, *image)
        x, x_type = self.operand("x", x_shape, self.type, unknown=self.unknown(x_shape))
        return f"fusion.pool {kind} ins({x} : {x_type})", attributes, self.image_result(shape.channels, sizes)

    def make_root(self):
        shape = self.shape
        return {
            "conv1d": lambda: self.conv(1),
            "conv": lambda: self.conv(2),
            "conv3d": lambda: self.conv(3),
            "grouped": lambda: self.conv(2, 2, 2 * shape.channels, 2 * shape.outputs),
            "depthwise": lambda: self.conv(2, shape.channels, shape.channels, shape.channels),
            "pointwise": lambda: self.conv(2, pointwise=True),
            "transposed": lambda: self.transposed(1),
            "grouped_transposed": lambda: self.transposed(2),
            "matmul": lambda: self.matmul(()),
            "batch_matmul": lambda: self.matmul((shape.batch + 1,)),
            "max_pool": lambda: self.pool("max"),
            "sum_pool": lambda: self.pool("sum"),
            "average_pool": lambda: self.pool("average"),
            "global_pool": lambda: self.pool("average", whole=True),
        }[self.root]()

    def make_epilogue(self, result):
        """Operands in brackets, the lines of the region."""
        computed, stored = ACCUMULATOR[self.type], STORED[self.type]
        if self.root == "max_pool" and self.type in ("f16", "bf16", "i8"):
            computed = self.type
            if self.type == "i8":
                stored = "i8"
        suffix = "i" if computed.startswith("i") else "f"
        channel = len(result) - 1 if self.last or self.root.endswith("matmul") else 1
        operands, lines, value = [], [], "%acc"

        def then(op, *more, type=computed):
            nonlocal value
            name = f"%v{len(lines)}"
            lines.append(f"{name} = {op} {', '.join([value, *more])} : {type}")
            value = name

        def constant(number):
            name = f"%k{len(lines)}"
            text = str(int(number)) if suffix == "i" else f"{number:.8e}"
            lines.append(f"{name} = arith.constant {text} : {computed}")
            return name

        def read(name, shape, dims, constant_operand):
            source, type = self.operand(name, shape, computed, constant=constant_operand,
                                        unknown=self.unknown(shape) if len(shape) == len(result) else ())
            operands.append(f"%{name} = {source}[{', '.join(map(str, dims))}] : {type}")
            return f"%{name}"

        def relu():
            then("arith.maxsi" if suffix == "i" else "arith.maximumf", constant(0))

        if self.epilogue in ("bias", "residual", "residual_in_place"):
            then(f"arith.add{suffix}", read("bias", (result[channel],), [channel], True))
        if self.epilogue == "relu":
            relu()
        elif self.epilogue == "batch_norm":
            then(f"arith.mul{suffix}", read("scale", (result[channel],), [channel], True))
            then(f"arith.add{suffix}", read("shift", (result[channel],), [channel], False))
        elif self.epilogue == "residual":
            then(f"arith.add{suffix}", read("other", result, range(len(result)), False))
            relu()
        elif self.epilogue == "residual_in_place":
            name = "%init"
            if stored != computed:
                lines.append(f"%wide = arith.extf %init : {stored} to {computed}")
                name = "%wide"
            then(f"arith.add{suffix}", name)
            relu()
        elif self.epilogue == "sigmoid":
            then("arith.negf")
            then("math.exp")
            then("arith.addf", constant(1))
            one = constant(1)
            lines.append(f"%s = arith.divf {one}, {value} : {computed}")
            value = "%s"
        elif self.epilogue == "gelu":
            source = value
            then("arith.mulf", constant(0.70710678118654752))
            then("math.erf")
            then("arith.addf", constant(1))
            then("arith.mulf", source)
            then("arith.mulf", constant(0.5))
        if stored != computed:
            lines.append(f"%stored = arith.truncf {value} : {computed} to {stored}")
            value = "%stored"
        if self.epilogue == "residual_in_place":
            operands.append(f"init %init: {stored}")
        lines.append(f"fusion.yield {value} : {stored}")
        return computed, stored, operands, lines

    def make_empty(self, result):
        """A tensor.empty of the result's type; open sizes are computed from those of the input."""
        lines, sizes = [], []
        x, x_type, _ = self.arguments[0]
        for dim in self.unknown(result):
            name = f"%e{self.index}_{dim}"
            lines += [f"{name}_i = arith.constant {dim} : index", f"{name}_x = tensor.dim {x}, {name}_i : {x_type}"]
            factor, offset, scale = self.growth.get(dim, (1, 0, "divui"))
            lines += [f"{name}_f = arith.constant {factor} : index", f"{name}_o = arith.constant {offset} : index"]
            if scale == "divui":
                lines += [f"{name}_s = arith.addi {name}_x, {name}_o : index", f"{name} = arith.divui {name}_s, {name}_f : index"]
            else:
                lines += [f"{name}_s = arith.muli {name}_x, {name}_f : index", f"{name} = arith.addi {name}_s, {name}_o : index"]
            sizes.append(name)
        return [*lines, f"%e{self.index} = tensor.empty({', '.join(sizes)}) : {self.result}"]

    def build(self):
        text, attributes, result = self.make_root()
        computed, stored, operands, lines = self.make_epilogue(result)
        self.result_shape, self.result_element = result, stored
        self.result = type_of(result, stored, self.unknown(result))
        if self.epilogue == "residual_in_place":
            init, before = self.operand("init", result, stored, unknown=self.unknown(result))[0], []
        else:
            init, before = f"%e{self.index}", self.make_empty(result)
        dictionary = f" {{{', '.join(attributes)}}}" if attributes else ""
        epilogue = ""
        if lines[:-1]:
            epilogue = f"\n      epilogue({', '.join([f'%acc: {computed}', *operands])}) {{\n        "
            epilogue += "\n        ".join(lines) + "\n    }"
        return "\n    ".join([*self.constants, *before,
                              f"%r{self.index} = {text} outs({init} : {self.result}){dictionary}{epilogue} -> {self.result}"])


def module_of(configurations):
    arguments = ", ".join(f"{name}: {type}" for c in configurations for name, type, _ in c.arguments)
    types = ", ".join(c.result for c in configurations)
    body = "\n    ".join(c.text for c in configurations)
    results = ", ".join(f"%r{c.index}" for c in configurations)
    return (f"func.func @main({arguments}) -> ({types}) {{\n    {body}\n"
            f"    return {results} : {types}\n}}\n")
