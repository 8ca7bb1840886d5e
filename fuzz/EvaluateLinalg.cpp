//===-- EvaluateLinalg.cpp - linalg.generic in numbers with bounds --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies are translated once, then run for every point of the loops.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Upstream has no linalg for these; no fold goes with it, such as of products
/// with zero.
static void decomposeTransposedConvs(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  tosa::populateTosaDecomposeTransposeConv(module.getContext(), patterns);
  walkAndApplyPatterns(module, std::move(patterns));
}

LogicalResult fuzz::lowerToLinalg(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  bool hasTosa = false;
  module.walk([&](Operation *op) {
    hasTosa |= op->getDialect() && op->getDialect()->getNamespace() == "tosa";
  });
  if (hasTosa) {
    decomposeTransposedConvs(module);
    OpPassManager &functions = pm.nest<func::FuncOp>();
    functions.addPass(tosa::createTosaInferShapesPass());
    functions.addPass(tosa::createTosaMakeBroadcastablePass());
    functions.addPass(tosa::createTosaToLinalgNamed());
    functions.addPass(tosa::createTosaLayerwiseConstantFoldPass());
    functions.addPass(tosa::createTosaMakeBroadcastablePass());
    functions.addPass(tosa::createTosaToLinalg());
    TosaToArithPassOptions options;
    options.includeApplyRescale = true;
    functions.addPass(createTosaToArithPass(options));
    functions.addPass(createTosaToTensorPass());
  }
  pm.addPass(createFusionToLinalgPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createConvertElementwiseToLinalgPass());
  return pm.run(module);
}

LogicalResult fuzz::decomposeSoftmaxes(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::SoftmaxOp> softmaxes;
  module.walk([&](linalg::SoftmaxOp op) { softmaxes.push_back(op); });
  for (linalg::SoftmaxOp op : softmaxes) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
    if (failed(parts))
      return failure();
    rewriter.replaceOp(op, *parts);
  }
  return success();
}

LogicalResult fuzz::prepareReference(ModuleOp module) {
  // No folding from here on: what is evaluated is what was written.
  if (failed(lowerToLinalg(module)) || failed(decomposeSoftmaxes(module)))
    return failure();
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::LinalgOp> named;
  module.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// An op of a body; its operands and result are places in a list of numbers.
struct Step {
  enum Kind { Scalar, Index, Extract } kind;
  std::optional<ScalarOp> op;
  SmallVector<unsigned, 3> operands;
  unsigned result;
  int64_t dim = 0;
  const Array *source = nullptr;
};

/// A map of dims, as factors: base + sum of factor * dim, for each result.
struct Access {
  SmallVector<int64_t> factors;
  int64_t base = 0;
  /// One for each dim of the operand, to see what is out of bounds.
  std::vector<std::pair<SmallVector<int64_t>, int64_t>> rows;
};
} // namespace

/// base + sum of factor * dim; false if it is none.
static bool getFactors(AffineExpr expr, int64_t factor,
                       MutableArrayRef<int64_t> factors, int64_t &base) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    factors[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    base += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return getFactors(binary.getLHS(), factor, factors, base) &&
           getFactors(binary.getRHS(), factor, factors, base);
  if (expr.getKind() != AffineExprKind::Mul)
    return false;
  for (auto [constant, other] : {std::pair(binary.getRHS(), binary.getLHS()),
                                 std::pair(binary.getLHS(), binary.getRHS())})
    if (auto number = dyn_cast<AffineConstantExpr>(constant))
      return getFactors(other, factor * number.getValue(), factors, base);
  return false;
}

static std::optional<Access> getAccess(AffineMap map, ArrayRef<int64_t> shape) {
  Access access;
  access.factors.assign(map.getNumDims(), 0);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    SmallVector<int64_t> row(map.getNumDims(), 0);
    int64_t base = 0;
    if (!getFactors(expr, 1, row, base))
      return std::nullopt;
    for (auto [factor, part] : llvm::zip_equal(access.factors, row))
      factor = factor * size + part;
    access.base = access.base * size + base;
    access.rows.push_back({std::move(row), base});
  }
  return access;
}

/// What a generic adds to its only result, and does nothing else with; null if
/// it is no sum of floats.
static Value getSummand(linalg::GenericOp generic) {
  Block &body = *generic.getBody();
  if (generic.getNumReductionLoops() == 0 || generic->getNumResults() != 1)
    return {};
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  BlockArgument accumulator = body.getArguments().back();
  if (!add || add->getBlock() != &body || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != add)
    return {};
  return add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
}

