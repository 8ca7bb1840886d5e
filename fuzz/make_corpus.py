#!/usr/bin/python3
"""Makes seeds and words for fuzz/run-input.sh of the models in this project's tests.

FOLDER gets each model of a test as text and, of every eighth, as bytecode; WORDS each name, number and attribute in them, as
libFuzzer's option -dict wants them.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import hashlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

LARGEST = 8192
WORD = re.compile(r'"[^"\n]{1,20}"|[%@#!^]?[A-Za-z_][\w.$]*|[-+]?\d[\w.]*')


def split_functions(text):
    """A model of each function, with the aliases: the only public one is the entry."""
    functions = re.findall(r"^func\.func.*?^}\n", text, flags=re.M | re.S)
    if len(functions) < 2 or "call @" in text:
        return [text]
    aliases = "".join(re.findall(r"^[#!].*\n", text, flags=re.M))
    resources = "".join(re.findall(r"^{-#.*", text, flags=re.M | re.S))
    return [aliases + function.replace("func.func private", "func.func", 1) + resources for function in functions]


def find_models(root):
    for path in sorted([*root.glob("**/*.mlir"), *root.glob("**/*.test")]):
        for part in re.split(r"^(?:// -----|#--- .*)$", path.read_text(errors="replace"), flags=re.M):
            lines = [line for line in part.splitlines() if line.strip() and not line.lstrip().startswith(("//", "RUN:", "# "))]
            for text in split_functions("\n".join(lines) + "\n"):
                if "func.func" in text and "{" in text and len(text) <= LARGEST:
                    yield text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", metavar="mlir-fusion-opt", help="writes bytecode")
    parser.add_argument("folder", type=Path, help="gets the models")
    parser.add_argument("words", type=Path, help="a file, gets the words")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    counts = Counter()
    for number, text in enumerate(dict.fromkeys(find_models(Path(__file__).parent.parent / "test"))):
        name = hashlib.sha1(text.encode()).hexdigest()[:16]
        (folder / f"{name}.mlir").write_text(text)
        counts.update(WORD.findall(text))
        if number % 8 == 0:
            # What does not parse has no bytecode.
            subprocess.run([arguments.tool, "--emit-bytecode", "--allow-unregistered-dialect", "-o", folder / f"{name}.mlirbc", "-"], input=text.encode(),
                           stderr=subprocess.DEVNULL)
    common = [word for word, count in counts.most_common(4000) if count > 1]
    arguments.words.write_text("".join('"{}"\n'.format(word.replace("\\", "\\\\").replace('"', '\\"')) for word in common))
    binary = len(list(folder.glob("*.mlirbc")))
    print(f"{len(list(folder.iterdir()))} seeds, {binary} of them bytecode, {len(common)} words")
    if not binary:
        sys.exit(f"error: {arguments.tool} made no bytecode")


if __name__ == "__main__":
    main()
