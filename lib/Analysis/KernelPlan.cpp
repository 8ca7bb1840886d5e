//===-- KernelPlan.cpp - How a root's kernel cuts its work ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads each operand as strides over the result's dims; tiles, panels and the
// order of units follow from them.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Strides of a type that has them all static; a tensor counts as row-major.
std::optional<SmallVector<int64_t>> getStaticStrides(Type type) {
  SmallVector<int64_t> strides;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return std::nullopt;
    return strides;
  }
  auto shaped = cast<ShapedType>(type);
  strides.assign(shaped.getRank(), 1);
  for (int64_t i = shaped.getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shaped.getDimSize(i + 1);
  return strides;
}

int64_t getBytes(Value value) {
  auto type = cast<ShapedType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// Fills in one plan; each step returns false after it has set the reason.
class Planner {
public:
  Planner(FusionRootOpInterface root, const TargetInfo &target,
          std::string *reason)
      : root(root), target(target), reason(reason) {}

  FailureOr<KernelPlan> run();

private:
  bool refuse(StringRef code, const Twine &sentence) {
    if (reason)
      *reason = (code + ": " + sentence).str();
    return false;
  }
  bool checkTypes();
  bool checkEpilogue();
  bool planConv(ConvOp op);
  bool planDepthwise(ConvOp op);
  bool planMatmul(MatmulOp op);
  bool planPool(PoolOp op);
  bool planInit();
  /// The panel of weights that are packed in blocks of `block` channels.
  bool planBlock(int64_t block);
  /// Weights that are packed already, or will be because they are constant.
  bool isOrWillBePacked(Value weights, bool packed);
  bool hasUnitChannelStride(Value operand, StringRef name);
  void mergeRows();
  void mergeReductions();
  void cutRows(int64_t maxHeight);
  void orderUnits();

  FusionRootOpInterface root;
  const TargetInfo &target;
  std::string *reason;
  KernelPlan plan;
};
} // namespace

//===-- What there is a kernel for ----------------------------------------===//

bool Planner::checkTypes() {
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

bool Planner::checkEpilogue() {
  for (Operation &op : root.getEpilogueBlock().without_terminator()) {
    if (!isEpilogueOp(&op, reason))
      return false;
    for (Type type : op.getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the epilogue has no vector form");
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

bool Planner::isOrWillBePacked(Value weights, bool packed) {
  if (packed || (isa<TensorType>(weights.getType()) &&
                 matchPattern(weights, m_Constant())))
    return true;
  return refuse("no-kernel", "the weights are neither packed nor constant");
}

bool Planner::hasUnitChannelStride(Value operand, StringRef name) {
  if (getStaticStrides(operand.getType())->back() == 1)
    return true;
  return refuse("no-kernel", "the " + name + " has strided channels");
}

//===-- Strides of each root ----------------------------------------------===//

/// Init and epilogue operands, whose dims are result dims.
bool Planner::planInit() {
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

bool Planner::planBlock(int64_t block) {
  plan.lanes = target.getLanes(root.getAccumulatorType());
  if (block % plan.lanes != 0)
    return refuse("no-kernel", "the packed block is no multiple of a vector");
  plan.vectors = block / plan.lanes;
  plan.packedWeights = true;
  return true;
}

bool Planner::planConv(ConvOp op) {
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

bool Planner::planDepthwise(ConvOp op) {
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

bool Planner::planMatmul(MatmulOp op) {
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

bool Planner::planPool(PoolOp op) {
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

//===-- Tiles and their order ---------------------------------------------===//

/// Merges neighbouring row dims that every operand steps through evenly, and
/// drops those of size 1: a pointwise convolution is one long row of pixels.
void Planner::mergeRows() {
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
void Planner::mergeReductions() {
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

void Planner::cutRows(int64_t maxHeight) {
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

void Planner::orderUnits() {
  if (plan.kind != KernelPlan::Kind::Contraction)
    return;
  int64_t weightBytes = getBytes(root.getWeights()->get());
  int64_t inputBytes = getBytes(root->getOperand(0));
  plan.panelFastest = weightBytes <= inputBytes;
  // Weights beyond a second-level cache come from far away.
  plan.prefetchWeights = weightBytes > (1 << 20);
}

FailureOr<KernelPlan> Planner::run() {
  if (!checkTypes() || !checkEpilogue())
    return failure();
  bool planned = TypeSwitch<Operation *, bool>(root.getOperation())
                     .Case([&](ConvOp op) { return planConv(op); })
                     .Case([&](MatmulOp op) { return planMatmul(op); })
                     .Case([&](PoolOp op) { return planPool(op); })
                     .Default([&](Operation *) {
                       return refuse("no-kernel", "the op has no kernel");
                     });
  if (!planned)
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
  return Planner(root, target, reason).run();
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
