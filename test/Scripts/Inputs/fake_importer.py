"""Makes an environment that stands in for the importer's: fake_importer.py CACHE IMPORT_SCRIPT.

Its pip downloads one package; its torch-mlir-opt prints the file $LOG and fails, or writes an empty module if that is empty.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys
import zipfile
from pathlib import Path

cache, script = sys.argv[1:]
name = re.search(r"^torch_mlir=(\S+)", Path(script).read_text(), re.MULTILINE)[1].replace("==", "-")
tools = Path(cache) / name / "bin"
tools.mkdir(parents=True)
(tools.parent / "complete").touch()
for tool, text in {
    "python": 'case "$*" in "-m pip download "*) cp "$(dirname "$0")/../net.whl" "$6" ;; *) shift 3; echo "prepared with $*" ;; esac',
    "torch-mlir-opt": '[ -s "$LOG" ] && { cat "$LOG"; exit 1; }; for last; do :; done; echo "module {}" > "$last"',
}.items():
    (tools / tool).write_text(f"#!/bin/sh\n{text}\n")
    (tools / tool).chmod(0o755)
# The package that its pip downloads.
with zipfile.ZipFile(tools.parent / "net.whl", "w") as wheel:
    for path in "net/a.onnx", "net/models/b.onnx", "net/__init__.py":
        wheel.writestr(path, "")
