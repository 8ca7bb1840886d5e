//===-- mlir-fusion-fuzz.cpp - The differential fuzzer --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes random graphs from seeds, or reads one, and compares what the compiler
// makes of them with the reference (docs/Testing.md).
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Conversion/Passes.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Transforms/Passes.h"
#include "Graph.h"
#include "Reduce.h"
#include "Session.h"
#include "Soundness.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

namespace cl = llvm::cl;

static cl::OptionCategory category("Options of mlir-fusion-fuzz");
static cl::opt<std::string>
    inputFile(cl::Positional,
              cl::desc("[GRAPH.mlir: run it, as its attributes say; several "
                       "between lines // -----]"),
              cl::cat(category));
static cl::opt<uint64_t> firstSeed("seed", cl::desc("First seed (default: 1)"),
                                   cl::init(1), cl::cat(category));
static cl::opt<uint64_t>
    seedCount("count",
              cl::desc("How many graphs from --seed on (default: with "
                       "--seconds as many as the time allows, else none)"),
              cl::init(0), cl::cat(category));
static cl::opt<unsigned> seconds("seconds",
                                 cl::desc("When to stop (default: when --count "
                                          "is reached)"),
                                 cl::init(0), cl::cat(category));
static cl::list<std::string>
    targets("target",
            cl::desc("CPUs to compile for; default: host, x86-64-v3 and, less "
                     "often, x86-64-v2"),
            cl::CommaSeparated, cl::cat(category));
static cl::opt<bool>
    checkBounds("check-bounds",
                cl::desc("Check each load and store of all graphs, not only of "
                         "a quarter"),
                cl::cat(category));
