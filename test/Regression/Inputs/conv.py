#!/usr/bin/env python3
"""Writes x.npy, w.npy and y.npy: a convolution, channels last.

usage: conv.py FOLDER NxHxWxC KHxKW     two output channels
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

folder, image, kernel = sys.argv[1:]
random = np.random.default_rng(0)
shape, window = (tuple(map(int, text.split("x"))) for text in (image, kernel))
x = random.standard_normal(shape).astype("f4")
w = random.standard_normal((2, *window, shape[3])).astype("f4")
windows = np.lib.stride_tricks.sliding_window_view(x, window, axis=(1, 2))
y = np.einsum("nhwcxy,oxyc->nhwo", windows.astype("f8"), w)
for name, array in (("x", x), ("w", w), ("y", y.astype("f4"))):
    np.save(f"{folder}/{name}.npy", array)
