#!/bin/sh
# Instruments emitted LLVM IR for a sanitizer: instrument.sh thread|address IN.ll OUT.o
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
case $1 in
# Element by element: ThreadSanitizer looks at no access of more than 16 bytes and at no masked one.
thread) passes='function(scalarize-masked-mem-intrin,scalarizer<load-store>),tsan-module,function(tsan)' ;;
address) passes=asan ;;
*) echo "instrument.sh: expected thread or address, got '$1'" >&2 && exit 2 ;;
esac
sed "s/^attributes #[0-9]* = {/& sanitize_$1/" "$2" | opt -passes="$passes" -o "$3.bc"
llc -O1 --relocation-model=pic -filetype=obj "$3.bc" -o "$3"
