//===-- DeriveShapes.cpp - Sizes of results before a call -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-derive-shapes: all questions about sizes are asked in a
// copy of the entry, upstream's patterns answer them, and the answers move to a
// function of their own.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Transforms/Passes.h"
#include "ResolveSizes.h"
#include "ShapeSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONDERIVESHAPESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

namespace {
/// What a copy of the entry is asked; each answer is an operand of its return.
class Questions {
public:
  explicit Questions(func::FuncOp copy)
      : copy(copy), terminator(copy.front().getTerminator()),
        builder(terminator) {}

  /// Sizes of the results, then what must hold.
  void ask(const IRMapping &fromEntry, func::FuncOp entry);

  SmallVector<ArgumentSize> resultSizes;
  /// Assertions of the entry, one for each condition.
  SmallVector<cf::AssertOp> assertions;
  /// How many sizes must not be negative, how many pairs be equal, and how many
  /// windows fit in images.
  size_t numSizes = 0, numPairs = 0, numWindows = 0;

private:
  void askSizes(Operation &op);
  void askPairs(Operation &op);
  void askLoops(linalg::LinalgOp op);
  void askWindow(linalg::LinalgOp op, AffineExpr expr,
                 ArrayRef<std::pair<Value, int64_t>> loops, Value image,
                 int64_t dim);
  Value getSize(Value tensor, int64_t dim) {
    return tensor::DimOp::create(builder, tensor.getLoc(), tensor, dim)
        .getResult();
  }
  Value getConstant(Location loc, int64_t size) {
    return arith::ConstantIndexOp::create(builder, loc, size).getResult();
  }

  func::FuncOp copy;
  Operation *terminator;
  OpBuilder builder;
  SmallVector<Value> sizes, firsts, seconds, windows, images;
};
} // namespace

void Questions::askSizes(Operation &op) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    llvm::append_range(sizes, empty.getDynamicSizes());
}

/// Each dim that a loop steps through has the loop's number of trips.
void Questions::askLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  SmallVector<std::pair<Value, int64_t>> known(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      auto &[tensor, firstDim] = known[loop.getPosition()];
      if (!tensor) {
        tensor = operand.get();
        firstDim = dim;
        continue;
      }
      auto isDynamic = [](Value value, int64_t dim) {
        return cast<ShapedType>(value.getType()).isDynamicDim(dim);
      };
      if (!isDynamic(tensor, firstDim) && !isDynamic(operand.get(), dim))
        continue;
      firsts.push_back(getSize(tensor, firstDim));
      seconds.push_back(getSize(operand.get(), dim));
    }
  }
  for (OpOperand *input : op.getDpsInputOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(input).getResults()))
      if (!op.isScalar(input) && !isa<AffineDimExpr>(expr) &&
          cast<ShapedType>(input->get().getType()).isDynamicDim(dim))
        askWindow(op, expr, known, input->get(), dim);
}

/// The extent of a window that is read at `expr` of the image's dim: that of
/// the reduction loops in it, each times its dilation.
void Questions::askWindow(linalg::LinalgOp op, AffineExpr expr,
                          ArrayRef<std::pair<Value, int64_t>> loops,
                          Value image, int64_t dim) {
  Location loc = op.getLoc();
  Value extent = getConstant(loc, 1);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (!expr.isFunctionOfDim(loop) || type != utils::IteratorType::reduction)
      continue;
    if (!loops[loop].first)
      return;
    // How far a step of the loop moves: the rest of the expression at zero.
    SmallVector<AffineExpr> unit(op.getNumLoops(),
                                 getAffineConstantExpr(0, op.getContext()));
    unit[loop] = getAffineConstantExpr(1, op.getContext());
    auto step = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(unit), 0, 0));
    if (!step || step.getValue() < 0)
      return;
    Value trips = getSize(loops[loop].first, loops[loop].second);
    Value last =
        arith::SubIOp::create(builder, loc, trips, getConstant(loc, 1));
    Value reach = arith::MulIOp::create(builder, loc, last,
                                        getConstant(loc, step.getValue()));
    extent = arith::AddIOp::create(builder, loc, extent, reach);
  }
  windows.push_back(extent);
  images.push_back(getSize(image, dim));
}

