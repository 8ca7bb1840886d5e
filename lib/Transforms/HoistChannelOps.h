//===-- HoistChannelOps.h - A question that two files ask -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked for the missed remarks of --fusion-fold-constants.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_HOISTCHANNELOPS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_HOISTCHANNELOPS_H

#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion {

/// True if `root`'s epilogue starts with arithmetic on channels that could be
/// one multiply-add.
bool hasChannelChain(FusionRootOpInterface root);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_HOISTCHANNELOPS_H
