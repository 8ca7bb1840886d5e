//===-- Ablate.cpp - mlir-fusion ablate -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries every switch of the registry on one model. All variants are compiled,
// then compared, then measured in turns.
//
//===----------------------------------------------------------------------===//

#include "Ablate.h"
#include "AblateReport.h"
#include "Census.h"
#include "Compilation.h"
#include "Files.h"
#include "Fingerprint.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "LoadModel.h"
#include "Progress.h"
#include "Report.h"
#include "Tensors.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace mlir;
using namespace mlir::fusion;

static std::atomic<bool> sawInterrupt = false;
static bool isInterrupted() { return sawInterrupt; }

namespace {
/// Compiles variants and keeps of the base what others are compared with.
class Ablater : public Ablation {
public:
  using Ablation::Ablation;

  /// Compiles everything; fails if the base does.
  LogicalResult compile();
  /// Compares results with those of the base, and these with what is expected.
  LogicalResult check();
  void measure();

private:
  bool isRoughlyMeasured(Trial &trial, double baseMs);
  LogicalResult chooseSwitches();
  std::vector<std::string> getDisabled(StringRef name) const;
  /// Compiles and loads; returns what went wrong.
  std::optional<std::string> compile(Trial &trial);
  std::optional<std::string> compileTo(StringRef path, Trial &trial);

