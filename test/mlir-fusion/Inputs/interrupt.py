"""Runs a command that has no end and sends it Ctrl-C; prints the end of its output and its exit code."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
time.sleep(float(sys.argv[1]))
process.send_signal(signal.SIGINT)
print(process.communicate()[0], end="")
print("exit code", process.returncode)
