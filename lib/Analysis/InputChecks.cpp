//===-- InputChecks.cpp - What is asked of any model ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that no model of use comes near, and what would be a crash later.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/InputChecks.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Depths
//===----------------------------------------------------------------------===//

namespace {
/// How deep attributes and types are, each looked at once.
class AttributeDepths {
public:
  using Node = PointerUnion<Attribute, Type>;
  bool isTooDeep(Attribute root) { return get(root) > kMaxAttributeNesting; }
  bool isTooDeep(TypeRange types) {
    return llvm::any_of(
        types, [&](Type type) { return get(type) > kMaxAttributeNesting; });
  }
  bool isTooDeep(Operation *op);

private:
  int64_t get(Node root);

  DenseMap<Node, int64_t> depths;
};
} // namespace

static void forEachPart(AttributeDepths::Node node,
                        function_ref<void(AttributeDepths::Node)> visit) {
  if (auto attribute = dyn_cast<Attribute>(node))
    attribute.walkImmediateSubElements(visit, visit);
  else
    cast<Type>(node).walkImmediateSubElements(visit, visit);
}

int64_t AttributeDepths::get(Node root) {
  // What is on it a second time has its parts counted.
  SmallVector<std::pair<Node, bool>> worklist{{root, false}};
  while (!worklist.empty()) {
    auto &[node, isCounted] = worklist.back();
    if (isCounted) {
      int64_t depth = 0;
      forEachPart(node, [&](Node part) {
        depth = std::max(depth, depths.lookup(part) + 1);
      });
      depths[node] = depth;
      worklist.pop_back();
      continue;
    }
    // Zero while its parts are counted: a type may name itself.
    if (!depths.try_emplace(node, 0).second) {
      worklist.pop_back();
      continue;
    }
    isCounted = true;
    forEachPart(Node(node),
                [&](Node part) { worklist.push_back({part, false}); });
  }
  return depths.lookup(root);
}

bool AttributeDepths::isTooDeep(Operation *op) {
  if (isTooDeep(op->getAttrDictionary()) || isTooDeep(op->getResultTypes()))
    return true;
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (isTooDeep(argument.getType()) || isTooDeep(argument.getLoc()))
        return true;
  return isTooDeep(op->getLoc());
}

/// A place in a file that `loc` is made of: an error at what is too deep would
/// be a crash itself.
static Location getPlace(Location loc) {
  llvm::SetVector<Location> parts;
  parts.insert(loc);
  for (size_t i = 0; i < parts.size(); ++i) {
    Location whole = parts[i];
    if (isa<FileLineColRange>(whole))
      return whole;
    whole->walkImmediateSubElements(
        [&](Attribute part) {
          if (auto place = dyn_cast<LocationAttr>(part))
            parts.insert(place);
        },
        [](Type) {});
  }
  return UnknownLoc::get(loc.getContext());
}

static LogicalResult failNesting(Operation *op) {
  return emitError(getPlace(op->getLoc()))
         << "expected attributes, types and locations nested at most "
         << kMaxAttributeNesting << " deep, got deeper ones of '"
         << op->getName() << "'";
}

LogicalResult fusion::verifyNesting(Operation *root) {
  AttributeDepths depths;
  SmallVector<std::pair<Operation *, int64_t>> worklist{{root, 0}};
  while (!worklist.empty()) {
    auto [op, depth] = worklist.pop_back_val();
    if (depth > kMaxNesting)
      return emitError(op->getLoc())
             << "expected regions nested at most " << kMaxNesting
             << " deep, got a '" << op->getName() << "' deeper";
    if (depths.isTooDeep(op))
      return failNesting(op);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          if (inner.getNumRegions() != 0)
            worklist.push_back({&inner, depth + 1});
          else if (depths.isTooDeep(&inner))
            return failNesting(&inner);
  }
  return success();
}

/// Whether terms of `map` lie in terms deeper than kMaxExprDepth.
static bool isTooDeep(AffineMap map) {
  DenseMap<AffineExpr, int64_t> deepest;
  SmallVector<std::pair<AffineExpr, int64_t>> worklist;
  for (AffineExpr expr : map.getResults())
    worklist.push_back({expr, 0});
  while (!worklist.empty()) {
    auto [expr, depth] = worklist.pop_back_val();
    if (depth > kMaxExprDepth)
      return true;
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      continue;
    // Terms may be shared; a shared one counts where it lies deepest.
    auto [known, isNew] = deepest.try_emplace(expr, depth);
    if (!isNew && known->second >= depth)
      continue;
    known->second = depth;
    worklist.push_back({binary.getLHS(), depth + 1});
    worklist.push_back({binary.getRHS(), depth + 1});
  }
  return false;
}

static LogicalResult verifyMaps(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return success();
  if (static_cast<int64_t>(linalgOp.getNumLoops()) > kMaxRank)
    return op->emitOpError() << "expected at most " << kMaxRank
                             << " loops, got " << linalgOp.getNumLoops();
  for (AffineMap map : linalgOp.getIndexingMapsArray())
    if (isTooDeep(map))
      return op->emitOpError() << "expected affine expressions of terms "
                                  "nested at most "
                               << kMaxExprDepth << " deep";
  return success();
}

