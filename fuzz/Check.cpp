//===-- Check.cpp - Compile, run, compare ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product's own stages and JIT against the reference, in this process.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Evaluate.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Target/Target.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Scalar ops that the reference may take.
static constexpr int64_t kStepLimit = 4'000'000;

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

namespace {
class Counter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (!coverage)
      return;
    // Rules that fire are traced: not all of them make remarks.
    if (remark.getRemarkType() == llvm::remarks::Type::Passed)
      return;
    std::string message;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      message += arg.val;
    ++(*coverage)["refusal " + remark.getRemarkName().str() + " " +
                  StringRef(message).split(':').first.str()];
  }

  Coverage *coverage = nullptr;
};

/// The remarks of a context, counted where the latest call wants them.
void countRemarks(MLIRContext &context, Coverage *coverage) {
  static llvm::DenseMap<MLIRContext *, Counter *> counters;
  Counter *&counter = counters[&context];
  if (!context.getRemarkEngine()) {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = kRemarkCategory.str();
    auto owned = std::make_unique<Counter>();
    counter = owned.get();
    (void)remark::enableOptimizationRemarks(
        context, std::move(owned),
        std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  }
  counter->coverage = coverage;
}
} // namespace

/// What the kernels compute, once they are outlined.
static void countKernels(ModuleOp module, Coverage &coverage) {
  module.walk([&](Operation *op) {
    if (!isa<FusionRootOpInterface>(op)) {
      if (auto generic = dyn_cast<linalg::LinalgOp>(op))
        ++coverage[("kernel " + op->getName().getStringRef() +
                    (generic.getNumReductionLoops() ? " reduction" : ""))
                       .str()];
      return;
    }
    std::string name = "kernel " + op->getName().getStringRef().str();
    llvm::raw_string_ostream os(name);
    os << " " << getElementTypeOrSelf(op->getOperand(0).getType());
    for (StringRef key : {"kind", "layout", "input_layout", "output_layout"})
      if (Attribute attr = op->getAttr(key))
        os << " " << attr;
    ++coverage[name];
  });
}

/// The ways that emitted code goes, such as rests of vectors.
static void countCode(ModuleOp module, Coverage &coverage) {
  module.walk([&](Operation *op) {
    if (isa<vector::VectorDialect>(op->getDialect()))
      ++coverage["code " + op->getName().getStringRef().str()];
  });
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Why `got` is not what was wanted; empty if it is.
static std::string compareNumber(const Number &got, const Number &wanted,
                                 const NumberType &type) {
  double bound = type.getBound(wanted);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!type.isFloat) {
    double distance = std::fabs(double(got.integer) - double(wanted.integer));
    if (got.integer != wanted.integer && !(distance <= bound))
      os << "got " << got.integer << ", expected " << wanted.integer << " +- "
         << bound;
    return text;
  }
  if (!std::isfinite(wanted.value)) {
    if (std::isnan(wanted.value) != std::isnan(got.value) ||
        (!std::isnan(wanted.value) && wanted.value != got.value))
      os << "got " << got.value << ", expected " << wanted.value;
    return text;
  }
  bound += 2 * type.unit * std::fabs(wanted.value) + type.smallest;
  // In reach of what is not finite.
  if (std::fabs(wanted.value) + bound >= type.largest)
    return text;
  if (!(std::fabs(got.value - wanted.value) <= bound))
    os << llvm::format("got %.9g, expected %.9g +- %.3g", got.value,
                       wanted.value, bound);
  return text;
}

