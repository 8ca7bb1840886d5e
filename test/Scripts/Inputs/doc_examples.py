"""Prints the MLIR examples of Markdown files as functions that a tool can parse; what an example uses becomes an argument."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys

OPERANDS = re.compile(r"(?:ins|outs)\(([^:()]*) : ([^()]*)\)")
EPILOGUE_OPERAND = re.compile(r"= (%\w+)(?:\[[\d, ]*\])? : (tensor<[^>]*>)")

count = 0
for path in sys.argv[1:]:
    for block in re.findall(r"```mlir\n(.*?)```", open(path).read(), re.S):
        if "…" in block:  # a sketch
            continue
        arguments = {}
        for names, types in OPERANDS.findall(block):
            arguments.update(zip(names.split(", "), re.findall(r"tensor<[^>]*>", types)))
        arguments.update(EPILOGUE_OPERAND.findall(block))
        print(f"func.func @example_{count}({', '.join(f'{n}: {t}' for n, t in arguments.items())}) {{\n{block}return\n}}")
        count += 1
print(f"// {count} examples")
