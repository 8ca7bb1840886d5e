"""Inputs, results and arguments of carried-dynamic.test: carried-dynamic.py DIRECTORY."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

directory = sys.argv[1]


def write(name, inputs, results):
    """The arguments of a run that takes the inputs and expects the results."""
    arguments = ""
    for kind, arrays in (("input", inputs), ("expect", results)):
        for i, array in enumerate(arrays):
            np.save(f"{directory}/{name}-{kind}{i}.npy", array)
            arguments += f"--{kind} {directory}/{name}-{kind}{i}.npy "
    with open(f"{directory}/{name}", "w") as file:
        file.write(arguments)


for number, (n, w, trips) in enumerate([(3, 5, 4), (7, 2, 1), (2, 3, 0)]):
    x = np.arange(-5, 4 * n - 5, dtype=np.float32).reshape(n, 4)
    y = np.arange(-3, 4 * w - 3, dtype=np.float32).reshape(w, 4)
    unread, last, total, left, right = abs(x), -x, x, abs(y), -y
    for _ in range(trips):
        unread, last = last, last + x
        total = total + last
        left, right = right, left
    write(f"arguments{number}", [x, y, np.array(trips)], [unread, last, total, left, right])
    a, b = abs(x), x
    for _ in range(trips):
        a, b = b, a + b
    a, b = b, a
    for _ in range(trips):
        a, b = b, a - b
    c, d = a, b
    for _ in range(trips):
        for _ in range(trips):
            c, d = d, c + d
        c, d = d, c
    write(f"chained{number}", [x, np.array(trips)], [a, b, c, d])
