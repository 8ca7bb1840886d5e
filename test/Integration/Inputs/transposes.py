"""Makes two models of many copies into another order of dims, of static and of dynamic sizes: transposes.py DIR.

DIR/static and DIR/dynamic get a .mlir, inputs, and what numpy's transpose says they become.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from pathlib import Path

import numpy as np
from model_text import write_main

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i64": np.int64}
# Blocks without a rest, rests in one and in both dims, fewer than a block, long and short, one element.
SHAPES = [
    ([16, 16], [1, 0]), ([32, 64], [1, 0]), ([21, 35], [1, 0]), ([5, 130], [1, 0]), ([131, 7], [1, 0]), ([1, 40], [1, 0]),
    ([2, 3, 17, 19], [0, 2, 3, 1]), ([2, 17, 19, 3], [0, 3, 1, 2]), ([1, 40, 9, 16], [0, 2, 3, 1]), ([1, 9, 16, 40], [0, 3, 1, 2]),
    ([3, 20, 18], [0, 2, 1]), ([20, 3, 18], [1, 2, 0]), ([6, 7, 33], [2, 1, 0]), ([6, 7, 33], [1, 0, 2]), ([18, 1, 1, 23], [3, 1, 2, 0]),
]


def make(folder, dynamic):
    random = np.random.default_rng(3)
    arguments, lines, results = [], [], []
    folder.mkdir(parents=True)
    for shape, permutation in SHAPES:
        for name, dtype in TYPES.items():
            if name != "f32" and shape not in ([32, 64], [21, 35], [20, 3, 18]):
                continue
            i = len(arguments)
            value = random.integers(-99, 99, shape).astype(dtype)
            turned = np.transpose(value, permutation)
            text = lambda sizes: "x".join("?" if dynamic else str(size) for size in sizes) + f"x{name}"
            source, target = f"tensor<{text(shape)}>", f"tensor<{text(turned.shape)}>"
            arguments.append(f"%x{i}: {source}")
            sizes = []
            if dynamic:
                for dim, from_dim in enumerate(permutation):
                    lines += [f"%c{i}_{dim} = arith.constant {from_dim} : index",
                              f"%s{i}_{dim} = tensor.dim %x{i}, %c{i}_{dim} : {source}"]
                    sizes.append(f"%s{i}_{dim}")
            lines += [f"%e{i} = tensor.empty({', '.join(sizes)}) : {target}",
                      f"%r{i} = linalg.transpose ins(%x{i} : {source}) outs(%e{i} : {target}) permutation = {permutation}"]
            results.append(target)
            np.save(folder / f"in{i}.npy", value)
            np.save(folder / f"out{i}.npy", np.ascontiguousarray(turned))
    write_main(folder, arguments, lines, results)


for kind in ("static", "dynamic"):
    make(Path(sys.argv[1]) / kind, kind == "dynamic")
