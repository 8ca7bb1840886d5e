//===-- ShapeSlices.h - Sizes that are known before a call ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which scalars of a function follow from the sizes of its arguments alone, and
// their computation elsewhere. Used by ShapeAnswers.cpp, DeriveShapes.cpp and
// DynamicArena.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_SHAPESLICES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_SHAPESLICES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fusion {

/// One size of an argument of a function.
struct ArgumentSize {
  unsigned argument;
  int64_t dim;
  bool operator==(const ArgumentSize &other) const {
    return argument == other.argument && dim == other.dim;
  }
};

/// The dynamic sizes of `types`, in order.
SmallVector<ArgumentSize> getDynamicSizes(TypeRange types);

/// A size of an argument of `entry`: a constant if it is static, else the one
/// of `given`, which begins with the values of all dynamic ones.
Value getGivenSize(OpBuilder &builder, func::FuncOp entry, ArgumentSize size,
                   ValueRange given);

/// Calls `visit` with all that `value` is computed from, the parts of a value
/// before it and `value` last, without recursion: chains may be long.
/// `addParts` names the parts of one value, none of what is known already.
void visitPartsFirst(
    Value value,
    llvm::function_ref<void(Value, SmallVectorImpl<Value> &)> addParts,
    llvm::function_ref<void(Value)> visit);

/// Answers for one function, whose ops may not change in between.
class ShapeSlices {
public:
  explicit ShapeSlices(func::FuncOp function) : entry(&function.front()) {}

  /// With `throughLoops`, induction variables are no obstacles: whoever repeats
  /// a computation says what they are.
  ShapeSlices(func::FuncOp function, bool throughLoops)
      : entry(&function.front()), throughLoops(throughLoops) {}

  /// The size of an argument that `value` reads, if it does nothing else.
  std::optional<ArgumentSize> getArgumentSize(Value value) const;

  /// Where the computation of `value` reads something else than sizes of
  /// arguments; null if it does not.
  Value findObstacle(Value value);

  /// The sizes of arguments that `value`, which has no obstacle, follows from.
  SmallVector<ArgumentSize> getSources(Value value) const;

private:
  /// True if `value` is given, whatever it is computed from.
  bool isSource(Value value) const;

  Block *entry;
  bool throughLoops = false;
  /// Null for what has no obstacle.
  DenseMap<Value, Value> obstacles;
};

/// Repeats computations without obstacles at the builder's insertion point.
/// Assertions and branches of the function may not guard what is computed
/// there, so no division traps.
class SliceCloner {
public:
  using GetSizeFn = std::function<Value(ArgumentSize)>;
  SliceCloner(OpBuilder &builder, const ShapeSlices &slices, GetSizeFn getSize)
      : builder(builder), slices(slices), getSize(std::move(getSize)) {}

  Value clone(Value value);
  /// `value` is not computed but `as`.
  void map(Value value, Value as) { mapping.map(value, as); }

private:
  void cloneOp(Value value);

  OpBuilder &builder;
  const ShapeSlices &slices;
  GetSizeFn getSize;
  IRMapping mapping;
};

/// `value` if each argument size is what `getSize` says; nothing if an op does
/// not fold.
std::optional<int64_t>
evaluateSlice(Value value, const ShapeSlices &slices,
              llvm::function_ref<int64_t(ArgumentSize)> getSize,
              DenseMap<Value, Attribute> &known);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_SHAPESLICES_H
