//===-- ShapeAnswers.h - The function of sizes beside an entry --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by DeriveShapes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_SHAPEANSWERS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_SHAPEANSWERS_H

#include "ShapeSlices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::fusion {

/// Builds the function of answers beside the entry.
class AnswerBuilder {
public:
  AnswerBuilder(func::FuncOp entry, func::FuncOp copy, SymbolTable &symbols)
      : entry(entry), copy(copy), slices(copy),
        slicesInLoops(copy, /*throughLoops=*/true), builder(entry.getContext()),
        cloner(createCloner()) {
    SmallVector<Type> types(getDynamicSizes(entry.getArgumentTypes()).size(),
                            builder.getIndexType());
    function = func::FuncOp::create(entry.getLoc(),
                                    (entry.getSymName() + "_shapes").str(),
                                    builder.getFunctionType(types, {}));
    function.setPrivate();
    symbols.insert(function, Block::iterator(entry));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  LogicalResult addSizes(ArrayRef<ArgumentSize> sizes, ValueRange answers);
  /// Requires what `assertion` says, if that follows from sizes of inputs.
  LogicalResult answer(cf::AssertOp assertion);
  /// `patterns` simplify what is computed.
  LogicalResult finish(const FrozenRewritePatternSet &patterns);

  func::FuncOp function;
  /// Why the number of a requirement, less one, is not met.
  SmallVector<std::string> errors;

private:
  /// Loops around an assertion, the innermost first.
  using Loops = SmallVector<scf::ForOp>;

  SliceCloner createCloner() {
    return SliceCloner(builder, slices, [this](ArgumentSize size) {
      return getGivenSize(builder, entry, size, function.getArguments());
    });
  }
  bool holdsAlways(Value condition);
  FailureOr<Value> isSkipped(cf::AssertOp assertion, Loops &loops);
  FailureOr<Value> holds(Value condition, ArrayRef<scf::ForOp> loops);
  bool isLinear(Value value);
  bool computeLinear(Value value);
  bool isDecidedAtEnds(Value condition);
  bool comparesLines(arith::CmpIOp comparison);
  std::string explain(cf::AssertOp assertion) const;
  std::string getName(ArgumentSize size) const;
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(entry.getLoc(), predicate, a, b);
  }
  Value invert(Value condition) {
    Value yes = arith::ConstantOp::create(builder, entry.getLoc(),
                                          builder.getBoolAttr(true));
    return builder.createOrFold<arith::XOrIOp>(entry.getLoc(), condition, yes);
  }
  /// Whether one of both holds; where `first` does, `second` may be anything.
  Value either(Value first, Value second) {
    Value yes = arith::ConstantOp::create(builder, entry.getLoc(),
                                          builder.getBoolAttr(true));
    return builder.createOrFold<arith::SelectOp>(entry.getLoc(), first, yes,
                                                 second);
  }
  Value getConstantLike(Value value, int64_t constant) {
    return arith::ConstantOp::create(
        builder, entry.getLoc(),
        builder.getIntegerAttr(value.getType(), constant));
  }

  func::FuncOp entry, copy;
  ShapeSlices slices, slicesInLoops;
  OpBuilder builder;
  SliceCloner cloner;
  SmallVector<Value> results, requirements;
  /// What isLinear and isDecidedAtEnds said: values are read more than once.
  DenseMap<Value, bool> linear, decided;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_SHAPEANSWERS_H
