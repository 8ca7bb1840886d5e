"""The program behind compare.sh: cases, peers, runs, reports.

Cases are layers and networks of this folder (cases.py), kernels alone (kernels.py) and folders of models. Ctrl-C stops the
measurement and reports what was measured until then. A peer that cannot be installed, or fails a case, is reported.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import datetime
import fnmatch
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import document
import machine
import numpy as np
import measure
import peers
import report
from kernels import KERNELS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TMPFS_ROOM = 4 << 30  # bytes that must be free there


CLEAR = "\r\033[K" if sys.stderr.isatty() else ""


def say(text):
    print(CLEAR + text, file=sys.stderr, flush=True)


def show(text):
    """What is done just now, on a terminal: the next line overwrites it."""
    if CLEAR:
        print(f"{CLEAR}  {text}", end="", file=sys.stderr, flush=True)


def words(text):
    return [] if text == "none" else [word for word in text.split(",") if word]


def at_least_one(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {text}")
    return value


def parse():
    parser = argparse.ArgumentParser(prog="compare.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [*peers.known()]
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--peers", type=words, default=names, metavar="NAME,…", help=f"of {', '.join(names)}; none: just us (default: all)")
    parser.add_argument(
        "--cases", type=words, default=["@net", "@layer", "@kernel"], metavar="GLOB,…",
        help="names of cases, or @net, @layer, @batch, @kernel; none: only --models (default: all but @batch; --list prints them)",
    )  # fmt: skip
    parser.add_argument(
        "--models", type=Path, nargs="+", default=[], metavar="FOLDER",
        help="more networks: folders with model.onnx or NAME.onnx (for the peers), model.mlirbc or NAME.mlirbc (for us; "
        "imported if absent), in*.npy and out*.npy",
    )  # fmt: skip
    parser.add_argument("--threads", type=words, default=["1", str(min(2, cores))], metavar="N,…", help="measure with so many threads (default: 1,2)")
    parser.add_argument("--runs", type=at_least_one, help="how often all is measured anew (default: 5; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="a few calls each: shows that all works, measures nothing well")
    parser.add_argument("--out", type=Path, default=ROOT / "build/compare", metavar="DIR", help="results and charts (default: build/compare)")
    parser.add_argument("--case-dir", type=Path, metavar="DIR", help="where cases are made, and used again (default: OUT/cases)")
    parser.add_argument(
        "--venvs", type=Path, default=ROOT / "build/peers", metavar="DIR",
        help="the peers' environments: used if there, else made (default: build/peers)",
    )  # fmt: skip
    parser.add_argument("--driver", type=Path, default=ROOT / "build/bin/mlir-fusion", help="the mlir-fusion to measure (default: build/bin/mlir-fusion)")
    parser.add_argument("--flags", type=shlex.split, default=[], help="flags of mlir-fusion compile: --flags='--target x86-64-v3'")
    parser.add_argument("--document", type=Path, metavar="FILE", help="also put tables and charts between the marks in this page")
    parser.add_argument("--report", type=Path, metavar="RESULTS.json", help="measure nothing: make the report of these results")
    parser.add_argument("--prepare", action="store_true", help="install the peers, build and import the cases, and stop")
    parser.add_argument("--list", action="store_true", help="print the cases by group, and stop")
    args = parser.parse_args()
    for name in args.peers:
        if name not in names:
            parser.error(f"expected peers of {', '.join(names)}, got {name}")
    if not all(word.isdigit() and 1 <= int(word) <= cores for word in args.threads) or not args.threads:
        parser.error(f"expected numbers of threads from 1 to {cores} (the cores), got {','.join(args.threads)}")
    # The most first: what is compiled then is used again, and all compile with all the cores they get.
    args.threads = sorted({int(word) for word in args.threads}, reverse=True)
    args.runs = args.runs or (1 if args.quick else 5)
    args.case_dir = args.case_dir or args.out / "cases"
    args.driver = args.driver.absolute()
    return args, parser


# ----- cases ----------------------------------------------------------------------------------------------------------


def known_cases():
    """Names and groups, without what building them needs."""
    listed = subprocess.run([sys.executable, HERE / "cases.py"], check=True, capture_output=True, text=True)
    return json.loads(listed.stdout) | {name: "kernel" for name in KERNELS}


def select(known, patterns):
    return [name for name, group in known.items() if any(fnmatch.fnmatch(name, p) or p == f"@{group}" for p in patterns)]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_cases(names, folder, environments):
    """Builds what is not there, or was built by another cases.py."""
    stamp = digest(HERE / "cases.py")
    old = [name for name in names if not (mark := folder / name / "made-by").exists() or mark.read_text() != stamp]
    if not old:
        return
    if problem := environments.provide("peers"):
        sys.exit(f"error: cannot build cases without onnx: {problem}")
    for name in old:
        say(f"build the case {name}")
        shutil.rmtree(folder / name, ignore_errors=True)
        if subprocess.run([environments.python("peers"), HERE / "cases.py", folder, name]).returncode:
            sys.exit(f"error: could not build the case {name}")
        (folder / name / "made-by").write_text(stamp)


def refuse(text):
    """Ends the program as bad arguments do."""
    say(f"error: {text}")
    sys.exit(2)


def find_files(source):
    """The models in a folder by the names that workers expect, and its arrays."""
    if not source.is_dir():
        refuse(f"expected a folder of a model, got {source}")
    found = {}
    for ending in ("onnx", "mlirbc"):
        candidates = [source / f"model.{ending}", source / f"{source.name}.{ending}", *sorted(source.glob(f"*.{ending}"))]
        found[f"model.{ending}"] = next((path for path in candidates if path.exists()), None)
    arrays = [*source.glob("in*.npy"), *source.glob("out*.npy")]
    if not any(found.values()) or len({path.name[0] for path in arrays}) < 2:
        refuse(f"expected model.onnx or model.mlirbc, in*.npy and out*.npy in {source}")
    return found, arrays


def check_cases(args):
    """Before anything is installed or built."""
    known = known_cases()
    for pattern in args.cases:
        if not select(known, [pattern]):
            refuse(f"expected cases, got none named {pattern}: --list prints them")
    if not args.cases and not args.models:
        refuse("expected cases, got none: --list prints them, --models has others")
    names = {name for name in select(known, args.cases) if known[name] != "kernel"}
    for source in args.models:
        find_files(source)
        name = source.resolve().name
        if name in names:
            refuse(f"expected names of models that differ from each other and from the cases, got {name} again")
        names.add(name)


def link_model(source, folder):
    """A case's folder with the names that workers expect."""
    found, arrays = find_files(source)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path in [*found.items(), *((path.name, path) for path in arrays)]:
        if path:
            (folder / name).symlink_to(path.absolute())


