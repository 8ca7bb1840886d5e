#!/usr/bin/env bash
# libFuzzer on text and bytecode through all stages, under AddressSanitizer and UndefinedBehaviorSanitizer. Seeds are the models of
# this project's tests; what is found goes to build-fuzzer/input/findings, and is an error if fuzz/known-input.txt does not argue it.
#
# usage: run-input.sh [SECONDS]     1800 by default; after `cmake --preset fuzzer && cmake --build --preset fuzzer` and a build of mlir-fusion-opt
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/scripts/steps.sh"
take_words 1 "$@"
seconds=${1:-1800}
[[ $seconds =~ ^[0-9]+$ ]] || wrong_usage "expected a number of seconds, got $seconds"
cd "$top"
target=build-fuzzer/bin/mlir-fusion-fuzz-input
work=build-fuzzer/input
mkdir -p "$work/findings"
/usr/bin/python3 fuzz/make_corpus.py build/bin/mlir-fusion-opt "$work/seeds" "$work/words"
# MLIR's libraries are not instrumented: what they poison is not looked at, and their tables are never freed.
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0:quarantine_size_mb=16 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
mkdir -p "$work/corpus"
status=0
"$target" -fork="${JOBS:-$(nproc)}" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$seconds" -timeout=120 \
  -rss_limit_mb=3000 -max_len=16384 -dict="$work/words" -artifact_prefix="$work/findings/" "$work/corpus" "$work/seeds" \
  >"$work/log" 2>&1 || status=$?
# It fails where it found something: what that is, known or not, is said below.
if [ "$status" -ne 0 ] && [ -z "$(ls "$work/findings")" ]; then
  echo "libFuzzer ended with $status:" && tail -20 "$work/log" && exit 1
fi
grep -E '^#[0-9]+: cov' "$work/log" | tail -1 || { echo "libFuzzer ran no input:" && tail -20 "$work/log" && exit 1; }
/usr/bin/python3 fuzz/check_findings.py "$target" "$work/findings" fuzz/known-input.txt
