//===-- CutConstant.h - The first elements of a constant ------ -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reducer does to constants.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_CUTCONSTANT_H
#define FUZZ_CUTCONSTANT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fusion::fuzz {

/// The first elements along each dim of `attr`, as many as `type` has; null if
/// the constant has no form for that.
TypedAttr cutConstant(TypedAttr attr, RankedTensorType type);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_CUTCONSTANT_H