def import_case(folder):
    """model.onnx to linalg on tensors, if that is not there; a failure is ours, told when we fail the case."""
    if (folder / "model.mlirbc").exists() or (folder / "model.mlir").exists():
        return
    say(f"import {folder.name}")
    command = [ROOT / "scripts/import-onnx.sh", folder / "model.onnx", folder / "model.mlirbc"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        say(f"  import failed: {done.stderr.strip()[:500]}")


def facts(driver, flags, folder):
    """What explain says of a case: arithmetic, bytes of weights, the planned arena and what is live at once."""
    model = folder / "model.mlirbc"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([driver, "explain", model, "--json", file.name, *flags], capture_output=True, text=True)
        if done.returncode:
            return {}
        told = json.load(open(file.name))
    arrays = sum(4 * np.load(path, mmap_mode="r").size for path in [*folder.glob("in*.npy"), *folder.glob("out*.npy")])
    return {
        "flop": told["before"]["flops"],
        "weight_bytes": told["before"]["constant_bytes"],
        "least_bytes": told["before"]["constant_bytes"] + arrays,
        "arena_bytes": told["memory_bytes"]["workspace"],
        "live_bytes": told["memory_bytes"].get("live"),
    }


def prepare_cases(args, environments):
    """The cases as dicts in the order they are measured, and the kernels by name."""
    known = known_cases()
    chosen = select(known, args.cases)
    built = [name for name in chosen if known[name] != "kernel"]
    folder = args.case_dir.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    make_cases(built, folder, environments)
    groups = {name: known[name] for name in built}
    for source in args.models:
        name = source.resolve().name
        link_model(source, folder / name)
        groups[name] = "model"
    order = ["net", "model", "layer", "batch"]
    cases = []
    for name, group in sorted(groups.items(), key=lambda item: order.index(item[1])):
        import_case(folder / name)
        cases.append({"name": name, "group": group, "folder": str(folder / name), **facts(args.driver, args.flags, folder / name)})
    kernels = {name: KERNELS[name] for name in chosen if name in KERNELS}
    for name, kernel in kernels.items():
        kernel.write(folder / name)
    return cases, kernels, folder


# ----- the measurement ------------------------------------------------------------------------------------------------


class Clock:
    """Progress, and the time left by what the same step took before, or one of its group."""

    def __init__(self, steps):
        self.left, self.total = list(steps), len(steps)
        self.took = {}  # (group, name, threads) -> seconds of the latest time
        self.start = time.monotonic()

    def begin(self, step, text):
        self.began = time.monotonic()
        say(f"[{(self.total - len(self.left)) * 100 // self.total:3} %, {self.time_left()}] {text}")

    def end(self, step):
        self.took[step] = time.monotonic() - self.began
        self.left.remove(step)

    def time_left(self):
        if not self.took:
            return "time left unknown"
        mean = {}
        for (group, _, _), seconds in self.took.items():
            mean.setdefault(group, []).append(seconds)
        everything = sum(self.took.values()) / len(self.took)
        seconds = 0
        for step in self.left:
            same = mean.get(step[0])
            seconds += self.took.get(step, sum(same) / len(same) if same else everything)
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"


def make_scratch():
    """A folder on tmpfs where there is room, as disks are no part of a compile time."""
    shared = Path("/dev/shm")
    fits = shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > TMPFS_ROOM
    return Path(tempfile.mkdtemp(prefix="mlir-fusion-compare-", dir=shared if fits else None)), fits


def interrupt(*_):
    raise KeyboardInterrupt


def run_all(args, results, chosen, cases, kernels, folder, scratch):
    """Fills results["results"] and results["kernels"]; returns False if interrupted."""
    peak = machine.build_peak(scratch)
    results["roof"] = machine.measure_roof(peak, max(args.threads))
    harness = measure.Harness(chosen, scratch, args.quick, say, show)
    results["versions"] = harness.versions
    steps = [(case["group"], case["name"], threads) for case in cases for threads in args.threads]
    steps += [("kernel", "kernels", 1)] if kernels else []
    clock = Clock(steps * args.runs)
    isas = ([("avx512", "host")] if results["roof"]["isa"] == "avx512" else []) + [("avx2", "x86-64-v3")]
    for run in range(args.runs):
        text = f", run {run + 1} of {args.runs}" if args.runs > 1 else ""
        for case in cases:
            for index, threads in enumerate(args.threads):
                step = (case["group"], case["name"], threads)
                clock.begin(step, f"{case['name']}, {report.threads_text(threads)}{text}")
                probe = machine.Probe(peak, measure.cpus_for(threads))
                try:
                    fresh, interrupted = harness.measure(case, threads, run, index > 0, probe)
                finally:
                    probe.stop()
                roof = results["roof"][str(threads)]
                roof["fma"] = max(roof["fma"], probe.best)  # what a loud machine hid at the start
                results["results"] += fresh
                for line in report.lines(fresh):
                    say(f"  {line}")
                write_json(args.out / "results.json", results)
                if interrupted:
                    return False
                clock.end(step)
            shutil.rmtree(scratch / case["name"], ignore_errors=True)
        if kernels:
            clock.begin(steps[-1], f"kernels alone{text}")
            folders = {name: folder / name for name in kernels}
            results["kernels"] += measure.measure_kernels(
                peak, kernels, folders, isas, chosen[peers.OURS], scratch, run, args.quick, say
            )
            write_json(args.out / "results.json", results)
            clock.end(steps[-1])
    return True


def write_json(path, value):
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(value, indent=1) + "\n")
    partial.replace(path)


