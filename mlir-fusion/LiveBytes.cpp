//===-- LiveBytes.cpp - What is alive at once -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts on tensors, before anything is decided about buffers, so that it is a
// measure of what is decided later.
//
//===----------------------------------------------------------------------===//

#include "LiveBytes.h"
#include "FusionDialect/Analysis/KernelWork.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <map>

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Lifetimes of the values of one function, and which of them are one.
class Liveness {
public:
  explicit Liveness(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      made.push_back({argument, 0});
    number(function.front());
    function.walk([&](Operation *op) { joinResults(op); });
    foreign.insert_range(function.getArguments());
  }
  std::optional<int64_t> getMostBytes();

private:
  /// Each op begins at a step and ends at one; its bodies lie between.
  void number(Block &block);
  void joinResults(Operation *op);
  void joinIfLastRead(Value value, Operation *reader, Value result);
  void join(Value a, Value b) {
    same.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  int64_t getLast(Value value) const;

  DenseMap<Operation *, std::pair<int64_t, int64_t>> steps;
  int64_t next = 0;
  /// Every tensor, with the step that makes it.
  SmallVector<std::pair<Value, int64_t>> made;
  llvm::EquivalenceClasses<void *> same;
  /// Values that lie elsewhere.
  DenseSet<Value> foreign;
};
} // namespace

void Liveness::number(Block &block) {
  for (Operation &op : block) {
    int64_t begin = next++;
    for (Region &region : op.getRegions())
      for (Block &body : region) {
        for (BlockArgument argument : body.getArguments())
          made.push_back({argument, begin});
        number(body);
      }
    int64_t end = op.getNumRegions() > 0 ? next++ : begin;
    steps[&op] = {begin, end};
    // A shape alone has no bytes.
    if (isa<tensor::EmptyOp>(op))
      continue;
    for (Value result : op.getResults())
      made.push_back({result, end});
    if (op.hasTrait<OpTrait::ConstantLike>())
      foreign.insert_range(op.getResults());
    if (isa<func::ReturnOp>(op))
      foreign.insert_range(op.getOperands());
  }
}

int64_t Liveness::getLast(Value value) const {
  int64_t last = -1;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers())
    last = std::max(last, steps.at(block->findAncestorOpInBlock(*user)).second);
  return last;
}

void Liveness::joinIfLastRead(Value value, Operation *reader, Value result) {
  if (value.getParentBlock() == reader->getBlock() &&
      !value.getDefiningOp<tensor::EmptyOp>() &&
      !matchPattern(value, m_Constant()) &&
      getLast(value) == steps.at(reader).second)
    join(value, result);
}

void Liveness::joinResults(Operation *op) {
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::ReshapeOp>(op)) {
    join(op->getOperand(0), op->getResult(0));
  } else if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpOperand &init : written.getDpsInitsMutable())
      if (isa<TensorType>(init.get().getType()))
        joinIfLastRead(init.get(), op, written.getTiedOpResult(&init));
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    for (auto [init, carried, result] :
         llvm::zip(loop.getInits(), loop.getRegionIterArgs(), op->getResults()))
      if (isa<TensorType>(result.getType())) {
        join(carried, result);
        joinIfLastRead(init, op, carried);
      }
  }
}

std::optional<int64_t> Liveness::getMostBytes() {
  struct Lifetime {
    int64_t first, last, bytes;
    bool isForeign;
  };
  llvm::MapVector<void *, Lifetime> lifetimes;
  for (auto [value, step] : made) {
    auto type = dyn_cast<TensorType>(value.getType());
    if (!type)
      continue;
    if (!type.hasStaticShape())
      return std::nullopt;
    void *leader = same.getOrInsertLeaderValue(value.getAsOpaquePointer());
    Lifetime &whole =
        lifetimes.try_emplace(leader, Lifetime{step, step, 0, false})
            .first->second;
    whole.first = std::min(whole.first, step);
    whole.last = std::max({whole.last, step, getLast(value)});
    whole.bytes = std::max(whole.bytes, getNumBytes(type));
    whole.isForeign |= foreign.contains(value);
  }
  std::map<int64_t, int64_t> changes;
  for (const auto &[leader, lifetime] : lifetimes)
    if (!lifetime.isForeign) {
      changes[lifetime.first] += lifetime.bytes;
      changes[lifetime.last + 1] -= lifetime.bytes;
    }
  int64_t live = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, live += change);
  return most;
}

std::optional<int64_t> fusion::countLiveBytes(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return std::nullopt;
  return Liveness(function).getMostBytes();
}
