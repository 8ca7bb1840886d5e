//===-- Flags.h - The flags of the command line --------------- -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Options.cpp, which parses them, and Flags.cpp, which says what
// they may be.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_FLAGS_H
#define MLIR_FUSION_FLAGS_H

#include "Options.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::fusion {

namespace cl = llvm::cl;

/// The flags, alive while the command line is parsed.
struct Flags {
  cl::SubCommand compile{
      "compile",
      "Compile a model to a library, an object, assembly, LLVM IR or MLIR"};
  cl::SubCommand run{
      "run",
      "Run a model or a compiled library on .npy files, check and time it"};
  cl::SubCommand bench{"bench",
                       "Compare variants of a model, or libraries, by time"};
  cl::SubCommand explain{"explain",
                         "Say what was fused into what, what was not, and why"};
  cl::SubCommand profile{
      "profile", "Time each kernel, against what this machine can do at most"};
  cl::SubCommand ablate{"ablate",
                        "Measure what each switch of the compiler is worth"};
  cl::SubCommand targetCommand{"target",
                               "Print what is known of a CPU to compile for"};
  cl::SubCommandGroup all{&compile, &run, &bench, &explain, &profile, &ablate};
  cl::SubCommandGroup withModel{&compile, &run, &explain, &profile, &ablate};
  cl::SubCommandGroup withTarget{&compile, &run,    &bench,        &explain,
                                 &profile, &ablate, &targetCommand};
  cl::SubCommandGroup withDisable{&compile, &run, &explain, &profile};
  cl::SubCommandGroup checking{&run, &bench, &ablate};
  cl::SubCommandGroup calling{&run, &bench, &profile, &ablate};
  cl::SubCommandGroup sampling{&bench, &profile, &ablate};
  cl::OptionCategory shared{"Compile flags"};
  cl::OptionCategory own{"Flags of this command"};

