//===-- MemoryAccess.cpp - What a load or store touches -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of memref, affine and vector that access memory, each by its own
// rules.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

/// One element.
static MemoryAccess getElement(Value memref, ValueRange indices) {
  MemoryAccess access;
  access.memref = memref;
  for (auto [dim, index] : llvm::enumerate(indices))
    access.dims.push_back({int64_t(dim), index, /*lanes=*/1});
  return access;
}

/// A vector along the last dims.
static MemoryAccess getVector(Value memref, ValueRange indices,
                              VectorType type) {
  MemoryAccess access = getElement(memref, indices);
  // Memrefs may hold vectors.
  if (isa<VectorType>(cast<MemRefType>(memref.getType()).getElementType()))
    return access;
  for (auto [dim, lanes] :
       llvm::zip_equal(MutableArrayRef(access.dims).take_back(type.getRank()),
                       type.getShape()))
    dim.lanes = lanes;
  return access;
}

/// Some lanes of a vector along the last dims.
static MemoryAccess getMasked(Value memref, ValueRange indices, Value mask) {
  auto type = cast<VectorType>(mask.getType());
  MemoryAccess access = getVector(memref, indices, type);
  if (auto known = mask.getDefiningOp<vector::ConstantMaskOp>();
      known && type.getRank() == 1) {
    access.dims.back().lanes = known.getMaskDimSizes().front();
    return access;
  }
  for (MemoryAccess::Dim &dim :
       MutableArrayRef(access.dims).take_back(type.getRank()))
    dim.lanes = 0;
  access.mask = mask;
  return access;
}

/// As many elements along the last dim as the mask has lanes that are on.
static MemoryAccess getPacked(Value memref, ValueRange indices, Value mask,
                              OpBuilder &builder) {
  Location loc = memref.getLoc();
  auto type = cast<VectorType>(mask.getType());
  Value lanes = arith::ExtUIOp::create(builder, loc,
                                       type.clone(builder.getI64Type()), mask);
  Value sum = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::ADD, lanes);
  Value count =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), sum);
  Value packed = vector::CreateMaskOp::create(builder, loc, type, count);
  return getMasked(memref, indices, packed);
}

/// Where a transfer is not in bounds, it is only from its first index on that
/// it accesses what there is.
static MemoryAccess getTransfer(VectorTransferOpInterface op,
                                OpBuilder &builder) {
  MemoryAccess access = getElement(op.getBase(), op.getIndices());
  AffineMap map = op.getPermutationMap();
  VectorType type = op.getVectorType();
  bool hasMask = bool(op.getMask());
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim)
      continue;
    bool isWhole = op.isDimInBounds(i) && !hasMask;
    access.dims[dim.getPosition()].lanes = isWhole ? type.getDimSize(i) : 0;
  }
  if (hasMask && map.isMinorIdentity() && !op.hasOutOfBoundsDim())
    access.mask = op.getMask();
  return access;
}

/// An element or a vector, at what a map makes of the operands.
static std::optional<MemoryAccess> getAffine(Value memref, AffineMap map,
                                             ValueRange operands, Type accessed,
                                             OpBuilder &builder) {
  std::optional<SmallVector<Value, 8>> indices =
      affine::expandAffineMap(builder, memref.getLoc(), map, operands);
  if (!indices)
    return {};
  if (auto type = dyn_cast<VectorType>(accessed))
    return getVector(memref, *indices, type);
  return getElement(memref, *indices);
}

std::optional<MemoryAccess> MemoryAccess::get(Operation *op,
                                              OpBuilder &builder) {
  using Result = std::optional<MemoryAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
            memref::GenericAtomicRMWOp>([](auto op) -> Result {
        return getElement(op.getMemref(), op.getIndices());
      })
      .Case<affine::AffineReadOpInterface>([&](auto op) {
        return getAffine(op.getMemRef(), op.getAffineMap(), op.getMapOperands(),
                         op.getValue().getType(), builder);
      })
      .Case<affine::AffineWriteOpInterface>([&](auto op) {
        return getAffine(op.getMemRef(), op.getAffineMap(), op.getMapOperands(),
                         op.getValueToStore().getType(), builder);
      })
      .Case<vector::LoadOp, vector::StoreOp>([](auto op) -> Result {
        return getVector(op.getBase(), op.getIndices(), op.getVectorType());
      })
      .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([](auto op) -> Result {
        return getMasked(op.getBase(), op.getIndices(), op.getMask());
      })
      .Case<vector::ExpandLoadOp, vector::CompressStoreOp>(
          [&](auto op) -> Result {
            return getPacked(op.getBase(), op.getIndices(), op.getMask(),
                             builder);
          })
      .Case<vector::GatherOp, vector::ScatterOp>([](auto op) -> Result {
        if (!isa<MemRefType>(op.getBase().getType()))
          return {};
        MemoryAccess access = getElement(op.getBase(), op.getOffsets());
        access.mask = op.getMask();
        access.offsets = op.getIndices();
        return access;
      })
      .Case<VectorTransferOpInterface>([&](auto op) -> Result {
        if (!isa<MemRefType>(op.getBase().getType()))
          return {};
        return getTransfer(op, builder);
      })
      .Default(Result());
}
