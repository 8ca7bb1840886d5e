"""Writes test arrays: npy.py OUT.npy TYPE SHAPE [EXPRESSION of i, the index of each element]."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

out, dtype, shape = sys.argv[1:4]
shape = tuple(int(size) for size in shape.split("x")) if shape != "scalar" else ()
i = np.arange(np.prod(shape, dtype=int)).astype(dtype)
values = eval(sys.argv[4]) if len(sys.argv) > 4 else i
np.save(out, np.asarray(values, dtype=dtype).reshape(shape))
