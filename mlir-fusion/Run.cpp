//===-- Run.cpp - mlir-fusion run -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library (compiled first, if a model is given), calls it on arrays,
// checks the results and times the calls.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "FusionDialect/Target/GuardedBuffer.h"
#include "LoadModel.h"
#include "Report.h"
#include "Statistics.h"
#include "Tensors.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fusion;

static constexpr unsigned kWarmUpRuns = 50;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Bytes that the kernel states of this process under `key`; 0 if it does not.
static int64_t readProcessMemory(StringRef key) {
  auto status = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!status)
    return 0;
  StringRef line = (*status)->getBuffer().split(key).second.ltrim();
  int64_t kibibytes = 0;
  return line.consumeInteger(10, kibibytes) ? 0 : kibibytes * 1024;
}

namespace {
/// The most memory from its construction on: the compiler's peak is forgotten.
class PeakMemory {
public:
  PeakMemory() {
    std::error_code code;
    llvm::raw_fd_ostream os("/proc/self/clear_refs", code);
    if (!code) {
      os << "5";
      os.close();
      os.clear_error();
    }
    before = readProcessMemory("VmRSS:");
  }
  /// Of the whole process.
  int64_t getPeak() const { return readProcessMemory("VmHWM:"); }
  /// What the process had at the construction: program and compiler.
  int64_t getBefore() const { return before; }

private:
  int64_t before;
};
} // namespace

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Calls the library `repeat` times; milliseconds of each.
static FailureOr<SmallVector<double>> callLibrary(const Library &library,
                                                  ArrayRef<NpyArray> inputs,
                                                  ArrayRef<NpyArray> outputs,
                                                  unsigned repeat) {
  SmallVector<void *> tensors = getArguments(library, inputs, outputs);
  unsigned warmUp = repeat > 1 ? kWarmUpRuns : 0;
  SmallVector<double> times;
  for (unsigned i = 0; i < warmUp + repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (failed(callModel(library, tensors)))
      return failure();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (i >= warmUp)
      times.push_back(time.count());
  }
  return times;
}

/// Calls the library on memory that ends, then begins, at pages which nobody
/// may touch, and says so. The results have the same bits wherever memory lies.
static ExitCode checkGuarded(const Library &library, const Signature &known,
                             ArrayRef<NpyArray> inputs) {
  auto fail = [](ExitCode code, const Twine &text) {
    (void)error(text);
    return code;
  };
  auto bytes =
      llvm::map_to_vector(inputs, [](const NpyArray &input) -> const char * {
        return input.data.get();
      });
  const Signature &own = library.getSignature();
  void *workspaceSize = library.lookup(own.name + "_workspace_size");
  if (!workspaceSize)
    return fail(kBadInput, "expected " + own.name + "_workspace_size");
  SmallVector<GuardedCall, 2> calls;
  for (auto side : {GuardedBuffer::Side::End, GuardedBuffer::Side::Begin}) {
    llvm::Expected<GuardedCall> call =
        GuardedCall::create(own, known, bytes, workspaceSize, side);
    if (!call)
      return fail(kBadInput, llvm::toString(call.takeError()));
    if (failed(callModel(library, call->getArguments(), call->getWorkspace())))
      return kBadInput;
    if (llvm::Error outside = call->check(bytes))
      return fail(kMismatch, llvm::toString(std::move(outside)));
    calls.push_back(std::move(*call));
  }
  for (auto [i, ending, beginning] :
       llvm::enumerate(calls[0].getOutputs(), calls[1].getOutputs()))
    if (memcmp(ending.getData(), beginning.getData(), ending.getSize()) != 0)
      return fail(kMismatch, "expected the same result " + Twine(i) +
                                 " wherever memory lies, got other bits");
  llvm::outs() << "guarded: " << inputs.size() << " input(s), "
               << known.outputs.size()
               << " result(s) and the workspace, before and behind: nothing "
                  "outside\n";
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static LogicalResult writeResults(StringRef directory,
                                  ArrayRef<NpyArray> results) {
  if (directory.empty())
    return success();
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return error(directory + ": cannot make it: " + code.message());
  for (auto [index, result] : llvm::enumerate(results))
    if (llvm::Error failure = writeNpy(
            (directory + "/out" + Twine(index) + ".npy").str(), result))
      return error(llvm::toString(std::move(failure)));
  return success();
}

/// Compares and prints each result; adds them to `json` and returns whether all
/// are right.
static bool checkResults(ArrayRef<NpyArray> results, ArrayRef<NpyArray> wanted,
                         const Signature &signature, const Tolerance &tolerance,
                         llvm::json::Array &json) {
  bool allRight = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const NpyArray &got = results[i], &want = wanted[i];
    NpyDifference difference = compare(got, want, tolerance);
    double ofLargest = difference.largestError == 0
                           ? 0
                           : difference.largestError / difference.largestWanted;
    llvm::outs() << llvm::formatv(
        "out{0} '{1}' {2}: largest error {3:e2}, {4:e2} of the largest value "
        "{5:e2}, {6:e2} relative: ",
        i, signature.outputs[i].name, getTypeString(signature.outputs[i]),
        difference.largestError, ofLargest, difference.largestWanted,
        difference.largestRelativeError);
    llvm::json::Object row{
        {"largest_error", difference.largestError},
        {"largest_error_of_largest", ofLargest},
        {"largest_relative_error", difference.largestRelativeError},
        {"wrong", difference.numBad}};
    if (difference.numBad == 0) {
      llvm::outs() << "right\n";
    } else {
      allRight = false;
      int64_t bad = difference.firstBad;
      std::string where = formatIndex(bad, want.shape);
      llvm::outs() << llvm::formatv(
          "WRONG\n  {0} of {1} elements out of tolerance, first at {2}: got "
          "{3}, expected {4}\n",
          difference.numBad, want.getNumElements(), where,
          llvm::format("%.9g", got.getElement(bad)),
          llvm::format("%.9g", want.getElement(bad)));
      row["first_wrong"] = where;
    }
    json.push_back(std::move(row));
  }
  return allRight;
}

