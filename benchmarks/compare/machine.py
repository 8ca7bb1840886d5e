"""The machine: what it is, what it can do at most, and whether it is all ours just now."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import platform
import re
import subprocess
import time
from pathlib import Path

CLANG = os.environ.get("CLANG", "/usr/lib/llvm-22/bin/clang")
TICKS = os.sysconf("SC_CLK_TCK")
FEATURES = ["avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_tile"]


def describe():
    info = Path("/proc/cpuinfo").read_text()

    def field(name):
        found = re.search(rf"^{name}\s*:\s*(.*)$", info, re.M)
        return found[1] if found else "?"

    flags = field("flags").split()
    features = [feature for feature in FEATURES if feature in flags]
    memory = re.search(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(), re.M)
    return {
        "cpu": field("model name"),
        "family": field("cpu family"),
        "model": field("model"),
        "cores": len(os.sched_getaffinity(0)),
        "isa": "AVX-512" if "avx512f" in features else "AVX2",
        "features": features,
        "caches": caches(),
        "memory_bytes": int(memory[1]) * 1024 if memory else 0,
        "virtual": "hypervisor" in flags,
        "system": system_name(),
        "kernel": platform.release(),
    }


def text(facts):
    """What describe found, in the words of every page."""
    sizes = ", ".join(f"{level} {size}" for level, size in facts["caches"].items())
    kind = f"family {facts['family']}, model {facts['model']}; {facts['isa']}; {sizes}{'; virtual' if facts['virtual'] else ''}"
    return f"{facts['cores']} core(s) of {facts['cpu']} ({kind}), {facts['system']}"


def caches():
    """Sizes by level, of those for data: {"L1": "32K", …}."""
    sizes = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            sizes[f"L{level}"] = size
    return sizes


def system_name():
    found = re.search(r'^PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text(), re.M)
    return found[1] if found else platform.system()


def build_peak(scratch):
    """Compiles peak.c; returns the program."""
    program = Path(scratch) / "peak"
    source = Path(__file__).with_name("peak.c")
    subprocess.run([CLANG, "-O3", "-pthread", source, "-o", program, "-ldl"], check=True)
    return program


def measure_roof(program, threads):
    """GFLOP/s of FMAs and GB/s of reads, by number of threads."""
    return json.loads(subprocess.run([program, "roof", str(threads)], check=True, capture_output=True, text=True).stdout)


def busy_seconds():
    """CPU time all CPUs have spent on anything, the hypervisor's share included."""
    user, nice, system, _idle, _wait, irq, soft_irq, steal = (int(v) for v in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + irq + soft_irq + steal) / TICKS


class Probe:
    """Tells whether the CPUs are all ours, beyond what /proc/stat can know.

    On a virtual machine threads can be slow although none waits for a CPU and no steal is reported. So we measure, for a few
    milliseconds, the FMA rate that the CPUs reach together. This catches some such spells, not all.
    """

    def __init__(self, program, cpus):
        command = [program, "serve", ",".join(map(str, cpus))]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)
        self.best = max(self._rate() for _ in range(30))

    def _rate(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def is_quiet(self):
        rate = self._rate()
        self.best = max(self.best, rate)
        return rate > 0.85 * self.best

    def wait_until_quiet(self, tries):
        for _ in range(tries):
            if self.is_quiet():
                return True
            time.sleep(0.05)
        return self.is_quiet()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
