//===-- PeakLoops.cpp - Loops that do one thing as fast as can be ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourteen sums hide the latency of every CPU's multiply-adds. Numbers stay
// near one: sums of zeros or of denormals may run at another speed.
//
//===----------------------------------------------------------------------===//

#include "PeakLoops.h"

using namespace mlir::fusion;

#define FUSION_CLOBBERS                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",      \
      "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory",  \
      "cc"
#define FUSION_REPEAT8(X, ...)                                                 \
  X("0", __VA_ARGS__)                                                          \
  X("1", __VA_ARGS__)                                                          \
  X("2", __VA_ARGS__)                                                          \
  X("3", __VA_ARGS__)                                                          \
  X("4", __VA_ARGS__)                                                          \
  X("5", __VA_ARGS__)                                                          \
  X("6", __VA_ARGS__)                                                          \
  X("7", __VA_ARGS__)
#define FUSION_REPEAT14(X, ...)                                                \
  X("2", __VA_ARGS__)                                                          \
  X("3", __VA_ARGS__)                                                          \
  X("4", __VA_ARGS__)                                                          \
  X("5", __VA_ARGS__)                                                          \
  X("6", __VA_ARGS__)                                                          \
  X("7", __VA_ARGS__)                                                          \
  X("8", __VA_ARGS__)                                                          \
  X("9", __VA_ARGS__)                                                          \
  X("10", __VA_ARGS__)                                                         \
  X("11", __VA_ARGS__)                                                         \
  X("12", __VA_ARGS__)                                                         \
  X("13", __VA_ARGS__)                                                         \
  X("14", __VA_ARGS__)                                                         \
  X("15", __VA_ARGS__)

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static constexpr long kRounds = 2000;
static constexpr int kSums = 14;

#define FUSION_START(N, R) "vmovaps %%" R "0, %%" R N "\n\t"
#define FUSION_FMA(N, R, S) "vfmadd213p" S " %%" R "1, %%" R "0, %%" R N "\n\t"
#define FUSION_FMA_LOOP(R, S)                                                  \
  asm volatile("vbroadcasts" S " %1, %%" R "0\n\t"                             \
               "vbroadcasts" S " %2, %%" R "1\n\t" FUSION_REPEAT14(            \
                   FUSION_START, R) ".p2align 5\n"                             \
                                    "1:\n\t" FUSION_REPEAT14(FUSION_FMA, R,    \
                                                             S) "dec %0\n\t"   \
                                                                "jnz 1b\n\t"   \
                                                                "vzeroupper"   \
               : "+r"(rounds)                                                  \
               : "m"(factor), "m"(summand)                                     \
               : FUSION_CLOBBERS)

#define FUSION_SSE_START(N, ...) "movaps %%xmm0, %%xmm" N "\n\t"
// Half of the sums multiply while the other half add.
#define FUSION_SSE_LOOP(S)                                                     \
  asm volatile("movs" S " %1, %%xmm0\n\t"                                      \
               "unpcklp" S " %%xmm0, %%xmm0\n\t"                               \
               "movlhps %%xmm0, %%xmm0\n\t" FUSION_REPEAT14(                   \
                   FUSION_SSE_START, ) ".p2align 5\n"                          \
                                       "1:\n\t"                                \
                                       "mulp" S " %%xmm0, %%xmm2\n\t"          \
                                       "addp" S " %%xmm0, %%xmm3\n\t"          \
                                       "mulp" S " %%xmm0, %%xmm4\n\t"          \
                                       "addp" S " %%xmm0, %%xmm5\n\t"          \
                                       "mulp" S " %%xmm0, %%xmm6\n\t"          \
                                       "addp" S " %%xmm0, %%xmm7\n\t"          \
                                       "mulp" S " %%xmm0, %%xmm8\n\t"          \
                                       "addp" S " %%xmm0, %%xmm9\n\t"          \
                                       "mulp" S " %%xmm0, %%xmm10\n\t"         \
                                       "addp" S " %%xmm0, %%xmm11\n\t"         \
                                       "mulp" S " %%xmm0, %%xmm12\n\t"         \
                                       "addp" S " %%xmm0, %%xmm13\n\t"         \
                                       "mulp" S " %%xmm0, %%xmm14\n\t"         \
                                       "addp" S " %%xmm0, %%xmm15\n\t"         \
                                       "dec %0\n\t"                            \
                                       "jnz 1b"                                \
               : "+r"(rounds)                                                  \
               : "m"(factor)                                                   \
               : FUSION_CLOBBERS)

