"""Depthwise convolutions between channels-first images, one model of five for each pair of types.

usage: plane_types.py write FOLDER
       plane_types.py run FOLDER TARGET
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np

# Of elements and of sums, which are exact: numbers are small and whole.
TYPES = {"f16": "f32", "f64": "f64", "i8": "i32", "i16": "i64", "f32": "f64"}
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
# Width, stride, window and padding.
CASES = [(23, 1, 3, 1), (23, 2, 3, 1), (40, 3, 5, 2), (31, 4, 2, 0), (9, 1, 1, 0)]
CHANNELS, HEIGHT = 3, 9


def tensor(array, kind):
    return f"tensor<{'x'.join(map(str, array.shape))}x{kind}>"


def convolve(x, w, stride, pad):
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,cij->nchw", windows, w[:, 0].astype(np.float64))


def write(folder, kind, sums):
    draw = np.random.default_rng(0)
    arguments, body, results = [], "", []
    for i, (width, stride, window, pad) in enumerate(CASES):
        x = draw.integers(-4, 5, (1, CHANNELS, HEIGHT, width)).astype(NUMPY[kind])
        w = draw.integers(-3, 4, (CHANNELS, 1, window, window)).astype(NUMPY[kind])
        y = convolve(x, w, stride, pad).astype(NUMPY[sums])
        for name, array in (("x", x), ("w", w), ("y", y)):
            np.save(f"{folder}/{kind}-{name}{i}.npy", array)
        out = tensor(y, sums)
        arguments += [f"%x{i}: {tensor(x, kind)}, %w{i}: {tensor(w, kind)}"]
        results += [out]
        body += f"""  %e{i} = tensor.empty() : {out}
  %y{i} = fusion.conv ins(%x{i}, %w{i} : {tensor(x, kind)}, {tensor(w, kind)}) outs(%e{i} : {out})
    {{groups = {CHANNELS}, strides = [{stride}, {stride}], pad_low = [{pad}, {pad}], pad_high = [{pad}, {pad}]}} -> {out}
"""
    values = ", ".join(f"%y{i}" for i in range(len(CASES)))
    with open(f"{folder}/{kind}.mlir", "w") as file:
        file.write(f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n{body}  return {values} : {', '.join(results)}\n}}\n")


def run(folder, kind, target):
    command = ["mlir-fusion", "run", f"{folder}/{kind}.mlir", "--target", target, "--rtol-max", "0"]
    for i in range(len(CASES)):
        command += ["--input", f"{folder}/{kind}-x{i}.npy", "--input", f"{folder}/{kind}-w{i}.npy", "--expect", f"{folder}/{kind}-y{i}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    print("FAIL" if done.returncode else "PASS", kind, done.stdout + done.stderr if done.returncode else "")


for kind, sums in TYPES.items():
    if sys.argv[1] == "write":
        write(sys.argv[2], kind, sums)
    else:
        run(sys.argv[2], kind, sys.argv[3])