/// `isFirst`: whether nothing was called before.
static llvm::json::Object reportLatency(SmallVector<double> times,
                                        bool isFirst) {
  llvm::sort(times);
  double median = getQuantile(times, 0.5);
  llvm::outs() << "latency: " << formatFixed(median, 3) << " ms";
  llvm::json::Object json{{"median", median}, {"runs", int64_t(times.size())}};
  if (times.size() > 1) {
    llvm::outs() << " (median of " << times.size() << " runs; deciles";
    for (double decile : getDeciles(times))
      llvm::outs() << " " << formatFixed(decile, 3);
    llvm::outs() << ")";
    json["deciles"] = llvm::json::Array(getDeciles(times));
  } else {
    llvm::outs() << (isFirst ? " (one cold call; "
                             : " (one call, after two on guarded memory; ")
                 << "--repeat warms up and takes medians)";
  }
  llvm::outs() << "\n";
  return json;
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runRun(const Options &options) {
  std::optional<PeakMemory> memory;
  FailureOr<Library> library = loadModel(options.flags, [&] {
    setNumThreads(options.run.threads);
    memory.emplace();
  });
  if (failed(library))
    return kBadInput;
  FailureOr<SmallVector<NpyArray>> inputs =
      getInputs(options.run.inputs, library->getSignature());
  if (failed(inputs))
    return kBadInput;
  // From here on all sizes are known.
  FailureOr<Signature> known = getSignatureFor(*library, *inputs);
  if (failed(known))
    return kBadInput;
  const Signature &signature = *known;
  SmallVector<NpyArray> wanted;
  if (!options.run.expected.empty()) {
    FailureOr<SmallVector<NpyArray>> read = readArrays(
        options.run.expected, "result", signature.outputs, /*isCompared=*/true);
    if (failed(read))
      return kBadInput;
    wanted = std::move(*read);
  }
  FailureOr<SmallVector<NpyArray>> results = makeArrays(signature.outputs);
  if (failed(results))
    return kBadInput;

  if (options.run.guardPages)
    if (ExitCode code = checkGuarded(*library, signature, *inputs);
        code != kSuccess)
      return code;
  FailureOr<SmallVector<double>> times =
      callLibrary(*library, *inputs, *results, options.run.repeat);
  if (failed(times) || failed(writeResults(options.run.outputDir, *results)))
    return kBadInput;
  int64_t peak = memory->getPeak(), grown = peak - memory->getBefore();

  llvm::json::Array resultsJson;
  bool right = checkResults(*results, wanted, signature, options.run.tolerance,
                            resultsJson);
  llvm::json::Object json;
  json["latency_ms"] =
      reportLatency(std::move(*times), /*isFirst=*/!options.run.guardPages);
  if (options.flags.checkBounds)
    llvm::outs() << "checked: each load and store of the call: nothing "
                    "outside\n";
  llvm::outs() << "peak memory: " << formatBytes(peak) << ", of which "
               << formatBytes(grown) << " for library, inputs and results\n";
  json["model"] = options.flags.model;
  json["peak_memory"] = peak;
  json["peak_memory_of_run"] = grown;
  json["right"] = right;
  // Whatever was found has ended the command before.
  json["guarded"] = options.run.guardPages;
  json["checked_bounds"] = options.flags.checkBounds;
  json["results"] = std::move(resultsJson);
  if (!options.run.json.empty() &&
      failed(writeJson(options.run.json, std::move(json))))
    return kBadInput;
  return right ? kSuccess : kMismatch;
}
