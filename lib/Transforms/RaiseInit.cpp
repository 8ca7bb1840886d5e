//===-- RaiseInit.cpp - What a raised root's destination holds ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg accumulates into the destination. A root does not: a neutral fill is
// dropped, anything else becomes an operand of the epilogue.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "Views.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

void fusion::combineWithInit(RewriterBase &rewriter, FusionRootOpInterface root,
                             arith::AtomicRMWKind kind) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block &block = root.getEpilogueBlock();
  Location loc = root.getLoc();
  BlockArgument element =
      block.addArgument(root.getInitType().getElementType(), loc);
  Operation *yield = block.getTerminator();
  rewriter.setInsertionPoint(yield);
  yield->setOperand(0, arith::getReductionOp(kind, rewriter, loc,
                                             yield->getOperand(0), element));
}

namespace {
/// The op that combines the accumulator with the init's element, which nothing
/// else reads; null if there is none.
Operation *getInitCombiner(FusionRootOpInterface root) {
  if (!root.readsInit())
    return nullptr;
  BlockArgument element = root.getEpilogueBlock().getArguments().back();
  if (!element.hasOneUse())
    return nullptr;
  Operation *user = *element.user_begin();
  if (!getCombinerKind(user) ||
      !llvm::is_contained(user->getOperands(),
                          root.getEpilogueBlock().getArgument(0)))
    return nullptr;
  return user;
}

/// True if `combiner` does nothing with `element`. Both zeros are neutral in a
/// sum, which starts at 0.
bool isNeutral(Operation *combiner, TypedAttr element) {
  arith::AtomicRMWKind kind = *getCombinerKind(combiner);
  if (kind == arith::AtomicRMWKind::addf)
    if (auto value = dyn_cast<FloatAttr>(element))
      return value.getValue().isZero();
  auto type = dyn_cast<FloatType>(element.getType());
  bool isFinite = type && !APFloat::semanticsHasInf(type.getFloatSemantics());
  OpBuilder builder(combiner);
  return element == arith::getIdentityValueAttr(kind, element.getType(),
                                                builder, combiner->getLoc(),
                                                isFinite);
}

/// A tensor of `value`'s type with any contents.
Value getEmpty(OpBuilder &builder, Location loc, Value value) {
  Value start = value;
  while (auto op = start.getDefiningOp<DestinationStyleOpInterface>())
    start = op.getTiedOpOperand(cast<OpResult>(start))->get();
  auto type = cast<RankedTensorType>(value.getType());
  if (start.getDefiningOp<tensor::EmptyOp>() && start.getType() == type)
    return start;
  ReifiedRankedShapedTypeDims shapes;
  SmallVector<OpFoldResult> sizes;
  auto result = dyn_cast<OpResult>(value);
  if (!type.hasStaticShape() && result &&
      succeeded(reifyResultShapes(builder, result.getOwner(), shapes)))
    sizes = shapes[result.getResultNumber()];
  else
    sizes = tensor::getMixedSizes(builder, loc, value);
  return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
}

/// An epilogue that adds the element of an init -> one that adds what the init
/// holds, into a new destination:
///   outs(fill 0)             -> nothing
///   outs(broadcast of %bias) -> the element of %bias
///   outs(%any)               -> the element of %any at the same place
struct RaiseInit final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(root, "expected tensors");
    Operation *combiner = getInitCombiner(root);
    if (!combiner)
      return rewriter.notifyMatchFailure(
          root, "expected an epilogue that combines with the init's element");

    Block &block = root.getEpilogueBlock();
    Value init = root.getInitValue();
    View view{init,
              rewriter.getMultiDimIdentityMap(root.getInitType().getRank())};
    view = lookThroughBroadcasts(view);
    TypedAttr constant = getConstantElement(view.value);
    bool dropped = constant && isNeutral(combiner, constant);
    Value element;
    if (dropped) {
      element = block.getArgument(0);
    } else if (constant) {
      rewriter.setInsertionPointToStart(&block);
      element = arith::ConstantOp::create(rewriter, root.getLoc(), constant);
    } else {
      element = readInEpilogue(rewriter, root, view);
    }
    rewriter.setInsertionPoint(root);
    Value empty = getEmpty(rewriter, root.getLoc(), init);
    rewriter.modifyOpInPlace(root, [&] {
      BlockArgument argument = block.getArguments().back();
      if (dropped)
        rewriter.replaceOp(combiner, element);
      else
        rewriter.replaceAllUsesWith(argument, element);
      block.eraseArgument(argument.getArgNumber());
      root.setDpsInitOperand(0, empty);
    });
    remarkFused(root.getLoc(), "raise-init",
                dropped ? "the init is neutral and was dropped"
                        : "the init became an operand of the epilogue");
    return success();
  }
};
} // namespace

void fusion::populateRaiseInitPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<RaiseInit>({"raise-init"}, patterns.getContext());
}
