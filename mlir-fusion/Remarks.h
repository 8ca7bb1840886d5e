//===-- Remarks.h - What the rules said -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the remarks of category "fusion" in memory for explain and for
// reports.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_REMARKS_H
#define MLIR_FUSION_REMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mlir::fusion {

struct CollectedRemark {
  /// The rule's label.
  std::string rule;
  bool fused;
  /// "fused", or the reason's code, such as other-readers.
  std::string code;
  /// The sentence after the code.
  std::string text;
  Location loc;
};

/// Filled while passes run, by any of their threads.
class RemarkLog {
public:
  /// Must outlive the context.
  void attachTo(MLIRContext &context);
  void add(CollectedRemark remark);
  const std::vector<CollectedRemark> &getRemarks() const { return remarks; }
  /// Drops the refusals that no longer say anything of `function`: of ops that
  /// are gone, or are constants now.
  void dropGone(func::FuncOp function);
  /// How many there are of each code.
  std::map<std::string, int64_t> countByCode() const;

private:
  std::mutex mutex;
  std::vector<CollectedRemark> remarks;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_REMARKS_H
