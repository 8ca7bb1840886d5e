"""Interrupts commands at several times and counts the files that are left in the temporary folder."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import signal
import subprocess
import sys
import time

folder, model = sys.argv[1:]
endless = [["ablate", model, "--warmup", "1000000000"], ["bench", model, "--warmup", "1000000000"]]
for command in endless:
    for seconds in (0.2, 0.5, 1, 3):
        process = subprocess.Popen(
            ["mlir-fusion", *command],
            env=dict(os.environ, TMPDIR=folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the test may ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGINT if seconds != 1 else signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode in (130, -signal.SIGINT, -signal.SIGTERM), process.returncode
        # A linker that was on its way has an output of its own until it ends.
        time.sleep(0.5)
        print(f"files left: {len(os.listdir(folder))}, errors: {errors.count('error')}")
