"""Prints what explain.test looks at in the JSON of `mlir-fusion explain`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys

report = json.load(open(sys.argv[1]))
print("summary:", *[f"{key}={value}" for key, value in sorted(report["summary"].items())])
for root in report["roots"]:
    print("root:", root["op"], root["loc"], root["epilogue"], f"flops={root['flops']} constants={root['constant_bytes']}")
    print("rules:", *sorted(root["rules"]))
memory = report["memory_bytes"]
print("memory:", 0 < memory["workspace"], memory["after_fusion"] < memory["before"])
for op in report["outside"]:
    print("outside:", op["op"], op["body"], op["rule"], op["code"], op["text"])
