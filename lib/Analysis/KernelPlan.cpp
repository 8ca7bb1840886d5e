//===-- KernelPlan.cpp - How a root's kernel cuts its work ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is supported, in which order a plan is made, and what others ask of it.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TensorSizes.h"
#include "KernelPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- What there is a kernel for ----------------------------------------===//

/// True if a vector of `type` lies in memory as its elements do.
static bool hasVectors(Type type) { return getWholeBytes(type) != 0; }

bool KernelPlanner::checkTypes() {
  Type accumulator = root.getAccumulatorType();
  bool isPool = isa<PoolOp>(root.getOperation());
  if (isPool && !isa<FloatType>(accumulator))
    return refuse("unsupported-type", "the pool's kernel takes floats only");
  if (!isPool && !accumulator.isF32() && !accumulator.isF64() &&
      !accumulator.isInteger(32) && !accumulator.isInteger(64))
    return refuse("unsupported-type",
                  "the kernel sums in f32, f64, i32 and i64 only");
  // What is summed is extended to the accumulator.
  SmallVector<Value> summed{root->getOperand(0)};
  if (OpOperand *weights = root.getWeights())
    summed.push_back(weights->get());
  for (Value operand : summed) {
    Type type = getElementTypeOrScalar(operand.getType());
    if (!hasVectors(type) ||
        isa<FloatType>(type) != isa<FloatType>(accumulator) ||
        (type != accumulator &&
         type.getIntOrFloatBitWidth() >= accumulator.getIntOrFloatBitWidth()))
      return refuse("unsupported-type",
                    "an input is wider than its sums or of another kind");
  }
  for (Value operand : root->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type) {
      if (!operand.getType().isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the kernel takes numbers");
      continue;
    }
    if (!hasVectors(type.getElementType()))
      return refuse("unsupported-type", "an operand's elements are no bytes");
    if (llvm::is_contained(type.getShape(), 0))
      return refuse("no-kernel", "an operand has no elements");
  }
  return true;
}

