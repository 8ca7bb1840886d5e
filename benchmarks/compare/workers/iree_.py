"""IREE: the llvm-cpu backend for the host's CPU at -O3 with data tiling, as its CPU guide recommends.

Options: "cpus" (of the compiler), "flags" (further ones). Importing (protobuf to MLIR text, in Python) is no part of its compile time.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys
import time
from importlib.metadata import version
from pathlib import Path

import iree.runtime as rt
from protocol import Peer, run_compiler, serve

BIN = Path(sys.executable).parent
FLAGS = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
    "--iree-opt-data-tiling",
    # With data tiling a layer norm exceeds the default of 32 KiB.
    "--iree-llvmcpu-stack-allocation-limit=131072",
]


class Iree(Peer):
    def __init__(self, threads, options):
        super().__init__(threads, options)
        if threads > 1:
            rt.flags.parse_flags(f"--task_topology_group_count={threads}")

    def versions(self):
        return {"iree": version("iree-base-compiler")}

    def compile(self, folder, scratch, reuse):
        source, module_file, binaries = scratch / "model.mlir", scratch / "model.vmfb", scratch / "binaries"
        seconds = None
        if not (reuse and module_file.exists()):
            module_file.unlink(missing_ok=True)
            run_compiler([BIN / "iree-import-onnx", folder / "model.onnx", "-o", source], self.options["cpus"])
            command = [BIN / "iree-compile", *FLAGS, *self.options.get("flags", [])]
            command += [f"--iree-hal-dump-executable-binaries-to={binaries}", source, "-o", module_file]
            seconds = run_compiler(command, self.options["cpus"])
            source.unlink()
        start = time.perf_counter()
        self.config = rt.Config("local-task" if self.threads > 1 else "local-sync")
        self.module = rt.VmModule.mmap(self.config.vm_instance, str(module_file))
        hal = rt.create_hal_module(self.config.vm_instance, self.config.device)
        self.context = rt.VmContext(self.config.vm_instance, modules=[hal, self.module])
        (name,) = (name for name in self.module.function_names if not name.startswith("__") and "$" not in name)
        self.function = self.module.lookup_function(name)
        return {
            "seconds": (seconds or 0) + time.perf_counter() - start,
            "reused": seconds is None,
            "code_bytes": sum(file.stat().st_size for file in binaries.glob("*.so")),
            "file_bytes": module_file.stat().st_size,
        }

    def bind(self, inputs, results):
        self.arguments = rt.VmVariantList(len(inputs))
        for array in inputs:
            self.arguments.push_ref(rt.asdevicearray(self.config.device, array)._buffer_view)

    def call(self):
        self.results = rt.VmVariantList(1)
        self.context.invoke(self.function, self.arguments, self.results)

    def outputs(self):
        views = [self.results.get_as_object(index, rt.HalBufferView) for index in range(len(self.results))]
        return [rt.DeviceArray(self.config.device, view, implicit_host_transfer=True).to_host() for view in views]


serve(Iree)