  // Of every command.
  cl::opt<std::string> model{cl::Positional, cl::desc("MODEL"),
                             cl::sub(withModel)};
  cl::opt<std::string> modelOfTarget{cl::Positional, cl::desc("[MODEL]"),
                                     cl::sub(targetCommand)};
  cl::opt<std::string> target{
      "target",
      cl::value_desc("CPU"),
      cl::init("host"),
      cl::desc("CPU to compile for: host (default), x86-64-v3, x86-64-v4 or "
               "any CPU that LLVM knows; with :FACT=VALUE,... where it differs "
               "(mlir-fusion target prints the facts)"),
      cl::cat(shared),
      cl::sub(withTarget)};
  cl::opt<std::string> entry{
      "entry", cl::value_desc("NAME"),
      cl::desc(
          "Function to compile (default: the only public function, or main)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<std::string> name{
      "name", cl::value_desc("NAME"),
      cl::desc("Prefix of the exported symbols NAME_run, NAME_signature, … "
               "(default: the output's stem)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<unsigned> jobs{
      "jobs",
      cl::value_desc("N"),
      cl::init(0),
      cl::desc("Compiler threads, at most one a core (the default)"),
      cl::cat(shared),
      cl::sub(all)};
  cl::opt<std::string> threading{
      "threading",
      cl::value_desc("openmp|none"),
      cl::init("openmp"),
      cl::desc("Threads of the compiled code: openmp (default; needs libomp, "
               "OMP_NUM_THREADS sets their number) or none"),
      cl::cat(shared),
      cl::sub(all)};
  cl::opt<bool> hugePages{
      "huge-pages", cl::init(true),
      cl::desc("Copy constants of 2 MB and more into huge pages when the "
               "model is loaded (default: true)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<bool> checkBounds{
      "check-bounds",
      cl::desc("Make the code check each load and store, and abort with a "
               "message at the first one outside of its buffer (slow)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<std::string> fpAccuracy{
      "fp-accuracy",
      cl::value_desc("strict|default|fast"),
      cl::init("default"),
      cl::desc("strict: nothing re-associated or folded through a sum; "
               "default: batch norm folded into weights; fast: as default"),
      cl::cat(shared),
      cl::sub(all)};
  cl::list<std::string> disable{
      "disable",
      cl::value_desc("SWITCH,..."),
      cl::CommaSeparated,
      cl::desc("Switch off rules by label, all fusion (fusion-fuse) or boolean "
               "stage options (STAGE.OPTION); see --list-switches"),
      cl::cat(shared),
      cl::sub(withDisable)};
  cl::list<std::string> link{"link", cl::value_desc("FILE.o"),
                             cl::desc("Link this object or archive too"),
                             cl::cat(shared), cl::sub(all)};
  cl::opt<std::string> linker{
      "linker", cl::value_desc("PATH"),
      cl::desc("Linker to use (default: ld.lld-22, ld.lld or ld, the first "
               "that is found)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<bool> verifyEach{
      "verify-each",
      cl::desc(
          "Verify the module after each pass, not only what was read (slower)"),
      cl::cat(shared), cl::sub(all)};
  cl::opt<bool> timing{"timing", cl::desc("Print how long each pass took"),
                       cl::cat(shared), cl::sub(all)};
  cl::opt<bool> listSwitches{"list-switches",
                             cl::desc("Print what --disable knows, and stop"),
                             cl::cat(shared), cl::sub(all)};

  cl::SubCommandGroup withTrace{&compile, &explain};
  cl::opt<std::string> traceRules{
      "trace-rules", cl::value_desc("OP"),
      cl::desc("Print each rule tried on ops of this name (linalg.generic), or "
               "with this text in their location (net.mlir:12), and why it "
               "refused"),
      cl::cat(shared), cl::sub(withTrace)};

  // Of compile.
  cl::opt<std::string> output{"o",
                              cl::value_desc("OUT.{so,o,ll,s,mlir,mlirbc}"),
                              cl::desc("Output; its ending says which"),
                              cl::cat(own), cl::sub(compile)};
  cl::opt<std::string> header{
      "header", cl::value_desc("OUT.h"),
      cl::desc("Write a C header that declares what the output exports"),
      cl::cat(own), cl::sub(compile)};
  cl::opt<std::string> stopAfter{
      "stop-after", cl::value_desc("STAGE"),
      cl::desc("Last stage of a .mlir output: fusion-fuse, fusion-plan, "
               "fusion-bufferize, fusion-outline, fusion-vectorize or "
               "fusion-lower (default)"),
      cl::cat(own), cl::sub(compile)};
  cl::opt<std::string> report{"report", cl::value_desc("R.json"),
                              cl::desc("Write times, sizes and counts as JSON"),
                              cl::cat(own), cl::sub(compile)};
  cl::opt<bool> keepConstants{
      "keep-constants",
      cl::desc("Print big constants whole into a .mlir output"), cl::cat(own),
      cl::sub(compile)};

  cl::opt<bool> profiled{
      "profile",
      cl::desc("Make the code take the time of each kernel, for mlir-fusion "
               "profile"),
      cl::cat(own), cl::sub(compile)};

  // Of run, bench and profile.
  cl::list<std::string> inputs{
      "input", cl::value_desc("A.npy"),
      cl::desc("An input; repeat for each input of the model, in order"),
      cl::cat(own), cl::sub(calling)};
  cl::list<std::string> expected{
      "expect", cl::value_desc("B.npy"),
      cl::desc("The expected result, floats also in f64; repeat for each "
               "result, in order"),
      cl::cat(own), cl::sub(checking)};
  cl::opt<double> rtol{"rtol", cl::value_desc("R"),
                       cl::desc("Tolerance relative to each expected element"),
                       cl::cat(own), cl::sub(checking)};
  cl::opt<double> atol{"atol", cl::value_desc("A"),
                       cl::desc("Absolute tolerance"), cl::cat(own),
                       cl::sub(checking)};
  cl::opt<double> rtolMax{
      "rtol-max", cl::value_desc("R"),
      cl::desc(
          "Tolerance relative to the largest expected element (default: 1e-4)"),
      cl::cat(own), cl::sub(checking)};
  cl::opt<unsigned> threads{"threads",
                            cl::value_desc("N"),
                            cl::init(0),
                            cl::desc("Threads of the compiled code, at most "
                                     "1024 (default: OMP_NUM_THREADS, or one a "
                                     "core)"),
                            cl::cat(own),
                            cl::sub(calling)};

  // Of run.
  cl::opt<bool> randomInputs{"random-inputs",
                             cl::desc("Seeded random numbers for the inputs"),
                             cl::cat(own), cl::sub(run)};
  cl::opt<unsigned> repeat{
      "repeat",
      cl::value_desc("N"),
      cl::init(1),
      cl::desc(
          "Run N times after 50 runs to warm up, and print median and deciles "
          "(default: once, cold)"),
      cl::cat(own),
      cl::sub(run)};
  cl::opt<std::string> outputDir{
      "output-dir", cl::value_desc("DIR"),
      cl::desc("Write results to DIR/out0.npy, DIR/out1.npy, …"), cl::cat(own),
      cl::sub(run)};

  cl::opt<bool> guardPages{
      "guard-pages",
      cl::desc(
          "First call the model on inputs, results and workspace that end, "
          "then that begin, at pages which nobody may touch; an access "
          "outside is an error"),
      cl::cat(own), cl::sub(run)};

  // Of bench.
  cl::list<std::string> models{cl::Positional, cl::desc("MODEL..."),
                               cl::sub(bench)};
  cl::list<std::string> benchDisable{
      "disable", cl::value_desc("SWITCH,..."),
      cl::desc("Measure a variant with these switched off beside the base; "
               "repeat for more variants; see --list-switches"),
      cl::cat(own), cl::sub(bench)};
  cl::opt<unsigned> warmUp{
      "warmup",     cl::value_desc("N"),
      cl::init(50), cl::desc("Calls before anything is timed (default: 50)"),
      cl::cat(own), cl::sub(sampling)};
  cl::opt<double> warmUpSeconds{
      "warmup-seconds",
      cl::value_desc("S"),
      cl::init(10),
      cl::desc("End the warm-up of a variant after S seconds, though not "
               "before 5 calls (default: 10, or no end with --warmup)"),
      cl::cat(own),
      cl::sub(bench),
      cl::sub(profile)};
  cl::opt<unsigned> benchRepeat{
      "repeat",
      cl::value_desc("N"),
      cl::init(50),
      cl::desc("Samples of each variant, or of each site (default: 50)"),
      cl::cat(own),
      cl::sub(sampling)};

  // Of ablate.
  cl::opt<std::string> mode{
      "mode",
      cl::value_desc("leave-one-out|add-one"),
      cl::init("leave-one-out"),
      cl::desc("Try each switch off with all others on (default), or on with "
               "all others off"),
      cl::cat(own),
      cl::sub(ablate)};
  cl::list<std::string> only{"only",
                             cl::value_desc("SWITCH,..."),
                             cl::CommaSeparated,
                             cl::desc("Try these switches (default: all); see "
                                      "--list-switches"),
                             cl::cat(own),
                             cl::sub(ablate)};

  cl::list<std::string> ablateDisable{"disable", cl::ReallyHidden, cl::cat(own),
                                      cl::sub(ablate)};

  // Of explain.
  cl::opt<bool> listRules{
      "list-rules",
      cl::desc("Print the labels of all rules that have a switch and what "
               "they do to rounding (docs/Rules.md says what each does), and "
               "stop"),
      cl::cat(own), cl::sub(explain)};

  cl::SubCommandGroup withShapes{&run, &bench, &profile, &ablate};
  cl::SubCommandGroup withJson{&run,     &bench,  &explain,
                               &profile, &ablate, &targetCommand};
  cl::list<std::string> shapes{
      "shape", cl::value_desc("INPUT=D,D,…"),
      cl::desc("Shape of a dynamic input that no file gives; an input is "
               "called by the argument's attribute DIALECT.name, else in0, "
               "in1, ..."),
      cl::cat(own), cl::sub(withShapes)};
  cl::list<std::string> sizes{
      "shape", cl::value_desc("INPUT=D,D,…"),
      cl::desc("Count for this shape of a dynamic input (default: what is "
               "dynamic is not counted); an input is called by the argument's "
               "attribute DIALECT.name, else in0, in1, ..."),
      cl::cat(own), cl::sub(explain)};
  cl::opt<std::string> json{"json", cl::value_desc("F"),
                            cl::desc("Write what is printed as JSON, too"),
                            cl::cat(own), cl::sub(withJson)};

  Command getCommand() const {
    return compile         ? Command::Compile
           : run           ? Command::Run
           : bench         ? Command::Bench
           : explain       ? Command::Explain
           : profile       ? Command::Profile
           : ablate        ? Command::Ablate
           : targetCommand ? Command::Target
                           : Command::None;
  }
};

/// Says what is wrong with the flags that were given, if something is.
LogicalResult check(const Flags &flags);

} // namespace mlir::fusion

#endif // MLIR_FUSION_FLAGS_H
