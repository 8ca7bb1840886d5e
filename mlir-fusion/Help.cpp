//===-- Help.cpp - The text of --help -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each command's --help says after its flags.
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kCompileHelp = R"(
EXAMPLES:
  mlir-fusion compile net.mlirbc -o net.so
      A library for this machine. It exports net_run, net_signature and more.
  mlir-fusion compile net.mlirbc -o net.o --header net.h --target x86-64-v3
      An object and the C header that calls it, for any CPU with AVX2 and FMA.
  mlir-fusion compile net.mlirbc -o fused.mlir --stop-after fusion-fuse
      The module after fusion, to read.
  mlir-fusion compile net.mlirbc -o net.so --disable fold-scale-into-weights
      Without one rule; --list-switches prints all that can be switched off,
      --disable fusion-fuse switches all fusion off.

OUTPUT:
  .so library   .o object   .ll LLVM IR   .s assembly   .mlir text of the module
  (big constants elided, see --keep-constants)   .mlirbc bytecode of the module

REPORT: --report FILE writes JSON: seconds (parse, each stage, emit, total),
  bytes (file, text, constants, workspace, …), kernels, ops before and after
  fusion, remarks by code; docs/Reports.md describes it.

)";

static constexpr StringLiteral kRunHelp = R"(
EXAMPLES:
  mlir-fusion run net.so --input x.npy --output-dir results
      Writes results/out0.npy, results/out1.npy, …
  mlir-fusion run net.mlirbc --input x.npy --expect y.npy --rtol-max 1e-4
      Compiles in passing, and checks: every error at most 1e-4 of the largest
      expected magnitude. With --rtol R --atol A: |got - want| <= A + R * |want|.
      Without a tolerance: --rtol-max 1e-4. A NaN equals a NaN.
  mlir-fusion run net.so --random-inputs --threads 2 --repeat 200
      Median latency and deciles of 200 runs after 50 to warm up.
  mlir-fusion run net.so --random-inputs --shape x=1,3,48,320
      A dynamic input of this shape; an --input may have any that the model takes.
  mlir-fusion run net.mlirbc --random-inputs --check-bounds --guard-pages
      With each load and store checked, and called on guarded memory first.

MODEL is MLIR (text or bytecode), or a library that compile made: it is run as
  it is, and a flag that says how to compile is an error.

FILES: .npy, little-endian, of the input's type (bf16 as u2), one --input for
  each input of the model in order, one --expect for each result.

)";

static constexpr StringLiteral kBenchHelp = R"(
EXAMPLES:
  mlir-fusion bench net.mlirbc --disable absorb-residual --disable fusion-fuse
      The model as it is, without one rule, and without all fusion.
  mlir-fusion bench net.mlirbc --threads 2 --repeat 200 --json net.json
      One variant: median and deciles.
  mlir-fusion bench new.so old.so --input x.npy --expect y.npy
      Two libraries of one model, checked first.

WHAT IS MEASURED: all variants in this process, in turns, on the same inputs
  (--input, else seeded random numbers). The results of each are compared with
  those of the first before anything is timed (tolerance: as run's). A sample is
  as many calls in a row as take 1 ms, after one that is not timed. Threads are
  bound to cores, unless OMP_PROC_BIND or OMP_PLACES is set.

WHAT IS SAID: the ratio is the median, over all turns, of a variant's time by
  the first one's, with the interval that holds it with 95 % probability. The
  first one is measured twice a turn, which shows the noise: a difference that
  does not exceed it is "no difference seen".

)";

static constexpr StringLiteral kExplainHelp = R"(
EXAMPLES:
  mlir-fusion explain net.mlirbc
      Each fused op with what it absorbed, what was refused and why, ops,
      arithmetic and memory before and after.
  mlir-fusion explain net.mlirbc --json net.json
      The same for a program to read.
  mlir-fusion explain net.mlirbc --disable absorb-residual
      What one rule is good for.
  mlir-fusion explain net.mlirbc --trace-rules linalg.conv_2d_nchw_fchw
      First each rule that was tried on these ops, and why it refused.

)";

static constexpr StringLiteral kProfileHelp = R"(
EXAMPLES:
  mlir-fusion profile net.mlirbc --threads 1
      Each kernel's call in the order they run: time, GFLOP/s, GB/s, and how
      much of this machine's roofline that is; then by kernel and by op.
  mlir-fusion profile net.mlirbc --input x.npy --repeat 200 --json net.json
      The same for a program to read.
  mlir-fusion compile net.mlirbc -o net.so --profile
  mlir-fusion profile net.so
      A library that was compiled to be profiled.
  perf record mlir-fusion run net.so --random-inputs --repeat 1000
      Any library: its symbols name the kernels.

