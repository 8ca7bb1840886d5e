"""Measures peers against each other, case by case.

Every peer compiles the case in a process of its own; outputs are compared with expected ones; then the peers take turns, a few calls
each, so that whatever disturbs the machine meets all of them alike. All but the one whose turn it is are stopped (SIGSTOP): no one's
spinning threads cost another time. A turn in which others used the CPUs is taken again.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import json
import os
import select
import shutil
import signal
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from machine import TICKS, busy_seconds
from peers import OURS

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-4  # of the largest expected magnitude
TOLERANCE_REDUCED = 0.1
TIMEOUT = 900  # seconds for one answer
HOPELESS = 3  # a peer that took as many times the fastest one's time in the first run is not timed in the later ones


@dataclass(frozen=True)
class Plan:
    """How long to measure; calls and seconds are limits of one turn."""

    warm_up: int
    warm_up_seconds: float
    turns: int
    calls: int
    seconds: float
    least: int  # calls, however long they take
    retakes: int  # of a disturbed turn


NET = Plan(warm_up=50, warm_up_seconds=4, turns=8, calls=100, seconds=0.5, least=7, retakes=4)
LAYER = Plan(warm_up=50, warm_up_seconds=2, turns=8, calls=200, seconds=0.1, least=7, retakes=4)
QUICK = Plan(warm_up=5, warm_up_seconds=0.2, turns=2, calls=20, seconds=0.05, least=2, retakes=0)


def cpus_for(threads):
    cpus = sorted(os.sched_getaffinity(0))
    # One thread: the last CPU, for the first tends to serve interrupts.
    return cpus[-1:] if threads == 1 else cpus[:threads]


class WorkerError(Exception):
    pass


class Worker:
    """A peer's process; workers/protocol.py is what runs in it."""

    def __init__(self, name, peer, threads, log):
        self.name, self.cpus = name, cpus_for(threads)
        options = dict(peer.get("options", {}), threads=threads, cpus=sorted(os.sched_getaffinity(0)))
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
        environment["CI"] = "true"  # OpenVINO sends no telemetry, from a process that runs beside the measurement
        self.log = open(log, "a")
        self.process = subprocess.Popen(
            [peer["python"], HERE / "workers" / peer["worker"], json.dumps(options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment,
            process_group=0,  # Ctrl-C is ours alone
            preexec_fn=lambda: os.sched_setaffinity(0, self.cpus),
        )  # fmt: skip
        try:
            self._answer()
        except WorkerError:
            self.stop()
            raise

    def _answer(self):
        # One line an answer: none of the next is buffered here.
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise WorkerError(f"no answer within {TIMEOUT} s")
        line = self.process.stdout.readline()
        if not line:
            raise WorkerError(f"the process ended with exit code {self.process.wait()}")
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def ask(self, operation, **arguments):
        self.process.stdin.write(json.dumps({"operation": operation, **arguments}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def thread_times(self):
        """Nanoseconds on a CPU, by thread."""
        times = {}
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # threads come and go
                times[int(task.name)] = int((task / "schedstat").read_text().split()[0])
        return times

    def spread(self, before):
        """Gives each of the threads that worked hardest since `before` a CPU of its own: keeps the guest's scheduler out of it."""
        work = {thread: time - before.get(thread, 0) for thread, time in self.thread_times().items()}
        busiest = sorted(work, key=work.get, reverse=True)[: len(self.cpus)]
        for thread, cpu in zip(sorted(busiest), self.cpus):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(thread, {cpu})

    def cpu_seconds(self):
        """CPU time of the process, its threads and the children it waited for."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(int(field) for field in fields[11:15]) / TICKS

    def stop(self, wait=5):
        with contextlib.suppress(OSError, ValueError):
            self.resume()
            self.process.stdin.write('{"operation": "quit"}\n')
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(wait)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # it, or what it started and left: a compiler, say
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


class Foreign:
    """Watches how much CPU time others use while a worker has its turn."""

    def __init__(self, worker):
        self.worker = worker

    def __enter__(self):
        self.start = time.monotonic()
        self.busy, self.own = busy_seconds(), self.worker.cpu_seconds()
        return self

    def __exit__(self, failed, *_):
        if failed:  # the worker may be gone: its own error is what to report
            return
        wall = time.monotonic() - self.start
        seconds = busy_seconds() - self.busy - (self.worker.cpu_seconds() - self.own)
        # Two ticks are the resolution of the clocks compared.
        self.is_loud = seconds > 2.5 / TICKS + 0.05 * wall


class Harness:
    """What is the same for all cases: the peers, the scratch folder, the plan's source and what is told meanwhile."""

    def __init__(self, peers, scratch, quick, say, show):
        self.peers, self.scratch, self.quick, self.say, self.show = peers, Path(scratch), quick, say, show
        self.versions, self.hopeless = {}, set()

    def plan(self, case):
        return QUICK if self.quick else LAYER if case["group"] in ("layer", "batch") else NET

    def measure(self, case, threads, run, reuse, probe):
        """All peers on one case: a result for each, as a dict, and whether it was interrupted.

        `reuse`: what the peers compiled for the same case with another number of threads will do.
        """
        names = [name for name in self.peers if not (reuse and (case["name"], threads, name) in self.hopeless)]
        turns = Turns(self, case, threads, run, names, reuse, probe)
        interrupted = False
        try:
            turns.prepare()
            turns.take()
        except KeyboardInterrupt:
            interrupted = True
        turns.finish(interrupted)
        if run == 0:
            # By the first decile, which a loud machine touches least.
            times = {name: result["p10_us"] for name, result in turns.results.items() if is_usable(result)}
            best = min((us for name, us in times.items() if not self.peers[name].get("reduced")), default=0)
            self.hopeless |= {(case["name"], threads, name) for name, us in times.items() if us > HOPELESS * best and name != OURS}
        return list(turns.results.values()), interrupted


def is_usable(result):
    return "median_us" in result and result["correct"]


class Turns:
    """The processes of one case and what they answered."""

    def __init__(self, harness, case, threads, run, names, reuse, probe):
        self.harness, self.case, self.threads, self.probe, self.reuse = harness, case, threads, probe, reuse
        self.names, self.plan = names, harness.plan(case)
        self.results = {name: {"case": case["name"], "peer": name, "threads": threads, "run": run} for name in names}
        self.timed = [name for name in names if (case["name"], threads, name) not in harness.hopeless]
        self.workers, self.samples = {}, {name: [] for name in names}

    @contextlib.contextmanager
    def failing_alone(self, name):
        """A peer's failure is its result, and no concern of the others."""
        try:
            yield
        except (WorkerError, OSError) as error:
            self.results[name]["failure"] = str(error).strip()
            self.harness.say(f"  {name} failed: {(str(error).strip().splitlines() or ['no message'])[0][:200]}")
            if worker := self.workers.pop(name, None):
                worker.stop()

    def prepare(self):
        for name in self.names:
            self.harness.show(f"{name} compiles")
            with self.failing_alone(name):
                self._prepare(name)

    def _prepare(self, name):
        """Compiles, checks and warms up one peer."""
        peer, result = self.harness.peers[name], self.results[name]
        scratch = self.harness.scratch / self.case["name"] / name
        scratch.mkdir(parents=True, exist_ok=True)
        worker = self.workers[name] = Worker(name, peer, self.threads, scratch / "log.txt")
        self.harness.versions.update(worker.ask("versions"))
        compiled = worker.ask("compile", folder=self.case["folder"], scratch=str(scratch), reuse=self.reuse)
        details = compiled["details"]
        result["compile_s"] = None if details.pop("reused", False) else compiled["seconds"]
        result.update(details, peak_memory=compiled["compiled"]["peak"] - compiled["at_start"]["peak"])
        if compiled["compiled"]["peak_of_children"] > compiled["at_start"]["peak_of_children"]:
            result["compiler_memory"] = compiled["compiled"]["peak_of_children"]
        result["largest_error"] = worker.ask("check", folder=self.case["folder"])
        result["correct"] = result["largest_error"] <= (TOLERANCE_REDUCED if peer.get("reduced") else TOLERANCE)
        if not result["correct"]:
            self.harness.say(f"  {name}: WRONG by {result['largest_error']:.2g} of the largest")
        before = worker.thread_times()
        if name in self.timed:
            worker.ask("run", warm=0, runs=self.plan.warm_up, budget=self.plan.warm_up_seconds, least=1)
        worker.spread(before)
        result["memory"] = worker.ask("memory")["resident"] - compiled["at_start"]["resident"]
        worker.pause()

    def take(self):
        for turn in range(self.plan.turns):
            self.harness.show(f"turn {turn + 1} of {self.plan.turns}")
            # Nobody is always the first.
            for name in sorted(self.timed, key=lambda name: (self.timed.index(name) - turn) % len(self.timed)):
                if name in self.workers:
                    with self.failing_alone(name):
                        self._take(name)

    def _take(self, name):
        """One turn's samples, taken again while others disturb it."""
        worker, plan, result = self.workers[name], self.plan, self.results[name]
        for attempt in range(plan.retakes + 1):
            quiet = self.probe.wait_until_quiet(20 if plan.retakes else 0)
            worker.resume()
            with Foreign(worker) as foreign:
                samples = worker.ask("run", warm=1, runs=plan.calls, budget=plan.seconds, least=plan.least)
            worker.pause()
            loud = foreign.is_loud or not quiet or not self.probe.is_quiet()
            if not loud:
                break
            if foreign.is_loud and attempt < plan.retakes:
                time.sleep(0.1 * (attempt + 1))
        self.samples[name] += samples
        result["loud_turns"] = result.get("loud_turns", 0) + loud
        result["turns"] = result.get("turns", 0) + 1

    def finish(self, interrupted):
        for worker in self.workers.values():
            worker.stop(0.5 if interrupted else 5)
        for name, samples in self.samples.items():
            if len(samples) > 1 and "failure" not in self.results[name]:
                deciles = statistics.quantiles(samples, n=10)
                self.results[name].update(
                    median_us=statistics.median(samples) / 1e3, p10_us=deciles[0] / 1e3, p90_us=deciles[-1] / 1e3, calls=len(samples)
                )


def without_target(flags):
    """Flags of compile without --target CPU and --target=CPU."""
    kept, skip = [], False
    for flag in flags:
        name = flag.lstrip("-").split("=")[0]
        if not skip and name != "target":
            kept.append(flag)
        skip = not skip and name == "target" and "=" not in flag
    return kept


def measure_kernels(peak, kernels, folders, isas, driver_peer, scratch, run, quick, say):
    """Each kernel's share of each ISA's FMA peak, one core; a result a kernel and ISA."""
    results = []
    for isa, target in isas:
        words = []
        for name, kernel in kernels.items():
            place = Path(scratch) / "kernels" / isa / name
            place.mkdir(parents=True, exist_ok=True)
            options = dict(driver_peer["options"], flags=[*without_target(driver_peer["options"]["flags"]), "--target", target])
            worker = None
            try:
                worker = Worker(OURS, dict(driver_peer, options=options), 1, place / "log.txt")
                worker.ask("compile", folder=str(folders[name]), scratch=str(place), reuse=False)
                error = worker.ask("check", folder=str(folders[name]))
                if error > TOLERANCE:
                    raise WorkerError(f"wrong by {error:.2g} of the largest")
            except WorkerError as failure:
                say(f"  {name} failed: {failure}")
                results.append({"kernel": name, "isa": isa, "run": run, "failure": str(failure)})
                continue
            finally:
                if worker:
                    worker.stop()
            words += [name, str(place / "model.so"), str(kernel.floats_in), str(kernel.floats_out), str(kernel.flop)]
        if not words:
            continue
        cpus = cpus_for(1)
        done = subprocess.run(
            [peak, "kernels", isa, "5" if quick else "40", *words], capture_output=True, text=True,
            env=dict(os.environ, OMP_NUM_THREADS="1"), preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        )  # fmt: skip
        if done.returncode:
            say(f"  kernels failed: {done.stderr.strip()[:200]}")
            continue
        answer = json.loads(done.stdout)
        for one in answer["kernels"]:
            results.append({"kernel": one.pop("name"), "isa": isa, "run": run, "peak_gflops": answer["peak"], **one})
        shutil.rmtree(Path(scratch) / "kernels" / isa)
    return results
