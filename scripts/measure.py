"""Calls a compiled library through `_mlir_ciface_<entry>` and measures it; used by the demo and the benchmarks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import os
import subprocess
import time

LLVM_SIZE = "/usr/lib/llvm-22/bin/llvm-size"


def memref(array):
    """The strided descriptor that `_mlir_ciface_` functions take."""
    rank = array.ndim

    class Descriptor(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
        _fields_ += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)] if rank else []

    descriptor = Descriptor(array.ctypes.data, array.ctypes.data, 0)
    if rank:
        descriptor.sizes[:] = array.shape
        descriptor.strides[:] = [stride // array.itemsize for stride in array.strides]
    return descriptor


def latencies(library, inputs, results, runs, warm_up=1, seconds=20.0, entry="main"):
    """Milliseconds of each call: at most `runs`, fewer once `seconds` have passed; writes `results`."""
    function = getattr(ctypes.CDLL(os.path.abspath(library)), f"_mlir_ciface_{entry}")
    descriptors = [memref(array) for array in inputs + results]
    arguments = [ctypes.byref(descriptor) for descriptor in descriptors]
    times = []
    for call in range(warm_up + runs):
        start = time.perf_counter()
        function(*arguments)
        times.append((time.perf_counter() - start) * 1e3)
        if call > warm_up and sum(times) > seconds * 1e3:
            break
    return times[warm_up:]


def code_size(library):
    """Bytes of machine code: the .text section."""
    sections = subprocess.run([LLVM_SIZE, "-A", library], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split()[1]) for line in sections.splitlines() if line.startswith(".text"))
