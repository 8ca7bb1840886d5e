//===-- Remarks.cpp - Why something was fused or not ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each remark is one string, since every `<<` would be a field of its own.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static remark::RemarkOpts options(StringRef label) {
  return remark::RemarkOpts::name(label).category(kRemarkCategory);
}

void fusion::remarkFused(Location loc, StringRef label, StringRef sentence) {
  remark::passed(loc, options(label)) << ("fused: " + sentence).str();
}

void fusion::remarkMissed(Location loc, StringRef label, StringRef reason) {
  remark::missed(loc, options(label)) << reason.str();
}

std::string fusion::getLocationText(Location loc) {
  // The first part that says something.
  std::string text;
  loc->walk([&](Location part) {
    llvm::raw_string_ostream os(text);
    if (auto name = dyn_cast<NameLoc>(part))
      os << name.getName().getValue();
    else if (auto file = dyn_cast<FileLineColLoc>(part))
      os << file.getFilename().getValue() << ":" << file.getLine() << ":"
         << file.getColumn();
    return text.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return text;
}
