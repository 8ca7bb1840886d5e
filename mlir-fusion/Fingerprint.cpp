//===-- Fingerprint.cpp - Whether two modules are the same ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Big constants are read where they are, not printed.
//
//===----------------------------------------------------------------------===//

#include "Fingerprint.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/raw_sha1_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr int64_t kMostPrinted = 16;

std::string fusion::takeFingerprint(ModuleOp module) {
  llvm::raw_sha1_ostream os;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kMostPrinted).elideLargeResourceString(0);
  // The module has been verified.
  module->print(os, flags.assumeVerified());
  auto add = [&](ArrayRef<char> data) {
    os << data.size() << ":";
    os.write(data.data(), data.size());
  };
  module->walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](Attribute attribute) {
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
        if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
          add(blob->getData());
      } else if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
        if (dense.getNumElements() > kMostPrinted)
          add(dense.getRawData());
      }
    });
  });
  std::array<uint8_t, 20> hash = os.sha1();
  return std::string(hash.begin(), hash.end());
}