WHAT IS MEASURED: the calling thread's time at each site (a kernel's call or
  parallel loop, a copy, an allocation), medians over --repeat calls of the
  model after --warmup calls, with threads bound to cores. Without --profile
  the compiled code is the same as ever.

WHAT IS SAID: flops are those of the op (a multiplication and an addition are
  two; taps on padding count; the epilogue does not). MB are operands and
  results, each once. The roofline is measured between the calls, in the same
  threads: multiply-adds in registers, reading and copying in each cache and in
  memory. "bound by" names what allows no less time: compute, or where the
  constants or the other operands come from.

)";

static constexpr StringLiteral kAblateHelp = R"(
EXAMPLES:
  mlir-fusion ablate net.mlirbc --threads 1
      What each switch is worth: everything on, but one.
  mlir-fusion ablate net.mlirbc --mode add-one --json net.json
      Everything off, but one.
  mlir-fusion ablate net.mlirbc --only absorb-residual,fusion-plan.root-kernels
      Some switches; --list-switches prints all.
  mlir-fusion ablate net.mlirbc --input x.npy --expect y.npy
      The base is checked against known results, not only the rest against it.

WHAT IS TRIED: every switch that --list-switches prints. One that leaves the IR
  as it is (or the code in the end) is named as unchanged and not measured; one
  without which the model does not compile, or computes something else than the
  base (tolerance: as run's), is a row that says so.

WHAT IS MEASURED: as bench does, all variants in turns, 50 calls of each to warm
  up and 50 samples by default. The ratio is a variant's time by the base's of
  the same turn. What helps most comes first. Compile time is that of one
  compile, code is machine code and tables without constants, arena the memory
  of activations (none if its size is dynamic, or buffers are allocated).
  Ctrl-C stops early: the table and the file have what is measured till then.

)";

static constexpr StringLiteral kTargetHelp = R"(
EXAMPLES:
  mlir-fusion target
      What is known of this machine's CPU: vectors, caches, bandwidths.
  mlir-fusion target --target znver4 --json znver4.json
      Of a CPU by name, the same on every machine.
  mlir-fusion compile net.mlirbc -o net.so --target znver4:l2=512KiB,cores=4
      For a CPU that differs in some facts.
  mlir-fusion target net.mlirbc
      What the module makes of it by its attribute.

WHAT GOES FIRST: facts in --target, then those that the module states in its
  attribute dlti.target_system_spec of the device "CPU", by the keys in the last
  column, then those of the CPU.

)";

//===----------------------------------------------------------------------===//
// Exit codes
//===----------------------------------------------------------------------===//

namespace {
struct ExitCodeHelp {
  StringLiteral text;
  /// The commands that may end with it.
  SmallVector<Command> commands;
};
} // namespace

/// Those of `command`, or of all.
static std::string getExitCodes(Command command) {
  using C = Command;
  static const ExitCodeHelp codes[] = {
      {"0 all well",
       {C::Compile, C::Run, C::Bench, C::Explain, C::Profile, C::Ablate,
        C::Target}},
      {"1 a result is out of tolerance", {C::Bench, C::Ablate}},
      {"1 a result is out of tolerance, or --guard-pages saw an access outside",
       {C::Run}},
      {"2 bad input or failed compile",
       {C::Compile, C::Run, C::Bench, C::Explain, C::Profile, C::Ablate,
        C::Target}},
      {"130 interrupted, after what was measured was printed", {C::Ablate}},
      {"134 the model aborted: an assertion or a check of --check-bounds "
       "failed",
       {C::Run, C::Bench, C::Profile, C::Ablate}}};
  std::string text = "EXIT CODES:\n";
  for (const ExitCodeHelp &code : codes)
    if (command == C::None || llvm::is_contained(code.commands, command))
      text += ("  " + code.text + "\n").str();
  return text;
}

//===----------------------------------------------------------------------===//
// By command
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kMainHelp = R"(
EXAMPLES:
  mlir-fusion compile net.mlirbc -o net.so
  mlir-fusion run net.so --input x.npy --expect y.npy
  mlir-fusion bench net.mlirbc --disable fusion-fuse
  mlir-fusion explain net.mlirbc
  mlir-fusion profile net.mlirbc
  mlir-fusion ablate net.mlirbc
  mlir-fusion target

mlir-fusion COMMAND --help shows the flags and more examples of a command.

)";

std::string fusion::getExtraHelp(Command command) {
  StringRef text = kMainHelp;
  if (command == Command::Compile)
    text = kCompileHelp;
  else if (command == Command::Run)
    text = kRunHelp;
  else if (command == Command::Bench)
    text = kBenchHelp;
  else if (command == Command::Explain)
    text = kExplainHelp;
  else if (command == Command::Profile)
    text = kProfileHelp;
  else if (command == Command::Ablate)
    text = kAblateHelp;
  else if (command == Command::Target)
    text = kTargetHelp;
  return text.str() + getExitCodes(command);
}
