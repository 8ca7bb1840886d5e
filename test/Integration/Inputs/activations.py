"""Makes a network of convolutions, each with an activation in the form in which importers emit it: activations.py NAME DIR.

DIR/NAME gets NAME.mlir, its inputs and, computed with numpy in f64, its outputs.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys
from pathlib import Path

import numpy as np

N, IN, OUT, H, W = 1, 5, 19, 7, 6
SHAPE = f"{N}x{OUT}x{H}x{W}"
IDENTITY, CHANNEL, SCALAR, FIRST = "d0, d1, d2, d3", "d1, 0, 0", "", "0"
PARALLEL = ", ".join(['"parallel"'] * 4)
erf = np.vectorize(math.erf)


class Network:
    """Text of a function, one op after the other."""

    def __init__(self):
        self.lines, self.constants, self.arguments, self.inputs = [], {}, [], []

    def constant(self, value, type="f32"):
        text = repr(float(value)) if type[0] in "ft" and "dense" not in str(value) else str(value)
        return self.constants.setdefault((text, type), f"%cst{len(self.constants)}")

    def vector(self, values, type):
        """A constant tensor."""
        return self.constant("dense<" + np.array2string(values, separator=", ", threshold=10**6).replace("\n", "") + ">", type)

    def argument(self, value, type):
        self.arguments.append(f"%arg{len(self.arguments)}: {type}")
        self.inputs.append(np.asarray(value, np.float32))
        return f"%arg{len(self.arguments) - 1}"

    def op(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def generic(self, operands, body, result="f32"):
        """`operands` are (value, type, map) or values of the result's shape; in the body they are $0, $1, …"""
        operands = [o if isinstance(o, tuple) else (o, f"tensor<{SHAPE}xf32>", IDENTITY) for o in operands]
        empty = self.op(f"tensor.empty() : tensor<{SHAPE}x{result}>")
        maps = ", ".join(f"affine_map<({IDENTITY}) -> ({m})>" for _, _, m in operands + [("", "", IDENTITY)])
        element = [t.split("<")[1].rstrip(">").split("x")[-1] for _, t, _ in operands]
        arguments = ", ".join(f"%in{i}: {t}" for i, t in enumerate(element))
        for i in range(len(operands)):
            body = body.replace(f"${i}", f"%in{i}")
        lines = [line.strip() for line in body.strip().split(";")]
        yielded = lines[-1].split(" = ")[0]
        inner = "\n      ".join(lines)
        return self.op(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{PARALLEL}]}}\n"
            f"      ins({', '.join(v for v, _, _ in operands)} : {', '.join(t for _, t, _ in operands)})"
            f" outs({empty} : tensor<{SHAPE}x{result}>) {{\n    ^bb0({arguments}, %out: {result}):\n      {inner}\n"
            f"      linalg.yield {yielded} : {result}\n    }} -> tensor<{SHAPE}x{result}>"
        )

    def text(self, results):
        constants = "\n  ".join(f"{name} = arith.constant {value} : {type}" for (value, type), name in self.constants.items())
        lines = "\n  ".join(self.lines)
        types = ", ".join([f"tensor<{SHAPE}xf32>"] * len(results))
        return (
            f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n  {constants}\n  {lines}\n"
            f"  return {', '.join(results)} : {types}\n}}\n"
        )


# What importers emit; each takes the network and a value and returns a value.


def scalar(net, value):
    """A constant as ONNX has it: a tensor of rank 0."""
    return net.vector(np.float32(value), "tensor<f32>"), "tensor<f32>", SCALAR


def relu(net, x):
    c = net.constant(0)
    return net.generic([x], f"%p = arith.cmpf ugt, $0, {c} : f32; %r = arith.select %p, $0, {c} : f32")


def clip(net, x, low, high):
    return net.generic(
        [x, low, high],
        "%p = arith.cmpf ult, $0, $1 : f32; %a = arith.select %p, $1, $0 : f32;"
        "%q = arith.cmpf ugt, %a, $2 : f32; %r = arith.select %q, $2, %a : f32",
    )


def below(net, x, bound):
    """The smaller of a constant and x, the constant first."""
    return net.generic([bound, x], "%p = arith.cmpf olt, $0, $1 : f32; %r = arith.select %p, $0, $1 : f32")


def above(net, x, bound):
    return net.generic([bound, x], "%p = arith.cmpf ogt, $0, $1 : f32; %r = arith.select %p, $0, $1 : f32")


def with_constant(net, x, op, value):
    return net.generic([x], f"%r = {op} $0, {net.constant(value)} : f32")


def both(net, x, y, op):
    return net.generic([x, y], f"%r = {op} $0, $1 : f32")


