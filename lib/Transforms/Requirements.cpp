//===-- Requirements.cpp - What ops expect of sizes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that must agree, be positive or leave room, said as assertions.
//
//===----------------------------------------------------------------------===//

#include "Requirements.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Two places that an index takes where its loops have trips: the first and the
/// last, but where it skips some between them and a `mod` turns them around.
struct Reach {
  Value low, high;
  /// Whether it takes all places between them.
  bool isDense;
};

class Asserter {
public:
  explicit Asserter(Operation *op)
      : name(op->getName().getStringRef()), loc(op->getLoc()), builder(op) {}

  void ask(Operation *op);
  SmallVector<cf::AssertOp> assertions;

private:
  void askRoot(FusionRootOpInterface root);
  void askLoops(linalg::LinalgOp op);
  /// `expr` indexes dim `dim` of `image`; `trips` are those of the op's loops.
  void askWindow(linalg::LinalgOp op, AffineExpr expr, ArrayRef<Value> trips,
                 Value image, int64_t dim);
  void askSlice(OffsetSizeAndStrideOpInterface op, Value whole);
  void askInserted(tensor::InsertSliceOp op);
  void askExpansion(tensor::ExpandShapeOp op);
  void askCast(tensor::CastOp op);
  void askIndices(Value tensor, ValueRange indices);
  void askSizes(ValueRange sizes) {
    for (Value size : sizes)
      require(arith::CmpIPredicate::sge, size, constant(0),
              "a size of at least 0");
  }

  void require(arith::CmpIPredicate predicate, Value a, Value b,
               StringRef what) {
    Value holds = builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
    if (matchPattern(holds, m_One()))
      return;
    std::string message = ("expected " + what + " in '" + name + "'").str();
    assertions.push_back(cf::AssertOp::create(builder, loc, holds, message));
  }
  void requireEqual(Value a, Value b) {
    require(arith::CmpIPredicate::eq, a, b, "sizes that agree");
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value size(Value tensor, int64_t dim) {
    return builder.createOrFold<tensor::DimOp>(loc, tensor, dim);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value subtract(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value smaller(Value a, Value b) {
    return builder.createOrFold<arith::MinSIOp>(loc, a, b);
  }
  Value larger(Value a, Value b) {
    return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
  }
  Value divide(Value a, Value b) {
    return builder.createOrFold<arith::FloorDivSIOp>(loc, a, b);
  }
  Value value(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  std::optional<Reach> getReach(AffineExpr expr, ArrayRef<Value> trips);
  Reach getReachOfModulo(const Reach &reach, int64_t modulus);

  StringRef name;
  Location loc;
  OpBuilder builder;
};
} // namespace

static bool hasDynamicSize(Operation *op) {
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasRank() && !shaped.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isDynamic) ||
         llvm::any_of(op->getResultTypes(), isDynamic);
}

//===----------------------------------------------------------------------===//
// Loops and windows
//===----------------------------------------------------------------------===//

/// Each dim that a loop steps through has the loop's number of trips; what is
/// indexed by an expression has all that it reaches.
void Asserter::askLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !hasDynamicSize(op))
    return;
  SmallVector<Value> trips(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      Value given = size(operand.get(), dim);
      Value &known = trips[loop.getPosition()];
      if (known)
        requireEqual(known, given);
      else
        known = given;
    }
  }
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isScalar(&operand))
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (!isa<AffineDimExpr>(expr))
          askWindow(op, expr, trips, operand.get(), dim);
}

