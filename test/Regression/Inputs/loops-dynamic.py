"""Writes inputs and results of loops-dynamic.test's model. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import sys

import numpy as np

folder, n, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = (np.arange(n * 4, dtype=np.float32).reshape(n, 4) - 5) / 8
a = np.abs(x)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/k.npy", np.int64(k))
np.save(f"{folder}/y.npy", a + k * x)
np.save(f"{folder}/z.npy", np.exp(a) if k > 0 else a)
