//===-- NormalizeEntry.cpp - An entry that callers can be given -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-normalize-entry.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONNORMALIZEENTRYPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// Makes `entry` a function that only calls what it was, and everybody else
/// call that directly: calls inside the module must not go through the ABI.
static void splitFromCallers(ModuleOp module, func::FuncOp entry) {
  SymbolTable symbols(module);
  func::FuncOp inner = entry.clone();
  inner.setPrivate();
  symbols.insert(inner, std::next(Block::iterator(entry)));
  // Fails only where symbols are used by what has no symbol table.
  (void)SymbolTable::replaceAllSymbolUses(entry.getSymNameAttr(),
                                          inner.getSymNameAttr(), module);

  entry.eraseBody();
  OpBuilder builder = OpBuilder::atBlockBegin(entry.addEntryBlock());
  auto call = func::CallOp::create(builder, entry.getLoc(), inner,
                                   entry.getArguments());
  func::ReturnOp::create(builder, entry.getLoc(), call.getResults());
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// Scalars that `entry` takes or returns -> tensors of rank 0.
static void replaceScalars(func::FuncOp entry) {
  auto getTensorType = [](Type type) -> Type {
    return isScalar(type) ? RankedTensorType::get({}, type) : type;
  };
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.front());
  for (BlockArgument argument : entry.getArguments()) {
    if (!isScalar(argument.getType()))
      continue;
    argument.setType(getTensorType(argument.getType()));
    auto scalar = tensor::ExtractOp::create(builder, argument.getLoc(),
                                            argument, ValueRange());
    argument.replaceAllUsesExcept(scalar, scalar);
  }
  entry.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isScalar(operand.get().getType()))
        operand.set(tensor::FromElementsOp::create(
            builder, op.getLoc(),
            cast<RankedTensorType>(getTensorType(operand.get().getType())),
            operand.get()));
  });
  entry.setFunctionType(builder.getFunctionType(
      llvm::map_to_vector(entry.getArgumentTypes(), getTensorType),
      llvm::map_to_vector(entry.getResultTypes(), getTensorType)));
}

namespace {
struct FusionNormalizeEntryPass final
    : fusion::impl::FusionNormalizeEntryPassBase<FusionNormalizeEntryPass> {
  using FusionNormalizeEntryPassBase::FusionNormalizeEntryPassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> selected = selectEntry(module, entry);
    if (failed(selected))
      return signalPassFailure();
    if ((*selected)->hasAttr(kEntryAttrName))
      return;
    auto uses = SymbolTable::getSymbolUses(*selected, module.getOperation());
    if (!uses || !uses->empty())
      splitFromCallers(module, *selected);
    if (llvm::any_of(selected->getArgumentTypes(), isScalar) ||
        llvm::any_of(selected->getResultTypes(), isScalar))
      replaceScalars(*selected);
  }
};
} // namespace
