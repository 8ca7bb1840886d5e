//===-- Fusion.h - The fusion dialect: ops, attributes, helpers -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one header to include for the dialect. Rules, conversions and other
// compilers call what is declared here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_DIALECT_FUSION_H
#define FUSIONDIALECT_DIALECT_FUSION_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "FusionDialect/Dialect/FusionDialect.h.inc"
#include "FusionDialect/Dialect/FusionEnums.h.inc"
#include "FusionDialect/Dialect/FusionInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "FusionDialect/Dialect/FusionAttributes.h.inc"

namespace mlir::fusion {
/// A filter's dims by role: output channel (-1 if packed), input channel, first
/// spatial.
struct FilterDims {
  int64_t out, in, spatial;
};
} // namespace mlir::fusion

#define GET_OP_CLASSES
#include "FusionDialect/Dialect/FusionOps.h.inc"

namespace mlir::fusion {

/// The element type of a shaped type; any other type is its own.
Type getElementTypeOrScalar(Type type);

/// Gives `root`, which has an empty region, the identity epilogue: an
/// accumulator of `accumulatorType` (by default the init's element type) that
/// is yielded as it is.
void buildIdentityEpilogue(OpBuilder &builder, FusionRootOpInterface root,
                           Type accumulatorType = {});

/// The affine map from `root`'s result space that `epilogue_dims` of operand
/// `i` stands for.
AffineMap getEpilogueMap(FusionRootOpInterface root, unsigned i);

/// The block argument that reads `operand` at result dims `dims`; adds the
/// operand to the epilogue if it has none yet. `operand` is a scalar (dims are
/// empty) or a ranked tensor or memref with one dim per entry.
BlockArgument getOrAddEpilogueOperand(RewriterBase &rewriter,
                                      FusionRootOpInterface root, Value operand,
                                      ArrayRef<int64_t> dims);

/// Removes epilogue operands whose block argument has no use; returns whether
/// there were any.
bool dropDeadEpilogueOperands(RewriterBase &rewriter,
                              FusionRootOpInterface root);

/// Clones the epilogue's ops at the builder's insertion point with `arguments`
/// (accumulator, operands, init's element) in place of the block arguments, and
/// returns what it yields. If the arguments are vectors the clones are vector
/// ops of the same shape: constants are broadcast, each op's result becomes a
/// vector of its scalar result type.
Value cloneEpilogue(OpBuilder &builder, FusionRootOpInterface root,
                    ValueRange arguments);

/// True if `op` may stand in an epilogue: a constant, or free of memory
/// effects, without regions and elementwise (ElementwiseMappable). If not,
/// `reason` says why (a remark's code and sentence).
bool isEpilogueOp(Operation *op, std::string *reason = nullptr);

/// The op's meaning: linalg ops that compute its result, of which the last
/// carries the epilogue. On tensors only.
FailureOr<SmallVector<Value>> decomposeRoot(OpBuilder &builder,
                                            FusionRootOpInterface root);

/// The number of elements that a window of `size` with `dilation` spans.
inline int64_t getWindowSpan(int64_t size, int64_t dilation) {
  return dilation * (size - 1) + 1;
}

} // namespace mlir::fusion

#endif // FUSIONDIALECT_DIALECT_FUSION_H
