//===-- Remarks.h - Why something was fused or not --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one channel for decisions: MLIR remarks of category "fusion", named by
// the label of the rule, with a text `code: sentence`. Called by rules and
// passes; `mlir-fusion explain` and --remarks-filter show them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_REMARKS_H
#define FUSIONDIALECT_ANALYSIS_REMARKS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::fusion {

/// The category of all remarks of this library.
inline constexpr StringLiteral kRemarkCategory = "fusion";

/// Says that the rule `label` did what `sentence` says; the code is `fused`.
void remarkFused(Location loc, StringRef label, StringRef sentence);

/// Says why the rule `label` did nothing: `reason` is `code: sentence`, with a
/// code such as other-readers or map-mismatch (docs/Remarks.md lists them).
void remarkMissed(Location loc, StringRef label, StringRef reason);

/// The location as a reader wants it, its first name or file:line:column; "" if
/// unknown.
std::string getLocationText(Location loc);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_REMARKS_H
