//===-- Shapes.h - Sizes of dynamic inputs ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the flag --shape says, held against a model's signature.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_SHAPES_H
#define MLIR_FUSION_SHAPES_H

#include "FusionDialect/Target/Signature.h"
#include "mlir/Support/LLVM.h"

namespace mlir::fusion {

using Shape = std::vector<int64_t>;

/// Whether a tensor of this shape can stand for one of the `wanted` shape, in
/// which dynamic sizes are TensorSignature::kDynamicSize.
bool fitsShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> wanted);

/// "1x3x?x?xf32".
std::string getTypeString(const TensorSignature &tensor);

/// The shape of each input: its own, or the one that a `given` INPUT=D,D,…
/// names. A problem is printed.
FailureOr<std::vector<Shape>> chooseShapes(ArrayRef<TensorSignature> inputs,
                                           ArrayRef<std::string> given);

} // namespace mlir::fusion

#endif // MLIR_FUSION_SHAPES_H
