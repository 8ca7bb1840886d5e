//===-- RulePass.h - What passes that run rules share -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by initialize() of each pass whose work is a list of rules.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_RULEPASS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_RULEPASS_H

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::fusion {

/// Adds the rules of one phase.
using PopulateFn = std::function<void(RewritePatternSet &)>;

/// Freezes one set per phase without the rules that are switched off; a label
/// that no phase knows is an error. The rules say what came of them on ops that
/// `traced` names.
LogicalResult freezeRules(MLIRContext *context, ArrayRef<PopulateFn> phases,
                          ArrayRef<std::string> disabled,
                          ArrayRef<std::string> enabled, StringRef traced,
                          SmallVectorImpl<FrozenRewritePatternSet> &sets);

// The phases of each pass; RulePass.cpp lists them for getRuleLabels.
SmallVector<PopulateFn> getConvertTosaPhases();
SmallVector<PopulateFn> getRaisePhases();
SmallVector<PopulateFn> getAbsorbPhases();
SmallVector<PopulateFn> getFoldConstantsPhases(FPAccuracy accuracy);
SmallVector<PopulateFn> getReuseResidualPhases();
SmallVector<PopulateFn> getAssignLayoutPhases();
SmallVector<PopulateFn> getSplitPhasesPhases();

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_RULEPASS_H
