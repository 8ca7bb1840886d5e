"""Writes an input and what reshape-dynamic.test's model makes of it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import sys

import numpy as np

folder, n, m = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = np.arange(n * m * 6, dtype=np.float32).reshape(n * m, 6)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/s.npy", np.zeros((n, m), np.float32))
np.save(f"{folder}/y.npy", np.exp(x.reshape(n, m, 2, 3).transpose(2, 1, 0, 3) / 100) + 1)
np.save(f"{folder}/z.npy", np.abs(x).reshape(m, n, 6).sum(axis=1))
