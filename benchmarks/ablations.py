"""Runs `mlir-fusion ablate` on models and makes tables of what it found; called by ablations.sh."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import datetime
import json
import shlex
import subprocess
import sys
from pathlib import Path

from compare import document, machine

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = "ablations.sh"
MODES = ["leave-one-out", "add-one"]


def parse_arguments():
    parser = argparse.ArgumentParser(prog=SCRIPT, description=__doc__.split(";")[0] + ".")
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL",
                        help="a model, or a folder with model.mlirbc and, to check the results, in*.npy and out*.npy")
    parser.add_argument("--mode", default="leave-one-out", help="leave-one-out, add-one, or both with a comma (default: leave-one-out)")
    parser.add_argument("--threads", type=int, default=1, help="of the compiled code (default: 1)")
    parser.add_argument("--flags", default="", help="more flags of ablate, as --flags='--repeat 30 --only absorb-unary'")
    parser.add_argument("--driver", type=Path, default=ROOT / "build/bin/mlir-fusion", help="another mlir-fusion")
    parser.add_argument("--out", type=Path, default=ROOT / "build/ablations", help="where JSON goes (default: build/ablations)")
    parser.add_argument("--document", type=Path, help="put the tables between the marks of this page, too")
    arguments = parser.parse_args()
    arguments.modes = arguments.mode.split(",")
    if unknown := set(arguments.modes) - set(MODES):
        parser.error(f"expected --mode {' or '.join(MODES)}, got {', '.join(sorted(unknown))}")
    for path in arguments.models:
        if not case(path)[1].is_file():
            parser.error(f"expected a model, or a folder with model.mlirbc, got {path}")
    if arguments.document and (problem := document.problem(arguments.document, SCRIPT)):
        parser.error(problem)
    return arguments


def case(path):
    """Name, model, and flags for its arrays."""
    if not path.is_dir():
        return path.stem, path, []
    flags = [word for array in sorted(path.glob("in*.npy")) for word in ("--input", array)]
    flags += [word for array in sorted(path.glob("out*.npy")) for word in ("--expect", array)]
    return path.name, path / "model.mlirbc", flags


def ablate(arguments, path, mode):
    """What ablate found; None if it found nothing."""
    name, model, arrays = case(path)
    report = arguments.out / f"{name}-{mode}.json"
    report.unlink(missing_ok=True)
    command = [arguments.driver, "ablate", model, *arrays, "--mode", mode, "--threads", arguments.threads, "--json", report]
    command += shlex.split(arguments.flags)
    print(f"{name}, {mode}", file=sys.stderr, flush=True)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL)
    if not report.is_file():
        print(f"error: {name}: ablate ended with {done.returncode}", file=sys.stderr)
        return None
    found = json.loads(report.read_text())
    return {**found, "name": name, "status": done.returncode}


def bytes_text(count):
    if count is None:
        return "–"
    for unit in ("B", "kB", "MB"):
        if count < 1000 or unit == "MB":
            return f"{count:.0f} {unit}" if count >= 100 or unit == "B" else f"{count:.3g} {unit}"
        count /= 1000


def row(trial, base_name):
    cells = [f"`{trial['switch']}`" if "switch" in trial else base_name]
    if trial["status"] == "measured":
        interval = trial.get("ratio_interval")
        cells += [f"{trial['median_ms']:.4g}", f"{trial['ratio']:.3f}" if "ratio" in trial else "1",
                  "–".join(f"{end:.3f}" for end in interval) if interval else "–" if "ratio" in trial else "", trial.get("verdict", "")]
    else:
        cells += ["–", "–", "", trial["status"]]
    if "compile_ms" in trial:
        cells += [f"{trial['compile_ms']:.0f}", *(bytes_text(trial[key]) for key in ("code_bytes", "constant_bytes", "arena_bytes"))]
    else:
        cells += ["–"] * 4
    return "| " + " | ".join(cells) + " |"


def table(found):
    """One model in one mode."""
    adding = found["mode"] == "add-one"
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    lines = [f"### {found['name']}, {found['mode']}, {threads}", ""]
    changed = [trial for trial in found["switches"] if trial["status"] != "unchanged"]
    changed.sort(key=lambda trial: trial.get("ratio", 0) * (1 if adding else -1))
    lines += [f"| {'on' if adding else 'off'} | median ms | ratio | 95 % | verdict | compile ms | code | constants | arena |",
              "|-|-:|-:|-|-|-:|-:|-:|-:|"]
    lines += [row(trial, "nothing on" if adding else "all on") for trial in [found["base"], *changed]]
    noise = found["noise"]
    notes = [f"{found['base'].get('samples', 0)} samples of each after {found['warmup']} calls to warm up."]
    if noise:
        notes.append(f"The first row beside itself: {noise[0]:.3f}–{noise[1]:.3f}.")
    if unchanged := [f"`{trial['switch']}`" for trial in found["switches"] if trial["status"] == "unchanged"]:
        notes.append(f"Without effect on the code, and not timed: {', '.join(unchanged)}.")
    notes += [f"`{trial['switch']}`: {trial['problem']}." for trial in changed if trial.get("problem")]
    if found["interrupted"]:
        notes.append("Interrupted: some are missing.")
    return "\n".join([*lines, "", " ".join(notes), ""])


def page(arguments, results):
    version = subprocess.run([arguments.driver, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    # Where things lie says nothing to others.
    words = [Path(word).name if word.startswith("/") else word for word in sys.argv[1:]]
    head = (f"{datetime.datetime.now(datetime.timezone.utc):%d %B %Y}, {machine.text(machine.describe())}, {version}.\n\n"
            f"    benchmarks/ablations.sh {shlex.join(words)}\n")
    return "\n".join([head, *map(table, results)])


def main():
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    found = [ablate(arguments, path, mode) for path in arguments.models for mode in arguments.modes]
    results = [result for result in found if result]
    if results:
        text = page(arguments, results)
        print(text)
        if arguments.document:
            document.replace_section(arguments.document, SCRIPT, text)
    # Results out of tolerance, or no results.
    sys.exit(0 if len(results) == len(found) and all(result["status"] == 0 for result in results) else 1)


if __name__ == "__main__":
    main()
