//===-- PrepareBuffers.cpp - What one-shot-bufferize asks for -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-prepare-buffers: code on memrefs, poison and affine loops
// beside tensors, padding that cuts.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Analysis/PadFolds.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONPREPAREBUFFERSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Memrefs that are read as tensors
//===----------------------------------------------------------------------===//

/// True if `op` itself, not an op nested in it, may change or free memory.
static bool mayWrite(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::IsTerminator>();
  return effects.hasEffect<MemoryEffects::Write>() ||
         effects.hasEffect<MemoryEffects::Free>();
}

/// True if `buffer` is all or a part of a constant.
static bool isConstantBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto get = buffer.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          get, get.getNameAttr())
                    : memref::GlobalOp();
  return global && global.getConstant();
}

/// True if `writer` has run for the last time before `read` does.
static bool isOver(Operation *writer, Operation *read) {
  Block *block = read->getBlock();
  if (!isa<FunctionOpInterface>(block->getParentOp()) ||
      !block->getParent()->hasOneBlock())
    return false;
  Operation *sibling = block->findAncestorOpInBlock(*writer);
  return sibling && sibling->isBeforeInBlock(read);
}

/// A tensor is a value: what it was read from may change later.
///   to_tensor %m -> copy %m, %new; to_tensor %new restrict
/// One of memory that nobody changes from then on is only marked.
static void takeSnapshot(bufferization::ToTensorOp op,
                         ArrayRef<Operation *> writers) {
  auto type = dyn_cast<MemRefType>(op.getBuffer().getType());
  bool isStable = !type || isConstantBuffer(op.getBuffer()) ||
                  llvm::all_of(writers, [&](Operation *writer) {
                    return isOver(writer, op);
                  });
  if (!isStable) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            memref::DimOp::create(builder, loc, op.getBuffer(), dim));
    auto copyType = MemRefType::get(type.getShape(), type.getElementType());
    Value copy = memref::AllocOp::create(builder, loc, copyType, sizes);
    memref::CopyOp::create(builder, loc, op.getBuffer(), copy);
    op.getBufferMutable().assign(copy);
  }
  op.setRestrict(true);
}

static void takeSnapshots(func::FuncOp function) {
  SmallVector<bufferization::ToTensorOp> reads;
  SmallVector<Operation *> writers;
  function.walk([&](Operation *op) {
    if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
      reads.push_back(read);
    else if (op != function && mayWrite(op))
      writers.push_back(op);
  });
  for (bufferization::ToTensorOp read : reads)
    takeSnapshot(read, writers);
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

/// ub.poison : tensor<…> -> tensor.empty: any elements will do.
static void replacePoison(ub::PoisonOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return;
  OpBuilder builder(op);
  SmallVector<Value> sizes;
  for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
    sizes.push_back(arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
  op.replaceAllUsesWith(
      tensor::EmptyOp::create(builder, op.getLoc(), type, sizes).getResult());
  op.erase();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// dense_resource<…> : tensor<f32> -> dense<…>: upstream's lowering of globals
/// asks a constant of rank 0 for its element, which a resource does not give.
static void makeScalarDense(arith::ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource || resource.getType().getRank() != 0)
    return;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat;
  if (blob && DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                  blob->getData(), isSplat))
    op.setValueAttr(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                        blob->getData()));
}

//===----------------------------------------------------------------------===//
// Padding that cuts
//===----------------------------------------------------------------------===//

/// `size + more`, folded if both are known.
static OpFoldResult add(OpBuilder &builder, Location loc, OpFoldResult size,
                        OpFoldResult more) {
  auto known = getConstantIntValue(size), knownMore = getConstantIntValue(more);
  if (known && knownMore)
    return builder.getIndexAttr(*known + *knownMore);
  return builder.createOrFold<arith::AddIOp>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, size),
      getValueOrCreateConstantIndexOp(builder, loc, more));
}

/// The smaller of `size` and `most`, folded if `size` is known.
static OpFoldResult atMost(OpBuilder &builder, Location loc, OpFoldResult size,
                           int64_t most) {
  if (auto known = getConstantIntValue(size))
    return builder.getIndexAttr(std::min(*known, most));
  Value limit = arith::ConstantIndexOp::create(builder, loc, most);
  return builder.createOrFold<arith::MinSIOp>(loc, cast<Value>(size), limit);
}

