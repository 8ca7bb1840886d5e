//===-- Compile.cpp - mlir-fusion compile ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages, emits what the output's ending asks for, and reports.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Census.h"
#include "CodeSize.h"
#include "Compilation.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Report.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static bool isModuleOutput(StringRef path) {
  StringRef ending = llvm::sys::path::extension(path);
  return ending == ".mlir" || ending == ".mlirbc";
}

/// Checked before anything runs: a typing error costs no compile time.
static LogicalResult checkOutput(const CompileOptions &options) {
  StringRef ending = llvm::sys::path::extension(options.output);
  if (!llvm::is_contained({".so", ".o", ".ll", ".s", ".mlir", ".mlirbc"},
                          ending))
    return error("expected an output that ends in .so, .o, .ll, .s, .mlir or "
                 ".mlirbc, got '" +
                 options.output + "'");
  if (isModuleOutput(options.output)) {
    if (!options.header.empty())
      return error("expected --header with an output of machine code, got '" +
                   options.output + "'");
  } else if (!options.stopAfter.empty()) {
    return error("expected a .mlir or .mlirbc output with --stop-after, got '" +
                 options.output + "'");
  }
  if (options.stopAfter.empty() ||
      llvm::is_contained(getStageNames(), options.stopAfter))
    return success();
  return error("expected a stage (" + llvm::join(getStageNames(), ", ") +
               "), got '" + options.stopAfter + "'");
}

static LogicalResult writeModule(ModuleOp module, StringRef path,
                                 bool asBytecode, bool keepConstants) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return error(path + ": cannot write: " + code.message());
  if (asBytecode) {
    if (failed(writeBytecodeToFile(module, os)))
      return failure();
  } else {
    OpPrintingFlags flags;
    if (!keepConstants)
      flags.elideLargeElementsAttrs(16).elideLargeResourceString(64);
    module->print(os, flags);
    os << "\n";
  }
  os.close();
  if (!os.error())
    return success();
  code = os.error();
  os.clear_error();
  return error(path + ": cannot write: " + code.message());
}

static LogicalResult emitCode(ModuleOp module, StringRef path,
                              const EmitOptions &options) {
  StringRef ending = llvm::sys::path::extension(path);
  if (ending == ".so")
    return emitLibrary(module, path, options);
  if (ending == ".o")
    return emitObject(module, path, options);
  if (ending == ".ll")
    return emitLLVMIR(module, path, options);
  return emitAssembly(module, path, options);
}

static LogicalResult emitOutput(Compilation &compilation,
                                const CompileOptions &options) {
  ModuleOp module = compilation.getModule();
  if (isModuleOutput(options.output))
    return writeAtomically(options.output, [&](StringRef path) {
      return writeModule(module, path,
                         StringRef(options.output).ends_with(".mlirbc"),
                         options.keepConstants);
    });
  EmitOptions emitOptions = compilation.getEmitOptions(options.output);
  if (options.header.empty())
    return emitCode(module, options.output, emitOptions);
  // The header gets its place only when the code has: neither comes alone.
  return writeAtomically(options.header, [&](StringRef path) {
    if (failed(emitHeader(module, path, emitOptions)))
      return failure();
    return emitCode(module, options.output, emitOptions);
  });
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

namespace {
/// What is only known between stages.
struct Findings {
  Census before, afterFusion;
  std::optional<int64_t> workspaceBytes;
  int64_t kernels = 0, constantBytes = 0;
};
} // namespace

/// Looks at the module after `stage`; an empty name is the model as read.
static void look(const Compilation &compilation, StringRef stage,
                 Findings &findings) {
  if (stage.empty()) {
    findings.before = findings.afterFusion = takeCensus(compilation.getEntry());
  } else if (stage == "fusion-fuse") {
    findings.afterFusion = takeCensus(compilation.getEntry());
  } else if (stage == "fusion-plan") {
    findings.constantBytes = takeCensus(compilation.getEntry()).constantBytes;
  } else if (stage == "fusion-bufferize") {
    findings.workspaceBytes = compilation.getWorkspaceSize();
  } else if (stage == "fusion-outline") {
    auto kernels = compilation.getModule().getOps<ModuleOp>();
    findings.kernels = std::distance(kernels.begin(), kernels.end());
  }
}

/// Sizes of the output file and its sections.
static llvm::json::Object getSizes(StringRef path, const Findings &findings) {
  llvm::json::Object sizes;
  CodeSize size = getCodeSize(path);
  if (size.file > 0)
    sizes["file"] = size.file;
  sizes["constants"] = findings.constantBytes;
  if (findings.workspaceBytes)
    sizes["workspace"] = *findings.workspaceBytes;
  if (!size.text)
    return sizes;
  sizes["text"] = *size.text;
  sizes["rodata_without_constants"] =
      std::max<int64_t>(*size.readOnly - findings.constantBytes, 0);
  return sizes;
}

static LogicalResult writeReport(const Compilation &compilation,
                                 const Options &options,
                                 const Findings &findings) {
  llvm::json::Object seconds;
  for (const auto &[name, time] : compilation.getProgress().getSteps())
    seconds[name] = time;
  seconds["total"] = compilation.getProgress().getTotal();
  llvm::json::Object report;
  report["model"] = options.flags.model;
  report["output"] = options.compile.output;
  report["target"] = options.flags.target;
  report["threading"] = options.flags.threading;
  report["fp_accuracy"] = options.flags.fpAccuracy;
  report["disabled"] = llvm::json::Array(options.flags.disable);
  report["seconds"] = std::move(seconds);
  report["bytes"] = getSizes(options.compile.output, findings);
  report["kernels"] = findings.kernels;
  report["ops"] =
      llvm::json::Object{{"before", toJson(findings.before.ops)},
                         {"after_fusion", toJson(findings.afterFusion.ops)}};
  report["remarks"] = toJson(compilation.getRemarks().countByCode());
  return writeJson(options.compile.report, std::move(report));
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runCompile(const Options &options) {
  if (failed(checkOutput(options.compile)))
    return kBadInput;
  bool reporting = !options.compile.report.empty();
  Compilation compilation(options.flags, reporting);
  Findings findings;
  auto lookAt = [&](StringRef stage) {
    if (reporting)
      look(compilation, stage, findings);
  };
  if (failed(compilation.parse()))
    return kBadInput;
  lookAt("");
  for (StringRef stage : getStageNames()) {
    if (failed(compilation.runStage(stage)))
      return kBadInput;
    lookAt(stage);
    if (stage == options.compile.stopAfter)
      break;
  }
  if (failed(compilation.emit(
          [&] { return emitOutput(compilation, options.compile); })))
    return kBadInput;
  if (reporting && failed(writeReport(compilation, options, findings)))
    return kBadInput;
  return kSuccess;
}
