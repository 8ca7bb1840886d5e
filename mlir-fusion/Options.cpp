//===-- Options.cpp - The command line ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From flags to options.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Flags.h"
#include "Help.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kOverview =
    "mlir-fusion: compiles neural networks in MLIR (linalg on tensors) to "
    "fused CPU code";

/// The given flags that say how to compile.
static std::vector<std::string> getGiven(const Flags &flags) {
  // A list has an operator & of its own.
  const cl::Option *compiling[] = {&flags.target,
                                   &flags.jobs,
                                   &flags.threading,
                                   &flags.hugePages,
                                   &flags.checkBounds,
                                   &flags.fpAccuracy,
                                   std::addressof(flags.disable),
                                   std::addressof(flags.benchDisable),
                                   std::addressof(flags.link),
                                   &flags.linker,
                                   &flags.verifyEach,
                                   &flags.timing};
  std::vector<std::string> given;
  for (const cl::Option *flag : compiling)
    if (flag->getNumOccurrences())
      given.push_back(flag->ArgStr.str());
  return given;
}

/// Each --disable of bench is a variant, and may name several switches.
static std::vector<std::vector<std::string>> getVariants(const Flags &flags) {
  std::vector<std::vector<std::string>> variants;
  for (const std::string &words : flags.benchDisable) {
    SmallVector<StringRef> switches;
    StringRef(words).split(switches, ',', /*MaxSplit=*/-1,
                           /*KeepEmpty=*/false);
    variants.emplace_back(switches.begin(), switches.end());
  }
  return variants;
}

/// Whoever says how many calls gets them.
static double getWarmUpSeconds(const Flags &flags) {
  bool isAsked = flags.warmUp.getNumOccurrences() != 0 &&
                 flags.warmUpSeconds.getNumOccurrences() == 0;
  return isAsked ? std::numeric_limits<double>::infinity()
                 : flags.warmUpSeconds.getValue();
}

static Tolerance getTolerance(const Flags &flags) {
  Tolerance tolerance;
  if (flags.rtol.getNumOccurrences())
    tolerance.relative = flags.rtol;
  if (flags.atol.getNumOccurrences())
    tolerance.absolute = flags.atol;
  if (flags.rtolMax.getNumOccurrences())
    tolerance.relativeToLargest = flags.rtolMax;
  else if (!tolerance.relative && !tolerance.absolute)
    tolerance.relativeToLargest = 1e-4;
  return tolerance;
}

FailureOr<Options> fusion::parseOptions(int argc, char **argv) {
  Flags flags;
  // The examples of --help are those of the command.
  StringRef word = argc > 1 ? argv[1] : "";
  std::string help = getExtraHelp(llvm::StringSwitch<Command>(word)
                                      .Case("compile", Command::Compile)
                                      .Case("run", Command::Run)
                                      .Case("bench", Command::Bench)
                                      .Case("explain", Command::Explain)
                                      .Case("profile", Command::Profile)
                                      .Case("ablate", Command::Ablate)
                                      .Case("target", Command::Target)
                                      .Default(Command::None));
  cl::extrahelp extra(help);
  // libLLVM.so brings hundreds of flags of its own.
  cl::HideUnrelatedOptions({&flags.shared, &flags.own});
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "mlir-fusion " FUSION_VERSION " (LLVM/MLIR " LLVM_VERSION_STRING
          ")\n";
  });
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs(),
                                   /*VFS=*/nullptr, /*EnvVar=*/nullptr,
                                   /*LongOptionsUseDoubleDash=*/true) ||
      failed(check(flags)))
    return failure();

  Options options;
  options.command = flags.getCommand();
  options.flags = {options.command == Command::Target ? flags.modelOfTarget
                                                      : flags.model,
                   flags.target,
                   flags.entry,
                   flags.name,
                   flags.jobs,
                   flags.threading,
                   flags.fpAccuracy,
                   flags.disable,
                   flags.link,
                   flags.linker,
                   flags.verifyEach,
                   flags.timing,
                   getGiven(flags),
                   flags.traceRules,
                   flags.profiled,
                   flags.hugePages,
                   flags.checkBounds};
  options.compile = {flags.output, flags.header, flags.stopAfter, flags.report,
                     flags.keepConstants};
  options.run = {{flags.inputs, flags.randomInputs, flags.shapes},
                 flags.expected,
                 getTolerance(flags),
                 flags.threads,
                 flags.repeat,
                 flags.outputDir,
                 flags.json,
                 flags.guardPages};
  SamplingOptions sampling{{flags.inputs, flags.inputs.empty(), flags.shapes},
                           flags.threads,
                           flags.warmUp,
                           getWarmUpSeconds(flags),
                           flags.benchRepeat,
                           flags.json};
  ComparisonOptions comparison{sampling, flags.expected, getTolerance(flags)};
  options.bench = {comparison, flags.models, getVariants(flags)};
  options.profile = sampling;
  options.ablate = {comparison, flags.mode == "add-one", flags.only};
  options.explain = {flags.json, flags.sizes, flags.listRules};
  options.target = {flags.json};
  options.listSwitches = flags.listSwitches;
  return options;
}
