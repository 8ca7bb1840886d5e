//===-- BoundsChecker.cpp - Checks of one op ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions are of the numbers that are reported.
//
//===----------------------------------------------------------------------===//

#include "BoundsChecker.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Buffers -----------------------------------------------------------===//

bool fusion::isPassedAsOffset(memref::ReinterpretCastOp op) {
  auto isArgument = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  };
  auto offset = dyn_cast<Value>(op.getMixedOffsets().front());
  return offset && isArgument(offset) && isArgument(op.getSource());
}

/// The part that `op` has its offset from, where folding has named the whole as
/// its source.
static Value getPart(memref::ReinterpretCastOp op) {
  auto offset = dyn_cast<Value>(op.getMixedOffsets().front());
  auto metadata = offset
                      ? offset.getDefiningOp<memref::ExtractStridedMetadataOp>()
                      : nullptr;
  auto part =
      metadata ? metadata.getSource().getDefiningOp<memref::ReinterpretCastOp>()
               : nullptr;
  if (!part || offset != metadata.getOffset() || !isPassedAsOffset(part) ||
      part.getSource() != op.getSource())
    return {};
  return part;
}

/// The buffer that `value` is a view of, as far as its elements are the same.
static Value getBuffer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      value = metadata.getSource();
      continue;
    }
    if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
      if (isPassedAsOffset(cast))
        break;
      if (Value part = getPart(cast))
        return part;
    }
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view || isa<memref::ViewOp, vector::TypeCastOp>(op) ||
        !isa<MemRefType>(view.getViewSource().getType()))
      break;
    value = view.getViewSource();
  }
  return value;
}

//===-- Conditions --------------------------------------------------------===//

void BoundsChecker::failIf(Value bad, const Twine &what, Value first,
                           Value last, Value extent) {
  if (!matchPattern(bad, m_Zero()))
    report.call(builder, op, what, bad, first, last, extent);
}

void BoundsChecker::checkRange(const Twine &what, Value first, Value last,
                               Value extent, Value unless) {
  Value bad;
  if (first == last) {
    bad = compare(arith::CmpIPredicate::uge, first, extent);
  } else {
    Value below = compare(arith::CmpIPredicate::slt, first, constant(0));
    Value above = compare(arith::CmpIPredicate::sge, last, extent);
    bad = fold<arith::OrIOp>(below, above);
  }
  if (unless) {
    Value isOn = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value isNeeded = fold<arith::XOrIOp>(unless, isOn);
    bad = fold<arith::AndIOp>(bad, isNeeded);
  }
  failIf(bad, what, first, last, extent);
}

//===-- Accesses ----------------------------------------------------------===//

void BoundsChecker::check(const MemoryAccess &access) {
  if (access.offsets)
    return checkGather(access);
  for (const MemoryAccess::Dim &dim : access.dims) {
    if (dim.lanes == 0 && access.mask)
      continue;
    Value extent =
        builder.createOrFold<memref::DimOp>(loc, access.memref, dim.number);
    if (dim.lanes == 0) {
      Value isBelow =
          compare(arith::CmpIPredicate::slt, dim.index, constant(0));
      failIf(isBelow, "dim " + Twine(dim.number), dim.index, dim.index, extent);
      continue;
    }
    Value last = fold<arith::AddIOp>(dim.index, constant(dim.lanes - 1));
    if (dim.lanes == 1)
      last = dim.index;
    checkRange("dim " + Twine(dim.number), dim.index, last, extent);
  }
  if (access.mask)
    checkLanes(access);
}

