//===-- DynamicArena.h - Slots for buffers of dynamic size ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the workspace whose size is found when the entry is called. Used
// by PlanMemory.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_DYNAMICARENA_H
#define FUSIONDIALECT_LIB_TRANSFORMS_DYNAMICARENA_H

#include "FusionDialect/Analysis/MemoryPlan.h"
#include "ShapeSlices.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fusion {

/// The buffers of an entry whose sizes follow from those of its arguments.
class DynamicArena {
public:
  /// `shapes` is the function of fusion-derive-shapes, or null: then no buffer
  /// can be placed.
  DynamicArena(func::FuncOp entry, func::FuncOp shapes)
      : entry(entry), shapes(shapes), slices(entry) {}

  /// Whether the size of `alloc`, a buffer with an identity layout, is dynamic
  /// and follows from sizes of arguments.
  bool canPlace(memref::AllocOp alloc);

  /// The size of `alloc` where all dynamic sizes of arguments are equal: for
  /// comparisons.
  int64_t estimateBytes(memref::AllocOp alloc);

  /// Computes where the slots start, behind `staticBytes`, at the begin of the
  /// entry: one index for each of `buffers`. The bytes of the whole become a
  /// result of `shapes`, which refuses sizes of which a buffer is too large.
  SmallVector<Value> place(ArrayRef<memref::AllocOp> buffers,
                           const SlotPlan &plan, int64_t staticBytes);

private:
  /// The start of each slot, then the end of the last.
  SmallVector<Value> computeSlots(OpBuilder &builder, SliceCloner &cloner,
                                  ArrayRef<memref::AllocOp> buffers,
                                  const SlotPlan &plan, int64_t staticBytes);
  /// Makes `fits` false where a buffer has more bytes than a process can
  /// address, be it in the arena or not.
  void checkBuffers(OpBuilder &builder, SliceCloner &cloner, Value &fits);
  /// The same of results.
  void checkResults(OpBuilder &builder, ValueRange sizes, Value &fits);
  void refuseUnless(OpBuilder &builder, Value fits);
  void addWorkspaceResult(ArrayRef<memref::AllocOp> buffers,
                          const SlotPlan &plan, int64_t staticBytes);

  func::FuncOp entry, shapes;
  ShapeSlices slices;
  DenseMap<Value, Attribute> known;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_DYNAMICARENA_H
