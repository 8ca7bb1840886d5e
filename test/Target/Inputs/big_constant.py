"""Makes a matrix product with 5 MB of constant weights, and tells which of them a loaded library holds in huge pages.

usage: big_constant.py model DIR | big_constant.py pages LIBRARY NAME | big_constant.py watch COMMAND…
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import subprocess
import sys
import time

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


def count(pid, name):
    """Huge pages advised among what is read-only, between the mappings of the file called `name` or, if that is empty, anywhere."""
    pages, inside, advised = 0, not name, 0
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                start, end = (int(word, 16) for word in words[0].split("-"))
                if name and words[-1].endswith(name):
                    inside, pages = True, pages + advised
                    advised = 0
                elif len(words) > 5:
                    inside = inside and not name
                anonymous = len(words) == 5 and words[1] == "r--p"
            elif words[0] == "VmFlags:" and inside and anonymous and "hg" in words:
                assert (end - start) % (2 << 20) == 0
                advised += (end - start) >> 21
    return pages if name else advised


def tell(library, name):
    """Of a library that this process has loaded."""
    model = ctypes.CDLL(library)
    x = np.ones((1, K), np.float32)
    y = np.empty((1, N), np.float32)
    pointer = lambda array: ctypes.c_void_p(array.ctypes.data)
    assert getattr(model, f"{name}_run")(pointer(x), pointer(y), None) == 0
    print("allowed" if is_allowed() else "forbidden", count("self", library), "huge pages")


def watch(*command):
    """Of a model that another process runs for a long time."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        pages = 0
        while is_allowed() and not pages and process.poll() is None:
            time.sleep(0.05)
            pages = count(process.pid, "")
        process.kill()
    print("allowed" if is_allowed() else "forbidden", pages, "huge pages")


{"model": make, "pages": tell, "watch": watch}[sys.argv[1]](*sys.argv[2:])
