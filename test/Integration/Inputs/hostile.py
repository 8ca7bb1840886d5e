#!/usr/bin/python3
"""Compiles hostile models: each must end with exit code 0, or 2 and an error with a place, within SECONDS of CPU time and MEGABYTES.

Of each root's models with one odd attribute, one in LEAST must get as far as our own verifiers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter

from hostile_attributes import attribute_models
from hostile_cases import case, cases
from hostile_depth import add_depth
from hostile_memory import add_memory, add_text
from hostile_shapes import add_shapes
from hostile_symbols import add_dialects, add_resources, add_symbols

SECONDS = 120
MEGABYTES = 1500
LEAST = 15
SIGXCPU = 24
# What `timeout` ends with.
TIMED_OUT = 124
# Of an op without a place in the file the name that it was given.
# What is missing in the file has no place in it.
PLACE = re.compile(r"model\.mlir:\d+:\d+: |error: loc\(|model\.mlir: expected (?:main or a single public function|"
                   r"a model that MLIR's parser can read within)")
# Of our own verifiers; the others are MLIR's words, of parsing and of what is declared of operands and attributes.
OURS = re.compile(r"error: 'fusion\.\w+' op (?!operand count|requires attribute|attribute '\w+' failed to satisfy)")


def add_attributes():
    for name, text in attribute_models():
        case(name, text)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def find_problem(status, error, megabytes, wait):
    """What is wrong with how a compilation ended; empty if nothing is."""
    if os.WIFSIGNALED(status):
        signal = os.WTERMSIG(status)
        return f"no end within {SECONDS} s" if signal == SIGXCPU else f"signal {signal}"
    code = os.WEXITSTATUS(status)
    if code == TIMED_OUT:
        return f"no end within {wait} s by the clock"
    if code not in (0, 2):
        return f"exit code {code}"
    if code == 2 and not PLACE.search(error):
        return "no error with a place"
    if megabytes > MEGABYTES:
        return f"{megabytes:.0f} MB"
    return ""


def run(driver, text, folder, wait):
    model = os.path.join(folder, "model.mlir")
    with open(model, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    with open(os.path.join(folder, "err"), "w+b") as errors:
        process = subprocess.Popen(["timeout", str(wait), "prlimit", f"--cpu={SECONDS}:{SECONDS + 5}", driver, "compile", model, "-o",
                                    os.path.join(folder, "out.o"), "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limits, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        errors.seek(0)
        error = errors.read().decode("utf-8", "replace")
    megabytes = usage.ru_maxrss / 1024
    return find_problem(status, error, megabytes, wait), usage.ru_utime, megabytes, error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", default="build/bin/mlir-fusion")
    parser.add_argument("--only", default="", help="a regular expression that names of models contain")
    parser.add_argument("--size", type=int, default=30000, help="how long chains are, and how deep the deepest nests")
    parser.add_argument("--wait", type=int, default=1200, help="seconds by the clock: what waits for ever takes no time of a CPU")
    parser.add_argument("--verbose", action="store_true", help="tell of each model")
    options = parser.parse_args()
    add_depth(options.size)
    for add in (add_shapes, add_attributes, add_resources, add_symbols, add_dialects, add_memory, add_text):
        add()
    chosen = {name: text for name, text in cases.items() if re.search(options.only, name)}
    if not chosen:
        sys.exit(f"error: expected the name of a model to contain {options.only!r}, got none")
    failed, reached, made = 0, Counter(), Counter()
    for name, text in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            problem, seconds, megabytes, error = run(os.path.abspath(options.driver), text, folder, options.wait)
        if options.verbose or problem:
            said = next((line for line in error.splitlines() if "error" in line), error[:200])
            print(f"{'FAILED' if problem else 'ok    '} {name}: {problem} ({seconds:.1f} s, {megabytes:.0f} MB) {said[:220]!r}", flush=True)
        failed += bool(problem)
        if name.startswith("attribute-"):
            made[name.split("-")[1]] += 1
            reached[name.split("-")[1]] += bool(OURS.search(error))
    for root, count in reached.items():
        if count < made[root] // LEAST:
            print(f"FAILED attribute-{root}: {count} models reach our own verifiers, expected {made[root] // LEAST}")
            failed += 1
    print(f"{len(chosen)} models, {failed} failed; odd attributes that our own verifiers saw: "
          + ", ".join(f"{count} of {root}" for root, count in reached.items()))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
