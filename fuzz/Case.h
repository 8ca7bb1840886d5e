//===-- Case.h - A graph and how it is run ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module says by attributes what it is run on, so that its text is a test:
// each argument of @main has {fuzz.values = "normal", fuzz.seed = 7 : i64,
// fuzz.shape = array<i64: 2, 3>}, or the same by default: normal values, the
// argument's number and its static shape; the module has fuzz.target,
// fuzz.threads, fuzz.accuracy, fuzz.disable and, where it is so,
// fuzz.check_bounds and fuzz.upstream.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_CASE_H
#define FUZZ_CASE_H

#include "Coverage.h"
#include "Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <set>
#include <string>
#include <vector>

namespace mlir::fusion::fuzz {

inline constexpr StringLiteral kSeedAttr = "fuzz.seed",
                               kValuesAttr = "fuzz.values",
                               kShapeAttr = "fuzz.shape";

/// Of a module: the name of an op that is taken for a wrong result, wherever it
/// is. Tests of the reducer have it.
inline constexpr StringLiteral kFaultAttr = "fuzz.fault";

/// The location of all ops of random graphs, by which rules are traced.
inline constexpr StringLiteral kPlace = "fuzz";

struct Input {
  Type elementType;
  SmallVector<int64_t> shape;
  std::string bytes;
};

/// The arrays that the arguments of @main describe. Fails, with an error, for
/// an argument that is no tensor, or whose shape is neither static nor given.
FailureOr<std::vector<Input>> makeInputs(func::FuncOp function);

/// How a graph is compiled and run.
struct Settings {
  std::string target = "host";
  unsigned threads = 1;
  std::string accuracy = "default";
  std::vector<std::string> disable;
  /// Whether each load and store is checked.
  bool checkBounds = false;
  /// Whether the reference is checked, too (Upstream.h).
  bool upstream = false;

  /// `upstreamPercent` of the graphs check the reference.
  static Settings pick(uint64_t seed, ArrayRef<std::string> targets,
                       unsigned upstreamPercent);
  static Settings read(ModuleOp module);
  void write(ModuleOp module) const;
};

struct Outcome {
  enum Kind {
    /// Equal within the bounds.
    Right,
    /// The reference does not take the graph.
    Skipped,
    /// No result, or no code.
    Refused,
    Wrong,
    /// Results depend on the number of threads.
    Unstable,
    /// Found by the caller: the process ended.
    Crashed,
    /// Upstream's plain passes and the reference differ: one is wrong, or a
    /// bound too tight.
    Disputed,
  } kind = Right;
  std::string text;
  /// Elements compared, and those whose bound is infinite.
  int64_t compared = 0, open = 0;
  /// Elements of the reference compared with upstream's.
  int64_t crossChecked = 0;
  /// Of checkRules: the rule that is wrong, and both sides as text.
  std::string rule{}, detail{};

  bool isFault() const { return kind >= Refused; }
};

StringRef stringifyOutcome(Outcome::Kind kind);

/// Compiles, runs and compares. `coverage` may be null.
Outcome check(ModuleOp module, const Settings &settings, Coverage *coverage);

/// Compiles as far as coverage is counted, but for ops of vectorized code; runs
/// and compares nothing.
Outcome explore(ModuleOp module, const Settings &settings, Coverage &coverage);

/// A context for graphs.
std::unique_ptr<MLIRContext> makeContext();

} // namespace mlir::fusion::fuzz

#endif // FUZZ_CASE_H
