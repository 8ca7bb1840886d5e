//===-- MemoryPlan.cpp - Places of buffers in one arena -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy by size: the largest buffer first, each into the tightest gap between
// the buffers placed before that are alive at the same time (Pisarchyk and Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020).
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/MemoryPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::fusion;

static int64_t getRoundedSize(const BufferLifetime &buffer) {
  return llvm::alignTo(buffer.bytes, kBufferAlignment);
}

static bool overlap(const BufferLifetime &a, const BufferLifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The most bytes that are alive at one step.
static int64_t getLiveBytes(ArrayRef<BufferLifetime> buffers) {
  std::map<int64_t, int64_t> changes;
  for (const BufferLifetime &buffer : buffers) {
    changes[buffer.first] += getRoundedSize(buffer);
    changes[buffer.last + 1] -= getRoundedSize(buffer);
  }
  int64_t live = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, live += change);
  return most;
}

/// The start of the tightest gap that `buffer` fits into; `placed` is sorted by
/// offset.
static int64_t findPlace(const BufferLifetime &buffer,
                         ArrayRef<BufferLifetime> buffers,
                         ArrayRef<unsigned> placed, ArrayRef<int64_t> offsets) {
  int64_t size = getRoundedSize(buffer);
  std::optional<int64_t> best;
  int64_t bestGap = 0, end = 0;
  for (unsigned other : placed) {
    if (!overlap(buffer, buffers[other]))
      continue;
    int64_t gap = offsets[other] - end;
    if (gap >= size && (!best || gap < bestGap)) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, offsets[other] + getRoundedSize(buffers[other]));
  }
  return best.value_or(end);
}

/// The buffers, the largest first.
static SmallVector<unsigned> sortBySize(ArrayRef<BufferLifetime> buffers) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(-getRoundedSize(buffers[a]), a) <
           std::pair(-getRoundedSize(buffers[b]), b);
  });
  return order;
}

MemoryPlan fusion::planMemory(ArrayRef<BufferLifetime> buffers) {
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  plan.liveBytes = getLiveBytes(buffers);

  SmallVector<unsigned> placed;
  for (unsigned i : sortBySize(buffers)) {
    int64_t offset = findPlace(buffers[i], buffers, placed, plan.offsets);
    plan.offsets[i] = offset;
    plan.size = std::max(plan.size, offset + getRoundedSize(buffers[i]));
    auto position =
        llvm::upper_bound(placed, offset, [&](int64_t offset, unsigned other) {
          return offset < plan.offsets[other];
        });
    placed.insert(position, i);
  }
  return plan;
}

SlotPlan fusion::planSlots(ArrayRef<BufferLifetime> buffers) {
  SlotPlan plan;
  plan.slots.resize(buffers.size());
  SmallVector<SmallVector<unsigned>> members;
  for (unsigned i : sortBySize(buffers)) {
    // Slots get smaller: the last one that is free fits best.
    unsigned slot = members.size();
    for (unsigned candidate = members.size(); candidate-- > 0;)
      if (llvm::none_of(members[candidate], [&](unsigned other) {
            return overlap(buffers[i], buffers[other]);
          })) {
        slot = candidate;
        break;
      }
    if (slot == members.size())
      members.emplace_back();
    members[slot].push_back(i);
    plan.slots[i] = slot;
  }
  plan.numSlots = members.size();
  return plan;
}
