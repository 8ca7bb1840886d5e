//===-- GraphForms.h - Named ops of windows, by layout ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the productions of convolutions and pools.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_GRAPHFORMS_H
#define FUZZ_GRAPHFORMS_H

#include "Graph.h"

namespace mlir::fusion::fuzz {

using ConvBuilder = Operation *(*)(ImplicitLocOpBuilder &, Type, ValueRange,
                                   Value, Attribute, Attribute);
/// Filters: K is where the window's dims are; M multiplies depthwise channels.
struct ConvForm {
  int64_t numSpatial;
  bool channelsLast;
  StringLiteral filter;
  ConvBuilder create;
};

template <typename Op>
Operation *createConv(ImplicitLocOpBuilder &b, Type type, ValueRange inputs,
                      Value init, Attribute strides, Attribute dilations) {
  return Op::create(b, TypeRange{type}, inputs, ValueRange{init}, strides,
                    dilations);
}

inline SmallVector<const ConvForm *> findForms(ArrayRef<ConvForm> forms,
                                               Layout layout) {
  SmallVector<const ConvForm *> found;
  for (const ConvForm &form : forms)
    if (form.numSpatial == layout.numSpatial() &&
        form.channelsLast == layout.channelsLast)
      found.push_back(&form);
  return found;
}

} // namespace mlir::fusion::fuzz

#endif // FUZZ_GRAPHFORMS_H