static std::string compareArrays(ArrayRef<Array> got, ArrayRef<Array> wanted,
                                 Outcome &outcome) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (got[i].shape != wanted[i].shape)
      return ("result " + Twine(i) + ": another shape").str();
    NumberType type(wanted[i].elementType);
    for (int64_t at = 0; at < wanted[i].size(); ++at) {
      ++outcome.compared;
      const Number &want = wanted[i].numbers[at];
      if (type.getBound(want) == kAnything) {
        ++outcome.open;
        continue;
      }
      std::string text = compareNumber(got[i].numbers[at], want, type);
      if (!text.empty())
        return ("result " + Twine(i) + ", element " + Twine(at) + ": " + text)
            .str();
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The two sides
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<Array>>
runReference(ModuleOp module, ArrayRef<Input> inputs, Precision precision) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(prepareReference(*copy)))
    return llvm::createStringError("reference: upstream's passes failed");
  std::vector<Array> arguments;
  for (const Input &input : inputs)
    arguments.push_back(Array::fromBytes(
        input.elementType, input.shape,
        ArrayRef<char>(input.bytes.data(), input.bytes.size())));
  Evaluator evaluator(*copy, precision, kStepLimit);
  return evaluator.call(copy->lookupSymbol<func::FuncOp>("main"),
                        std::move(arguments));
}

/// Memory that ends where its last byte does not have to be touched.
static std::vector<char> makeBuffer(size_t size) {
  return std::vector<char>(size + 64);
}
static char *align(std::vector<char> &buffer) {
  auto address = reinterpret_cast<uintptr_t>(buffer.data());
  return reinterpret_cast<char *>((address + 63) & ~uintptr_t(63));
}

