"""Turns results into Markdown tables, charts and a section of docs/Performance.md."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import statistics
from collections import Counter

import bars
import charts
import machine
from document import replace_section
from peers import OURS

GROUPS = {"net": "networks", "model": "models given", "layer": "layers", "batch": "layers of batches and classifiers"}
SCRIPT = "compare.sh"  # whose section the page has


def threads_text(threads):
    return "1 thread" if threads == 1 else f"{threads} threads"


def number(value, digits=3):
    """`digits` significant digits, without exponents."""
    if value is None:
        return "–"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    for decimals in range(digits + 3):
        if round(abs(value), decimals) >= 10 ** (digits - 1 - decimals):
            return f"{value:.{decimals}f}"
    return f"{value:.{digits}g}"


def lines(results):
    """A line a peer, for who watches."""
    for result in results:
        if "median_us" in result:
            compiled = "" if result["compile_s"] is None else f", compiled in {result['compile_s']:.2f} s"
            loud = f", {result['loud_turns']} of {result['turns']} turns loud" if result["loud_turns"] else ""
            wrong = "" if result["correct"] else ", WRONG"
            spread = f"({number(result['p10_us'])}–{number(result['p90_us'])})"
            yield f"{result['peer']:20} {number(result['median_us'], 4):>9} µs {spread}{compiled}{loud}{wrong}"


class Measured:
    """The results by case, peer and number of threads."""

    def __init__(self, data):
        self.data = data
        self.cases, self.peers, self.kernels = data["cases"], data["peers"], data["kernels"]
        self.threads = data["options"]["threads"][::-1]
        self.f32_peers = [name for name, peer in self.peers.items() if name != OURS and not peer["reduced"]]
        self._by_key = {}
        for result in data["results"]:
            self._by_key.setdefault((result["case"], result["peer"]), []).append(result)

    threads_text = staticmethod(threads_text)

    def title(self, peer):
        return self.peers[peer]["title"]

    def results(self, case, peer, threads=None):
        return [r for r in self._by_key.get((case, peer), []) if threads in (None, r["threads"])]

    def values(self, case, peer, threads, key):
        return [r[key] for r in self.results(case, peer, threads) if r.get(key) is not None]

    def latencies(self, case, peer, threads):
        """Run -> microseconds, of right results."""
        return {r["run"]: r["median_us"] for r in self.results(case, peer, threads) if r.get("correct") and "median_us" in r}

    def best(self, case, threads):
        """Run -> (microseconds, peer) of the fastest other in f32 that is right."""
        by_run = {}
        for peer in self.f32_peers:
            for run, us in self.latencies(case, peer, threads).items():
                by_run[run] = min(by_run.get(run, (us, peer)), (us, peer))
        return by_run

    def ratios(self, case, threads):
        """Run -> our time over the best peer's."""
        best = self.best(case, threads)
        return {run: us / best[run][0] for run, us in self.latencies(case, OURS, threads).items() if run in best}

    def roof_us(self, case, threads):
        """Microseconds that nothing in f32 can beat without another algorithm: arithmetic, or reading all once."""
        facts, roof = self.cases[case], self.data["roof"].get(str(threads))
        if not facts.get("flop") or not roof:
            return None
        sizes = sorted(roof["read"].items(), key=lambda item: int(item[0]))
        rate = next((rate for size, rate in sizes if facts["least_bytes"] <= int(size) * threads), sizes[-1][1])
        return max(facts["flop"] / roof["fma"], facts["least_bytes"] / rate) * 1e-3


def spread(values, scale=1.0, digits=3):
    """Median (least–most), or what they all are."""
    values = [value * scale for value in values]
    if not values:
        return "–"
    median, least, most = (number(value, digits) for value in (statistics.median(values), min(values), max(values)))
    return median if least == most else f"{median} ({least}–{most})"


def table(head, rows):
    rows = list(rows)
    if not rows:
        return []
    return ["| " + " | ".join(head) + " |", "|-|" + "-:|" * (len(head) - 1), *("| " + " | ".join(row) + " |" for row in rows), ""]


# ----- the tables -----------------------------------------------------------------------------------------------------


def bars_table(measured):
    rows = []
    for verdict in bars.judge(measured):
        values = list(verdict.by_run.values())
        median = bars.number(statistics.median(values)) if values else "–"
        runs = f"{bars.number(min(values))}–{bars.number(max(values))}" if len(values) > 1 else "–"
        rows.append([verdict.title, verdict.where or "–", median, runs, verdict.limit or "–", verdict.result])
    return table(["bar", "where", "median", "runs", "limit", ""], rows)