void Questions::askPairs(Operation &op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return askLoops(linalgOp);
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    Value init = root.getInitValue();
    for (unsigned i = 0; i < root.getNumEpilogueOperands(); ++i) {
      Value operand = root.getEpilogueOperand(i);
      for (auto [dim, resultDim] :
           llvm::enumerate(root.getEpilogueOperandDims(i))) {
        if (!cast<ShapedType>(operand.getType()).isDynamicDim(dim) &&
            !root.getInitType().isDynamicDim(resultDim))
          continue;
        firsts.push_back(getSize(operand, dim));
        seconds.push_back(getSize(init, resultDim));
      }
    }
    return;
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    for (int64_t dim = 0; from && to && dim < to.getRank(); ++dim)
      if (from.isDynamicDim(dim) && !to.isDynamicDim(dim)) {
        firsts.push_back(getSize(cast.getSource(), dim));
        seconds.push_back(getConstant(op.getLoc(), to.getDimSize(dim)));
      }
    return;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<OpFoldResult> parts = expand.getMixedOutputShape();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (!expand.getSrcType().isDynamicDim(dim))
        continue;
      Value product = getConstant(op.getLoc(), 1);
      for (int64_t part : group)
        product = arith::MulIOp::create(
            builder, op.getLoc(), product,
            getValueOrCreateConstantIndexOp(builder, op.getLoc(), parts[part]));
      firsts.push_back(getSize(expand.getSrc(), dim));
      seconds.push_back(product);
    }
  }
}

