"""mlir-fusion: the driver compiles model.mlirbc (or .mlir) to a library, which is called by its C functions (docs/ABI.md).

Options: "driver", "cpus" (of the compiler), "flags" (of compile).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json
import subprocess
import time

import numpy as np
from protocol import Peer, run_compiler, serve

DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8, "i1": np.uint8}


def aligned(shape, dtype):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


class Fusion(Peer):
    exits_normally = True  # libomp leaves a file in /dev/shm otherwise

    def versions(self):
        text = subprocess.run([self.options["driver"], "--version"], capture_output=True, text=True).stdout.split()
        return {"mlir-fusion": next((word for word in text if word[0].isdigit()), "?")}

    def compile(self, folder, scratch, reuse):
        library, report = scratch / "model.so", scratch / "report.json"
        model = next((folder / name for name in ("model.mlirbc", "model.mlir") if (folder / name).exists()), None)
        if model is None:
            raise FileNotFoundError("no model.mlirbc: the import of model.onnx failed")
        seconds = None
        if not (reuse and library.exists()):
            library.unlink(missing_ok=True)  # a library that is mapped must not be written over
            command = [self.options["driver"], "compile", model, "-o", library, "--name", "model", "--report", report, "--jobs", "2"]
            seconds = run_compiler([*command, *self.options["flags"]], self.options["cpus"])
        start = time.perf_counter()
        self.library = ctypes.CDLL(str(library.resolve()))
        loaded = time.perf_counter() - start
        sizes = json.loads(report.read_text())["bytes"]
        self.library.model_workspace_size.restype = ctypes.c_size_t
        return {
            "seconds": (seconds or 0) + loaded,
            "reused": seconds is None,
            "to_library_s": seconds,
            "code_bytes": sizes["text"] + sizes["rodata_without_constants"],
            "file_bytes": sizes["file"],
            "arena_bytes": sizes["workspace"],
        }

    def bind(self, inputs, results):
        signature = json.loads(ctypes.string_at(self.library.model_signature))
        tensors = signature["inputs"] + signature["outputs"]
        if any(size < 0 for tensor in tensors for size in tensor["shape"]):
            raise ValueError("expected static sizes: give them to scripts/import-onnx.sh")
        self.buffers = [aligned(tensor["shape"], DTYPES[tensor["type"]]) for tensor in tensors]
        for buffer, array in zip(self.buffers, inputs):
            buffer[...] = array
        self.results = self.buffers[len(inputs) :]
        self.workspace = aligned([max(self.library.model_workspace_size(), 1)], np.uint8)
        self.function = self.library.model_run
        self.arguments = [ctypes.c_void_p(array.ctypes.data) for array in [*self.buffers, self.workspace]]

    def call(self):
        if self.function(*self.arguments):
            raise RuntimeError("model_run failed")

    def outputs(self):
        return self.results


serve(Fusion)
