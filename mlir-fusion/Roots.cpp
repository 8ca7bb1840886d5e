//===-- Roots.cpp - What each root has absorbed ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers travel as the metadata of fused locations, which passes keep: a root
// keeps its own, and what it absorbs keeps its own inside the epilogue. The
// model's own locations would not do: importers leave them unknown or shared.
//
//===----------------------------------------------------------------------===//

#include "Roots.h"
#include "Census.h"
#include "FusionDialect/Analysis/KernelWork.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Numbers and locations
//===----------------------------------------------------------------------===//

/// The number that a location carries itself, not in its parts.
static std::optional<int64_t> getNumber(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto number =
      fused ? dyn_cast_or_null<IntegerAttr>(fused.getMetadata()) : nullptr;
  return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

/// All numbers in a location: locations of fused ops hold several.
static SmallVector<int64_t> getNumbers(Location loc) {
  SmallVector<int64_t> numbers;
  loc->walk([&](Location part) {
    if (std::optional<int64_t> number = getNumber(part))
      numbers.push_back(*number);
    return WalkResult::advance();
  });
  return numbers;
}

void fusion::numberOps(func::FuncOp function) {
  Builder builder(function.getContext());
  for (auto [number, op] : llvm::enumerate(function.getOps())) {
    Location loc =
        FusedLoc::get({op.getLoc()}, builder.getI64IntegerAttr(number + 1),
                      function.getContext());
    op.setLoc(loc);
    // What is cloned out of a body must tell where it came from.
    op.walk([&](Operation *inner) { inner->setLoc(loc); });
  }
}

RootFinder::RootFinder(func::FuncOp function) {
  for (Operation &op : function.getOps())
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        for (int64_t number : getNumbers(op.getLoc()))
          producers[number].append(getNumbers(producer->getLoc()));
}

void RootFinder::findRoots(func::FuncOp function) {
  function.walk([&](FusionRootOpInterface root) {
    SmallVector<int64_t> own = getNumbers(root.getLoc());
    if (own.empty())
      return;
    for (int64_t number : own)
      rootOfOp[number] = own.front();
    for (Operation &op : root.getEpilogueBlock())
      for (int64_t number : getNumbers(op.getLoc()))
        rootOfOp.try_emplace(number, own.front());
  });
}

std::optional<int64_t> RootFinder::find(Location loc) const {
  // Breadth first: the nearest root.
  SmallVector<int64_t> queue = getNumbers(loc);
  DenseSet<int64_t> seen;
  for (size_t i = 0; i < queue.size(); ++i) {
    int64_t number = queue[i];
    if (!seen.insert(number).second)
      continue;
    if (auto it = rootOfOp.find(number); it != rootOfOp.end())
      return it->second;
    if (auto it = producers.find(number); it != producers.end())
      queue.append(it->second);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// max(x, 0), or select(x > 0, x, 0) in any order.
static bool isRelu(Operation &op) {
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return llvm::any_of(op.getOperands(), isZero);
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return false;
  Value zero = select.getFalseValue(), kept = select.getTrueValue();
  if (!isZero(zero))
    std::swap(zero, kept);
  Operation *compare = select.getCondition().getDefiningOp();
  return isZero(zero) && compare &&
         isa<arith::CmpFOp, arith::CmpIOp>(compare) &&
         llvm::is_contained(compare->getOperands(), kept) &&
         llvm::any_of(compare->getOperands(), isZero);
}

/// True if one of the root's operands by channel goes into an `OpTy`.
template <typename... OpTy>
static bool usesChannelOperand(FusionRootOpInterface root) {
  for (unsigned i = 0; i < root.getNumEpilogueOperands(); ++i)
    if (root.getEpilogueOperandDims(i) ==
            ArrayRef<int64_t>{root.getChannelDim()} &&
        llvm::any_of(root.getEpilogueArgument(i).getUsers(),
                     llvm::IsaPred<OpTy...>))
      return true;
  return false;
}

static bool hasResidual(FusionRootOpInterface root) {
  bool found = root.readsInit();
  for (unsigned i = 0; i < root.getNumEpilogueOperands(); ++i)
    found |= root.isIdentityEpilogueOperand(i);
  return found;
}

static RootInfo describe(FusionRootOpInterface root) {
  RootInfo info;
  SmallVector<int64_t> numbers = getNumbers(root.getLoc());
  info.number = numbers.empty() ? 0 : numbers.front();
  info.op = root->getName().getStringRef().str();
  llvm::raw_string_ostream(info.type) << root.getInitType();
  info.location = getLocationText(root.getLoc());
  for (Operation &op : root.getEpilogueBlock()) {
    info.relu |= isRelu(op);
    if (!op.hasTrait<OpTrait::ConstantLike>() && !isa<YieldOp>(op))
      info.epilogue.push_back(op.getName().getStringRef().str());
  }
  info.residual = hasResidual(root);
  info.flops = countFlops(root);
  info.resultBytes = getNumBytes(root.getInitType());
  for (Value operand : root->getOperands())
    if (matchPattern(operand, m_Constant()))
      info.constantBytes += getNumBytes(operand.getType());
  return info;
}

std::vector<RootInfo> fusion::describeRoots(func::FuncOp function,
                                            const RemarkLog &log,
                                            const RootFinder &finder) {
  DenseMap<int64_t, std::vector<std::string>> rules;
  for (const CollectedRemark &remark : log.getRemarks())
    if (remark.fused)
      if (std::optional<int64_t> root = finder.find(remark.loc))
        rules[*root].push_back(remark.rule);
  std::vector<RootInfo> roots;
  function.walk([&](FusionRootOpInterface root) {
    RootInfo info = describe(root);
    info.rules = rules[info.number];
    bool scaled = usesChannelOperand<arith::MulFOp, arith::DivFOp>(root) ||
                  llvm::is_contained(info.rules, "fold-scale-into-weights");
    info.batchNorm =
        scaled && usesChannelOperand<arith::AddFOp, arith::SubFOp>(root);
    roots.push_back(std::move(info));
  });
  return roots;
}
