#!/usr/bin/env bash
# Measures mlir-fusion beside ONNX Runtime, OpenVINO, IREE and XLA in one run; prints tables, writes JSON and charts.
#
# usage: compare.sh [OPTION…]      --help lists them; docs/Performance.md says how it measures
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
exec /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/compare/main.py" "$@"
