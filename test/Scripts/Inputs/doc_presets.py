"""Expects each preset of CMakePresets.json, and each option of CMakeLists.txt, in a table of the README of a source tree."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
readme = (root / "README.md").read_text()
presets = [preset for preset in json.loads((root / "CMakePresets.json").read_text())["configurePresets"] if not preset.get("hidden")]
options = re.findall(r"^(?:option|set)\((FUSION_\w+) .*(?:ON|OFF|CACHE STRING.*)\)$", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
rows = [f"| `{preset['name']}` | {preset['binaryDir'].removeprefix('${sourceDir}/')} |" for preset in presets] + [f"| `{option}` |" for option in options]
missing = [row for row in rows if f"\n{row}" not in readme]
print(*missing, f"{len(presets)} presets, {len(options)} options, {len(missing)} missing", sep="\n")
