//===-- KernelPlan.cpp - How a root's kernel cuts its work ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is supported, and tiles and their order as they follow from strides.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

static int64_t getBytes(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

//===-- What there is a kernel for ----------------------------------------===//

bool KernelPlanner::checkTypes() {
  for (Value operand : root->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type) {
      if (!operand.getType().isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the kernel takes numbers");
      continue;
    }
    if (!type.getElementType().isF32())
      return refuse("unsupported-type", "the kernel computes in f32 only");
    if (!type.hasStaticShape())
      return refuse("dynamic-shape", "the kernel needs static shapes");
    if (!getStaticStrides(type))
      return refuse("dynamic-shape", "the kernel needs static strides");
    if (type.getNumElements() == 0)
      return refuse("no-kernel", "an operand has no elements");
  }
  if (!root.getAccumulatorType().isF32())
    return refuse("unsupported-type", "the kernel accumulates in f32 only");
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
  int64_t channelDim = root.getChannelDim();
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    ArrayRef<int64_t> dims = root.getEpilogueOperandDims(i);
    if (!llvm::is_sorted(dims))
      return refuse("no-kernel", "an epilogue operand is transposed");
    if (!dims.empty() && dims.back() == channelDim &&
        getStaticStrides(root.getEpilogueOperand(i).getType())->back() != 1)
      return refuse("no-kernel", "an epilogue operand has strided channels");
  }
  return true;
}

/// Packed weights are read as one run of elements.
bool KernelPlanner::checkWeights() {
  if (!plan.packedWeights && plan.kind != KernelPlan::Kind::Depthwise)
    return true;
  Type type = root.getWeights()->get().getType();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || *getStaticStrides(type) == computeStrides(memref.getShape()))
    return true;
  return refuse("no-kernel", "the packed weights have gaps");
}

//===-- Tiles and their order ---------------------------------------------===//

/// Merges neighbouring row dims that every operand steps through evenly, and
/// drops those of size 1: a pointwise convolution is one long row of pixels.
void KernelPlanner::mergeRows() {
  SmallVector<OperandStrides *> operands{&plan.input, &plan.weights,
                                         &plan.init};
  for (OperandStrides &strides : plan.epilogue)
    operands.push_back(&strides);
  auto erase = [&](int64_t dim) {
    plan.rows.erase(plan.rows.begin() + dim);
    for (OperandStrides *strides : operands)
      strides->rows.erase(strides->rows.begin() + dim);
  };
  for (int64_t dim = plan.rows.size() - 1; dim >= 0; --dim) {
    if (plan.rows[dim] == 1 && plan.rows.size() > 1) {
      erase(dim);
      continue;
    }
    int64_t next = dim + 1;
    if (next == static_cast<int64_t>(plan.rows.size()) ||
        !llvm::all_of(operands, [&](OperandStrides *strides) {
          return strides->rows[dim] == plan.rows[next] * strides->rows[next];
        }))
      continue;
    plan.rows[next] *= plan.rows[dim];
    erase(dim);
  }
}

/// Merges neighbouring reduction loops likewise and drops those of one step:
/// a filter row over few channels becomes one loop.
void KernelPlanner::mergeReductions() {
  SmallVector<ReductionLoop> &loops = plan.reductions;
  llvm::erase_if(loops, [](ReductionLoop &loop) { return loop.size == 1; });
  for (int64_t i = static_cast<int64_t>(loops.size()) - 2; i >= 0; --i) {
    ReductionLoop &outer = loops[i], &inner = loops[i + 1];
    if (outer.inputStride != inner.size * inner.inputStride ||
        outer.weightsStride != inner.size * inner.weightsStride)
      continue;
    inner.size *= outer.size;
    loops.erase(loops.begin() + i);
  }
}

