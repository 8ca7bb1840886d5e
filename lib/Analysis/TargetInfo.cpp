//===-- TargetInfo.cpp - CPU names to vector sizes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is derived from LLVM's own list of CPUs and features.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::fusion;

FailureOr<TargetInfo> TargetInfo::get(StringRef name, std::string &error) {
  TargetInfo info;
  auto has = [](auto &features, StringRef feature) {
    return llvm::is_contained(features, feature);
  };
  SmallVector<std::string> features;
  if (name == "host") {
    info.cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
      info.features += info.features.empty() ? "" : ",";
      info.features +=
          (feature.getValue() ? "+" : "-") + feature.getKey().str();
      if (feature.getValue())
        features.push_back(feature.getKey().str());
    }
    // The order of a StringMap is no order.
    SmallVector<StringRef> sorted;
    StringRef(info.features).split(sorted, ',', -1, /*KeepEmpty=*/false);
    llvm::sort(sorted);
    info.features = llvm::join(sorted, ",");
  } else {
    if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) ==
        llvm::X86::CK_None) {
      SmallVector<StringRef> known;
      llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
      error = "expected host or an x86-64 CPU that LLVM knows (x86-64-v3, "
              "x86-64-v4, znver4, …), got '" +
              name.str() + "'";
      return failure();
    }
    info.cpu = name.str();
    SmallVector<StringRef> ofCPU;
    llvm::X86::getFeaturesForCPU(name, ofCPU);
    for (StringRef feature : ofCPU)
      features.push_back(feature.str());
  }
  // A CPU's list leaves out avx512f, which each of these implies.
  bool avx512 = has(features, "avx512vl") && has(features, "avx512dq") &&
                has(features, "avx512bw");
  bool avx2 = has(features, "avx2") && has(features, "fma");
  info.vectorBits = avx512 ? 512 : avx2 ? 256 : 128;
  info.vectorRegisters = avx512 ? 32 : 16;
  info.convertsHalf = has(features, "f16c") || has(features, "avx512f");
  return info;
}

int64_t TargetInfo::getLanes(Type elementType) const {
  if (!elementType.isIntOrFloat())
    return 1;
  return std::max<int64_t>(
      vectorBits / std::max(elementType.getIntOrFloatBitWidth(), 8u), 1);
}

RegisterTile TargetInfo::getRegisterTile() const {
  return vectorRegisters == 32 ? RegisterTile{14, 2} : RegisterTile{6, 2};
}

int64_t TargetInfo::getPackedBlock(Type elementType) const {
  return getLanes(elementType) * getRegisterTile().vectors;
}
