//===-- ShapeSlices.cpp - Sizes that are known before a call --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward slices of scalars that end in sizes of a function's arguments.
//
//===----------------------------------------------------------------------===//

#include "ShapeSlices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<ArgumentSize> fusion::getDynamicSizes(TypeRange types) {
  SmallVector<ArgumentSize> sizes;
  for (auto [argument, type] : llvm::enumerate(types))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
        if (shaped.isDynamicDim(dim))
          sizes.push_back({static_cast<unsigned>(argument), dim});
  return sizes;
}

std::optional<ArgumentSize> ShapeSlices::getArgumentSize(Value value) const {
  auto op = value.getDefiningOp<ShapedDimOpInterface>();
  if (!op)
    return {};
  auto argument = dyn_cast<BlockArgument>(op.getShapedValue());
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  if (!argument || argument.getOwner() != entry || !dim || *dim < 0 ||
      *dim >= cast<ShapedType>(argument.getType()).getRank())
    return {};
  return ArgumentSize{argument.getArgNumber(), *dim};
}

Value ShapeSlices::findObstacle(Value value) {
  auto [known, isNew] = obstacles.try_emplace(value, value);
  if (!isNew)
    return known->second;
  auto remember = [&](Value obstacle) {
    // The map may have grown.
    obstacles[value] = obstacle;
    return obstacle;
  };
  Operation *op = value.getDefiningOp();
  if (getArgumentSize(value))
    return remember({});
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return value;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (!llvm::all_of(op->getResultTypes(), isScalar))
    return value;
  for (Value operand : op->getOperands()) {
    if (!isScalar(operand.getType()))
      return value;
    if (Value obstacle = findObstacle(operand))
      return remember(obstacle);
  }
  return remember({});
}

/// The operand that `op` divides by, if it does.
static OpOperand *getDivisor(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return &op->getOpOperand(1);
  return nullptr;
}

static void divideByNoZero(OpBuilder &builder, Operation *op) {
  OpOperand *divisor = getDivisor(op);
  if (!divisor || matchPattern(divisor->get(), m_NonZero()))
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Type type = divisor->get().getType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 1));
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       divisor->get(), zero);
  divisor->set(
      arith::SelectOp::create(builder, loc, isZero, one, divisor->get()));
}

Value SliceCloner::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (std::optional<ArgumentSize> size = slices.getArgumentSize(value)) {
    Value given = getSize(*size);
    mapping.map(value, given);
    return given;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    clone(operand);
  divideByNoZero(builder, builder.clone(*op, mapping));
  return mapping.lookup(value);
}

std::optional<int64_t>
fusion::evaluateSlice(Value value, const ShapeSlices &slices,
                      llvm::function_ref<int64_t(ArgumentSize)> getSize,
                      DenseMap<Value, Attribute> &known) {
  auto evaluate = [&](auto &&self, Value value) -> Attribute {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Attribute result;
    if (std::optional<ArgumentSize> size = slices.getArgumentSize(value)) {
      result = IntegerAttr::get(value.getType(), getSize(*size));
    } else if (Operation *op = value.getDefiningOp()) {
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands())
        operands.push_back(self(self, operand));
      SmallVector<OpFoldResult> results;
      // Folding in place would change the op.
      OwningOpRef<Operation *> copy = op->clone();
      if (succeeded(copy->fold(operands, results)) && !results.empty()) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        result = dyn_cast<Attribute>(results[number]);
        if (auto same = dyn_cast_if_present<Value>(results[number]))
          result = self(self, same);
      }
    }
    return known[value] = result;
  };
  auto result = dyn_cast_or_null<IntegerAttr>(evaluate(evaluate, value));
  return result ? std::optional<int64_t>(result.getInt()) : std::nullopt;
}
