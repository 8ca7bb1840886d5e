//===-- Case.cpp - A graph and how it is run ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the attributes that make a module a test.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Evaluate.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Values.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

static constexpr StringLiteral kTargetAttr = "fuzz.target",
                               kThreadsAttr = "fuzz.threads",
                               kAccuracyAttr = "fuzz.accuracy",
                               kDisableAttr = "fuzz.disable",
                               kCheckBoundsAttr = "fuzz.check_bounds",
                               kUpstreamAttr = "fuzz.upstream";

static bool isNegative(int64_t size) { return size < 0; }

std::unique_ptr<MLIRContext> fuzz::makeContext() {
  DialectRegistry registry;
  registerFusionDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects();
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

/// The array that argument `index` describes, or what is wrong with it.
static llvm::Expected<Input> makeInput(func::FuncOp function, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  Type element = type ? type.getElementType() : Type();
  if (!element || !element.isIntOrIndexOrFloat() ||
      (!element.isIndex() && element.getIntOrFloatBitWidth() > 64))
    return llvm::createStringError(
        "expected a ranked tensor of numbers of at most 64 bits");
  Attribute seed = function.getArgAttr(index, kSeedAttr);
  Attribute values = function.getArgAttr(index, kValuesAttr);
  Attribute shape = function.getArgAttr(index, kShapeAttr);
  Builder b(function.getContext());
  auto number = dyn_cast<IntegerAttr>(seed ? seed : b.getIndexAttr(index));
  if (!number ||
      !(number.getType().isSignlessInteger(64) || number.getType().isIndex()))
    return llvm::createStringError("expected an i64 as " + kSeedAttr);
  auto name = dyn_cast<StringAttr>(
      values ? values : b.getStringAttr(stringifyValueKind(ValueKind::Normal)));
  std::optional<ValueKind> kind =
      name ? symbolizeValueKind(name) : std::nullopt;
  if (!kind)
    return llvm::createStringError("expected one of " +
                                   llvm::join(getValueKindNames(), ", ") +
                                   " as " + kValuesAttr);
  if (!shape && type.hasStaticShape())
    shape = b.getDenseI64ArrayAttr(type.getShape());
  auto sizes = dyn_cast_if_present<DenseI64ArrayAttr>(shape);
  if (!sizes || llvm::any_of(sizes.asArrayRef(), isNegative) ||
      failed(verifyCompatibleShape(sizes.asArrayRef(), type.getShape())))
    return llvm::createStringError("expected a shape of its type as " +
                                   kShapeAttr);
  Input input{element, SmallVector<int64_t>(sizes.asArrayRef()), {}};
  input.bytes = makeBytes(element, ShapedType::getNumElements(input.shape),
                          *kind, uint64_t(number.getInt()));
  return input;
}

FailureOr<std::vector<Input>> fuzz::makeInputs(func::FuncOp function) {
  std::vector<Input> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    llvm::Expected<Input> input = makeInput(function, i);
    if (!input) {
      function.emitError("argument ")
          << i << ": " << llvm::toString(input.takeError());
      return failure();
    }
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

/// Another CPU's caches and ports, for which tiles and orders are others.
static std::string pickFacts(Random &random) {
  std::string facts;
  auto add = [&](StringRef name, int64_t value) {
    facts +=
        (facts.empty() ? ":" : ",") + name.str() + "=" + std::to_string(value);
  };
  if (random.chance(40))
    add("l1", random.pick<int64_t>({4096, 32768}));
  if (random.chance(70))
    add("l2", random.pick<int64_t>({4096, 16384, 1 << 20}));
  if (random.chance(50))
    add("fma-ports", random.pick<int64_t>({1, 2}));
  if (random.chance(30))
    add("fma-latency", random.pick<int64_t>({2, 4, 8}));
  if (random.chance(20))
    add("memory-latency", random.pick<int64_t>({50, 1000}));
  if (random.chance(20))
    add("cores", random.pick<int64_t>({1, 16}));
  return facts;
}

Settings Settings::pick(uint64_t seed, ArrayRef<std::string> targets,
                        unsigned upstreamPercent) {
  // Not the numbers that the graph is made of.
  Random random(seed ^ 0x5eed5e771e65);
  Settings settings;
  settings.target = random.pickFrom(targets);
  if (random.chance(25))
    settings.target += pickFacts(random);
  settings.threads = unsigned(random.pick<int64_t>({1, 1, 2, 3}));
  settings.accuracy =
      random.pick({"default", "default", "default", "strict", "fast"});
  settings.checkBounds = Random(seed ^ 0xb0d5).chance(25);
  settings.upstream = random.chance(upstreamPercent);
  if (random.chance(65))
    return settings;
  SmallVector<std::string> switches = getSwitches();
  // Without it, upstream's conversion has no form for the op.
  llvm::erase(switches, "raise-tosa-transpose-conv");
  for (int64_t i = random.range(1, 4); i > 0; --i) {
    std::string name = random.pickFrom(switches);
    if (!llvm::is_contained(settings.disable, name))
      settings.disable.push_back(name);
  }
  return settings;
}

Settings Settings::read(ModuleOp module) {
  Settings settings;
  settings.upstream = module->hasAttr(kUpstreamAttr);
  if (auto target = module->getAttrOfType<StringAttr>(kTargetAttr))
    settings.target = target.str();
  if (auto threads = module->getAttrOfType<IntegerAttr>(kThreadsAttr))
    settings.threads = unsigned(threads.getInt());
  if (auto accuracy = module->getAttrOfType<StringAttr>(kAccuracyAttr))
    settings.accuracy = accuracy.str();
  if (auto disable = module->getAttrOfType<ArrayAttr>(kDisableAttr))
    for (auto name : disable.getAsRange<StringAttr>())
      settings.disable.push_back(name.str());
  settings.checkBounds = module->hasAttr(kCheckBoundsAttr);
  return settings;
}

void Settings::write(ModuleOp module) const {
  Builder b(module.getContext());
  module->setAttr(kTargetAttr, b.getStringAttr(target));
  module->setAttr(kThreadsAttr, b.getI64IntegerAttr(threads));
  module->setAttr(kAccuracyAttr, b.getStringAttr(accuracy));
  SmallVector<StringRef> names(disable.begin(), disable.end());
  module->setAttr(kDisableAttr, b.getStrArrayAttr(names));
  for (auto [name, isSet] : {std::pair(kCheckBoundsAttr, checkBounds),
                             std::pair(kUpstreamAttr, upstream)}) {
    if (isSet)
      module->setAttr(name, b.getUnitAttr());
    else
      module->removeAttr(name);
  }
}

StringRef fuzz::stringifyOutcome(Outcome::Kind kind) {
  static constexpr StringLiteral names[] = {"right",   "skipped",  "refused",
                                            "wrong",   "unstable", "crashed",
                                            "disputed"};
  return names[kind];
}
