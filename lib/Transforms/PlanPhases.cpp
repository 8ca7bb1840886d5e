//===-- PlanPhases.cpp - Transposed convolutions by phases ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-split-phases. Result positions that are equal modulo the
// stride meet the same taps of the filter: each such phase is a convolution of
// the input as it is, with these taps in reverse order, and writes its own
// strided slice of the result. So kernels, epilogues and packing of
// convolutions serve, and no product has an inserted zero.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "RulePass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <numeric>

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONSPLITPHASESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kLabel = "split-phases";
/// More phases than this would be more code than they save time.
static constexpr int64_t kMaxPhases = 1024;

namespace {
/// One phase along one spatial dim: result positions first, first + stride, ….
struct Phase {
  int64_t first;
  /// Its result positions are as many as the input's elements, and so many
  /// more.
  int64_t more;
  /// Taps tap, tap + tapStep, …, `taps` of them (0: nothing meets the phase).
  int64_t tap, taps;
  /// The input position that result position 0 and the last tap meet.
  int64_t start;
};

/// What all phases along one dim have in common.
struct DimPhases {
  int64_t stride, tapStep, dilation;
  SmallVector<Phase> phases;
  /// Zeros that the phases together read around the input.
  int64_t padLow = 0, padHigh = 0;
};

/// The phases of dim `i`, of which those without a result position are left
/// out (`input` may be dynamic).
DimPhases getPhases(ConvTransposeOp op, int64_t i, int64_t input,
                    int64_t kernel) {
  int64_t stride = op.getStrides()[i], dilation = op.getDilations()[i];
  int64_t common = std::gcd(stride, dilation);
  DimPhases dim{stride, stride / common, dilation / common, {}};
  // The result's size is (input - 1) * stride + rest.
  int64_t low = op.getPadLow()[i];
  int64_t rest = getWindowSpan(kernel, dilation) + op.getOutputPadding()[i] -
                 low - op.getPadHigh()[i];
  for (int64_t first = 0; first < stride; ++first) {
    Phase phase{first, 0, 0, 0, 0};
    phase.more = llvm::divideCeilSigned(rest - first, stride) - 1;
    if (!ShapedType::isDynamic(input) && input + phase.more <= 0)
      continue;
    int64_t shift = (low + first) % stride;
    while (phase.tap < std::min(dim.tapStep, kernel) &&
           (dilation * phase.tap - shift) % stride != 0)
      ++phase.tap;
    if (phase.tap < std::min(dim.tapStep, kernel))
      phase.taps = llvm::divideCeil(kernel - phase.tap, dim.tapStep);
    if (phase.taps != 0) {
      int64_t reach = (phase.taps - 1) * dim.dilation;
      phase.start = (low + first) / stride -
                    (dilation * phase.tap - shift) / stride - reach;
      dim.padLow = std::max(dim.padLow, -phase.start);
      dim.padHigh = std::max(dim.padHigh, phase.start + phase.more + reach);
    }
    dim.phases.push_back(phase);
  }
  return dim;
}

/// Builds the phases of one op.
class PhaseBuilder {
public:
  PhaseBuilder(RewriterBase &rewriter, ConvTransposeOp op,
               ArrayRef<DimPhases> dims)
      : rewriter(rewriter), op(op), root(op), loc(op.getLoc()), dims(dims),
        inputStart(getStart(op.getInputLayout())),
        initStart(getStart(op.getOutputLayout())) {}

  Value build();

private:
  static int64_t getStart(ImageLayout layout) {
    return layout == ImageLayout::ChannelsFirst ? 2 : 1;
  }
  Value padInput();
  /// The elements of `result` that `phases` compute.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };
  Slice getSlice(ArrayRef<const Phase *> phases);
  Value buildPhase(Value padded, Value destination, const Slice &slice,
                   ArrayRef<const Phase *> phases);
  Value buildConv(Value input, Value destination,
                  ArrayRef<const Phase *> phases, ValueRange epilogue);
  /// The epilogue of zero.
  Value buildEmpty(Value destination, ValueRange epilogue);
  Value getTaps(ArrayRef<const Phase *> phases);
  SmallVector<Value> sliceEpilogue(const Slice &slice);
  OpFoldResult index(int64_t value) { return rewriter.getIndexAttr(value); }
  OpFoldResult plus(OpFoldResult size, int64_t more) {
    return affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0) + more, {size});
  }

  RewriterBase &rewriter;
  ConvTransposeOp op;
  FusionRootOpInterface root;
  Location loc;
  ArrayRef<DimPhases> dims;
  int64_t inputStart, initStart;
  SmallVector<OpFoldResult> inputSizes, initSizes;
};
} // namespace

