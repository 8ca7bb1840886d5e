//===-- Pipelines.h - The stages of the compiler, in order ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage is a function here and a pipeline flag of mlir-fusion-opt. Other
// compilers may run all of them (buildCompilePipeline) or leave the line after
// any stage.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_PIPELINES_PIPELINES_H
#define FUSIONDIALECT_PIPELINES_PIPELINES_H

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::fusion {

/// Options of one stage. A Switch is on by default and can be turned off by
/// `--disable STAGE.NAME`, so that every optimisation can be ablated.
template <typename DerivedT>
struct StageOptions : PassPipelineOptions<DerivedT> {
  struct Switch : ::mlir::detail::PassOptions::Option<bool> {
    Switch(StageOptions &parent, StringRef name, StringRef description)
        : ::mlir::detail::PassOptions::Option<bool>(
              parent, name, llvm::cl::desc(description), llvm::cl::init(true)) {
      parent.switches.push_back({name, this});
    }
    using ::mlir::detail::PassOptions::Option<bool>::operator=;
  };
  SmallVector<std::pair<StringRef, Switch *>> switches;
};

/// "strict", "default" or "fast".
inline std::optional<FPAccuracy> symbolizeFPAccuracy(StringRef name) {
  return llvm::StringSwitch<std::optional<FPAccuracy>>(name)
      .Case("strict", FPAccuracy::Strict)
      .Case("default", FPAccuracy::Default)
      .Case("fast", FPAccuracy::Fast)
      .Default(std::nullopt);
}

/// The values of every option --fp-accuracy.
inline llvm::cl::ValuesClass getFPAccuracyValues() {
  return llvm::cl::values(
      clEnumValN(FPAccuracy::Strict, "strict",
                 "Nothing is re-associated or folded through a sum"),
      clEnumValN(FPAccuracy::Default, "default", "Batch norm is folded"),
      clEnumValN(FPAccuracy::Fast, "fast", "As default"));
}

/// The CPU that code is made for.
template <typename DerivedT>
struct TargetStageOptions : StageOptions<DerivedT> {
  typename StageOptions<DerivedT>::template Option<std::string> target{
      *this, "target",
      llvm::cl::desc("CPU: host, x86-64-v3, x86-64-v4 or a CPU's name; with "
                     ":FACT=VALUE,… where it differs (docs/Targets.md)"),
      llvm::cl::init("host")};
};

/// A stage some of whose passes run rules.
template <typename DerivedT, typename BaseT = StageOptions<DerivedT>>
struct RuleStageOptions : BaseT {
  typename BaseT::template ListOption<std::string> disablePatterns{
      *this, "disable-patterns",
      llvm::cl::desc("Labels of rules that are switched off")};
  typename BaseT::template ListOption<std::string> enablePatterns{
      *this, "enable-patterns",
      llvm::cl::desc("Labels of the only rules that are switched on")};
  typename BaseT::template Option<std::string> traceRules{
      *this, "trace-rules",
      llvm::cl::desc("Say in a remark what came of each rule on ops of this "
                     "name, or with this text in their location")};
};

/// Linalg on tensors to fusion ops.
struct FusePipelineOptions : RuleStageOptions<FusePipelineOptions> {
  Option<FPAccuracy> fpAccuracy{
      *this, "fp-accuracy", llvm::cl::desc("How freely rounding may change"),
      llvm::cl::init(FPAccuracy::Default), getFPAccuracyValues()};
};

/// Layouts, packed constants, explicit padding; roots without a kernel are
/// decomposed.
struct PlanPipelineOptions
    : RuleStageOptions<PlanPipelineOptions,
                       TargetStageOptions<PlanPipelineOptions>> {
  Switch assignLayout{*this, "assign-layout",
                      "Bring images to channels-last; off, convs and pools "
                      "that come otherwise have no kernel"};
  Switch rootKernels{*this, "root-kernels",
                     "Give roots kernels of their own; off, every root becomes "
                     "its decomposition to linalg"};
  Switch skipPadding{*this, "skip-padding",
                     "Leave padding to kernels that skip it; off, they read "
                     "padded images"};
  Option<bool> assertSizes{
      *this, "assert-sizes",
      llvm::cl::desc("Assert what ops expect of sizes, where fusion-fuse has "
                     "not done it"),
      llvm::cl::init(false)};
};

/// Tensors to memrefs in one planned arena.
struct BufferizePipelineOptions : StageOptions<BufferizePipelineOptions> {
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("Name of the entry function; by default the only public "
                     "function, or main")};
  Switch joinSlices{*this, "join-slices",
                    "Compute the parts of a concatenation in their places; "
                    "off, they are copied"};
  Switch padInPlace{*this, "pad-in-place",
                    "Compute what is padded in its place; off, it is copied"};
  Switch eliminateEmptyTensors{
      *this, "eliminate-empty-tensors",
      "Compute what is inserted into a tensor in its place; off, it is copied"};
  Switch planMemory{*this, "plan-memory",
                    "Put buffers into one arena; off, each is allocated"};
};

