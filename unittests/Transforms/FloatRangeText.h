//===-- FloatRangeText.h - Ranges in messages of tests ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by the tests of FloatRange.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_UNITTESTS_TRANSFORMS_FLOATRANGETEXT_H
#define FUSIONDIALECT_UNITTESTS_TRANSFORMS_FLOATRANGETEXT_H

#include "FloatRange.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

inline constexpr char kAnything[] = "[-inf, inf] or NaN";

inline std::string toString(mlir::fusion::FloatRange range) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("[%.17g, %.17g]", range.low, range.high)
     << (range.mayBeNaN ? " or NaN" : "");
  return text;
}

#endif // FUSIONDIALECT_UNITTESTS_TRANSFORMS_FLOATRANGETEXT_H
