"""Makes models of layers with 4 and with 16 images and odd numbers of channels: batches.py DIR.

DIR/of4 and DIR/of16 get a .mlir, inputs, and what numpy says they become: a 3x3 convolution and its residual, one of stride 2, a
pointwise, a grouped and a depthwise one, a first layer, a pool, and a classifier.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from pathlib import Path

import numpy as np
from model_text import write_main

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from fusion_models import conv_reference, window_slices  # noqa: E402

# Channels, height and width, result channels, kernel, stride, groups, residual.
CONVOLUTIONS = [
    (13, (14, 13), 27, 3, 1, 1, True), (35, (7, 7), 33, 3, 1, 1, False), (19, (15, 11), 21, 3, 2, 1, False),
    (33, (9, 7), 67, 1, 1, 1, True), (10, (8, 9), 15, 3, 1, 5, False), (37, (11, 10), 37, 3, 1, 37, False),
    (21, (13, 12), 21, 3, 2, 21, False), (3, (25, 23), 21, 7, 2, 1, False),
]  # fmt: skip


class Model:
    def __init__(self, folder, batch):
        self.folder, self.batch = folder, batch
        self.random = np.random.default_rng(batch)
        self.arguments, self.lines, self.results = [], [], []
        folder.mkdir(parents=True)

    def integers(self, shape, most=3):
        """Small: no order of a sum changes it."""
        return self.random.integers(-most, most + 1, shape).astype(np.float32)

    @staticmethod
    def type(array):
        return f"tensor<{'x'.join(map(str, array.shape))}xf32>"

    def take(self, array):
        name = f"%x{len(self.arguments)}"
        np.save(self.folder / f"in{len(self.arguments)}.npy", array)
        self.arguments.append(f"{name}: {self.type(array)}")
        return name

    def constant(self, array):
        name = f"%c{len(self.lines)}"
        self.lines.append(f"{name} = arith.constant dense<{array.tolist()}> : {self.type(array)}")
        return name

    def give(self, expected, op, operands, attributes="", epilogue=""):
        i = len(self.results)
        result = self.type(expected)
        names, types = zip(*operands)
        self.lines += [
            f"%e{i} = tensor.empty() : {result}",
            f"%r{i} = {op} ins({', '.join(names)} : {', '.join(types)}) outs(%e{i} : {result}) {attributes} {epilogue} -> {result}"]
        np.save(self.folder / f"out{i}.npy", expected)
        self.results.append(result)

    def conv(self, channels, size, outputs, kernel, stride, groups, residual):
        x = self.integers((self.batch, channels, *size))
        w = self.integers((outputs, channels // groups, kernel, kernel))
        b = self.integers((outputs,))
        pad = kernel // 2
        y = conv_reference(np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)]), w, stride, groups) + b[:, None, None]
        body, more = "%s = arith.addf %acc, %b : f32", ""
        if residual:
            r = self.integers(y.shape)
            y, more = y + r, f", %p = {self.take(r)}[0, 1, 2, 3] : {self.type(r)}"
            body = "%q = arith.addf %acc, %b : f32 %s = arith.addf %q, %p : f32"
        epilogue = (f"epilogue(%acc: f32, %b = {self.constant(b)}[1] : {self.type(b)}{more}) {{ {body} %z = arith.constant 0.0 : f32 "
                    "%m = arith.maximumf %s, %z : f32 fusion.yield %m : f32 }")
        attributes = f"{{groups = {groups} : i64, pad_high = [{pad}, {pad}], pad_low = [{pad}, {pad}], strides = [{stride}, {stride}]}}"
        operands = [(self.take(x), self.type(x)), (self.constant(w), self.type(w))]
        self.give(np.maximum(y, 0).astype(np.float32), "fusion.conv", operands, attributes, epilogue)

    def pool(self):
        x = self.integers((self.batch, 21, 11, 9), 100)
        y = np.maximum.reduce([x[window] for window in window_slices((*x.shape[:2], 5, 4), 3, 2)])
        self.give(y, "fusion.pool max", [(self.take(x), self.type(x))], "{strides = [2, 2], window = [3, 3]}")

    def classifier(self):
        x, w = self.integers((self.batch, 67)), self.integers((67, 101))
        self.give(x @ w, "fusion.matmul", [(self.take(x), self.type(x)), (self.constant(w), self.type(w))])


for images in (4, 16):
    model = Model(Path(sys.argv[1]) / f"of{images}", images)
    for convolution in CONVOLUTIONS:
        model.conv(*convolution)
    model.pool()
    model.classifier()
    write_main(model.folder, model.arguments, model.lines, model.results)
