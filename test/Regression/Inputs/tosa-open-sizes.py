#!/usr/bin/env python3
"""Writes an image, a filter, and what tosa-open-sizes.mlir computes of them.

usage: tosa-open-sizes.py FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

random = np.random.default_rng(0)
x = random.standard_normal((2, 6, 5, 3)).astype("f4")
i = x.copy()
i[1, :, :, 0] = -np.inf
w = random.standard_normal((4, 3, 2, 3)).astype("f4")


def pool(reduce, border, image):
    padded = np.pad(image, ((0, 0), (2, 1), (1, 0), (0, 0)), constant_values=border)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), axis=(1, 2))
    return reduce(windows[:, ::2], axis=(4, 5)).astype("f4")


transposed = np.zeros((2, 5 * 2 + 3, 4 * 3 + 2, 4))
for h in range(6):
    for v in range(5):
        transposed[:, h * 2:h * 2 + 3, v * 3:v * 3 + 2] += np.einsum("ni,oxyi->nxyo", x[:, h, v].astype("f8"), w)
transposed = np.pad(transposed, ((0, 0), (0, 2), (1, 0), (0, 0)))[:, 1:, :-1] + [1, 2, 3, 4]
arrays = dict(x=x, i=i, w=w, max=pool(np.max, -np.inf, i), average=pool(np.nanmean, np.nan, x), transposed=transposed.astype("f4"))
for name, array in arrays.items():
    np.save(f"{sys.argv[1]}/{name}.npy", array)
