//===-- Soundness.cpp - Each rule alone, before against after -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes run as they always do, so that rules meet what earlier ones leave;
// MLIR's actions tell when a pattern is applied, and the trace of our rules
// (option trace-rules) which one it was. Both sides are evaluated, never
// compiled.
//
//===----------------------------------------------------------------------===//

#include "Soundness.h"
#include "Check.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Values.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Rewrites by one rule that are compared in one graph.
static constexpr int kRewritesOfRule = 2;

SmallVector<std::string> fuzz::getAllRuleLabels() {
  SmallVector<std::string> labels;
  for (StringRef label : getRuleLabels())
    labels.push_back(label.str());
  std::unique_ptr<MLIRContext> context = makeContext();
  RewritePatternSet rules(context.get());
  TargetInfo target;
  populateDecomposeUnsupportedPatterns(rules, target);
  populateMaterializePaddingPatterns(rules, target);
  for (const auto &rule : rules.getNativePatterns())
    if (!llvm::is_contained(labels, getRuleLabel(*rule)))
      labels.push_back(getRuleLabel(*rule).str());
  return labels;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

namespace {
struct Rewrite {
  std::string label, rounding;
  OwningOpRef<ModuleOp> before, after;
};

/// Listens while passes run.
class Recorder {
public:
  Recorder(MLIRContext *context, StringRef wanted)
      : context(context), wanted(wanted),
        handler(context, [this](Diagnostic &diagnostic) {
          hear(diagnostic);
          return success();
        }) {
    context->registerActionHandler(
        [this](function_ref<void()> act, const tracing::Action &action) {
          watch(act, action);
        });
  }
  ~Recorder() { context->registerActionHandler({}); }

  std::vector<Rewrite> rewrites;
  /// How often each rule was tried.
  std::map<std::string, int64_t> tries;
  /// The first error.
  std::string error;

private:
  void hear(Diagnostic &diagnostic);
  void watch(function_ref<void()> act, const tracing::Action &action);

  MLIRContext *context;
  StringRef wanted;
  /// What the latest trace said.
  std::string label, rounding;
  std::map<std::string, int> counts;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// LABEL on OP: refused…, or: applied, ROUNDING
void Recorder::hear(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty())
    error = text;
  auto [rule, rest] = StringRef(text).split(" on ");
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark || rest.empty())
    return;
  if (wanted.empty() || rule == wanted)
    ++tries[rule.str()];
  auto [op, outcome] = rest.split(": applied, ");
  if (outcome.empty())
    return;
  label = rule.str();
  rounding = outcome.str();
}

void Recorder::watch(function_ref<void()> act, const tracing::Action &action) {
  Operation *op = nullptr;
  if (isa<ApplyPatternAction>(action))
    op = dyn_cast_if_present<Operation *>(action.getContextIRUnits().front());
  auto module = op ? op->getParentOfType<ModuleOp>() : ModuleOp();
  if (!module)
    return act();
  OwningOpRef<ModuleOp> before = module.clone();
  label.clear();
  act();
  if (label.empty() || (!wanted.empty() && label != wanted) ||
      ++counts[label] > kRewritesOfRule)
    return;
  rewrites.push_back({label, rounding, std::move(before), module.clone()});
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The inputs with denormals, -0 and the largest numbers here and there, and
/// with NaN and infinities unless `isFinite`.
static std::vector<Input> addSpecials(std::vector<Input> inputs,
                                      bool isFinite) {
  Random random(1);
  for (Input &input : inputs) {
    if (!isa<FloatType>(input.elementType))
      continue;
    size_t size = getElementBytes(input.elementType);
    std::string specials =
        makeBytes(input.elementType, int64_t(input.bytes.size() / size),
                  ValueKind::Special, random.next());
    for (size_t at = 0; at < input.bytes.size(); at += size)
      if (random.chance(10) &&
          !(isFinite &&
            !std::isfinite(readNumber(input.elementType, &specials[at]).value)))
        input.bytes.replace(at, size, specials, at, size);
  }
  return inputs;
}

static std::string compareBits(ArrayRef<Array> got, ArrayRef<Array> wanted,
                               Outcome &outcome) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (got[i].shape != wanted[i].shape)
      return ("result " + Twine(i) + ": another shape").str();
    bool isFloat = isa<FloatType>(wanted[i].elementType);
    for (int64_t at = 0; at < wanted[i].size(); ++at) {
      const Number &want = wanted[i].numbers[at], &have = got[i].numbers[at];
      ++outcome.compared;
      if (want.error > 0) {
        ++outcome.open;
        continue;
      }
      bool isSame = have.error == 0;
      if (!isFloat)
        isSame &= have.integer == want.integer;
      else if (std::isnan(want.value))
        isSame &= std::isnan(have.value);
      else
        isSame &= have.value == want.value &&
                  std::signbit(have.value) == std::signbit(want.value);
      if (isSame)
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "result " << i << ", element " << at << ": ";
      if (have.error > 0)
        os << "undefined";
      else if (isFloat)
        os << llvm::format("%.17g", have.value);
      else
        os << have.integer;
      os << " after, ";
      if (isFloat)
        os << llvm::format("%.17g", want.value);
      else
        os << want.integer;
      os << " before";
      return text;
    }
  }
  return {};
}

