//===-- LoopPaths.cpp - The ways that emitted code goes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line for each of ops that are no roots; their sizes say which they take.
//
//===----------------------------------------------------------------------===//

#include "Paths.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

using Target = TargetInfo;

static int64_t getLanes(linalg::LinalgOp op, const Target &target) {
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  return std::max<int64_t>(type.isIntOrFloat() &&
                                   type.getIntOrFloatBitWidth() >= 8
                               ? target.getLanes(type)
                               : 1,
                           1);
}

/// The size of the last dim of an operand; nothing if there is none, 0 if it is
/// known at run time only.
static std::optional<int64_t> getLast(Value operand) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  if (!type || type.getRank() == 0)
    return std::nullopt;
  int64_t last = type.getShape().back();
  return ShapedType::isDynamic(last) ? 0 : last;
}

static bool isMapped(linalg::LinalgOp op) {
  return isa<linalg::GenericOp>(op.getOperation()) &&
         op.getNumReductionLoops() == 0 && op.getNumDpsInputs() > 0;
}

/// `op` turns blocks: its rows and columns are along its result's last dim and
/// its input's.
static bool isTurned(linalg::LinalgOp op) {
  auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation());
  return transpose && transpose.getPermutation().back() !=
                          int64_t(transpose.getPermutation().size()) - 1;
}

static bool hasRest(std::optional<int64_t> size, int64_t lanes) {
  return size && *size > 1 && *size % lanes != 0;
}
static bool hasWhole(std::optional<int64_t> size, int64_t lanes) {
  return size && *size >= lanes;
}

static bool isReduction(linalg::LinalgOp op, bool ofLastDim) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() == 0 ||
      isa<linalg::ConvolutionOpInterface>(op.getOperation()))
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (map.getNumResults() == 0)
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && (op.getIteratorTypesArray()[last.getPosition()] ==
                  utils::IteratorType::reduction) == ofLastDim;
}

static bool isBroadcast(linalg::LinalgOp op) {
  return isMapped(op) &&
         llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.getNumResults() < map.getNumDims();
         });
}

static bool hasOpInBody(linalg::LinalgOp op, StringRef name) {
  return llvm::any_of(
      op.getBlock()->without_terminator(),
      [&](Operation &inner) { return inner.getName().getStringRef() == name; });
}

#define IF(condition)                                                          \
  [](linalg::LinalgOp op, const Target &target) -> bool {                      \
    (void)op, (void)target;                                                    \
    return condition;                                                          \
  }

static constexpr LoopPath kLoopPaths[] = {
    {"turned blocks",
     IF(isTurned(op) &&
        hasWhole(getLast(op->getOperand(0)), getLanes(op, target)) &&
        hasWhole(getLast(op->getOperand(1)), getLanes(op, target)))},
    {"turned blocks, a rest of rows",
     IF(isTurned(op) &&
        hasRest(getLast(op->getOperand(1)), getLanes(op, target)))},
    {"turned blocks, a rest of columns",
     IF(isTurned(op) &&
        hasRest(getLast(op->getOperand(0)), getLanes(op, target)))},
    {"turned blocks, sizes at run time",
     IF(isTurned(op) &&
        (getLast(op->getOperand(0)) == 0 || getLast(op->getOperand(1)) == 0))},
    {"rows moved",
     IF(isa<linalg::TransposeOp>(op.getOperation()) && !isTurned(op))},
    {"elementwise, whole vectors",
     IF(isMapped(op) &&
        hasWhole(getLast(op->getOperand(0)), getLanes(op, target)))},
    {"elementwise, a rest of a vector",
     IF(isMapped(op) &&
        hasRest(getLast(op->getOperand(0)), getLanes(op, target)))},
    {"elementwise, size at run time",
     IF(isMapped(op) && getLast(op->getOperand(0)) == 0)},
    {"elementwise, broadcast", IF(isBroadcast(op))},
    {"elementwise, reads its position",
     IF(isMapped(op) && hasOpInBody(op, "linalg.index"))},
    {"elementwise, loads in its body",
     IF(isMapped(op) && hasOpInBody(op, "memref.load"))},
    {"elementwise, several results",
     IF(isMapped(op) && op.getNumDpsInits() > 1)},
    {"reduction of the last dim", IF(isReduction(op, /*ofLastDim=*/true))},
    {"reduction of other dims", IF(isReduction(op, /*ofLastDim=*/false))},
    {"products in plain loops",
     IF(isa<linalg::ContractionOpInterface>(op.getOperation()) &&
        !isa<linalg::GenericOp>(op.getOperation()))},
    {"windows in plain loops",
     IF(isa<linalg::ConvolutionOpInterface>(op.getOperation()))},
    {"fills", IF(isa<linalg::FillOp>(op.getOperation()))},
    {"copies", IF(isa<linalg::CopyOp>(op.getOperation()))},
};
#undef IF

ArrayRef<LoopPath> fuzz::getLoopPaths() { return kLoopPaths; }
