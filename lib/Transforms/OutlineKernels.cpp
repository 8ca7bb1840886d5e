//===-- OutlineKernels.cpp - Ops to calls of kernels ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-outline-kernels: which kernels there are and how they are
// called.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelWork.h"
#include "FusionDialect/Transforms/Passes.h"
#include "KernelFunction.h"
#include "KernelUnits.h"
#include "VerifyStage.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONOUTLINEKERNELSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// The kernel that `op` gets, without the number that makes it unique.
static std::string getKernelName(Operation *op) {
  return ("kernel_" + op->getName().stripDialect()).str();
}

/// True if `op` runs in a thread of a parallel loop already.
static bool isInParallel(Operation *op) {
  return op->getParentOfType<scf::ParallelOp>() ||
         op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<omp::ParallelOp>();
}

//===----------------------------------------------------------------------===//
// Equal kernels
//===----------------------------------------------------------------------===//

namespace {
/// The kernels of a module: equal ones once.
class KernelTable {
public:
  explicit KernelTable(ModuleOp module)
      : symbols(module), position(module.getBody()->begin()) {}

  /// The kernel in the module that equals `kernel`, which becomes it if there
  /// is none.
  func::FuncOp getOrInsert(KernelFunction &kernel, StringRef name);

  /// A declaration of libomp's function that is not there yet.
  func::FuncOp getThreadCount();

private:
  func::FuncOp declare(Location loc, StringRef name, FunctionType type);

  SymbolTable symbols;
  /// What is new comes before what the module held, in the order of its use.
  Block::iterator position;
  DenseMap<size_t, SmallVector<std::pair<func::FuncOp, func::FuncOp>>> known;
  llvm::StringMap<unsigned> counts;
};
} // namespace

