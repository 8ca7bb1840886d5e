//===-- Evaluate.h - What a graph means -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference: linalg on tensors, op by op, in the numbers of Number.h. Roots
// and TOSA come here as linalg, by their decomposition and upstream's passes.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_EVALUATE_H
#define FUZZ_EVALUATE_H

#include "Number.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace mlir::fusion::fuzz {

/// A tensor's numbers in row-major order; a scalar has rank 0.
struct Array {
  Array(Type elementType, ArrayRef<int64_t> shape);

  Type elementType;
  SmallVector<int64_t> shape;
  std::vector<Number> numbers;

  int64_t size() const { return int64_t(numbers.size()); }
  /// From the bytes that a compiled model takes.
  static Array fromBytes(Type elementType, ArrayRef<int64_t> shape,
                         ArrayRef<char> bytes);
};

/// Bytes of an element as a compiled model takes it.
unsigned getElementBytes(Type elementType);
/// One element of such bytes.
Number readNumber(Type elementType, const char *bytes);

/// Goes through the positions of a shape in row-major order.
bool nextPosition(MutableArrayRef<int64_t> position, ArrayRef<int64_t> shape);

/// A position's place in the numbers of an array.
int64_t getPlace(ArrayRef<int64_t> position, ArrayRef<int64_t> shape);

llvm::Error makeError(Operation *op, const Twine &text);

/// Makes what Evaluate takes: TOSA, roots and named ops become linalg.generic
/// by upstream's passes and the decompositions.
LogicalResult prepareReference(ModuleOp module);

/// The first part of that: TOSA and roots become linalg.
LogicalResult lowerToLinalg(ModuleOp module);

/// The second: each linalg.softmax becomes its decomposition.
LogicalResult decomposeSoftmaxes(ModuleOp module);

/// Sums of a reduction: term by term as written, as one operation, or this for
/// those of 16 bits only.
enum class Sums { Written, AtOnce, Widened };

/// Evaluates functions of one prepared module.
class Evaluator {
public:
  Evaluator(ModuleOp module, Precision precision, int64_t stepLimit,
            Sums sums = Sums::Written)
      : module(module), precision(precision), stepsLeft(stepLimit), sums(sums) {
  }

  llvm::Expected<std::vector<Array>> call(func::FuncOp function,
                                          std::vector<Array> arguments);

private:
  using Shared = std::shared_ptr<const Array>;
  llvm::Expected<std::vector<Shared>> runBlock(Block &block,
                                               ArrayRef<Shared> arguments);
  llvm::Error run(Operation *op);
  llvm::Error runGeneric(Operation *op);
  llvm::Error runSlice(Operation *op);
  llvm::Error runPad(Operation *op);
  llvm::Error runConcat(Operation *op);
  llvm::Error runMove(Operation *op);
  llvm::Error runConstant(Operation *op);
  llvm::Error runControl(Operation *op);
  llvm::Error runCall(Operation *op);
  llvm::Error runShape(Operation *op);
  llvm::Error count(int64_t steps);
  const Array &get(Value value);
  int64_t getInt(OpFoldResult value);
  SmallVector<int64_t> getInts(ArrayRef<OpFoldResult> values);
  void set(Value value, Array array);
  void setInt(Value value, int64_t integer);

  ModuleOp module;
  Precision precision;
  int64_t stepsLeft;
  Sums sums;
  llvm::DenseMap<Value, Shared> values;
};

} // namespace mlir::fusion::fuzz

#endif // FUZZ_EVALUATE_H
