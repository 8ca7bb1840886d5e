//===-- EvaluateConstants.cpp - Values known at compile time --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interpreter of float arithmetic on small tensors, op by op over all
// elements.
//
//===----------------------------------------------------------------------===//

#include "EvaluateConstants.h"
#include "ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

/// Elements of what is worth a look: channels of the widest layers, no images.
static constexpr int64_t kMaxElements = 64 * 1024;
/// What is larger must not grow: a broadcast stays one.
static constexpr int64_t kMaxBroadcastElements = 4 * 1024;
/// Ops that one question may look at, so that folding stays linear.
static constexpr unsigned kMaxOps = 32;

using Elements = SmallVector<double>;

static bool isKnownOp(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::ExtFOp, arith::TruncFOp,
             math::SqrtOp, math::RsqrtOp, math::ExpOp, math::LogOp,
             math::Log1pOp, math::TanhOp, math::AbsFOp>(op) ||
         (op->hasTrait<OpTrait::ConstantLike>() &&
          isa<FloatType>(op->getResult(0).getType()));
}

/// The result for one element of `op`, which isKnownOp and no constant.
static double computeElement(Operation *op, double x, double y) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<arith::AddFOp>([&](auto) { return x + y; })
      .Case<arith::SubFOp>([&](auto) { return x - y; })
      .Case<arith::MulFOp>([&](auto) { return x * y; })
      .Case<arith::DivFOp>([&](auto) { return x / y; })
      .Case<arith::NegFOp>([&](auto) { return -x; })
      .Case<arith::MaximumFOp>([&](auto) {
        return llvm::maximum(APFloat(x), APFloat(y)).convertToDouble();
      })
      .Case<arith::MinimumFOp>([&](auto) {
        return llvm::minimum(APFloat(x), APFloat(y)).convertToDouble();
      })
      .Case<arith::MaxNumFOp>([&](auto) { return std::fmax(x, y); })
      .Case<arith::MinNumFOp>([&](auto) { return std::fmin(x, y); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return x; })
      .Case<math::SqrtOp>([&](auto) { return std::sqrt(x); })
      .Case<math::RsqrtOp>([&](auto) { return 1.0 / std::sqrt(x); })
      .Case<math::ExpOp>([&](auto) { return std::exp(x); })
      .Case<math::LogOp>([&](auto) { return std::log(x); })
      .Case<math::Log1pOp>([&](auto) { return std::log1p(x); })
      .Case<math::TanhOp>([&](auto) { return std::tanh(x); })
      .Case<math::AbsFOp>([&](auto) { return std::fabs(x); });
}

/// `value` as a number of float type `type` has it.
static double roundTo(double value, Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat result(value);
  bool losesInfo;
  result.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.convertToDouble();
}

/// The source of a reshape, or null.
static Value getReshaped(Value tensor) {
  if (auto op = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    return op.getSrc();
  if (auto op = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return op.getSrc();
  return {};
}

/// Scalars that a body uses from outside must be constants.
static bool hasKnownBody(LinalgOp op) {
  for (Operation &inner : *op.getBlock()) {
    if (!isa<linalg::YieldOp>(inner) && !isKnownOp(&inner))
      return false;
    for (Value operand : inner.getOperands()) {
      FloatAttr constant;
      if (operand.getParentBlock() != op.getBlock() &&
          !matchPattern(operand, m_Constant(&constant)))
        return false;
    }
  }
  return true;
}

static bool hasKnownForm(LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() || !hasKnownBody(op))
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isIdentity() ||
        op.payloadUsesValueFromOperand(&init))
      return false;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).isProjectedPermutation(
        /*allowZeroInResults=*/true);
  });
}

static int64_t getLargestInput(LinalgOp op) {
  int64_t largest = 0;
  for (Value input : op.getDpsInputs())
    if (auto type = dyn_cast<RankedTensorType>(input.getType());
        type && type.hasStaticShape())
      largest = std::max(largest, type.getNumElements());
  return largest;
}

static bool isKnown(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  FloatAttr scalar;
  if (isa<FloatType>(value.getType()))
    return matchPattern(op, m_Constant(&scalar));
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > kMaxElements ||
      !isa<FloatType>(type.getElementType()))
    return false;
  if (ElementsAttr constant = getConstantTensor(value))
    return isa<DenseElementsAttr>(constant) || getRawElements(constant);
  if (!seen.insert(op).second)
    return true;
  if (seen.size() > kMaxOps)
    return false;
  if (Value source = getReshaped(value))
    return isKnown(source, seen);
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && hasKnownForm(linalgOp) &&
         type.getNumElements() <=
             std::max(kMaxBroadcastElements, getLargestInput(linalgOp)) &&
         llvm::all_of(linalgOp.getDpsInputs(),
                      [&](Value input) { return isKnown(input, seen); });
}

namespace {
/// Remembers each op's results, so that what is read twice is computed once.
class Evaluator {
public:
  explicit Evaluator(bool roundEach) : roundEach(roundEach) {}

