//===-- Reduce.cpp - Smaller graphs that still fail -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step is tried on a copy in a process of its own: fewer switches, results
// that are earlier values, arguments in the place of what computes them,
// operands in the place of results, TOSA as linalg, smaller sizes.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "Evaluate.h"
#include "Shrink.h"
#include "Worker.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

/// The ops of @main, in their order.
static SmallVector<Operation *> getOps(ModuleOp module) {
  return llvm::map_to_vector(getMain(module).front().without_terminator(),
                             [](Operation &op) { return &op; });
}

/// Removes what nobody reads: ops, arguments, functions.
static void clean(ModuleOp module) {
  func::FuncOp function = getMain(module);
  SmallVector<Operation *> ops = getOps(module);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && op->getNumResults() > 0)
      op->erase();
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (function.getArgument(i).use_empty())
      (void)function.eraseArgument(i);
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other != function && SymbolTable::symbolKnownUseEmpty(other, module))
      other.erase();
}

/// Makes @main return these values.
static void setResults(ModuleOp module, ArrayRef<Value> results) {
  func::FuncOp function = getMain(module);
  function.front().getTerminator()->setOperands(results);
  function.setType(FunctionType::get(module.getContext(),
                                     function.front().getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  function.removeResAttrsAttr();
}

namespace {
class Reducer {
public:
  Reducer(ModuleOp module, Outcome &outcome, unsigned timeLimit,
          const CheckFn &check)
      : module(module), outcome(outcome), timeLimit(timeLimit), check(check) {}

  void run() {
    reduceSettings();
    bool changed = true;
    for (int round = 0; changed && round < 4; ++round) {
      changed = cutTail();
      changed |= dropOps();
      changed |= cutHead();
    }
    attempt([](ModuleOp copy) {
      return hasTosa(copy) && succeeded(lowerToLinalg(copy));
    });
    triesLeft = 200;
    while (shrinkSizes())
      ;
    triesLeft = 100;
    dropOps();
    cutHead();
    reduceSettings();
  }

private:
  /// Applies `change` to a copy; keeps it if that still fails.
  bool attempt(llvm::function_ref<bool(ModuleOp)> change) {
    if (--triesLeft < 0)
      return false;
    OwningOpRef<ModuleOp> copy = module.clone();
    if (!change(*copy))
      return false;
    clean(*copy);
    // Verified by the child, too: upstream's verifiers have faults.
    Outcome tried =
        runIsolated([&](Job &job) { job.outcome = check(*copy); }, timeLimit)
            .outcome;
    // A graph is refused for many reasons; of the text, the beginning says
    // which.
    if (tried.kind != outcome.kind || tried.rule != outcome.rule ||
        (tried.kind == Outcome::Refused &&
         tried.text.substr(0, 24) != outcome.text.substr(0, 24)))
      return false;
    outcome = tried;
    module.getBodyRegion().takeBody(copy->getBodyRegion());
    module->setAttrs((*copy)->getAttrDictionary());
    return true;
  }

  void reduceSettings() {
    auto change = [&](llvm::function_ref<void(Settings &)> edit) {
      return attempt([&](ModuleOp copy) {
        Settings settings = Settings::read(copy), before = settings;
        edit(settings);
        settings.write(copy);
        return settings.disable != before.disable ||
               settings.threads != before.threads ||
               settings.accuracy != before.accuracy ||
               settings.upstream != before.upstream ||
               settings.checkBounds != before.checkBounds ||
               settings.target != before.target;
      });
    };
    change([](Settings &settings) { settings.disable.clear(); });
    std::vector<std::string> names = Settings::read(module).disable;
    for (const std::string &name : names)
      change([&](Settings &settings) { llvm::erase(settings.disable, name); });
    if (outcome.kind != Outcome::Unstable)
      change([](Settings &settings) { settings.threads = 1; });
    if (outcome.kind != Outcome::Disputed)
      change([](Settings &settings) { settings.upstream = false; });
    change([](Settings &settings) { settings.checkBounds = false; });
    change([](Settings &settings) { settings.accuracy = "default"; });
    change([](Settings &settings) { settings.target = "x86-64-v3"; });
  }

  /// One result; then one that is computed earlier.
  bool cutTail() {
    bool changed = false;
    unsigned numResults = getMain(module).getNumResults();
    for (unsigned i = 0; numResults > 1 && i < numResults; ++i)
      if (attempt([&](ModuleOp copy) {
            Value kept = getMain(copy).front().getTerminator()->getOperand(i);
            setResults(copy, kept);
            return true;
          })) {
        changed = true;
        break;
      }
    size_t numOps = getOps(module).size();
    for (size_t i = 0; i < numOps; ++i)
      if (attempt([&](ModuleOp copy) {
            Operation *op = getOps(copy)[i];
            if (op->getNumResults() != 1 ||
                !isa<RankedTensorType>(op->getResult(0).getType()) ||
                op->hasTrait<OpTrait::ConstantLike>())
              return false;
            Operation *end = getMain(copy).front().getTerminator();
            if (end->getNumOperands() == 1 &&
                end->getOperand(0) == op->getResult(0))
              return false;
            setResults(copy, op->getResult(0));
            return true;
          }))
        return true;
    return changed;
  }

  /// Attempts `edit` on each op, the last one first.
  bool attemptEach(llvm::function_ref<bool(ModuleOp, Operation *)> edit) {
    bool changed = false;
    for (size_t i = getOps(module).size(); i-- > 0;)
      // An edit before may have taken more than its own op.
      if (i < getOps(module).size())
        changed |=
            attempt([&](ModuleOp copy) { return edit(copy, getOps(copy)[i]); });
    return changed;
  }

  /// An operand of the same type instead of the result.
  bool dropOps() {
    return attemptEach([](ModuleOp, Operation *op) {
      if (op->getNumResults() != 1)
        return false;
      for (Value operand : op->getOperands())
        if (operand.getType() == op->getResult(0).getType() &&
            !operand.getDefiningOp<tensor::EmptyOp>()) {
          op->getResult(0).replaceAllUsesWith(operand);
          return true;
        }
      return false;
    });
  }

  /// An argument instead of what computes it.
  bool cutHead() {
    return attemptEach([](ModuleOp copy, Operation *op) {
      if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
          isa<tensor::EmptyOp>(op))
        return false;
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (!type || !type.hasStaticShape() ||
          llvm::is_contained(
              getMain(copy).front().getTerminator()->getOperands(),
              op->getResult(0)))
        return false;
      Builder b(copy.getContext());
      func::FuncOp function = getMain(copy);
      unsigned at = function.getNumArguments();
      DictionaryAttr attrs = b.getDictionaryAttr(
          {b.getNamedAttr(kSeedAttr, b.getI64IntegerAttr(int64_t(at) + 1)),
           b.getNamedAttr(kShapeAttr, b.getDenseI64ArrayAttr(type.getShape())),
           b.getNamedAttr(kValuesAttr, b.getStringAttr("normal"))});
      if (failed(function.insertArgument(at, type, attrs, op->getLoc())))
        return false;
      op->getResult(0).replaceAllUsesWith(function.getArgument(at));
      return true;
    });
  }

  static bool hasTosa(ModuleOp module) {
    WalkResult found = module.walk([](Operation *op) {
      bool isTosa =
          op->getDialect() && op->getDialect()->getNamespace() == "tosa";
      return isTosa ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  /// Each size to one, to half, to one less.
  bool shrinkSizes() {
    bool changed = false;
    for (size_t i = 0; i < getLeafDims(getMain(module)).size(); ++i) {
      int64_t size = getLeafDims(getMain(module))[i].size;
      for (int64_t less : {size - 1, size / 2, int64_t(1)})
        if (attempt([&](ModuleOp copy) {
              return shrink(getMain(copy), i, less);
            })) {
          changed = true;
          break;
        }
    }
    return changed && triesLeft > 0;
  }

  ModuleOp module;
  Outcome &outcome;
  unsigned timeLimit;
  const CheckFn &check;
  int triesLeft = 300;
};
} // namespace

void fuzz::reduceCase(ModuleOp module, Outcome &outcome, unsigned timeLimit,
                      const CheckFn &check) {
  Reducer(module, outcome, timeLimit, check).run();
}
