//===-- Shrink.cpp - Smaller sizes of a graph -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dim that gets smaller makes others smaller: those that an op's maps tie to
// it, by a factor where there is a stride. This spreads from one dim until
// nothing new is met; then types, constants and attributes are rewritten. What
// no rule here ties, the verifier and the reference refuse.
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"
#include "Case.h"
#include "CutConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getRunShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (function)
    if (auto shape = function.getArgAttrOfType<DenseI64ArrayAttr>(
            argument.getArgNumber(), kShapeAttr))
      return SmallVector<int64_t>(shape.asArrayRef());
  return SmallVector<int64_t>(type.getShape());
}

SmallVector<LeafDim> fuzz::getLeafDims(func::FuncOp main) {
  SmallVector<LeafDim> leaves;
  auto add = [&](Value value) {
    for (auto [dim, size] : llvm::enumerate(getRunShape(value)))
      if (size > 1)
        leaves.push_back({value, unsigned(dim), size});
  };
  for (Value argument : main.getArguments())
    add(argument);
  main.walk([&](Operation *op) {
    if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
      add(op->getResult(0));
  });
  return leaves;
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

namespace {
class Shrinker {
public:
  explicit Shrinker(func::FuncOp main)
      : module(main->getParentOfType<ModuleOp>()) {}

  bool spread(Value value, unsigned dim, int64_t less) {
    return set(value, dim, less) && run();
  }
  bool apply();

private:
  using Key = std::pair<Value, unsigned>;

  bool set(Value value, unsigned dim, int64_t less) {
    if (less == 0)
      return true;
    auto [it, isNew] = deltas.try_emplace(Key(value, dim), less);
    if (!isNew)
      return it->second == less;
    work.push_back(value);
    return true;
  }
  int64_t get(Value value, unsigned dim) const {
    return deltas.lookup(Key(value, dim));
  }
  bool equate(Value a, unsigned dimA, Value b, unsigned dimB) {
    return set(a, dimA, get(b, dimB)) && set(b, dimB, get(a, dimA));
  }
  bool equate(Value a, Value b) {
    auto type = dyn_cast<RankedTensorType>(a.getType());
    for (unsigned dim = 0; type && dim < type.getRank(); ++dim)
      if (!equate(a, dim, b, dim))
        return false;
    return true;
  }
  bool equateAll(ValueRange a, ValueRange b) {
    return llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
      return equate(std::get<0>(pair), std::get<1>(pair));
    });
  }

  bool run();
  bool visit(Operation *op);
  bool visitLinalg(linalg::LinalgOp op);
  bool visitReshape(Value whole, Value split,
                    ArrayRef<ReassociationIndices> groups);
  bool visitCall(func::CallOp call);
  bool applyTo(Value value);
  void applyToSlice(Operation *op);

  ModuleOp module;
  llvm::DenseMap<Key, int64_t> deltas;
  SmallVector<Value> work;
};
} // namespace

bool Shrinker::run() {
  for (int steps = 0; !work.empty(); ++steps) {
    if (steps > 2000)
      return false;
    Value value = work.pop_back_val();
    SmallVector<Operation *> ops(value.getUsers());
    if (Operation *op = value.getDefiningOp())
      ops.push_back(op);
    else
      ops.push_back(value.getParentBlock()->getParentOp());
    for (Operation *op : ops)
      if (!visit(op))
        return false;
  }
  return true;
}

