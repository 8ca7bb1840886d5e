"""The loop that every peer's worker runs: commands as JSON lines in, answers as JSON lines out.

A worker is a process that holds one case, compiled by one peer. A peer is a subclass of Peer; its module ends with serve(MyPeer).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


class Peer:
    """What a peer provides."""

    #: Whether its process ends in the usual way, with the tear-down of its libraries, which is not always clean.
    exits_normally = False

    def __init__(self, threads, options):
        self.threads, self.options = threads, options

    def versions(self):
        """Names and versions of what is measured."""
        raise NotImplementedError

    def compile(self, folder, scratch, reuse):
        """From the case's folder to something that can be called; `reuse`: what an earlier call left in `scratch` will do.

        Returns a dict of details, sizes in bytes and times in seconds; "seconds" replaces the time the call took.
        """
        raise NotImplementedError

    def bind(self, inputs, results):
        """Takes the inputs and arrays of the results' shapes, in the model's order."""
        raise NotImplementedError

    def call(self):
        """One inference, finished on return: this is timed."""
        raise NotImplementedError

    def outputs(self):
        """The results of the latest call."""
        raise NotImplementedError


def run_compiler(command, cpus):
    """Runs a compiler on all CPUs, whatever the worker itself is held to; returns its seconds."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:1500])
    return time.perf_counter() - start


def memory():
    """Resident and peak bytes of this process, and the peak of its children."""
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {
        "resident": int(status["VmRSS"].split()[0]) * 1024,
        "peak": int(status["VmHWM"].split()[0]) * 1024,
        "peak_of_children": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    }


def load_arrays(folder, prefix):
    count = len(list(Path(folder).glob(f"{prefix}*.npy")))
    return [np.load(Path(folder) / f"{prefix}{index}.npy") for index in range(count)]


def largest_error(got, want):
    """Relative to the largest expected magnitude of each result; infinite if shapes differ or a result is not finite."""
    if len(got) != len(want):
        return float("inf")
    worst = 0.0
    for g, w in zip(got, want):
        if g.shape != w.shape or not np.isfinite(g).all():
            return float("inf")
        difference = np.abs(g.astype(np.float64) - w).max(initial=0)
        worst = max(worst, float(difference / max(np.abs(w).max(initial=0), 1e-30)))
    return worst


def timed(call, runs, budget, least):
    """Nanoseconds of up to `runs` calls: no more once `budget` seconds are over and `least` are done."""
    clock, samples = time.perf_counter_ns, []
    start = clock()
    for _ in range(runs):
        begin = clock()
        call()
        end = clock()
        samples.append(end - begin)
        if (end - start) * 1e-9 > budget and len(samples) >= least:
            break
    return samples


class Worker:
    """The operations, each a command's name."""

    def __init__(self, make_peer, threads, options):
        self.peer = make_peer(threads, options)
        self.start = memory()

    def versions(self):
        return self.peer.versions()

    def compile(self, folder, scratch, reuse):
        start = time.perf_counter()
        details = self.peer.compile(Path(folder), Path(scratch), reuse) or {}
        seconds = details.pop("seconds", time.perf_counter() - start)
        self.peer.bind(load_arrays(folder, "in"), [np.zeros(array.shape, np.float32) for array in load_arrays(folder, "out")])
        return {"seconds": seconds, "details": details, "at_start": self.start, "compiled": memory()}

    def check(self, folder):
        self.peer.call()
        return largest_error([np.asarray(result) for result in self.peer.outputs()], load_arrays(folder, "out"))

    def run(self, warm, runs, budget, least):
        timed(self.peer.call, warm, budget, 1)
        return timed(self.peer.call, runs, budget, least)

    def memory(self):
        return memory()


def serve(make_peer):
    # The protocol has standard output to itself; what libraries print goes to standard error.
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        options = json.loads(sys.argv[1])
        worker = Worker(make_peer, options.pop("threads"), options)
        channel.write(json.dumps({"ready": True}) + "\n")
    except Exception as error:
        channel.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        raise
    for line in sys.stdin:
        command = json.loads(line)
        operation = command.pop("operation")
        if operation == "quit":
            break
        try:
            answer = getattr(worker, operation)(**command)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error)[:1500]}"}
        with contextlib.suppress(BrokenPipeError):
            channel.write(json.dumps(answer) + "\n")
    if not worker.peer.exits_normally:
        os._exit(0)
