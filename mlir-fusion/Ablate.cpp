//===-- Ablate.cpp - mlir-fusion ablate -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries every switch of the registry on one model. All variants are compiled,
// then compared, then measured in turns.
//
//===----------------------------------------------------------------------===//

#include "Ablate.h"
#include "Census.h"
#include "CodeSize.h"
#include "Compilation.h"
#include "Fingerprint.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "LoadModel.h"
#include "Progress.h"
#include "Report.h"
#include "Tensors.h"
#include "Variants.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace mlir;
using namespace mlir::fusion;

static std::atomic<bool> interrupted = false;

namespace {
/// What came of a switch, or of the base.
struct Trial {
  enum class Status { Measured, Unchanged, Failed, Wrong };

  /// The switch's name; empty for the base.
  std::string name;
  std::vector<std::string> disabled;
  Status status = Status::Measured;
  /// Of a failure or a wrong result.
  std::string problem;
  double compileMs = 0;
  CodeSize size;
  /// Bytes of the constants, and of the arena where its size is known.
  int64_t constantBytes = 0;
  std::optional<int64_t> arenaBytes;
  std::optional<Variant> variant;

  bool isMeasured() const { return variant && !variant->samples.empty(); }
  /// Machine code and tables.
  int64_t getCodeBytes() const {
    return size.text.value_or(0) +
           std::max<int64_t>(size.readOnly.value_or(0) - constantBytes, 0);
  }
};

/// Compiles variants and keeps of the base what others are compared with.
class Ablation {
public:
  Ablation(const Options &options) : options(options) {}

  /// Compiles everything; fails if the base does.
  LogicalResult compile();
  /// Compares results with those of the base, and these with what is expected.
  LogicalResult check();
  void measure();

  void print(raw_ostream &os) const;
  llvm::json::Object toJson() const;
  bool isBaseRight() const { return baseRight; }
  bool isAnyWrong() const {
    return llvm::any_of(trials, [](const Trial &trial) {
      return trial.status == Trial::Status::Wrong;
    });
  }

private:
  LogicalResult chooseSwitches();
  std::vector<std::string> getDisabled(StringRef name) const;
  /// Compiles and loads; returns what went wrong.
  std::optional<std::string> compile(Trial &trial);
  std::optional<std::string> compileTo(StringRef path, Trial &trial);
  Trial &getBase() { return trials.front(); }
  const Trial &getBase() const { return trials.front(); }
  std::vector<std::string> getCells(const Trial &trial) const;
  llvm::json::Object toJson(const Trial &trial) const;
  StringRef getBaseName() const {
    return options.ablate.addOne ? "nothing on" : "all on";
  }

  const Options &options;
  std::vector<std::string> switches;
  std::vector<Trial> trials;
  /// The base's IR after each stage, and its library.
  llvm::StringMap<std::string> stages;
  std::string library;
  SmallVector<NpyArray> inputs;
  unsigned threads = 1;
  bool baseRight = true;
  std::optional<Interval> noise;
};
} // namespace

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

/// The stage that a switch is of: the rules are the first one's.
static StringRef getStage(StringRef name) {
  auto [stage, option] = name.split('.');
  return option.empty() ? StringRef(getStageNames().front()) : stage;
}

LogicalResult Ablation::chooseSwitches() {
  SmallVector<std::string> known = getSwitches();
  for (const std::string &name : options.ablate.only) {
    if (!llvm::is_contained(known, name))
      return error("expected a switch (" + llvm::join(known, ", ") +
                   "), got '" + name + "'");
    if (!llvm::is_contained(switches, name))
      switches.push_back(name);
  }
  if (options.ablate.only.empty())
    switches.assign(known.begin(), known.end());
  return success();
}

