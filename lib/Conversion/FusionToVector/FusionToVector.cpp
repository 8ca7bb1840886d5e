//===-- FusionToVector.cpp - Roots on memrefs to kernels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-to-vector and its rule.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "FusionDialect/Conversion/Patterns.h"
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONTOVECTORPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A root on memrefs -> the loops and vector ops that compute its range of
/// units, as its plan says.
struct EmitKernel final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  EmitKernel(MLIRContext *context, const TargetInfo &target, bool prefetch)
      : OpInterfaceRewritePattern(context), target(target), prefetch(prefetch) {
  }

  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureBufferSemantics())
      return rewriter.notifyMatchFailure(root, "expected memrefs");
    std::string reason;
    FailureOr<KernelPlan> plan = KernelPlan::get(root, target, &reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(root, reason);
    KernelEmitter emitter(rewriter, root, *plan, prefetch);
    switch (plan->kind) {
    case KernelPlan::Kind::Contraction:
      emitContraction(emitter);
      break;
    case KernelPlan::Kind::Depthwise:
      emitDepthwise(emitter);
      break;
    case KernelPlan::Kind::Planes:
      emitPlanes(emitter);
      break;
    case KernelPlan::Kind::Pool:
      emitPool(emitter);
      break;
    }
    rewriter.eraseOp(root);
    return success();
  }

  TargetInfo target;
  bool prefetch;
};

struct FusionToVectorPass final
    : fusion::impl::FusionToVectorPassBase<FusionToVectorPass> {
  using FusionToVectorPassBase::FusionToVectorPassBase;

  void runOnOperation() override {
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateFusionToVectorPatterns(patterns, *info, prefetch);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult left = getOperation()->walk([&](FusionRootOpInterface root) {
      std::string reason;
      if (!root.hasPureBufferSemantics() || hasKernel(root, *info, &reason))
        return WalkResult::advance();
      root->emitOpError("expected a root that has a kernel: ") << reason;
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void fusion::populateFusionToVectorPatterns(RewritePatternSet &patterns,
                                            const TargetInfo &target,
                                            bool prefetch) {
  patterns.addWithLabel<EmitKernel>({"emit-kernel"}, patterns.getContext(),
                                    target, prefetch);
}
