#!/usr/bin/python3
"""What random graphs must have seen, and which seeds see it.

To be seen are each rule, kind of kernel and path of code, which mlir-fusion-fuzz lists, and each refusal, which stands in the library's
sources (.ci/check-messages --list-refusals); but not what fuzz/unreached.txt gives a reason for. What is missing has a count of 0 in
BUILD/fuzz-coverage.txt. What has a reason there, though fuzz/seeds.txt or seeds 1 to N see it, has none: that is an error, too.
`find` looks at the seeds there are and as many new ones as the time allows, without running them, and takes those few that see
everything, cheap ones first.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import typing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMES = 1


class Plan(typing.NamedTuple):
    seeds: str
    unreached: str
    coverage: str
    kinds: tuple
    flags: tuple


GRAPHS = Plan("fuzz/seeds.txt", "fuzz/unreached.txt", "fuzz-coverage.txt", ("rule", "kernel", "path", "refusal"), ())
RULES = Plan("fuzz/rule-seeds.txt", "fuzz/unchecked-rules.txt", "fuzz-rules.txt", ("rule",), ("--rules",))


def refusals(plan):
    """(code, sentence) of the sources, without digits, as coverage has them."""
    if "refusal" not in plan.kinds:
        return []
    text = subprocess.run([ROOT / ".ci/check-messages", "--list-refusals"], check=True, capture_output=True, text=True).stdout
    return [without_digits(line).split(": ", 1) for line in text.splitlines()]


def without_digits(text):
    return re.sub(r" +", " ", re.sub(r"\d", "", text))


def names_of(seen, known):
    """What `seen`, a line of coverage without its count, counts for: itself, or the refusals whose code and sentence it has."""
    if not seen.startswith("refusal "):
        return [seen]
    seen = without_digits(seen)
    return [f"refusal {code}: {sentence}" for code, sentence in known
            if f" {code}: " in seen and sentence in seen.split(f" {code}: ", 1)[1]]


def unreached(plan, known):
    """Name -> reason; exits if a name is none."""
    reasons = {}
    for line in (ROOT / plan.unreached).read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, bar, reason = line.partition(" | ")
        if not bar or not reason:
            sys.exit(f"error: {plan.unreached}: expected 'NAME | reason', got '{line}'")
        if name not in known:
            sys.exit(f"error: {plan.unreached} names '{name}', which is nothing that could be seen")
        reasons[name] = reason
    return reasons


def fuzz(arguments, *flags):
    return subprocess.run([Path(arguments.build) / "bin/mlir-fusion-fuzz", "--jobs", str(os.cpu_count()),
                           *arguments.plan.flags, *flags], check=False).returncode


def read_counts(plan, path, known):
    """Name -> count of what is to be seen, with zeros."""
    counts = collections.Counter({f"refusal {code}: {sentence}": 0 for code, sentence in known})
    for line in Path(path).read_text().splitlines():
        count, _, seen = line.partition(" ")
        for name in names_of(seen, known):
            if name.split()[0] in plan.kinds:
                counts[name] += int(count)
    return counts


def check(arguments):
    plan = arguments.plan
    known = refusals(plan)
    coverage = Path(arguments.build) / plan.coverage
    coverage.unlink(missing_ok=True)
    status = fuzz(arguments, "--seeds", ROOT / plan.seeds, "--count", str(arguments.count), "--coverage", coverage)
    if not coverage.exists():
        sys.exit(status or 2)
    counts = read_counts(plan, coverage, known)
    with coverage.open("a") as file:
        file.writelines(f"0 {name}\n" for name, count in sorted(counts.items()) if count == 0 and name.startswith("refusal "))
    reasons = unreached(plan, counts)
    missing = sorted(name for name, count in counts.items() if count == 0 and name not in reasons)
    for name in missing:
        print(f"error: never seen: {name}")
    stale = sorted(name for name in reasons if counts[name])
    for name in stale:
        print(f"error: {plan.unreached} says why it is not seen, but it is: {name}")
    if missing:
        print("error: find seeds (fuzz/seeds.py find), extend fuzz/Graph*.cpp, or argue in " + plan.unreached)
    kinds = collections.Counter(name.split()[0] for name, count in counts.items() if count)
    print("seen: " + ", ".join(f"{kinds[kind]} of {sum(name.split()[0] == kind for name in counts)} {kind}s" for kind in plan.kinds))
    sys.exit(status or (1 if missing or stale else 0))


def choose(seen_by, cost):
    """Few of the seeds that see everything, each thing TIMES times if that is possible."""
    wanted = collections.Counter()
    for names in seen_by.values():
        wanted.update(names)
    wanted = {name: min(count, TIMES) for name, count in wanted.items()}
    left, chosen = dict(seen_by), []
    while any(wanted.values()):
        best = max(left, key=lambda seed: sum(wanted[name] > 0 for name in left[seed]) / cost[seed])
        for name in left.pop(best):
            wanted[name] = max(wanted[name] - 1, 0)
        chosen.append(best)
    return sorted(chosen, key=int)


def see(arguments, known, *flags):
    """Seed -> what it sees, seed -> milliseconds."""
    seen_by, cost = collections.defaultdict(set), {}
    with tempfile.NamedTemporaryFile() as file:
        fuzz(arguments, "--max-faults", "0", "--reduce=false", "--seen-by", file.name, *flags)
        for line in Path(file.name).read_text().splitlines():
            seed, milliseconds, seen = line.split(" ", 2)
            cost[seed] = int(milliseconds) + 20
            seen_by[seed].update(name for name in names_of(seen, known) if name.split()[0] in arguments.plan.kinds)
    return seen_by, cost


def find(arguments):
    plan = arguments.plan
    known, seeds = refusals(plan), ROOT / plan.seeds
    explore = [] if plan is RULES else ["--explore"]
    seen_by, cost = see(arguments, known, *explore, "--seeds", seeds, "--seed", str(arguments.first), "--seconds", str(arguments.seconds))
    # Only those that are right.
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("".join(f"{seed}\n" for seed in choose(seen_by, cost)))
        file.flush()
        run, cost = see(arguments, known, "--seeds", file.name)
    chosen = choose(run, cost)
    flag = " --rules" if plan is RULES else ""
    seeds.write_text(f"# Seeds of mlir-fusion-fuzz{flag} that see all there is to see; fuzz/seeds.py find{flag} renews them.\n"
                     + "".join(f"{seed}\n" for seed in chosen))
    seen = set().union(*(run[seed] for seed in chosen))
    missing = [f"refusal {code}: {sentence}" for code, sentence in known if f"refusal {code}: {sentence}" not in seen]
    print(f"{len(seen_by)} seeds looked at; {len(chosen)} chosen, {sum(cost[seed] for seed in chosen) / 1000:.0f} s of one core")
    for name in missing:
        print(f"not seen: {name}")


def main():
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--build", default=ROOT / "build", help="a built tree, by default build")
    common.add_argument("--rules", dest="plan", action="store_const", const=RULES, default=GRAPHS,
                        help="the same of mlir-fusion-fuzz --rules: fuzz/rule-seeds.txt, fuzz/unchecked-rules.txt, BUILD/fuzz-rules.txt")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True, metavar="check|find")
    action = actions.add_parser("check", parents=[common], help="runs fuzz/seeds.txt, then seeds 1 to N")
    action.add_argument("--count", type=int, default=0, metavar="N", help="by default 0")
    action = actions.add_parser("find", parents=[common], help="renews fuzz/seeds.txt")
    action.add_argument("--seconds", type=int, default=300, metavar="N", help="how long to look at new seeds, by default 300")
    action.add_argument("--first", type=int, default=1, metavar="SEED", help="the first of these, by default 1")
    arguments = parser.parse_args()
    (check if arguments.action == "check" else find)(arguments)


if __name__ == "__main__":
    main()