  const Elements *evaluate(Value value) {
    if (auto it = known.find(value); it != known.end())
      return &it->second;
    FloatAttr scalar;
    if (matchPattern(value, m_Constant(&scalar)))
      return remember(value, {scalar.getValueAsDouble()});
    if (ElementsAttr constant = getConstantTensor(value)) {
      std::optional<Elements> elements = getAsDoubles(constant);
      return elements ? remember(value, std::move(*elements)) : nullptr;
    }
    if (Value source = getReshaped(value)) {
      const Elements *elements = evaluate(source);
      return elements ? remember(value, Elements(*elements)) : nullptr;
    }
    if (!run(value.getDefiningOp<LinalgOp>()))
      return nullptr;
    return &known.find(value)->second;
  }

private:
  const Elements *remember(Value value, Elements elements) {
    return &(known[value] = std::move(elements));
  }

  /// One element per iteration of the loops.
  Elements spread(const Elements &elements, ArrayRef<int64_t> shape,
                  AffineMap map, ArrayRef<int64_t> loops) {
    SmallVector<int64_t> strides = getLoopStrides(map, shape);
    Elements result;
    SmallVector<int64_t> index(loops.size(), 0);
    int64_t count = llvm::product_of(loops), offset = 0;
    result.reserve(count);
    for (int64_t n = 0; n < count; ++n) {
      result.push_back(elements[offset]);
      for (int64_t i = loops.size() - 1; i >= 0; --i) {
        offset += strides[i];
        if (++index[i] < loops[i])
          break;
        offset -= strides[i] * loops[i];
        index[i] = 0;
      }
    }
    return result;
  }

  Elements compute(Operation &op, int64_t count,
                   const llvm::DenseMap<Value, Elements> &values) {
    Type type = op.getResult(0).getType();
    FloatAttr constant;
    if (matchPattern(&op, m_Constant(&constant)))
      return Elements(count, constant.getValueAsDouble());
    const Elements &x = values.find(op.getOperand(0))->second;
    const Elements &y =
        values.find(op.getOperand(op.getNumOperands() - 1))->second;
    Elements result(count);
    for (int64_t i = 0; i < count; ++i)
      result[i] = computeElement(&op, x[i], y[i]);
    if (roundEach)
      for (double &element : result)
        element = roundTo(element, type);
    return result;
  }

  bool run(LinalgOp op) {
    SmallVector<int64_t> loops = op.getStaticLoopRanges();
    int64_t count = llvm::product_of(loops);
    llvm::DenseMap<Value, Elements> values;
    for (OpOperand *input : op.getDpsInputOperands()) {
      const Elements *elements = evaluate(input->get());
      if (!elements)
        return false;
      values[op.getMatchingBlockArgument(input)] =
          spread(*elements, op.getShape(input),
                 op.getMatchingIndexingMap(input), loops);
    }
    auto addCaptured = [&](Operation &inner) {
      for (Value operand : inner.getOperands()) {
        FloatAttr constant;
        if (operand.getParentBlock() != op.getBlock() &&
            matchPattern(operand, m_Constant(&constant)))
          values[operand] = Elements(count, constant.getValueAsDouble());
      }
    };
    for (Operation &inner : op.getBlock()->without_terminator()) {
      addCaptured(inner);
      Elements result = compute(inner, count, values);
      values[inner.getResult(0)] = std::move(result);
    }
    Operation *yield = op.getBlock()->getTerminator();
    addCaptured(*yield);
    for (auto [yielded, result] :
         llvm::zip_equal(yield->getOperands(), op->getResults()))
      known[result] = values.find(yielded)->second;
    return true;
  }

  bool roundEach;
  llvm::DenseMap<Value, Elements> known;
};
} // namespace

SmallVector<int64_t> fusion::getLoopStrides(AffineMap map,
                                            ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t i = int64_t(map.getNumResults()) - 1; i >= 0; --i) {
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i)))
      strides[dim.getPosition()] = stride;
    stride *= shape[i];
  }
  return strides;
}

bool fusion::isEvaluable(Value tensor) {
  llvm::SmallPtrSet<Operation *, kMaxOps> seen;
  return isKnown(tensor, seen);
}

std::optional<SmallVector<double>> fusion::evaluateConstant(Value tensor,
                                                            bool roundEach) {
  if (!isEvaluable(tensor))
    return std::nullopt;
  Evaluator evaluator(roundEach);
  const Elements *elements = evaluator.evaluate(tensor);
  return elements ? std::make_optional(*elements) : std::nullopt;
}

static std::optional<Elements>
evaluateScalar(Value scalar,
               function_ref<std::optional<Elements>(BlockArgument)> getArgument,
               unsigned &numOps) {
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return getArgument(argument);
  FloatAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return Elements{constant.getValueAsDouble()};
  Operation *op = scalar.getDefiningOp();
  if (!isKnownOp(op) || numOps == 0)
    return std::nullopt;
  --numOps;
  auto x = evaluateScalar(op->getOperand(0), getArgument, numOps);
  auto y = op->getNumOperands() == 1
               ? x
               : evaluateScalar(op->getOperand(1), getArgument, numOps);
  if (!x || !y)
    return std::nullopt;
  // No elements stay none beside one for all.
  Elements result(x->size() == 1 ? y->size() : x->size());
  for (auto [i, element] : llvm::enumerate(result))
    element =
        roundTo(computeElement(op, (*x)[i % x->size()], (*y)[i % y->size()]),
                scalar.getType());
  return result;
}

std::optional<Elements> fusion::evaluateScalar(
    Value scalar,
    function_ref<std::optional<Elements>(BlockArgument)> getArgument) {
  unsigned numOps = kMaxOps;
  return ::evaluateScalar(scalar, getArgument, numOps);
}
