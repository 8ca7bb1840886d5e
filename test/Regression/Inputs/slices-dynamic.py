"""Inputs, results and arguments of slices-dynamic.test: slices-dynamic.py DIRECTORY."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

directory = sys.argv[1]
random = np.random.default_rng(1)
for number, (m, k, n, step, h, v) in enumerate([(5, 7, 19, 2, 3, 5), (1, 1, 1, 1, 1, 1)]):
    x = random.standard_normal((max(m, k + 1), 2 * n), dtype=np.float32)
    y = random.standard_normal((m, k), dtype=np.float32)
    z = random.standard_normal((1, h, v, 16), dtype=np.float32)
    product = y.astype(np.float64) @ x[1 : 1 + k, 0::2]
    part = x[:m, 0 : n * step : step]
    written = x.copy()
    written[:m, 0 : n * step : step] = part + product
    image = np.repeat(z[..., ::4].astype(np.float64).sum(axis=3, keepdims=True) / 4, 4, axis=3)
    results = [product + x[:m, 1::2], written, image, abs(part)]
    arguments = ""
    for kind, arrays in (("input", [x, y, z, np.array(step)]), ("expect", results)):
        for i, array in enumerate(arrays):
            name = f"{directory}/{kind}{number}-{i}.npy"
            np.save(name, array.astype(np.float32) if array.dtype == np.float64 else array)
            arguments += f"--{kind} {name} "
    with open(f"{directory}/arguments{number}", "w") as file:
        file.write(arguments)
