//===-- Check.cpp - Compile, run, compare ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product's own stages and JIT against the reference, in this process.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Target/GuardedBuffer.h"
#include "FusionDialect/Target/Target.h"
#include "OpenGaps.h"
#include "Upstream.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Scalar ops that the reference may take.
static constexpr int64_t kStepLimit = 4'000'000;

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
    // As integers: beyond 2^53 neighbours are the same double.
    auto [low, high] = std::minmax(got.integer, wanted.integer);
    uint64_t distance = uint64_t(high) - uint64_t(low);
    if (distance != 0 && !(double(distance) <= bound))
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
  bound += 2 * type.unit * (std::fabs(wanted.value) + bound) + type.smallest;
  // In reach of what is not finite.
  if (std::fabs(wanted.value) + bound >= type.largest)
    return text;
  if (!(std::fabs(got.value - wanted.value) <= bound))
    os << llvm::format("got %.9g, expected %.9g +- %.3g", got.value,
                       wanted.value, bound);
  return text;
}

/// Whether so much is right that a wrong result would be, too: half of what all
/// terms make together, or both booleans.
static bool isOpen(const Number &wanted, const NumberType &type) {
  double bound = type.getBound(wanted);
  if (!type.isFloat)
    return bound == kAnything || (type.width == 1 && bound >= 1);
  double smallestNormal = type.smallest / type.unit;
  return bound > smallestNormal && 2 * bound >= wanted.magnitude;
}

std::string fuzz::compareArrays(ArrayRef<Array> got, ArrayRef<Array> wanted,
                                Outcome &outcome) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (got[i].shape != wanted[i].shape)
      return ("result " + Twine(i) + ": another shape").str();
    NumberType type(wanted[i].elementType);
    for (int64_t at = 0; at < wanted[i].size(); ++at) {
      ++outcome.compared;
      const Number &want = wanted[i].numbers[at];
      outcome.open += isOpen(want, type);
      if (type.getBound(want) == kAnything)
        continue;
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

llvm::Expected<std::vector<Array>> fuzz::runReference(ModuleOp module,
                                                      ArrayRef<Input> inputs,
                                                      Precision precision,
                                                      Sums sums) {
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk(openGaps);
  if (failed(prepareReference(*copy)))
    return llvm::createStringError("reference: upstream's passes failed");
  std::vector<Array> arguments;
  for (const Input &input : inputs)
    arguments.push_back(Array::fromBytes(
        input.elementType, input.shape,
        ArrayRef<char>(input.bytes.data(), input.bytes.size())));
  Evaluator evaluator(*copy, precision, kStepLimit, sums);
  return evaluator.call(copy->lookupSymbol<func::FuncOp>("main"),
                        std::move(arguments));
}

static void setThreads(unsigned threads) {
  if (void *function = dlsym(RTLD_DEFAULT, "omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(function)(int(threads));
}

/// The bytes of each result.
static llvm::Expected<std::vector<std::string>>
runModel(const JIT &jit, ArrayRef<Input> inputs, ArrayRef<Array> wanted,
         unsigned threads, GuardedBuffer::Side side) {
  setThreads(threads);
  const Signature &own = jit.getSignature();
  Signature known = own;
  SmallVector<const char *> bytes;
  for (auto [tensor, input] : llvm::zip_equal(known.inputs, inputs)) {
    tensor.shape.assign(input.shape.begin(), input.shape.end());
    bytes.push_back(input.bytes.data());
  }
  for (auto [tensor, array] : llvm::zip_equal(known.outputs, wanted))
    tensor.shape.assign(array.shape.begin(), array.shape.end());
  llvm::Expected<void *> workspaceSize =
      jit.lookup(own.name + "_workspace_size");
  if (!workspaceSize)
    return workspaceSize.takeError();
  llvm::Expected<GuardedCall> call =
      GuardedCall::create(own, known, bytes, *workspaceSize, side);
  if (!call)
    return call.takeError();
  llvm::Expected<int> status =
      jit.run(call->getArguments(), call->getWorkspace());
  if (!status)
    return status.takeError();
  if (*status != 0)
    return llvm::createStringError("the model returned " + Twine(*status));
  if (llvm::Error outside = call->check(bytes))
    return std::move(outside);
  std::vector<std::string> results;
  for (const GuardedBuffer &output : call->getOutputs())
    results.emplace_back(output.getData(), output.getSize());
  return results;
}

/// Whether there are sums of f16 or bf16, and each is kept in f32 and rounded
/// once, as roots keep theirs (rule widen-sums). Asked after fusion-fuse.
static bool areSumsWide(ModuleOp module) {
  bool isSomeWide = false, isSomeNarrow = false;
  auto isNarrow = [](Type type) {
    return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type));
  };
  module.walk([&](Operation *op) {
    if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
      auto pool = dyn_cast<PoolOp>(op);
      bool isSum = !pool || pool.getKind() == PoolKind::Sum ||
                   pool.getKind() == PoolKind::Average;
      bool isNarrowSum = isSum && isNarrow(root.getAccumulatorType());
      isSomeNarrow |= isNarrowSum;
      isSomeWide |=
          isSum && !isNarrowSum && isNarrow(op->getOperand(0).getType());
      return;
    }
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if (isa<linalg::SoftmaxOp>(op) || (loops && loops.getNumReductionLoops()))
      isSomeNarrow |= llvm::any_of(op->getResultTypes(), isNarrow);
  });
  return isSomeWide && !isSomeNarrow;
}

