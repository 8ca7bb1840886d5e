//===-- Stages.cpp - The table of stages ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By name: their switches, their flags, and what each takes from the options of
// the whole.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::fusion;

/// A sentence with what is known, and what is nearest to what was given.
static std::string describeUnknown(StringRef expected, StringRef given,
                                   StringRef knownAre,
                                   ArrayRef<std::string> known) {
  // Of `stage.option`, the option alone may be what was meant.
  auto getDistance = [&](StringRef name) {
    unsigned whole = given.edit_distance(name);
    StringRef option = name.split('.').second;
    return option.empty() ? whole
                          : std::min(whole, given.edit_distance(option));
  };
  const std::string *nearest = nullptr;
  for (const std::string &name : known)
    if (getDistance(name) <= given.size() / 2 &&
        (!nearest || getDistance(name) < getDistance(*nearest)))
      nearest = &name;
  std::string text =
      "expected " + expected.str() + ", got '" + given.str() + "'";
  text += nearest ? "; did you mean '" + *nearest + "'?" : ".";
  text += " These are the " + knownAre.str() + ":";
  std::string line;
  for (const std::string &name : known) {
    if (line.size() + name.size() > 76) {
      text += "\n " + line;
      line.clear();
    }
    line += " " + name;
  }
  return text + "\n " + line;
}

namespace {
/// The labels of a stage's rules that are switched off.
template <typename Options>
void inheritRules(Options &to, const CompilePipelineOptions &from,
                  StringRef stage) {
  to.traceRules = from.traceRules.getValue();
  SmallVector<StringRef> known = getRuleLabelsOfStage(stage);
  SmallVector<std::string> labels;
  llvm::copy_if(
      from.disable, std::back_inserter(labels),
      [&](const std::string &name) { return llvm::is_contained(known, name); });
  to.disablePatterns = ArrayRef<std::string>(labels);
}

/// What a stage takes from the options of the whole.
void inherit(FusePipelineOptions &to, const CompilePipelineOptions &from) {
  to.fpAccuracy = from.fpAccuracy.getValue();
  inheritRules(to, from, "fusion-fuse");
}
void inherit(PlanPipelineOptions &to, const CompilePipelineOptions &from) {
  to.target = from.target.getValue();
  to.assertSizes = llvm::is_contained(from.disable, "fusion-fuse");
  inheritRules(to, from, "fusion-plan");
}
void inherit(BufferizePipelineOptions &to, const CompilePipelineOptions &from) {
  to.entry = from.entry.getValue();
}
void inherit(OutlinePipelineOptions &to, const CompilePipelineOptions &from) {
  to.target = from.target.getValue();
  to.threading = from.threading.getValue();
  to.profile = from.profile.getValue();
}
void inherit(LowerPipelineOptions &to, const CompilePipelineOptions &from) {
  to.target = from.target.getValue();
  to.checkBounds = from.checkBounds.getValue();
}
template <typename Options>
void inherit(Options &to, const CompilePipelineOptions &from) {
  to.target = from.target.getValue();
}

/// As PassPipelineRegistration does, but wrong options are errors before any
/// pass is made.
template <typename Options>
void registerPipeline(StringRef flag, StringRef description,
                      LogicalResult (*check)(const Options &, StringRef flag,
                                             std::string &error),
                      void (*build)(OpPassManager &, const Options &)) {
  if (PassPipelineInfo::lookup(flag))
    return;
  auto parse = [flag = flag.str(), check,
                build](OpPassManager &pm, StringRef text,
                       function_ref<LogicalResult(const Twine &)> emitError) {
    Options options;
    std::string error;
    if (failed(options.parseFromString(text)))
      return failure();
    if (failed(check(options, flag, error)))
      return emitError(error);
    build(pm, options);
    return success();
  };
  registerPassPipeline(
      flag, description, parse,
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(Options());
      });
}

LogicalResult checkLabels(const mlir::detail::PassOptions &, StringRef,
                          std::string &) {
  return success();
}

/// The labels are among those of all passes of the stage.
template <typename DerivedT, typename BaseT>
LogicalResult checkLabels(const RuleStageOptions<DerivedT, BaseT> &options,
                          StringRef stage, std::string &error) {
  SmallVector<std::string> known;
  for (StringRef label : getRuleLabelsOfStage(stage))
    known.push_back(label.str());
  using Labels = std::pair<StringRef, ArrayRef<std::string>>;
  for (auto [option, labels] :
       {Labels("disable-patterns", options.disablePatterns),
        Labels("enable-patterns", options.enablePatterns)})
    for (const std::string &label : labels)
      if (!llvm::is_contained(known, label)) {
        error = describeUnknown(("a rule's label in " + option).str(), label,
                                ("labels of " + stage).str(), known);
        return failure();
      }
  return success();
}

struct Stage {
  StringLiteral name;
  StringLiteral description;
  /// Appends the stage; `off` are the names of its switches that are off.
  void (*build)(OpPassManager &, const CompilePipelineOptions &,
                ArrayRef<StringRef> off);
  SmallVector<StringRef> (*getSwitches)();
  void (*registerFlag)(StringRef name, StringRef description);
};

template <typename Options,
          void (*buildPipeline)(OpPassManager &, const Options &)>
constexpr Stage makeStage(StringLiteral name, StringLiteral description) {
  return {
      name, description,
      [](OpPassManager &pm, const CompilePipelineOptions &compile,
         ArrayRef<StringRef> off) {
        Options options;
        inherit(options, compile);
        for (auto &[switchName, value] : options.switches)
          if (llvm::is_contained(off, switchName))
            *value = false;
        buildPipeline(pm, options);
      },
      []() {
        Options options;
        return llvm::to_vector(llvm::make_first_range(options.switches));
      },
      [](StringRef flag, StringRef text) {
        registerPipeline<Options>(
            flag, text,
            [](const Options &options, StringRef stage, std::string &error) {
              return checkLabels(options, stage, error);
            },
            buildPipeline);
      }};
}

