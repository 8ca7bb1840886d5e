"""Judges what was measured by the bars of bars.toml."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import statistics
import tomllib
from dataclasses import dataclass
from pathlib import Path

from peers import OURS

LEAST_SAMPLES = 3  # of a kernel, between peak loops that were not disturbed


@dataclass
class Series:
    """One figure of one case: a value a run."""

    where: str  # "2 threads", "AVX2" or nothing
    by_run: dict  # run -> value

    @property
    def median(self):
        return statistics.median(self.by_run.values())


@dataclass
class Verdict:
    title: str
    where: str
    by_run: dict
    limit: str
    result: str  # holds, missed or why not measured


class Figures:
    """The figures that bars name: each method gives the series of one case."""

    def __init__(self, measured):
        self.measured = measured

    def _of(self, case, peer, key):
        """By number of threads: run -> value."""
        found = {}
        for result in self.measured.results(case, peer):
            if result.get("correct") and result.get(key) is not None:
                found.setdefault(result["threads"], {})[result["run"]] = result[key]
        return found

    def latency_ratio(self, case):
        for threads in self.measured.threads:
            if ratios := self.measured.ratios(case, threads):
                yield Series(self.measured.threads_text(threads), ratios)

    def compile_s(self, case):
        for by_run in self._of(case, OURS, "to_library_s").values():
            yield Series("", by_run)

    def compile_over_iree(self, case):
        theirs = {}
        for peer in self.measured.f32_peers:
            if peer.startswith("iree"):
                for by_run in self._of(case, peer, "compile_s").values():
                    for run, seconds in by_run.items():
                        theirs[run] = min(seconds, theirs.get(run, seconds))
        for by_run in self._of(case, OURS, "to_library_s").values():
            if shared := {run: seconds / theirs[run] for run, seconds in by_run.items() if run in theirs}:
                yield Series("", shared)

    def kernel_share(self, case):
        by_isa = {}
        for one in self.measured.kernels:
            if one["kernel"] == case and one.get("kept", 0) >= LEAST_SAMPLES:
                by_isa.setdefault(one["isa"], {})[one["run"]] = one["share"]
        for isa, by_run in by_isa.items():
            yield Series({"avx512": "AVX-512", "avx2": "AVX2"}[isa], by_run)

    def code_bytes(self, case):
        for by_run in list(self._of(case, OURS, "code_bytes").values())[:1]:
            yield Series("", by_run)

    def arena_over_live(self, case):
        facts = self.measured.cases.get(case, {})
        if facts.get("live_bytes"):
            yield Series("", {0: facts["arena_bytes"] / facts["live_bytes"]})

    def memory_beyond_weights(self, case):
        weights = self.measured.cases.get(case, {}).get("weight_bytes")
        for threads, by_run in self._of(case, OURS, "memory").items():
            if weights:
                yield Series(self.measured.threads_text(threads), {run: value - weights for run, value in by_run.items()})


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def judge(measured, path=Path(__file__).parent.parent / "bars.toml"):
    """A verdict for each bar and place it is measured at."""
    figures = Figures(measured)
    for bar in tomllib.loads(path.read_text())["bar"]:
        series = {case: {one.where: one for one in getattr(figures, bar["figure"])(case)} for case in bar["cases"]}
        missing = [case for case in bar["cases"] if not series[case]]
        if missing:
            named = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            yield Verdict(bar["title"], "", {}, "", "not measured" + (f": {named}" if len(bar["cases"]) > 1 else ""))
        for where in dict.fromkeys(where for by_where in series.values() for where in by_where):
            rows = {case: by_where[where] for case, by_where in series.items() if where in by_where}
            if not missing and "mean_at_most" in bar and len(rows) == len(series):
                yield judge_mean(bar, where, rows)
            if "at_most" in bar or "at_least" in bar:
                yield judge_worst(bar, where, rows)


def judge_mean(bar, where, rows):
    runs = set.intersection(*(set(one.by_run) for one in rows.values()))
    means = {run: statistics.geometric_mean(one.by_run[run] for one in rows.values()) for run in runs}
    if not means:
        return Verdict(bar["title"], where, {}, "", "not measured in one run")
    holds = statistics.median(means.values()) <= bar["mean_at_most"]
    title, limit = f"{bar['title']}, geometric mean of {len(rows)}", f"≤ {number(bar['mean_at_most'])}"
    return Verdict(title, where, means, limit, "holds" if holds else "**missed**")


def judge_worst(bar, where, rows):
    """The case that is worst decides for all."""
    most = "at_most" in bar
    limit = bar["at_most" if most else "at_least"]
    worst = (max if most else min)(rows, key=lambda case: rows[case].median)
    median = rows[worst].median
    title = bar["title"] if len(rows) == 1 and len(bar["cases"]) == 1 else f"{bar['title']}, worst of {len(rows)}: {worst}"
    holds = median <= limit if most else median >= limit
    return Verdict(title, where, rows[worst].by_run, f"{'≤' if most else '≥'} {number(limit)}", "holds" if holds else "**missed**")
