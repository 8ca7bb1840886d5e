//===-- DeriveShapes.cpp - Sizes of results before a call -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-derive-shapes: all questions about sizes are asked in a
// copy of the entry, upstream's patterns answer them, and the answers move to a
// function of their own.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Transforms/Passes.h"
#include "Requirements.h"
#include "ResolveSizes.h"
#include "ShapeSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
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
/// An assertion in the copy of the entry.
struct Question {
  cf::AssertOp assertion;
  /// What it is about in the entry: the assertion itself or, of an op's
  /// requirements, one.
  Operation *original;
  std::optional<size_t> requirement;
};
} // namespace

/// Asserts in the copy all that ops of the entry expect, in branches and loops,
/// too.
static SmallVector<Question> askQuestions(func::FuncOp entry,
                                          const IRMapping &toCopy) {
  SmallVector<Question> questions;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
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

/// Asserts in the entry what has no answer before it is called.
static void assertInEntry(ArrayRef<Question> unanswered) {
  DenseMap<Operation *, SmallVector<cf::AssertOp>> all;
  for (const Question &question : unanswered) {
    if (!question.requirement)
      continue;
    auto [it, isNew] = all.try_emplace(question.original);
    if (isNew)
      it->second = assertRequirements(question.original);
    it->second[*question.requirement] = nullptr;
  }
  // The others have been answered.
  for (auto &[op, assertions] : all)
    for (cf::AssertOp assertion : assertions)
      if (assertion)
        assertion.erase();
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
};
} // namespace

LogicalResult AnswerBuilder::addSizes(ArrayRef<ArgumentSize> sizes,
                                      ValueRange answers) {
  for (auto [answer, size] : llvm::zip_equal(answers, sizes)) {
    if (Value obstacle = slices.findObstacle(answer))
      return reportObstacle(obstacle, size);
    results.push_back(cloner.clone(answer));
  }
  return success();
}

/// Whether branches and loops around `assertion` pass it by; null if there are
/// none. Fails where that depends on data, or differs from trip to trip.
FailureOr<Value> AnswerBuilder::isSkipped(cf::AssertOp assertion,
                                          Loops &loops) {
  SmallVector<Value> skips;
  Region *region = assertion->getParentRegion();
  for (; region->getParentOp() != copy.getOperation();
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (auto branches = dyn_cast<scf::IfOp>(parent)) {
      if (slices.findObstacle(branches.getCondition()))
        return failure();
      Value condition = cloner.clone(branches.getCondition());
      skips.push_back(region == &branches.getThenRegion() ? invert(condition)
                                                          : condition);
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      for (Value value : loop->getOperands().take_front(3))
        if (slices.findObstacle(value))
          return failure();
      if (loop.getUnsignedCmp())
        return failure();
      skips.push_back(compare(arith::CmpIPredicate::sge,
                              cloner.clone(loop.getLowerBound()),
                              cloner.clone(loop.getUpperBound())));
      loops.push_back(loop);
    } else if (!isa<scf::ExecuteRegionOp>(parent)) {
      return failure();
    }
  }
  Value any;
  for (Value skip : skips)
    any = any ? builder.createOrFold<arith::OrIOp>(entry.getLoc(), any, skip)
              : skip;
  return any;
}

/// Whether `value` is, as a function of one induction variable after the other,
/// a straight line: then its extremes are at the first and the last trips.
static bool isLinear(Value value, ShapeSlices &slices) {
  if (!slices.findObstacle(value) || scf::getForInductionVarOwner(value))
    return true;
  Operation *op = value.getDefiningOp();
  auto areLinear = [&](ValueRange values) {
    return llvm::all_of(values,
                        [&](Value part) { return isLinear(part, slices); });
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, index::AddOp,
          index::SubOp>(op))
    return areLinear(op->getOperands());
  if (isa<arith::MulIOp, index::MulOp>(op))
    return llvm::any_of(
               op->getOperands(),
               [&](Value factor) { return !slices.findObstacle(factor); }) &&
           areLinear(op->getOperands());
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply || !areLinear(op->getOperands()))
    return false;
  bool hasOnlySums = true;
  apply.getMap().getResult(0).walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    hasOnlySums &= !binary || part.getKind() == AffineExprKind::Add ||
                   (part.getKind() == AffineExprKind::Mul &&
                    isa<AffineConstantExpr>(binary.getRHS()));
  });
  return hasOnlySums;
}

