//===-- BoundsChecker.h - Checks of one op -------------------- -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by CheckBounds.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSCHECKER_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSCHECKER_H

#include "BoundsReport.h"
#include "MemoryAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fusion {

/// True if the caller knows the buffer and has checked the place in it: parts
/// of buffers are passed to kernels as a pointer to the whole and an offset.
bool isPassedAsOffset(memref::ReinterpretCastOp op);

/// Emits the checks of one op, in front of it or behind it.
class BoundsChecker {
public:
  BoundsChecker(BoundsReport &report, OpBuilder &builder, Operation *op)
      : report(report), builder(builder), op(op), loc(op->getLoc()) {}

  void check(const MemoryAccess &access);
  void check(memref::SubViewOp view);
  void check(memref::ViewOp view);
  /// Of any view: that its elements lie in the buffer.
  void checkElements(Value view);

private:
  /// What of a memref's elements can be reached from its base.
  struct Span {
    Value first, last, isEmpty;
  };
  Span getSpan(Value memref);

  void checkLanes(const MemoryAccess &access);
  void checkGather(const MemoryAccess &access);
  /// That `first` to `last` lie in [0, extent); `unless` is true where there is
  /// nothing between, and may be null.
  void checkRange(const Twine &what, Value first, Value last, Value extent,
                  Value unless = {});
  void failIf(Value bad, const Twine &what, Value first, Value last,
              Value extent);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value get(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  template <typename Op>
  Value fold(Value x, Value y) {
    return builder.createOrFold<Op>(loc, x, y);
  }

  BoundsReport &report;
  OpBuilder &builder;
  Operation *op;
  Location loc;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSCHECKER_H
