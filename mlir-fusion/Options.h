//===-- Options.h - The command line ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user asked for, as plain data; the subcommands read it.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_OPTIONS_H
#define MLIR_FUSION_OPTIONS_H

#include "Npy.h"
#include "mlir/Support/LLVM.h"
#include <limits>
#include <string>
#include <vector>

namespace mlir::fusion {

/// The program's exit codes.
enum ExitCode : int {
  kSuccess = 0,
  /// `run` or `bench` found a result out of tolerance.
  kMismatch = 1,
  /// A flag, a file or a model that could not be used, or a failed compile.
  kBadInput = 2,
  /// Ctrl-C, after which what had been measured was told.
  kInterrupted = 130,
};

/// What all commands have in common.
struct CompileFlags {
  /// The file named on the command line.
  std::string model;
  /// As TargetInfo::get takes it.
  std::string target = "host";
  /// Empty: main, or the model's only public function.
  std::string entry;
  /// Prefix of the exported symbols; empty: the output's stem.
  std::string name;
  /// Compiler threads; 0 is one per core.
  unsigned jobs = 0;
  std::string threading = "openmp";
  std::string fpAccuracy = "default";
  std::vector<std::string> disable;
  std::vector<std::string> linkFiles;
  std::string linker;
  bool verifyEach = false;
  bool timing = false;
  /// The flags on the command line that do nothing to a compiled library.
  std::vector<std::string> given;
  /// An op's name, or text of its location; empty: nothing is traced.
  std::string traceRules;
  /// Whether the compiled code takes the time of each kernel's call.
  bool profile = false;
  /// Whether big constants are copied into huge pages.
  bool hugePages = true;
  /// Whether the compiled code checks where it loads and stores.
  bool checkBounds = false;
  /// Whether neither progress nor diagnostics are printed.
  bool quiet = false;
};

struct CompileOptions {
  std::string output;
  std::string header;
  /// The last stage; empty: all that the output needs.
  std::string stopAfter;
  std::string report;
  /// Print whole constants into .mlir files.
  bool keepConstants = false;
};

/// Where a model's inputs come from.
struct InputOptions {
  std::vector<std::string> files;
  /// Instead of files.
  bool random = false;
  /// INPUT=D,D,… for dynamic inputs that are random.
  std::vector<std::string> shapes;
};

struct RunOptions {
  InputOptions inputs;
  std::vector<std::string> expected;
  Tolerance tolerance;
  /// Threads of the generated code; 0 leaves it to OMP_NUM_THREADS.
  unsigned threads = 0;
  unsigned repeat = 1;
  std::string outputDir;
  std::string json;
  /// Whether the model is also called on memory between inaccessible pages.
  bool guardPages = false;
};

/// How calls are timed.
struct SamplingOptions {
  InputOptions inputs;
  unsigned threads = 0;
  unsigned warmUp = 50;
  /// Of bench and profile: after so many seconds a few calls are enough.
  double warmUpSeconds = std::numeric_limits<double>::infinity();
  unsigned repeat = 50;
  std::string json;
};

/// How the results of what is timed are checked first.
struct ComparisonOptions : SamplingOptions {
  std::vector<std::string> expected;
  Tolerance tolerance;
};

struct BenchOptions : ComparisonOptions {
  /// Models or libraries; the first is the base.
  std::vector<std::string> models;
  /// What is switched off, for each more variant of each model.
  std::vector<std::vector<std::string>> disable;
};

using ProfileOptions = SamplingOptions;

struct ExplainOptions {
  std::string json;
  /// INPUT=D,D,… for dynamic inputs.
  std::vector<std::string> shapes;
  bool listRules = false;
};

struct AblateOptions : ComparisonOptions {
  /// What is on where a switch is tried: everything else, or nothing.
  bool addOne = false;
  /// Switches to try; empty: all.
  std::vector<std::string> only;
};

struct TargetOptions {
  std::string json;
};

enum class Command {
  None,
  Compile,
  Run,
  Bench,
  Explain,
  Profile,
  Ablate,
  Target
};

struct Options {
  Command command = Command::None;
  CompileFlags flags;
  CompileOptions compile;
  RunOptions run;
  BenchOptions bench;
  ExplainOptions explain;
  ProfileOptions profile;
  AblateOptions ablate;
  TargetOptions target;
  bool listSwitches = false;
};

/// Parses the command line; a problem is printed. --help and --version end the
/// process.
FailureOr<Options> parseOptions(int argc, char **argv);

} // namespace mlir::fusion

#endif // MLIR_FUSION_OPTIONS_H
