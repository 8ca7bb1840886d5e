//===-- Patterns.h - Rules that others can link -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules behind the passes of this layer, one function a family, and their
// labels. Another compiler adds a family to a set of its own, with its own
// answer to "does it pay?" as the last argument.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TRANSFORMS_PATTERNS_H
#define FUSIONDIALECT_TRANSFORMS_PATTERNS_H

#include "FusionDialect/Analysis/CostModel.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// How freely rules may change rounding.
enum class FPAccuracy {
  /// Each output is the sum of the source's own terms in any order; everything
  /// after it as written.
  Strict,
  /// Batch norm is folded; algorithms have a stated error.
  Default,
  Fast
};

/// A rule says by a label beside its own what it does to rounding:
///   patterns.addWithLabel<RaiseInit>({"raise-init", kRounds}, context);
/// One that says nothing is exact: each element has the same bits afterwards,
/// with every op rounded as written. `mlir-fusion-fuzz --rules` holds rules to
/// it, and docs/Rules.md lists what ours say.

/// The terms of a sum are added in another order. Where each sum is rounded
/// once, the bits are the same.
inline constexpr StringLiteral kReordersSums = "reorders-sums";
/// Each element stays within the bound of what it was computed by before:
/// 2 x roundings x unit x magnitude, where a whole sum is one rounding.
inline constexpr StringLiteral kRounds = "rounds";

/// The rule's own label; of a rule without one, the name of its class.
StringRef getRuleLabel(const Pattern &rule);
/// kReordersSums, kRounds or "exact".
StringRef getRuleRounding(const Pattern &rule);

/// Makes each rule of `rules` say, in a remark, what came of it whenever it is
/// tried on an op of this name or of this place: an importer's name, a file,
/// file:line or file:line:column. Nothing if `op` is empty. For passes with
/// the option trace-rules, those of plug-ins, too.
void traceRules(RewritePatternSet &rules, StringRef op);

/// Before phase 1: TOSA ops of which upstream's lowering loses what a root
/// needs become roots. Labels raise-tosa-pool, raise-tosa-transpose-conv.
void populateRaiseTosaPatterns(RewritePatternSet &patterns);

/// Phase 1, all families. --fusion-raise walks six times: before the three
/// families that raise, zero points go; after them, the last four rewrite what
/// they made.
void populateRaisePatterns(RewritePatternSet &patterns);

/// Phase 1, first: a product of integers with zero points becomes one without
/// and a correction of each channel. Label split-zero-points.
void populateZeroPointPatterns(RewritePatternSet &patterns);

/// Phase 1: convolutions, named or generic, become fusion.conv. Labels
/// raise-conv, raise-depthwise-conv, raise-grouped-conv.
void populateRaiseConvPatterns(RewritePatternSet &patterns);

/// Phase 1: pools over the whole image, of dynamic size, become reductions.
/// Label raise-global-pool.
void populateRaiseGlobalPoolPatterns(RewritePatternSet &patterns);

/// Phase 1: products of matrices and vectors, named or generic, become
/// fusion.matmul. Labels raise-matmul, raise-batch-matmul.
void populateRaiseMatmulPatterns(RewritePatternSet &patterns);

/// Phase 1: pools, named or generic, become fusion.pool. Label raise-pool.
void populateRaisePoolPatterns(RewritePatternSet &patterns);

/// Phase 1: what a raised root accumulates into is dropped or becomes an
/// operand of its epilogue. Label raise-init.
void populateRaiseInitPatterns(RewritePatternSet &patterns);

/// Phase 1: a tensor.pad becomes the root's own padding. Label fold-pad.
void populateFoldPadPatterns(RewritePatternSet &patterns);

/// Phase 1, after that: a sum pool whose reader divides by the number of its
/// elements becomes an average. Label raise-average.
void populateRaiseAveragePatterns(RewritePatternSet &patterns);

/// Phase 1, after that: a convolution of an image with zeros between its
/// elements becomes fusion.conv_transpose. Label raise-conv-transpose.
void populateRaiseConvTransposePatterns(RewritePatternSet &patterns);

/// Phase 1, last: sums of f16 and bf16 are kept in f32. Label widen-sums.
void populateWidenSumsPatterns(RewritePatternSet &patterns);

/// Before phase 2: assertions that always hold leave the bodies of linalg ops.
/// Label drop-assert.
void populateDropAssertPatterns(RewritePatternSet &patterns);

/// Phase 2: elementwise readers of a root move into its epilogue. Labels
/// absorb-unary, absorb-channel, absorb-residual.
void populateAbsorbPatterns(
    RewritePatternSet &patterns,
    const FusionControlFn &control = defaultFusionControl);

/// Phase 3, beside populateAbsorbPatterns: upstream's elementwise fusion, of
/// what `control` does not leave to a root; other forms of elementwise ops
/// become generics for it. Label fuse-elementwise.
void populateFuseElementwisePatterns(
    RewritePatternSet &patterns,
    const FusionControlFn &control = defaultFusionControl);

/// Phase 3: constants that are the same for every element go into the region.
/// Label inline-splat-constant.
void populateInlineConstantPatterns(RewritePatternSet &patterns);

