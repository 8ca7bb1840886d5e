//===-- VerifyStage.cpp - What a stage asks of the one before -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-verify-stage: an error here says what to do, where one of
// the passes that follow would only say that it failed.
//
//===----------------------------------------------------------------------===//

#include "VerifyStage.h"
#include "ConstantData.h"
#include "FusionDialect/Analysis/InputChecks.h"
#include "FusionDialect/Analysis/PadFolds.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONVERIFYSTAGEPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool isOnTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Bodies that named ops and passes have made are nowhere in the file: what
/// they are in is.
static Location getPlace(Operation *op) {
  while (isa<UnknownLoc>(op->getLoc()) && op->getParentOp())
    op = op->getParentOp();
  return op->getLoc();
}

/// What is wrong with an op, for the stage that comes next; nothing if it is
/// as the stage wants it.
using CheckFn = StringRef (*)(Operation *op);

/// Whether the elements of `type`, if it has any, have a size in memory.
static bool hasLayout(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return true;
  Type element = shaped.getElementType();
  return element.isIntOrIndexOrFloat() || isa<VectorType>(element) ||
         isa<ComplexType>(element) || isa<DataLayoutTypeInterface>(element);
}

static StringRef checkLayouts(Operation *op) {
  bool known = llvm::all_of(op->getResultTypes(), hasLayout);
  for (Region &region : op->getRegions())
    known &= llvm::all_of(region.getArgumentTypes(), hasLayout);
  if (known)
    return {};
  return "has elements of no known size: expected numbers or vectors of them "
         "as elements of tensors and memrefs before fusion-bufferize";
}

/// Upstream's inliner asks each such op for symbols, and gets no answer.
static StringRef checkInlinable(Operation *op) {
  if (op->getNumRegions() != 1 || op->getDialect())
    return {};
  return "is of no known dialect and has a region, which may hold symbols: "
         "expected an op of a registered dialect before fusion-bufferize";
}

static StringRef checkBufferizable(Operation *op) {
  if (StringRef problem = checkLayouts(op); !problem.empty())
    return problem;
  if (isa<bufferization::BufferizableOpInterface>(op))
    return {};
  if (isOnTensors(op))
    return "has no form on memrefs: expected an op that implements "
           "BufferizableOpInterface; rewrite it to linalg, tensor, scf or "
           "arith ops before fusion-bufferize";
  // Deallocation wants to know what allocates. A symbol is no code that runs.
  if (op->getParentOfType<FunctionOpInterface>() && hasUnknownEffects(op) &&
      !isa<CallOpInterface>(op))
    return "has unknown effects on memory: expected an op that implements "
           "MemoryEffectOpInterface (or the trait Pure) before "
           "fusion-bufferize";
  return {};
}

static StringRef checkBufferized(Operation *op) {
  if (!isOnTensors(op))
    return {};
  return "is on tensors: expected memrefs; run fusion-bufferize first";
}

static bool isInKernel(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function && function->hasAttr("fusion.kernel");
}

static StringRef checkOutlined(Operation *op) {
  StringRef problem = checkBufferized(op);
  if (!problem.empty() || !isa<FusionRootOpInterface>(op) || isInKernel(op))
    return problem;
  return "is not in a kernel: expected roots in functions with the attribute "
         "fusion.kernel; run fusion-outline first";
}

static StringRef checkVectorized(Operation *op) {
  StringRef problem = checkBufferized(op);
  if (!problem.empty())
    return problem;
  if (isa<FusionRootOpInterface>(op) ||
      (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
       isInKernel(op)))
    return "is not lowered to loops and vectors: run fusion-outline and "
           "fusion-vectorize first";
  return {};
}

static StringRef checkLowered(Operation *op) {
  if (isa_and_nonnull<LLVM::LLVMDialect, omp::OpenMPDialect>(
          op->getDialect()) ||
      isa<ModuleOp>(op))
    return {};
  if (isa<UnrealizedConversionCastOp>(op))
    return "stands for a type that has no lowering to LLVM: expected integers, "
           "floats, vectors and memrefs of them before fusion-lower";
  return "has no lowering to LLVM: expected an op whose dialect implements "
         "ConvertToLLVMPatternInterface; rewrite it to arith, math, scf, "
         "memref or func ops before fusion-lower";
}

LogicalResult fusion::verifyStage(ModuleOp module, StringRef stage) {
  if (stage == "fuse")
    return success(succeeded(verifyInput(module)) &&
                   succeeded(verifyResources(module)));
  CheckFn check = llvm::StringSwitch<CheckFn>(stage)
                      .Case("inline", checkInlinable)
                      .Case("bufferize", checkBufferizable)
                      .Case("outline", checkBufferized)
                      .Case("vectorize", checkOutlined)
                      .Case("lower", checkVectorized)
                      .Case("emit", checkLowered)
                      .Default(nullptr);
  if (!check)
    return emitError(module.getLoc())
           << "expected stage fuse, inline, bufferize, outline, vectorize, "
              "lower or "
              "emit, got '"
           << stage << "'";
  // Of each kind of op the first one: there may be thousands.
  llvm::StringSet<> seen;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef problem = check(op);
    if (problem.empty())
      return WalkResult::advance();
    if (seen.insert(op->getName().getStringRef()).second)
      emitError(getPlace(op)) << "'" << op->getName() << "' op " << problem;
    // A body is lowered with its op.
    return isa<linalg::LinalgOp, FusionRootOpInterface>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return success(seen.empty());
}

namespace {
struct FusionVerifyStagePass final
    : fusion::impl::FusionVerifyStagePassBase<FusionVerifyStagePass> {
  using FusionVerifyStagePassBase::FusionVerifyStagePassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyStage(getOperation(), stage)))
      return signalPassFailure();
    // Passes of upstream follow, which fold.
    if (stage == "fuse")
      getOperation()->walk(guardPad);
  }
};
} // namespace