void KernelPlanner::cutRows(int64_t maxHeight) {
  int64_t last = plan.rows.size() - 1;
  // A tile has one panel of weights, so it spans no batches of the rhs.
  if (plan.weights.rows[last] != 0)
    maxHeight = 1;
  // Rows a multiple of 4 KiB apart fall into one set of a first-level cache of
  // 8 ways; one way is left for the weights. Taller tiles lose a fifth.
  int64_t step = plan.input.rows[last] * sizeof(float);
  if (step != 0 && step % 4096 == 0)
    maxHeight = std::min<int64_t>(maxHeight, 7);
  if (last > 0 && 2 * plan.rows[last] <= maxHeight &&
      plan.weights.rows[last - 1] == 0) {
    plan.wholeRows = plan.rows[last];
    plan.cut = RowCut::get(plan.rows[last - 1], maxHeight / plan.wholeRows);
    return;
  }
  plan.cut = RowCut::get(plan.rows[last], maxHeight);
}

void KernelPlanner::orderUnits() {
  if (plan.kind != KernelPlan::Kind::Contraction)
    return;
  int64_t weightBytes = getBytes(root.getWeights()->get());
  int64_t inputBytes = getBytes(root->getOperand(0));
  plan.panelFastest = weightBytes <= inputBytes;
  // Weights beyond a second-level cache come from far away.
  plan.prefetchWeights = weightBytes > (1 << 20);
}

FailureOr<KernelPlan> KernelPlanner::run() {
  if (!checkTypes() || !checkEpilogue())
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
  RegisterTile tile = target.getRegisterTile();
  switch (plan.kind) {
  case KernelPlan::Kind::Contraction:
    mergeRows();
    mergeReductions();
    // Wider panels than the target's own leave room for fewer rows.
    cutRows(
        plan.vectors <= tile.vectors
            ? tile.rows
            : std::max<int64_t>(tile.rows * tile.vectors / plan.vectors, 1));
    break;
  case KernelPlan::Kind::Depthwise:
    mergeRows();
    cutRows(/*maxHeight=*/4);
    break;
  case KernelPlan::Kind::Pool:
    plan.cut = RowCut::get(plan.rows.back(), plan.rows.back());
    break;
  }
  orderUnits();
  // Every x86 CPU with 256-bit vectors of integers has FMA.
  plan.fusedMultiplyAdd = target.vectorBits >= 256;
  return plan;
}

//===-- Interface ---------------------------------------------------------===//

RowCut RowCut::get(int64_t size, int64_t maxHeight) {
  RowCut cut;
  int64_t count = llvm::divideCeil(size, maxHeight);
  cut.height = llvm::divideCeil(size, count);
  cut.low = count * cut.height - size;
  cut.tall = count - cut.low;
  return cut;
}

int64_t KernelPlan::getRowBlocks() const {
  int64_t blocks = cut.getCount();
  for (int64_t size : ArrayRef(rows).take_front(getCutDim()))
    blocks *= size;
  return blocks;
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

int64_t fusion::getKernelUnits(FusionRootOpInterface root,
                               const TargetInfo &target) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  assert(succeeded(plan) && "expected a root with a kernel");
  return plan->getUnits();
}

int64_t fusion::getFlops(FusionRootOpInterface root) {
  if (!llvm::all_of(root->getOperandTypes(), [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return !shaped || shaped.hasStaticShape();
      }))
    return ShapedType::kDynamic;
  int64_t elements = root.getInitType().getNumElements();
  auto product = [](ArrayRef<int64_t> sizes) {
    return llvm::product_of(sizes);
  };
  return TypeSwitch<Operation *, int64_t>(root.getOperation())
      .Case([&](ConvOp op) {
        return 2 * elements * op.getInputChannels() / op.getGroups() *
               product(op.getKernelSizes());
      })
      .Case([&](MatmulOp op) { return 2 * elements * op.getK(); })
      .Case([&](PoolOp op) { return elements * product(op.getWindow()); })
      .Default([&](Operation *) { return elements; });
}
