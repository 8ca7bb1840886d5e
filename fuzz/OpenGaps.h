//===-- OpenGaps.h - What a transposed convolution leaves open --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Check.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_OPENGAPS_H
#define FUZZ_OPENGAPS_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace mlir::fusion::fuzz {

/// TOSA has no products where a filter position meets no element of the image:
/// between elements, around them and where pads extend the result. Other forms,
/// and upstream's, multiply zeros there: what NaN and infinity in the filter
/// make of them is open. So is what they make in the image where upstream's
/// form lengthens the filter by zeros to whole strides.
void openGaps(tosa::TransposeConv2DOp op);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_OPENGAPS_H
