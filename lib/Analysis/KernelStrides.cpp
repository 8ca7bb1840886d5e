//===-- KernelStrides.cpp - Each root's operands in a plan ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts, strides, dilations, groups and broadcasts all become strides over
// rows, groups, panels and reductions; nothing behind this tells them apart.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/RegisterTile.h"
#include "KernelPlanner.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Sizes and strides -------------------------------------------------===//

SmallVector<Extent> KernelPlanner::getOwnSizes(OpOperand &operand) {
  SmallVector<Extent> sizes;
  for (auto [dim, size] :
       llvm::enumerate(cast<ShapedType>(operand.get().getType()).getShape()))
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? Extent(Extent::Symbol{operand.getOperandNumber(), unsigned(dim)})
            : Extent(size));
  return sizes;
}

void KernelPlanner::relate(OpOperand &operand, int64_t dim, int64_t resultDim) {
  relations[{operand.getOperandNumber(), dim}] = resultDim;
  int64_t size = cast<ShapedType>(operand.get().getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    resultSizes[resultDim] = size;
}

void KernelPlanner::relateEpilogue() {
  for (int64_t dim = 0, rank = resultSizes.size(); dim < rank; ++dim)
    relate(*root.getDpsInitOperand(0), dim, dim);
  for (auto [i, operand] : llvm::enumerate(root.getEpilogueMutable()))
    for (auto [dim, resultDim] :
         llvm::enumerate(root.getEpilogueOperandDims(i)))
      relate(operand, dim, resultDim);
}

SmallVector<WindowedDim> fusion::getWindowedDims(FusionRootOpInterface root) {
  SmallVector<WindowedDim> dims;
  auto add = [&](auto op, ArrayRef<int64_t> windows) {
    int64_t resultDim = root.getChannelDim() == 1 ? 2 : 1;
    for (auto [i, dim] : llvm::enumerate(op.getSpatialDims()))
      dims.push_back({dim, resultDim + static_cast<int64_t>(i), windows[i],
                      op.getStrides()[i], op.getDilations()[i]});
  };
  if (auto conv = dyn_cast<ConvOp>(*root))
    add(conv, conv.getKernelSizes());
  else if (auto pool = dyn_cast<PoolOp>(*root))
    add(pool, pool.getWindow());
  return dims;
}

SmallVector<WindowedDim> fusion::getPointwiseDims(FusionRootOpInterface root) {
  bool isPadded =
      TypeSwitch<Operation *, bool>(root)
          .Case<ConvOp, PoolOp>([](auto op) { return op.hasPadding(); })
          .Default(false);
  if (isPadded)
    return {};
  return llvm::filter_to_vector(
      getWindowedDims(root),
      [](const WindowedDim &dim) { return dim.isPointwise(); });
}

void KernelPlanner::relateImage(OpOperand &input) {
  relate(input, 0, 0);
  for (const WindowedDim &dim : getPointwiseDims(root))
    relate(input, dim.image, dim.result);
}

SmallVector<Extent> KernelPlanner::getSizes(OpOperand &operand) {
  SmallVector<Extent> sizes = getOwnSizes(operand);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto relation = relations.find({operand.getOperandNumber(), dim});
    if (relation != relations.end())
      size = resultSizes[relation->second];
  }
  return sizes;
}

SmallVector<Extent> KernelPlanner::getStrides(OpOperand &operand) {
  auto memref = dyn_cast<MemRefType>(operand.get().getType());
  if (memref && !memref.getLayout().isIdentity()) {
    SmallVector<Extent> result;
    auto [strides, offset] = memref.getStridesAndOffset();
    for (auto [dim, stride] : llvm::enumerate(strides))
      result.push_back(
          ShapedType::isDynamic(stride)
              ? Extent(Extent::Symbol{operand.getOperandNumber(), unsigned(dim),
                                      /*isStride=*/true})
              : Extent(stride));
    return result;
  }
  SmallVector<Extent> sizes = getSizes(operand), strides(sizes.size(), 1);
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 2; dim >= 0; --dim)
    strides[dim] = sizes[dim + 1] * strides[dim + 1];
  return strides;
}

bool KernelPlanner::isOrWillBePacked(Value weights, bool packed) {
  if (packed || (isa<TensorType>(weights.getType()) &&
                 matchPattern(weights, m_Constant())))
    return true;
  return refuse("no-kernel", "the weights are neither packed nor constant");
}

