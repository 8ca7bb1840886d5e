# Shell functions that say each step and how long it took; sourced by the scripts of this folder and by .ci.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# step TEXT COMMAND…: runs the command with its output hidden, shown only if it fails.
step() {
  local text=$1 log start=$SECONDS status=0
  shift
  log=$(mktemp)
  printf '==> %s … ' "$text"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -eq 0 ]; then
    printf '%s s\n' $((SECONDS - start))
  else
    printf 'failed after %s s\n' $((SECONDS - start))
    tail -n 60 "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

# loud_step TEXT COMMAND…: the same with the output shown as it comes.
loud_step() {
  local text=$1 start=$SECONDS status=0
  shift
  say "$text"
  "$@" || status=$?
  if [ "$status" -eq 0 ]; then
    say "$text: done in $((SECONDS - start)) s"
  else
    say "$text: failed after $((SECONDS - start)) s"
  fi
  return "$status"
}
