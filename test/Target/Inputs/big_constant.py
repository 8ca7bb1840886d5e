"""Makes a matrix product with 5 MB of constant weights, and tells which of them a loaded library holds in huge pages.

usage: big_constant.py model DIR | big_constant.py pages LIBRARY NAME
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import sys

import numpy as np

K, N = 1024, 1200


def make(folder):
    random = np.random.default_rng(5)
    x, w = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((1, K), (K, N)))
    np.save(f"{folder}/x.npy", x)
    np.save(f"{folder}/y.npy", x @ w)
    with open(f"{folder}/net.mlir", "w") as out:
        out.write(f"""func.func @main(%x: tensor<1x{K}xf32>) -> tensor<1x{N}xf32> {{
  %w = arith.constant dense_resource<weights> : tensor<{K}x{N}xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x{N}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x{N}xf32>) -> tensor<1x{N}xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x{K}xf32>, tensor<{K}x{N}xf32>) outs(%init : tensor<1x{N}xf32>) -> tensor<1x{N}xf32>
  return %y : tensor<1x{N}xf32>
}}
{{-# dialect_resources: {{ builtin: {{ weights: "0x04000000{w.tobytes().hex().upper()}" }} }} #-}}
""")


def is_allowed():
    try:
        with open("/sys/kernel/mm/transparent_hugepage/enabled") as file:
            return "[never]" not in file.read()
    except OSError:
        return False


def tell(library, name):
    """Between the first and the last mapping of the file there is what was put in its place."""
    model = ctypes.CDLL(library)
    x = np.ones((1, K), np.float32)
    y = np.empty((1, N), np.float32)
    pointer = lambda array: ctypes.c_void_p(array.ctypes.data)
    assert getattr(model, f"{name}_run")(pointer(x), pointer(y), None) == 0
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file]
    ours = [i for i, line in enumerate(lines) if line[-1].endswith(library)]
    replaced = [line for line in lines[ours[0]:ours[-1]] if len(line) == 5 and line[1] == "r--p"]
    sizes = [int(end, 16) - int(start, 16) for start, end in (line[0].split("-") for line in replaced)]
    print("allowed" if is_allowed() else "forbidden", sum(sizes) >> 21, "huge pages", "all whole" if not sum(sizes) % (2 << 20) else "in parts")


make(sys.argv[2]) if sys.argv[1] == "model" else tell(*sys.argv[2:])
