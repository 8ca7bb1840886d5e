"""Interrupts commands at several times, as a terminal does, and counts the files that are left in the temporary folder."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import signal
import subprocess
import sys
import time

SECONDS = 200

folder, model = sys.argv[1:]


def wait_for_group(group):
    """A terminal's Ctrl-C goes to a linker that is on its way, too; whatever of the group is left may still write."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    sys.exit("a process of the command does not end")


endless = [["ablate", model, "--warmup", "1000000000"], ["bench", model, "--warmup", "1000000000"]]
for command in endless:
    for seconds in (0.2, 0.5, 1, 3):
        process = subprocess.Popen(
            ["mlir-fusion", *command],
            env=dict(os.environ, TMPDIR=folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Whoever runs the test may ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT if seconds != 1 else signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert process.returncode in (130, -signal.SIGINT, -signal.SIGTERM), (process.returncode, errors)
        wait_for_group(process.pid)
        print(f"files left: {len(os.listdir(folder))}, errors: {errors.count('error')}")
