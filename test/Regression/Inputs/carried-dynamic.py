"""Inputs, results and arguments of carried-dynamic.test: carried-dynamic.py DIRECTORY."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

directory = sys.argv[1]
for number, (n, w, trips) in enumerate([(3, 5, 4), (7, 2, 1), (2, 3, 0)]):
    x = np.arange(-5, 4 * n - 5, dtype=np.float32).reshape(n, 4)
    y = np.arange(-3, 4 * w - 3, dtype=np.float32).reshape(w, 4)
    unread, last, total, left, right = abs(x), -x, x, abs(y), -y
    for _ in range(trips):
        unread, last = last, last + x
        total = total + last
        left, right = right, left
    arguments = ""
    for kind, arrays in (("input", [x, y, np.array(trips)]), ("expect", [unread, last, total, left, right])):
        for i, array in enumerate(arrays):
            np.save(f"{directory}/{kind}{number}-{i}.npy", array)
            arguments += f"--{kind} {directory}/{kind}{number}-{i}.npy "
    with open(f"{directory}/arguments{number}", "w") as file:
        file.write(arguments)
