//===-- TensorSizes.cpp - Sizes that can be computed with -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of everything that follows are computed without a look at overflow.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

/// What code can reach in its own file.
static constexpr int64_t kMaxConstantBytes = int64_t(1) << 31;
static constexpr int64_t kMaxSplatBytes = int64_t(16) << 20;

int64_t fusion::getSaturatedProduct(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product))
      // Whatever follows, but for a zero.
      return llvm::is_contained(factors, 0)
                 ? 0
                 : std::numeric_limits<int64_t>::max();
  return product;
}

/// Bytes of a tensor, memref or vector, from its static dims; none if 64 bits
/// do not hold them.
static std::optional<int64_t> getNumBytes(ShapedType type) {
  Type element = type.getElementType();
  std::optional<int64_t> bytes =
      element.isIntOrFloat()
          ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
          : 8;
  if (type.hasRank())
    for (int64_t size : type.getShape())
      if (bytes && ShapedType::isStatic(size))
        // Beside a zero, sizes must have no overflow either.
        bytes = llvm::checkedMul<int64_t>(*bytes, std::max<int64_t>(size, 1));
  return bytes;
}

static LogicalResult verifySize(Location loc, Type type, bool isConstant) {
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t most = isConstant ? kMaxConstantBytes : kMaxTensorBytes;
  if (!shaped || getNumBytes(shaped).value_or(most + 1) <= most)
    return success();
  StringRef what = isConstant              ? "constant"
                   : isa<MemRefType>(type) ? "memref"
                   : isa<VectorType>(type) ? "vector"
                                           : "tensor";
  return emitError(loc) << "expected a " << what << " of at most " << most
                        << " bytes, got " << type;
}

LogicalResult fusion::verifyTensorSizes(ModuleOp module) {
  auto verifyOp = [](Operation *op) -> WalkResult {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (failed(verifySize(argument.getLoc(), argument.getType(), false)))
          return failure();
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    for (Type type : op->getResultTypes())
      if (failed(verifySize(op->getLoc(), type, isConstant)))
        return failure();
    return success();
  };
  return failure(module->walk(verifyOp).wasInterrupted());
}

bool fusion::isLargeSplat(SplatElementsAttr splat) {
  return getNumBytes(splat.getType()).value_or(0) > kMaxSplatBytes;
}

int64_t fusion::getWholeBytes(Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits) ? bits / 8 : 0;
}

int64_t fusion::getElementStride(Operation *near, Type type) {
  if (type.isIntOrFloat())
    return llvm::PowerOf2Ceil(
        llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  return DataLayout::closest(near).getTypeSize(type);
}
