#!/usr/bin/env bash
# The main job, end to end: builds mlir-fusion, makes ResNet-50, compiles it unfused and fused, checks one against the other, and
# shows what fusion changed; then classifies two images with a trained network from PyPI, where that is reached.
#
# usage: demo.sh [DIR]      results go to DIR (from the top of the tree, if relative), by default build/demo
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$scripts/steps.sh"
take_words 1 "$@"
cd "$scripts/.."
start=$SECONDS

python=/usr/bin/python3 # Debian's, which has Debian's numpy and matplotlib
driver=$PWD/build/bin/mlir-fusion
# Unfused: the same kernels of convolutions, but every other op by itself.
unfused_flags=(--disable absorb-unary,absorb-channel,absorb-residual,fuse-elementwise)
out=${1:-build/demo}
threads=$(nproc)
export OMP_NUM_THREADS=$threads

"$scripts/setup.sh"
loud_step "configure" cmake --preset release
loud_step "build" cmake --build --preset release --target mlir-fusion

# ----- ResNet-50 -----------------------------------------------------------------------------------------------------------
resnet=$out/resnet50
model=$resnet/resnet50.mlirbc
mkdir -p "$resnet"

compile() { # VARIANT [FLAG…]
  "$driver" compile "$model" -o "$resnet/$1.so" --name resnet50 --jobs "$threads" --report "$resnet/$1.compile.json" "${@:2}"
}
run() { # VARIANT [FLAG…]
  "$driver" run "$resnet/$1.so" --input "$resnet/in0.npy" --threads "$threads" --json "$resnet/$1.run.json" "${@:2}"
}

step "make ResNet-50 and its expected result in f64" "$python" "$scripts/make_resnet50.py" "$model" \
  --input "$resnet/in0.npy" --expect "$resnet/out0.npy"
step "compile it unfused" compile unfused "${unfused_flags[@]}"
step "compile it fused" compile fused
mkdir -p "$resnet/result"
step "run unfused" run unfused --output-dir "$resnet/result"
loud_step "check fused against unfused" run fused --expect "$resnet/result/out0.npy" --rtol-max 1e-4
step "check fused against numpy" run fused --expect "$resnet/out0.npy" --rtol-max 1e-4
say "unfused and fused (medians)"
"$python" "$scripts/demo_report.py" "$resnet"
say "picture: $resnet/report.png"

# ----- a trained network from PyPI ---------------------------------------------------------------------------------------------
text=$out/text-orientation
package=pypi:rapidocr==3.10.0:rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx
mkdir -p "$text"
classify() { # upright or turned
  mkdir -p "$text/$1"
  "$driver" run "$text/classifier.so" --input "$text/$1.npy" --output-dir "$text/$1"
}
status=0
say "import rapidocr's text-orientation classifier"
"$scripts/import-onnx.sh" "$package" "$text/classifier.mlirbc" x=1,3,48,192 || status=$?
if [ "$status" -eq 3 ]; then
  say "PyPI was not reached: the trained classifier is left out"
elif [ "$status" -ne 0 ]; then
  exit "$status"
else
  step "compile it" "$driver" compile "$text/classifier.mlirbc" -o "$text/classifier.so" --jobs "$threads"
  step "make two images of text" "$python" "$scripts/demo_text.py" make "$text"
  for way in upright turned; do
    step "classify the $way image ($text/$way.png)" classify "$way"
    "$python" "$scripts/demo_text.py" answer "$text/$way/out0.npy" "$way"
  done
fi
say "demo: done in $((SECONDS - start)) s"
