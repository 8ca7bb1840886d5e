//===-- ExplainReport.h - What was fused, as it is told ------- -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filled in and told by explain.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_EXPLAINREPORT_H
#define MLIR_FUSION_EXPLAINREPORT_H

#include "Census.h"
#include "Outside.h"
#include "Remarks.h"
#include "Report.h"
#include "Roots.h"

namespace mlir::fusion {

/// All that is told.
struct Explanation {
  Census before, afterFusion, afterPlan;
  std::vector<RootInfo> roots;
  std::vector<OutsideInfo> outside;
  std::optional<int64_t> workspaceBytes;
  /// What is alive at once after fusion, if no size is dynamic.
  std::optional<int64_t> liveBytes;
  /// Places of buffers of dynamic size, if no --shape makes them bytes.
  int64_t workspaceSlots = 0;
};

void print(raw_ostream &os, const Explanation &explanation,
           const RemarkLog &log);
llvm::json::Object toJson(const Explanation &explanation, const RemarkLog &log,
                          const RootFinder &finder);

} // namespace mlir::fusion

#endif // MLIR_FUSION_EXPLAINREPORT_H