/// What is off where the switch `name` is tried, or in the base if it is empty.
/// To switch a whole stage on is to switch all of its rules on.
std::vector<std::string> Ablation::getDisabled(StringRef name) const {
  if (!options.ablate.addOne)
    return name.empty() ? std::vector<std::string>()
                        : std::vector<std::string>{name.str()};
  std::vector<std::string> disabled;
  for (const std::string &other : getSwitches()) {
    bool isStage = llvm::is_contained(getStageNames(), other);
    bool isOn = other == name || (name == getStage(other) && !name.empty());
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

std::optional<std::string> Ablation::compileTo(StringRef path, Trial &trial) {
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
    } else if (stage == getStage(trial.name) &&
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

std::optional<std::string> Ablation::compile(Trial &trial) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("mlir-fusion", "so", path))
    return "cannot make a temporary file: " + code.message();
  llvm::FileRemover remover(path);
  bool isBase = trial.name.empty();
  std::optional<std::string> problem = compileTo(path, trial);
  // A process's first compile reads and sets up what later ones find.
  if (isBase && !problem)
    problem = compileTo(path, trial);
  if (problem || trial.status == Trial::Status::Unchanged)
    return problem;
  llvm::Expected<Library> loaded = Library::open(path, options.flags.name);
  if (!loaded)
    return llvm::toString(loaded.takeError());
  trial.variant.emplace(getBaseName().str(), options.flags.model,
                        trial.disabled, std::move(*loaded));
  if (!isBase)
    trial.variant->name = trial.name;
  return std::nullopt;
}

LogicalResult Ablation::compile() {
  if (isLibrary(options.flags.model))
    return error(Twine("expected a model to compile, got the library ") +
                 options.flags.model);
  if (failed(chooseSwitches()))
    return failure();
  // Both before the first library is loaded.
  setNumThreads(options.ablate.threads);
  bindThreads();
  std::vector<std::string> names{""};
  llvm::append_range(names, switches);
  LoopProgress progress("compile", names.size());
  for (const std::string &name : names) {
    Trial trial;
    trial.name = name;
    trial.disabled = getDisabled(name);
    std::optional<std::string> problem = compile(trial);
    // An interrupt takes the compiler's temporary files, too.
    if (interrupted)
      break;
    if (problem && name.empty())
      return failure();
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

LogicalResult Ablation::check() {
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
    FailureOr<SmallVector<NpyArray>> wanted =
        readArrays(ablate.expected, "result", signature->outputs);
    if (failed(wanted))
      return failure();
    double difference = 0;
    std::vector<std::string> sentences = findDifferences(
        base, *wanted, ablate.tolerance, "what is expected", difference);
    for (const std::string &sentence : sentences)
      llvm::outs() << getBaseName() << ": " << sentence << "\n";
    baseRight = sentences.empty();
  }
  for (Trial &trial : llvm::drop_begin(trials)) {
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

void Ablation::measure() {
  SmallVector<Variant *> variants;
  for (Trial &trial : trials)
    if (trial.variant && trial.status == Trial::Status::Measured)
      variants.push_back(&*trial.variant);
  SmallVector<double> same =
      takeSamples(variants, {options.ablate.warmUp, options.ablate.repeat,
                             [] { return interrupted.load(); }});
  noise = getMedianInterval(same);
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

static double getMedian(const Trial &trial) {
  return getQuantile(trial.variant->samples, 0.5);
}

static StringRef getStatusName(const Trial &trial) {
  switch (trial.status) {
  case Trial::Status::Unchanged:
    return "unchanged";
  case Trial::Status::Failed:
    return "failed";
  case Trial::Status::Wrong:
    return "wrong";
  case Trial::Status::Measured:
    return trial.isMeasured() ? "measured" : "interrupted";
  }
  llvm_unreachable("all cases are handled");
}

/// The base, then what helps most, then what has no time.
static SmallVector<const Trial *> sortTrials(ArrayRef<Trial> trials,
                                             bool addOne) {
  SmallVector<const Trial *> sorted;
  for (const Trial &trial : trials)
    if (trial.status != Trial::Status::Unchanged)
      sorted.push_back(&trial);
  auto getRank = [&](const Trial *trial) {
    if (trial->name.empty())
      return std::pair(0, 0.0);
    if (!trial->isMeasured())
      return std::pair(2, 0.0);
    double ratio = getQuantile(trial->variant->ratios, 0.5);
    return std::pair(1, addOne ? ratio : -ratio);
  };
  llvm::sort(sorted, [&](const Trial *a, const Trial *b) {
    // Trials are in the order of the switches.
    return std::pair(getRank(a), a) < std::pair(getRank(b), b);
  });
  return sorted;
}

std::vector<std::string> Ablation::getCells(const Trial &trial) const {
  std::vector<std::string> cells{trial.name.empty() ? getBaseName().str()
                                                    : trial.name};
  if (trial.isMeasured()) {
    const Variant &variant = *trial.variant;
    SmallVector<double> deciles = getDeciles(variant.samples);
    llvm::append_range(cells, ArrayRef<std::string>{formatMs(getMedian(trial)),
                                                    formatMs(deciles.front()),
                                                    formatMs(deciles.back())});
    if (trial.name.empty())
      llvm::append_range(cells, ArrayRef<std::string>{"1", "", ""});
    else
      llvm::append_range(cells,
                         ArrayRef<std::string>{
                             formatFixed(getQuantile(variant.ratios, 0.5), 3),
                             formatInterval(getMedianInterval(variant.ratios)),
                             describeRatio(variant.ratios, noise)});
  } else {
    llvm::append_range(cells,
                       ArrayRef<std::string>{"-", "-", "-", "-", "-",
                                             getStatusName(trial).str()});
  }
  bool compiled = trial.size.text.has_value();
  cells.push_back(compiled ? formatFixed(trial.compileMs, 0) : "-");
  cells.push_back(compiled ? formatBytes(trial.getCodeBytes()) : "-");
  cells.push_back(trial.arenaBytes ? formatBytes(*trial.arenaBytes) : "-");
  return cells;
}

void Ablation::print(raw_ostream &os) const {
  Table table({options.ablate.addOne ? "on" : "off", ">median ms", ">10 %",
               ">90 %", ">ratio", "95 % interval", "verdict", ">compile ms",
               ">code", ">arena"});
  for (const Trial *trial : sortTrials(trials, options.ablate.addOne))
    table.addRow(getCells(*trial));
  table.print(os);
  std::vector<std::string> unchanged;
  for (const Trial &trial : trials)
    if (!trial.problem.empty())
      os << getStatusName(trial) << ": " << trial.name << ": " << trial.problem
         << "\n";
  for (const Trial &trial : trials)
    if (trial.status == Trial::Status::Unchanged)
      unchanged.push_back(trial.name);
  if (!unchanged.empty())
    os << "unchanged: the IR is that of " << getBaseName() << " with "
       << llvm::join(unchanged, ", ")
       << (options.ablate.addOne ? " on" : " off") << "\n";
  if (llvm::any_of(llvm::drop_begin(trials), std::mem_fn(&Trial::isMeasured)))
    os << "noise: the first one by itself is " << formatInterval(noise) << "\n";
  if (interrupted)
    os << "interrupted: "
       << (getBase().variant ? getBase().variant->samples.size() : 0) << " of "
       << options.ablate.repeat << " samples, " << trials.size() - 1 << " of "
       << switches.size() << " switches\n";
}

llvm::json::Object Ablation::toJson(const Trial &trial) const {
  llvm::json::Object json{{"status", getStatusName(trial)},
                          {"disabled", llvm::json::Array(trial.disabled)}};
  if (!trial.name.empty())
    json["switch"] = trial.name;
  if (!trial.problem.empty())
    json["problem"] = trial.problem;
  if (trial.size.text) {
    json["compile_ms"] = trial.compileMs;
    json["code_bytes"] = trial.getCodeBytes();
    json["text_bytes"] = *trial.size.text;
    json["file_bytes"] = trial.size.file;
    json["constant_bytes"] = trial.constantBytes;
    json["arena_bytes"] = trial.arenaBytes;
  }
  if (!trial.isMeasured())
    return json;
  const Variant &variant = *trial.variant;
  json["median_ms"] = getMedian(trial);
  json["least_ms"] = variant.samples.front();
  json["deciles_ms"] = llvm::json::Array(getDeciles(variant.samples));
  json["median_interval_ms"] =
      intervalToJson(getMedianInterval(variant.samples));
  json["calls_per_sample"] = variant.callsPerSample;
  json["samples"] = int64_t(variant.samples.size());
  if (trial.name.empty())
    return json;
  json["largest_error_of_largest"] = variant.difference;
  json["ratio"] = getQuantile(variant.ratios, 0.5);
  json["ratio_interval"] = intervalToJson(getMedianInterval(variant.ratios));
  json["verdict"] = describeRatio(variant.ratios, noise);
  return json;
}

llvm::json::Object Ablation::toJson() const {
  llvm::json::Array rows;
  for (const Trial &trial : llvm::drop_begin(trials))
    rows.push_back(toJson(trial));
  return llvm::json::Object{
      {"model", options.flags.model},
      {"mode", options.ablate.addOne ? "add-one" : "leave-one-out"},
      {"target", getBase().variant->library.getSignature().target},
      {"threads", threads},
      {"warmup", options.ablate.warmUp},
      {"samples", options.ablate.repeat},
      {"interrupted", interrupted.load()},
      {"noise", intervalToJson(noise)},
      {"base", toJson(getBase())},
      {"switches", std::move(rows)}};
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runAblate(const Options &options) {
  // The second time, Ctrl-C ends the process as ever.
  llvm::sys::SetInterruptFunction([] { interrupted = true; });
  Ablation ablation(options);
  if (failed(ablation.compile()))
    return interrupted ? kInterrupted : kBadInput;
  if (failed(ablation.check()))
    return kBadInput;
  if (!ablation.isBaseRight())
    return kMismatch;
  ablation.measure();
  ablation.print(llvm::outs());
  if (!options.ablate.json.empty() &&
      failed(writeJson(options.ablate.json, ablation.toJson())))
    return kBadInput;
  if (interrupted)
    return kInterrupted;
  return ablation.isAnyWrong() ? kMismatch : kSuccess;
}