def main():
    args, parser = parse()
    if args.list:
        for name, group in known_cases().items():
            print(f"{group:8} {name}")
        return 0
    if args.document:
        if problem := document.problem(args.document, report.SCRIPT):
            refuse(problem)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.report:
        try:
            results = json.loads(args.report.read_text())
            report.write(results, args.out, args.document)
        except OSError as problem:
            refuse(f"cannot read {args.report}: {problem.strerror}")
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            refuse(f"expected results of compare.sh in {args.report}, got {type(problem).__name__}: {problem}")
        return 0
    if not args.driver.exists():
        parser.error(f"expected the driver at {args.driver}: build it, or give --driver")
    check_cases(args)
    signal.signal(signal.SIGTERM, interrupt)
    environments = peers.Environments(args.venvs.absolute(), say)
    others, refused = peers.choose(args.peers, environments)
    cases, kernels, folder = prepare_cases(args, environments)
    if args.prepare:
        return 0
    chosen = {peers.OURS: peers.ours(args), **others}
    results = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%-d %B %Y, %H:%M UTC"),
        "machine": machine.describe(),
        "load": os.getloadavg()[0],
        "options": {"quick": args.quick, "runs": args.runs, "threads": args.threads, "flags": args.flags},
        "peers": {name: {"title": peer["title"], "reduced": peer.get("reduced", False)} for name, peer in chosen.items()},
        "refused": refused,
        "cases": {case["name"]: {key: value for key, value in case.items() if key not in ("name", "folder")} for case in cases},
        "results": [],
        "kernels": [],
    }
    scratch, results["tmpfs"] = make_scratch()
    try:
        complete = run_all(args, results, chosen, cases, kernels, folder, scratch)
    except KeyboardInterrupt:
        complete = False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    results["complete"] = complete
    write_json(args.out / "results.json", results)
    if not complete:
        say("interrupted: the report has what was measured until now")
    report.write(results, args.out, args.document)
    if not complete:
        return 130
    return 1 if any(r["peer"] == peers.OURS and not r.get("correct") for r in results["results"]) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted before anything was measured")
        sys.exit(130)
