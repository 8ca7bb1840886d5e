//===-- KernelStrides.cpp - Each root's operands in a plan ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts, strides, dilations, groups and broadcasts all become strides over
// rows, groups, panels and reductions; nothing behind this tells them apart.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

std::optional<SmallVector<int64_t>> fusion::getStaticStrides(Type type) {
  SmallVector<int64_t> strides;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return std::nullopt;
    return strides;
  }
  return computeStrides(cast<ShapedType>(type).getShape());
}

bool KernelPlanner::isOrWillBePacked(Value weights, bool packed) {
  if (packed || (isa<TensorType>(weights.getType()) &&
                 matchPattern(weights, m_Constant())))
    return true;
  return refuse("no-kernel", "the weights are neither packed nor constant");
}

bool KernelPlanner::hasUnitChannelStride(Value operand, StringRef name) {
  if (getStaticStrides(operand.getType())->back() == 1)
    return true;
  return refuse("no-kernel", "the " + name + " has strided channels");
}

//===-- Strides of each root ----------------------------------------------===//

/// Init and epilogue operands, whose dims are result dims.
bool KernelPlanner::planInit() {
  int64_t channelDim = root.getChannelDim(), panel = plan.getPanelSize();
  if (!hasUnitChannelStride(root.getInitValue(), "result"))
    return false;
  auto addDims = [&](Type type, ArrayRef<int64_t> dims) {
    OperandStrides result;
    result.rows.assign(channelDim, 0);
    SmallVector<int64_t> strides = isa<ShapedType>(type)
                                       ? *getStaticStrides(type)
                                       : SmallVector<int64_t>();
    for (auto [dim, stride] : llvm::zip(dims, strides)) {
      if (dim == channelDim) {
        result.group = plan.channels;
        result.panel = panel;
      } else {
        result.rows[dim] = stride;
      }
    }
    return result;
  };
  plan.init = addDims(root.getInitType(),
                      llvm::to_vector(llvm::seq<int64_t>(channelDim + 1)));
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    plan.epilogue.push_back(addDims(root.getEpilogueOperand(i).getType(),
                                    root.getEpilogueOperandDims(i)));
  plan.rows.assign(root.getInitType().getShape().begin(),
                   root.getInitType().getShape().end() - 1);
  return true;
}

bool KernelPlanner::planBlock(int64_t block) {
  plan.lanes = target.getLanes(root.getAccumulatorType());
  if (block % plan.lanes != 0)
    return refuse("no-kernel", "the packed block is no multiple of a vector");
  plan.vectors = block / plan.lanes;
  plan.packedWeights = true;
  return true;
}

bool KernelPlanner::planConv(ConvOp op) {
  if (op.getInputLayout() != ImageLayout::ChannelsLast ||
      op.getOutputLayout() != ImageLayout::ChannelsLast)
    return refuse("no-kernel", "the convolution is not channels-last");
  // On tensors, padding is still to become an explicit pad.
  if (op.hasPadding() && !root.hasPureTensorSemantics())
    return refuse("no-kernel", "the convolution's padding is not explicit");
  plan.groups = op.getGroups();
  plan.channels = op.getOutputChannels() / plan.groups;
  SmallVector<int64_t> kernel = op.getKernelSizes();
  SmallVector<int64_t> strides = *getStaticStrides(op.getInput().getType());
  plan.input.rows.push_back(strides.front());
  for (auto [i, stride] : llvm::enumerate(op.getStrides()))
    plan.input.rows.push_back(stride * strides[i + 1]);
  plan.weights.rows.assign(plan.input.rows.size(), 0);
  bool packed = op.getFilterLayout() == FilterLayout::Packed;
  if (op.isDepthwise() && !packed)
    return planDepthwise(op);

  plan.kind = KernelPlan::Kind::Contraction;
  if (!isOrWillBePacked(op.getFilter(), packed) ||
      !planBlock(packed ? op.getFilter().getType().getShape().back()
                        : target.getPackedBlock(root.getAccumulatorType())))
    return false;
  int64_t depth = op.getInputChannels() / plan.groups;
  plan.input.group = depth * strides.back();
  int64_t weightsStride = depth * plan.getPanelSize();
  plan.reductions = {{depth, strides.back(), plan.getPanelSize()}};
  for (int64_t i = kernel.size() - 1; i >= 0; --i) {
    plan.reductions.insert(
        plan.reductions.begin(),
        {kernel[i], op.getDilations()[i] * strides[i + 1], weightsStride});
    weightsStride *= kernel[i];
  }
  plan.weights.panel = weightsStride;
  plan.weights.group = weightsStride * plan.getPanelsPerGroup();
  return planInit();
}

