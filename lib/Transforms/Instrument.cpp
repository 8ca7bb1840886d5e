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
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONINSTRUMENTPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kBeginName = "fusion_profile_begin";
static constexpr StringLiteral kEndName = "fusion_profile_end";
static constexpr StringLiteral kWorkName = "fusion_profile_work";

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

namespace {
/// The declarations of the kernels that `op` calls, each once, with a call.
using Kernels = llvm::MapVector<func::FuncOp, func::CallOp>;
} // namespace

static Kernels findKernels(Operation *op) {
  Kernels kernels;
  op->walk([&](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (callee && callee->hasAttr(kWorkAttrName))
      kernels.try_emplace(callee, call);
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

static DictionaryAttr getWork(func::FuncOp kernel) {
  return kernel->getAttrOfType<DictionaryAttr>(kWorkAttrName);
}

/// Joins what is said of several kernels that are called together: numbers are
/// added, and unknown if one is.
static NamedAttrList joinWorks(const Kernels &kernels) {
  NamedAttrList joined(getWork(kernels.front().first));
  for (auto [kernel, call] : llvm::drop_begin(kernels)) {
    DictionaryAttr work = getWork(kernel);
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
  // Of one call, not of the site.
  joined.erase(kWorkSizesName);
  joined.erase(kWorkMapName);
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
                                 [](auto &kernel) {
                                   return kernel.first.getSymName().str();
                                 }),
                 " + ");
  facts.set("kernel", builder.getStringAttr(names));
  facts.set("loc", builder.getStringAttr(getLocationText(op->getLoc())));
  return facts.getDictionary(op->getContext());
}

//===----------------------------------------------------------------------===//
// Work that is known at run time
//===----------------------------------------------------------------------===//

/// kWorkNumbers of a call, computed before `site`, which is or has the call;
/// nothing if they are unknown there.
static SmallVector<Value> createNumbers(OpBuilder &builder, Operation *site,
                                        DictionaryAttr work,
                                        func::CallOp call) {
  Location loc = site->getLoc();
  if (llvm::all_of(kWorkNumbers,
                   [&](StringRef name) { return work.contains(name); }))
    return llvm::map_to_vector(kWorkNumbers, [&](StringRef name) -> Value {
      return arith::ConstantIndexOp::create(
          builder, loc, work.getAs<IntegerAttr>(name).getInt());
    });
  auto map = work.getAs<AffineMapAttr>(kWorkMapName);
  auto sizes = work.getAs<DenseI64ArrayAttr>(kWorkSizesName);
  if (!map || !sizes)
    return {};
  SmallVector<Value> symbols;
  for (size_t i = 0; i < sizes.asArrayRef().size(); i += 2) {
    Value passed = call.getOperand(sizes[i]);
    if (site->isProperAncestor(passed.getParentBlock()->getParentOp()) ||
        site == passed.getParentBlock()->getParentOp())
      return {};
    symbols.push_back(
        builder.createOrFold<memref::DimOp>(loc, passed, sizes[i + 1]));
  }
  return *affine::expandAffineMap(builder, loc, map.getValue(), symbols);
}

/// The same of a site, in i64: the sum of its kernels, if one has a dynamic
/// size. What is static is in the description.
static SmallVector<Value> createNumbers(OpBuilder &builder, Operation *site) {
  Kernels kernels = findKernels(site);
  if (llvm::none_of(kernels, [](auto &kernel) {
        return getWork(kernel.first).contains(kWorkMapName);
      }))
    return {};
  Location loc = site->getLoc();
  SmallVector<Value> sums;
  for (auto [kernel, call] : kernels) {
    SmallVector<Value> numbers =
        createNumbers(builder, site, getWork(kernel), call);
    if (numbers.empty())
      return {};
    if (sums.empty())
      sums = numbers;
    else
      for (auto [sum, number] : llvm::zip_equal(sums, numbers))
        sum = arith::AddIOp::create(builder, loc, sum, number);
  }
  for (Value &sum : sums)
    sum = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), sum);
  return sums;
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
    SmallVector<Type> numbers(1 + std::size(kWorkNumbers), i64);
    FailureOr<func::FuncOp> work =
        declare(kWorkName, builder.getFunctionType(numbers, {}));
    if (failed(begin) || failed(end) || failed(work))
      return signalPassFailure();

    SmallVector<Operation *> sites;
    collectSites(entry->getBody(), sites);
    SmallVector<Attribute> descriptions;
    for (auto [number, op] : llvm::enumerate(sites)) {
      descriptions.push_back(describeSite(op));
      surround(op, number, *begin, *end, *work);
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
                       func::FuncOp end, func::FuncOp work) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value site = arith::ConstantIntOp::create(builder, loc, number, 64);
    SmallVector<Value> numbers = createNumbers(builder, op);
    if (!numbers.empty()) {
      numbers.insert(numbers.begin(), site);
      func::CallOp::create(builder, loc, work, numbers);
    }
    Value time = func::CallOp::create(builder, loc, begin).getResult(0);
    builder.setInsertionPointAfter(op);
    func::CallOp::create(builder, loc, end, ValueRange{site, time});
  }
};
} // namespace
