# Writes the bytes of INPUT as the elements of a C array into OUTPUT.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
