# Settings of the lit tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import shutil

import lit.formats

config.name = "mlir-fusion"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.fusion_source_dir, "test")
config.test_exec_root = os.path.join(config.fusion_binary_dir, "test")
# .ci/check-rules runs the tests with another mlir-fusion-opt: lit --param fusion_tools_dir=DIR
tools_dir = lit_config.params.get("fusion_tools_dir", os.path.join(config.fusion_binary_dir, "bin"))
config.environment["PATH"] = os.pathsep.join([tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
# Results must not depend on the user's settings.
config.environment["LC_ALL"] = "C"
for name in ("HOME", "MLIR_FUSION_CACHE", "OMP_NUM_THREADS", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%fusion_source", config.fusion_source_dir))
lib = os.path.join(config.llvm_tools_dir, "..", "lib")
config.substitutions.append(("%link_openmp", f"-L{lib} -Wl,-rpath,{lib} -lomp"))
config.substitutions.append(("%fusion_plugin", os.path.join(config.fusion_binary_dir, "lib", "AcmePlugin.so")))
config.substitutions.append(("%ping_pong_plugin", os.path.join(config.fusion_binary_dir, "lib", "PingPongPlugin.so")))
config.substitutions.append(("%unsound_plugin", os.path.join(config.fusion_binary_dir, "lib", "UnsoundPlugin.so")))
config.substitutions.append(("%python", "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"))

# Kernels and linalg ops -> the llvm dialect -> run @main.
config.substitutions.append((
    "%lower_to_llvm",
    "mlir-fusion-opt --one-shot-bufferize='bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map' --convert-linalg-to-loops --canonicalize --cse "
    "--expand-strided-metadata --lower-affine --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm "
    "--finalize-memref-to-llvm --convert-math-to-llvm --convert-arith-to-llvm --convert-index-to-llvm "
    "--convert-func-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts"))
llvm_lib_dir = os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")
config.substitutions.append(("%llvm_lib", llvm_lib_dir))
config.substitutions.append((
    "%run_main",
    "mlir-runner -e main --entry-point-result=void "
    + " ".join(f"--shared-libs={llvm_lib_dir}/lib{name}.so" for name in ("mlir_c_runner_utils", "mlir_runner_utils"))))

with open("/proc/cpuinfo") as info:
    flags = info.read()
for feature in ("avx2", "avx512f"):
    if f" {feature} " in flags:
        config.available_features.add(feature)
# scripts/import-onnx.sh installs it from PyPI; tests do not.
cache = os.environ.get("MLIR_FUSION_CACHE", os.path.expanduser("~/.cache/mlir-fusion"))
importers = sorted(glob.glob(os.path.join(cache, "torch-mlir-*", "complete")))
if importers:
    config.available_features.add("importer")
    config.substitutions.append(("%importer_python", os.path.join(os.path.dirname(importers[-1]), "bin", "python")))

# Programs of tests may be built with a sanitizer where its run-time library is installed.
archer = os.path.join(lib, "libarcher.so")
runtimes = glob.glob(os.path.join(lib, "clang", "*", "lib", "linux", "libclang_rt.*-x86_64.a"))
for name in ("asan", "tsan"):
    if any(f"libclang_rt.{name}-" in path for path in runtimes) and (name != "tsan" or os.path.exists(archer)):
        config.available_features.add(f"{name}-runtime")
# Accesses of libomp are none of ours; Archer says what its barriers and forks order.
config.substitutions.append(("%archer", f"env OMP_TOOL_LIBRARIES={archer} ARCHER_OPTIONS=verbose=1 TSAN_OPTIONS=ignore_noninstrumented_modules=1"))

# Sanitized tools reserve terabytes of addresses: what they really take is limited.
sanitizers = [name for name in config.fusion_sanitize.split(",") if name]
for name in sanitizers:
    config.available_features.add(f"sanitize-{name}")
limit = "ulimit -v $(($1 * 1000000))"
for name, variable in (("address", "ASAN_OPTIONS"), ("thread", "TSAN_OPTIONS")):
    if name in sanitizers:
        limit = f"export {variable}=${variable}:hard_rss_limit_mb=$(($1 * 1000))"
config.substitutions.append(("%limit_gb", f"bash -c '{limit}; shift; exec \"$@\"' limit"))  # %limit_gb NUMBER COMMAND…
if shutil.which("/usr/bin/time"):
    config.available_features.add("time")
