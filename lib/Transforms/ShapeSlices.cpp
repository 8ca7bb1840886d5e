//===-- ShapeSlices.cpp - Sizes that are known before a call --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward slices of scalars that end in sizes of a function's arguments.
//
//===----------------------------------------------------------------------===//

#include "ShapeSlices.h"
#include "SafeArithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Sizes of arguments ------------------------------------------------===//

SmallVector<ArgumentSize> fusion::getDynamicSizes(TypeRange types) {
  SmallVector<ArgumentSize> sizes;
  for (auto [argument, type] : llvm::enumerate(types))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
        if (shaped.isDynamicDim(dim))
          sizes.push_back({static_cast<unsigned>(argument), dim});
  return sizes;
}

Value fusion::getGivenSize(OpBuilder &builder, func::FuncOp entry,
                           ArgumentSize size, ValueRange given) {
  auto type = cast<ShapedType>(entry.getArgumentTypes()[size.argument]);
  if (!type.isDynamicDim(size.dim))
    return arith::ConstantIndexOp::create(builder, entry.getLoc(),
                                          type.getDimSize(size.dim));
  SmallVector<ArgumentSize> sizes = getDynamicSizes(entry.getArgumentTypes());
  return given[llvm::find(sizes, size) - sizes.begin()];
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

//===-- Slices ------------------------------------------------------------===//

void fusion::visitPartsFirst(
    Value value,
    llvm::function_ref<void(Value, SmallVectorImpl<Value> &)> addParts,
    llvm::function_ref<void(Value)> visit) {
  DenseSet<Value> met;
  // With whether its parts have been visited.
  SmallVector<std::pair<Value, bool>> stack{{value, false}};
  SmallVector<Value> parts;
  while (!stack.empty()) {
    auto &[current, isReady] = stack.back();
    if (isReady || !met.insert(current).second) {
      Value done = isReady ? current : Value();
      stack.pop_back();
      if (done)
        visit(done);
      continue;
    }
    isReady = true;
    parts.clear();
    addParts(current, parts);
    for (Value part : llvm::reverse(parts))
      stack.push_back({part, false});
  }
}

static bool isScalar(Value value) {
  return value.getType().isIntOrIndexOrFloat();
}

/// True if `value` is computed from scalars by what can run anywhere.
static bool isScalarArithmetic(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && canRunAnywhere(op) &&
         llvm::all_of(op->getResults(), isScalar) &&
         llvm::all_of(op->getOperands(), isScalar);
}

bool ShapeSlices::isSource(Value value) const {
  return getArgumentSize(value) ||
         (throughLoops && scf::getForInductionVarOwner(value));
}

Value ShapeSlices::findObstacle(Value value) {
  auto addParts = [&](Value current, SmallVectorImpl<Value> &parts) {
    if (!obstacles.contains(current) && !isSource(current) &&
        isScalarArithmetic(current))
      llvm::append_range(parts, current.getDefiningOp()->getOperands());
  };
  auto find = [&](Value current) -> Value {
    if (isSource(current))
      return {};
    if (!isScalarArithmetic(current))
      return current;
    for (Value operand : current.getDefiningOp()->getOperands()) {
      // What waits for itself is known to nobody.
      auto known = obstacles.find(operand);
      if (known == obstacles.end() || known->second)
        return known == obstacles.end() ? operand : known->second;
    }
    return {};
  };
  visitPartsFirst(value, addParts, [&](Value current) {
    if (!obstacles.contains(current)) {
      Value obstacle = find(current);
      obstacles[current] = obstacle;
    }
  });
  return obstacles.lookup(value);
}

SmallVector<ArgumentSize> ShapeSlices::getSources(Value value) const {
  SmallVector<ArgumentSize> sources;
  SetVector<Value> all;
  all.insert(value);
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::optional<ArgumentSize> size = getArgumentSize(all[i])) {
      if (!llvm::is_contained(sources, *size))
        sources.push_back(*size);
    } else if (Operation *op = all[i].getDefiningOp()) {
      all.insert_range(op->getOperands());
    } else if (scf::ForOp loop = scf::getForInductionVarOwner(all[i])) {
      all.insert(loop.getLowerBound());
      all.insert(loop.getUpperBound());
    }
  }
  return sources;
}

void SliceCloner::cloneOp(Value value) {
  if (mapping.contains(value))
    return;
  if (std::optional<ArgumentSize> size = slices.getArgumentSize(value))
    return mapping.map(value, getSize(*size));
  makeSafe(builder, builder.clone(*value.getDefiningOp(), mapping));
}

Value SliceCloner::clone(Value value) {
  visitPartsFirst(
      value,
      [&](Value current, SmallVectorImpl<Value> &parts) {
        if (!mapping.contains(current) && !slices.getArgumentSize(current))
          llvm::append_range(parts, current.getDefiningOp()->getOperands());
      },
      [&](Value current) { cloneOp(current); });
  return mapping.lookup(value);
}

/// What the op of `value` folds to if its operands are `known`; null if it does
/// not fold.
static Attribute foldOne(Value value, const DenseMap<Value, Attribute> &known) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return known.lookup(operand); });
  SmallVector<OpFoldResult> results;
  // Folding in place would change the op.
  OwningOpRef<Operation *> copy = op->clone();
  if (failed(copy->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  auto same = dyn_cast<Value>(result);
  return same ? known.lookup(same) : cast<Attribute>(result);
}

std::optional<int64_t>
fusion::evaluateSlice(Value value, const ShapeSlices &slices,
                      llvm::function_ref<int64_t(ArgumentSize)> getSize,
                      DenseMap<Value, Attribute> &known) {
  visitPartsFirst(
      value,
      [&](Value current, SmallVectorImpl<Value> &parts) {
        Operation *op = current.getDefiningOp();
        if (op && !known.contains(current) && !slices.getArgumentSize(current))
          llvm::append_range(parts, op->getOperands());
      },
      [&](Value current) {
        if (known.contains(current))
          return;
        std::optional<ArgumentSize> size = slices.getArgumentSize(current);
        Attribute result =
            size ? IntegerAttr::get(current.getType(), getSize(*size))
                 : foldOne(current, known);
        known[current] = result;
      });
  auto result = dyn_cast_or_null<IntegerAttr>(known.lookup(value));
  return result ? std::optional<int64_t>(result.getInt()) : std::nullopt;
}
