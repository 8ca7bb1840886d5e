//===-- Compilation.h - A model on its way through the stages ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compile, run and explain do with a model: read it, run stages, emit.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_COMPILATION_H
#define MLIR_FUSION_COMPILATION_H

#include "FusionDialect/Target/Target.h"
#include "Options.h"
#include "Progress.h"
#include "Remarks.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"

namespace llvm {
class SourceMgr;
class ThreadPoolInterface;
} // namespace llvm

namespace mlir {
class SourceMgrDiagnosticHandler;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace mlir::fusion {

class Compilation {
public:
  /// With `collectRemarks`, getRemarks() is filled by the stages.
  Compilation(const CompileFlags &flags, bool collectRemarks);
  ~Compilation();

  /// Reads and verifies the model. Bytecode is mapped, and its constants stay
  /// in the file.
  LogicalResult parse();
  /// Runs the stage and verifies what it made.
  LogicalResult runStage(StringRef stage);
  /// Runs `emit` as a step of its own.
  LogicalResult emit(llvm::function_ref<LogicalResult()> emit);

  ModuleOp getModule() const { return *module; }
  /// The entry function, in any stage; null if there is none yet.
  func::FuncOp getEntry() const;
  /// Bytes of the arena, once it is planned; without buffers of dynamic size.
  std::optional<int64_t> getWorkspaceSize() const;
  /// Places of buffers of dynamic size in the arena, once it is planned.
  int64_t getWorkspaceSlots() const;
  /// Options of the emit functions; `output` gives the default name.
  EmitOptions getEmitOptions(StringRef output) const;
  const RemarkLog &getRemarks() const { return remarks; }
  /// Drops what remarks say of ops that the latest stage left nothing of.
  void dropGoneRemarks() { remarks.dropGone(getEntry()); }
  const Progress &getProgress() const { return progress; }
  /// The first error of a quiet compilation, which is not printed.
  StringRef getError() const { return firstError; }

private:
  LogicalResult checkEntry();
  /// Prints what the rules that are traced say.
  LogicalResult printTrace(Diagnostic &diagnostic);
  LogicalResult keepError(Diagnostic &diagnostic);
  LogicalResult placeError(Diagnostic &diagnostic);
  /// The place of what has none in the file.
  Location getSomewhere();

  const CompileFlags &flags;
  Progress progress;
  /// Lines that --trace-rules gave.
  int64_t numTraced = 0;
  std::string firstError;
  RemarkLog remarks;
  DefaultTimingManager timingManager;
  TimingScope timing;
  std::unique_ptr<llvm::ThreadPoolInterface> threads;
  MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources;
  /// No bytecode.
  bool isText = true;
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnostics;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_COMPILATION_H
