#!/usr/bin/python3
"""Runs the product of product_cases.py: what the driver compiles against the decomposition through upstream's plain loops.

usage: product.py [--full] [--filter TEXT] [--without VALUES]     by default a set of configurations in which each pair of values occurs

Sums are exact, so that results must be equal bit by bit; only quotients and transcendental functions have a tolerance.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import concurrent.futures
import ctypes
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from product_cases import Configuration, all_pairs, full_product, module_of, name_of

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from measure import memref  # noqa: E402

LLVM = Path("/usr/lib/llvm-22")
BATCH = 12  # configurations in one module: a compiled model takes at most 64 tensors
TIMEOUT = 300
PIPELINE = ",".join([
    "fusion-to-linalg,canonicalize,cse,empty-tensor-to-alloc-tensor",
    "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}",
    "buffer-results-to-out-params{hoist-static-allocs=1 modify-public-functions=1}",
    "canonicalize,cse,buffer-deallocation-pipeline,func.func(convert-linalg-to-loops),canonicalize,cse",
    "math-extend-to-supported-types{target-type=f32}",
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm",
    "convert-bufferization-to-memref,convert-index-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm",
    "convert-cf-to-llvm,reconcile-unrealized-casts",
])
# What older libgcc lacks.
BF16 = """
#include <string.h>
__attribute__((weak)) __bf16 __truncsfbf2(float value) {
  unsigned bits; unsigned short half; __bf16 result;
  memcpy(&bits, &value, 4);
  half = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  if (value != value) half = 0x7fc0;
  memcpy(&result, &half, 2);
  return result;
}
"""
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16, "i8": np.int8, "i32": np.int32}
STEP = {"f32": 2e-6, "f64": 1e-12, "f16": 2.0**-10, "bf16": 2.0**-7}


def element_of(type):
    return type.rstrip(">").split("x")[-1] if "x" in type else type[len("tensor<"):-1]


def shape_of(type):
    return tuple(int(size) for size in re.findall(r"(\d+)x", type))


def encode(values, element):
    """Values that are exact in every type."""
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(DTYPES[element])


def decode(array, element):
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def tolerance(configuration, element):
    exact = configuration.epilogue not in ("sigmoid", "gelu") and configuration.root not in ("average_pool", "global_pool")
    return 0.0 if exact else STEP.get(element, 0.0)


class Failure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT, **options)
    if done.returncode:
        lines = (done.stderr or done.stdout or "no message").strip().splitlines()
        raise Failure(f"{Path(command[0]).name} exited with {done.returncode}: {next((l for l in lines if 'error' in l), lines[-1])}")
    return done.stdout


def compile_reference(args, configurations, folder):
    text = module_of(configurations)
    # Arguments are the caller's: nothing is written to them.
    head, brace, rest = text.partition(") -> (")
    head = re.sub(r"(tensor<[^>]*>)", r"\1 {bufferization.writable = false}", head)
    source, lowered, llvm, helper = (folder / name for name in ("reference.mlir", "lowered.mlir", "reference.ll", "bf16.c"))
    rest = rest.replace(") {\n", ") attributes {llvm.emit_c_interface} {\n", 1)
    source.write_text(head + brace + rest)
    helper.write_text(BF16)
    run(args.opt, source, f"--pass-pipeline=builtin.module({PIPELINE})", "-o", lowered)
    # What math-extend-to-supported-types leaves, and the translation does not know.
    lowered.write_text(lowered.read_text().replace(" {fastmath = #arith.fastmath<contract>}", ""))
    run(LLVM / "bin/mlir-translate", "--mlir-to-llvmir", lowered, "-o", llvm)
    run(LLVM / "bin/clang", "-O1", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-Wno-override-module", llvm, helper,
        "-o", folder / "reference.so", "-lm", f"-L{LLVM}/lib", "-lmlir_c_runner_utils", f"-Wl,-rpath,{LLVM}/lib")


def call(library, inputs, results):
    descriptors = [memref(array) for array in inputs + results]
    getattr(ctypes.CDLL(str(library)), "_mlir_ciface_main")(*map(ctypes.byref, descriptors))


def work(job):
    """In a process of its own: calls both libraries and saves all results."""
    job = json.loads(job)
    folder = Path(job["folder"])
    inputs = [value for _, value in sorted(np.load(folder / "inputs.npz").items())]
    for which in ("reference", "ours"):
        results = [np.zeros(shape, dtype) for shape, dtype in job["results"]]
        call(folder / f"{which}.so", inputs, results)
        np.savez(folder / f"{which}.npz", **{f"{i:03}": array for i, array in enumerate(results)})


def check_batch(args, batch, folder):
    """Yields the name of each configuration with what is wrong, or None."""
    configurations = [Configuration(values, index) for index, values in enumerate(batch)]
    compiled = [Configuration(values, index, values["sizes"] == "dynamic") for index, values in enumerate(batch)]
    module, target, threads = folder / "module.mlir", batch[0]["target"], batch[0]["threads"]
    module.write_text(module_of(compiled))
    try:
        run(args.driver, "compile", module, "-o", folder / "ours.so", "--target", target, "--jobs", "1")
        compile_reference(args, configurations, folder)
        if target == "x86-64-v4" and not args.avx512:
            return [(values, None) for values in batch]
        inputs = [encode(value, element_of(type)) for c in configurations for _, type, value in c.arguments]
        np.savez(folder / "inputs.npz", **{f"{i:03}": array for i, array in enumerate(inputs)})
        results = [(shape_of(c.result), np.dtype(DTYPES[element_of(c.result)]).str) for c in configurations]
        run(sys.executable, __file__, "--work", json.dumps({"folder": str(folder), "results": results}),
            env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    except (Failure, subprocess.TimeoutExpired) as failure:
        if len(batch) == 1:
            return [(batch[0], str(failure))]
        rows = []
        for index, values in enumerate(batch):  # which of them it is
            alone = folder / f"alone{index}"
            alone.mkdir()
            rows += check_batch(args, [values], alone)
        return rows
    rows = []
    want_all, got_all = np.load(folder / "reference.npz"), np.load(folder / "ours.npz")
    for index, configuration in enumerate(configurations):
        element = element_of(configuration.result)
        want, got = (decode(arrays[f"{index:03}"], element) for arrays in (want_all, got_all))
        limit = tolerance(configuration, element) * max(1.0, np.abs(want[np.isfinite(want)]).max(initial=0.0))
        with np.errstate(invalid="ignore"):
            bad = ~((np.abs(got - want) <= limit) | (np.isnan(got) & np.isnan(want)) | (got == want))
        problem = None
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            problem = f"{int(bad.sum())} of {bad.size} wrong, first at {list(at)}: got {got[at]!r}, expected {want[at]!r}"
        rows.append((configuration.values, problem))
    return rows


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the full product")
    parser.add_argument("--filter", default="", help="only configurations whose name contains this")
    parser.add_argument("--without", default="", metavar="VALUES", help="no configurations with one of these values, comma separated")
    parser.add_argument("--driver", default="mlir-fusion")
    parser.add_argument("--opt", default="mlir-fusion-opt")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.avx512 = " avx512f " in Path("/proc/cpuinfo").read_text()

    chosen = [values for values in (full_product() if args.full else all_pairs()) if args.filter in name_of(values)
              and not set(args.without.split(",")) & set(map(str, values.values()))]
    chosen.sort(key=lambda values: (values["target"], values["threads"]))
    batches = []
    for _, group in itertools.groupby(chosen, key=lambda values: (values["target"], values["threads"])):
        group = list(group)
        batches += [group[i:i + BATCH] for i in range(0, len(group), BATCH)]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        def one(number):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            rows = check_batch(args, batches[number], folder)
            subprocess.run(["rm", "-rf", folder])
            return rows
        for number, rows in enumerate(pool.map(one, range(len(batches)))):
            for values, problem in rows:
                if problem:
                    failed += 1
                    print(f"FAIL {name_of(values)}: {problem}", flush=True)
            if args.full and sys.stdout.isatty():
                print(f"\r{number + 1} of {len(batches)} modules", end="", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} right")
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
