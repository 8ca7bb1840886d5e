#!/usr/bin/python3
"""Stands in for `mlir-fusion explain MODEL --json F`: two ops outside of one root, of which `silent` has no reason."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys

model, report = sys.argv[2], sys.argv[4]
op = {"op": "linalg.generic", "body": ["arith.mulf", "arith.mulf", "arith.addf"], "code": "no-root", "text": "reads a"}
silent = {**op, "code": "", "text": ""}
outside = {"clean": [], "explained": [op, op], "silent": [silent]}[model.split("/")[-1].split(".")[0]]
json.dump({"roots": [{}], "outside": outside}, open(report, "w"))
