"""Inputs and results of the models in shape-errors.test: shape_errors.py DIRECTORY."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

directory = sys.argv[1]
random = np.random.default_rng(1)


def make(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def save(name, *arrays):
    for number, array in enumerate(arrays):
        np.save(f"{directory}/{name}{number}.npy", array)


x, y = make(3, 6), make(2, 6)
save("slices", x, y, np.concatenate([x, y]), abs(x[:, 2:5]), x[0, 0])

x = make(1, 7, 4)
sums = np.array([x[0, 2 * i : 2 * i + 3].sum() / 2 for i in range(3)], np.float32)
save("window", x, make(3), np.repeat(sums.reshape(1, 3, 1), 8, axis=2))

x = make(1, 5, 6, 2)
pooled = [[x[0, 2 * i : 2 * i + 2, j : j + 5 : 2].max(axis=(0, 1)) for j in range(2)] for i in range(2)]
save("pool", x, make(2, 2), np.array([pooled]))

x, z = np.arange(15, dtype=np.float32).reshape(5, 3), np.arange(5, dtype=np.float32)
save("nested", x, make(2, 3), z, x[0] + x[1], (x[:, 0] + z).sum())

x, y = make(4), make(4)
save("data", x, y, np.array(2), x + y + y)
np.save(f"{directory}/short.npy", make(2))
np.save(f"{directory}/zero.npy", np.array(0))