/// Every op that computes to a call of a kernel.
struct OutlinePipelineOptions : TargetStageOptions<OutlinePipelineOptions> {
  Option<std::string> threading{
      *this, "threading",
      llvm::cl::desc("openmp: kernels run on libomp's threads; none: on the "
                     "calling one"),
      llvm::cl::init("openmp")};
  Option<bool> profile{
      *this, "profile",
      llvm::cl::desc("Take the time of each kernel's call, see "
                     "fusion-instrument"),
      llvm::cl::init(false)};
  Switch parallel{*this, "parallel",
                  "Share kernels among threads; off, each runs on the thread "
                  "that calls the model"};
};

/// Kernels to vector code.
struct VectorizePipelineOptions : TargetStageOptions<VectorizePipelineOptions> {
  Switch prefetch{*this, "prefetch",
                  "Prefetch weights that no second-level cache holds, and "
                  "residuals while sums run"};
  Switch vectorizeLinalg{*this, "vectorize-linalg",
                         "Vectorize linalg ops outside of roots; off, they "
                         "become scalar loops"};
};

/// Everything to the LLVM dialect.
struct LowerPipelineOptions : TargetStageOptions<LowerPipelineOptions> {
  Switch approximateMath{*this, "approximate-math",
                         "Compute exp, tanh, erf, log and their like by "
                         "polynomials on vectors; off, by libm"};
  Option<bool> checkBounds{
      *this, "check-bounds",
      llvm::cl::desc("End the program at accesses outside of their buffers, "
                     "see fusion-check-bounds"),
      llvm::cl::init(false)};
};

/// What comes behind the stages: no pass, but switches all the same, which the
/// caller of lib/Target reads from the list that is off.
struct EmitSwitches : StageOptions<EmitSwitches> {
  explicit EmitSwitches(ArrayRef<std::string> disable = {});
  Switch hugePages{*this, "huge-pages",
                   "Copy constants of 2 MB and more into huge pages when the "
                   "model is loaded; off, they stay in the file"};
};

/// All stages.
struct CompilePipelineOptions : TargetStageOptions<CompilePipelineOptions> {
  Option<std::string> threading{
      *this, "threading",
      llvm::cl::desc("openmp: kernels run on libomp's threads; none: on the "
                     "calling one"),
      llvm::cl::init("openmp")};
  Option<bool> profile{
      *this, "profile",
      llvm::cl::desc("Take the time of each kernel's call, see "
                     "fusion-instrument"),
      llvm::cl::init(false)};
  Option<bool> checkBounds{
      *this, "check-bounds",
      llvm::cl::desc("End the program at accesses outside of their buffers, "
                     "see fusion-check-bounds"),
      llvm::cl::init(false)};
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("Name of the entry function; by default the only public "
                     "function, or main")};
  Option<FPAccuracy> fpAccuracy{
      *this, "fp-accuracy", llvm::cl::desc("How freely rounding may change"),
      llvm::cl::init(FPAccuracy::Default), getFPAccuracyValues()};
  ListOption<std::string> disable{
      *this, "disable",
      llvm::cl::desc("What is switched off: labels of rules, STAGE.OPTION of a "
                     "boolean option, or fusion-fuse")};
  Option<std::string> traceRules{
      *this, "trace-rules",
      llvm::cl::desc("Say in a remark what came of each rule on ops of this "
                     "name, or with this text in their location")};
};

void buildFusePipeline(OpPassManager &pm, const FusePipelineOptions &options);
void buildPlanPipeline(OpPassManager &pm, const PlanPipelineOptions &options);
void buildBufferizePipeline(OpPassManager &pm,
                            const BufferizePipelineOptions &options);
void buildOutlinePipeline(OpPassManager &pm,
                          const OutlinePipelineOptions &options);
void buildVectorizePipeline(OpPassManager &pm,
                            const VectorizePipelineOptions &options);
void buildLowerPipeline(OpPassManager &pm, const LowerPipelineOptions &options);

/// fusion-fuse … fusion-lower, in the order they run.
ArrayRef<StringLiteral> getStageNames();

/// What `CompilePipelineOptions::disable` may name, stage by stage, then
/// `emit.NAME` of EmitSwitches.
SmallVector<std::string> getSwitches();

/// The stage that a switch is of; empty for those of emission.
StringRef getStageOfSwitch(StringRef name);

/// Whether `group` switches more than one rule, `name` among them: a stage, or
/// the option of a stage that runs a pass of rules.
bool isSwitchOf(StringRef name, StringRef group);

/// What is said of a switch that there is not: which it may have been, and all
/// that there are.
std::string describeUnknownSwitch(StringRef given);

/// Appends one stage. Fails, with a message in `error`, where an option is
/// unknown.
LogicalResult buildStage(OpPassManager &pm, StringRef stage,
                         const CompilePipelineOptions &options,
                         std::string &error);

/// Appends all stages up to and with `lastStage` (all if empty).
LogicalResult buildStages(OpPassManager &pm,
                          const CompilePipelineOptions &options,
                          StringRef lastStage, std::string &error);

/// All stages: for the flag --fusion-compile; options that buildStages refuses
/// are a fatal usage error there.
void buildCompilePipeline(OpPassManager &pm,
                          const CompilePipelineOptions &options);

/// The flags of all stages for a pass tool.
void registerFusionPipelines();

/// The dialects and interface models that the stages need.
void registerFusionDialects(DialectRegistry &registry);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_PIPELINES_PIPELINES_H
