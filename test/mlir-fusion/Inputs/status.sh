# usage: status.sh STATUS COMMAND…: succeeds if the command exits with STATUS.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
wanted=$1
shift
"$@"
test $? -eq "$wanted"
