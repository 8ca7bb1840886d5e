//===-- Outside.h - What is part of no root ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by explain after fusion.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_OUTSIDE_H
#define MLIR_FUSION_OUTSIDE_H

#include "Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace mlir::fusion {

/// An op that is what roots and epilogues are made of, and is in none.
struct OutsideInfo {
  std::string op, type, location;
  /// Names of the ops of its body, in order.
  std::vector<std::string> body;
  /// The label of the rule that refused it, its reason's code and sentence.
  std::string rule, code, text;
};

/// The elementwise ops, convolutions, pools and products of linalg that
/// `function` still holds, in order, with what the rules said of each.
std::vector<OutsideInfo> findOutside(func::FuncOp function,
                                     const RemarkLog &log);

} // namespace mlir::fusion

#endif // MLIR_FUSION_OUTSIDE_H
