//===-- PlanConstants.h - Constants as raw bytes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the plan reads and makes constants without touching elements one by one
// as attributes. Called by the rules that fold and pack constants.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_PLANCONSTANTS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_PLANCONSTANTS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace mlir::fusion {

/// A constant's elements in row-major order. A splat holds one element.
struct RawConstant {
  RankedTensorType type;
  ArrayRef<char> bytes;
  int64_t elementBytes;
  bool isSplat;
  /// A key for blobs that are made of it.
  StringRef name;
};

/// The dense or dense_resource constant that `value` is, or null.
ElementsAttr getConstantElements(Value value);

/// The bytes of `attr`. Fails with a reason if they cannot be used: elements
/// that do not fill whole bytes, a resource that is missing or of another size.
FailureOr<RawConstant> getRawConstant(ElementsAttr attr, std::string &reason);

/// A blob for a new constant of `type`, aligned for vectors.
AsmResourceBlob allocateConstant(RankedTensorType type, int64_t elementBytes);

/// The constant that holds `blob`: dense if it is small and came from dense
/// (text stays readable), else a new resource named after `name`.
ElementsAttr makeConstant(RankedTensorType type, ElementsAttr from,
                          StringRef name, AsmResourceBlob blob);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_PLANCONSTANTS_H