  /// The base's IR after each stage, and its library.
  llvm::StringMap<std::string> stages;
  std::string library;
  /// Where all variants are compiled to: a library has its file's name in it,
  /// and those of equal code shall be equal.
  TemporaryFile output;
  SmallVector<NpyArray> inputs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

LogicalResult Ablater::chooseSwitches() {
  SmallVector<std::string> known = getSwitches();
  for (const std::string &name : options.ablate.only) {
    if (!llvm::is_contained(known, name))
      return error(describeUnknownSwitch(name));
    if (!llvm::is_contained(switches, name))
      switches.push_back(name);
  }
  if (options.ablate.only.empty())
    switches.assign(known.begin(), known.end());
  return success();
}

/// What is off where the switch `name` is tried, or in the base if it is empty.
/// To switch a group on is to switch all of its rules on, and a rule is on only
/// with its group.
std::vector<std::string> Ablater::getDisabled(StringRef name) const {
  if (!options.ablate.addOne)
    return name.empty() ? std::vector<std::string>()
                        : std::vector<std::string>{name.str()};
  std::vector<std::string> disabled;
  for (const std::string &other : getSwitches()) {
    bool isStage = llvm::is_contained(getStageNames(), other);
    bool isOn =
        other == name || isSwitchOf(other, name) || isSwitchOf(name, other);
    if (!isStage && !isOn)
      disabled.push_back(other);
  }
  return disabled;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static std::string hashFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return {};
  auto hash = llvm::SHA1::hash(arrayRefFromStringRef((*file)->getBuffer()));
  return std::string(hash.begin(), hash.end());
}

std::optional<std::string> Ablater::compileTo(StringRef path, Trial &trial) {
  bool isBase = trial.name.empty();
  CompileFlags flags = options.flags;
  flags.disable = trial.disabled;
  flags.quiet = !isBase;
  Compilation compilation(flags, /*collectRemarks=*/false);
  auto fail = [&] { return compilation.getError().str(); };
  if (failed(compilation.parse()))
    return fail();
  for (StringRef stage : getStageNames()) {
    if (failed(compilation.runStage(stage)))
      return fail();
    if (stage == "fusion-plan")
      trial.constantBytes = takeCensus(compilation.getEntry()).constantBytes;
    if (stage == "fusion-bufferize" && compilation.getWorkspaceSlots() == 0)
      trial.arenaBytes = compilation.getWorkspaceSize();
    if (isBase) {
      stages[stage] = takeFingerprint(compilation.getModule());
    } else if (stage == getStageOfSwitch(trial.name) &&
               takeFingerprint(compilation.getModule()) == stages[stage]) {
      // No later stage looks at the switch.
      trial.status = Trial::Status::Unchanged;
      return std::nullopt;
    }
  }
  if (failed(compilation.emit([&] {
        return emitLibrary(compilation.getModule(), path,
                           compilation.getEmitOptions(flags.model));
      })))
    return fail();
  trial.compileMs = 0;
  for (const auto &[name, seconds] : compilation.getProgress().getSteps())
    trial.compileMs += seconds * 1e3;
  trial.size = getCodeSize(path);
  // Stages may come to the same in the end.
  std::string hash = hashFile(path);
  if (isBase)
    library = hash;
  else if (hash == library)
    trial.status = Trial::Status::Unchanged;
  return std::nullopt;
}

std::optional<std::string> Ablater::compile(Trial &trial) {
  bool isBase = trial.name.empty();
  std::optional<std::string> problem = compileTo(output.getPath(), trial);
  // A process's first compile reads and sets up what later ones find.
  if (isBase && !problem)
    problem = compileTo(output.getPath(), trial);
  if (problem || trial.status == Trial::Status::Unchanged)
    return problem;
  // The loader takes a path that it knows for the library it has from there.
  TemporaryFile file;
  if (failed(file.create("so")))
    return "cannot make a temporary file";
  if (std::error_code code =
          llvm::sys::fs::rename(output.getPath(), file.getPath()))
    return "cannot rename a temporary file: " + code.message();
  llvm::Expected<Library> loaded =
      Library::open(file.getPath(), options.flags.name);
  if (!loaded)
    return llvm::toString(loaded.takeError());
  trial.variant.emplace(getBaseName().str(), options.flags.model,
                        trial.disabled, std::move(*loaded));
  if (!isBase)
    trial.variant->name = trial.name;
  return std::nullopt;
}

LogicalResult Ablater::compile() {
  if (isLibrary(options.flags.model))
    return error(Twine("expected a model to compile, got the library ") +
                 options.flags.model);
  if (failed(chooseSwitches()))
    return failure();
  // Both before the first library is loaded.
  setNumThreads(options.ablate.threads);
  bindThreads();
  if (failed(output.create("so")))
    return failure();
  std::vector<std::string> names{""};
  llvm::append_range(names, switches);
  LoopProgress progress("compile", names.size());
  for (const std::string &name : names) {
    Trial trial;
    trial.name = name;
    trial.disabled = getDisabled(name);
    std::optional<std::string> problem = compile(trial);
    // An interrupt takes the compiler's temporary files, too.
    if (sawInterrupt)
      break;
    if (problem && name.empty())
      return failure();
    // Until now there was nothing to keep. The second time, Ctrl-C ends the
    // process as ever.
    if (name.empty())
      llvm::sys::SetInterruptFunction([] { sawInterrupt = true; });
    if (problem) {
      trial.status = Trial::Status::Failed;
      trial.problem = *problem;
    }
    trials.push_back(std::move(trial));
    progress.tick();
  }
  return success(!trials.empty());
}

//===----------------------------------------------------------------------===//
// Checking and measuring
//===----------------------------------------------------------------------===//

LogicalResult Ablater::check() {
  const AblateOptions &ablate = options.ablate;
  Variant &base = *getBase().variant;
  const Signature &own = base.library.getSignature();
  if (own.threading == "none")
    bindThisThread();
  else
    threads = getNumThreads();
  FailureOr<SmallVector<NpyArray>> read = getInputs(ablate.inputs, own);
  if (failed(read))
    return failure();
  inputs = std::move(*read);
  FailureOr<Signature> signature = getSignatureFor(base.library, inputs);
  if (failed(signature) || failed(callForResults(base, *signature, inputs)))
    return failure();
  if (!ablate.expected.empty()) {
    FailureOr<SmallVector<NpyArray>> wanted = readArrays(
        ablate.expected, "result", signature->outputs, /*isCompared=*/true);
    if (failed(wanted))
      return failure();
    std::vector<std::string> sentences =
        findDifferences(base, *wanted, ablate.tolerance, "the file of --expect",
                        base.difference);
    if (!sentences.empty()) {
      getBase().status = Trial::Status::Wrong;
      getBase().problem = llvm::join(sentences, "; ");
      return success();
    }
  }
  for (Trial &trial : llvm::drop_begin(trials)) {
    if (sawInterrupt)
      break;
    if (!trial.variant)
      continue;
    Signature same;
    if (failed(checkSameSignature({&base, &*trial.variant}, inputs, same)) ||
        failed(callForResults(*trial.variant, same, inputs))) {
      trial.status = Trial::Status::Failed;
      trial.problem = "cannot be called as the base";
      continue;
    }
    std::vector<std::string> sentences =
        findDifferences(*trial.variant, base.results, ablate.tolerance,
                        getBaseName(), trial.variant->difference);
    if (sentences.empty())
      continue;
    trial.status = Trial::Status::Wrong;
    trial.problem = llvm::join(sentences, "; ");
  }
  return success();
}

/// Tells from a few calls what is so much slower than the base that as many
/// calls as of the others would take longer than all of them.
bool Ablater::isRoughlyMeasured(Trial &trial, double baseMs) {
  constexpr double kMuchSlower = 10;
  Variant &variant = *trial.variant;
  auto isMuchSlower = [&](ArrayRef<double> calls) {
    return !calls.empty() && *llvm::min_element(calls) >= kMuchSlower * baseMs;
  };
  if (!isMuchSlower(timeCalls(variant, 2, isInterrupted)))
    return false;
  // The first two were cold, or other programs may have had the machine.
  SmallVector<double> samples = timeCalls(variant, 3, isInterrupted);
  if (!isMuchSlower(samples))
    return false;
  variant.samples = std::move(samples);
  llvm::sort(variant.samples);
  for (double sample : variant.samples)
    variant.ratios.push_back(sample / baseMs);
  return true;
}

void Ablater::measure() {
  Variant &base = *getBase().variant;
  SmallVector<double> calls =
      timeCalls(base, std::max(options.ablate.warmUp, 1u), isInterrupted);
  if (calls.empty())
    return;
  double baseMs = *llvm::min_element(calls);
  SmallVector<Variant *> variants;
  for (Trial &trial : trials) {
    if (!trial.variant || trial.status != Trial::Status::Measured ||
        sawInterrupt)
      continue;
    trial.isRough = !trial.name.empty() && isRoughlyMeasured(trial, baseMs);
    if (!trial.isRough)
      variants.push_back(&*trial.variant);
  }
  SmallVector<double> same = takeSamples(
      variants, {options.ablate.warmUp, options.ablate.repeat,
                 /*warmUpSeconds=*/
                 std::numeric_limits<double>::infinity(), isInterrupted});
  noise = getMedianInterval(same);
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runAblate(const Options &options) {
  Ablater ablater(options);
  if (failed(ablater.compile()) || (!sawInterrupt && failed(ablater.check())))
    return kBadInput;
  if (!sawInterrupt && ablater.getBase().status == Trial::Status::Measured)
    ablater.measure();
  ablater.interrupted = sawInterrupt;
  print(llvm::outs(), ablater);
  if (!options.ablate.json.empty() &&
      failed(writeJson(options.ablate.json, toJson(ablater))))
    return kBadInput;
  if (ablater.interrupted)
    return kInterrupted;
  bool anyWrong = llvm::any_of(ablater.trials, [](const Trial &trial) {
    return trial.status == Trial::Status::Wrong;
  });
  return anyWrong ? kMismatch : kSuccess;
}