def unary(net, x, op):
    return net.generic([x], f"%r = {op} $0 : f32")


def sigmoid(net, x):
    one = net.constant(1)
    return net.generic(
        [x],
        f"%a = arith.negf $0 : f32; %b = math.exp %a : f32; %c = arith.addf %b, {one} : f32; %r = arith.divf {one}, %c : f32",
    )


def hard_sigmoid(net, x):
    x = with_constant(net, x, "arith.mulf", 1 / 6)
    x = with_constant(net, x, "arith.addf", 0.5)
    return above(net, below(net, x, scalar(net, 1)), scalar(net, 0))


def hard_swish(net, x):
    y = below(net, relu(net, with_constant(net, x, "arith.addf", 3)), scalar(net, 6))
    return both(net, with_constant(net, y, "arith.divf", 6), x, "arith.mulf")


def hard_swish_decomposed(net, x):
    y = net.generic([x, scalar(net, 3)], "%r = arith.addf $0, $1 : f32")
    y = both(net, x, clip(net, y, scalar(net, 0), scalar(net, 6)), "arith.mulf")
    return net.generic([y, scalar(net, 6)], "%r = arith.divf $0, $1 : f32")


def gelu(net, x):
    y = net.generic([x, scalar(net, math.sqrt(2))], "%r = arith.divf $0, $1 : f32")
    y = net.generic([unary(net, y, "math.erf"), scalar(net, 1)], "%r = arith.addf $0, $1 : f32")
    return net.generic([both(net, x, y, "arith.mulf"), scalar(net, 0.5)], "%r = arith.mulf $0, $1 : f32")


def gelu_tanh(net, x):
    y = both(net, both(net, x, x, "arith.mulf"), x, "arith.mulf")
    y = both(net, x, with_constant(net, y, "arith.mulf", 0.044715), "arith.addf")
    y = unary(net, with_constant(net, y, "arith.mulf", math.sqrt(2 / math.pi)), "math.tanh")
    return with_constant(net, both(net, x, with_constant(net, y, "arith.addf", 1), "arith.mulf"), "arith.mulf", 0.5)


def leaky_relu(net, x):
    positive, negative = above(net, x, scalar(net, 0)), below(net, x, scalar(net, 0))
    return both(net, positive, with_constant(net, negative, "arith.mulf", 0.1), "arith.addf")


def elu(net, x):
    positive, negative = above(net, x, scalar(net, 0)), below(net, x, scalar(net, 0))
    negative = with_constant(net, unary(net, negative, "math.exp"), "arith.subf", 1)
    return both(net, positive, negative, "arith.addf")


SLOPES = np.linspace(-0.5, 1.5, OUT, dtype=np.float32)


def prelu(net, x):
    slopes = net.vector(SLOPES.reshape(OUT, 1, 1), f"tensor<{OUT}x1x1xf32>")
    scaled = net.generic([x, (slopes, f"tensor<{OUT}x1x1xf32>", CHANNEL)], "%r = arith.mulf $0, $1 : f32")
    zero = net.constant(0, "f64")
    negative = net.generic([x], f"%a = arith.extf $0 : f32 to f64; %r = arith.cmpf olt, %a, {zero} : f64", "i1")
    return net.generic(
        [(negative, f"tensor<{SHAPE}xi1>", IDENTITY), scaled, x], "%r = arith.select $0, $1, $2 : f32"
    )


def softplus_mish(net, x):
    """log1p(exp(-|x|)) + relu(x), x where that is no number."""
    y = unary(net, unary(net, unary(net, unary(net, x, "math.absf"), "arith.negf"), "math.exp"), "math.log1p")
    y = both(net, y, relu(net, x), "arith.addf")
    odd = net.generic([x], f"%r = arith.cmpf une, $0, $0 : f32", "i1")
    return net.generic([(odd, f"tensor<{SHAPE}xi1>", IDENTITY), x, y], "%r = arith.select $0, $1, $2 : f32")


def mish(net, x):
    return both(net, x, unary(net, softplus_mish(net, x), "math.tanh"), "arith.mulf")


def softplus(net, x):
    """log(exp(x) + 1), x where it is large."""
    y = unary(net, with_constant(net, unary(net, x, "math.exp"), "arith.addf", 1), "math.log")
    large = net.generic([x], f"%r = arith.cmpf ogt, $0, {net.constant(20)} : f32", "i1")
    return net.generic([(large, f"tensor<{SHAPE}xi1>", IDENTITY), x, y], "%r = arith.select $0, $1, $2 : f32")


def scale_layer(net, x):
    """Batch norm is followed by it in networks from Caffe."""
    for op, values in (("arith.mulf", SLOPES), ("arith.addf", -SLOPES)):
        type = f"tensor<1x{OUT}x1x1xf32>"
        vector = net.vector(values.reshape(1, OUT, 1, 1), type)
        x = net.generic([x, (vector, type, "d0, d1, 0, 0")], f"%r = {op} $0, $1 : f32")
    return x