def ratio_table(measured, threads):
    for case in measured.cases:
        ours = measured.latencies(case, OURS, threads)
        if not ours:
            found = measured.results(case, OURS, threads)
            if any("failure" in r or not r.get("correct", True) for r in found):
                yield [case, "failed" if any("failure" in r for r in found) else "WRONG", "–", "–", "–", "–"]
            continue
        best, ratios = measured.best(case, threads), measured.ratios(case, threads)
        names = Counter(peer for _, peer in best.values()).most_common(1)
        roof = measured.roof_us(case, threads)
        yield [
            case,
            spread(ours.values(), 1e-3),
            spread([us for us, _ in best.values()], 1e-3),
            measured.title(names[0][0]) if names else "–",
            spread(ratios.values()),
            f"{100 * roof / statistics.median(ours.values()):.0f} %" if roof else "–",
        ]


def latency_table(measured, threads):
    for case in measured.cases:
        best = Counter(peer for _, peer in measured.best(case, threads).values()).most_common(1)
        row = []
        for peer in [OURS, *measured.f32_peers]:
            row.append(latency_cell(measured, case, peer, threads))
            if best and peer == best[0][0]:
                row[-1] = f"**{row[-1]}**"
        if any(cell != "–" for cell in row):
            yield [case, *row]


def latency_cell(measured, case, peer, threads):
    found = [r for r in measured.results(case, peer, threads) if "median_us" in r]
    if not found:
        return "failed" if any("failure" in r for r in measured.results(case, peer, threads)) else "–"
    middle = [statistics.median(r[key] for r in found) / 1e3 for key in ("median_us", "p10_us", "p90_us")]
    wrong = "" if all(r["correct"] for r in found) else " WRONG"
    loud = "*" if sum(r["loud_turns"] for r in found) > 0.2 * sum(r["turns"] for r in found) else ""
    return f"{number(middle[0])} ({number(middle[1])}–{number(middle[2])}){loud}{wrong}"


def means_table(measured):
    """Geometric means over cases, a value a run: all peers against the best other one."""
    for group, title in GROUPS.items():
        for threads in measured.threads:
            cases = [case for case, facts in measured.cases.items() if facts["group"] == group and measured.best(case, threads)]
            row = []
            for peer in [OURS, *measured.f32_peers]:
                logs = []
                for case in cases:
                    best, own = measured.best(case, threads), measured.latencies(case, peer, threads)
                    if shared := [own[run] / best[run][0] for run in own if run in best]:
                        logs.append(statistics.median(shared))
                row.append(f"{statistics.geometric_mean(logs):.2f} ({len(logs)})" if logs else "–")
            if any(cell != "–" for cell in row):
                yield [f"{title}, {threads_text(threads)}", *row]


def figure_table(measured, threads, cell):
    for case in measured.cases:
        row = [cell(case, peer, threads) for peer in [OURS, *measured.f32_peers]]
        if any(text != "–" for text in row):
            yield [case, *row]


def reduced_table(measured):
    for peer in (name for name, about in measured.peers.items() if about["reduced"]):
        f32 = peer.split("-")[0]
        for case in measured.cases:
            for threads in measured.threads:
                found = [r for r in measured.results(case, peer, threads) if "median_us" in r]
                if found:
                    yield [
                        f"{case}, {threads_text(threads)}",
                        f"{measured.title(peer)}: {found[0].get('precision', '?')}",
                        spread([r["median_us"] for r in found], 1e-3),
                        spread(measured.values(case, f32, threads, "median_us"), 1e-3),
                        spread(measured.values(case, OURS, threads, "median_us"), 1e-3),
                        f"{max(r['largest_error'] for r in found):.1e}",
                    ]


def kernel_table(measured):
    keys = dict.fromkeys((one["kernel"], one["isa"]) for one in measured.kernels)
    for kernel, isa in keys:
        found = [one for one in measured.kernels if (one["kernel"], one["isa"]) == (kernel, isa) and "share" in one]
        name = {"avx512": "AVX-512", "avx2": "AVX2"}[isa]
        if not found:
            yield [kernel, name, "failed", "–", "–", "–"]
            continue
        # What every sample was disturbed in is no measurement.
        if not any(one["kept"] for one in found):
            yield [kernel, name, "–", "–", "–", f"0 of {sum(one['samples'] for one in found)}"]
            continue
        yield [
            kernel,
            name,
            spread([100 * one["share"] for one in found]) + " %",
            spread([one["gflops"] for one in found]),
            spread([one["peak_gflops"] for one in found]),
            f"{sum(one['kept'] for one in found)} of {sum(one['samples'] for one in found)}",
        ]


def failures(measured):
    for peer, reason in measured.data["refused"].items():
        yield f"- {peer}: {reason}"
    seen = set()
    for result in measured.data["results"]:
        if "failure" in result and (result["case"], result["peer"]) not in seen:
            seen.add((result["case"], result["peer"]))
            first = (result["failure"].splitlines() or ["no message"])[0][:200]
            yield f"- {measured.title(result['peer'])}, {result['case']}: {first}"
    for one in measured.kernels:
        if "failure" in one and one["run"] == 0:
            yield f"- {one['kernel']}, {one['isa']}: {one['failure'].splitlines()[0][:200]}"