/// Lanes that a mask leaves out are no accesses, wherever they lie.
void BoundsChecker::checkLanes(const MemoryAccess &access) {
  auto type = cast<VectorType>(access.mask.getType());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<Value> from, to;
  Value extent;
  ArrayRef<MemoryAccess::Dim> dims =
      ArrayRef(access.dims).take_back(shape.size());
  // Upstream computes masks in 32 bits.
  auto clamp = [&](Value lane, int64_t lanes) {
    Value low = fold<arith::MaxSIOp>(lane, constant(0));
    return fold<arith::MinSIOp>(low, constant(lanes));
  };
  for (auto [dim, lanes] : llvm::zip_equal(dims, shape)) {
    extent =
        builder.createOrFold<memref::DimOp>(loc, access.memref, dim.number);
    Value lanesBefore = fold<arith::SubIOp>(constant(0), dim.index);
    Value lanesInside = fold<arith::SubIOp>(extent, dim.index);
    from.push_back(clamp(lanesBefore, lanes));
    to.push_back(clamp(lanesInside, lanes));
  }
  // What lies inside in all dims: below `to`, and not below `from` in any.
  Value inside = vector::CreateMaskOp::create(builder, loc, type, to);
  Value on = arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, true));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    SmallVector<Value> limits = llvm::map_to_vector(
        shape, [&](int64_t size) { return constant(size); });
    limits[dim] = from[dim];
    Value below = vector::CreateMaskOp::create(builder, loc, type, limits);
    Value notBelow = fold<arith::XOrIOp>(below, on);
    inside = fold<arith::AndIOp>(inside, notBelow);
  }
  Value outside = fold<arith::XOrIOp>(inside, on);
  Value bad = fold<arith::AndIOp>(access.mask, outside);
  auto flatten = [&](Value mask) -> Value {
    auto flat = VectorType::get(type.getNumElements(), builder.getI1Type());
    return shape.size() == 1
               ? mask
               : vector::ShapeCastOp::create(builder, loc, flat, mask);
  };
  Value isBad = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::OR, flatten(bad));
  // The lanes of the last dim that are on.
  int64_t lanes = shape.back();
  Value first = access.dims.back().index;
  Value last = fold<arith::AddIOp>(first, constant(lanes - 1));
  if (shape.size() == 1) {
    auto laneType = VectorType::get(lanes, builder.getIndexType());
    Value steps = vector::StepOp::create(builder, loc, laneType);
    auto reduce = [&](vector::CombiningKind kind, int64_t neutral) -> Value {
      Value others = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(laneType, builder.getIndexAttr(neutral)));
      Value chosen =
          arith::SelectOp::create(builder, loc, access.mask, steps, others);
      Value lane = vector::ReductionOp::create(builder, loc, kind, chosen);
      return fold<arith::AddIOp>(access.dims.back().index, lane);
    };
    first = reduce(vector::CombiningKind::MINSI, lanes);
    last = reduce(vector::CombiningKind::MAXSI, -1);
  }
  failIf(isBad, "dim " + Twine(access.dims.back().number), first, last, extent);
}

/// Offsets of a gather count elements from its base, across all dims.
void BoundsChecker::checkGather(const MemoryAccess &access) {
  auto type = cast<VectorType>(access.offsets.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, access.memref);
  Value base = get(metadata.getConstifiedMixedOffset());
  for (auto [dim, stride] :
       llvm::zip_equal(access.dims, metadata.getConstifiedMixedStrides())) {
    Value distance = fold<arith::MulIOp>(dim.index, get(stride));
    base = fold<arith::AddIOp>(base, distance);
  }
  Span span = getSpan(getBuffer(access.memref));
  Value extent = fold<arith::AddIOp>(span.last, constant(1));
  auto indexType =
      VectorType::get(type.getNumElements(), builder.getIndexType());
  Value offsets = access.offsets, mask = access.mask;
  if (type.getRank() != 1) {
    auto flat = [&](Type element) {
      return VectorType::get(type.getNumElements(), element);
    };
    offsets = vector::ShapeCastOp::create(builder, loc,
                                          flat(type.getElementType()), offsets);
    mask = vector::ShapeCastOp::create(builder, loc, flat(builder.getI1Type()),
                                       mask);
  }
  if (!type.getElementType().isIndex())
    offsets = arith::IndexCastOp::create(builder, loc, indexType, offsets);
  auto reduce = [&](vector::CombiningKind kind) -> Value {
    // Lanes that are off stand at the base.
    Value zeros =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(indexType));
    Value chosen = arith::SelectOp::create(builder, loc, mask, offsets, zeros);
    Value offset = vector::ReductionOp::create(builder, loc, kind, chosen);
    return fold<arith::AddIOp>(base, offset);
  };
  Value first = reduce(vector::CombiningKind::MINSI);
  Value last = reduce(vector::CombiningKind::MAXSI);
  Value isAnyOn = vector::ReductionOp::create(builder, loc,
                                              vector::CombiningKind::OR, mask);
  Value on = arith::ConstantIntOp::create(builder, loc, 1, 1);
  checkRange("elements", first, last, extent, fold<arith::XOrIOp>(isAnyOn, on));
}