bool KernelPlanner::planDepthwise(ConvOp op) {
  plan.kind = KernelPlan::Kind::Depthwise;
  bool packed = op.getFilterLayout() == FilterLayout::SpatialInOut;
  if (!isOrWillBePacked(op.getFilter(), packed) ||
      !hasUnitChannelStride(op.getInput(), "input"))
    return false;
  plan.channels *= plan.groups;
  plan.groups = 1;
  // 16 accumulators hide the latency of the multiply-adds, and a short run of
  // pixels with many channels reads memory in order.
  plan.lanes = target.getLanes(root.getAccumulatorType());
  plan.vectors = target.vectorRegisters / 8;
  plan.input.panel = plan.weights.panel = plan.getPanelSize();
  SmallVector<int64_t> strides = *getStaticStrides(op.getInput().getType());
  SmallVector<int64_t> kernel = op.getKernelSizes();
  int64_t weightsStride = plan.channels;
  for (int64_t i = kernel.size() - 1; i >= 0; --i) {
    plan.reductions.insert(
        plan.reductions.begin(),
        {kernel[i], op.getDilations()[i] * strides[i + 1], weightsStride});
    weightsStride *= kernel[i];
  }
  return planInit();
}

bool KernelPlanner::planMatmul(MatmulOp op) {
  plan.kind = KernelPlan::Kind::Contraction;
  plan.channels = op.getN();
  ShapedType rhs = op.getRhs().getType();
  bool packed = op.getRhsLayout() == MatrixLayout::Packed;
  bool isConstant = root.hasPureTensorSemantics() && rhs.getRank() == 2 &&
                    matchPattern(op.getRhs(), m_Constant());
  if (!packed && !isConstant && op.getTransposeRhs())
    return refuse("no-kernel", "the rhs is transposed and not constant");
  if (!planBlock(packed ? rhs.getDimSize(2)
                        : target.getPackedBlock(root.getAccumulatorType())))
    return false;

  // Strides over batch dims, of which leading ones may be missing.
  int64_t numBatch = op.getNumBatchDims();
  auto addBatch = [&](ShapedType type, ArrayRef<int64_t> strides) {
    SmallVector<int64_t> rows(numBatch, 0);
    int64_t missing = numBatch + 2 - type.getRank();
    for (int64_t i = missing; i < numBatch; ++i)
      rows[i] = type.getDimSize(i - missing) == 1 ? 0 : strides[i - missing];
    return rows;
  };
  SmallVector<int64_t> lhsStrides = *getStaticStrides(op.getLhs().getType());
  int64_t m = lhsStrides.size() - 2, k = m + 1;
  if (op.getTransposeLhs())
    std::swap(m, k);
  plan.input.rows = addBatch(op.getLhs().getType(), lhsStrides);
  plan.input.rows.push_back(lhsStrides[m]);

  SmallVector<int64_t> rhsStrides = *getStaticStrides(rhs);
  int64_t weightsStride;
  if (packed || isConstant) {
    plan.weights.rows.assign(numBatch, 0);
    weightsStride = plan.getPanelSize();
    plan.weights.panel = op.getK() * plan.getPanelSize();
  } else {
    if (!hasUnitChannelStride(op.getRhs(), "rhs"))
      return false;
    plan.weights.rows = addBatch(rhs, rhsStrides);
    weightsStride = rhsStrides[rhs.getRank() - 2];
    plan.weights.panel = plan.getPanelSize();
    plan.packedWeights = false;
  }
  plan.weights.rows.push_back(0);
  plan.reductions = {{op.getK(), lhsStrides[k], weightsStride}};
  return planInit();
}

bool KernelPlanner::planPool(PoolOp op) {
  plan.kind = KernelPlan::Kind::Pool;
  if (op.getLayout() != ImageLayout::ChannelsLast)
    return refuse("no-kernel", "the pool is not channels-last");
  if (!hasUnitChannelStride(op.getInput(), "input"))
    return false;
  plan.channels = op.getInput().getType().getShape().back();
  plan.lanes = target.getLanes(root.getAccumulatorType());
  plan.vectors = 4;
  SmallVector<int64_t> strides = *getStaticStrides(op.getInput().getType());
  plan.input.rows.push_back(strides.front());
  plan.input.panel = plan.getPanelSize();
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    plan.input.rows.push_back(stride * strides[i + 1]);
    plan.reductions.push_back(
        {op.getWindow()[i], op.getDilations()[i] * strides[i + 1], 0});
  }
  plan.weights.rows.assign(plan.input.rows.size(), 0);
  return planInit();
}
