//===-- Instrument.cpp - Takes the time of what the entry does ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-instrument: which ops are sites, and what is said of them.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Analysis/KernelWork.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONINSTRUMENTPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kBeginName = "fusion_profile_begin";
static constexpr StringLiteral kEndName = "fusion_profile_end";

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

namespace {
/// The declarations of the kernels that `op` calls, each once.
using Kernels = llvm::SetVector<func::FuncOp>;
} // namespace

static Kernels findKernels(Operation *op) {
  Kernels kernels;
  op->walk([&](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (callee && callee->hasAttr(kWorkAttrName))
      kernels.insert(callee);
  });
  return kernels;
}

/// True if the time that `op` takes is not worth a timestamp.
static bool isCheap(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      isa<memref::LoadOp, memref::StoreOp, memref::AllocaOp>(op))
    return true;
  // Such as the number of threads.
  if (auto call = dyn_cast<func::CallOp>(op))
    return call->getNumOperands() == 0 &&
           llvm::all_of(call.getResultTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// True if the sites are in `op`: a sequential loop over kernels, or a branch
/// that decides between different ones.
static bool isSequence(Operation *op, const Kernels &kernels) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return !kernels.empty();
  return isa<scf::IfOp, scf::IndexSwitchOp>(op) && kernels.size() > 1;
}

static void collectSites(Region &region, SmallVectorImpl<Operation *> &sites) {
  for (Operation &op : region.getOps()) {
    if (isCheap(&op))
      continue;
    if (!isSequence(&op, findKernels(&op))) {
      sites.push_back(&op);
      continue;
    }
    for (Region &inner : op.getRegions())
      collectSites(inner, sites);
  }
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

/// Joins what is said of several kernels that are called together: numbers are
/// added, and unknown if one is.
static NamedAttrList joinWorks(const Kernels &kernels) {
  NamedAttrList joined(
      kernels.front()->getAttrOfType<DictionaryAttr>(kWorkAttrName));
  for (func::FuncOp kernel : ArrayRef(kernels.getArrayRef()).drop_front()) {
    auto work = kernel->getAttrOfType<DictionaryAttr>(kWorkAttrName);
    NamedAttrList next;
    for (NamedAttribute fact : joined) {
      Attribute other = work.get(fact.getName());
      if (auto text = dyn_cast<StringAttr>(fact.getValue()))
        next.set(fact.getName(),
                 StringAttr::get(text.getContext(),
                                 text.getValue() + " + " +
                                     cast<StringAttr>(other).getValue()));
      else if (auto number = dyn_cast<IntegerAttr>(fact.getValue());
               number && other)
        next.set(fact.getName(),
                 IntegerAttr::get(number.getType(),
                                  number.getInt() +
                                      cast<IntegerAttr>(other).getInt()));
      else if (!number)
        next.set(fact.getName(), fact.getValue());
    }
    joined = next;
  }
  return joined;
}

static DictionaryAttr describeSite(Operation *op) {
  Builder builder(op->getContext());
  Kernels kernels = findKernels(op);
  NamedAttrList facts;
  if (!kernels.empty()) {
    facts = joinWorks(kernels);
  } else {
    std::string name = op->getName().getStringRef().str();
    if (auto call = dyn_cast<func::CallOp>(op))
      name += " @" + call.getCallee().str();
    facts.set("op", builder.getStringAttr(name));
  }
  std::string names =
      llvm::join(llvm::map_range(kernels,
                                 [](func::FuncOp kernel) {
                                   return kernel.getSymName().str();
                                 }),
                 " + ");
  facts.set("kernel", builder.getStringAttr(names));
  facts.set("loc", builder.getStringAttr(getLocationText(op->getLoc())));
  return facts.getDictionary(op->getContext());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FusionInstrumentPass final
    : fusion::impl::FusionInstrumentPassBase<FusionInstrumentPass> {
  using FusionInstrumentPassBase::FusionInstrumentPassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = getRecordedEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    Builder builder(&getContext());
    Type i64 = builder.getI64Type();
    FailureOr<func::FuncOp> begin =
        declare(kBeginName, builder.getFunctionType({}, {i64}));
    FailureOr<func::FuncOp> end =
        declare(kEndName, builder.getFunctionType({i64, i64}, {}));
    if (failed(begin) || failed(end))
      return signalPassFailure();

    SmallVector<Operation *> sites;
    collectSites(entry->getBody(), sites);
    SmallVector<Attribute> descriptions;
    for (auto [number, op] : llvm::enumerate(sites)) {
      descriptions.push_back(describeSite(op));
      surround(op, number, *begin, *end);
    }
    updateEntry(*entry, builder.getNamedAttr(
                            "profile", builder.getArrayAttr(descriptions)));
  }

private:
  FailureOr<func::FuncOp> declare(StringRef name, FunctionType type) {
    SymbolTable symbols(getOperation());
    if (Operation *other = symbols.lookup(name))
      return emitError(other->getLoc()) << "expected no function '" << name
                                        << "': profiles need this name";
    auto function = func::FuncOp::create(getOperation().getLoc(), name, type);
    function.setPrivate();
    symbols.insert(function, getOperation().getBody()->begin());
    return function;
  }

  static void surround(Operation *op, int64_t number, func::FuncOp begin,
                       func::FuncOp end) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value site = arith::ConstantIntOp::create(builder, loc, number, 64);
    Value time = func::CallOp::create(builder, loc, begin).getResult(0);
    builder.setInsertionPointAfter(op);
    func::CallOp::create(builder, loc, end, ValueRange{site, time});
  }
};
} // namespace