llvm::Error Evaluator::runGeneric(Operation *op) {
  auto generic = cast<linalg::GenericOp>(op);
  auto fail = [](const Twine &text) {
    return llvm::createStringError("reference: linalg: " + text);
  };

  // The loops: an operand whose map has a dim alone gives its size.
  unsigned numLoops = generic.getNumLoops();
  SmallVector<int64_t> loops(numLoops, -1);
  SmallVector<const Array *> arrays;
  std::vector<Array> results;
  for (OpOperand &operand : generic->getOpOperands())
    arrays.push_back(&get(operand.get()));
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  for (auto [map, array] : llvm::zip_equal(maps, arrays))
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), array->shape))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (loops[dim.getPosition()] >= 0 && loops[dim.getPosition()] != size)
          return fail("sizes that differ");
        loops[dim.getPosition()] = size;
      }
  int64_t points = 1;
  for (int64_t size : loops) {
    if (size < 0)
      return fail("a loop of unknown size");
    points *= size;
  }
  SmallVector<Access> accesses;
  for (auto [map, array] : llvm::zip_equal(maps, arrays)) {
    std::optional<Access> access = getAccess(map, array->shape);
    if (!access)
      return fail("a map that is not linear");
    for (auto [dim, row] : llvm::enumerate(access->rows)) {
      int64_t last = row.second, first = row.second;
      for (auto [factor, size] : llvm::zip_equal(row.first, loops))
        (factor > 0 ? last : first) += factor * (size - 1);
      // Also where nothing is read, since another dim is empty.
      bool isEmpty = false;
      for (auto [factor, size] : llvm::zip_equal(row.first, loops))
        isEmpty |= factor != 0 && size == 0;
      if (!isEmpty && array->shape[dim] != 0 &&
          (first < 0 || last >= array->shape[dim]))
        return fail("out of bounds");
    }
    accesses.push_back(std::move(*access));
  }
  unsigned numInputs = generic.getNumDpsInputs();
  for (unsigned i = numInputs; i < arrays.size(); ++i)
    results.push_back(*arrays[i]);

  // The body.
  llvm::DenseMap<Value, unsigned> places;
  std::vector<Number> slots;
  Block &body = *generic.getBody();
  auto place = [&](Value value) {
    auto [it, isNew] = places.try_emplace(value, slots.size());
    if (isNew) {
      slots.emplace_back();
      if (value.getParentBlock() != &body)
        slots.back() = get(value).numbers[0];
    }
    return it->second;
  };
  for (BlockArgument argument : body.getArguments())
    place(argument);
  std::vector<Step> steps;
  for (Operation &inner : body.without_terminator()) {
    // Assertions of random graphs hold.
    if (isa<cf::AssertOp>(inner))
      continue;
    if (isa<arith::ConstantOp>(inner)) {
      if (llvm::Error error = runConstant(&inner))
        return error;
      slots[place(inner.getResult(0))] = get(inner.getResult(0)).numbers[0];
      continue;
    }
    Step step;
    step.kind = Step::Scalar;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      step.kind = Step::Index;
      step.dim = index.getDim();
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      step.kind = Step::Extract;
      step.source = &get(extract.getTensor());
      for (Value index : extract.getIndices())
        step.operands.push_back(place(index));
    } else {
      step.op = ScalarOp::get(&inner);
      if (!step.op)
        return fail("unknown " + inner.getName().getStringRef());
      for (Value operand : inner.getOperands())
        step.operands.push_back(place(operand));
      // A branch between two values that are there before.
      if (auto branch = dyn_cast<scf::IfOp>(inner))
        for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
          if (!block || !llvm::hasSingleElement(*block))
            return fail("a branch that computes");
          step.operands.push_back(place(block->front().getOperand(0)));
        }
    }
    step.result = place(inner.getResult(0));
    steps.push_back(std::move(step));
  }
  SmallVector<unsigned> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(place(value));
  // Where sums are one operation, the terms of each.
  bool isAtOnce =
      sums == Sums::AtOnce ||
      (sums == Sums::Widened && NumberType(results[0].elementType).width == 16);
  Value summand = isAtOnce ? getSummand(generic) : Value();
  std::vector<std::vector<Number>> terms;
  if (summand) {
    yielded = {place(summand)};
    for (const Number &init : results[0].numbers)
      terms.push_back({init});
  }

  if (llvm::Error error = count(points * int64_t(steps.size() + 1)))
    return error;
  if (points > 0) {
    SmallVector<int64_t> position(numLoops, 0);
    SmallVector<Number, 3> operands;
    do {
      SmallVector<int64_t, 4> at;
      for (auto [index, access] : llvm::enumerate(accesses)) {
        int64_t offset = access.base;
        for (auto [factor, where] : llvm::zip_equal(access.factors, position))
          offset += factor * where;
        at.push_back(offset);
        slots[index] = index < numInputs
                           ? arrays[index]->numbers[offset]
                           : results[index - numInputs].numbers[offset];
      }
      for (const Step &step : steps) {
        Number &result = slots[step.result];
        if (step.kind == Step::Index) {
          result = Number::ofInt(position[step.dim]);
          continue;
        }
        if (step.kind == Step::Extract) {
          int64_t offset = 0;
          for (auto [slot, size] :
               llvm::zip_equal(step.operands, step.source->shape)) {
            int64_t index = slots[slot].integer;
            if (slots[slot].error > 0 || index < 0 || index >= size)
              return fail("extract out of bounds");
            offset = offset * size + index;
          }
          result = step.source->numbers[offset];
          continue;
        }
        operands.clear();
        for (unsigned slot : step.operands)
          operands.push_back(slots[slot]);
        if (operands.size() == 1)
          operands.emplace_back();
        result = step.op->evaluate(operands, precision);
      }
      if (summand) {
        terms[at.back()].push_back(slots[yielded[0]]);
        continue;
      }
      SmallVector<Number, 2> stored;
      for (unsigned slot : yielded)
        stored.push_back(slots[slot]);
      for (auto [index, number] : llvm::enumerate(stored))
        results[index].numbers[at[numInputs + index]] = number;
    } while (nextPosition(position, loops));
  }
  for (auto [number, list] : llvm::zip(results[0].numbers, terms))
    if (list.size() > 1)
      number = addAll(list, NumberType(results[0].elementType), precision);
  for (auto [value, array] : llvm::zip_equal(op->getResults(), results))
    set(value, std::move(array));
  return llvm::Error::success();
}
