//===-- Pipelines.cpp - The stages of the compiler, in order --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compiler, top to bottom: one function a stage. Stages.cpp is their
// table.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Conversion/Passes.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fusion;

/// Before what needs the passes of an earlier stage.
static void addVerification(OpPassManager &pm, StringRef stage) {
  FusionVerifyStagePassOptions options;
  options.stage = stage.str();
  pm.addPass(createFusionVerifyStagePass(options));
}

/// The dialect shape: what importers compute and demand of sizes.
static void addShapeLowering(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertShapeConstraintsPass());
  pm.addPass(createConvertShapeToStandardPass());
}

/// Does nothing without TOSA ops.
static void addTosaConversion(OpPassManager &pm,
                              const FusionConvertTosaPassOptions &options) {
  pm.addNestedPass<func::FuncOp>(tosa::createTosaInferShapesPass());
  pm.addNestedPass<func::FuncOp>(tosa::createTosaReduceTransposes());
  pm.addPass(createFusionConvertTosaPass(options));
}

/// Gives the pass `flag` its own part of a stage's lists of labels.
template <typename PassOptions, typename StageOptions>
static PassOptions withLabels(PassOptions passOptions, StringRef flag,
                              const StageOptions &options) {
  RuleSwitches switches =
      getSwitchesOf(flag, ArrayRef<std::string>(options.disablePatterns),
                    ArrayRef<std::string>(options.enablePatterns));
  passOptions.disabledPatterns.assign(switches.disabled.begin(),
                                      switches.disabled.end());
  passOptions.enabledPatterns.assign(switches.enabled.begin(),
                                     switches.enabled.end());
  passOptions.traceRules = options.traceRules;
  return passOptions;
}

//===-- fusion-fuse: linalg to fusion ops ---------------------------------===//

void fusion::buildFusePipeline(OpPassManager &pm,
                               const FusePipelineOptions &options) {
  addVerification(pm, "fuse");
  addShapeLowering(pm);
  auto own = [&](auto passOptions, StringRef flag) {
    return withLabels(passOptions, flag, options);
  };
  addTosaConversion(pm,
                    own(FusionConvertTosaPassOptions(), "fusion-convert-tosa"));
  pm.addPass(createFusionResolveShapesPass());
  pm.addNestedPass<func::FuncOp>(createFusionAssertSizesPass());
  pm.addPass(
      createFusionRaisePass(own(FusionRaisePassOptions(), "fusion-raise")));
  pm.addPass(
      createFusionAbsorbPass(own(FusionAbsorbPassOptions(), "fusion-absorb")));
  FusionFoldConstantsPassOptions foldOptions =
      own(FusionFoldConstantsPassOptions(), "fusion-fold-constants");
  foldOptions.fpAccuracy = options.fpAccuracy;
  pm.addPass(createFusionFoldConstantsPass(foldOptions));
  pm.addPass(createFusionReuseResidualPass(
      own(FusionReuseResidualPassOptions(), "fusion-reuse-residual")));
  pm.addPass(createFusionCanonicalizePass());
  pm.addPass(createCSEPass());
}

//===-- fusion-plan: layout, packed constants, padding, fall-backs --------===//

void fusion::buildPlanPipeline(OpPassManager &pm,
                               const PlanPipelineOptions &options) {
  addVerification(pm, "fuse");
  addShapeLowering(pm);
  // Fusing has done both already, if it was on.
  FusionConvertTosaPassOptions tosaOptions;
  tosaOptions.traceRules = options.traceRules;
  addTosaConversion(pm, tosaOptions);
  if (options.assertSizes)
    pm.addNestedPass<func::FuncOp>(createFusionAssertSizesPass());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  if (options.assignLayout)
    pm.addPass(createFusionAssignLayoutPass(withLabels(
        FusionAssignLayoutPassOptions(), "fusion-assign-layout", options)));
  pm.addPass(createFusionSplitPhasesPass(withLabels(
      FusionSplitPhasesPassOptions(), "fusion-split-phases", options)));
  // Off, nothing is left for the passes below but what is no root.
  if (!options.rootKernels)
    pm.addPass(createFusionToLinalgPass());
  FusionDecomposeUnsupportedPassOptions decomposeOptions;
  decomposeOptions.target = options.target;
  decomposeOptions.traceRules = options.traceRules;
  pm.addPass(createFusionDecomposeUnsupportedPass(decomposeOptions));
  FusionPackConstantsPassOptions packOptions;
  packOptions.target = options.target;
  pm.addPass(createFusionPackConstantsPass(packOptions));
  FusionMaterializePaddingPassOptions paddingOptions;
  paddingOptions.target = options.target;
  paddingOptions.skipPadding = options.skipPadding;
  paddingOptions.traceRules = options.traceRules;
  pm.addPass(createFusionMaterializePaddingPass(paddingOptions));
  pm.addPass(createFusionCanonicalizePass());
  pm.addPass(createCSEPass());
}

//===-- fusion-bufferize: tensors to one planned arena --------------------===//