/// The stages up to `last`.
static LogicalResult runStages(ModuleOp module, const Settings &settings,
                               Coverage *coverage,
                               StringRef last = "fusion-lower",
                               bool *sumsAreWide = nullptr) {
  CompilePipelineOptions options;
  options.target = settings.target;
  options.fpAccuracy = *symbolizeFPAccuracy(settings.accuracy);
  options.disable = ArrayRef<std::string>(settings.disable);
  options.checkBounds = settings.checkBounds;
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
    if (sumsAreWide && stage == "fusion-fuse")
      *sumsAreWide = areSumsWide(module);
    if (coverage && stage == "fusion-outline")
      countKernels(module, settings.target, *coverage);
    if (coverage && stage == "fusion-vectorize")
      countCode(module, *coverage);
    if (stage == last)
      break;
  }
  return success();
}

static FailureOr<std::unique_ptr<JIT>> compile(ModuleOp module,
                                               const Settings &settings,
                                               Coverage *coverage,
                                               bool &sumsAreWide) {
  if (failed(
          runStages(module, settings, coverage, "fusion-lower", &sumsAreWide)))
    return failure();
  EmitOptions emit;
  emit.target = settings.target;
  emit.jobs = 1;
  emit.hugePages = EmitSwitches(settings.disable).hugePages;
  return createJIT(module, emit);
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

OwningOpRef<ModuleOp> fuzz::cloneBare(ModuleOp module) {
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

Outcome fuzz::explore(ModuleOp module, const Settings &settings,
                      Coverage &coverage) {
  MLIRContext *context = module.getContext();
  Outcome outcome;
  auto handler = catchErrors(context, outcome.text, &coverage);
  OwningOpRef<ModuleOp> bare = cloneBare(module);
  countRemarks(*context, &coverage);
  if (failed(verify(*bare)))
    outcome.kind = Outcome::Skipped;
  else if (failed(runStages(*bare, settings, &coverage, "fusion-outline")))
    outcome.kind = Outcome::Refused;
  countRemarks(*context, nullptr);
  return outcome;
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
  if (settings.upstream) {
    // Where they have no form, there is nothing to compare with.
    auto plain = runUpstream(*bare, *inputs);
    if (!plain) {
      std::string why = llvm::toString(plain.takeError());
      if (coverage)
        ++(*coverage)["upstream has no form: " + (error.empty() ? why : error)];
    } else {
      if (coverage)
        ++(*coverage)["upstream compared"];
      Outcome ignored;
      std::string difference = compareArrays(*plain, *wanted, ignored);
      outcome.crossChecked = ignored.compared;
      if (!difference.empty())
        return fail(Outcome::Disputed, difference);
    }
  }
  error.clear();
  if (auto fault = module->getAttrOfType<StringAttr>(kFaultAttr)) {
    WalkResult found = module.walk([&](Operation *op) {
      return op->getName().getIdentifier() == fault ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return fail(Outcome::Wrong, fault.getValue() + " is taken for wrong");
  }

  countRemarks(*context, coverage);
  bool sumsAreWide = false;
  OwningOpRef<ModuleOp> compiled = bare->clone();
  FailureOr<std::unique_ptr<JIT>> jit =
      compile(*compiled, settings, coverage, sumsAreWide);
  countRemarks(*context, nullptr);
  if (failed(jit))
    return fail(Outcome::Refused, error);
  auto got = runModel(**jit, *inputs, *wanted, settings.threads,
                      GuardedBuffer::Side::End);
  if (!got)
    return fail(Outcome::Refused, llvm::toString(got.takeError()));
  std::vector<Array> arrays;
  for (auto [array, bytes] : llvm::zip_equal(*wanted, *got))
    arrays.push_back(
        Array::fromBytes(array.elementType, array.shape,
                         ArrayRef<char>(bytes.data(), bytes.size())));
  // Upstream's code sums in 16 bits, ours mostly in f32: narrower bounds.
  if (sumsAreWide) {
    wanted = runReference(*bare, *inputs, Precision::Exact, Sums::Widened);
    if (!wanted)
      return fail(Outcome::Skipped, llvm::toString(wanted.takeError()));
  }
  std::string difference = compareArrays(arrays, *wanted, outcome);
  if (!difference.empty())
    return fail(Outcome::Wrong, difference);
  auto again = runModel(**jit, *inputs, *wanted, 1, GuardedBuffer::Side::Begin);
  if (!again)
    return fail(Outcome::Refused, llvm::toString(again.takeError()));
  if (*again != *got)
    return fail(Outcome::Unstable,
                "other bits with " + Twine(settings.threads) +
                    " threads than with one in another place of memory");
  return outcome;
}
