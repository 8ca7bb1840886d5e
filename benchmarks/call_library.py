"""Calls a compiled library on arrays in a process of its own: a model that crashes takes nothing with it.

Reads a job as JSON from stdin: library, name, inputs and expected (lists of .npy files), checks (C functions `double f(void)` to call
afterwards). Prints JSON: results (a .npy file each, in the folder of the job), checks (numbers), problem (text, or null).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json
import sys

import numpy as np

DTYPES = {"i1": "u1", "index": "i8", "bf16": "u2"}
DTYPES |= {f"f{bits}": f"f{bits // 8}" for bits in (16, 32, 64)}
DTYPES |= {f"{prefix}i{bits}": f"{kind}{bits // 8}" for prefix, kind in (("", "i"), ("s", "i"), ("u", "u")) for bits in (8, 16, 32, 64)}
GUARD = 256  # bytes on both sides of an array that must stay as they were


class Guarded:
    """A dense array between guards, aligned for any vector."""

    def __init__(self, shape, dtype, values=None):
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        memory = np.full(size + 2 * GUARD + 64, 0xA5, np.uint8)
        start = GUARD + -(memory.ctypes.data + GUARD) % 64
        self.memory, self.start, self.end = memory, start, start + size
        self.array = memory[start : start + size].view(dtype).reshape(shape)
        if values is not None:
            self.array[...] = values
        self.before = memory.copy()

    def pointer(self):
        return ctypes.c_void_p(self.memory.ctypes.data + self.start)

    def is_unchanged(self):
        return np.array_equal(self.memory, self.before)

    def has_guards(self):
        same = self.memory == self.before
        return same[: self.start].all() and same[self.end :].all()


def is_dynamic(tensor):
    return any(not isinstance(size, int) or size < 0 for size in tensor["shape"])


def check_shape(tensor, array, what):
    dtype = np.dtype(DTYPES[tensor["type"]])
    if len(tensor["shape"]) != array.ndim or any(
        isinstance(size, int) and 0 <= size != got for size, got in zip(tensor["shape"], array.shape)
    ):
        raise ValueError(f"expected {what} of shape {tensor['shape']}, got {list(array.shape)}")
    return dtype


def dims_of(arrays, tensors):
    """The dims of the dynamic ones, as the C functions take them."""
    return [np.array(array.shape, np.int64) if is_dynamic(tensor) else None for array, tensor in zip(arrays, tensors)]


def output_shapes(library, name, input_dims, expected):
    dims = [np.zeros(max(array.ndim, 1), np.int64) for array in expected]
    arguments = [value.ctypes.data_as(ctypes.c_void_p) for value in [d for d in input_dims if d is not None] + dims]
    status = getattr(library, f"{name}_output_shapes")(*arguments)
    if status:
        raise ValueError(f"{name}_output_shapes returned {status}")
    return [value[: array.ndim].tolist() for value, array in zip(dims, expected)]


def run(job):
    library = ctypes.CDLL(job["library"])
    name = job["name"]
    signature = json.loads(ctypes.string_at(getattr(library, f"{name}_signature")))
    inputs, expected = ([np.load(path) for path in job[key]] for key in ("inputs", "expected"))
    for key, arrays in (("inputs", inputs), ("outputs", expected)):
        if len(signature[key]) != len(arrays):
            raise ValueError(f"expected {len(arrays)} {key}, got {len(signature[key])}")
    given = []
    for index, (tensor, array) in enumerate(zip(signature["inputs"], inputs)):
        dtype = check_shape(tensor, array, f"input {index}")
        if dtype.itemsize != array.dtype.itemsize:
            raise ValueError(f"expected input {index} of type {array.dtype}, got {tensor['type']}")
        given.append(Guarded(array.shape, dtype, array.view(dtype) if array.dtype != dtype else array))
    input_dims = dims_of(inputs, signature["inputs"])
    for index, (shape, array) in enumerate(zip(output_shapes(library, name, input_dims, expected), expected)):
        if shape != list(array.shape):
            raise ValueError(f"expected result {index} of shape {list(array.shape)}, got {shape}")
    results = [Guarded(array.shape, check_shape(tensor, array, f"result {index}"))
               for index, (tensor, array) in enumerate(zip(signature["outputs"], expected))]
    arguments = []
    for buffer, dims in zip(given + results, input_dims + dims_of(expected, signature["outputs"])):
        arguments.append(buffer.pointer())
        if dims is not None:
            arguments.append(dims.ctypes.data_as(ctypes.c_void_p))
    # A second call shows state that the first one left.
    for _ in range(1 if job["checks"] else 2):
        status = getattr(library, f"{name}_run")(*arguments, None)
        if status:
            raise ValueError(f"{name}_run returned {status}")
    for kind, buffers, good in (("input", given, Guarded.is_unchanged), ("memory around result", results, Guarded.has_guards)):
        for index, buffer in enumerate(buffers):
            if not good(buffer):
                raise ValueError(f"{kind} {index} was written to")
    paths = []
    for index, (tensor, buffer) in enumerate(zip(signature["outputs"], results)):
        array = buffer.array
        if tensor["type"] == "bf16":  # which numpy lacks
            array = (array.astype(np.uint32) << 16).view(np.float32)
        paths.append(f"{job['folder']}/result{index}.npy")
        np.save(paths[-1], array)
    checks = []
    for check in job["checks"]:
        function = getattr(library, check)
        function.restype = ctypes.c_double
        checks.append(function())
    return {"results": paths, "checks": checks, "problem": None}


def main():
    try:
        print(json.dumps(run(json.load(sys.stdin))))
    except (OSError, ValueError, AttributeError, KeyError) as problem:
        print(json.dumps({"problem": str(problem)}))


if __name__ == "__main__":
    main()