def casts(net, x):
    """To integers and back."""
    x = with_constant(net, x, "arith.mulf", 16)
    x = net.generic([x], "%r = arith.fptosi $0 : f32 to i32", "i32")
    return net.generic([(x, f"tensor<{SHAPE}xi32>", IDENTITY)], "%r = arith.sitofp $0 : i32 to f32")


def bounds(net):
    return [(net.argument(v, "tensor<f32>"), "tensor<f32>", SCALAR) for v in (-0.25, 0.75)]


def np_sigmoid(x):
    return 1 / (1 + np.exp(-x))


def np_hard_swish(x):
    return x * np.clip(x + 3, 0, 6) / 6


CASES = {
    "relu": (relu, lambda x: np.maximum(x, 0)),
    "clip": (lambda net, x: clip(net, x, scalar(net, 0), scalar(net, 0.5)), lambda x: np.clip(x, 0, 0.5)),
    "clip_rank_1": (
        lambda net, x: clip(net, x, *[(net.vector(np.float32([v]), "tensor<1xf32>"), "tensor<1xf32>", FIRST) for v in (-1, 1)]),
        lambda x: np.clip(x, -1, 1),
    ),
    "clip_by_inputs": (lambda net, x: clip(net, x, *bounds(net)), lambda x: np.clip(x, -0.25, 0.75)),
    "hard_sigmoid": (hard_sigmoid, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "hard_swish": (hard_swish, np_hard_swish),
    "hard_swish_decomposed": (hard_swish_decomposed, np_hard_swish),
    "sigmoid": (sigmoid, np_sigmoid),
    "silu": (lambda net, x: both(net, x, sigmoid(net, x), "arith.mulf"), lambda x: x * np_sigmoid(x)),
    "tanh": (lambda net, x: unary(net, x, "math.tanh"), np.tanh),
    "gelu": (gelu, lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)))),
    "gelu_tanh": (gelu_tanh, lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    "leaky_relu": (leaky_relu, lambda x: np.where(x < 0, 0.1 * x, x)),
    "elu": (elu, lambda x: np.where(x < 0, np.expm1(x), x)),
    "prelu": (prelu, lambda x: np.where(x < 0, SLOPES.reshape(OUT, 1, 1).astype(np.float64) * x, x)),
    "mish": (mish, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "softplus": (softplus, lambda x: np.log1p(np.exp(x))),
    "scale_layer": (scale_layer, lambda x: x * SLOPES.reshape(OUT, 1, 1) - SLOPES.reshape(OUT, 1, 1)),
    "casts": (casts, lambda x: np.trunc(x * 16)),
}


def main():
    name, directory = sys.argv[1], Path(sys.argv[2])
    random = np.random.default_rng(7)
    # Steps of 1/8 are exact in f32: no rounding decides what a cast to integers gives, and zeros and bounds occur.
    steps = lambda *shape: (random.integers(-8, 9, shape) / 8).astype(np.float32)
    net = Network()
    image, weights, bias = steps(N, IN, H, W), steps(OUT, IN, 1, 1), steps(OUT)
    x = net.argument(image, f"tensor<{N}x{IN}x{H}x{W}xf32>")
    filter = net.vector(weights, f"tensor<{OUT}x{IN}x1x1xf32>")
    results, expected = [], []
    for activation, reference in CASES.values():
        empty = net.op(f"tensor.empty() : tensor<{SHAPE}xf32>")
        init = net.op(
            f"linalg.broadcast ins({net.vector(bias, f'tensor<{OUT}xf32>')} : tensor<{OUT}xf32>)"
            f" outs({empty} : tensor<{SHAPE}xf32>) dimensions = [0, 2, 3]"
        )
        conv = net.op(
            "linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}\n"
            f"      ins({x}, {filter} : tensor<{N}x{IN}x{H}x{W}xf32>, tensor<{OUT}x{IN}x1x1xf32>)"
            f" outs({init} : tensor<{SHAPE}xf32>) -> tensor<{SHAPE}xf32>"
        )
        results.append(activation(net, conv))
        summed = np.einsum("nchw,oc->nohw", image.astype(np.float64), weights[:, :, 0, 0]) + bias.reshape(OUT, 1, 1)
        expected.append(reference(summed))
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.mlir").write_text(net.text(results))
    for i, value in enumerate(net.inputs):
        np.save(folder / f"in{i}.npy", value)
    for i, value in enumerate(expected):
        np.save(folder / f"out{i}.npy", value.astype(np.float32))


main()
