"""The models that hostile.py compiles, each by its name."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cases = {}


def case(name, text):
    cases[name] = text


def function(arguments, body, results, value):
    return f"func.func @main({arguments}) -> {results} {{\n{body}  return {value} : {results}\n}}\n"