/// Whether `condition` holds in all trips if it does in the first and the last.
static bool isDecidedAtEnds(Value condition, ShapeSlices &slices) {
  if (!slices.findObstacle(condition))
    return true;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isDecidedAtEnds(both.getLhs(), slices) &&
           isDecidedAtEnds(both.getRhs(), slices);
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  return comparison &&
         llvm::is_contained(
             {arith::CmpIPredicate::eq, arith::CmpIPredicate::sle,
              arith::CmpIPredicate::slt, arith::CmpIPredicate::sge,
              arith::CmpIPredicate::sgt},
             comparison.getPredicate()) &&
         isLinear(comparison.getLhs(), slices) &&
         isLinear(comparison.getRhs(), slices);
}

/// Whether `condition` is true, or only that a size of an input is not
/// negative, which is checked by whoever calls the function.
bool AnswerBuilder::holdsAlways(Value condition) {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  auto isSize = [&](Value value) {
    return slices.getArgumentSize(value) ||
           llvm::is_contained(function.getArguments(), value);
  };
  return matchPattern(condition, m_One()) ||
         (comparison &&
          comparison.getPredicate() == arith::CmpIPredicate::sge &&
          isSize(comparison.getLhs()) &&
          matchPattern(comparison.getRhs(), m_Zero()));
}

/// Whether `condition` holds in all trips of `loops`, which have some.
FailureOr<Value> AnswerBuilder::holds(Value condition,
                                      ArrayRef<scf::ForOp> loops) {
  if (!slices.findObstacle(condition))
    return cloner.clone(condition);
  constexpr size_t kMaxLoops = 4;
  if (slicesInLoops.findObstacle(condition) || loops.size() > kMaxLoops ||
      !isDecidedAtEnds(condition, slices))
    return failure();
  Location loc = entry.getLoc();
  SmallVector<Value> firsts, lasts;
  for (scf::ForOp loop : loops) {
    Value first = cloner.clone(loop.getLowerBound());
    Value one = getConstantLike(first, 1);
    Value end = builder.createOrFold<arith::SubIOp>(
        loc, cloner.clone(loop.getUpperBound()), one);
    Value distance = builder.createOrFold<arith::SubIOp>(loc, end, first);
    // Steps are positive; where they are not, nothing may trap.
    Value step = builder.createOrFold<arith::MaxSIOp>(
        loc, cloner.clone(loop.getStep()), one);
    Value rest = builder.createOrFold<arith::RemSIOp>(loc, distance, step);
    firsts.push_back(first);
    lasts.push_back(builder.createOrFold<arith::SubIOp>(loc, end, rest));
  }
  Value all;
  for (unsigned ends = 0; ends < 1u << loops.size(); ++ends) {
    SliceCloner inTrip = createCloner();
    for (auto [i, loop] : llvm::enumerate(loops))
      inTrip.map(scf::ForOp(loop).getInductionVar(),
                 ends >> i & 1 ? lasts[i] : firsts[i]);
    Value inThis = inTrip.clone(condition);
    all = all ? builder.createOrFold<arith::AndIOp>(loc, all, inThis) : inThis;
  }
  return all;
}

LogicalResult AnswerBuilder::answer(cf::AssertOp assertion) {
  if (holdsAlways(assertion.getArg()))
    return success();
  Loops loops;
  FailureOr<Value> skipped = isSkipped(assertion, loops);
  if (failed(skipped))
    return failure();
  FailureOr<Value> condition = holds(assertion.getArg(), loops);
  if (failed(condition))
    return failure();
  requirements.push_back(*skipped ? builder.createOrFold<arith::OrIOp>(
                                        entry.getLoc(), *skipped, *condition)
                                  : *condition);
  errors.push_back(explain(assertion));
  return success();
}

std::string AnswerBuilder::getName(ArgumentSize size) const {
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  auto names = dict.getAs<ArrayAttr>("input_names");
  std::string name = std::to_string(size.argument);
  if (names && size.argument < names.size())
    if (auto given = dyn_cast<StringAttr>(names[size.argument]))
      name = "'" + given.str() + "'";
  return llvm::formatv("dim {0} of input {1}", size.dim, name);
}