constexpr Stage kStages[] = {
    makeStage<FusePipelineOptions, buildFusePipeline>(
        "fusion-fuse", "Linalg on tensors to fusion ops"),
    makeStage<PlanPipelineOptions, buildPlanPipeline>(
        "fusion-plan", "Layouts, packed constants, explicit padding; roots "
                       "without a kernel to linalg"),
    makeStage<BufferizePipelineOptions, buildBufferizePipeline>(
        "fusion-bufferize", "Tensors to memrefs in one planned arena"),
    makeStage<OutlinePipelineOptions, buildOutlinePipeline>(
        "fusion-outline", "Every op that computes to a call of a kernel"),
    makeStage<VectorizePipelineOptions, buildVectorizePipeline>(
        "fusion-vectorize", "Kernels to vector code"),
    makeStage<LowerPipelineOptions, buildLowerPipeline>(
        "fusion-lower", "Everything to the LLVM dialect"),
};
} // namespace

ArrayRef<StringLiteral> fusion::getStageNames() {
  static const SmallVector<StringLiteral> names = [] {
    SmallVector<StringLiteral> all;
    for (const Stage &stage : kStages)
      all.push_back(stage.name);
    return all;
  }();
  return names;
}

/// The first part of the names of EmitSwitches.
static constexpr StringLiteral kEmit = "emit";

EmitSwitches::EmitSwitches(ArrayRef<std::string> disable) {
  for (auto &[name, value] : switches)
    if (llvm::is_contained(disable, (kEmit + "." + name).str()))
      *value = false;
}

SmallVector<std::string> fusion::getSwitches() {
  SmallVector<std::string> switches;
  switches.push_back("fusion-fuse");
  for (const Stage &stage : kStages) {
    for (StringRef label : getRuleLabelsOfStage(stage.name))
      switches.push_back(label.str());
    for (StringRef name : stage.getSwitches())
      switches.push_back((stage.name + "." + name).str());
  }
  EmitSwitches ofEmit; // has to outlive the loop over its names
  for (StringRef name : llvm::make_first_range(ofEmit.switches))
    switches.push_back((kEmit + "." + name).str());
  return switches;
}

StringRef fusion::getStageOfSwitch(StringRef name) {
  for (const Stage &stage : kStages)
    if (name == stage.name || name.split('.').first == stage.name ||
        llvm::is_contained(getRuleLabelsOfStage(stage.name), name))
      return stage.name;
  return {};
}

bool fusion::isSwitchOf(StringRef name, StringRef group) {
  auto [stage, option] = group.split('.');
  if (option.empty())
    return llvm::is_contained(getRuleLabelsOfStage(stage), name);
  return llvm::is_contained(getRuleLabels(("fusion-" + option).str()), name);
}

std::string fusion::describeUnknownSwitch(StringRef given) {
  return describeUnknown("a switch", given, "switches", getSwitches());
}

LogicalResult fusion::buildStage(OpPassManager &pm, StringRef name,
                                 const CompilePipelineOptions &options,
                                 std::string &error) {
  const Stage *stage = llvm::find_if(
      kStages, [&](const Stage &candidate) { return candidate.name == name; });
  if (stage == std::end(kStages)) {
    error = "expected a stage (" + llvm::join(getStageNames(), ", ") +
            "), got '" + name.str() + "'";
    return failure();
  }
  SmallVector<std::string> known = getSwitches();
  SmallVector<StringRef> off;
  for (const std::string &given : options.disable) {
    if (!llvm::is_contained(known, given)) {
      error = describeUnknownSwitch(given);
      return failure();
    }
    auto [stageName, switchName] = StringRef(given).split('.');
    if (stageName != name)
      continue;
    // The name of a stage switches the whole of it off.
    if (switchName.empty())
      return success();
    off.push_back(switchName);
  }
  stage->build(pm, options, off);
  return success();
}

LogicalResult fusion::buildStages(OpPassManager &pm,
                                  const CompilePipelineOptions &options,
                                  StringRef lastStage, std::string &error) {
  if (!lastStage.empty() && !llvm::is_contained(getStageNames(), lastStage)) {
    error = "expected a stage (" + llvm::join(getStageNames(), ", ") +
            "), got '" + lastStage.str() + "'";
    return failure();
  }
  for (StringRef stage : getStageNames()) {
    if (failed(buildStage(pm, stage, options, error)))
      return failure();
    if (stage == lastStage)
      break;
  }
  return success();
}

void fusion::buildCompilePipeline(OpPassManager &pm,
                                  const CompilePipelineOptions &options) {
  std::string error;
  if (failed(buildStages(pm, options, /*lastStage=*/"", error)))
    llvm::reportFatalUsageError(StringRef(error));
}

void fusion::registerFusionPipelines() {
  for (const Stage &stage : kStages)
    // A stage that is one pass has that pass's flag.
    if (!PassInfo::lookup(stage.name))
      stage.registerFlag(stage.name, stage.description);
  registerPipeline<CompilePipelineOptions>(
      "fusion-compile", "All stages, fusion-fuse to fusion-lower",
      [](const CompilePipelineOptions &options, StringRef, std::string &error) {
        OpPassManager scratch(ModuleOp::getOperationName());
        return buildStages(scratch, options, /*lastStage=*/"", error);
      },
      buildCompilePipeline);
}
