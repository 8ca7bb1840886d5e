//===-- TraceRules.h - What came of each rule on an op ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called where rules are frozen by a pass that has the option trace-rules.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_TRACERULES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_TRACERULES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Makes each rule of `rules` say, in a remark, what came of it whenever it is
/// tried on an op of this name or of this place: an importer's name, a file,
/// file:line or file:line:column. Nothing if `op` is empty.
void traceRules(RewritePatternSet &rules, StringRef op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_TRACERULES_H
