//===-- Requirements.cpp - What ops expect of sizes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that must agree, be positive or leave room, said as assertions.
//
//===----------------------------------------------------------------------===//

#include "Requirements.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "RequirementAsserter.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// A root says what must be equal in its decomposition, if it has one.
void RequirementAsserter::askRoot(FusionRootOpInterface root) {
  if (!root.hasPureTensorSemantics() || !hasDynamicSize(root))
    return;
  for (unsigned i = 0; i < root.getNumEpilogueOperands(); ++i)
    for (auto [dim, resultDim] :
         llvm::enumerate(root.getEpilogueOperandDims(i))) {
      Value given = size(root.getEpilogueOperand(i), dim);
      requireEqual(given, size(root.getInitValue(), resultDim));
    }
  for (const WindowedDim &dim : getPointwiseDims(root)) {
    Value given = size(root.getPaddedInput()->get(), dim.image);
    requireEqual(given, size(root.getInitValue(), dim.result));
  }

  struct Collector : RewriterBase::Listener {
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      ops.push_back(op);
    }
    SmallVector<Operation *> ops;
  } collector;
  IRRewriter rewriter(root->getContext(), &collector);
  rewriter.setInsertionPoint(root);
  // Nothing reads it, so that it is gone when its sizes are known.
  (void)decomposeRoot(rewriter, root);
  for (Operation *part : collector.ops)
    if (part->getBlock() == root->getBlock()) {
      builder.setInsertionPoint(part);
      ask(part);
    }
}

//===----------------------------------------------------------------------===//
// Ops on tensors
//===----------------------------------------------------------------------===//

void RequirementAsserter::askSlice(OffsetSizeAndStrideOpInterface op,
                                   Value whole) {
  auto type = cast<RankedTensorType>(whole.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult offset = op.getMixedOffsets()[dim];
    OpFoldResult count = op.getMixedSizes()[dim];
    OpFoldResult stride = op.getMixedStrides()[dim];
    // What is static is verified.
    if (!type.isDynamicDim(dim) && getConstantIntValue(offset) &&
        getConstantIntValue(count) && getConstantIntValue(stride))
      continue;
    StringRef what = "a slice inside its tensor";
    Value zero = constant(0), one = constant(1);
    Value start = value(offset), elements = value(count), step = value(stride);
    Value room = size(whole, dim);
    require(arith::CmpIPredicate::sge, elements, zero, "a size of at least 0");
    require(arith::CmpIPredicate::sge, start, zero, what);
    std::optional<int64_t> known = getConstantIntValue(stride);
    Value steps = subtract(elements, one);
    if (known.value_or(0) > 0) {
      Value last = add(start, multiply(steps, step));
      require(arith::CmpIPredicate::sle, add(last, one), room, what);
      continue;
    }
    // Backwards the first element is the farthest. Without elements there is
    // only the place where they would begin.
    steps = larger(steps, zero);
    Value last = add(start, multiply(steps, step));
    Value farthest = known ? start : larger(start, last);
    Value end = add(farthest, smaller(elements, one));
    require(arith::CmpIPredicate::sle, end, room, what);
    require(arith::CmpIPredicate::sge, last, zero, what);
  }
}

/// What is inserted has the size of its place.
void RequirementAsserter::askInserted(tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t sourceDim = 0;
  for (auto [dim, count] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped[dim]) {
      Value given = size(op.getSource(), sourceDim++);
      requireEqual(given, value(count));
    }
}

void RequirementAsserter::askExpansion(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> parts = op.getMixedOutputShape();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value product = constant(1);
    for (int64_t part : group) {
      askSizes(value(parts[part]));
      product = multiply(product, value(parts[part]));
    }
    Value given = size(op.getSrc(), dim);
    requireEqual(given, product);
  }
}

void RequirementAsserter::askCast(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  for (int64_t dim = 0; from && to && dim < to.getRank(); ++dim)
    if (!to.isDynamicDim(dim)) {
      Value given = size(op.getSource(), dim);
      requireEqual(given, constant(to.getDimSize(dim)));
    }
}

void RequirementAsserter::askIndices(Value tensor, ValueRange indices) {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (!type.isDynamicDim(dim))
      continue;
    StringRef what = "an index inside its tensor";
    require(arith::CmpIPredicate::sge, index, constant(0), what);
    Value end = add(index, 1);
    require(arith::CmpIPredicate::sle, end, size(tensor, dim), what);
  }
}

void RequirementAsserter::ask(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<FusionRootOpInterface>([&](auto root) { askRoot(root); })
      .Case<linalg::LinalgOp>([&](auto linalgOp) { askLoops(linalgOp); })
      .Case([&](tensor::EmptyOp empty) { askSizes(empty.getDynamicSizes()); })
      .Case([&](tensor::GenerateOp generate) {
        askSizes(generate.getDynamicExtents());
      })
      .Case([&](tensor::SplatOp splat) { askSizes(splat.getDynamicSizes()); })
      .Case([&](tensor::PadOp pad) {
        // A constant may cut, as an attribute may.
        for (Value amount : llvm::concat<Value>(pad.getLow(), pad.getHigh()))
          if (!getConstantIntValue(amount))
            askSizes(amount);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        askSlice(slice, slice.getSource());
      })
      .Case([&](tensor::InsertSliceOp slice) {
        askSlice(slice, slice.getDest());
        askInserted(slice);
      })
      .Case([&](tensor::ExpandShapeOp expand) { askExpansion(expand); })
      .Case([&](tensor::CastOp castOp) { askCast(castOp); })
      .Case([&](tensor::ExtractOp extract) {
        askIndices(extract.getTensor(), extract.getIndices());
      })
      .Case([&](tensor::InsertOp insert) {
        askIndices(insert.getDest(), insert.getIndices());
      });
}

SmallVector<cf::AssertOp> fusion::assertRequirements(Operation *op) {
  RequirementAsserter asserter(op);
  asserter.ask(op);
  return std::move(asserter.assertions);
}

SmallVector<SizeQuestion> fusion::askSizeQuestions(func::FuncOp function,
                                                   const IRMapping &toCopy) {
  SmallVector<SizeQuestion> questions;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    Operation *inCopy = toCopy.lookup(op);
    if (auto assertion = dyn_cast<cf::AssertOp>(inCopy))
      questions.push_back({assertion, op, {}});
    for (auto [i, assertion] : llvm::enumerate(assertRequirements(inCopy)))
      questions.push_back({assertion, op, i});
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance()
                                            : WalkResult::skip();
  });
  return questions;
}
