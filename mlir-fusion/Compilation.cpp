//===-- Compilation.cpp - A model on its way through the stages -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage has a pass manager of its own, so that it has a time of its own.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Report.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::fusion;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerFusionDialects(registry);
  return registry;
}

Compilation::Compilation(const CompileFlags &flags, bool collectRemarks)
    : flags(flags), context(makeRegistry(), MLIRContext::Threading::DISABLED),
      sources(std::make_shared<llvm::SourceMgr>()) {
  llvm::ThreadPoolStrategy strategy = llvm::hardware_concurrency(flags.jobs);
  if (strategy.compute_thread_count() > 1) {
    threads = std::make_unique<llvm::DefaultThreadPool>(strategy);
    context.setThreadPool(*threads);
  }
  if (collectRemarks)
    remarks.attachTo(context);
  timingManager.setEnabled(flags.timing);
  timing = timingManager.getRootScope();
  diagnostics =
      std::make_unique<SourceMgrDiagnosticHandler>(*sources, &context);
}

Compilation::~Compilation() = default;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Maps bytecode as it is; text needs a zero after it. Small files are not
/// mapped but read, and the bytecode reader wants them aligned like their
/// resources.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
openModel(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/false, llvm::Align(64));
  if (!buffer || isBytecode((*buffer)->getMemBufferRef()))
    return buffer;
  return llvm::MemoryBuffer::getFile(path);
}

/// Bytes of a tensor, from its static dims; none if 64 bits do not hold them.
static std::optional<int64_t> getNumBytes(TensorType type) {
  Type element = type.getElementType();
  std::optional<int64_t> bytes =
      element.isIntOrFloat()
          ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
          : 8;
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    for (int64_t size : ranked.getShape())
      if (bytes && !ShapedType::isDynamic(size))
        bytes = llvm::checkedMul<int64_t>(*bytes, size);
  return bytes;
}

/// Sizes of everything that follows are computed without a look at overflow.
static LogicalResult checkSizes(ModuleOp module) {
  // What a process can address, and what code can reach in its own file.
  constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;
  constexpr int64_t kMaxConstantBytes = int64_t(1) << 31;
  auto check = [](Location loc, Type type, int64_t most, StringRef what) {
    auto tensor = dyn_cast<TensorType>(type);
    if (!tensor || getNumBytes(tensor).value_or(most + 1) <= most)
      return WalkResult::advance();
    emitError(loc) << "expected " << what << " of at most " << most
                   << " bytes, got " << type;
    return WalkResult::interrupt();
  };
  auto checkOp = [&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (check(argument.getLoc(), argument.getType(), kMaxTensorBytes,
                  "a tensor")
                .wasInterrupted())
          return WalkResult::interrupt();
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    for (Type type : op->getResultTypes())
      if (check(op->getLoc(), type,
                isConstant ? kMaxConstantBytes : kMaxTensorBytes,
                isConstant ? "a constant" : "a tensor")
              .wasInterrupted())
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return failure(module->walk(checkOp).wasInterrupted());
}

LogicalResult Compilation::parse() {
  Progress::Step step = progress.start("parse");
  TimingScope scope = timing.nest("parse");
  auto buffer = openModel(flags.model);
  if (!buffer)
    return error(Twine(flags.model) +
                 ": cannot read: " + buffer.getError().message());
  if (!isBytecode((*buffer)->getMemBufferRef()) &&
      (*buffer)->getBuffer().contains('\0'))
    return error(Twine(flags.model) +
                 ": expected MLIR text or bytecode, got another binary file");
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  // The module's constants keep the shared buffer alive: they are not copied.
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  return success(module && succeeded(checkSizes(*module)) &&
                 succeeded(checkEntry()));
}

LogicalResult Compilation::checkEntry() {
  if (getEntry())
    return success();
  std::string names;
  for (auto function : module.get().getOps<func::FuncOp>())
    if (function.isPublic())
      names += (names.empty() ? "" : ", ") + function.getName().str();
  std::string wanted = flags.entry.empty() ? "main or a single public function"
                                           : "a function '" + flags.entry + "'";
  return error(Twine(flags.model) + ": expected " + wanted + ", got " +
               (names.empty() ? "none" : names));
}

func::FuncOp Compilation::getEntry() const {
  return lookupEntry(*module, flags.entry);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult Compilation::runStage(StringRef stage) {
  Progress::Step step = progress.start(stage);
  TimingScope scope = timing.nest(stage);
  CompilePipelineOptions options;
  options.target = flags.target;
  options.threading = flags.threading;
  options.entry = flags.entry;
  options.fpAccuracy = *symbolizeFPAccuracy(flags.fpAccuracy);
  options.disable = ArrayRef<std::string>(flags.disable);

  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(flags.verifyEach);
  std::string problem;
  if (failed(buildStage(pm, stage, options, problem)))
    return error(problem);
  if (flags.timing)
    pm.enableTiming(scope);
  if (failed(pm.run(*module)))
    return failure();
  return flags.verifyEach ? success() : verify(*module);
}

LogicalResult Compilation::emit(llvm::function_ref<LogicalResult()> emit) {
  Progress::Step step = progress.start("emit");
  TimingScope scope = timing.nest("emit");
  return emit();
}

/// A number in the entry's dictionary.
static std::optional<int64_t> getEntryFact(func::FuncOp entry, StringRef name) {
  auto dict =
      entry ? entry->getAttrOfType<DictionaryAttr>(kEntryAttrName) : nullptr;
  auto fact = dict ? dict.getAs<IntegerAttr>(name) : nullptr;
  return fact ? std::optional<int64_t>(fact.getInt()) : std::nullopt;
}

std::optional<int64_t> Compilation::getWorkspaceSize() const {
  return getEntryFact(getEntry(), "workspace_size");
}

int64_t Compilation::getWorkspaceSlots() const {
  return getEntryFact(getEntry(), "workspace_slots").value_or(0);
}

EmitOptions Compilation::getEmitOptions(StringRef output) const {
  EmitOptions options;
  options.name = flags.name.empty() ? getNameFromPath(output) : flags.name;
  options.entry = flags.entry;
  options.target = flags.target;
  options.threading = flags.threading;
  options.jobs = flags.jobs;
  options.linkFiles = flags.linkFiles;
  options.linker = flags.linker;
  return options;
}