/// pad(source) of less than nothing -> pad(extract_slice source) of nothing:
/// upstream's bufferization copies the source from its first element on.
/// Where more is cut than there is, the other side's padding is the shorter.
static void cutSource(tensor::PadOp pad) {
  SmallVector<OpFoldResult> lows = pad.getMixedLowPad(),
                            highs = pad.getMixedHighPad();
  auto cuts = [](OpFoldResult amount) {
    return getConstantIntValue(amount).value_or(0) < 0;
  };
  if (llvm::none_of(lows, cuts) && llvm::none_of(highs, cuts))
    return;
  OpBuilder builder(pad);
  Location loc = pad.getLoc();
  OpFoldResult zero = builder.getIndexAttr(0);
  SmallVector<OpFoldResult> starts, kept;
  for (auto [dim, low, high] : llvm::enumerate(lows, highs)) {
    OpFoldResult size =
        tensor::getMixedSize(builder, loc, pad.getSource(), dim);
    starts.push_back(zero);
    kept.push_back(size);
    bool cutsLow = cuts(low), cutsHigh = cuts(high);
    if (!cutsLow && !cutsHigh)
      continue;
    OpFoldResult rest = size;
    if (cutsLow) {
      starts.back() = atMost(builder, loc, size, -*getConstantIntValue(low));
      rest = add(builder, loc, rest, low);
      low = zero;
    }
    if (cutsHigh) {
      rest = add(builder, loc, rest, high);
      high = zero;
    }
    // rest = kept + missing
    OpFoldResult missing = atMost(builder, loc, rest, 0);
    if (auto known = getConstantIntValue(rest)) {
      kept.back() = builder.getIndexAttr(std::max<int64_t>(*known, 0));
    } else {
      Value none = arith::ConstantIndexOp::create(builder, loc, 0);
      kept.back() =
          builder.createOrFold<arith::MaxSIOp>(loc, cast<Value>(rest), none);
    }
    OpFoldResult &other = cutsLow ? high : low;
    other = add(builder, loc, other, missing);
  }
  SmallVector<OpFoldResult> strides(kept.size(), builder.getIndexAttr(1));
  Value part = tensor::ExtractSliceOp::create(builder, loc, pad.getSource(),
                                              starts, kept, strides);
  auto padded = tensor::PadOp::create(builder, loc, Type(), part, lows, highs);
  guardPad(padded);
  padded.getRegion().takeBody(pad.getRegion());
  Value result = padded;
  if (result.getType() != pad.getType())
    result = tensor::CastOp::create(builder, loc, pad.getType(), result);
  pad.replaceAllUsesWith(result);
  pad.erase();
}

//===----------------------------------------------------------------------===//
// Affine loops
//===----------------------------------------------------------------------===//

static bool isTensor(Type type) { return isa<TensorType>(type); }

/// affine.for and affine.if that carry tensors -> scf, with all affine ops in
/// them, since what they compute with are no affine dims any more.
static LogicalResult lowerAffineOnTensors(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<affine::AffineForOp, affine::AffineIfOp>(op) ||
        llvm::none_of(op->getResultTypes(), isTensor))
      return WalkResult::advance();
    op->walk([&](Operation *inner) {
      if (isa_and_nonnull<affine::AffineDialect>(inner->getDialect()))
        ops.push_back(inner);
    });
    return WalkResult::skip();
  });
  if (ops.empty())
    return success();
  RewritePatternSet patterns(function.getContext());
  populateAffineToStdConversionPatterns(patterns);
  return applyBounded(ops, std::move(patterns),
                      GreedyRewriteConfig().setStrictness(
                          GreedyRewriteStrictness::ExistingOps));
}

/// Code of a few bytes instead of a file of all elements.
static void makeSplatFill(arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!type || type.getEncoding() || !splat || !isLargeSplat(splat))
    return;
  auto value = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
  if (!value || !value.getType().isSignlessIntOrIndexOrFloat())
    return;
  OpBuilder builder(op);
  Value scalar = arith::ConstantOp::create(builder, op.getLoc(), value);
  Value empty =
      tensor::EmptyOp::create(builder, op.getLoc(), type, ValueRange());
  auto fill = linalg::FillOp::create(builder, op.getLoc(), scalar, empty);
  op.replaceAllUsesWith(fill.getResult(0));
  op.erase();
}

namespace {
struct FusionPrepareBuffersPass final
    : fusion::impl::FusionPrepareBuffersPassBase<FusionPrepareBuffersPass> {
  using FusionPrepareBuffersPassBase::FusionPrepareBuffersPassBase;
  void getDependentDialects(DialectRegistry &registry) const override {
    FusionPrepareBuffersPassBase::getDependentDialects(registry);
    registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    takeSnapshots(function);
    function.walk([](tensor::PadOp op) { cutSource(op); });
    function.walk([](ub::PoisonOp op) { replacePoison(op); });
    function.walk([](arith::ConstantOp op) { makeScalarDense(op); });
    function.walk([](arith::ConstantOp op) { makeSplatFill(op); });
    if (failed(lowerAffineOnTensors(function)))
      signalPassFailure();
  }
};
} // namespace