static void setThreads(unsigned threads) {
  if (void *function = dlsym(RTLD_DEFAULT, "omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(function)(int(threads));
}

/// The bytes of each result.
static llvm::Expected<std::vector<std::string>> runModel(const JIT &jit,
                                                         ArrayRef<Input> inputs,
                                                         ArrayRef<Array> wanted,
                                                         unsigned threads) {
  setThreads(threads);
  const Signature &signature = jit.getSignature();
  std::vector<std::vector<char>> buffers;
  buffers.reserve(inputs.size() + wanted.size());
  SmallVector<void *> arguments;
  for (auto [input, tensor] : llvm::zip_equal(inputs, signature.inputs)) {
    char *data = align(buffers.emplace_back(makeBuffer(input.bytes.size())));
    memcpy(data, input.bytes.data(), input.bytes.size());
    arguments.push_back(data);
    if (tensor.isDynamic())
      arguments.push_back(const_cast<int64_t *>(input.shape.data()));
  }
  SmallVector<char *> outputs;
  SmallVector<size_t> sizes;
  std::vector<SmallVector<int64_t>> shapes;
  shapes.reserve(wanted.size());
  for (auto [array, tensor] : llvm::zip_equal(wanted, signature.outputs)) {
    size_t size = size_t(array.size()) * getElementBytes(array.elementType);
    outputs.push_back(align(buffers.emplace_back(makeBuffer(size))));
    sizes.push_back(size);
    // What nobody writes is seen.
    memset(outputs.back(), 0x5a, size);
    arguments.push_back(outputs.back());
    if (tensor.isDynamic())
      arguments.push_back(shapes.emplace_back(array.shape).data());
  }
  llvm::Expected<int> status = jit.run(arguments);
  if (!status)
    return status.takeError();
  if (*status != 0)
    return llvm::createStringError("the model returned " + Twine(*status));
  std::vector<std::string> results;
  for (auto [data, size] : llvm::zip_equal(outputs, sizes))
    results.emplace_back(data, size);
  return results;
}

static FailureOr<std::unique_ptr<JIT>>
compile(ModuleOp module, const Settings &settings, Coverage *coverage) {
  CompilePipelineOptions options;
  options.target = settings.target;
  options.fpAccuracy = *symbolizeFPAccuracy(settings.accuracy);
  options.disable = ArrayRef<std::string>(settings.disable);
  if (coverage)
    options.traceRules = kPlace.str();
  for (StringRef stage : getStageNames()) {
    PassManager pm(module.getContext(), ModuleOp::getOperationName());
    pm.enableVerifier(false);
    std::string problem;
    if (failed(buildStage(pm, stage, options, problem))) {
      module.emitError(problem);
      return failure();
    }
    if (failed(pm.run(module)) || failed(verify(module)))
      return failure();
    if (coverage && stage == "fusion-outline")
      countKernels(module, *coverage);
    if (coverage && stage == "fusion-vectorize")
      countCode(module, *coverage);
  }
  EmitOptions emit;
  emit.target = settings.target;
  emit.jobs = 1;
  emit.hugePages = EmitSwitches(settings.disable).hugePages;
  return createJIT(module, emit);
}

/// Counts what a traced rule says: `LABEL on OP: applied`.
static void countRule(StringRef text, Coverage &coverage) {
  auto [label, rest] = text.split(" on ");
  if (rest.ends_with(": applied"))
    ++coverage["rule " + label.str()];
}

/// The first error of a scope, which is not printed.
static std::unique_ptr<ScopedDiagnosticHandler>
catchErrors(MLIRContext *context, std::string &text, Coverage *coverage) {
  return std::make_unique<ScopedDiagnosticHandler>(
      context, [&text, coverage](Diagnostic &diagnostic) {
        if (coverage && diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          countRule(diagnostic.str(), *coverage);
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            text.empty())
          text = diagnostic.str();
        return success();
      });
}

/// A copy without the attributes of a test.
static OwningOpRef<ModuleOp> cloneBare(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto isOurs = [](NamedAttribute attr) {
    return attr.getName().getValue().starts_with("fuzz.");
  };
  for (NamedAttribute attr : llvm::to_vector((*copy)->getDiscardableAttrs()))
    if (isOurs(attr))
      (*copy)->removeAttr(attr.getName());
  if (auto function = copy->lookupSymbol<func::FuncOp>("main"))
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (StringRef name : {kSeedAttr, kValuesAttr, kShapeAttr})
        function.removeArgAttr(i, name);
  return copy;
}

Outcome fuzz::check(ModuleOp module, const Settings &settings,
                    Coverage *coverage) {
  Outcome outcome;
  auto fail = [&](Outcome::Kind kind, const Twine &text) {
    outcome.kind = kind;
    outcome.text = text.str();
    return outcome;
  };
  MLIRContext *context = module.getContext();
  countRemarks(*context, nullptr);
  std::string error;
  auto handler = catchErrors(context, error, coverage);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || failed(verify(module)))
    return fail(Outcome::Skipped, "generator: " + error);
  FailureOr<std::vector<Input>> inputs = makeInputs(function);
  if (failed(inputs))
    return fail(Outcome::Skipped, error);
  OwningOpRef<ModuleOp> bare = cloneBare(module);
  auto wanted = runReference(*bare, *inputs, Precision::Exact);
  if (!wanted)
    return fail(Outcome::Skipped,
                llvm::toString(wanted.takeError()) + ": " + error);
  error.clear();

  countRemarks(*context, coverage);
  FailureOr<std::unique_ptr<JIT>> jit = compile(*bare, settings, coverage);
  countRemarks(*context, nullptr);
  if (failed(jit))
    return fail(Outcome::Refused, error);
  auto got = runModel(**jit, *inputs, *wanted, settings.threads);
  if (!got)
    return fail(Outcome::Refused, llvm::toString(got.takeError()));
  std::vector<Array> arrays;
  for (auto [array, bytes] : llvm::zip_equal(*wanted, *got))
    arrays.push_back(
        Array::fromBytes(array.elementType, array.shape,
                         ArrayRef<char>(bytes.data(), bytes.size())));
  std::string difference = compareArrays(arrays, *wanted, outcome);
  if (!difference.empty())
    return fail(Outcome::Wrong, difference);
  if (settings.threads > 1) {
    auto again = runModel(**jit, *inputs, *wanted, 1);
    if (!again)
      return fail(Outcome::Refused, llvm::toString(again.takeError()));
    if (*again != *got)
      return fail(Outcome::Unstable, "other bits with " +
                                         Twine(settings.threads) +
                                         " threads than with one");
  }
  return outcome;
}