static cl::opt<std::string>
    seedsFile("seeds",
              cl::desc("First run all seeds in this file, one a line; then "
                       "those of --count or --seconds, from --seed on"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    coverageFile("coverage",
                 cl::desc("Write how often each rule, refusal, kernel and "
                          "path of code was seen"),
                 cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    seenByFile("seen-by",
               cl::desc("Write what each seed saw: SEED MILLISECONDS NAME"),
               cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> rulesMode(
    "rules",
    cl::desc("Hold each rule to what it says of rounding: evaluate graphs "
             "before and after each rewrite (docs/Rules.md)"),
    cl::cat(category));
static cl::opt<std::string>
    ruleLabel("rule", cl::desc("As --rules, but only the rule of this label"),
              cl::value_desc("label"), cl::cat(category));
static cl::opt<std::string>
    rulePasses("passes",
               cl::desc("As --rules, with these passes instead of fusion-fuse "
                        "and fusion-plan; rules are seen that are traced: "
                        "PASS{trace-rules=fuzz}"),
               cl::value_desc("pipeline"), cl::cat(category));
static cl::opt<std::string>
    ruleClaim("claim",
              cl::desc("As --rules, but hold rules to this word: exact, "
                       "reorders-sums or rounds"),
              cl::value_desc("word"), cl::cat(category));
static cl::list<std::string>
    passPlugins("load-pass-plugin",
                cl::desc("Libraries whose passes --passes may name"),
                cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned> jobs("jobs",
                              cl::desc("Processes at once (default: 1)"),
                              cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    timeLimit("time-limit",
              cl::desc("Seconds of a core for one graph; 0: no limit (default: "
                       "60)"),
              cl::init(60), cl::cat(category));
static cl::opt<unsigned>
    maxFaults("max-faults",
              cl::desc("Stop after this many; 0: never (default: 1)"),
              cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    crossCheck("cross-check",
               cl::desc("Percent of the graphs of which the reference is "
                        "checked against upstream's plain passes (default: "
                        "25)"),
               cl::init(25), cl::cat(category));
static cl::opt<bool>
    reduceFaults("reduce",
                 cl::desc("Make failing graphs smaller (default: those of "
                          "seeds; that of a file if this is given)"),
                 cl::init(true), cl::cat(category));
static cl::opt<bool>
    isExploring("explore",
                cl::desc("See what there is to be seen; run nothing"),
                cl::cat(category));
static cl::opt<bool> printGraphs("print",
                                 cl::desc("Print graphs, do not run them"),
                                 cl::cat(category));
static cl::opt<bool> isVerbose("verbose",
                               cl::desc("Say what came of each graph"),
                               cl::cat(category));
static cl::extrahelp extraHelp(R"(
EXAMPLES:
  mlir-fusion-fuzz --seed 1 --count 100
  mlir-fusion-fuzz --seconds 3600 --jobs 2 --max-faults 0 --coverage seen.txt
  mlir-fusion-fuzz --seed 4711 --count 1 --print
  mlir-fusion-fuzz --seconds 600 > failing.mlir
  mlir-fusion-fuzz failing.mlir
  mlir-fusion-fuzz --rules --seconds 600 --jobs 2

What is printed is a graph that shows the fault again, all else a comment.

EXIT CODES:
  0 no fault
  1 a fault was found and printed, or more was left out than 1 % of the graphs,
    1 % of the rewrites, 20 % of the forms that upstream's passes must have;
    of fewer than 100 as many as of 100
  2 bad input; no rewrite to compare by the rules that --rule or --passes name
)");

static int usageError(const Twine &text) {
  llvm::errs() << "mlir-fusion-fuzz: error: " << text << "\n";
  return 2;
}

//===----------------------------------------------------------------------===//
// Graphs of seeds
//===----------------------------------------------------------------------===//

/// Contexts keep what they have seen; now and then there is a new one.
static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 64 == 0)
    context = makeContext();
  return *context;
}

static OwningOpRef<ModuleOp> makeCase(MLIRContext &context, uint64_t seed) {
  OwningOpRef<ModuleOp> module = Graph(&context, seed).build();
  Settings settings =
      Settings::pick(seed, std::vector<std::string>(targets), crossCheck);
  settings.checkBounds |= checkBounds;
  settings.write(*module);
  return module;
}

/// With the bytes of resources, which local scopes leave out.
static void print(ModuleOp module) {
  module->print(llvm::outs(), OpPrintingFlags());
  llvm::outs() << "\n";
}

static RuleOptions getRuleOptions() {
  return {ruleLabel, rulePasses, ruleClaim};
}

static Outcome checkCase(ModuleOp module, Coverage *coverage) {
  Settings settings = Settings::read(module);
  settings.checkBounds |= checkBounds;
  if (!rulesMode)
    return check(module, settings, coverage);
  return checkRules(module, settings, getRuleOptions(), coverage);
}

static void reduce(ModuleOp module, Outcome &outcome) {
  reduceCase(module, outcome, timeLimit,
             [](ModuleOp copy) { return checkCase(copy, nullptr); });
}

/// As comments, so that what is printed stays a graph.
static void printComment(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    llvm::outs() << "// " << line << "\n";
}

/// The flags that show a rule's fault again.
static std::string getRuleFlags(StringRef rule) {
  std::string flags = rule.empty() ? "--rules " : "--rule " + rule.str() + " ";
  if (!ruleClaim.empty())
    flags += "--claim " + ruleClaim + " ";
  for (const std::string &path : passPlugins)
    flags += "--load-pass-plugin " + path + " ";
  if (!rulePasses.empty())
    flags += "--passes '" + rulePasses + "' ";
  return flags;
}

static void printFault(ModuleOp module, const Outcome &outcome,
                       std::optional<uint64_t> seed) {
  static bool isFirst = true;
  if (!std::exchange(isFirst, false))
    llvm::outs() << kDefaultSplitMarker << "\n";
  llvm::outs() << "// " << stringifyOutcome(outcome.kind);
  if (seed)
    llvm::outs() << ", seed " << *seed;
  std::string text = outcome.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  llvm::outs() << ": " << text << "\n// RUN: mlir-fusion-fuzz "
               << (rulesMode ? getRuleFlags(outcome.rule) : "") << "%s\n";
  print(module);
  printComment(outcome.detail);
}

/// Returns the exit code.
static int runGraph(std::unique_ptr<llvm::MemoryBuffer> text,
                    Coverage &coverage) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, context.get());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, context.get());
  if (!module)
    return 2;
  if (!module->lookupSymbol<func::FuncOp>("main"))
    return usageError(inputFile + ": expected a function main");
  Job job = runIsolated(
      [&](Job &job) {
        job.outcome = checkCase(*module, rulesMode ? &job.coverage : nullptr);
      },
      timeLimit);
  for (const auto &[name, count] : job.coverage)
    coverage[name] += count;
  Outcome outcome = job.outcome;
  printComment((stringifyOutcome(outcome.kind) + ": " +
                Twine(outcome.compared) + " elements compared, " +
                Twine(outcome.open) + " unbounded" +
                (outcome.text.empty() ? "" : ": ") + outcome.text)
                   .str());
  printComment(outcome.detail);
  if (outcome.kind == Outcome::Skipped)
    return 2;
  // It is asked for: the graph was printed by someone who has reduced it.
  if (outcome.isFault() && reduceFaults.getNumOccurrences() && reduceFaults) {
    reduce(*module, outcome);
    printFault(*module, outcome, std::nullopt);
  }
  return outcome.isFault() ? 1 : 0;
}

static int runFile() {
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputFile, &problem);
  if (!file)
    return usageError(problem);
  int64_t numGraphs = 0;
  bool sawFault = false, sawBadInput = false;
  Coverage coverage;
  auto runChunk = [&](std::unique_ptr<llvm::MemoryBuffer> text, raw_ostream &) {
    int code = runGraph(std::move(text), coverage);
    ++numGraphs;
    sawFault |= code == 1;
    sawBadInput |= code == 2;
    return success();
  };
  (void)splitAndProcessBuffer(std::move(file), runChunk, llvm::nulls());
  if (rulesMode && !sawBadInput)
    sawBadInput = failed(tellRules(coverage, getRuleOptions(), numGraphs));
  return sawFault ? 1 : sawBadInput ? 2 : 0;
}

//===----------------------------------------------------------------------===//
// Many seeds
//===----------------------------------------------------------------------===//

/// Called in a child.
static void work(Job &job) {
  auto begin = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> module = makeCase(getContext(), job.seed);
  job.outcome = isExploring
                    ? explore(*module, Settings::read(*module), job.coverage)
                    : checkCase(*module, &job.coverage);
  job.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::steady_clock::now() - begin)
                         .count();
}

