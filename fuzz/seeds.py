#!/usr/bin/python3
"""What random graphs must have seen, and which seeds see it.

usage: fuzz/seeds.py check [--build DIR] [--seconds N]           runs fuzz/seeds.txt, then new seeds until the time is over
       fuzz/seeds.py find [--build DIR] [--seconds N] [--first S] renews fuzz/seeds.txt

To be seen are each rule, kind of kernel and path of code, which mlir-fusion-fuzz lists, and each refusal, which stands in the library's
sources (.ci/check-messages --list-refusals); but not what fuzz/unreached.txt gives a reason for. What is missing has a count of 0 in
DIR/fuzz-coverage.txt. `find` takes the seeds there are and as many new ones as the time allows, and of them those few that see
everything, cheap ones first, and each thing twice if that is possible, so that no small change of the library leaves a gap.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEDS, UNREACHED = ROOT / "fuzz/seeds.txt", ROOT / "fuzz/unreached.txt"
KINDS = ("rule", "kernel", "path", "refusal")
TIMES = 2


def refusals():
    """(code, sentence) of the sources, without digits, as coverage has them."""
    text = subprocess.run([ROOT / ".ci/check-messages", "--list-refusals"], check=True, capture_output=True, text=True).stdout
    return [re.sub(r"\d", "", line).split(": ", 1) for line in text.splitlines()]


def names_of(seen, known):
    """What `seen`, a line of coverage without its count, counts for: itself, or the refusals whose code and sentence it has."""
    if not seen.startswith("refusal "):
        return [seen]
    return [f"refusal {code}: {sentence}" for code, sentence in known
            if f" {code}: " in seen and sentence in seen.split(f" {code}: ", 1)[1]]


def unreached(known):
    """Name -> reason; exits if a name is none."""
    reasons = {}
    for line in UNREACHED.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, bar, reason = line.partition(" | ")
        if not bar or not reason:
            sys.exit(f"error: fuzz/unreached.txt: expected 'NAME | reason', got '{line}'")
        if name not in known:
            sys.exit(f"error: fuzz/unreached.txt names '{name}', which is nothing that could be seen")
        reasons[name] = reason
    return reasons


def fuzz(arguments, *flags):
    return subprocess.run([Path(arguments.build) / "bin/mlir-fusion-fuzz", "--jobs", str(os.cpu_count()), "--seconds",
                           str(arguments.seconds), *flags], check=False).returncode


def read_counts(path, known):
    """Name -> count of what is to be seen, with zeros."""
    counts = collections.Counter({f"refusal {code}: {sentence}": 0 for code, sentence in known})
    for line in Path(path).read_text().splitlines():
        count, _, seen = line.partition(" ")
        for name in names_of(seen, known):
            if name.split()[0] in KINDS:
                counts[name] += int(count)
    return counts


def check(arguments):
    known = refusals()
    coverage = Path(arguments.build) / "fuzz-coverage.txt"
    status = fuzz(arguments, "--seeds", SEEDS, "--coverage", coverage)
    if not coverage.exists():
        sys.exit(status or 2)
    counts = read_counts(coverage, known)
    with coverage.open("a") as file:
        file.writelines(f"0 {name}\n" for name, count in sorted(counts.items()) if count == 0 and name.startswith("refusal "))
    reasons = unreached(counts)
    missing = sorted(name for name, count in counts.items() if count == 0 and name not in reasons)
    for name in missing:
        print(f"error: never seen: {name}")
    if missing:
        print("error: find seeds (fuzz/find-seeds.sh), extend fuzz/Graph*.cpp, or argue in fuzz/unreached.txt")
    kinds = collections.Counter(name.split()[0] for name, count in counts.items() if count)
    print("seen: " + ", ".join(f"{kinds[kind]} of {sum(name.split()[0] == kind for name in counts)} {kind}s" for kind in KINDS))
    sys.exit(status or (1 if missing else 0))


def find(arguments):
    known = refusals()
    with tempfile.NamedTemporaryFile() as list_of_each:
        fuzz(arguments, "--seeds", SEEDS, "--seed", str(arguments.first), "--max-faults", "0", "--reduce=false",
             "--seen-by", list_of_each.name)
        seen_by, cost = collections.defaultdict(set), {}
        for line in Path(list_of_each.name).read_text().splitlines():
            seed, milliseconds, seen = line.split(" ", 2)
            cost[seed] = int(milliseconds) + 20
            seen_by[seed].update(name for name in names_of(seen, known) if name.split()[0] in KINDS)
    wanted = collections.Counter()
    for names in seen_by.values():
        wanted.update(names)
    wanted = {name: min(count, TIMES) for name, count in wanted.items()}
    chosen = []
    while any(wanted.values()):
        best = max(seen_by, key=lambda seed: sum(wanted[name] > 0 for name in seen_by[seed]) / cost[seed])
        for name in seen_by.pop(best):
            wanted[name] = max(wanted[name] - 1, 0)
        chosen.append(best)
    SEEDS.write_text("# Seeds of mlir-fusion-fuzz that see all there is to see; fuzz/find-seeds.sh renews them.\n"
                     + "".join(f"{seed}\n" for seed in sorted(chosen, key=int)))
    print(f"{len(chosen)} seeds, {sum(cost[seed] for seed in chosen) / 1000:.0f} s of one core, see {len(wanted)} of what is to be seen")
    missing = [name for name in [f"refusal {code}: {sentence}" for code, sentence in known] if name not in wanted]
    print("\n".join(f"not seen: {name}" for name in missing))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("action", choices=("check", "find"))
    parser.add_argument("--build", default=ROOT / "build")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    (check if arguments.action == "check" else find)(arguments)


if __name__ == "__main__":
    main()