template <typename T>
static void multiplyAndAddOf(unsigned vectorBits) {
  constexpr bool inDoubles = sizeof(T) == sizeof(double);
  // Each sum tends to one.
  T factor = 0.75, summand = 0.25;
  long rounds = kRounds;
  if (vectorBits >= 512 && inDoubles)
    FUSION_FMA_LOOP("zmm", "d");
  else if (vectorBits >= 512)
    FUSION_FMA_LOOP("zmm", "s");
  else if (vectorBits >= 256 && inDoubles)
    FUSION_FMA_LOOP("ymm", "d");
  else if (vectorBits >= 256)
    FUSION_FMA_LOOP("ymm", "s");
  else if (factor = 1; inDoubles)
    FUSION_SSE_LOOP("d");
  else
    FUSION_SSE_LOOP("s");
}

double mlir::fusion::multiplyAndAdd(unsigned vectorBits, bool inDoubles) {
  if (inDoubles)
    multiplyAndAddOf<double>(vectorBits);
  else
    multiplyAndAddOf<float>(vectorBits);
  double perInstruction = vectorBits >= 256 ? 2 : 1;
  return perInstruction * kSums * kRounds * (vectorBits / 8) /
         (inDoubles ? sizeof(double) : sizeof(float));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

#define FUSION_LOAD(N, MOVE, R, BYTES)                                         \
  MOVE " " N "*" BYTES "(%0), %%" R N "\n\t"
#define FUSION_STORE(N, MOVE, R, BYTES)                                        \
  MOVE " %%" R N ", " N "*" BYTES "(%1)\n\t"
#define FUSION_READ_LOOP(MOVE, R, BYTES, END)                                  \
  asm volatile(".p2align 5\n"                                                  \
               "1:\n\t" FUSION_REPEAT8(FUSION_LOAD, MOVE, R,                   \
                                       BYTES) "add $8*" BYTES ", %0\n\t"       \
                                              "cmp %1, %0\n\t"                 \
                                              "jb 1b\n\t" END                  \
               : "+r"(data)                                                    \
               : "r"(end)                                                      \
               : FUSION_CLOBBERS)
#define FUSION_COPY_LOOP(MOVE, R, BYTES, END)                                  \
  asm volatile(".p2align 5\n"                                                  \
               "1:\n\t" FUSION_REPEAT8(FUSION_LOAD, MOVE, R, BYTES)            \
                   FUSION_REPEAT8(FUSION_STORE, MOVE, R,                       \
                                  BYTES) "add $8*" BYTES ", %0\n\t"            \
                                         "add $8*" BYTES ", %1\n\t"            \
                                         "cmp %2, %0\n\t"                      \
                                         "jb 1b\n\t" END                       \
               : "+r"(from), "+r"(to)                                          \
               : "r"(end)                                                      \
               : FUSION_CLOBBERS)

void mlir::fusion::readMemory(unsigned vectorBits, const char *data,
                              size_t bytes) {
  const char *end = data + bytes;
  if (vectorBits >= 512)
    FUSION_READ_LOOP("vmovaps", "zmm", "64", "vzeroupper");
  else if (vectorBits >= 256)
    FUSION_READ_LOOP("vmovaps", "ymm", "32", "vzeroupper");
  else
    FUSION_READ_LOOP("movaps", "xmm", "16", "");
}

void mlir::fusion::copyMemory(unsigned vectorBits, char *to, const char *from,
                              size_t bytes) {
  const char *end = from + bytes;
  if (vectorBits >= 512)
    FUSION_COPY_LOOP("vmovaps", "zmm", "64", "vzeroupper");
  else if (vectorBits >= 256)
    FUSION_COPY_LOOP("vmovaps", "ymm", "32", "vzeroupper");
  else
    FUSION_COPY_LOOP("movaps", "xmm", "16", "");
}
