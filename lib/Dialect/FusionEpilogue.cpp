//===-- FusionEpilogue.cpp - Reading and growing an epilogue --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of Fusion.h that rules and conversions use on any root.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

Type fusion::getElementTypeOrScalar(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

void fusion::buildIdentityEpilogue(OpBuilder &builder,
                                   FusionRootOpInterface root,
                                   Type accumulatorType) {
  OpBuilder::InsertionGuard guard(builder);
  if (!accumulatorType)
    accumulatorType = root.getInitType().getElementType();
  Block *block = builder.createBlock(&root.getEpilogueRegion(), {},
                                     accumulatorType, root.getLoc());
  YieldOp::create(builder, root.getLoc(), block->getArgument(0));
}

AffineMap fusion::getEpilogueMap(FusionRootOpInterface root, unsigned i) {
  SmallVector<AffineExpr> results;
  for (int64_t dim : root.getEpilogueOperandDims(i))
    results.push_back(getAffineDimExpr(dim, root->getContext()));
  return AffineMap::get(root.getInitType().getRank(), 0, results,
                        root->getContext());
}

BlockArgument fusion::getOrAddEpilogueOperand(RewriterBase &rewriter,
                                              FusionRootOpInterface root,
                                              Value operand,
                                              ArrayRef<int64_t> dims) {
  unsigned count = root.getNumEpilogueOperands();
  for (unsigned i = 0; i < count; ++i)
    if (root.getEpilogueOperand(i) == operand &&
        root.getEpilogueOperandDims(i) == dims)
      return root.getEpilogueArgument(i);

  rewriter.modifyOpInPlace(root, [&] {
    SmallVector<Attribute> all(root.getEpilogueDimsAttr().getValue());
    all.push_back(rewriter.getDenseI64ArrayAttr(dims));
    root.getEpilogueMutable().append(operand);
    root.setEpilogueDimsAttr(rewriter.getArrayAttr(all));
    root.getEpilogueBlock().insertArgument(
        count + 1, getElementTypeOrScalar(operand.getType()), operand.getLoc());
  });
  return root.getEpilogueArgument(count);
}

bool fusion::dropDeadEpilogueOperands(RewriterBase &rewriter,
                                      FusionRootOpInterface root) {
  SmallVector<unsigned> dead;
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    if (root.getEpilogueArgument(i).use_empty())
      dead.push_back(i);
  if (dead.empty())
    return false;
  rewriter.modifyOpInPlace(root, [&] {
    SmallVector<Attribute> dims(root.getEpilogueDimsAttr().getValue());
    for (unsigned i : llvm::reverse(dead)) {
      root.getEpilogueBlock().eraseArgument(i + 1);
      root.getEpilogueMutable().erase(i);
      dims.erase(dims.begin() + i);
    }
    root.setEpilogueDimsAttr(rewriter.getArrayAttr(dims));
  });
  return true;
}

Value fusion::cloneEpilogue(OpBuilder &builder, FusionRootOpInterface root,
                            ValueRange arguments) {
  Block &block = root.getEpilogueBlock();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  auto vectorType = dyn_cast<VectorType>(arguments.front().getType());
  for (Operation &op : block.without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    if (!vectorType)
      continue;
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      // A constant keeps its scalar form and is broadcast, whatever its op.
      Type type = vectorType.clone(op.getResult(0).getType());
      mapping.map(op.getResult(0),
                  vector::BroadcastOp::create(builder, op.getLoc(), type,
                                              clone->getResult(0)));
      continue;
    }
    for (OpResult result : clone->getResults())
      result.setType(vectorType.clone(result.getType()));
  }
  return mapping.lookupOrDefault(root.getEpilogueYield());
}

bool fusion::isEpilogueOp(Operation *op, std::string *reason) {
  auto refuse = [&](StringRef code, StringRef sentence) {
    if (reason)
      *reason =
          (code + ": " + op->getName().getStringRef() + " " + sentence).str();
    return false;
  };
  if (op->getNumRegions() != 0)
    return refuse("not-elementwise", "has a region");
  if (!isMemoryEffectFree(op))
    return refuse("side-effect", "is not free of side effects");
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    if (!op->getResult(0).getType().isIntOrIndexOrFloat())
      return refuse("not-elementwise", "is no scalar constant");
    return true;
  }
  if (isa<linalg::IndexOp>(op))
    return refuse("reads-index", "reads the position of the element");
  if (!op->hasTrait<OpTrait::Elementwise>() ||
      !op->hasTrait<OpTrait::Scalarizable>())
    return refuse("not-elementwise", "is not elementwise");
  if (!op->hasTrait<OpTrait::Vectorizable>())
    return refuse("not-vectorizable", "has no vector form");
  return true;
}