void fusion::buildBufferizePipeline(OpPassManager &pm,
                                    const BufferizePipelineOptions &options) {
  addVerification(pm, "fuse");
  FusionNormalizeEntryPassOptions normalizeOptions;
  normalizeOptions.entry = options.entry;
  pm.addPass(createFusionNormalizeEntryPass(normalizeOptions));
  FusionRecordEntryPassOptions entryOptions;
  entryOptions.entry = options.entry;
  pm.addPass(createFusionRecordEntryPass(entryOptions));
  // Only structured control flow has an arena, and is inlined everywhere.
  pm.addPass(createLiftControlFlowToSCFPass());
  addVerification(pm, "inline");
  pm.addPass(createInlinerPass({}, /*defaultPipelineBuilder=*/nullptr));
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(createFusionPrepareBuffersPass());
  addVerification(pm, "bufferize");

  pm.addPass(createFusionDeriveShapesPass());
  pm.addPass(createFusionSplitEmptyTensorsPass());
  if (options.joinSlices)
    pm.addPass(createFusionJoinSlicesPass());
  if (options.padInPlace)
    pm.addPass(createFusionExpandPaddingPass());
  if (options.eliminateEmptyTensors)
    pm.addPass(bufferization::createEmptyTensorEliminationPass());
  // An alloc_tensor's buffer is known to be row-major, also through an scf.if.
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferizeOptions;
  bufferizeOptions.bufferizeFunctionBoundaries = true;
  bufferizeOptions.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferizeOptions.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferizeOptions));
  pm.addPass(createFusionCanonicalizePass());
  pm.addPass(createCSEPass());

  pm.addPass(createFusionResultsToOutParamsPass());
  FusionPlanMemoryPassOptions memoryOptions;
  memoryOptions.arena = options.planMemory;
  pm.addPass(createFusionPlanMemoryPass(memoryOptions));

  // What has no place in the arena is freed.
  bufferization::BufferDeallocationPipelineOptions deallocOptions;
  bufferization::buildBufferDeallocationPipeline(pm, deallocOptions);
  pm.addPass(createCSEPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

//===-- fusion-outline: every op that computes to a kernel ----------------===//

void fusion::buildOutlinePipeline(OpPassManager &pm,
                                  const OutlinePipelineOptions &options) {
  FusionOutlineKernelsPassOptions outlineOptions;
  outlineOptions.target = options.target;
  outlineOptions.threading =
      options.parallel ? options.threading.getValue() : "none";
  outlineOptions.describe = options.profile;
  pm.addPass(createFusionOutlineKernelsPass(outlineOptions));
  if (options.profile)
    pm.addPass(createFusionInstrumentPass());
}

//===-- fusion-vectorize: kernels to vector code --------------------------===//

void fusion::buildVectorizePipeline(OpPassManager &pm,
                                    const VectorizePipelineOptions &options) {
  addVerification(pm, "vectorize");
  // Kernels are modules of their own, so that they are worked on in parallel.
  OpPassManager &kernels = pm.nest<ModuleOp>();
  FusionToVectorPassOptions rootOptions;
  rootOptions.target = options.target;
  rootOptions.prefetch = options.prefetch;
  kernels.addPass(createFusionToVectorPass(rootOptions));
  FusionVectorizeLinalgPassOptions linalgOptions;
  linalgOptions.target = options.target;
  linalgOptions.vectorize = options.vectorizeLinalg;
  kernels.addPass(createFusionVectorizeLinalgPass(linalgOptions));
  kernels.addPass(createFusionCanonicalizePass());
  kernels.addPass(createCSEPass());
}

//===-- fusion-lower: everything to the LLVM dialect ----------------------===//

/// From vector, scf, memref and arith inside functions to what convert-to-llvm
/// takes.
static void addLoweringOfBodies(OpPassManager &pm,
                                const LowerPipelineOptions &options) {
  pm.addPass(createConvertComplexToStandardPass());
  FusionWidenFloatsPassOptions floatOptions;
  floatOptions.target = options.target;
  pm.addPass(createFusionWidenFloatsPass(floatOptions));
  FusionApproximateMathPassOptions mathOptions;
  mathOptions.polynomials = options.approximateMath;
  pm.addPass(createFusionApproximateMathPass(mathOptions));
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createFusionExpandViewsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
}

void fusion::buildLowerPipeline(OpPassManager &pm,
                                const LowerPipelineOptions &options) {
  addVerification(pm, "lower");
  OpPassManager &kernels = pm.nest<ModuleOp>();
  if (options.checkBounds)
    kernels.addPass(createFusionCheckBoundsPass());
  addLoweringOfBodies(kernels, options);
  kernels.addPass(createFusionAssertToLLVMPass());
  kernels.addPass(createConvertToLLVMPass());
  // What LLVM has no intrinsic for is a call of libm.
  kernels.addPass(createConvertMathToLibmPass());
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createFusionBFloat16ToI16Pass());

  // The caller: loops over ranges become libomp's, and the canonicalizer
  // removes the scopes that this leaves, which may not hold loops.
  pm.addPass(createConvertSCFToOpenMPPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createFusionCanonicalizePass());
  functions.addPass(createConvertLinalgToLoopsPass());
  if (options.checkBounds)
    pm.addPass(createFusionCheckBoundsPass());
  addLoweringOfBodies(pm.nest<func::FuncOp>(), options);
  pm.addPass(createFusionAssertToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFusionBFloat16ToI16Pass());
  addVerification(pm, "emit");
}