/// What is wrong with a rewrite; empty if nothing is. An error if it cannot be
/// evaluated.
static llvm::Expected<std::string>
compareRewrite(const Rewrite &rewrite, const std::vector<Input> &inputs,
               Outcome &outcome) {
  bool rounds = rewrite.rounding == kRounds;
  Sums sums = rewrite.rounding == "exact" ? Sums::Written : Sums::AtOnce;
  auto compare = [&](ArrayRef<Input> inputs) -> llvm::Expected<std::string> {
    auto before =
        runReference(*rewrite.before, inputs,
                     rounds ? Precision::Exact : Precision::Rounded, sums);
    if (!before)
      return before.takeError();
    auto after = runReference(*rewrite.after, inputs, Precision::Rounded, sums);
    if (!after)
      return after.takeError();
    return rounds ? compareArrays(*after, *before, outcome)
                  : compareBits(*after, *before, outcome);
  };
  auto difference = compare(inputs);
  if (!difference || !difference->empty() || rounds)
    return difference;
  // Where terms that are zero may come and go, all others are finite.
  return compare(addSpecials(inputs, sums == Sums::AtOnce));
}

//===----------------------------------------------------------------------===//
// A graph
//===----------------------------------------------------------------------===//

static LogicalResult runPasses(ModuleOp module, const Settings &settings,
                               const RuleOptions &options) {
  if (!options.passes.empty()) {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    pm.enableVerifier(false);
    return success(succeeded(parsePassPipeline(options.passes, pm)) &&
                   succeeded(pm.run(module)));
  }
  CompilePipelineOptions compile;
  compile.target = settings.target;
  compile.fpAccuracy = *symbolizeFPAccuracy(settings.accuracy);
  compile.disable = ArrayRef<std::string>(settings.disable);
  compile.traceRules = kPlace.str();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  std::string problem;
  if (failed(buildStages(pm, compile, "fusion-plan", problem)))
    return module.emitError(problem);
  return pm.run(module);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().elideLargeResourceString(64));
  return text;
}

Outcome fuzz::checkRules(ModuleOp module, const Settings &settings,
                         const RuleOptions &options, Coverage *coverage) {
  Outcome outcome;
  auto fail = [&](Outcome::Kind kind, const Twine &text) {
    outcome.kind = kind;
    outcome.text = text.str();
    return outcome;
  };
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || failed(verify(module)))
    return fail(Outcome::Skipped, "no graph");
  FailureOr<std::vector<Input>> inputs = makeInputs(function);
  if (failed(inputs))
    return fail(Outcome::Skipped, "no inputs");
  OwningOpRef<ModuleOp> bare = cloneBare(module);
  // Rules are traced by place.
  Location place = NameLoc::get(StringAttr::get(module.getContext(), kPlace));
  bare->walk([&](Operation *op) { op->setLoc(place); });

  std::vector<Rewrite> rewrites;
  {
    Recorder recorder(module.getContext(), options.label);
    if (failed(runPasses(*bare, settings, options)))
      return fail(Outcome::Refused, recorder.error);
    rewrites = std::move(recorder.rewrites);
    if (coverage)
      for (const auto &[label, count] : recorder.tries)
        (*coverage)["tried " + label] += count;
  }
  std::string error;
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    error = diagnostic.str();
                                    return success();
                                  });
  for (Rewrite &rewrite : rewrites) {
    if (!options.claim.empty())
      rewrite.rounding = options.claim;
    int64_t compared = outcome.compared, open = outcome.open;
    auto difference = compareRewrite(rewrite, *inputs, outcome);
    if (!difference) {
      std::string text = llvm::toString(difference.takeError());
      if (coverage)
        ++(*coverage)["unchecked " + rewrite.label + ": " + text];
      continue;
    }
    if (coverage) {
      // One that left everything open was not checked.
      if (outcome.compared - compared > outcome.open - open)
        ++(*coverage)["rule " + rewrite.label];
      (*coverage)["elements " + rewrite.label] += outcome.compared - compared;
      if (outcome.open > open)
        (*coverage)["open " + rewrite.label] += outcome.open - open;
    }
    if (difference->empty())
      continue;
    outcome.rule = rewrite.label;
    outcome.detail = "before:\n" + print(*rewrite.before) + "\nafter:\n" +
                     print(*rewrite.after);
    return fail(Outcome::Wrong,
                rewrite.label + " (" + rewrite.rounding + "): " + *difference);
  }
  return outcome;
}
