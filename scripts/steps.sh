# Shell functions that say each step and how long it took; sourced by the scripts of this folder and by .ci.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Commands may be shell functions, which see the locals of their callers: these have names of their own.

# step TEXT COMMAND…: runs the command with its output hidden, shown only if it fails.
step() {
  local step_text=$1 step_log step_start=$SECONDS step_status=0
  shift
  step_log=$(mktemp)
  printf '==> %s … ' "$step_text"
  "$@" >"$step_log" 2>&1 </dev/null || step_status=$?
  if [ "$step_status" -eq 0 ]; then
    printf '%s s\n' $((SECONDS - step_start))
  else
    printf 'failed after %s s\n' $((SECONDS - step_start))
    tail -n 60 "$step_log" >&2
  fi
  rm -f "$step_log"
  return "$step_status"
}

# loud_step TEXT COMMAND…: the same with the output shown as it comes.
loud_step() {
  local step_text=$1 step_start=$SECONDS step_status=0
  shift
  say "$step_text"
  "$@" || step_status=$?
  if [ "$step_status" -eq 0 ]; then
    say "$step_text: done in $((SECONDS - step_start)) s"
  else
    say "$step_text: failed after $((SECONDS - step_start)) s"
  fi
  return "$step_status"
}