void Questions::ask(const IRMapping &fromEntry, func::FuncOp entry) {
  SmallVector<Value> answers;
  resultSizes = getDynamicSizes(copy.getResultTypes());
  for (auto [result, dim] : resultSizes)
    answers.push_back(getSize(terminator->getOperand(result), dim));

  for (auto original : entry.getOps<cf::AssertOp>()) {
    assertions.push_back(original);
    answers.push_back(fromEntry.lookup(original.getArg()));
    fromEntry.lookup(original.getOperation())->erase();
  }
  // A root says what must be equal in its decomposition, if it has one.
  IRRewriter rewriter(copy.getContext());
  for (auto root :
       llvm::to_vector(copy.front().getOps<FusionRootOpInterface>())) {
    if (!root.hasPureTensorSemantics())
      continue;
    askPairs(*root);
    rewriter.setInsertionPoint(root);
    FailureOr<SmallVector<Value>> results = decomposeRoot(rewriter, root);
    if (succeeded(results))
      rewriter.replaceOp(root, *results);
  }
  for (Operation &op : copy.front()) {
    if (&op == terminator)
      break;
    askSizes(op);
  }
  for (Operation &op : llvm::make_early_inc_range(copy.front()))
    if (!isa<FusionRootOpInterface>(op) && !isa<tensor::DimOp>(op))
      askPairs(op);
  numSizes = sizes.size();
  numPairs = firsts.size();
  numWindows = windows.size();
  for (ArrayRef<Value> more :
       {ArrayRef(sizes), ArrayRef(firsts), ArrayRef(seconds), ArrayRef(windows),
        ArrayRef(images)})
    llvm::append_range(answers, more);
  terminator->setOperands(answers);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

/// Says which op computes a size of a result from data.
static LogicalResult reportObstacle(Value obstacle, ArgumentSize size) {
  Operation *op = obstacle.getDefiningOp();
  if (!op)
    op = obstacle.getParentBlock()->getParentOp();
  // A size is as unknown as the tensor that has it.
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (Operation *source = dim.getSource().getDefiningOp())
      op = source;
  return emitError(op->getLoc())
         << "expected sizes of results that follow from sizes of inputs, got "
            "dim "
         << size.dim << " of result " << size.argument << " from '"
         << op->getName() << "'";
}

namespace {
/// Builds the function of answers beside the entry.
class AnswerBuilder {
public:
  AnswerBuilder(func::FuncOp entry, func::FuncOp copy, SymbolTable &symbols)
      : entry(entry), slices(copy), builder(entry.getContext()),
        cloner(builder, slices,
               [this](ArgumentSize size) { return getArgument(size); }) {
    SmallVector<Type> types(getDynamicSizes(entry.getArgumentTypes()).size(),
                            builder.getIndexType());
    function = func::FuncOp::create(entry.getLoc(),
                                    (entry.getSymName() + "_shapes").str(),
                                    builder.getFunctionType(types, {}));
    function.setPrivate();
    symbols.insert(function, Block::iterator(entry));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  LogicalResult build(const Questions &questions, ValueRange answers);
  func::FuncOp function;

private:
  Value getArgument(ArgumentSize size);
  void require(Value condition) {
    valid = arith::AndIOp::create(builder, entry.getLoc(), valid, condition);
  }
  void requireComparison(arith::CmpIPredicate predicate, Value a, Value b) {
    if (a != b && required.insert({static_cast<int>(predicate), a, b}).second)
      require(arith::CmpIOp::create(builder, entry.getLoc(), predicate, a, b));
  }

  func::FuncOp entry;
  ShapeSlices slices;
  OpBuilder builder;
  SliceCloner cloner;
  Value valid;
  DenseSet<std::tuple<int, Value, Value>> required;
};
} // namespace

Value AnswerBuilder::getArgument(ArgumentSize size) {
  auto type = cast<ShapedType>(entry.getArgumentTypes()[size.argument]);
  if (!type.isDynamicDim(size.dim))
    return arith::ConstantIndexOp::create(builder, entry.getLoc(),
                                          type.getDimSize(size.dim));
  unsigned number = 0;
  for (auto [argument, dim] : getDynamicSizes(entry.getArgumentTypes())) {
    if (argument == size.argument && dim == size.dim)
      break;
    ++number;
  }
  return function.getArgument(number);
}

LogicalResult AnswerBuilder::build(const Questions &questions,
                                   ValueRange answers) {
  auto take = [&](size_t count) {
    ValueRange taken = answers.take_front(count);
    answers = answers.drop_front(count);
    return taken;
  };
  Location loc = entry.getLoc();
  valid = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  SmallVector<Value> results = {valid};
  for (auto [answer, size] : llvm::zip_equal(take(questions.resultSizes.size()),
                                             questions.resultSizes)) {
    if (Value obstacle = slices.findObstacle(answer))
      return reportObstacle(obstacle, size);
    results.push_back(cloner.clone(answer));
  }
  // What is checked before the call needs no check in it.
  for (auto [condition, assertion] : llvm::zip_equal(
           take(questions.assertions.size()), questions.assertions)) {
    if (slices.findObstacle(condition))
      continue;
    require(cloner.clone(condition));
    cf::AssertOp(assertion).erase();
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Value size : llvm::to_vector(take(questions.numSizes)))
    if (!slices.findObstacle(size))
      requireComparison(arith::CmpIPredicate::sge, cloner.clone(size), zero);
  for (Value size : ArrayRef(results).drop_front())
    requireComparison(arith::CmpIPredicate::sge, size, zero);
  ValueRange firsts = take(questions.numPairs);
  ValueRange seconds = take(questions.numPairs);
  for (auto [first, second] : llvm::zip_equal(firsts, seconds))
    if (!slices.findObstacle(first) && !slices.findObstacle(second))
      requireComparison(arith::CmpIPredicate::eq, cloner.clone(first),
                        cloner.clone(second));
  ValueRange windows = take(questions.numWindows);
  for (auto [window, image] : llvm::zip_equal(windows, answers))
    if (!slices.findObstacle(window) && !slices.findObstacle(image))
      requireComparison(arith::CmpIPredicate::sle, cloner.clone(window),
                        cloner.clone(image));
  results.front() = valid;
  func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), TypeRange(ValueRange(results))));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FusionDeriveShapesPass final
    : fusion::impl::FusionDeriveShapesPassBase<FusionDeriveShapesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateResolveSizesPatterns(set);
    tensor::ExtractOp::getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = getRecordedEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    if (getDynamicSizes(entry->getArgumentTypes()).empty() &&
        getDynamicSizes(entry->getResultTypes()).empty())
      return;
    if (failed(derive(*entry)))
      return signalPassFailure();
  }

  LogicalResult derive(func::FuncOp entry) {
    if (!entry.getBody().hasOneBlock())
      return emitError(entry.getLoc())
             << "expected structured control flow in an entry with dynamic "
                "sizes, got more than one block";
    if (failed(applyPatternsGreedily(entry.getBody(), patterns)))
      return failure();
    IRMapping mapping;
    OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(entry->clone(mapping));
    Questions questions(*copy);
    questions.ask(mapping, entry);
    if (failed(applyPatternsGreedily(copy->getBody(), patterns)))
      return failure();
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(*copy);
    eliminateCommonSubExpressions(rewriter, dominance, *copy);

    SymbolTable symbols(getOperation());
    AnswerBuilder answers(entry, *copy, symbols);
    if (failed(answers.build(questions,
                             copy->front().getTerminator()->getOperands())))
      return failure();
    Builder builder(&getContext());
    updateEntry(entry, {builder.getNamedAttr(
                           "shapes", SymbolRefAttr::get(answers.function))});
    return success();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
