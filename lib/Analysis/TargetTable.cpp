//===-- TargetTable.cpp - Numbers of CPUs by name -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM does not say of a CPU. Ports, latencies of multiply-adds, sizes of
// caches and the bandwidths of the first two levels are those of the vendors'
// manuals (docs/Targets.md says what was measured or checked):
//
//   Intel 64 and IA-32 Architectures Optimization Reference Manual (248966),
//     the chapters on each microarchitecture's cache hierarchy
//   AMD Software Optimization Guides for family 17h models 00h-2Fh (55723) and
//     30h and up (56305), 19h (56665: Zen 3; 57647: Zen 4), 1Ah (58455: Zen 5)
//
// What the models of a family differ in, such as the last level of cache, is
// that of a common one, and bandwidths and latencies behind the second level
// are rounded: plans compare them, and nothing depends on their last digit.
//
//===----------------------------------------------------------------------===//

#include "TargetTable.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
constexpr int64_t KiB = 1024, MiB = 1024 * KiB;

struct Numbers {
  /// Bits of multiply-adds that start in a cycle, whatever the vectors.
  int64_t multiplyAddBits, multiplyAddLatency;
  int64_t l1Bytes, l2Bytes, l3Bytes;
  int64_t l1Bandwidth, l2Bandwidth, l3Bandwidth, memoryBandwidth;
  int64_t memoryLatency, cores;
};
} // namespace

// clang-format off
//                                  multiply-add  L1        L2          L3        bytes/cycle      latency, cores
static constexpr Numbers kSSE =          { 128, 4, 32 * KiB, 256 * KiB,  8 * MiB,  32, 16,  8, 4, 250,  4};
static constexpr Numbers kAVX2 =         { 512, 4, 32 * KiB, 512 * KiB, 16 * MiB,  64, 32, 16, 6, 300,  8};
static constexpr Numbers kAVX512 =       {1024, 4, 32 * KiB,   1 * MiB, 22 * MiB, 128, 64, 12, 5, 300, 16};

static constexpr Numbers kHaswell =      { 512, 5, 32 * KiB, 256 * KiB,  8 * MiB,  64, 32, 16, 6, 250,  4};
static constexpr Numbers kSkylake =      { 512, 4, 32 * KiB, 256 * KiB,  8 * MiB,  64, 32, 16, 6, 250,  4};
// Port 5 has multiply-adds of 512 bits on servers only.
static constexpr Numbers kIceLake =      { 512, 4, 48 * KiB, 512 * KiB,  8 * MiB, 128, 64, 16, 6, 250,  4};
static constexpr Numbers kTigerLake =    { 512, 4, 48 * KiB,1280 * KiB, 12 * MiB, 128, 64, 16, 6, 250,  4};
static constexpr Numbers kAlderLake =    { 512, 4, 48 * KiB,1280 * KiB, 30 * MiB,  96, 64, 16, 6, 300,  8};
static constexpr Numbers kLionCove =     { 512, 4, 48 * KiB,2560 * KiB, 12 * MiB,  96, 64, 16, 6, 350,  4};
static constexpr Numbers kEfficient =    { 256, 4, 32 * KiB,   4 * MiB,108 * MiB,  32, 32,  8, 4, 350, 36};
static constexpr Numbers kSkylakeX =     {1024, 4, 32 * KiB,   1 * MiB, 22 * MiB, 128, 64, 12, 5, 300, 16};
static constexpr Numbers kIceLakeX =     {1024, 4, 48 * KiB,1280 * KiB, 24 * MiB, 128, 64, 12, 5, 330, 16};
static constexpr Numbers kSapphire =     {1024, 4, 48 * KiB,   2 * MiB, 30 * MiB, 128, 64, 10, 4, 400, 16};

// Vectors of 256 bits go through in two halves.
static constexpr Numbers kZen1 =         { 256, 5, 32 * KiB, 512 * KiB,  8 * MiB,  32, 32, 16, 6, 300,  4};
static constexpr Numbers kZen2 =         { 512, 5, 32 * KiB, 512 * KiB, 16 * MiB,  64, 32, 16, 6, 330,  4};
static constexpr Numbers kZen3 =         { 512, 4, 32 * KiB, 512 * KiB, 32 * MiB,  64, 32, 24, 7, 400,  8};
// Likewise those of 512 bits.
static constexpr Numbers kZen4 =         { 512, 4, 32 * KiB,   1 * MiB, 32 * MiB,  64, 32, 24, 8, 448,  8};
static constexpr Numbers kZen5 =         {1024, 4, 48 * KiB,   1 * MiB, 32 * MiB, 128, 64, 24, 8, 448,  8};
// clang-format on

static const Numbers &getNumbers(const TargetInfo &info) {
  using namespace llvm::X86;
  switch (parseArchX86(info.cpu)) {
  case CK_Haswell:
  case CK_Broadwell:
    return kHaswell;
  case CK_SkylakeClient:
    return kSkylake;
  case CK_Cannonlake:
  case CK_IcelakeClient:
  case CK_Rocketlake:
    return kIceLake;
  case CK_Tigerlake:
    return kTigerLake;
  case CK_Alderlake:
  case CK_Raptorlake:
  case CK_Meteorlake:
    return kAlderLake;
  case CK_Arrowlake:
  case CK_ArrowlakeS:
  case CK_Lunarlake:
  case CK_Pantherlake:
    return kLionCove;
  case CK_Gracemont:
  case CK_Sierraforest:
  case CK_Grandridge:
  case CK_Clearwaterforest:
    return kEfficient;
  case CK_SkylakeServer:
  case CK_Cascadelake:
  case CK_Cooperlake:
    return kSkylakeX;
  case CK_IcelakeServer:
    return kIceLakeX;
  case CK_SapphireRapids:
  case CK_Emeraldrapids:
  case CK_Graniterapids:
  case CK_GraniterapidsD:
  case CK_Diamondrapids:
    return kSapphire;
  case CK_ZNVER1:
    return kZen1;
  case CK_ZNVER2:
    return kZen2;
  case CK_ZNVER3:
    return kZen3;
  case CK_ZNVER4:
    return kZen4;
  case CK_ZNVER5:
    return kZen5;
  default:
    return info.vectorBits >= 512   ? kAVX512
           : info.vectorBits >= 256 ? kAVX2
                                    : kSSE;
  }
}

void fusion::setFactsOfCPU(TargetInfo &info) {
  const Numbers &numbers = getNumbers(info);
  info.multiplyAddPorts =
      std::max<int64_t>(numbers.multiplyAddBits / info.vectorBits, 1);
  info.multiplyAddLatency = numbers.multiplyAddLatency;
  info.l1Bytes = numbers.l1Bytes;
  info.l2Bytes = numbers.l2Bytes;
  info.l3Bytes = numbers.l3Bytes;
  info.l1Bandwidth = numbers.l1Bandwidth;
  info.l2Bandwidth = numbers.l2Bandwidth;
  info.l3Bandwidth = numbers.l3Bandwidth;
  info.memoryBandwidth = numbers.memoryBandwidth;
  info.memoryLatency = numbers.memoryLatency;
  info.cores = numbers.cores;
}