Value PhaseBuilder::padInput() {
  SmallVector<OpFoldResult> low(inputSizes.size(), index(0)), high(low);
  bool isPadded = false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    low[inputStart + i] = index(dim.padLow);
    high[inputStart + i] = index(dim.padHigh);
    isPadded |= dim.padLow != 0 || dim.padHigh != 0;
  }
  if (!isPadded)
    return op.getInput();
  Type element = op.getInput().getType().getElementType();
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
  return tensor::PadOp::create(rewriter, loc, Type(), op.getInput(), low, high,
                               zero);
}

PhaseBuilder::Slice PhaseBuilder::getSlice(ArrayRef<const Phase *> phases) {
  Slice slice{SmallVector<OpFoldResult>(initSizes.size(), index(0)), initSizes,
              SmallVector<OpFoldResult>(initSizes.size(), index(1))};
  for (auto [i, phase] : llvm::enumerate(phases)) {
    slice.offsets[initStart + i] = index(phase->first);
    slice.sizes[initStart + i] = plus(inputSizes[inputStart + i], phase->more);
    slice.strides[initStart + i] = index(dims[i].stride);
  }
  return slice;
}

SmallVector<Value> PhaseBuilder::sliceEpilogue(const Slice &slice) {
  SmallVector<Value> operands;
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    Value operand = root.getEpilogueOperand(i);
    Slice own;
    bool isCut = false;
    for (int64_t dim : root.getEpilogueOperandDims(i)) {
      own.offsets.push_back(slice.offsets[dim]);
      own.sizes.push_back(slice.sizes[dim]);
      own.strides.push_back(slice.strides[dim]);
      isCut |= dim >= initStart &&
               dim < initStart + static_cast<int64_t>(dims.size());
    }
    if (isCut)
      operand = tensor::ExtractSliceOp::create(
          rewriter, loc, operand, own.offsets, own.sizes, own.strides);
    operands.push_back(operand);
  }
  return operands;
}

Value PhaseBuilder::getTaps(ArrayRef<const Phase *> phases) {
  Value filter = op.getFilter();
  auto type = cast<RankedTensorType>(filter.getType());
  // Where each tap of the phase comes from.
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<AffineExpr> from(
      rewriter.getMultiDimIdentityMap(type.getRank()).getResults());
  for (auto [i, phase] : llvm::enumerate(phases)) {
    int64_t dim = op.getFilterDims().spatial + i;
    shape[dim] = phase->taps;
    from[dim] = phase->tap + (phase->taps - 1 - from[dim]) * dims[i].tapStep;
  }
  AffineMap map =
      AffineMap::get(type.getRank(), 0, from, rewriter.getContext());
  RankedTensorType tapsType = type.clone(shape);
  if (ElementsAttr constant = getConstantTensor(filter);
      constant && tapsType.hasStaticShape())
    if (ElementsAttr taps = gatherConstant(
            constant, tapsType,
            (getResourceName(constant, "filter") + "_taps").str(), map))
      return arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(taps));

  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, filter);
  for (auto [size, dim] : llvm::zip_equal(sizes, shape))
    if (!ShapedType::isDynamic(dim))
      size = index(dim);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  SmallVector<AffineMap> maps{map,
                              rewriter.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), filter, empty, maps, iterators,
             [](OpBuilder &nested, Location bodyLoc, ValueRange arguments) {
               linalg::YieldOp::create(nested, bodyLoc, arguments[0]);
             })
      .getResult(0);
}

Value PhaseBuilder::buildConv(Value input, Value destination,
                              ArrayRef<const Phase *> phases,
                              ValueRange epilogue) {
  SmallVector<int64_t> dilations;
  for (const DimPhases &dim : dims)
    dilations.push_back(dim.dilation);
  auto conv = ConvOp::create(rewriter, loc, input, getTaps(phases), destination,
                             {}, dilations, {}, {}, op.getGroups(),
                             op.getInputLayout(), op.getFilterLayout());
  conv.setOutputLayout(op.getOutputLayout());
  conv.getEpilogueMutable().assign(epilogue);
  conv.setEpilogueDimsAttr(op.getEpilogueDims());
  Region &region = conv.getEpilogueRegion();
  rewriter.eraseBlock(&region.front());
  rewriter.cloneRegionBefore(op.getEpilogueRegion(), region, region.end());
  return conv->getResult(0);
}

