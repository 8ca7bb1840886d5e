"""Says in a line each why a tool of the importer failed; used by import-onnx.sh. Needs Python alone."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import re
from pathlib import Path

ONNX_OP = re.compile(r'"?torch\.operator"?\(?.*?"onnx\.(\w+)"')
LEGALIZE = re.compile(r"error: failed to legalize operation '([\w.]+)'(.*)")
DIALECT = re.compile(r"error: Dialect `(\w+)' not found for custom op '([\w.]+)'")
ELEMENTS = re.compile(r"unimplemented: conversion of dtype '!?(?:torch\.)?([\w<>]+)' to builtin")
CRASH = re.compile(r"^(?:PLEASE submit a bug report|Stack dump)", re.MULTILINE)
EXCEPTION = re.compile(r"^(?:[\w.]*\.)?(\w*(?:Error|Exception))\b: *(.*)", re.MULTILINE)


def reasons(log):
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if match := LEGALIZE.search(line):
            if match[1] == "func.func":
                continue  # its body says what
            # An ONNX op's name stands in the line itself, or in the source line below it.
            below = lines[number : number + 2] if match[1] == "torch.operator" else []
            op = next((found[1] for text in below if (found := ONNX_OP.search(text))), None)
            yield f"it has no lowering of the ONNX op {op}" if op else f"it has no lowering of {match[1]}"
        elif match := DIALECT.search(line):
            yield f"it makes {match[2]} of an op, and the dialect {match[1]} is torch-mlir's own"
        elif match := ELEMENTS.search(line):
            yield f"it does not know tensors of elements {match[1]}"
    if CRASH.search(log):
        yield "it crashed, which is a fault of it"
    if log.lstrip().startswith("Traceback") or "\nTraceback" in log:
        found = EXCEPTION.findall(log)
        if found:
            yield f"{found[-1][0]}: {found[-1][1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path, help="all that the tool said")
    log = parser.parse_args().log.read_text(errors="replace")
    found = list(dict.fromkeys(reasons(log)))
    if not found:
        errors = [line for line in log.splitlines() if "error:" in line]
        found = errors[:1] or log.strip().splitlines()[-1:] or ["it said nothing"]
    for reason in found[:8]:
        print(f"  {reason}")


if __name__ == "__main__":
    main()
