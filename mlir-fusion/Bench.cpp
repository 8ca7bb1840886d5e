//===-- Bench.cpp - mlir-fusion bench -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variants there are, and what is told of them.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "LoadModel.h"
#include "Report.h"
#include "Tensors.h"
#include "Variants.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Each model as the flags say, then once for each --disable.
static FailureOr<std::vector<Variant>> loadVariants(const Options &options) {
  std::vector<std::vector<std::string>> disables = options.bench.disable;
  disables.insert(disables.begin(), std::vector<std::string>());
  std::vector<Variant> variants;
  for (const std::string &model : options.bench.models)
    for (const std::vector<std::string> &disable : disables) {
      CompileFlags flags = options.flags;
      flags.model = model;
      flags.disable = disable;
      FailureOr<Library> library = loadModel(flags, [&] {
        setNumThreads(options.bench.threads);
        bindThreads();
      });
      if (failed(library))
        return failure();
      std::string name = llvm::sys::path::filename(model).str();
      if (!disable.empty())
        name += " without " + llvm::join(disable, ",");
      variants.push_back(Variant(name, model, disable, std::move(*library)));
    }
  return variants;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Compares results with those expected and says on stdout where they differ.
static bool checkResults(const Variant &variant, ArrayRef<NpyArray> wanted,
                         const Tolerance &tolerance, StringRef from,
                         double &difference) {
  std::vector<std::string> sentences =
      findDifferences(variant, wanted, tolerance, from, difference);
  for (const std::string &sentence : sentences)
    llvm::outs() << variant.name << ": " << sentence << "\n";
  return sentences.empty();
}

/// Calls each variant once, and compares all with the first and that with
/// what is expected.
static FailureOr<bool> checkVariants(MutableArrayRef<Variant> variants,
                                     const BenchOptions &options,
                                     const Signature &signature,
                                     ArrayRef<NpyArray> inputs) {
  bool right = true;
  for (Variant &variant : variants) {
    if (failed(callForResults(variant, signature, inputs)))
      return failure();
    right &= checkResults(variant, variants.front().results, options.tolerance,
                          variants.front().name, variant.difference);
  }
  if (options.expected.empty())
    return right;
  FailureOr<SmallVector<NpyArray>> wanted = readArrays(
      options.expected, "result", signature.outputs, /*isCompared=*/true);
  if (failed(wanted))
    return failure();
  double error = 0;
  return right & checkResults(variants.front(), *wanted, options.tolerance,
                              "the file of --expect", error);
}

/// Why results that are not wrong may differ, and what allows it.
static void explainMismatch() {
  llvm::outs()
      << "Variants may sum in another order or type (f16 in f32): results then "
         "differ by rounding. --rtol and --atol, or --rtol-max (by default "
         "1e-4 of the largest element), say by how much they may.\n";
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

/// What the file has of each variant, which may not have been measured.
static llvm::json::Array variantsToJson(ArrayRef<Variant> variants,
                                        std::optional<Interval> noise) {
  llvm::json::Array rows;
  for (const Variant &variant : variants) {
    llvm::json::Object row{{"name", variant.name},
                           {"model", variant.model},
                           {"disabled", llvm::json::Array(variant.disabled)},
                           {"largest_error_of_largest", variant.difference}};
    if (!variant.samples.empty()) {
      row["median_ms"] = getQuantile(variant.samples, 0.5);
      row["least_ms"] = variant.samples.front();
      row["deciles_ms"] = llvm::json::Array(getDeciles(variant.samples));
      row["warmup"] = variant.warmUp;
      row["calls_per_sample"] = variant.callsPerSample;
      if (&variant != &variants.front()) {
        row["ratio"] = getQuantile(variant.ratios, 0.5);
        row["ratio_interval"] =
            intervalToJson(getMedianInterval(variant.ratios));
        row["verdict"] = describeRatio(variant.ratios, noise);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

static void printVariants(ArrayRef<Variant> variants,
                          std::optional<Interval> noise) {
  bool compared = variants.size() > 1;
  std::vector<std::string> titles{"variant", ">median ms", ">10 %", ">90 %",
                                  ">calls a sample"};
  if (compared)
    titles.insert(titles.end(), {">ratio", "95 % interval", "verdict"});
  Table table(titles);
  for (const Variant &variant : variants) {
    double median = getQuantile(variant.samples, 0.5);
    SmallVector<double> deciles = getDeciles(variant.samples);
    std::vector<std::string> cells{
        variant.name, formatMs(median), formatMs(deciles.front()),
        formatMs(deciles.back()), std::to_string(variant.callsPerSample)};
    if (&variant != &variants.front()) {
      double ratio = getQuantile(variant.ratios, 0.5);
      std::optional<Interval> interval = getMedianInterval(variant.ratios);
      std::string verdict = describeRatio(variant.ratios, noise);
      cells.insert(cells.end(),
                   {formatFixed(ratio, 3), formatInterval(interval), verdict});
    } else if (compared) {
      cells.insert(cells.end(), {"1", "", ""});
    }
    table.addRow(cells);
  }
  table.print(llvm::outs());
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runBench(const Options &options) {
  const BenchOptions &bench = options.bench;
  FailureOr<std::vector<Variant>> variants = loadVariants(options);
  if (failed(variants))
    return kBadInput;
  bool threaded = llvm::any_of(*variants, [](const Variant &variant) {
    return variant.library.getSignature().threading != "none";
  });
  if (!threaded)
    bindThisThread();
  FailureOr<SmallVector<NpyArray>> inputs =
      getInputs(bench.inputs, variants->front().library.getSignature());
  SmallVector<Variant *> pointers(llvm::make_pointer_range(*variants));
  Signature signature;
  if (failed(inputs) ||
      failed(checkSameSignature(pointers, *inputs, signature)))
    return kBadInput;
  FailureOr<bool> right = checkVariants(*variants, bench, signature, *inputs);
  if (failed(right))
    return kBadInput;
  std::optional<Interval> noise;
  if (*right) {
    noise = getMedianInterval(takeSamples(
        pointers, {bench.warmUp, bench.repeat, bench.warmUpSeconds}));
    printVariants(*variants, noise);
    if (variants->size() > 1)
      llvm::outs() << "noise, the first one beside itself: "
                   << formatInterval(noise) << "\n";
  } else {
    explainMismatch();
  }
  llvm::json::Object json{{"warmup", bench.warmUp},
                          {"samples", bench.repeat},
                          {"threads", threaded ? getNumThreads() : 1},
                          {"right", *right},
                          {"variants", variantsToJson(*variants, noise)}};
  if (*right && variants->size() > 1)
    json["noise"] = intervalToJson(noise);
  if (!bench.json.empty() && failed(writeJson(bench.json, std::move(json))))
    return kBadInput;
  return *right ? kSuccess : kMismatch;
}
