//===-- MemoryPlan.h - Places of buffers in one arena -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure functions from lifetimes to places. Called by fusion-plan-memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_MEMORYPLAN_H
#define FUSIONDIALECT_ANALYSIS_MEMORYPLAN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fusion {

/// Every buffer starts at a multiple of it: a cache line, an AVX-512 vector.
inline constexpr int64_t kBufferAlignment = 64;

/// A buffer that is needed from step `first` to step `last`, both included.
struct BufferLifetime {
  int64_t first;
  int64_t last;
  int64_t bytes;
};

/// Where each buffer lies.
struct MemoryPlan {
  SmallVector<int64_t> offsets;
  /// The bytes of the arena.
  int64_t size = 0;
  /// The most bytes alive at one step: no plan is smaller.
  int64_t liveBytes = 0;
};

/// Gives each buffer a place that no other buffer alive at the same time
/// touches. Sizes are rounded up to kBufferAlignment.
MemoryPlan planMemory(ArrayRef<BufferLifetime> buffers);

/// Slots of buffers whose bytes are only estimated.
struct SlotPlan {
  /// The slot of each buffer.
  SmallVector<unsigned> slots;
  unsigned numSlots = 0;
};

/// Gives buffers that are never alive at the same time a common slot, those of
/// about equal size first.
SlotPlan planSlots(ArrayRef<BufferLifetime> buffers);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_MEMORYPLAN_H