/// Loops are dims of no value: they get theirs from plain dims of operands,
/// then windows follow.
bool Shrinker::visitLinalg(linalg::LinalgOp op) {
  SmallVector<int64_t> loops(op.getNumLoops(), 0);
  auto forEach = [&](auto callee) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (!callee(operand.get(), unsigned(dim), expr))
          return false;
    return true;
  };
  for (auto [result, init] :
       llvm::zip_equal(op->getResults(), op.getDpsInits()))
    if (!equate(result, init))
      return false;
  bool isClear = forEach([&](Value value, unsigned dim, AffineExpr expr) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    int64_t less = get(value, dim);
    if (!loop || less == 0)
      return true;
    int64_t &known = loops[loop.getPosition()];
    bool fits = known == 0 || known == less;
    known = less;
    return fits;
  });
  if (!isClear)
    return false;
  // factor * loop, summed.
  auto getFactors = [&](AffineExpr expr) {
    SmallVector<int64_t> factors(op.getNumLoops(), 0);
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        factors[dim.getPosition()] =
            std::max<int64_t>(factors[dim.getPosition()], 1);
      auto product = dyn_cast<AffineBinaryOpExpr>(part);
      if (!product || part.getKind() != AffineExprKind::Mul)
        return;
      auto dim = dyn_cast<AffineDimExpr>(product.getLHS());
      auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
      if (dim && constant)
        factors[dim.getPosition()] = constant.getValue();
    });
    return factors;
  };
  isClear = forEach([&](Value value, unsigned dim, AffineExpr expr) {
    if (isa<AffineDimExpr, AffineConstantExpr>(expr))
      return true;
    SmallVector<int64_t> factors = getFactors(expr);
    int64_t sum = 0;
    for (auto [factor, less] : llvm::zip_equal(factors, loops))
      sum += std::abs(factor) * less;
    int64_t less = get(value, dim);
    if (sum != 0)
      return set(value, dim, sum);
    if (less == 0)
      return true;
    // The image gets smaller: so does the result.
    for (auto [loop, factor] : llvm::enumerate(factors))
      if (factor > 0 && less % factor == 0 &&
          op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel) {
        loops[loop] = less / factor;
        return true;
      }
    return false;
  });
  return isClear && forEach([&](Value value, unsigned dim, AffineExpr expr) {
           auto loop = dyn_cast<AffineDimExpr>(expr);
           return !loop || set(value, dim, loops[loop.getPosition()]);
         });
}

bool Shrinker::visitReshape(Value whole, Value split,
                            ArrayRef<ReassociationIndices> groups) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(split.getType()).getShape();
  for (auto [dim, group] : llvm::enumerate(groups)) {
    int64_t ofWhole = get(whole, unsigned(dim)), size = 1, numSmaller = 0;
    for (int64_t part : group) {
      size *= shape[part];
      numSmaller += get(split, unsigned(part)) != 0;
    }
    if (numSmaller > 1 || (ofWhole == 0 && numSmaller == 0))
      continue;
    bool isDone = false;
    for (int64_t part : group) {
      int64_t rest = size / std::max<int64_t>(shape[part], 1);
      int64_t less = get(split, unsigned(part));
      if (numSmaller == 1 && less == 0)
        continue;
      if (numSmaller == 0 &&
          (ofWhole % rest != 0 || ofWhole / rest >= shape[part]))
        continue;
      isDone = numSmaller == 1 ? set(whole, unsigned(dim), less * rest)
                               : set(split, unsigned(part), ofWhole / rest);
      break;
    }
    if (!isDone)
      return false;
  }
  return true;
}

bool Shrinker::visitCall(func::CallOp call) {
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return false;
  return equateAll(call.getOperands(), callee.getArguments()) &&
         equateAll(call.getResults(),
                   callee.front().getTerminator()->getOperands());
}

