#!/usr/bin/env python3
"""Writes a network without a static batch, height or width, its inputs and results.

usage: dynamic_network.py FOLDER

FOLDER/net.mlir has one function of unknown sizes. FOLDER/calls.mlir has it, too,
and an entry that calls it once for each of a few sizes. Beside them: in0.npy, in1.npy, …, out0.npy, out1.npy, …, the results in f64.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

SIZES = [(1, 9, 13), (2, 1, 1), (1, 30, 41), (3, 5, 2), (1, 1, 70), (0, 4, 4)]
CHANNELS, CLASSES = 19, 37


def tensor(*shape):
    return "tensor<" + "".join("?x" if size is None else f"{size}x" for size in shape) + "f32>"


def image(channels):
    return tensor(None, channels, None, None)


class Network:
    """MLIR text of a network, and what it computes."""

    def __init__(self):
        self.random = np.random.default_rng(7)
        self.lines, self.steps, self.count = [], [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def weights(self, *shape):
        value = self.random.uniform(-1, 1, shape).astype(np.float32) / np.sqrt(np.prod(shape[1:]))
        name = self.name()
        data = value.tobytes().hex().upper()
        self.lines.append(f'{name} = arith.constant dense<"0x{data}"> : {tensor(*shape)}')
        return name, value.astype(np.float64)

    def fill(self, channels, value="%zero", half=False):
        sizes = ", ".join(f"%half{d}" if half and d != "n" else f"%{d}" for d in "nhw")
        empty, filled = self.name(), self.name()
        self.lines.append(f"{empty} = tensor.empty({sizes}) : {image(channels)}")
        self.lines.append(f"{filled} = linalg.fill ins({value} : f32) outs({empty} : {image(channels)}) -> {image(channels)}")
        return filled

    def pad(self, x, channels, value="%zero"):
        name = self.name()
        self.lines.append(f"{name} = tensor.pad {x} low[0, 0, 1, 1] high[0, 0, 1, 1] {{\n  ^bb0(%a: index, %b: index, %c: index, %d: index):\n"
                          f"    tensor.yield {value} : f32\n  }} : {image(channels)} to {image(channels)}")
        return name

    def windowed(self, op, x, channels_in, weights, weights_type, channels, init="%zero", stride=1, half=False):
        filled, name = self.fill(channels, init, half or stride == 2), self.name()
        self.lines.append(f"{name} = linalg.{op} {{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}} "
                          f"ins({x}, {weights} : {image(channels_in)}, {weights_type}) outs({filled} : {image(channels)}) -> {image(channels)}")
        return name

    def elementwise(self, body, inputs, channels, half=False):
        name = self.name()
        dims = "d0, d1, d2, d3"
        maps = "".join(f"affine_map<({dims}) -> ({'d1' if vector else dims})>, " for _, vector in inputs)
        types = ", ".join(tensor(channels) if vector else image(channels) for _, vector in inputs)
        sizes = ", ".join(f"%half{d}" if half and d != "n" else f"%{d}" for d in "nhw")
        arguments = ", ".join(f"%x{i}: f32" for i in range(len(inputs)))
        self.lines.append(
            f"{name}e = tensor.empty({sizes}) : {image(channels)}\n  "
            f"{name} = linalg.generic {{indexing_maps = [{maps}affine_map<({dims}) -> ({dims})>], iterator_types = "
            f'["parallel", "parallel", "parallel", "parallel"]}} ins({", ".join(v for v, _ in inputs)} : {types}) '
            f"outs({name}e : {image(channels)}) {{\n  ^bb0({arguments}, %o: f32):\n    {body}\n    linalg.yield %y : f32\n  }} -> {image(channels)}")
        return name

    def bias_relu(self, x, channels, half=False):
        bias, value = self.weights(channels)
        name = self.elementwise("%s = arith.addf %x0, %x1 : f32\n    %y = arith.maximumf %s, %zero : f32",
                                [(x, False), (bias, True)], channels, half)
        return name, lambda y: np.maximum(y + value[:, None, None], 0)


def windows(x, size, stride):
    """[N, C, H, W, K, K]"""
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]


def padded(x, value=0.0):
    return np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=value)


def build():
    net = Network()
    c = CHANNELS
    filter0, w0 = net.weights(c, 3, 3, 3)
    filter1, w1 = net.weights(c, 1, 3, 3)
    filter2, w2 = net.weights(c, c, 1, 1)
    filter3, w3 = net.weights(CLASSES, c, 3, 3)
    window = net.name()
    net.lines.append(f"{window} = tensor.empty() : tensor<3x3xf32>")

    x0 = net.windowed("conv_2d_nchw_fchw", net.pad("%x", 3), 3, filter0, tensor(c, 3, 3, 3), c)
    x0, f0 = net.bias_relu(x0, c)
    # The depthwise form wants its filter without the dim of size 1.
    flat = net.name()
    net.lines.append(f"{flat} = tensor.collapse_shape {filter1} [[0, 1], [2], [3]] : {tensor(c, 1, 3, 3)} into {tensor(c, 3, 3)}")
    x1 = net.windowed("depthwise_conv_2d_nchw_chw", net.pad(x0, c), c, flat, tensor(c, 3, 3), c)
    x1, f1 = net.bias_relu(x1, c)
    x2 = net.windowed("conv_2d_nchw_fchw", x1, c, filter2, tensor(c, c, 1, 1), c)
    x2 = net.elementwise("%y = arith.addf %x0, %x1 : f32", [(x2, False), (x0, False)], c)
    x3 = net.windowed("pooling_nchw_max", net.pad(x2, c, "%lowest"), c, window, "tensor<3x3xf32>", c, "%lowest", stride=2)
    x4 = net.windowed("pooling_nchw_sum", net.pad(x2, c), c, window, "tensor<3x3xf32>", c, stride=2)
    x5 = net.elementwise("%y = arith.mulf %x0, %x1 : f32", [(x3, False), (x4, False)], c, half=True)
    x6 = net.windowed("conv_2d_nchw_fchw", net.pad(x5, c), c, filter3, tensor(CLASSES, c, 3, 3), CLASSES, half=True)
    text = "\n  ".join(net.lines)

    def compute(x):
        a = f0(np.einsum("nchwij,ocij->nohw", windows(padded(x), 3, 1), w0))
        b = f1(np.einsum("nchwij,cij->nchw", windows(padded(a), 3, 1), w1[:, 0]))
        b = np.einsum("nchw,oc->nohw", b, w2[:, :, 0, 0]) + a
        most = windows(padded(b, -np.inf), 3, 2).max(axis=(4, 5))
        total = windows(padded(b), 3, 2).sum(axis=(4, 5))
        return np.einsum("nchwij,ocij->nohw", windows(padded(most * total), 3, 1), w3)

    return text, x6, compute


def main():
    folder = sys.argv[1]
    text, result, compute = build()
    lines = [f"func.func @net(%x: {image(3)}) -> {image(CLASSES)} attributes {{no_inline}} {{",
             "  %zero = arith.constant 0.0 : f32", "  %lowest = arith.constant 0xFF800000 : f32"]
    for name, dim in (("n", 0), ("h", 2), ("w", 3)):
        lines.append(f"  %c{dim} = arith.constant {dim} : index\n  %{name} = tensor.dim %x, %c{dim} : {image(3)}")
    lines.append("  %c1 = arith.constant 1 : index")
    for name in "hw":
        lines.append(f"  %less{name} = arith.subi %{name}, %c1 : index\n  %floor{name} = arith.divui %less{name}, %c2 : index\n"
                     f"  %half{name} = arith.addi %floor{name}, %c1 : index")
    lines.append(f"  {text}\n  return {result} : {image(CLASSES)}\n}}")
    with open(f"{folder}/net.mlir", "w") as file:
        file.write("\n".join(lines) + "\n")
    arguments, types, calls = [], [], []
    random = np.random.default_rng(8)
    for i, (n, h, w) in enumerate(SIZES):
        static, out = tensor(n, 3, h, w), tensor(n, CLASSES, (h + 1) // 2, (w + 1) // 2)
        arguments.append(f"%a{i}: {static}")
        types.append(out)
        calls.append(f"  %d{i} = tensor.cast %a{i} : {static} to {image(3)}\n  %r{i} = call @net(%d{i}) : ({image(3)}) -> {image(CLASSES)}\n"
                     f"  %s{i} = tensor.cast %r{i} : {image(CLASSES)} to {out}")
        x = random.uniform(-1, 1, (n, 3, h, w)).astype(np.float32)
        np.save(f"{folder}/in{i}.npy", x)
        np.save(f"{folder}/out{i}.npy", compute(x.astype(np.float64)).astype(np.float32))
    body = "\n".join(calls)
    lines.append(f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{body}\n"
                 f"  return {', '.join(f'%s{i}' for i in range(len(SIZES)))} : {', '.join(types)}\n}}")
    with open(f"{folder}/calls.mlir", "w") as file:
        file.write("\n".join(lines) + "\n")
    print(" ".join(f"--input {folder}/in{i}.npy --expect {folder}/out{i}.npy" for i in range(len(SIZES))))


main()
