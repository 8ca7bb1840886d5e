//===-- RaiseForm.cpp - What a linalg op computes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies and loops, read from regions and indexing maps.
//
//===----------------------------------------------------------------------===//

#include "RaiseForm.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

//===-- Bodies ------------------------------------------------------------===//

std::optional<arith::AtomicRMWKind> fusion::getCombinerKind(Operation *op) {
  using Kind = arith::AtomicRMWKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp>([](auto) { return Kind::addf; })
      .Case<arith::AddIOp>([](auto) { return Kind::addi; })
      .Case<arith::MaximumFOp>([](auto) { return Kind::maximumf; })
      .Case<arith::MaxSIOp>([](auto) { return Kind::maxs; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::maxu; })
      .Case<arith::MinimumFOp>([](auto) { return Kind::minimumf; })
      .Case<arith::MinSIOp>([](auto) { return Kind::mins; })
      .Case<arith::MinUIOp>([](auto) { return Kind::minu; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The value that `value` is a cast of, at most one cast away.
static Value lookThroughCast(Value value, bool &isUnsigned) {
  Operation *op = value.getDefiningOp();
  isUnsigned = isa_and_nonnull<arith::ExtUIOp, arith::UIToFPOp>(op);
  if (isUnsigned ||
      isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::SIToFPOp,
                      arith::TruncFOp, arith::TruncIOp, arith::FPToSIOp>(op))
    return op->getOperand(0);
  return value;
}

/// True if `value` is the same in every iteration: from outside, a constant, or
/// the element of an input.
static bool isZeroPoint(LinalgOp op, Value value) {
  bool isUnsigned;
  value = lookThroughCast(value, isUnsigned);
  if (isUnsigned)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock())
    return argument.getArgNumber() < op.getNumDpsInputs();
  return !op->isProperAncestor(value.getParentRegion()->getParentOp()) ||
         value.getDefiningOp<arith::ConstantOp>();
}

static std::optional<BodyFactor> matchFactor(LinalgOp op, Value value) {
  BodyFactor factor;
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    if (!isZeroPoint(op, sub.getRhs()))
      return std::nullopt;
    factor.zeroPoint = sub.getRhs();
    value = sub.getLhs();
  }
  auto argument =
      dyn_cast<BlockArgument>(lookThroughCast(value, factor.isUnsigned));
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  factor.operand = op.getDpsInputOperand(argument.getArgNumber());
  return factor;
}

/// False for an assertion, which no root would keep.
static bool isMemoryEffectFreeOp(Operation &op) {
  return isMemoryEffectFree(&op);
}

std::optional<ReductionBody> fusion::matchReductionBody(LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op->getNumRegions() != 1)
    return std::nullopt;
  // The result has one element for each step of the parallel loops.
  std::optional<SmallVector<unsigned>> resultLoops =
      getPlainLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (!resultLoops || resultLoops->size() != op.getNumParallelLoops() ||
      llvm::any_of(*resultLoops, [&](unsigned loop) {
        return iterators[loop] != utils::IteratorType::parallel;
      }))
    return std::nullopt;
  Block *block = op.getBlock();
  if (!llvm::all_of(*block, isMemoryEffectFreeOp))
    return std::nullopt;
  Operation *combine = block->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getBlock() != block)
    return std::nullopt;
  std::optional<arith::AtomicRMWKind> kind = getCombinerKind(combine);
  BlockArgument acc = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!kind || !acc.hasOneUse() ||
      !llvm::is_contained(combine->getOperands(), acc))
    return std::nullopt;
  Value term = combine->getOperand(combine->getOperand(0) == acc ? 1 : 0);
  ReductionBody body{*kind, {}, std::nullopt};
  bool isSum =
      kind == arith::AtomicRMWKind::addf || kind == arith::AtomicRMWKind::addi;
  if (Operation *product = term.getDefiningOp();
      isSum && isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product)) {
    std::optional<BodyFactor> lhs = matchFactor(op, product->getOperand(0));
    std::optional<BodyFactor> rhs = matchFactor(op, product->getOperand(1));
    if (!lhs || !rhs || lhs->operand == rhs->operand)
      return std::nullopt;
    body.lhs = *lhs;
    body.rhs = *rhs;
    return body;
  }
  std::optional<BodyFactor> factor = matchFactor(op, term);
  if (!factor || factor->zeroPoint)
    return std::nullopt;
  body.lhs = *factor;
  return body;
}

//===-- Loops -------------------------------------------------------------===//

/// Adds the terms of `expr`, a sum of loops times constants, to `terms`.
static bool addTerms(AffineExpr expr, int64_t factor,
                     SmallVectorImpl<std::pair<unsigned, int64_t>> &terms) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    terms.push_back({dim.getPosition(), factor});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, terms) &&
           addTerms(binary.getRHS(), factor, terms);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t scaled;
  return expr.getKind() == AffineExprKind::Mul && constant &&
         !llvm::MulOverflow(factor, constant.getValue(), scaled) &&
         addTerms(binary.getLHS(), scaled, terms);
}

std::optional<WindowExpr> fusion::matchWindowExpr(LinalgOp op,
                                                  AffineExpr expr) {
  SmallVector<std::pair<unsigned, int64_t>> terms;
  if (isa<AffineDimExpr>(expr) || !addTerms(expr, 1, terms))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  WindowExpr window;
  for (auto [loop, factor] : terms) {
    bool isStep = iterators[loop] == utils::IteratorType::reduction;
    std::optional<unsigned> &place = isStep ? window.step : window.position;
    if (place)
      return std::nullopt;
    place = loop;
    (isStep ? window.dilation : window.stride) = factor;
  }
  return window;
}

std::optional<SmallVector<unsigned>> fusion::getPlainLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

SmallVector<int64_t> fusion::getLoopSizes(LinalgOp op) {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, size] :
         llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(),
                         op.getShape(&operand)))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && !ShapedType::isDynamic(size))
        sizes[loop.getPosition()] = size;
  return sizes;
}

RootFamily fusion::getRootFamily(LinalgOp op, const ReductionBody &body) {
  auto readsWindow = [&](const BodyFactor &factor) {
    return llvm::any_of(op.getMatchingIndexingMap(factor.operand).getResults(),
                        [](AffineExpr expr) {
                          return !isa<AffineDimExpr, AffineConstantExpr>(expr);
                        });
  };
  auto readsReductions = [&](const BodyFactor &factor) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    AffineMap map = op.getMatchingIndexingMap(factor.operand);
    return llvm::all_of(
        loops, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  };
  if (body.rhs && (readsWindow(body.lhs) || readsWindow(*body.rhs)))
    return RootFamily::Conv;
  if (body.rhs)
    return readsReductions(body.lhs) && readsReductions(*body.rhs)
               ? RootFamily::Matmul
               : RootFamily::None;
  return readsWindow(body.lhs) ? RootFamily::Pool : RootFamily::None;
}
