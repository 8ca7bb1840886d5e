# Shell functions of all scripts: what the words of their command line may be, each step and how long it took.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The comment at the head of the script that sources this; it must be called before the script changes the folder.
usage() { sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \?//;p}' "${BASH_SOURCE[-1]}"; }

wrong_usage() {
  printf 'error: %s\n' "$*" >&2
  usage | grep '^usage:' >&2
  exit 2
}

# help_if_asked WORD…: with -h or --help among a script's words, prints its head and ends.
help_if_asked() {
  local word
  for word in "$@"; do
    case $word in -h | --help) usage && exit 0 ;; esac
  done
}

# take_words MOST WORD…: the same, and ends with 2 if there are more words than that, or a flag.
take_words() {
  local most=$1 word
  shift
  help_if_asked "$@"
  for word in "$@"; do
    [[ $word != -* ]] || wrong_usage "expected no flag but --help, got $word"
  done
  [ $# -le "$most" ] || wrong_usage "expected at most $most argument(s), got $#"
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