Value PhaseBuilder::buildEmpty(Value destination, ValueRange epilogue) {
  int64_t rank = initSizes.size();
  SmallVector<AffineMap> maps;
  for (unsigned i = 0, e = epilogue.size(); i < e; ++i)
    maps.push_back(getEpilogueMap(root, i));
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(root.getAccumulatorType()));
  return linalg::GenericOp::create(
             rewriter, loc, destination.getType(), epilogue, destination, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location bodyLoc, ValueRange arguments) {
               SmallVector<Value> taken{zero};
               llvm::append_range(
                   taken, root.readsInit() ? arguments : arguments.drop_back());
               linalg::YieldOp::create(nested, bodyLoc,
                                       cloneEpilogue(nested, root, taken));
             })
      .getResult(0);
}

Value PhaseBuilder::buildPhase(Value padded, Value destination,
                               const Slice &slice,
                               ArrayRef<const Phase *> phases) {
  SmallVector<Value> epilogue = sliceEpilogue(slice);
  if (llvm::any_of(phases, [](const Phase *phase) { return phase->taps == 0; }))
    return buildEmpty(destination, epilogue);
  SmallVector<OpFoldResult> offsets(inputSizes.size(), index(0)),
      sizes = inputSizes, ones(inputSizes.size(), index(1));
  bool isCut = false;
  for (auto [i, phase] : llvm::enumerate(phases)) {
    const DimPhases &dim = dims[i];
    int64_t more = phase->more + (phase->taps - 1) * dim.dilation;
    offsets[inputStart + i] = index(dim.padLow + phase->start);
    sizes[inputStart + i] = plus(inputSizes[inputStart + i], more);
    isCut |= dim.padLow + phase->start != 0 || more != dim.padLow + dim.padHigh;
  }
  if (isCut)
    padded = tensor::ExtractSliceOp::create(rewriter, loc, padded, offsets,
                                            sizes, ones);
  return buildConv(padded, destination, phases, epilogue);
}

Value PhaseBuilder::build() {
  inputSizes = tensor::getMixedSizes(rewriter, loc, op.getInput());
  initSizes = tensor::getMixedSizes(rewriter, loc, op.getInit());
  Value padded = padInput(), result = op.getInit();
  bool isWhole =
      llvm::all_of(dims, [](const DimPhases &dim) { return dim.stride == 1; });
  SmallVector<int64_t> counts;
  for (const DimPhases &dim : dims)
    counts.push_back(dim.phases.size());
  SmallVector<int64_t> basis = computeStrides(counts);
  for (int64_t i = 0, e = llvm::product_of(counts); i < e; ++i) {
    SmallVector<const Phase *> phases;
    for (auto [dim, position] : llvm::zip(dims, delinearize(i, basis)))
      phases.push_back(&dim.phases[position]);
    Slice slice = getSlice(phases);
    if (isWhole)
      return buildPhase(padded, result, slice, phases);
    Value destination = tensor::ExtractSliceOp::create(
        rewriter, loc, result, slice.offsets, slice.sizes, slice.strides);
    Value part = buildPhase(padded, destination, slice, phases);
    result = tensor::InsertSliceOp::create(
        rewriter, loc, part, result, slice.offsets, slice.sizes, slice.strides);
  }
  return result;
}

namespace {
/// conv_transpose(x, w) {strides = [2]}
///   -> insert_slice(conv(x, w[0::2]), into %init[0::2]),
///      insert_slice(conv(x, w[1::2]), into that[1::2])
struct SplitPhases final : OpRewritePattern<ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvTransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    SmallVector<int64_t> kernel = op.getKernelSizes();
    auto refuse = [&](StringRef reason) {
      remarkMissed(op.getLoc(), kLabel, reason);
      return rewriter.notifyMatchFailure(op, reason);
    };
    if (llvm::any_of(kernel, ShapedType::isDynamic))
      return refuse("dynamic-shape: the filter's sizes are not known");
    if (getSaturatedProduct(op.getStrides()) > kMaxPhases)
      return refuse("unprofitable: the strides make too many phases");
    int64_t inputStart =
        op.getInputLayout() == ImageLayout::ChannelsFirst ? 2 : 1;
    SmallVector<DimPhases> dims;
    for (auto [i, size] : llvm::enumerate(kernel))
      dims.push_back(getPhases(
          op, i, op.getInput().getType().getDimSize(inputStart + i), size));
    rewriter.replaceOp(op, PhaseBuilder(rewriter, op, dims).build());
    return success();
  }
};

struct FusionSplitPhasesPass final
    : fusion::impl::FusionSplitPhasesPassBase<FusionSplitPhasesPass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getSplitPhasesPhases(), disabledPatterns,
                       enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    for (const FrozenRewritePatternSet &rules : phases)
      walkAndApplyPatterns(getOperation(), rules);
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace

SmallVector<PopulateFn> fusion::getSplitPhasesPhases() {
  return {populateSplitPhasesPatterns};
}

void fusion::populateSplitPhasesPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<SplitPhases>({kLabel, kReordersSums},
                                     patterns.getContext());
}
