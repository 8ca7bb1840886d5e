"""Runs dynamic-rests.test's library at lengths with every rest of a vector. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import subprocess
import sys

import numpy as np

folder, library = sys.argv[1:]
for length in (0, 1, 2, 3, 7, 8, 13, 16, 21, 31, 32, 63, 64, 95, 127, 200):
    x = np.arange(3 * length, dtype=np.float32).reshape(3, length) % 17
    b = (np.arange(3 * length).reshape(3, length) * 7 % 256).astype(np.uint8).view(np.int8)
    arrays = {"x": x, "b": b, "y": x * x + 1, "c": b ^ b[::-1], "z": x.sum(axis=1)}
    for name, array in arrays.items():
        np.save(f"{folder}/{name}.npy", np.ascontiguousarray(array))
    np.save(f"{folder}/d.npy", np.ascontiguousarray(b[::-1]))
    flags = [part for name in "xbd" for part in ("--input", f"{folder}/{name}.npy")]
    flags += [part for name in "ycz" for part in ("--expect", f"{folder}/{name}.npy")]
    run = subprocess.run(["mlir-fusion", "run", library, *flags], capture_output=True, text=True)
    if run.returncode or run.stdout.count(": right") != 3:
        sys.exit(f"length {length}: {run.stdout}{run.stderr}")
print("PASS")