bool KernelPlanner::checkEpilogue() {
  for (Operation &op : root.getEpilogueBlock().without_terminator()) {
    if (!isEpilogueOp(&op, reason))
      return false;
    for (Type type : op.getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the epilogue has no vector form");
    // Vectors are computed whole, beyond the last channel too.
    if (!isSpeculatable(&op))
      return refuse("no-kernel", "the epilogue has an op that may trap");
  }
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    if (!llvm::is_sorted(root.getEpilogueOperandDims(i)))
      return refuse("no-kernel", "an epilogue operand is transposed");
  return true;
}

/// Packed weights are read as one run of elements.
bool KernelPlanner::checkWeights() {
  if (!plan.packedWeights && plan.kind != KernelPlan::Kind::Depthwise)
    return true;
  auto type = cast<ShapedType>(root.getWeights()->get().getType());
  if (type.hasStaticShape() && llvm::equal(getStrides(*root.getWeights()),
                                           computeStrides(type.getShape())))
    return true;
  return refuse("no-kernel", "the packed weights have gaps");
}

//===-- The plan ----------------------------------------------------------===//

FailureOr<KernelPlan> KernelPlanner::run() {
  if (!checkTypes())
    return failure();
  relateEpilogue();
  if (!checkEpilogue())
    return failure();
  bool planned = TypeSwitch<Operation *, bool>(root.getOperation())
                     .Case([&](ConvOp op) { return planConv(op); })
                     .Case([&](MatmulOp op) { return planMatmul(op); })
                     .Case([&](PoolOp op) { return planPool(op); })
                     .Default([&](Operation *) {
                       return refuse("no-kernel", "the op has no kernel");
                     });
  if (!planned || !checkWeights())
    return failure();
  switch (plan.kind) {
  case KernelPlan::Kind::Contraction:
    halveVectors();
    mergeRows(getMaxHeight());
    mergeReductions(plan.reductions);
    cutRows(getMaxHeight());
    if (!checkPadding())
      return failure();
    break;
  case KernelPlan::Kind::Depthwise:
    halveVectors();
    cutPixels();
    if (!checkPadding())
      return failure();
    break;
  case KernelPlan::Kind::Planes:
    cutPlanes();
    break;
  case KernelPlan::Kind::Pool:
    // A tile is a row of pixels, whatever their number.
    plan.cut.tall = 1;
    plan.cutDim = plan.rows.size() - 1;
    break;
  }
  orderUnits();
  plan.fusedMultiplyAdd = target.hasMultiplyAdd;
  return plan;
}

//===-- Interface ---------------------------------------------------------===//

Extent KernelPlan::getFlops() const {
  // A multiplication and an addition are two.
  Extent flops = channels * groups * (kind == Kind::Pool ? 1 : 2);
  for (const Extent &size : rows)
    flops = flops * size;
  for (const ReductionLoop &loop : reductions)
    flops = flops * loop.size;
  return flops;
}

int64_t KernelPlan::getLastPanelSize() const {
  int64_t rest = channels.getStatic() % getPanelSize();
  return rest == 0 ? getPanelSize() : rest;
}

/// How many parts of `part` elements `extent` has, the last one perhaps
/// smaller.
static OpFoldResult createCount(OpBuilder &builder, Location loc,
                                const Extent &extent, int64_t part,
                                ValueRange operands) {
  if (extent.isStatic())
    return builder.getIndexAttr(llvm::divideCeil(extent.getStatic(), part));
  Value size = cast<Value>(extent.materialize(builder, loc, operands));
  Value more = arith::ConstantIndexOp::create(builder, loc, part - 1);
  Value divisor = arith::ConstantIndexOp::create(builder, loc, part);
  Value sum = builder.createOrFold<arith::AddIOp>(loc, size, more);
  return builder.createOrFold<arith::DivUIOp>(loc, sum, divisor);
}

SmallVector<OpFoldResult>
KernelPlan::createRowBlocks(OpBuilder &builder, Location loc,
                            ValueRange operands) const {
  SmallVector<OpFoldResult> blocks;
  for (const Extent &size : ArrayRef(rows).take_front(cutDim))
    blocks.push_back(size.materialize(builder, loc, operands));
  blocks.push_back(cut.atRunTime ? createCount(builder, loc, rows[cutDim],
                                               cut.height, operands)
                                 : builder.getIndexAttr(cut.tall + cut.low));
  if (hasStretches())
    blocks.push_back(
        createCount(builder, loc, rows.back(), pixelsOfUnit, operands));
  return blocks;
}

SmallVector<OpFoldResult> KernelPlan::createPanels(OpBuilder &builder,
                                                   Location loc,
                                                   ValueRange operands) const {
  return {builder.getIndexAttr(groups),
          createCount(builder, loc, channels, getPanelSize(), operands)};
}

FailureOr<KernelPlan> KernelPlan::get(FusionRootOpInterface root,
                                      const TargetInfo &target,
                                      std::string *reason) {
  return KernelPlanner(root, target, reason).run();
}

bool fusion::hasKernel(FusionRootOpInterface root, const TargetInfo &target,
                       std::string *reason) {
  return succeeded(KernelPlan::get(root, target, reason));
}

OpFoldResult fusion::createKernelUnits(OpBuilder &builder,
                                       FusionRootOpInterface root,
                                       ValueRange operands,
                                       const TargetInfo &target) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  assert(succeeded(plan) && "expected a root with a kernel");
  Location loc = root.getLoc();
  SmallVector<OpFoldResult> sides =
      plan->createRowBlocks(builder, loc, operands);
  llvm::append_range(sides, plan->createPanels(builder, loc, operands));
  return createProduct(builder, loc, sides);
}

OpFoldResult fusion::createKernelFlops(OpBuilder &builder,
                                       FusionRootOpInterface root,
                                       const TargetInfo &target) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  assert(succeeded(plan) && "expected a root with a kernel");
  return plan->getFlops().materialize(builder, root.getLoc(),
                                      root->getOperands());
}

int64_t fusion::getFlops(FusionRootOpInterface root) {
  if (!llvm::all_of(root->getOperandTypes(), [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return !shaped || shaped.hasStaticShape();
      }))
    return ShapedType::kDynamic;
  int64_t elements = root.getInitType().getNumElements();
  // The largest number where there are more: nobody computes as many.
  auto product = [](std::initializer_list<int64_t> factors,
                    ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> all(factors);
    llvm::append_range(all, sizes);
    return getSaturatedProduct(all);
  };
  return TypeSwitch<Operation *, int64_t>(root.getOperation())
      .Case([&](ConvOp op) {
        int64_t groups = op.getGroups();
        return product({2, elements, op.getInputChannels() / groups},
                       op.getKernelSizes());
      })
      .Case([&](ConvTransposeOp op) {
        int64_t groups = op.getGroups();
        return product({2, op.getInput().getType().getNumElements(),
                        op.getOutputChannels() / groups},
                       op.getKernelSizes());
      })
      .Case([&](MatmulOp op) { return product({2, elements, op.getK()}, {}); })
      .Case([&](PoolOp op) { return product({elements}, op.getWindow()); })
      .Default([&](Operation *) { return elements; });
}
