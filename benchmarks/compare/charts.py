"""Draws the figures as bars, a group a case and a colour a peer; without matplotlib there are no charts."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import statistics

from peers import OURS

COLORS = {OURS: "#c8102e", "ort": "#4878a8", "openvino": "#6a9f58", "iree": "#b07aa1", "iree-channels-last": "#d7b5d0", "xla": "#e0a030"}
OTHER_COLOR = "#9a9a9a"


def draw(measured, folder):
    """Writes the charts; returns (title, path) of each."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "mlir-fusion", "svg.fonttype": "none", "font.size": 9})
    pictures = []
    most = measured.threads[-1]
    wanted = [(f"Latency, {measured.threads_text(t)} (ms)", f"latency-{t}.svg", t, "median_us", 1e-3) for t in measured.threads]
    wanted.append(("Compile time (s)", "compile.svg", most, "compile_s", 1))
    wanted.append(("Code (kB)", "code.svg", most, "code_bytes", 1e-3))
    wanted += [(f"Resident memory, {measured.threads_text(t)} (MB)", f"memory-{t}.svg", t, "memory", 1e-6) for t in measured.threads]
    for title, name, threads, key, scale in wanted:
        values = {}
        for case in measured.cases:
            for peer in [OURS, *measured.f32_peers]:
                right = [r for r in measured.results(case, peer, threads) if r.get("correct") and r.get(key)]
                if right:
                    values[case, peer] = spread_of(right, key, scale)
        if values:
            folder.mkdir(parents=True, exist_ok=True)
            draw_bars(measured, values, title, folder / name)
            pictures.append((title, folder / name))
    return pictures


def spread_of(results, key, scale):
    """Median, least and most of the runs; of one run: its deciles where it has them."""
    values = [r[key] * scale for r in results]
    if len(values) == 1 and key == "median_us":
        return values[0], results[0]["p10_us"] * scale, results[0]["p90_us"] * scale
    return statistics.median(values), min(values), max(values)


def draw_bars(measured, values, title, path):
    import matplotlib.pyplot as plt

    cases = [case for case in measured.cases if any((case, peer) in values for peer in measured.peers)]
    peers = [peer for peer in measured.peers if any((case, peer) in values for case in cases)]
    figure, axis = plt.subplots(figsize=(2.5 + 1.0 * len(cases), 4.2))
    width = 0.85 / len(peers)
    for index, peer in enumerate(peers):
        found = [(at, values[case, peer]) for at, case in enumerate(cases) if (case, peer) in values]
        places = [at + (index - (len(peers) - 1) / 2) * width for at, _ in found]
        heights = [value for _, (value, _, _) in found]
        errors = [[max(0, value - low) for _, (value, low, _) in found], [max(0, high - value) for _, (value, _, high) in found]]
        color = COLORS.get(peer, OTHER_COLOR)
        axis.bar(places, heights, width, yerr=errors, color=color, label=measured.title(peer), error_kw={"lw": 0.8, "ecolor": "#333333"})
    axis.set_yscale("log")
    axis.set_xticks(range(len(cases)), cases, rotation=25, ha="right")
    axis.set_title(title, loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
