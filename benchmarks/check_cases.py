#!/usr/bin/python3
"""Checks a folder of cases with a manifest: numbers, properties of the compiled code, and errors for malformed input.

CASES_DIR/manifest.json lists cases: name, kind (numeric, reject or structural), file, entry, runs (inputs and expected, .npy files),
rtol, atol, nan_equal. An element is right if |got - want| <= atol + rtol * |want|; infinities and integers are exact. Optional:
extra_sources (C files to link), extra_checks (functions `double f(void)` to call after the run), more_files (larger variants, whose
cost may grow with their size only), split_input and parts (how many errors are expected), properties (see below).

Properties that every case must have: inputs stay unchanged, a second call gives the same, each number of threads the same bits;
after fusion-fuse no convolution, product or pool is computed more often than in the source, and functions keep their names and
visibility; constants at most double; all compiles give the same text. A case may state more:
{"stage": "fusion-fuse", "op": "linalg\\.generic", "at_most": 1, "at_least": 0}. Exits with 1 if any case fails.
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
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
from check_models import TIMEOUT, Failure, call, words

CALL_LIBRARY = Path(__file__).with_name("call_library.py")
CLANG = os.environ.get("CLANG", "/usr/lib/llvm-22/bin/clang")
LIB = Path(CLANG).parent.parent / "lib"
CONSTANT_SLACK = 4096  # bytes: packed constants are padded
OP = re.compile(r'^\s*(?:[%\w:, ]+ = )?"?([a-z_]\w*\.[\w.]+)"?')
ROOT = re.compile(
    r"linalg\.(\w*conv\w*|\w*matmul\w*|\w*matvec|vecmat|dot|mmt4d|contract|pooling_\w+)|tosa\.(\w*conv\w*|matmul|\w+_pool2d)|fusion\.(?!yield)\w+"
)
FUNCTION = re.compile(r'^\s*(?:func\.func|func) (private )?@([\w."$-]+)')
GROWTH = 3  # what a larger variant may cost, in multiples


# ----- numbers --------------------------------------------------------------------------------------------------------


def compare(got, want, case, what):
    if got.dtype.kind != "f" or want.dtype.kind != "f":
        bad = got != want
    else:
        got, want = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(got - want) <= case["atol"] + case["rtol"] * np.abs(want))
        exact = ~np.isfinite(want) | ~np.isfinite(got)
        same = (got == want) | (np.isnan(got) & np.isnan(want) & bool(case.get("nan_equal", True)))
        bad = np.where(exact, ~same, bad)
    if bad.any():
        at = tuple(int(index) for index in np.argwhere(bad)[0])
        raise Failure(f"{what}: {int(bad.sum())} of {bad.size} wrong, first at {list(at)}: got {got[at]}, expected {want[at]}")


def run_library(library, name, folder, case, run, threads, scratch):
    job = {
        "library": str(library),
        "name": name,
        "inputs": [str(folder / path) for path in run["inputs"]],
        "expected": [str(folder / path) for path in run["expected"]],
        "checks": [check["call"] for check in case.get("extra_checks", [])],
        "folder": str(scratch),
    }
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    try:
        worker = subprocess.run(
            [sys.executable, CALL_LIBRARY], input=json.dumps(job), capture_output=True, text=True, timeout=TIMEOUT, env=environment
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"the run took more than {TIMEOUT} s")
    if worker.returncode < 0:
        raise Failure(f"the run ended by signal {-worker.returncode}")
    if worker.returncode or not worker.stdout:
        raise Failure(f"the run failed: {(worker.stderr.strip().splitlines() or ['no message'])[-1]}")
    answer = json.loads(worker.stdout)
    if answer["problem"]:
        raise Failure(answer["problem"])
    for check, got in zip(case.get("extra_checks", []), answer["checks"]):
        if not abs(got - check["expect"]) <= check.get("tol", 0):
            raise Failure(f"{check['call']}() returned {got}, expected {check['expect']}")
    return [np.load(path) for path in answer["results"]]


def build_library(args, folder, case, target, scratch):
    """A library of the case; with sources of its own everything that they define is exported too."""
    compile_case = [args.driver, "compile", folder / case["file"], "--target", target, "--name", "case"]
    if case.get("entry"):
        compile_case += ["--entry", case["entry"]]
    library, sources = scratch / "case.so", [folder / path for path in case.get("extra_sources", [])]
    if not sources:
        call(compile_case + ["-o", library])
        return library
    call(compile_case + ["-o", scratch / "case.o"])
    link = [CLANG, "-shared", "-fPIC", "-O1", scratch / "case.o", *sources, "-o", library, "-lm", f"-L{LIB}", f"-Wl,-rpath,{LIB}", "-lomp"]
    run = subprocess.run([str(word) for word in link], capture_output=True, text=True)
    if run.returncode:
        raise Failure(f"cannot link: {run.stderr.strip().splitlines()[-1]}")
    return library


def check_numbers(args, folder, case, target, scratch):
    library = build_library(args, folder, case, target, scratch)
    for number, run in enumerate(case["runs"]):
        first = None
        for threads in args.threads:
            what = f"run {number}, {threads} thread(s)"
            results = run_library(library, "case", folder, case, run, threads, scratch)
            for index, (got, path) in enumerate(zip(results, run["expected"])):
                compare(got, np.load(folder / path), case, f"{what}, result {index}")
            bits = [result.tobytes() for result in results]
            if first is not None and bits != first:
                raise Failure(f"{what}: other bits than with {args.threads[0]} thread(s)")
            first = bits


# ----- properties -----------------------------------------------------------------------------------------------------


def text_after(args, path, case, stage, scratch, more=()):
    """The module as text after the stage; None is as it was read."""
    if stage is None:
        run = subprocess.run([args.opt, path], capture_output=True, text=True, timeout=TIMEOUT)
        if run.returncode:
            raise Failure(f"cannot read it: {run.stderr.strip().splitlines()[0]}")
        return run.stdout
    output = scratch / "stage.mlir"
    entry = ["--entry", case["entry"]] if case.get("entry") else []
    call([args.driver, "compile", path, "-o", output, "--stop-after", stage, *entry, *more])
    return output.read_text()


def count(text, pattern):
    ops = (match[1] for match in map(OP.match, text.splitlines()) if match)
    return sum(re.fullmatch(pattern, op) is not None for op in ops)


def count_roots(text):
    """Named and fused ones, and generics that reduce more than one operand."""
    reductions = (line for line in text.splitlines() if "linalg.generic" in line and '"reduction"' in line)
    return count(text, ROOT) + sum(re.search(r"ins\(%[\w#]+,", line) is not None for line in reductions)


def functions_of(text):
    """Name -> (is private, has a body)."""
    lines = [(match, line) for line in text.splitlines() if (match := FUNCTION.match(line))]
    return {match[2]: (bool(match[1]), line.rstrip().endswith("{")) for match, line in lines}


def check_functions(before, after):
    after = functions_of(after)
    for name, (private, body) in functions_of(before).items():
        if private and body:
            continue  # may be inlined
        if name not in after:
            raise Failure(f"function @{name} is gone after fusion-fuse")
        if after[name] != (private, body):
            raise Failure(f"function @{name} changed its visibility or its body after fusion-fuse")


def check_constants(args, path, case, scratch):
    explained, report = scratch / "explained.json", scratch / "report.json"
    entry = ["--entry", case["entry"]] if case.get("entry") else []
    call([args.driver, "explain", path, "--json", explained, *entry])
    call([args.driver, "compile", path, "-o", scratch / "report.o", "--name", "case", "--report", report, *entry])
    before = json.loads(explained.read_text())["before"]["constant_bytes"]
    after = json.loads(report.read_text())["bytes"]["constants"]
    if after > 2 * before + CONSTANT_SLACK:
        raise Failure(f"constants grew from {before} to {after} bytes, more than twice")


def check_growth(args, folder, case, scratch):
    """A larger variant costs at most GROWTH times as much: ops, code, and time (the best of several turns)."""
    files = [folder / case["file"], *(folder / path for path in case["more_files"])]
    ops = [count(text_after(args, path, case, "fusion-bufferize", scratch), r".*") for path in files]
    seconds = [[] for _ in files]
    sizes = [0] * len(files)
    for _ in range(args.turns):
        for index, path in enumerate(files):
            output = scratch / "growth.o"
            seconds[index].append(call([args.driver, "compile", path, "-o", output, "--name", "case", "--jobs", "1"]))
            sizes[index] = output.stat().st_size
    for what, numbers in (("ops", ops), ("bytes of code", sizes), ("seconds to compile", [min(turns) for turns in seconds])):
        for path, number in zip(files[1:], numbers[1:]):
            if number > GROWTH * numbers[0]:
                raise Failure(f"{path.name}: {number:.4g} {what}, more than {GROWTH} times {numbers[0]:.4g}")


def check_properties(args, folder, case, scratch):
    path = folder / case["file"]
    before = text_after(args, path, case, None, scratch)
    fused = text_after(args, path, case, "fusion-fuse", scratch)
    if count_roots(fused) > count_roots(before):
        raise Failure(f"{count_roots(fused)} convolutions, products and pools after fusion-fuse, {count_roots(before)} before")
    check_functions(before, fused)
    check_constants(args, path, case, scratch)
    for property in case.get("properties", []):
        number = count(text_after(args, path, case, property["stage"], scratch), property["op"])
        least, most = property.get("at_least", 0), property.get("at_most", number)
        if not least <= number <= most:
            raise Failure(f"{number} of {property['op']} after {property['stage']}, expected {least} to {most}")
    for turn in range(args.turns):
        again = text_after(args, path, case, "fusion-fuse", scratch, ["--jobs", "1"] if turn == 0 else [])
        if again != fused:
            raise Failure(f"compile {turn + 2} gives another text than compile 1")
    if case.get("more_files"):
        check_growth(args, folder, case, scratch)


# ----- malformed input ------------------------------------------------------------------------------------------------


def check_rejected(args, folder, case):
    path, parts = folder / case["file"], case.get("parts", 1)
    split = ["--split-input-file"] if case.get("split_input") else []
    run = subprocess.run([args.opt, path, *split, "--fusion-fuse"], capture_output=True, text=True, timeout=TIMEOUT)
    if run.returncode < 0 or "Stack dump" in run.stderr:
        raise Failure(f"crashed: {run.returncode}")
    if run.returncode == 0:
        raise Failure("expected an error, got exit code 0")
    starts = [0] + [number for number, line in enumerate(path.read_text().splitlines(), 1) if split and line.strip() == "// -----"]
    lines = [int(match[1]) for match in re.finditer(r":(\d+):\d+: error: ", run.stderr)]
    wrong = {max(index for index, start in enumerate(starts) if start < line) for line in lines}
    if len(wrong) != parts:
        raise Failure(f"expected errors in {parts} parts, got them in {len(wrong)}")


# ----- the whole ------------------------------------------------------------------------------------------------------


def check(args, folder, case, target):
    row = {"case": case["name"], "target": target, "problem": None}
    start = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            if case["kind"] == "reject":
                check_rejected(args, folder, case)
            else:
                if case["kind"] == "numeric":
                    check_numbers(args, folder, case, target, scratch)
                if target == args.targets[0]:
                    check_properties(args, folder, case, scratch)
    except Failure as failure:
        row["problem"] = str(failure)
    except subprocess.TimeoutExpired as problem:
        row["problem"] = f"{Path(problem.cmd[0]).name} took more than {TIMEOUT} s"
    row["seconds"] = time.perf_counter() - start
    return row


def read_manifest(args):
    path = args.cases / "manifest.json"
    try:
        cases = json.loads(path.read_text())["cases"]
        more = json.loads(args.properties.read_text()) if args.properties else {}
    except (OSError, ValueError, KeyError) as problem:
        sys.exit(f"error: expected a manifest in {path}: {problem}")
    for name, properties in more.items():
        for case in cases:
            if case["name"] == name:
                case["properties"] = case.get("properties", []) + properties
    for pattern in args.names:
        if not any(fnmatch(case["name"], pattern) for case in cases):
            sys.exit(f"error: expected a case named {pattern} in {path}, got none")
    return [case for case in cases if any(fnmatch(case["name"], pattern) for pattern in args.names)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, metavar="CASES_DIR")
    parser.add_argument("--names", type=words, default=["*"], help="names or patterns of cases, comma separated (default: all)")
    parser.add_argument("--targets", type=words, default=["host", "x86-64-v3"], help="default: host,x86-64-v3")
    parser.add_argument("--threads", type=words, default=["1", "2", "3"], help="default: 1,2,3")
    parser.add_argument("--turns", type=int, default=3, help="compiles whose text is compared, and turns of timing (default: 3)")
    parser.add_argument("--properties", type=Path, metavar="FILE", help="JSON: more properties, a list for each case by its name")
    parser.add_argument("--driver", default="build/bin/mlir-fusion", help="default: %(default)s")
    parser.add_argument("--opt", help="the pass tool (default: mlir-fusion-opt beside the driver)")
    parser.add_argument("--json", metavar="FILE", help="write the table there")
    args = parser.parse_args()
    args.opt = args.opt or str(Path(args.driver).with_name("mlir-fusion-opt"))
    args.cases = args.cases.resolve()

    rows = []
    for case in read_manifest(args):
        for target in args.targets if case["kind"] == "numeric" else args.targets[:1]:
            row = check(args, args.cases, case, target)
            rows.append(row)
            print(f"{row['case']:32}{target:12}{row['seconds']:8.1f} s  {row['problem'] or 'right'}", flush=True)
    failed = sum(row["problem"] is not None for row in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    if args.json:
        Path(args.json).write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