//===-- Views -------------------------------------------------------------===//

/// As upstream's runtime verification of the op, but with numbers.
void BoundsChecker::check(memref::SubViewOp view) {
  for (int64_t dim = 0; dim < view.getSourceType().getRank(); ++dim) {
    Value extent =
        builder.createOrFold<memref::DimOp>(loc, view.getSource(), dim);
    Value offset = get(view.getMixedOffsets()[dim]);
    Value size = get(view.getMixedSizes()[dim]);
    Value steps = fold<arith::SubIOp>(size, constant(1));
    Value distance =
        fold<arith::MulIOp>(steps, get(view.getMixedStrides()[dim]));
    Value end = fold<arith::AddIOp>(offset, distance);
    Value isEmpty = compare(arith::CmpIPredicate::eq, size, constant(0));
    Value first = fold<arith::MinSIOp>(offset, end);
    Value last = fold<arith::MaxSIOp>(offset, end);
    checkRange("dim " + Twine(dim), first, last, extent, isEmpty);
  }
}

/// A place in an arena.
void BoundsChecker::check(memref::ViewOp view) {
  MemRefType type = view.getType();
  int64_t bytes = DataLayout::closest(view).getTypeSize(type.getElementType());
  Value size = constant(bytes);
  unsigned numDynamic = 0;
  for (int64_t dim : type.getShape()) {
    Value factor = ShapedType::isDynamic(dim) ? view.getSizes()[numDynamic++]
                                              : constant(dim);
    size = fold<arith::MulIOp>(size, factor);
  }
  Value extent = builder.createOrFold<memref::DimOp>(loc, view.getSource(), 0);
  Value end = fold<arith::AddIOp>(view.getByteShift(), size);
  Value last = fold<arith::SubIOp>(end, constant(1));
  Value isEmpty = compare(arith::CmpIPredicate::eq, size, constant(0));
  checkRange("bytes", view.getByteShift(), last, extent, isEmpty);
}

BoundsChecker::Span BoundsChecker::getSpan(Value memref) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Span span;
  span.first = span.last = get(metadata.getConstifiedMixedOffset());
  span.isEmpty = arith::ConstantIntOp::create(builder, loc, 0, 1);
  for (auto [sizeOrNone, stride] :
       llvm::zip_equal(metadata.getConstifiedMixedSizes(),
                       metadata.getConstifiedMixedStrides())) {
    Value size = get(sizeOrNone);
    Value isEmpty = compare(arith::CmpIPredicate::eq, size, constant(0));
    span.isEmpty = fold<arith::OrIOp>(span.isEmpty, isEmpty);
    Value steps = fold<arith::SubIOp>(size, constant(1));
    Value distance = fold<arith::MulIOp>(steps, get(stride));
    span.first = fold<arith::AddIOp>(
        span.first, fold<arith::MinSIOp>(distance, constant(0)));
    span.last = fold<arith::AddIOp>(
        span.last, fold<arith::MaxSIOp>(distance, constant(0)));
  }
  return span;
}

/// From the buffer's base on: what is passed to a kernel begins there.
void BoundsChecker::checkElements(Value view) {
  Value buffer = getBuffer(view);
  if (buffer == view || !isa<MemRefType>(buffer.getType()))
    return;
  Span inner = getSpan(view), outer = getSpan(buffer);
  Value end = fold<arith::AddIOp>(outer.last, constant(1));
  Value extent = builder.createOrFold<arith::SelectOp>(loc, outer.isEmpty,
                                                       constant(0), end);
  checkRange("elements", inner.first, inner.last, extent, inner.isEmpty);
}
