"""The text of a model of one function."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


def write_main(folder, arguments, lines, results):
    """FOLDER/NAME.mlir, NAME being the folder's: takes `arguments` and returns %r0, %r1, … of types `results`."""
    body = "\n  ".join(lines)
    values = ", ".join(f"%r{i}" for i in range(len(results)))
    (folder / f"{folder.name}.mlir").write_text(
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n  {body}\n  return {values} : {', '.join(results)}\n}}\n")