/// Phase 4: arithmetic on channels leaves the epilogue. Label
/// hoist-channel-ops.
void populateHoistChannelOpsPatterns(RewritePatternSet &patterns,
                                     FPAccuracy accuracy);

/// Phase 4, after hoisting: channel-sized linalg ops of constants are computed,
/// and integer sums and products of constants of any size. Labels
/// fold-channel-constants, fold-integer-constants.
void populateFoldChannelConstantsPatterns(RewritePatternSet &patterns,
                                          FPAccuracy accuracy);

/// Phase 4, after that: a constant scale goes into constant weights. Label
/// fold-scale-into-weights.
void populateFoldScalePatterns(RewritePatternSet &patterns,
                               FPAccuracy accuracy);

/// Phase 4, last: divisions by constants become multiplications, constant
/// factors are merged, and a choice of the larger or smaller of two becomes the
/// one that is an instruction; no rounding to integers and no comparison may
/// come out otherwise. Nothing under strict. Labels
/// multiply-by-reciprocal, merge-factors, order-extremum.
void populateSimplifyArithmeticPatterns(RewritePatternSet &patterns,
                                        FPAccuracy accuracy);

/// Phase 5: a residual that dies in a root becomes its destination. Label
/// reuse-residual.
void populateReuseResidualPatterns(RewritePatternSet &patterns);

/// The passes that run rules in the stage with flag `stage`, by flag, in their
/// order.
SmallVector<StringRef> getRulePasses(StringRef stage);

/// The labels of the rules that the pass with flag `pass` runs; none if it runs
/// no rules.
SmallVector<StringRef> getRuleLabels(StringRef pass);

/// The labels of the rules that passes of the stage with flag `stage` run.
SmallVector<StringRef> getRuleLabelsOfStage(StringRef stage);

/// All labels of this layer's rules, pass by pass.
SmallVector<StringRef> getRuleLabels();

/// What the rule with this label does to rounding; empty if there is none.
StringRef getRuleRounding(StringRef label);

/// The part of the options disable-patterns and enable-patterns that belongs to
/// one pass of a stage.
struct RuleSwitches {
  SmallVector<std::string> disabled;
  SmallVector<std::string> enabled;
};

/// For a pipeline, which gives each of its passes its own part of two lists: a
/// pass whose labels are all missing from a list of enabled ones gets them as
/// disabled, since an empty list enables all.
RuleSwitches getSwitchesOf(StringRef pass, ArrayRef<std::string> disabled,
                           ArrayRef<std::string> enabled);

/// Fails with an error at `loc` for a label that is none of `known`.
LogicalResult checkRuleLabels(Location loc, ArrayRef<StringRef> known,
                              ArrayRef<std::string> disabled,
                              ArrayRef<std::string> enabled);

//===-- fusion-plan -------------------------------------------------------===//

/// Convs and pools become channels_last between two transposes, and transposes
/// move with the data flow until they cancel. Meant for one walk
/// (walkAndApplyPatterns): populates the first of --fusion-assign-layout.
void populateAssignLayoutPatterns(RewritePatternSet &patterns);

/// Transposes that move nothing become reshapes; those, reshapes and slices of
/// constants become constants: the second walk of --fusion-assign-layout.
void populateSimplifyTransposePatterns(RewritePatternSet &patterns);

/// Convolutions read or write channels-first themselves where a transpose is
/// left at a network's border: the third walk of --fusion-assign-layout. Labels
/// multiply-channels-first, keep-channels-first, write-channels-first,
/// read-channels-first.
void populateBorderLayoutPatterns(RewritePatternSet &patterns);

/// Reshapes and slices of constants become constants, dense_resource included:
/// in both walks of --fusion-assign-layout.
void populateFoldConstantShapePatterns(RewritePatternSet &patterns);

/// A transposed convolution becomes one convolution for each phase of its
/// strides: populates --fusion-split-phases. Label split-phases.
void populateSplitPhasesPatterns(RewritePatternSet &patterns);

/// Roots without a kernel on `target` and linalg.softmax become linalg ops with
/// loops, tensor.concat becomes tensor.insert_slice: populates
/// --fusion-decompose-unsupported.
void populateDecomposeUnsupportedPatterns(RewritePatternSet &patterns,
                                          const TargetInfo &target);

/// Tensor ops without a form on memrefs (gather, scatter, bitcast) become
/// linalg and loops: part of --fusion-decompose-unsupported.
void populateDecomposeTensorOpPatterns(RewritePatternSet &patterns);

/// A conv's padding becomes a tensor.pad, with `skipPadding` only where the
/// kernel on `target` does not skip it: populates
/// --fusion-materialize-padding.
void populateMaterializePaddingPatterns(RewritePatternSet &patterns,
                                        const TargetInfo &target,
                                        bool skipPadding = true);

//===-- fusion-bufferize --------------------------------------------------===//

/// A static tensor.pad by a constant becomes fills of the border and an
/// insertion: populates --fusion-expand-padding.
void populateExpandPaddingPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TRANSFORMS_PATTERNS_H
