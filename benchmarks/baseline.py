#!/usr/bin/python3
"""Measures the plain upstream pipeline on a model: latency, compile time, code size; with --driver beside ours.

The pipeline is canonicalize, cse, linalg-fuse-elementwise-ops, one-shot-bufferize, loops, mlir-translate, clang -O3. Weights become
function arguments first, for clang takes minutes over a constant of 100 MB. Both libraries are called in the same way, in this
process, through `_mlir_ciface_main`.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from measure import code_size, latencies  # noqa: E402

LLVM_BIN = "/usr/lib/llvm-22/bin"
DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8, "i1": np.bool_}
BLOB = re.compile(r'^\s+(%[\w$.-]+) = arith\.constant dense<"0x([0-9A-Fa-f]+)"> : (tensor<[^>]*>)')
RESOURCE = re.compile(r"^\s+(%[\w$.-]+) = arith\.constant dense_resource<([\w$.-]+)> : (tensor<[^>]*>)")
RESOURCE_BLOB = re.compile(r'^\s+([\w$.-]+): "0x([0-9A-Fa-f]+)",?$')
SIGNATURE = re.compile(r"^(\s*func\.func @main\()(.*)\) -> \(?(.*?)\)? (?:attributes .*)?\{$")
TENSOR = r"tensor<[^>]*>"

PIPELINE = ",".join(
    [
        "canonicalize,cse,linalg-fuse-elementwise-ops,canonicalize,cse,empty-tensor-to-alloc-tensor",
        "one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1"
        " function-boundary-type-conversion=identity-layout-map}",
        "buffer-results-to-out-params{hoist-static-allocs=1 modify-public-functions=1}",
        "canonicalize,cse,buffer-deallocation-pipeline,func.func(convert-linalg-to-loops),canonicalize,cse",
        "expand-strided-metadata,lower-affine,convert-scf-to-cf,func.func(llvm-request-c-wrappers)",
        "convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-bufferization-to-memref",
        "convert-index-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm",
        "reconcile-unrealized-casts",
    ]
)


@dataclass
class Externalized:
    """A module whose large constants became trailing arguments of @main."""

    text: str
    weights: list  # arrays, in the order of the new arguments
    result_types: list


def shape_and_dtype(type):
    *shape, element = re.match(r"tensor<(.*)>", type)[1].split("x")
    if element not in DTYPES:
        raise SystemExit(f"expected an element type of {', '.join(DTYPES)}, got {element}")
    return [int(d) for d in shape], DTYPES[element]


def array_of(data, type):
    shape, dtype = shape_and_dtype(type)
    return np.frombuffer(data, dtype).reshape(shape)


def externalize(model, smallest=256):
    text = subprocess.run([f"{LLVM_BIN}/mlir-opt", model], capture_output=True, text=True)
    if text.returncode:
        raise SystemExit(text.stderr)
    lines, arguments, weights, waiting = [], [], [], {}
    for line in text.stdout.splitlines():
        if line.startswith("{-#"):
            lines.append(None)  # only the resources follow
        if match := BLOB.match(line):
            name, data, type = match.groups()
            if len(data) >= 2 * smallest:
                arguments.append(f"{name}: {type}")
                weights.append(array_of(bytes.fromhex(data), type))
                continue
        elif match := RESOURCE.match(line):
            name, key, type = match.groups()
            arguments.append(f"{name}: {type}")
            waiting.setdefault(key, []).append((len(weights), type))
            weights.append(None)
            continue
        elif match := RESOURCE_BLOB.match(line):
            for index, type in waiting.pop(match[1], []):
                weights[index] = array_of(bytes.fromhex(match[2])[4:], type)
        if None not in lines:
            lines.append(line)
    lines = [line for line in lines if line is not None]
    index, signature = next((i, m) for i, line in enumerate(lines) if (m := SIGNATURE.match(line)))
    head, inputs, results = signature.groups()
    inputs = re.findall(rf"%[\w$.-]+: {TENSOR}", inputs)
    read_only = [f"{argument} {{bufferization.writable = false}}" for argument in inputs + arguments]
    lines[index] = f"{head}{', '.join(read_only)}) -> ({results}) {{"
    return Externalized("\n".join(lines), weights, re.findall(TENSOR, results))


def measure(library, inputs, result_types, args):
    results = [np.zeros(*shape_and_dtype(type)) for type in result_types]
    return results, latencies(library, inputs, results, args.runs, seconds=args.seconds)


def timed(command, what):
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{what} failed:\n{run.stderr[:4000]}")
    return time.perf_counter() - start


def compile_upstream(model, directory, march):
    """Returns the library, the externalized module and the seconds of each step."""
    module = externalize(model)
    source, lowered, llvm, library = (f"{directory}/{name}" for name in ("in.mlir", "llvm.mlir", "out.ll", "upstream.so"))
    with open(source, "w") as file:
        file.write(module.text)
    seconds = {
        "mlir-opt": timed([f"{LLVM_BIN}/mlir-opt", source, f"--pass-pipeline=builtin.module({PIPELINE})", "-o", lowered], "mlir-opt"),
        "mlir-translate": timed([f"{LLVM_BIN}/mlir-translate", "--mlir-to-llvmir", lowered, "-o", llvm], "mlir-translate"),
        "clang": timed(
            [f"{LLVM_BIN}/clang", "-O3", f"-march={march}", "-fPIC", "-shared", "-Wno-override-module", llvm, "-o", library]
            + ["-lm", f"-L{LLVM_BIN}/../lib", "-lmlir_c_runner_utils", f"-Wl,-rpath,{LLVM_BIN}/../lib"],
            "clang",
        ),
    }
    return library, module, seconds


def summary(name, library, seconds, times, results, expected):
    errors = [float(np.abs(got - want).max() / np.abs(want).max()) for got, want in zip(results, expected)]
    return {
        "name": name,
        "latency_ms": float(np.median(times)),
        "runs": len(times),
        "compile_s": sum(seconds.values()),
        "compile_steps_s": seconds,
        "code_bytes": code_size(library),
        "largest_error": max(errors, default=None),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="module with a function @main of static shapes, .mlir or .mlirbc")
    parser.add_argument("--input", nargs="+", required=True, metavar="NPY", help="inputs of @main, in order")
    parser.add_argument("--expect", nargs="+", default=[], metavar="NPY", help="expected results, in order")
    parser.add_argument("--runs", type=int, default=50, help="timed calls (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=20, help="stop timing after that long (default %(default)s)")
    parser.add_argument("--march", default="native", help="clang's -march (default %(default)s)")
    parser.add_argument("--driver", help="mlir-fusion: compile the model with it too, and compare")
    parser.add_argument("--threads", type=int, default=1, help="threads of the driver's library (default %(default)s)")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of the largest expected magnitude (default %(default)s)")
    parser.add_argument("--keep", metavar="DIR", help="keep the intermediate files there")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there")
    args = parser.parse_args()

    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    inputs = [np.ascontiguousarray(np.load(path)) for path in args.input]
    expected = [np.load(path) for path in args.expect]
    with tempfile.TemporaryDirectory() as scratch:
        directory = args.keep or scratch
        os.makedirs(directory, exist_ok=True)
        library, module, seconds = compile_upstream(args.model, directory, args.march)
        results, times = measure(library, inputs + module.weights, module.result_types, args)
        rows = [summary("plain upstream", library, seconds, times, results, expected)]
        if args.driver:
            ours = f"{directory}/fusion.so"
            seconds = {"mlir-fusion": timed([args.driver, "compile", args.model, "-o", ours], "mlir-fusion compile")}
            got, times = measure(ours, inputs, module.result_types, args)
            rows.append(summary(f"mlir-fusion, {args.threads} thread(s)", ours, seconds, times, got, expected or results))

    print(f"{'':28}{'latency ms':>12}{'compile s':>12}{'code kB':>10}{'largest error':>16}")
    for row in rows:
        error = "" if row["largest_error"] is None else f"{row['largest_error']:.1e}"
        print(f"{row['name']:28}{row['latency_ms']:12.3f}{row['compile_s']:12.2f}{row['code_bytes'] / 1e3:10.1f}{error:>16}")
    if len(rows) == 2:
        print(f"{rows[0]['latency_ms'] / rows[1]['latency_ms']:.1f} times faster than plain upstream")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"model": os.path.basename(args.model), "rows": rows}, file, indent=1)
    if any(row["largest_error"] is not None and not row["largest_error"] <= args.tolerance for row in rows):
        sys.exit(f"expected errors of at most {args.tolerance}")


if __name__ == "__main__":
    main()