/// The sentence for a caller whose sizes do not meet `assertion`.
std::string AnswerBuilder::explain(cf::AssertOp assertion) const {
  auto comparison = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  if (comparison && comparison.getPredicate() == arith::CmpIPredicate::eq) {
    auto describe = [&](Value side) -> std::string {
      if (std::optional<ArgumentSize> size = slices.getArgumentSize(side))
        return getName(*size);
      std::optional<int64_t> constant = getConstantIntValue(side);
      return constant ? std::to_string(*constant) : "";
    };
    std::string a = describe(comparison.getLhs());
    std::string b = describe(comparison.getRhs());
    if (!a.empty() && !b.empty())
      return assertion.getMsg().str() + ", where " + a + " must be " +
             (getConstantIntValue(comparison.getRhs()) ? "" : "equal to ") + b;
  }
  std::string sources;
  for (ArgumentSize size : slices.getSources(assertion.getArg()))
    sources += (sources.empty() ? "" : ", ") + getName(size);
  return assertion.getMsg().str() +
         (sources.empty() ? "" : ", which follows from " + sources);
}

/// Returns the number of the first requirement that is not met, 0 if all are,
/// and the sizes.
LogicalResult AnswerBuilder::finish(const FrozenRewritePatternSet &patterns) {
  Location loc = entry.getLoc();
  for (auto [result, size] :
       llvm::zip_equal(results, getDynamicSizes(entry.getResultTypes()))) {
    requirements.push_back(
        compare(arith::CmpIPredicate::sge, result, getConstantLike(result, 0)));
    errors.push_back(
        llvm::formatv("expected a size of at least 0 of dim {0} of result {1}",
                      size.dim, size.argument));
  }
  // Computed once and folded, what always holds is true.
  SmallVector<Value> all = requirements;
  llvm::append_range(all, results);
  auto terminator = func::ReturnOp::create(builder, loc, all);
  IRRewriter rewriter(builder.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  if (failed(applyPatternsGreedily(function.getBody(), patterns)))
    return failure();
  auto kept = llvm::to_vector(terminator.getOperands());
  ArrayRef<Value> conditions = ArrayRef(kept).take_front(requirements.size());

  builder.setInsertionPoint(terminator);
  SmallVector<std::string> texts;
  SmallVector<Value> distinct;
  for (auto [condition, text] : llvm::zip_equal(conditions, errors))
    if (!holdsAlways(condition) && !llvm::is_contained(distinct, condition)) {
      distinct.push_back(condition);
      texts.push_back(text);
    }
  Value failing = arith::ConstantIndexOp::create(builder, loc, 0);
  for (size_t i = distinct.size(); i-- > 0;) {
    Value number = arith::ConstantIndexOp::create(builder, loc, i + 1);
    failing =
        arith::SelectOp::create(builder, loc, distinct[i], failing, number);
  }
  errors = texts;
  SmallVector<Value> returned = {failing};
  llvm::append_range(returned, ArrayRef(kept).drop_front(requirements.size()));
  terminator->setOperands(returned);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), TypeRange(ValueRange(returned))));
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
    SmallVector<Question> questions = askQuestions(entry, mapping);
    SmallVector<ArgumentSize> sizes = getDynamicSizes(copy->getResultTypes());
    Operation *terminator = copy->front().getTerminator();
    OpBuilder ofCopy(terminator);
    SmallVector<Value> wanted;
    for (auto [result, dim] : sizes)
      wanted.push_back(ofCopy.createOrFold<tensor::DimOp>(
          terminator->getLoc(), terminator->getOperand(result), dim));
    terminator->setOperands(wanted);
    if (failed(applyPatternsGreedily(copy->getBody(), patterns)))
      return failure();
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(*copy);
    eliminateCommonSubExpressions(rewriter, dominance, *copy);
    // What is the same is equal.
    if (failed(applyPatternsGreedily(copy->getBody(), patterns)))
      return failure();

    SymbolTable symbols(getOperation());
    AnswerBuilder answers(entry, *copy, symbols);
    if (failed(answers.addSizes(sizes, terminator->getOperands())))
      return failure();
    SmallVector<Question> unanswered;
    for (const Question &question : questions) {
      if (failed(answers.answer(question.assertion)))
        unanswered.push_back(question);
      else if (!question.requirement)
        // What is checked before the call needs no check in it.
        question.original->erase();
    }
    if (failed(answers.finish(patterns)))
      return failure();
    assertInEntry(unanswered);
    if (failed(applyPatternsGreedily(entry.getBody(), patterns)))
      return failure();
    Builder builder(&getContext());
    auto errors = llvm::map_to_vector(
        answers.errors,
        [](const std::string &text) -> StringRef { return text; });
    updateEntry(entry, {builder.getNamedAttr(
                            "shapes", SymbolRefAttr::get(answers.function)),
                        builder.getNamedAttr("shape_errors",
                                             builder.getStrArrayAttr(errors))});
    return success();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
