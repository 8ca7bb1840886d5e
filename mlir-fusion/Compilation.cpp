//===-- Compilation.cpp - A model on its way through the stages -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage has a pass manager of its own, so that it has a time of its own.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "FileKind.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Analysis/InputChecks.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "InputText.h"
#include "ParseLimits.h"
#include "Report.h"
#include "Roots.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CrashRecoveryContext.h"
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

/// Passes and the linker's threads exist whether they have work or not, so
/// there are no more than cores.
static llvm::ThreadPoolStrategy getStrategy(const CompileFlags &flags) {
  llvm::ThreadPoolStrategy strategy = llvm::hardware_concurrency(flags.jobs);
  strategy.Limit = true;
  return strategy;
}

/// Rules that are traced speak in remarks: each is one line.
LogicalResult Compilation::printTrace(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
    return failure();
  llvm::outs() << getLocationText(diagnostic.getLocation()) << ": "
               << diagnostic.str() << "\n";
  ++numTraced;
  return success();
}

/// Of a quiet compilation.
LogicalResult Compilation::keepError(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  if (!firstError.empty())
    return success();
  std::string place = getLocationText(diagnostic.getLocation());
  firstError = (place.empty() ? "" : place + ": ") + diagnostic.str();
  return success();
}

/// Bytecode has no lines to show.
Location Compilation::getSomewhere() {
  return FileLineColLoc::get(&context, flags.model, isText, isText);
}

/// What a builder of upstream made has no place: it is somewhere in the file.
LogicalResult Compilation::placeError(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      !isa<UnknownLoc>(diagnostic.getLocation()))
    return failure();
  emitError(getSomewhere()) << diagnostic.str();
  return success();
}

Compilation::Compilation(const CompileFlags &flags, bool collectRemarks)
    : flags(flags), progress(flags.quiet),
      context(makeRegistry(), MLIRContext::Threading::DISABLED),
      sources(std::make_shared<llvm::SourceMgr>()) {
  llvm::ThreadPoolStrategy strategy = getStrategy(flags);
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
  // What no stage needs to know may stand beside; what has no lowering is an
  // error of the stage that needs one.
  context.allowUnregisteredDialects();
  // An op has a name and a place; its text may be as long as the model.
  context.printOpOnDiagnostic(false);
  if (flags.quiet)
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { return keepError(diagnostic); });
  if (!flags.traceRules.empty())
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { return printTrace(diagnostic); });
  // The last one sees what is said first.
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return placeError(diagnostic); });
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

/// CPU time that MLIR's parser has: that, and a second for each MiB.
static constexpr unsigned kParseSeconds = 10, kParseShift = 20;
/// Memory that it has: that, and as many bytes for each of the file's, which
/// elements of text need twice over.
static constexpr uint64_t kParseGigabytes = 4, kParseBytes = 64;

LogicalResult Compilation::parse() {
  Progress::Step step = progress.start("parse");
  TimingScope scope = timing.nest("parse");
  if (isPipeOrDevice(flags.model))
    return error(Twine(flags.model) +
                 ": expected a regular file, got a pipe or a device");
  auto buffer = openModel(flags.model);
  if (!buffer)
    return error(Twine(flags.model) +
                 ": cannot read: " + buffer.getError().message());
  isText = !isBytecode((*buffer)->getMemBufferRef());
  if (isText) {
    StringRef text = (*buffer)->getBuffer();
    if (text.contains('\0'))
      return error(Twine(flags.model) +
                   ": expected MLIR text or bytecode, got another binary file");
    if (failed(checkInputText(flags.model, text)))
      return failure();
  }
  unsigned seconds =
      kParseSeconds + unsigned((*buffer)->getBufferSize() >> kParseShift);
  uint64_t bytes =
      (kParseGigabytes << 30) + kParseBytes * (*buffer)->getBufferSize();
  sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
  // The module's constants keep the shared buffer alive: they are not copied.
  // Upstream's parsers trust some of what they read.
  ParseDeadline deadline(seconds,
                         Twine(flags.model) +
                             ": expected a model that MLIR's parser can "
                             "read within " +
                             Twine(seconds) + " s of CPU time");
  ParseMemory memory(bytes, Twine(flags.model) +
                                ": expected a model that MLIR's parser can "
                                "read within " +
                                Twine(bytes >> 20) + " MiB of memory");
  // Some of upstream's parsers of attributes fail without a word.
  bool hasError = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure();
  });
  llvm::CrashRecoveryContext crashes;
  if (!crashes.RunSafely([&] {
        module = parseSourceFile<ModuleOp>(
            sources, ParserConfig(&context, /*verifyAfterParse=*/false));
      })) {
    (void)error(Twine(flags.model) +
                ": expected a model that MLIR's parser can read, but it "
                "crashed");
    llvm::outs().flush();
    endParsing();
  }
  if (!module) {
    if (!hasError)
      emitError(getSomewhere())
          << "expected a model that MLIR's parser can read; it does not say "
             "what is wrong";
    if (!isText && !flags.quiet) {
      llvm::outs().flush();
      endParsing();
    }
    return failure();
  }
  if (failed(verifyNesting(*module))) {
    // To free it would recurse as deep.
    (void)module.release();
    return failure();
  }
  return success(succeeded(verify(*module)) &&
                 succeeded(verifyInput(*module)) && succeeded(checkEntry()));
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
  options.traceRules = flags.traceRules;
  options.profile = flags.profile;
  options.checkBounds = flags.checkBounds;

  PassManager pm(&context, ModuleOp::getOperationName());
  pm.enableVerifier(flags.verifyEach);
  std::string problem;
  if (failed(buildStage(pm, stage, options, problem)))
    return error(problem);
  if (flags.timing)
    pm.enableTiming(scope);
  if (failed(pm.run(*module)))
    return failure();
  // No rules run behind it.
  if (stage == "fusion-plan" && !flags.traceRules.empty() && numTraced == 0)
    llvm::errs() << "mlir-fusion: note: no rule was tried on an op of the name "
                    "or place '"
                 << flags.traceRules << "'\n";
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
  options.hugePages = flags.hugePages && EmitSwitches(flags.disable).hugePages;
  options.jobs = flags.jobs ? getStrategy(flags).compute_thread_count() : 0;
  options.linkFiles = flags.linkFiles;
  options.linker = flags.linker;
  return options;
}
