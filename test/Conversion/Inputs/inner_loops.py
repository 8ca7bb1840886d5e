#!/usr/bin/env python3
"""Counts what each innermost loop with multiply-adds in x86 assembly executes.

Reads stdin; prints a line a loop: "loop: N fma, N broadcast, N vector load, N stack".
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys

lines = [line.split("#")[0].strip() for line in sys.stdin]
labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}


def has_frame(at):
    """Whether the function around line `at` keeps its frame in rbp, which otherwise is a register like others."""
    begin = next((i for i in range(at, -1, -1) if lines[i].endswith(":") and not lines[i].startswith(".L")), 0)
    return any(re.match(r"movq\s+%rsp, %rbp", line) for line in lines[begin:at])


for end, line in enumerate(lines):
    jump = re.match(r"j\w+\s+(\.L\w+)$", line)
    if not jump or labels.get(jump.group(1), end) >= end:
        continue
    body = lines[labels[jump.group(1)] + 1:end]
    # An innermost loop is one block: no label and no other jump inside.
    if any(inner.endswith(":") or inner.startswith("j") for inner in body):
        continue
    fma = sum(inner.startswith("vfmadd") for inner in body)
    broadcast = sum(inner.startswith("vbroadcastss") for inner in body)
    load = sum(bool(re.match(r"vmovup?a?s\s+.*\(.*\), %[yz]mm", inner)) for inner in body)
    stack = sum("(%rsp" in inner or ("(%rbp" in inner and has_frame(end)) for inner in body)
    if fma:
        print(f"loop: {fma} fma, {broadcast} broadcast, {load} vector load, {stack} stack")
