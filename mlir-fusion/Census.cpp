//===-- Census.cpp - What a model is made of ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what stands at the top of a function: bodies of linalg ops and
// epilogues count as arithmetic, not as ops.
//
//===----------------------------------------------------------------------===//

#include "Census.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/KernelWork.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fusion;

/// The largest number where the product or the sum is larger: shapes may ask
/// for more than anybody computes.
static int64_t multiply(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}
static int64_t add(int64_t lhs, int64_t rhs) {
  int64_t sum;
  return llvm::AddOverflow(lhs, rhs, sum) ? std::numeric_limits<int64_t>::max()
                                          : sum;
}

int64_t fusion::countFlops(FusionRootOpInterface root) {
  ShapedType result = root.getInitType();
  if (!result.hasStaticShape())
    return 0;
  int64_t flops = getFlops(root);
  return add(ShapedType::isDynamic(flops) ? 0 : flops,
             multiply(countArithmetic(root.getEpilogueBlock()),
                      result.getNumElements()));
}

static int64_t countLinalgFlops(linalg::LinalgOp op) {
  int64_t points = 1;
  for (int64_t size : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(size))
      return 0;
    points = multiply(points, size);
  }
  return multiply(points, countArithmetic(*op.getBlock()));
}

/// States a value or a shape; nothing is computed.
static bool isSilent(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() ||
         op.hasTrait<OpTrait::IsTerminator>() || isa<tensor::EmptyOp>(op);
}

/// True if the results are other names of the operands' memory, or a fill,
/// which the next op overwrites in place.
static bool storesNothing(Operation &op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::CastOp,
             linalg::FillOp>(op) ||
         isa<ViewLikeOpInterface>(op);
}

Census fusion::takeCensus(func::FuncOp function) {
  Census census;
  DenseSet<Attribute> constants;
  for (Operation &op : function.getOps()) {
    ElementsAttr value;
    if (matchPattern(&op, m_Constant(&value)) && constants.insert(value).second)
      census.constantBytes +=
          value.isSplat()
              ? getNumBytes(RankedTensorType::get({}, value.getElementType()))
              : getNumBytes(value.getShapedType());
    if (isSilent(op))
      continue;
    ++census.ops[op.getName().getStringRef().str()];
    if (auto root = dyn_cast<FusionRootOpInterface>(op))
      census.flops = add(census.flops, fusion::countFlops(root));
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      census.flops = add(census.flops, countLinalgFlops(linalgOp));
    census.isUncounted |= op.getName().getDialectNamespace() == "tosa";
    for (Type type : op.getResultTypes()) {
      auto shaped = dyn_cast<ShapedType>(type);
      census.isDynamic |= shaped && !shaped.hasStaticShape();
      if (!storesNothing(op))
        census.activationBytes += getNumBytes(type);
    }
  }
  return census;
}