bool Shrinker::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (isa<arith::ConstantOp, tensor::EmptyOp, tensor::DimOp, tensor::ExtractOp>(
          op))
    return true;
  if (isa<tensor::PadOp, tensor::CastOp, linalg::SoftmaxOp>(op)) {
    Value init = op->getNumOperands() > 1 && isa<linalg::SoftmaxOp>(op)
                     ? op->getOperand(1)
                     : op->getOperand(0);
    return equate(op->getResult(0), op->getOperand(0)) &&
           equate(op->getResult(0), init);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visitReshape(collapse.getResult(), collapse.getSrc(),
                        collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitReshape(expand.getSrc(), expand.getResult(),
                        expand.getReassociationIndices());
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    unsigned at = unsigned(concat.getDim());
    int64_t sum = 0;
    for (Value input : concat.getInputs()) {
      sum += get(input, at);
      for (int64_t dim = 0; dim < concat.getResultType().getRank(); ++dim)
        if (dim != at &&
            !equate(input, unsigned(dim), concat.getResult(), unsigned(dim)))
          return false;
    }
    return sum != 0 ? set(concat.getResult(), at, sum)
                    : get(concat.getResult(), at) == 0;
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    // What is cut off is at the end; a smaller source has the same part.
    return extract.getType().getRank() == extract.getSourceType().getRank();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return insert.getSourceType().getRank() == insert.getType().getRank() &&
           equate(insert.getResult(), insert.getDest());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return equateAll(branch.getResults(), branch.thenYield().getOperands()) &&
           equateAll(branch.getResults(), branch.elseYield().getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return equateAll(loop.getResults(), loop.getInitArgs()) &&
           equateAll(loop.getResults(), loop.getRegionIterArgs()) &&
           equateAll(loop.getResults(), loop.getYieldedValues());
  if (isa<scf::YieldOp>(op))
    return visit(op->getParentOp());
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (isa<func::ReturnOp>(op))
    op = op->getParentOp();
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    bool isClear = true;
    module.walk([&](func::CallOp call) {
      if (call.getCallee() == function.getSymName())
        isClear &= visitCall(call);
    });
    return isClear;
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return false;
  for (Value operand : op->getOperands())
    if (!equate(op->getResult(0), operand))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

bool Shrinker::applyTo(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape()), run = getRunShape(value);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t less = get(value, unsigned(dim));
    if (!ShapedType::isDynamic(run[dim]) && run[dim] - less < 1 && less != 0)
      return false;
    run[dim] -= ShapedType::isDynamic(run[dim]) ? 0 : less;
    shape[dim] -= ShapedType::isDynamic(shape[dim]) ? 0 : less;
  }
  auto smaller = type.clone(shape);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    TypedAttr attr = cutConstant(constant.getValue(), smaller);
    if (!attr)
      return false;
    constant.setValueAttr(attr);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (function && function.getArgAttr(argument.getArgNumber(), kShapeAttr))
      function.setArgAttr(argument.getArgNumber(), kShapeAttr,
                          DenseI64ArrayAttr::get(function.getContext(), run));
  }
  value.setType(smaller);
  return true;
}

/// Attributes that say the sizes again.
void Shrinker::applyToSlice(Operation *op) {
  auto change = [&](ArrayRef<int64_t> sizes, Value value) {
    SmallVector<int64_t> smaller(sizes);
    for (auto [dim, size] : llvm::enumerate(smaller))
      if (!ShapedType::isDynamic(size))
        size -= get(value, unsigned(dim));
    return smaller;
  };
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    extract.setStaticSizes(
        change(extract.getStaticSizes(), extract.getResult()));
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    insert.setStaticSizes(change(insert.getStaticSizes(), insert.getSource()));
  else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(
        change(expand.getStaticOutputShape(), expand.getResult()));
}

bool Shrinker::apply() {
  module.walk([&](Operation *op) { applyToSlice(op); });
  SmallVector<Value> values;
  for (const auto &[key, less] : deltas)
    if (!llvm::is_contained(values, key.first))
      values.push_back(key.first);
  for (Value value : values)
    if (!applyTo(value))
      return false;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      function.setType(FunctionType::get(
          module.getContext(), function.front().getArgumentTypes(),
          function.front().getTerminator()->getOperandTypes()));
  return true;
}

bool fuzz::shrink(func::FuncOp main, size_t index, int64_t less) {
  SmallVector<LeafDim> leaves = getLeafDims(main);
  if (index >= leaves.size())
    return false;
  Shrinker shrinker(main);
  return shrinker.spread(leaves[index].value, leaves[index].dim, less) &&
         shrinker.apply();
}