# ----- the page -------------------------------------------------------------------------------------------------------


def about(measured):
    data = measured.data
    options = data["options"]
    versions = ", ".join(f"{name} {version}" for name, version in data["versions"].items())
    peak = "; ".join(
        f"{threads_text(t)} {roof['fma']:.0f} GFLOP/s, {list(roof['read'].values())[-1]:.0f} GB/s"
        for t in measured.threads
        if (roof := data["roof"].get(str(t)))
    )
    runs = f"{options['runs']} runs" if options["runs"] > 1 else "1 run"
    yield f"{data['date']}, {runs}{' (quick: not a measurement)' if options['quick'] else ''}" + (
        "" if data["complete"] else " (interrupted)"
    )
    yield f"on {machine.text(data['machine'])}."
    yield f"Load before: {data['load']:.1f}. Versions: {versions}."
    yield f"Measured peak: {peak}."
    if options["flags"]:
        yield f"Compiled with `{' '.join(options['flags'])}`."
    yield ""


def sections(measured):
    """Title -> lines of Markdown; a section without rows is left out."""
    most = measured.threads[-1]
    peers = [measured.title(peer) for peer in [OURS, *measured.f32_peers]]
    yield "Bars", bars_table(measured)
    for threads in measured.threads:
        head = ["case", "mlir-fusion, ms", "best peer, ms", "which", "ratio", "of the roof"]
        yield f"Ours over the best peer, {threads_text(threads)}", table(head, ratio_table(measured, threads))
    yield "Time over the best peer's: geometric mean (cases)", table(["group", *peers], means_table(measured))
    for threads in measured.threads:
        yield f"Latency, {threads_text(threads)}, ms (first and last decile)", table(["case", *peers], latency_table(measured, threads))

    def seconds(case, peer, threads):
        return spread(measured.values(case, peer, threads, "compile_s"))

    def kilobytes(case, peer, threads):
        return spread(measured.values(case, peer, threads, "code_bytes")[:1], 1e-3)

    def compiler_megabytes(case, peer, threads):
        found = [r.get("compiler_memory", r["peak_memory"]) for r in measured.results(case, peer, threads) if r.get("compile_s")]
        return spread(found, 1e-6)

    def megabytes(case, peer, threads):
        return spread(measured.values(case, peer, threads, "memory"), 1e-6)

    def error(case, peer, threads):
        values = measured.values(case, peer, threads, "largest_error")
        return f"{max(values):.1e}" if values else "–"

    yield f"Compile or session creation, {threads_text(most)}, s", table(["case", *peers], figure_table(measured, most, seconds))
    yield "Peak memory of compiling, MB", table(["case", *peers], figure_table(measured, most, compiler_megabytes))
    yield "Code, kB", table(["case", *peers], figure_table(measured, most, kilobytes))
    for threads in measured.threads:
        title = f"Resident memory above the imported runtime, with weights, {threads_text(threads)}, MB"
        yield title, table(["case", *peers], figure_table(measured, threads, megabytes))
    yield "Largest error, of the largest expected magnitude", table(["case", *peers], figure_table(measured, most, error))
    head = ["kernel", "ISA", "share of peak", "GFLOP/s", "peak", "samples kept"]
    yield "Kernels alone, channels-last, one core", table(head, kernel_table(measured))
    head = ["case", "what", "ms", "the same in f32, ms", "mlir-fusion, f32, ms", "largest error"]
    yield "Less than f32, by the peers' own choice: not compared", table(head, reduced_table(measured))
    yield "Refused and failed", [*failures(measured)]


def page(measured, pictures, level="##"):
    text = [*about(measured)]
    for title, body in sections(measured):
        if body:
            text += [f"{level} {title}", "", *body]
            if body[-1]:
                text.append("")
    text += [f"![{name}]({path})" for name, path in pictures]
    return "\n".join(text).rstrip() + "\n"


def write(data, out, document=None):
    """report.md and charts in `out`; the tables to standard output; the same between the marks of `document`."""
    measured = Measured(data)
    pictures = charts.draw(measured, out)
    text = page(measured, [(title, path.name) for title, path in pictures])
    (out / "report.md").write_text("# mlir-fusion beside its peers\n\n" + text)
    print(text)
    if document:
        folder = document.parent / document.stem.lower()
        pictures = charts.draw(measured, folder)
        text = page(measured, [(title, f"{folder.name}/{path.name}") for title, path in pictures], "###")
        replace_section(document, SCRIPT, text)
