//===-- Run.cpp - mlir-fusion run -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a library (compiled first, if a model is given), calls it on arrays,
// checks the results and times the calls.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Compilation.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Library.h"
#include "Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <random>

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
// The library
//===----------------------------------------------------------------------===//

/// Compiles the model to a library at `path`.
static LogicalResult compileTo(StringRef path, const CompileFlags &flags) {
  Compilation compilation(flags, /*collectRemarks=*/false);
  if (failed(compilation.parse()))
    return failure();
  for (StringRef stage : getStageNames())
    if (failed(compilation.runStage(stage)))
      return failure();
  return compilation.emit([&] {
    return emitLibrary(compilation.getModule(), path,
                       compilation.getEmitOptions(flags.model));
  });
}

static FailureOr<Library> openLibrary(const Options &options,
                                      std::optional<PeakMemory> &memory) {
  StringRef path = options.flags.model;
  SmallString<128> temporary;
  llvm::FileRemover remover;
  if (!isLibrary(path)) {
    std::error_code code =
        llvm::sys::fs::createTemporaryFile("mlir-fusion", "so", temporary);
    if (code)
      return error("cannot make a temporary file: " + code.message());
    remover.setFile(temporary);
    if (failed(compileTo(temporary, options.flags)))
      return failure();
    path = temporary;
  }
  // libomp reads this once, when it is loaded with the library.
  if (options.run.threads)
    setenv("OMP_NUM_THREADS", std::to_string(options.run.threads).c_str(),
           /*overwrite=*/1);
  memory.emplace();
  llvm::Expected<Library> library = Library::open(path, options.flags.name);
  if (!library)
    return error(llvm::toString(library.takeError()));
  if (!options.flags.entry.empty() &&
      library->getSignature().entry != options.flags.entry)
    return error(Twine(options.flags.model) + ": expected entry '" +
                 options.flags.entry + "', got '" +
                 library->getSignature().entry + "'");
  return std::move(*library);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static std::string getTypeString(const TensorSignature &tensor) {
  std::string text;
  for (int64_t size : tensor.shape)
    text += std::to_string(size) + "x";
  return text + tensor.type;
}

/// Gives `array` the signature's type if its elements can stand for it.
static bool adaptType(NpyArray &array, StringRef wanted) {
  std::optional<NpyType> type = getNpyType(wanted);
  if (!type)
    return false;
  // numpy has no bf16, and MLIR's plain integers have no sign.
  bool sameBits = array.type == *type ||
                  array.type.getDescr() == type->getDescr() ||
                  (wanted.starts_with("i") && type->kind == 'i' &&
                   array.type.kind == 'u' && array.type.size == type->size);
  if (sameBits && type->kind == 'B')
    array.type = *type;
  return sameBits;
}

static FailureOr<NpyArray> readArray(StringRef path, StringRef role,
                                     size_t index,
                                     const TensorSignature &wanted) {
  llvm::Expected<NpyArray> array = readNpy(path);
  if (!array)
    return error(llvm::toString(array.takeError()));
  if (adaptType(*array, wanted.type) &&
      ArrayRef<int64_t>(wanted.shape) == ArrayRef<int64_t>(array->shape))
    return std::move(*array);
  return error("expected " + role + " " + Twine(index) + " '" + wanted.name +
               "' of " + getTypeString(wanted) + ", got " +
               array->getTypeString() + " in " + path);
}

/// Reads one file for each tensor of the signature.
static FailureOr<SmallVector<NpyArray>>
readArrays(ArrayRef<std::string> paths, StringRef role,
           ArrayRef<TensorSignature> wanted) {
  if (paths.size() != wanted.size())
    return error("expected " + Twine(wanted.size()) + " " + role + "(s), got " +
                 Twine(paths.size()));
  SmallVector<NpyArray> arrays;
  for (auto [index, path] : llvm::enumerate(paths)) {
    FailureOr<NpyArray> array = readArray(path, role, index, wanted[index]);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

static FailureOr<NpyArray> makeArray(const TensorSignature &tensor) {
  std::optional<NpyType> type = getNpyType(tensor.type);
  if (!type)
    return error("expected '" + tensor.name +
                 "' of a type that numpy has, got " + tensor.type);
  return NpyArray::create(*type, tensor.shape);
}

static FailureOr<SmallVector<NpyArray>>
makeArrays(ArrayRef<TensorSignature> tensors) {
  SmallVector<NpyArray> arrays;
  for (const TensorSignature &tensor : tensors) {
    FailureOr<NpyArray> array = makeArray(tensor);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

/// Floats in [-1, 1], integers 0 or 1: valid as indices nearly anywhere.
static void fillRandomly(NpyArray &array, std::mt19937 &generator) {
  std::uniform_real_distribution<double> distribution(-1, 1);
  for (int64_t i = 0, count = array.getNumElements(); i < count; ++i)
    array.setElement(i, array.type.isFloat() ? distribution(generator)
                                             : double(generator() & 1));
}

static FailureOr<SmallVector<NpyArray>> getInputs(const RunOptions &options,
                                                  const Signature &signature) {
  if (!options.randomInputs)
    return readArrays(options.inputs, "input", signature.inputs);
  if (!options.inputs.empty())
    return error("expected --input or --random-inputs, got both");
  FailureOr<SmallVector<NpyArray>> arrays = makeArrays(signature.inputs);
  std::mt19937 generator(/*seed=*/1);
  if (succeeded(arrays))
    for (NpyArray &array : *arrays)
      fillRandomly(array, generator);
  return arrays;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Calls the library `repeat` times; milliseconds of each.
static FailureOr<SmallVector<double>> callLibrary(const Library &library,
                                                  ArrayRef<NpyArray> inputs,
                                                  ArrayRef<NpyArray> outputs,
                                                  unsigned repeat) {
  SmallVector<void *> tensors;
  for (ArrayRef<NpyArray> arrays : {inputs, outputs})
    for (const NpyArray &array : arrays)
      tensors.push_back(array.data.get());
  unsigned warmUp = repeat > 1 ? kWarmUpRuns : 0;
  SmallVector<double> times;
  for (unsigned i = 0; i < warmUp + repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    llvm::Expected<int> status = library.run(tensors);
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (!status)
      return error(llvm::toString(status.takeError()));
    if (*status != 0)
      return error("expected the model to return 0, got " + Twine(*status) +
                   (*status == 2 ? " (out of memory)" : ""));
    if (i >= warmUp)
      times.push_back(time.count());
  }
  return times;
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

/// The value that a share of the sorted `times` does not exceed.
static double getQuantile(ArrayRef<double> times, double share) {
  return times[std::min<size_t>(times.size() - 1, share * times.size())];
}

static llvm::json::Object reportLatency(SmallVector<double> times) {
  llvm::sort(times);
  double median = getQuantile(times, 0.5);
  llvm::outs() << "latency: " << formatFixed(median, 3) << " ms";
  llvm::json::Object json{{"median", median}, {"runs", int64_t(times.size())}};
  if (times.size() > 1) {
    llvm::json::Array deciles;
    llvm::outs() << " (median of " << times.size() << " runs; deciles";
    for (int decile = 1; decile <= 9; ++decile) {
      double value = getQuantile(times, decile / 10.0);
      deciles.push_back(value);
      llvm::outs() << " " << formatFixed(value, 3);
    }
    llvm::outs() << ")";
    json["deciles"] = std::move(deciles);
  } else {
    llvm::outs() << " (one cold call; --repeat warms up and takes medians)";
  }
  llvm::outs() << "\n";
  return json;
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runRun(const Options &options) {
  std::optional<PeakMemory> memory;
  FailureOr<Library> library = openLibrary(options, memory);
  if (failed(library))
    return kBadInput;
  const Signature &signature = library->getSignature();
  FailureOr<SmallVector<NpyArray>> inputs = getInputs(options.run, signature);
  if (failed(inputs))
    return kBadInput;
  SmallVector<NpyArray> wanted;
  if (!options.run.expected.empty()) {
    FailureOr<SmallVector<NpyArray>> read =
        readArrays(options.run.expected, "result", signature.outputs);
    if (failed(read))
      return kBadInput;
    wanted = std::move(*read);
  }
  FailureOr<SmallVector<NpyArray>> results = makeArrays(signature.outputs);
  if (failed(results))
    return kBadInput;

  FailureOr<SmallVector<double>> times = callLibrary(
      *library, *inputs, *results, std::max(options.run.repeat, 1u));
  if (failed(times) || failed(writeResults(options.run.outputDir, *results)))
    return kBadInput;
  int64_t peak = memory->getPeak(), grown = peak - memory->getBefore();

  llvm::json::Array resultsJson;
  bool right = checkResults(*results, wanted, signature, options.run.tolerance,
                            resultsJson);
  llvm::json::Object json;
  json["latency_ms"] = reportLatency(std::move(*times));
  llvm::outs() << "peak memory: " << formatBytes(peak) << ", of which "
               << formatBytes(grown) << " for library, inputs and results\n";
  json["model"] = options.flags.model;
  json["peak_memory"] = peak;
  json["peak_memory_of_run"] = grown;
  json["right"] = right;
  json["results"] = std::move(resultsJson);
  if (!options.run.json.empty() &&
      failed(writeJson(options.run.json, std::move(json))))
    return kBadInput;
  return right ? kSuccess : kMismatch;
}
