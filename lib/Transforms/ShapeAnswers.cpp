//===-- ShapeAnswers.cpp - The function of sizes beside an entry ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which answers follow from sizes of inputs alone, also behind branches and
// loops, and their code.
//
//===----------------------------------------------------------------------===//

#include "ShapeAnswers.h"
#include "FusionDialect/Analysis/Entry.h"
#include "ResolveSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fusion;

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
      Value first = cloner.clone(loop.getLowerBound());
      skips.push_back(compare(arith::CmpIPredicate::sge, first,
                              cloner.clone(loop.getUpperBound())));
      loops.push_back(loop);
    } else if (!isa<scf::ExecuteRegionOp>(parent)) {
      return failure();
    }
  }
  Value any;
  for (Value skip : llvm::reverse(skips))
    any = any ? either(any, skip) : skip;
  return any;
}

/// What wraps around is no line. Sizes have 64 bits, in which they do not wrap
/// if no number beside them is large.
static bool hasBitsOfSizes(Type type) {
  return type.isIndex() || type.isInteger(64);
}
static bool isLarge(int64_t number) { return !llvm::isInt<32>(number); }

/// Whether `value` is, as a function of one induction variable after the other,
/// a straight line: then its extremes are at the first and the last trips.
bool AnswerBuilder::isLinear(Value value) {
  auto addParts = [&](Value current, SmallVectorImpl<Value> &parts) {
    Operation *op = current.getDefiningOp();
    if (op && !linear.contains(current) && slices.findObstacle(current) &&
        op->getNumRegions() == 0)
      llvm::append_range(parts, op->getOperands());
  };
  visitPartsFirst(value, addParts, [&](Value current) {
    // Its operands, which are asked again, are known by now.
    if (linear.try_emplace(current, false).second) {
      bool answer = computeLinear(current);
      linear[current] = answer;
    }
  });
  return linear.lookup(value);
}

bool AnswerBuilder::computeLinear(Value value) {
  if (scf::getForInductionVarOwner(value))
    return true;
  if (!slices.findObstacle(value))
    return !isLarge(getConstantIntValue(value).value_or(0));
  Operation *op = value.getDefiningOp();
  auto areLinear = [&](ValueRange values) {
    return llvm::all_of(values,
                        [&](Value part) { return linear.lookup(part); });
  };
  if (!op || !hasBitsOfSizes(value.getType()))
    return false;
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
    if (auto number = dyn_cast<AffineConstantExpr>(part))
      hasOnlySums &= !isLarge(number.getValue());
    hasOnlySums &= !binary || part.getKind() == AffineExprKind::Add ||
                   (part.getKind() == AffineExprKind::Mul &&
                    isa<AffineConstantExpr>(binary.getRHS()));
  });
  return hasOnlySums;
}

/// Whether `condition` holds in all trips if it does in the first and the last.
bool AnswerBuilder::isDecidedAtEnds(Value condition) {
  auto addParts = [&](Value current, SmallVectorImpl<Value> &parts) {
    auto both = current.getDefiningOp<arith::AndIOp>();
    if (both && !decided.contains(current) && slices.findObstacle(current))
      parts.append({both.getLhs(), both.getRhs()});
  };
  auto decide = [&](Value current) {
    if (!slices.findObstacle(current))
      return true;
    if (auto both = current.getDefiningOp<arith::AndIOp>())
      return decided.lookup(both.getLhs()) && decided.lookup(both.getRhs());
    return comparesLines(current.getDefiningOp<arith::CmpIOp>());
  };
  visitPartsFirst(condition, addParts, [&](Value current) {
    if (!decided.contains(current)) {
      bool answer = decide(current);
      decided[current] = answer;
    }
  });
  return decided.lookup(condition);
}

bool AnswerBuilder::comparesLines(arith::CmpIOp comparison) {
  return comparison &&
         llvm::is_contained(
             {arith::CmpIPredicate::eq, arith::CmpIPredicate::sle,
              arith::CmpIPredicate::slt, arith::CmpIPredicate::sge,
              arith::CmpIPredicate::sgt},
             comparison.getPredicate()) &&
         isLinear(comparison.getLhs()) && isLinear(comparison.getRhs());
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
      !isDecidedAtEnds(condition))
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
  requirements.push_back(*skipped ? either(*skipped, *condition) : *condition);
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
  if (failed(mergeAndResolve(function, patterns)))
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
