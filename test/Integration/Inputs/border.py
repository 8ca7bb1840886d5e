"""Makes two models of pointwise convolutions of channels-first images, of a known and an unknown number: border.py DIR.

DIR/static and DIR/dynamic get a .mlir, inputs, and what numpy's products say they become.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import sys
from pathlib import Path

import numpy as np
from model_text import write_main

# Images, channels, pixels and result channels: whole panels and a rest in each dim, rows a page apart, many channels.
SHAPES = [
    (1, 5, [4, 8], 7), (2, 33, [8, 14], 27), (3, 8, [127], 5), (1, 64, [56, 56], 40), (2, 17, [32, 32], 30),
    (1, 600, [14, 14], 13), (2, 3, [3, 5, 17], 20), (1, 16, [191], 1),
]
# How a filter [O, C] is written.
FILTERS = {
    "out_in_spatial": (lambda w, ones: w.reshape(*w.shape, *ones)),
    "out_spatial_in": (lambda w, ones: w.reshape(w.shape[0], *ones, w.shape[1])),
    "spatial_in_out": (lambda w, ones: w.T.reshape(*ones, *w.T.shape)),
}


def make(folder, dynamic):
    random = np.random.default_rng(5)
    arguments, lines, results = [], [], []
    folder.mkdir(parents=True)

    def tensor(shape, images=False):
        return "tensor<" + "x".join("?" if dynamic and images and i == 0 else str(size) for i, size in enumerate(shape)) + "xf32>"

    def add(value, images=False):
        name = f"%x{len(arguments)}"
        np.save(folder / f"in{len(arguments)}.npy", value)
        arguments.append(f"{name}: {tensor(value.shape, images)}")
        return name

    forms = itertools.cycle(itertools.product((False, True), FILTERS.items()))
    for images, channels, pixels, outputs in SHAPES:
        for _ in range(2):
            is_constant, (layout, arrange) = next(forms)
            i = len(results)
            # Small integers: no order of a sum changes it.
            x = random.integers(-4, 5, (images, channels, *pixels)).astype(np.float32)
            w = random.integers(-4, 5, (outputs, channels)).astype(np.float32)
            b = random.integers(-9, 9, (outputs,)).astype(np.float32)
            r = random.integers(-9, 9, (images, outputs, *pixels)).astype(np.float32)
            product = np.einsum("oc,ncp->nop", w, x.reshape(images, channels, -1)).reshape(r.shape)
            y = np.maximum(product + b.reshape(1, -1, *[1] * len(pixels)) + r, 0)
            filters = np.ascontiguousarray(arrange(w, [1] * len(pixels)))
            names = [add(x, images=True), None, add(b), add(r, images=True)]
            image, result = tensor(x.shape, True), tensor(y.shape, True)
            if is_constant:
                names[1] = f"%w{i}"
                lines.append(f"%w{i} = arith.constant dense<{filters.tolist()}> : {tensor(filters.shape)}")
            else:
                names[1] = add(filters)
            size = ""
            if dynamic:
                lines += [f"%c{i} = arith.constant 0 : index", f"%n{i} = tensor.dim {names[0]}, %c{i} : {image}"]
                size = f"%n{i}"
            dims = ", ".join(map(str, range(y.ndim)))
            lines += [
                f"%e{i} = tensor.empty({size}) : {result}",
                f"%r{i} = fusion.conv ins({names[0]}, {names[1]} : {image}, {tensor(filters.shape)}) outs(%e{i} : {result}) "
                f"{{filter_layout = {layout}}} epilogue(%acc: f32, %b = {names[2]}[1] : {tensor(b.shape)}, "
                f"%p = {names[3]}[{dims}] : {result}) {{ %s = arith.addf %acc, %b : f32 %t = arith.addf %s, %p : f32 "
                f"%z = arith.constant 0.0 : f32 %m = arith.maximumf %t, %z : f32 fusion.yield %m : f32 }} -> {result}"]
            np.save(folder / f"out{i}.npy", y)
            results.append(result)
    write_main(folder, arguments, lines, results)


for kind in ("static", "dynamic"):
    make(Path(sys.argv[1]) / kind, kind == "dynamic")