/// Among loops that carry tensors.
static LogicalResult verifyLoops(Operation *op) {
  int64_t depth = 0;
  for (Operation *around = op; around; around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around) &&
        llvm::any_of(around->getResultTypes(), llvm::IsaPred<TensorType>))
      ++depth;
    else if (around == op)
      return success();
  if (depth <= kMaxCarryingLoops)
    return success();
  return op->emitOpError() << "expected loops that carry tensors nested at "
                              "most "
                           << kMaxCarryingLoops << " deep, got one deeper";
}

static LogicalResult verifyRank(Location loc, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.getRank() <= kMaxRank)
    return success();
  return emitError(loc) << "expected at most " << kMaxRank << " dims, got "
                        << shaped.getRank();
}

static LogicalResult verifyRanks(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(verifyRank(op->getLoc(), type)))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(verifyRank(argument.getLoc(), argument.getType())))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// What upstream's verifiers miss
//===----------------------------------------------------------------------===//

/// The number that stands for "given as an operand" is no number.
static LogicalResult verifyPad(tensor::PadOp pad) {
  auto agrees = [](ArrayRef<int64_t> numbers, ValueRange values) {
    return static_cast<size_t>(
               llvm::count_if(numbers, ShapedType::isDynamic)) == values.size();
  };
  if (agrees(pad.getStaticLow(), pad.getLow()) &&
      agrees(pad.getStaticHigh(), pad.getHigh()))
    return success();
  return pad.emitOpError()
         << "expected an operand for each padding of no fixed size";
}

LogicalResult fusion::verifyInput(ModuleOp module) {
  if (failed(verifyNesting(module)) || failed(verifyTensorSizes(module)))
    return failure();
  auto verifyOp = [](Operation *op) -> WalkResult {
    if (failed(verifyRanks(op)) || failed(verifyMaps(op)) ||
        failed(verifyLoops(op)))
      return failure();
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return verifyPad(pad);
    return success();
  };
  if (module->walk<WalkOrder::PreOrder>(verifyOp).wasInterrupted())
    return failure();
  return verifyInlining(module);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Counts ops once calls are inlined, callees before callers.
class InlinedOps {
public:
  explicit InlinedOps(ModuleOp module) : symbols(module) {}

  LogicalResult verify(Operation *function);

private:
  struct Function {
    /// Ops in it, and what it calls.
    int64_t numOps = 0;
    SmallVector<std::pair<CallOpInterface, Operation *>> calls;
    size_t nextCall = 0;
  };
  Function look(Operation *function);

  SymbolTable symbols;
  /// Zero while callees are counted.
  DenseMap<Operation *, int64_t> counts;
};
} // namespace

InlinedOps::Function InlinedOps::look(Operation *function) {
  Function result;
  function->walk([&](Operation *op) {
    ++result.numOps;
    auto call = dyn_cast<CallOpInterface>(op);
    auto callee =
        call ? dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee())
             : SymbolRefAttr();
    Operation *called =
        callee ? symbols.lookup(callee.getRootReference()) : nullptr;
    if (called)
      result.calls.push_back({call, called});
  });
  return result;
}

/// True if each run of the function around makes this call.
static bool isAlwaysCalled(CallOpInterface call) {
  auto function = dyn_cast<CallableOpInterface>(call->getParentOp());
  return function && call->getBlock() == &function.getCallableRegion()->front();
}

LogicalResult InlinedOps::verify(Operation *function) {
  if (!counts.try_emplace(function, 0).second)
    return success();
  SmallVector<std::pair<Operation *, Function>> stack;
  stack.push_back({function, look(function)});
  while (!stack.empty()) {
    auto &[current, facts] = stack.back();
    if (facts.nextCall == facts.calls.size()) {
      counts[current] = facts.numOps;
      stack.pop_back();
      continue;
    }
    auto [call, called] = facts.calls[facts.nextCall];
    if (counts.try_emplace(called, 0).second) {
      stack.push_back({called, look(called)});
      continue;
    }
    int64_t numOps = counts.lookup(called);
    if (numOps == 0) {
      // It comes back to a function on the stack, and stays a call.
      auto *first = stack.begin();
      while (first->first != called)
        ++first;
      if (llvm::all_of(llvm::make_range(first, stack.end()), [](auto &entry) {
            Function &function = entry.second;
            return isAlwaysCalled(function.calls[function.nextCall].first);
          }))
        return emitError(call->getLoc())
               << "expected recursion that ends, got a cycle of calls without "
                  "a condition by this one";
    }
    facts.numOps += numOps;
    if (facts.numOps > kMaxInlinedOps)
      return emitError(call->getLoc())
             << "expected at most " << kMaxInlinedOps
             << " ops once calls are inlined, got more by this one";
    ++facts.nextCall;
  }
  return success();
}

LogicalResult fusion::verifyInlining(ModuleOp module) {
  InlinedOps ops(module);
  for (Operation &op : *module.getBody())
    if (isa<CallableOpInterface>(op) && failed(ops.verify(&op)))
      return failure();
  return success();
}