static void tellFault(const Job &job) {
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module = makeCase(*context, job.seed);
  Outcome outcome = job.outcome;
  if (reduceFaults)
    reduce(*module, outcome);
  printFault(*module, outcome, job.seed);
  llvm::outs().flush();
}

static bool readSeeds(StringRef path, std::vector<uint64_t> &seeds) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    usageError("cannot read " + path + ": " + buffer.getError().message());
    return false;
  }
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    line = line.split('#').first.trim();
    uint64_t seed;
    if (line.empty())
      continue;
    if (line.getAsInteger(10, seed)) {
      usageError(path + ": expected a seed, got '" + line + "'");
      return false;
    }
    seeds.push_back(seed);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "mlir-fusion-fuzz: random graphs, compiled against their meaning\n",
          &llvm::errs()))
    return 2;
  if (targets.empty()) {
    // Without fused multiply-adds, too.
    for (StringRef name :
         {"host", "x86-64-v3", "host", "x86-64-v3", "x86-64-v2"})
      targets.push_back(name.str());
  }
  rulesMode = rulesMode || !ruleLabel.empty() || !rulePasses.empty() ||
              !ruleClaim.empty();
  if (!ruleClaim.empty() &&
      !llvm::is_contained(
          {StringRef("exact"), StringRef(kReordersSums), StringRef(kRounds)},
          ruleClaim))
    return usageError("expected exact, reorders-sums or rounds, got '" +
                      ruleClaim + "'");
  if (!ruleLabel.empty() && rulePasses.empty() &&
      !llvm::is_contained(getAllRuleLabels(), ruleLabel))
    return usageError("expected the label of a rule, got '" + ruleLabel + "'");
  if (jobs == 0)
    return usageError("expected --jobs of at least 1, got 0");
  if (crossCheck > 100)
    return usageError("expected --cross-check of at most 100, got " +
                      Twine(crossCheck));
  for (const std::string &target : targets) {
    std::string problem;
    if (failed(TargetInfo::get(target, problem)))
      return usageError("--target: " + problem);
  }
  registerFusionPipelines();
  registerFusionTransformsPasses();
  registerFusionConversionPasses();
  for (const std::string &path : passPlugins) {
    llvm::Expected<PassPlugin> plugin = PassPlugin::load(path);
    if (!plugin)
      return usageError(llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  OpPassManager passes(ModuleOp::getOperationName());
  if (failed(parsePassPipeline(rulePasses, passes, llvm::errs())))
    return usageError("expected passes, got '" + rulePasses + "'");
  if (!inputFile.empty())
    return runFile();
  std::vector<uint64_t> seeds;
  if (!seedsFile.empty() && !readSeeds(seedsFile, seeds))
    return 2;
  if (seeds.empty() && seedCount == 0 && seconds == 0)
    return usageError("expected --count, --seconds, --seeds or a graph");
  if (!printGraphs) {
    SessionOptions options;
    options.seeds = std::move(seeds);
    options.firstSeed = firstSeed;
    options.seedCount = seedCount;
    options.seconds = seconds;
    options.jobs = jobs;
    options.timeLimit = timeLimit;
    options.maxFaults = maxFaults;
    options.isVerbose = isVerbose;
    options.coverageFile = coverageFile;
    options.seenByFile = seenByFile;
    if (!rulesMode)
      options.names = getCoverageNames();
    else if (rulePasses.empty())
      for (const std::string &label : getAllRuleLabels())
        options.names.push_back("rule " + label);
    if (rulesMode && !isExploring)
      options.tellRules = [](const Coverage &coverage, int64_t numGraphs) {
        return tellRules(coverage, getRuleOptions(), numGraphs);
      };
    return runSession(std::move(options), work, tellFault);
  }
  for (uint64_t i = 0; i < std::max<uint64_t>(seedCount, 1); ++i) {
    if (i > 0)
      llvm::outs() << kDefaultSplitMarker << "\n";
    print(*makeCase(getContext(), firstSeed + i));
  }
  return 0;
}
