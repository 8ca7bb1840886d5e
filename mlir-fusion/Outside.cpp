//===-- Outside.cpp - What is part of no root -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops are those of the fused function; the reasons are remarks at their
// locations.
//
//===----------------------------------------------------------------------===//

#include "Outside.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "Roots.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fusion;

/// True for what could be a root or stand in an epilogue; a reduction, or what
/// only moves elements, is neither.
static bool isOfRoots(linalg::LinalgOp op) {
  if (linalg::isaConvolutionOpInterface(op) ||
      linalg::isaContractionOpInterface(op) ||
      op->getName().getStringRef().contains(".pooling_"))
    return true;
  return op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::any_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return !inner.hasTrait<OpTrait::ConstantLike>();
                      });
}

static OutsideInfo describe(linalg::LinalgOp op, const RemarkLog &log) {
  OutsideInfo info;
  info.op = op->getName().getStringRef();
  info.location = getLocationText(op.getLoc());
  llvm::raw_string_ostream os(info.type);
  llvm::interleaveComma(op->getResultTypes(), os);
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      info.body.push_back(inner.getName().getStringRef().str());
  for (const CollectedRemark &remark : log.getRemarks())
    // The first: what could be a root is asked for that before.
    if (!remark.fused && remark.loc == op.getLoc() && info.code.empty()) {
      info.rule = remark.rule;
      info.code = remark.code;
      info.text = remark.text;
    }
  return info;
}

std::vector<OutsideInfo> fusion::findOutside(func::FuncOp function,
                                             const RemarkLog &log) {
  std::vector<OutsideInfo> outside;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FusionRootOpInterface>(op))
      return WalkResult::skip();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return WalkResult::advance();
    if (isOfRoots(linalgOp))
      outside.push_back(describe(linalgOp, log));
    return WalkResult::skip();
  });
  return outside;
}
