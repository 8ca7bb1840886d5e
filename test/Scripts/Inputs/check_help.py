#!/usr/bin/python3
"""Calls each script of a source tree with --help, -h and a flag that it does not have: what they say, and that they do nothing.

usage: check_help.py SOURCE FOLDER

Scripts are the executable files of scripts, .ci, fuzz and benchmarks. They run on a copy in FOLDER, with no programs but those that a
script needs to find itself and to print.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ("scripts", ".ci", "fuzz", "benchmarks")
PROGRAMS = ("bash", "dirname", "grep", "python3", "sed")
# Hand their flags to another tool.
PASS_FLAGS_ON = {"fuzz/run.sh", ".ci/check-bounds"}


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def problems_of(tree, script, environment):
    def call(*words):
        before = snapshot(tree)
        run = subprocess.run([tree / script, *words], cwd=tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if snapshot(tree) != before:
            yield f"{script} {' '.join(words)}: wrote files"
        yield from check(run, words)

    def check(run, words):
        text, wanted = (run.stderr, 2) if "--no-such-flag" in words else (run.stdout, 0)
        usage = re.findall(r"^usage: (\S+)", text, re.MULTILINE)
        if run.returncode != wanted or [Path(name).name for name in usage] != [Path(script).name]:
            yield f"{script} {' '.join(words)}: expected exit code {wanted} and one line 'usage: {Path(script).name} …', got {run.returncode}:\n{run.stdout}{run.stderr}"

    yield from call("--help")
    yield from call("-h")
    if "bash" in (tree / script).read_text().splitlines()[0]:
        yield from call("build", "--help")
    if script not in PASS_FLAGS_ON:
        yield from call("--no-such-flag")


def main():
    source, folder = map(Path, sys.argv[1:])
    tree, programs = folder / "tree", folder / "programs"
    programs.mkdir(parents=True)
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
    scripts = []
    for name in FOLDERS:
        shutil.copytree(source / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in sorted((tree / name).rglob("*")):
            if path.is_file() and os.access(path, os.X_OK):
                scripts.append(str(path.relative_to(tree)))
    environment = {"PATH": str(programs), "HOME": str(tree), "TMPDIR": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(folder)}
    problems = [problem for script in scripts for problem in problems_of(tree, script, environment)]
    print(*problems, f"{len(scripts)} scripts, {len(problems)} problems", sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
