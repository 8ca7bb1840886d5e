//===-- FusionDialect.cpp - Registers ops and attributes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect object and the generated code of attributes and interfaces.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Dialect/Fusion.h"
#include "FusionRoot.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

#include "FusionDialect/Dialect/FusionDialect.cpp.inc"
#include "FusionDialect/Dialect/FusionEnums.cpp.inc"
#include "FusionDialect/Dialect/FusionInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "FusionDialect/Dialect/FusionAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "FusionDialect/Dialect/FusionOps.cpp.inc"

namespace {
/// Roots are values like any other op's: they may stand wherever they are
/// called from.
struct FusionInlinerInterface final : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void FusionDialect::initialize() {
  addInterfaces<FusionInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "FusionDialect/Dialect/FusionAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "FusionDialect/Dialect/FusionOps.cpp.inc"
      >();
}
