//===-- AssertToLLVM.cpp - Assertions that are heard ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-assert-to-llvm. Upstream prints by puts: what is buffered
// for a file or a pipe is lost in the abort() behind it.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONASSERTTOLLVMPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// assert %c, "text" -> cond_br %c, ^rest, ^fail; ^fail: write(2, "text");
/// abort
static LogicalResult lower(cf::AssertOp op, ModuleOp module,
                           SymbolTable &symbols, unsigned number,
                           RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(op.getContext());
  Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
  FailureOr<LLVM::LLVMFuncOp> write = LLVM::lookupOrCreateFn(
      rewriter, module, "write", {i32, pointer, i64}, i64);
  FailureOr<LLVM::LLVMFuncOp> abort = LLVM::lookupOrCreateFn(
      rewriter, module, "abort", {}, LLVM::LLVMVoidType::get(op.getContext()));
  if (failed(write) || failed(abort))
    return failure();

  Block *here = op->getBlock();
  Block *rest = rewriter.splitBlock(here, std::next(op->getIterator()));
  Block *fail = rewriter.createBlock(rest->getParent(),
                                     std::next(Region::iterator(here)));
  std::string text = ("assertion failed: " + op.getMsg() + "\n").str();
  constexpr int kStandardError = 2;
  Value file = LLVM::ConstantOp::create(rewriter, loc, i32, kStandardError);
  auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), text.size());
  OpBuilder detached(op.getContext());
  auto global = LLVM::GlobalOp::create(
      detached, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "assertion_" + std::to_string(number), rewriter.getStringAttr(text));
  // The model may have that name.
  symbols.insert(global, module.getBody()->begin());
  Value start = LLVM::AddressOfOp::create(rewriter, loc, global);
  Value length = LLVM::ConstantOp::create(rewriter, loc, i64, text.size());
  LLVM::CallOp::create(rewriter, loc, *write, ValueRange{file, start, length});
  LLVM::CallOp::create(rewriter, loc, *abort, ValueRange{});
  LLVM::UnreachableOp::create(rewriter, loc);

  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<cf::CondBranchOp>(op, op.getArg(), rest, fail);
  return success();
}

namespace {
struct FusionAssertToLLVMPass final
    : fusion::impl::FusionAssertToLLVMPassBase<FusionAssertToLLVMPass> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> assertions;
    for (Operation &op : getOperation().getBody()->getOperations())
      if (!isa<ModuleOp>(op))
        op.walk([&](cf::AssertOp op) { assertions.push_back(op); });
    IRRewriter rewriter(&getContext());
    SymbolTable symbols(getOperation());
    for (auto [number, op] : llvm::enumerate(assertions)) {
      rewriter.setInsertionPoint(op);
      if (failed(lower(op, getOperation(), symbols, number, rewriter)))
        return signalPassFailure();
    }
  }
};
} // namespace
