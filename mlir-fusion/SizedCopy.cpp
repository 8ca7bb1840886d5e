//===-- SizedCopy.cpp - A dynamic model at given sizes --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are refined op by op, in the order they run; an op tells the sizes of
// its results by its destination or by reification, and these are folded.
//
//===----------------------------------------------------------------------===//

#include "SizedCopy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
class Sizer {
public:
  explicit Sizer(MLIRContext *context) : builder(context) {}
  void refine(Block &block);

private:
  void refine(Operation &op);
  /// Gives `value` the static sizes of `like` where it has none.
  static void refineLike(Value value, Value like);
  /// Gives `value` the sizes that fold.
  void refineBy(Value value, ArrayRef<OpFoldResult> sizes);
  Attribute evaluate(OpFoldResult value);
  Attribute evaluate(Value value);
  /// The end of the branch that is taken; null if that is not known.
  scf::YieldOp getTakenYield(scf::IfOp branch);

  OpBuilder builder;
  DenseMap<Value, Attribute> known;
};
} // namespace

static RankedTensorType getDynamicType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape() ? type : RankedTensorType();
}

static void refineShape(Value value, ArrayRef<int64_t> sizes) {
  RankedTensorType type = getDynamicType(value);
  if (!type)
    return;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, better] : llvm::zip_equal(shape, sizes))
    if (ShapedType::isDynamic(size))
      size = better;
  value.setType(type.clone(shape));
}

void Sizer::refineLike(Value value, Value like) {
  if (auto type = dyn_cast<RankedTensorType>(like.getType()))
    refineShape(value, type.getShape());
}

Attribute Sizer::evaluate(OpFoldResult value) {
  auto attr = dyn_cast<Attribute>(value);
  return attr ? attr : evaluate(cast<Value>(value));
}

scf::YieldOp Sizer::getTakenYield(scf::IfOp branch) {
  auto condition =
      dyn_cast_or_null<IntegerAttr>(evaluate(branch.getCondition()));
  if (!condition || branch.getElseRegion().empty())
    return {};
  return condition.getValue().isZero() ? branch.elseYield()
                                       : branch.thenYield();
}

Attribute Sizer::evaluate(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  known[value] = {};
  Operation *op = value.getDefiningOp();
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    scf::YieldOp yield = getTakenYield(branch);
    if (!yield)
      return {};
    Attribute taken =
        evaluate(yield->getOperand(cast<OpResult>(value).getResultNumber()));
    return known[value] = taken;
  }
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return {};
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return isa<ShapedType>(operand.getType()) ? Attribute() : evaluate(operand);
  });
  // Folding may change an op in place.
  OwningOpRef<Operation *> copy = op->clone();
  SmallVector<OpFoldResult> folded;
  if (failed(copy->fold(operands, folded)) || folded.empty())
    return {};
  OpFoldResult result = folded[cast<OpResult>(value).getResultNumber()];
  Attribute attr = evaluate(result);
  return known[value] = attr;
}

void Sizer::refineBy(Value value, ArrayRef<OpFoldResult> sizes) {
  auto shape = llvm::map_to_vector(sizes, [&](OpFoldResult size) {
    auto attr = dyn_cast_or_null<IntegerAttr>(evaluate(size));
    return attr ? attr.getInt() : ShapedType::kDynamic;
  });
  refineShape(value, shape);
}

void Sizer::refine(Operation &op) {
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    for (auto [init, carried] :
         llvm::zip(loop.getInits(), loop.getRegionIterArgs()))
      refineLike(carried, init);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      refine(block);
  if (llvm::none_of(op.getResults(), getDynamicType))
    return;

  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return refineBy(empty, empty.getMixedSizes());
  if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpOperand &init : written.getDpsInitsMutable())
      if (isa<TensorType>(init.get().getType()))
        refineLike(written.getTiedOpResult(&init), init.get());
    return;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    for (auto [init, result] : llvm::zip(loop.getInits(), op.getResults()))
      refineLike(result, init);
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (scf::YieldOp yield = getTakenYield(branch))
      for (auto [result, yielded] :
           llvm::zip(op.getResults(), yield.getOperands()))
        refineLike(result, yielded);
    return;
  }
  builder.setInsertionPointAfter(&op);
  ReifiedRankedShapedTypeDims sizes;
  if (failed(reifyResultShapes(builder, &op, sizes)))
    return;
  for (auto [result, shape] : llvm::zip(op.getResults(), sizes))
    refineBy(result, shape);
}

void Sizer::refine(Block &block) {
  // Reification adds ops.
  for (Operation &op : llvm::make_early_inc_range(block))
    refine(op);
}

OwningOpRef<func::FuncOp> fusion::copyWithSizes(func::FuncOp function,
                                                ArrayRef<Shape> shapes) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  for (auto [argument, shape] : llvm::zip_equal(copy->getArguments(), shapes))
    refineShape(argument, shape);
  Sizer sizer(function.getContext());
  for (Block &block : copy->getBody())
    sizer.refine(block);
  return copy;
}