static size_t hashKernel(func::FuncOp function) {
  llvm::hash_code hash = hash_value(Type(function.getFunctionType()));
  function.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqualKernels(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

func::FuncOp KernelTable::declare(Location loc, StringRef name,
                                  FunctionType type) {
  auto function = func::FuncOp::create(loc, name, type);
  function.setPrivate();
  symbols.insert(function, position);
  return function;
}

func::FuncOp KernelTable::getOrInsert(KernelFunction &kernel, StringRef name) {
  func::FuncOp function = kernel.function;
  auto &sameHash = known[hashKernel(function)];
  for (auto [definition, declaration] : sameHash)
    if (areEqualKernels(definition, function))
      return declaration;

  std::string unique;
  do {
    unique = (name + "_" + Twine(counts[name]++)).str();
  } while (symbols.lookup(unique) || symbols.lookup(unique + "_module"));
  function.setSymName(unique);
  kernel.module->setSymName(unique + "_module");

  symbols.insert(kernel.module.release(), position);
  func::FuncOp declaration =
      declare(function.getLoc(), unique, function.getFunctionType());
  if (Attribute bare = function->getAttr("llvm.bareptr"))
    declaration->setAttr("llvm.bareptr", bare);
  sameHash.push_back({function, declaration});
  return declaration;
}

func::FuncOp KernelTable::getThreadCount() {
  constexpr StringLiteral kName = "omp_get_max_threads";
  if (auto function = symbols.lookup<func::FuncOp>(kName))
    return function;
  auto i32 = IntegerType::get(symbols.getOp()->getContext(), 32);
  return declare(symbols.getOp()->getLoc(), kName,
                 FunctionType::get(i32.getContext(), {}, i32));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// One call for all units.
static void createCall(OpBuilder &builder, Location loc, func::FuncOp callee,
                       SmallVector<Value> operands, OpFoldResult units) {
  operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  operands.push_back(getValueOrCreateConstantIndexOp(builder, loc, units));
  func::CallOp::create(builder, loc, callee, operands);
}

/// What is said of an op, with sizes of what is passed to its kernel.
static DictionaryAttr describeCall(DictionaryAttr work,
                                   const KernelFunction &kernel) {
  auto sizes = work.getAs<DenseI64ArrayAttr>(kWorkSizesName);
  if (!sizes)
    return work;
  SmallVector<int64_t> passed(sizes.asArrayRef());
  for (size_t i = 0; i < passed.size(); i += 2)
    passed[i] = *kernel.places[passed[i]];
  NamedAttrList facts(work);
  facts.set(kWorkSizesName, DenseI64ArrayAttr::get(work.getContext(), passed));
  return facts.getDictionary(work.getContext());
}

/// Each thread calls for its share:
///   scf.parallel (%i) = 0 to %threads {
///     call(units * i / threads, units * (i + 1) / threads) }
static void createParallelCalls(OpBuilder &builder, Location loc,
                                func::FuncOp callee,
                                SmallVector<Value> operands, OpFoldResult units,
                                Value threads) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value all = getValueOrCreateConstantIndexOp(builder, loc, units);
  scf::ParallelOp::create(
      builder, loc, zero, threads, one,
      [&](OpBuilder &body, Location loc, ValueRange thread) {
        auto getShare = [&](Value position) -> Value {
          Value product = arith::MulIOp::create(body, loc, position, all);
          return arith::DivUIOp::create(body, loc, product, threads);
        };
        Value next = arith::AddIOp::create(body, loc, thread[0], one);
        operands.push_back(getShare(thread[0]));
        operands.push_back(getShare(next));
        func::CallOp::create(body, loc, callee, operands);
      });
}

namespace {
struct FusionOutlineKernelsPass final
    : fusion::impl::FusionOutlineKernelsPassBase<FusionOutlineKernelsPass> {
  using FusionOutlineKernelsPassBase::FusionOutlineKernelsPassBase;
  void runOnOperation() override {
    if (failed(verifyStage(getOperation(), "outline")))
      return signalPassFailure();
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info))
      return signalPassFailure();
    if (threading != "openmp" && threading != "none") {
      emitError(getOperation().getLoc())
          << "expected threading openmp or none, got '" << threading << "'";
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(outline(function, kernels, *info)))
        return signalPassFailure();
  }

  LogicalResult outline(func::FuncOp function, KernelTable &kernels,
                        const TargetInfo &info) {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isKernelOp(op))
        return WalkResult::advance();
      ops.push_back(op);
      return WalkResult::skip();
    });

    Value threads;
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Location loc = op->getLoc();
      OpFoldResult work = createKernelWork(builder, op, info);
      std::optional<int64_t> knownWork = getConstantIntValue(work);
      bool isSmall = knownWork && *knownWork < minParallelWork;
      FailureOr<KernelFunction> kernel =
          buildKernelFunction(builder, op, info, /*cut=*/!isSmall);
      if (failed(kernel))
        return failure();
      func::FuncOp callee = kernels.getOrInsert(*kernel, getKernelName(op));
      if (describe)
        callee->setAttr(kWorkAttrName,
                        describeCall(describeWork(op, info), *kernel));
      auto createOneCall = [&](OpBuilder &at) {
        createCall(at, loc, callee, kernel->operands, kernel->units);
      };
      auto createCalls = [&](OpBuilder &at) {
        createParallelCalls(at, loc, callee, kernel->operands, kernel->units,
                            threads);
      };
      if (threading == "none" || isSmall || isOneInteger(kernel->units) ||
          isInParallel(op)) {
        createOneCall(builder);
        op->erase();
        continue;
      }
      if (!threads)
        threads = createThreadCount(function, kernels);
      if (knownWork)
        createCalls(builder);
      else
        createCallsIfLarge(builder, loc, cast<Value>(work), createCalls,
                           createOneCall);
      op->erase();
    }
    return success();
  }

  /// What is large is known at run time only.
  void createCallsIfLarge(OpBuilder &builder, Location loc, Value work,
                          function_ref<void(OpBuilder &)> createCalls,
                          function_ref<void(OpBuilder &)> createOneCall) {
    Value least = arith::ConstantIndexOp::create(builder, loc, minParallelWork);
    Value isLarge = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, work, least);
    auto asBranch = [](function_ref<void(OpBuilder &)> create) {
      return [create](OpBuilder &branch, Location loc) {
        create(branch);
        scf::YieldOp::create(branch, loc);
      };
    };
    scf::IfOp::create(builder, loc, isLarge, asBranch(createCalls),
                      asBranch(createOneCall));
  }

  Value createThreadCount(func::FuncOp function, KernelTable &kernels) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    Location loc = function.getLoc();
    auto call = func::CallOp::create(builder, loc, kernels.getThreadCount(),
                                     ValueRange());
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      call.getResult(0));
  }
};
} // namespace
