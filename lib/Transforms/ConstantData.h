//===-- ConstantData.h - Bytes of constant tensors --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and makes constants of any size without an attribute per element.
// Called by rules that compute at compile time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_CONSTANTDATA_H
#define FUSIONDIALECT_LIB_TRANSFORMS_CONSTANTDATA_H

#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::fusion {

/// Fails with an error at the constant for each resource inside `op` that is
/// of another size than its type or misaligned, and one for all that are
/// missing; rules may rely on the others.
LogicalResult verifyResources(Operation *op);

/// Makes one op of equal tensor constants of a block, so that the readers of a
/// weight are the uses of one value.
void mergeEqualConstants(Operation *op);

/// The value's attribute if it is a constant tensor, else null.
ElementsAttr getConstantTensor(Value value);

/// The one value of all elements of `value` if that is a constant tensor or a
/// constant number, else null.
TypedAttr getConstantElement(Value value);

/// `constant` under another shape of as many elements (a resource keeps its
/// blob), or null.
TypedAttr reshapeConstant(ElementsAttr constant, RankedTensorType type);

/// The elements of `constant`, one after the other, or nothing where it is a
/// splat or stored otherwise.
std::optional<ArrayRef<char>> getRawElements(ElementsAttr constant);

/// True if all elements of `value` are known to be finite: their products with
/// zero are zero.
bool isFinite(Value value);

/// The elements of a constant of floats as doubles, or nothing.
std::optional<SmallVector<double>> getAsDoubles(ElementsAttr constant);

/// A constant of `type` whose bytes `fill` writes: a dense attribute if it is
/// small, else a resource called like `name`.
ElementsAttr createConstant(RankedTensorType type, StringRef name,
                            function_ref<void(MutableArrayRef<char>)> fill);

/// The elements of `from` that `map` names for each index of `type`, or null:
/// where they are no whole bytes, the map is not linear or leaves `from`.
ElementsAttr gatherConstant(ElementsAttr from, RankedTensorType type,
                            StringRef name, AffineMap map);

/// A constant of a float type, each element rounded once.
ElementsAttr createConstant(RankedTensorType type, ArrayRef<double> values);

/// The name of the resource behind `constant`, or `otherwise`.
StringRef getResourceName(ElementsAttr constant, StringRef otherwise);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_CONSTANTDATA_H