/// The reach of `expr` if no loop occurs in it twice: then its ends are its
/// parts' ends.
std::optional<Reach> Asserter::getReach(AffineExpr expr,
                                        ArrayRef<Value> trips) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    Value place = constant(number.getValue());
    return Reach{place, place, /*isDense=*/true};
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    if (!trips[loop.getPosition()])
      return std::nullopt;
    Value first = constant(0);
    return Reach{first, add(trips[loop.getPosition()], -1), /*isDense=*/true};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  std::optional<Reach> a =
      binary ? getReach(binary.getLHS(), trips) : std::nullopt;
  if (!a)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<Reach> b = getReach(binary.getRHS(), trips);
    if (!b)
      return std::nullopt;
    Value low = add(a->low, b->low);
    return Reach{low, add(a->high, b->high), a->isDense && b->isDense};
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor)
    return std::nullopt;
  Value by = constant(factor.getValue());
  if (expr.getKind() == AffineExprKind::Mul) {
    Value low = multiply(a->low, by), high = multiply(a->high, by);
    if (factor.getValue() < 0)
      std::swap(low, high);
    return Reach{low, high, a->isDense && std::abs(factor.getValue()) <= 1};
  }
  if (factor.getValue() <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    Value low = divide(a->low, by);
    return Reach{low, divide(a->high, by), a->isDense};
  }
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    Value low = builder.createOrFold<arith::CeilDivSIOp>(loc, a->low, by);
    Value high = builder.createOrFold<arith::CeilDivSIOp>(loc, a->high, by);
    return Reach{low, high, a->isDense};
  }
  return getReachOfModulo(*a, factor.getValue());
}

/// What lies in one period keeps its order; what goes on into the next takes
/// the period's last place and its first.
Reach Asserter::getReachOfModulo(const Reach &reach, int64_t modulus) {
  Value by = constant(modulus), zero = constant(0);
  if (reach.isDense && matchPattern(reach.low, m_Zero()))
    return {zero, smaller(reach.high, constant(modulus - 1)), true};
  Value period = divide(reach.low, by), lastPeriod = divide(reach.high, by);
  Value low = subtract(reach.low, multiply(period, by));
  if (!reach.isDense) {
    Value high = subtract(reach.high, multiply(lastPeriod, by));
    Value first = smaller(low, high);
    return {first, larger(low, high), false};
  }
  // Without trips, `high` is less than `low`.
  Value distance = subtract(reach.high, reach.low);
  Value high = add(low, distance);
  Value isInOne = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, period, lastPeriod);
  low = builder.createOrFold<arith::SelectOp>(loc, isInOne, low, zero);
  Value most = constant(modulus - 1);
  high = builder.createOrFold<arith::SelectOp>(loc, isInOne, high, most);
  return {low, high, true};
}

void Asserter::askWindow(linalg::LinalgOp op, AffineExpr expr,
                         ArrayRef<Value> trips, Value image, int64_t dim) {
  SmallVector<unsigned> occurrences(op.getNumLoops());
  expr.walk([&](AffineExpr part) {
    if (auto loop = dyn_cast<AffineDimExpr>(part))
      ++occurrences[loop.getPosition()];
  });
  if (llvm::any_of(occurrences, [](unsigned count) { return count > 1; }))
    return;
  std::optional<Reach> reach = getReach(expr, trips);
  if (!reach)
    return;
  StringRef what = "windows inside their image";
  Value room = size(image, dim);
  require(arith::CmpIPredicate::sge, reach->low, constant(0), what);
  Value end = add(reach->high, 1);
  require(arith::CmpIPredicate::sle, end, room, what);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// A root says what must be equal in its decomposition, if it has one.
void Asserter::askRoot(FusionRootOpInterface root) {
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

void Asserter::askSlice(OffsetSizeAndStrideOpInterface op, Value whole) {
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
void Asserter::askInserted(tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t sourceDim = 0;
  for (auto [dim, count] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped[dim]) {
      Value given = size(op.getSource(), sourceDim++);
      requireEqual(given, value(count));
    }
}

void Asserter::askExpansion(tensor::ExpandShapeOp op) {
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

void Asserter::askCast(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  for (int64_t dim = 0; from && to && dim < to.getRank(); ++dim)
    if (!to.isDynamicDim(dim)) {
      Value given = size(op.getSource(), dim);
      requireEqual(given, constant(to.getDimSize(dim)));
    }
}

void Asserter::askIndices(Value tensor, ValueRange indices) {
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

void Asserter::ask(Operation *op) {
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
  Asserter asserter(op);
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