bool KernelPlanner::hasUnitChannelStride(OpOperand &operand, StringRef name) {
  if (getStrides(operand).back() == 1)
    return true;
  return refuse("no-kernel", "the " + name + " has strided channels");
}

//===-- Strides of each root ----------------------------------------------===//

/// Init and epilogue operands, whose dims are result dims.
bool KernelPlanner::planInit() {
  int64_t panel = plan.getPanelSize();
  int64_t numRows = static_cast<int64_t>(resultSizes.size()) - 1;
  OpOperand &init = *root.getDpsInitOperand(0);
  auto addDims = [&](OpOperand &operand, ArrayRef<int64_t> dims) {
    OperandStrides result;
    result.rows.assign(numRows, 0);
    SmallVector<Extent> strides;
    if (isa<ShapedType>(operand.get().getType()))
      strides = getStrides(operand);
    for (auto [dim, stride] : llvm::zip(dims, strides)) {
      if (dim == laneDim) {
        result.lane = stride;
        result.group = plan.channels * stride;
        result.panel = stride * panel;
      } else {
        result.rows[dim < laneDim ? dim : dim - 1] = stride;
      }
    }
    return result;
  };
  plan.init = addDims(init, llvm::to_vector(llvm::seq<int64_t>(numRows + 1)));
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    plan.epilogue.push_back(
        addDims(root.getEpilogueMutable()[i], root.getEpilogueOperandDims(i)));
  plan.rows.assign(resultSizes.begin(), resultSizes.end());
  plan.rows.erase(plan.rows.begin() + laneDim);
  // Tiles of what is channels-first are turned in registers, which takes rows
  // of neighbours.
  auto isFar = [](const OperandStrides &strides) {
    return strides.isChannelsFirst() && strides.rows.back() != 1;
  };
  if (isFar(plan.init))
    return refuse("no-kernel", "the result has strided channels");
  if (llvm::any_of(plan.epilogue, isFar))
    return refuse("no-kernel", "an epilogue operand has strided channels");
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

int64_t KernelPlanner::getPlainBlock(ShapedType weights) {
  // Rows of such weights are far apart: a page and no prefetch for each. Wide
  // panels read more of each row, and leave room for fewer rows of the result.
  constexpr int64_t kWide = 4;
  Type accumulator = root.getAccumulatorType();
  int64_t lanes = target.getLanes(accumulator),
          columns = weights.getShape().back();
  int64_t vectors = llvm::divideCeil(columns, lanes), rest = vectors % kWide;
  bool isFilled = vectors >= 3 * kWide || rest == 0 || rest == kWide - 1;
  if (ShapedType::isDynamic(columns) || !isFilled ||
      target.vectorRegisters < 32)
    return getPackedBlock(root, target);
  return kWide * lanes;
}

template <typename OpTy>
void KernelPlanner::addWindow(OpTy op, int64_t dim, int64_t size,
                              Extent weightsStride) {
  OpOperand &input = op.getInputMutable();
  int64_t imageDim = op.getSpatialDims()[dim];
  int64_t dilation = getDilation(size, op.getDilations()[dim]);
  int64_t low = op.getPadLow()[dim];
  ReductionLoop loop{size, getStrides(input)[imageDim] * dilation,
                     weightsStride};
  // Before the spatial dims, rows have the batch.
  if (low != 0 || op.getPadHigh()[dim] != 0)
    loop.window = PaddedWindow{dim + 1, op.getStrides()[dim], dilation, low,
                               getSizes(input)[imageDim]};
  plan.reductions.push_back(loop);
}

bool KernelPlanner::planConv(ConvOp op) {
  SmallVector<int64_t> spatial = op.getSpatialDims();
  int64_t inputChannel = op.getInputLayout() == ImageLayout::ChannelsFirst
                             ? 1
                             : op.getNumSpatialDims() + 1;
  if (ShapedType::isDynamic(op.getInputChannels()) ||
      ShapedType::isDynamic(op.getOutputChannels()) ||
      !op.getFilter().getType().hasStaticShape())
    return refuse("dynamic-shape",
                  "the convolution's channels or filter are not known");
  plan.groups = op.getGroups();
  plan.channels = op.getOutputChannels() / plan.groups;
  SmallVector<int64_t> kernel = op.getKernelSizes();
  relateImage(op.getInputMutable());
  SmallVector<Extent> strides = getStrides(op.getInputMutable());
  plan.input.rows.push_back(strides.front());
  for (auto [i, stride] : llvm::enumerate(op.getStrides()))
    plan.input.rows.push_back(strides[spatial[i]] * stride);
  plan.weights.rows.assign(plan.input.rows.size(), 0);
  if (isPlanar(op))
    return planPlanes(op);
  bool packed = op.getFilterLayout() == FilterLayout::Packed;
  if (op.isDepthwise() && !packed)
    return planDepthwise(op);

  plan.kind = KernelPlan::Kind::Contraction;
  OpOperand &filter = op.getFilterMutable();
  // Weights that are computed are read as they are, where their channels are
  // next to each other.
  bool plain = op.getFilterLayout() == FilterLayout::SpatialInOut &&
               !matchPattern(op.getFilter(), m_Constant());
  if ((plain ? !hasUnitChannelStride(filter, "filter")
             : !isOrWillBePacked(op.getFilter(), packed)) ||
      !planBlock(packed ? op.getFilter().getType().getShape().back()
                        : getPackedBlock(root, target)))
    return false;
  plan.packedWeights = !plain;
  // Strides of the weights over the filter's spatial dims and input channels.
  int64_t depth = op.getInputChannels() / plan.groups,
          panel = plan.getPanelSize();
  SmallVector<Extent> weightsStrides{panel, panel * depth};
  for (int64_t size : llvm::reverse(kernel))
    weightsStrides.push_back(weightsStrides.back() * size);
  plan.weights.panel = weightsStrides.pop_back_val();
  plan.weights.group =
      plan.weights.panel *
      llvm::divideCeil(plan.channels.getStatic(), plan.getPanelSize());
  std::reverse(weightsStrides.begin(), weightsStrides.end());
  if (plain) {
    weightsStrides = getStrides(filter);
    plan.weights.panel = panel;
    plan.weights.group = plan.channels;
  }
  plan.input.group = strides[inputChannel] * depth;
  for (auto [i, size] : llvm::enumerate(kernel))
    addWindow(op, i, size, weightsStrides[i]);
  plan.reductions.push_back(
      {depth, strides[inputChannel], weightsStrides[kernel.size()]});
  return planInit();
}

bool KernelPlanner::planDepthwise(ConvOp op) {
  if (op.getInputLayout() != ImageLayout::ChannelsLast)
    return refuse("no-kernel", "the depthwise input is not channels-last");
  plan.kind = KernelPlan::Kind::Depthwise;
  bool packed = op.getFilterLayout() == FilterLayout::SpatialInOut;
  if (!isOrWillBePacked(op.getFilter(), packed) ||
      !hasUnitChannelStride(op.getInputMutable(), "input"))
    return false;
  plan.channels = plan.channels * plan.groups;
  plan.groups = 1;
  // Panels of like size: what few pixels read of all channels of a panel stays
  // in a first-level cache. 2 x 4 pixels under 3 x 3 read 24.
  constexpr int64_t kPixelsInCache = 32;
  plan.lanes = target.getLanes(root.getAccumulatorType());
  int64_t vectors = llvm::divideCeil(plan.channels.getStatic(), plan.lanes);
  int64_t most = std::max<int64_t>(
      target.l1Bytes / kPixelsInCache / (target.vectorBits / 8), 1);
  plan.vectors = llvm::divideCeil(vectors, llvm::divideCeil(vectors, most));
  plan.input.panel = plan.weights.panel = plan.getPanelSize();
  SmallVector<int64_t> kernel = op.getKernelSizes();
  SmallVector<Extent> weightsStrides{plan.channels};
  for (int64_t size : llvm::reverse(ArrayRef(kernel).drop_front()))
    weightsStrides.push_back(weightsStrides.back() * size);
  for (auto [i, size] : llvm::enumerate(kernel))
    addWindow(op, i, size, weightsStrides[kernel.size() - 1 - i]);
  return planInit();
}

bool KernelPlanner::planMatmul(MatmulOp op) {
  plan.kind = KernelPlan::Kind::Contraction;
  OpOperand &lhs = op.getLhsMutable(), &rhs = op.getRhsMutable();
  ShapedType lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  bool packed = op.getRhsLayout() == MatrixLayout::Packed;
  bool isConstant = root.hasPureTensorSemantics() && rhsType.getRank() == 2 &&
                    matchPattern(op.getRhs(), m_Constant());
  if (!packed && !isConstant && op.getTransposeRhs())
    return refuse("no-kernel", "the rhs is transposed and not constant");
  if (!planBlock(packed       ? rhsType.getDimSize(2)
                 : isConstant ? getPackedBlock(root, target)
                              : getPlainBlock(rhsType)))
    return false;

  int64_t numBatch = op.getNumBatchDims();
  int64_t m = lhsType.getRank() - 2, k = m + 1;
  if (op.getTransposeLhs())
    std::swap(m, k);
  // Leading batch dims may be missing; those of size 1 are broadcast.
  auto forBatch = [&](ShapedType type, auto use) {
    int64_t missing = numBatch + 2 - type.getRank();
    for (int64_t i = missing; i < numBatch; ++i)
      if (type.getDimSize(i - missing) != 1)
        use(/*dim=*/i - missing, /*resultDim=*/i);
  };
  auto relateBatch = [&](OpOperand &operand, ShapedType type) {
    forBatch(type, [&](int64_t dim, int64_t resultDim) {
      relate(operand, dim, resultDim);
    });
  };
  auto addBatch = [&](ShapedType type, ArrayRef<Extent> strides) {
    SmallVector<Extent> rows(numBatch, 0);
    forBatch(type, [&](int64_t dim, int64_t resultDim) {
      rows[resultDim] = strides[dim];
    });
    return rows;
  };
  relateBatch(lhs, lhsType);
  relate(lhs, m, numBatch);
  if (!packed) {
    relateBatch(rhs, rhsType);
    relate(rhs, rhsType.getRank() - (op.getTransposeRhs() ? 2 : 1),
           numBatch + 1);
  }
  plan.channels = resultSizes.back();
  Extent depth = getSizes(lhs)[k];
  if (int64_t rows =
          rhsType.getDimSize(packed                 ? 1
                             : op.getTransposeRhs() ? rhsType.getRank() - 1
                                                    : rhsType.getRank() - 2);
      !ShapedType::isDynamic(rows))
    depth = rows;

  SmallVector<Extent> lhsStrides = getStrides(lhs);
  plan.input.rows = addBatch(lhsType, lhsStrides);
  plan.input.rows.push_back(lhsStrides[m]);
  Extent weightsStride = plan.getPanelSize();
  plan.weights.panel = plan.getPanelSize();
  if (packed || isConstant) {
    if (!rhsType.hasStaticShape() || !plan.channels.isStatic())
      return refuse("dynamic-shape", "the packed rhs is not known");
    plan.weights.rows.assign(numBatch, 0);
    plan.weights.panel = depth * plan.weights.panel;
  } else {
    if (!hasUnitChannelStride(rhs, "rhs"))
      return false;
    SmallVector<Extent> rhsStrides = getStrides(rhs);
    plan.weights.rows = addBatch(rhsType, rhsStrides);
    weightsStride = rhsStrides[rhsType.getRank() - 2];
    plan.packedWeights = false;
  }
  plan.weights.rows.push_back(0);
  plan.reductions = {{depth, lhsStrides[k], weightsStride}};
  return planInit();
}

bool KernelPlanner::planPool(PoolOp op) {
  plan.kind = KernelPlan::Kind::Pool;
  if (op.getLayout() != ImageLayout::ChannelsLast)
    return refuse("no-kernel", "the pool is not channels-last");
  if (!hasUnitChannelStride(op.getInputMutable(), "input"))
    return false;
  relate(op.getInputMutable(), resultSizes.size() - 1, resultSizes.size() - 1);
  relateImage(op.getInputMutable());
  plan.channels = resultSizes.back();
  if (!plan.channels.isStatic())
    return refuse("dynamic-shape", "the pool's channels are not known");
  plan.lanes = target.getLanes(root.getAccumulatorType());
  plan.vectors = 4;
  SmallVector<Extent> strides = getStrides(op.getInputMutable());
  plan.input.rows.push_back(strides.front());
  plan.input.panel = plan.getPanelSize();
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    plan.input.rows.push_back(strides[i + 1] * stride);
    addWindow(op, i, op.getWindow()[i], 0);
  }
  plan.weights.rows.assign(plan.input.rows.size(), 0);
  return planInit();
}
