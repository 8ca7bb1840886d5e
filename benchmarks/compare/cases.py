#!/usr/bin/env python3
"""Builds the layers and networks of the comparison as ONNX models with seeded weights; needs numpy and onnx.

usage: cases.py OUT NAME…       writes OUT/NAME/model.onnx, in*.npy, out*.npy (computed in f64) and case.json; without a NAME: lists them

Graphs look as PyTorch's exporter leaves them, batch norms unfolded: what is fused is what the compiler under test finds by itself.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
from fusion_models import conv_reference, window_slices  # noqa: E402

OPSET = 17


@dataclass
class Value:
    """A tensor of the graph and what it holds, in f64."""

    name: str
    data: np.ndarray

    @property
    def shape(self):
        return self.data.shape


class Graph:
    """An ONNX graph under construction that computes itself."""

    def __init__(self, name):
        self.name = name
        # By the name alone: a case is the same whichever others are built with it.
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.weights, self.inputs, self.results = [], [], [], []

    def normal(self, *shape, scale=1.0):
        return (scale * self.rng.standard_normal(shape)).astype(np.float32)

    def input(self, *shape):
        array = self.normal(*shape)
        self.inputs.append((f"x{len(self.inputs)}", array))
        return Value(self.inputs[-1][0], array.astype(np.float64))

    def weight(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append((name, np.ascontiguousarray(array)))
        return Value(name, array.astype(np.float64))

    def op(self, kind, *operands, data, **attributes):
        from onnx import helper

        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [operand.name for operand in operands], [name], name=name, **attributes))
        return Value(name, data)

    def conv(self, x, channels, kernel, stride=1, groups=1, gain=2**0.5):
        """Convolution with He-scaled weights, padded by kernel // 2, and a batch norm."""
        group, pad = x.shape[1] // groups, kernel // 2
        w = self.weight(self.normal(channels, group, kernel, kernel, scale=gain * (group * kernel * kernel) ** -0.5))
        padded = np.pad(x.data, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
        y = self.op(
            *("Conv", x, w), data=conv_reference(padded, w.data, stride, groups),
            kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=groups,
        )
        gamma, beta, mean = (self.weight(base + self.normal(channels, scale=0.1)) for base in (np.float32(1), 0, 0))
        variance = self.weight((0.8 + 0.4 * self.rng.random(channels)).astype(np.float32))
        scale = gamma.data / np.sqrt(variance.data + np.float32(1e-5))
        data = y.data * scale[:, None, None] + (beta.data - mean.data * scale)[:, None, None]
        return self.op("BatchNormalization", y, gamma, beta, mean, variance, data=data, epsilon=1e-5)

    def relu(self, x):
        return self.op("Relu", x, data=np.maximum(x.data, 0))

    def relu6(self, x):
        low, high = (self.weight(np.array(bound, np.float32)) for bound in (0, 6))
        return self.op("Clip", x, low, high, data=np.clip(x.data, 0, 6))

    def add(self, x, y):
        return self.op("Add", x, y, data=x.data + y.data)

    def max_pool(self, x):
        """3x3, stride 2, padding 1."""
        padded = np.pad(x.data, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-np.inf)
        shape = (*x.shape[:2], *((size + 1) // 2 for size in x.shape[2:]))
        data = np.maximum.reduce([padded[window] for window in window_slices(shape, 3, 2)])
        return self.op("MaxPool", x, data=data, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)

    def classify(self, x, classes=1000):
        x = self.op("GlobalAveragePool", x, data=x.data.mean(axis=(2, 3), keepdims=True))
        self.linear(self.op("Flatten", x, data=x.data.reshape(x.shape[0], -1), axis=1), classes)

    def linear(self, x, classes):
        w = self.weight(self.normal(classes, x.shape[1], scale=x.shape[1] ** -0.5))
        bias = self.weight(self.normal(classes, scale=0.1))
        self.finish(self.op("Gemm", x, w, bias, data=x.data @ w.data.T + bias.data, transB=1))

    def finish(self, *results):
        self.results = results

    def write(self, folder):
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        def info(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            self.nodes,
            self.name,
            [info(name, array.shape) for name, array in self.inputs],
            [info(result.name, result.shape) for result in self.results],
            [numpy_helper.from_array(array, name) for name, array in self.weights],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8, producer_name="mlir-fusion")
        onnx.checker.check_model(model, full_check=True)
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, folder / "model.onnx")
        for index, (_, array) in enumerate(self.inputs):
            np.save(folder / f"in{index}.npy", array)
        for index, result in enumerate(self.results):
            np.save(folder / f"out{index}.npy", result.data)


@dataclass(frozen=True)
class Case:
    group: str  # layer, batch or net
    build: Callable


CASES = {}


def case(name, group):
    def register(build):
        CASES[name] = Case(group, build)
        return build

    return register


# ----- layers ---------------------------------------------------------------------------------------------------------


def layer(name, channels_in, size, channels, kernel, stride=1, groups=1, act=Graph.relu, residual=False):
    """One image in the group layer, more in the group batch, by names that end in _bN."""

    def register(case_name, group, batch):
        @case(case_name, group)
        def build(graph):
            y = graph.conv(graph.input(batch, channels_in, size, size), channels, kernel, stride, groups)
            if residual:
                y = graph.add(y, graph.input(*y.shape))
            graph.finish(act(graph, y))

    register(name, "layer", 1)
    for batch in BATCHES:
        register(f"{name}_b{batch}", "batch", batch)


def classifier(channels, classes, batch):
    """A fully connected layer."""

    @case(f"fc_{channels}_{classes}_b{batch}", "batch")
    def build(graph):
        graph.linear(graph.input(batch, channels), classes)


BATCHES = [4, 16]

layer("conv7x7s2_3_64_224", 3, 224, 64, 7, stride=2)
layer("conv3x3_64_64_56", 64, 56, 64, 3)
layer("conv1x1_64_256_56_res", 64, 56, 256, 1, residual=True)
layer("conv3x3s2_128_128_56", 128, 56, 128, 3, stride=2)
layer("conv3x3_256_256_14", 256, 14, 256, 3)
layer("conv3x3_512_512_7", 512, 7, 512, 3)
layer("dw3x3s2_96_112_relu6", 96, 112, 96, 3, stride=2, groups=96, act=Graph.relu6)
layer("dw3x3_144_56_relu6", 144, 56, 144, 3, groups=144, act=Graph.relu6)
for images in [1, *BATCHES]:
    classifier(2048, 1000, images)


# ----- networks -------------------------------------------------------------------------------------------------------


@case("resnet50", "net")
def resnet50(graph):
    """Version 1.5: the stride of a bottleneck is in its 3x3 convolution."""
    x = graph.max_pool(graph.relu(graph.conv(graph.input(1, 3, 224, 224), 64, 7, 2)))
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = graph.relu(graph.conv(x, width, 1))
            y = graph.relu(graph.conv(y, width, 3, stride))
            y = graph.conv(y, 4 * width, 1, gain=0.5)
            if not block:
                x = graph.conv(x, 4 * width, 1, stride, gain=1)
            x = graph.relu(graph.add(y, x))
    graph.classify(x)


@case("mobilenetv2", "net")
def mobilenetv2(graph):
    x = graph.relu6(graph.conv(graph.input(1, 3, 224, 224), 32, 3, 2))
    rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expand, channels, repeat, first in rows:
        for block in range(repeat):
            stride, wide = 1 if block else first, expand * x.shape[1]
            y = graph.relu6(graph.conv(x, wide, 1)) if expand > 1 else x
            y = graph.relu6(graph.conv(y, wide, 3, stride, groups=wide))
            y = graph.conv(y, channels, 1, gain=1)
            x = graph.add(x, y) if y.shape == x.shape else y
    graph.classify(graph.relu6(graph.conv(x, 1280, 1)))


def main():
    if len(sys.argv) < 2:
        print(json.dumps({name: one.group for name, one in CASES.items()}))
        return
    for name in sys.argv[2:]:
        graph = Graph(name)
        CASES[name].build(graph)
        graph.write(Path(sys.argv[1]) / name)


if __name__ == "__main__":
    main()
