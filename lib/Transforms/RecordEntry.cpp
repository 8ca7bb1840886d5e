//===-- RecordEntry.cpp - What the model's caller sees --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-record-entry: writes the entry's signature down before
// bufferization changes it.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Transforms/Passes.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONRECORDENTRYPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// Fails on a type that no caller could pass as a buffer.
static LogicalResult verifyTypes(func::FuncOp entry, TypeRange types,
                                 StringRef what) {
  for (auto [i, type] : llvm::enumerate(types)) {
    if (isa<RankedTensorType, MemRefType>(type))
      continue;
    return emitError(entry.getLoc())
           << "expected a ranked tensor or memref as " << what << " " << i
           << " of the entry, got " << type;
  }
  return success();
}

static ArrayAttr getTypes(MLIRContext *context, TypeRange types) {
  return ArrayAttr::get(context,
                        llvm::map_to_vector(types, [](Type type) -> Attribute {
                          return TypeAttr::get(type);
                        }));
}

/// Functions defined elsewhere take descriptors of their buffers by address, as
/// MLIR's C interface has it: the plain convention cannot be written in C.
static void useCInterface(ModuleOp module) {
  auto isShaped = llvm::IsaPred<ShapedType>;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isExternal() && !function->hasAttr("llvm.bareptr") &&
        (llvm::any_of(function.getArgumentTypes(), isShaped) ||
         llvm::any_of(function.getResultTypes(), isShaped)))
      function->setAttr("llvm.emit_c_interface",
                        UnitAttr::get(module.getContext()));
}

namespace {
struct FusionRecordEntryPass final
    : fusion::impl::FusionRecordEntryPassBase<FusionRecordEntryPass> {
  using FusionRecordEntryPassBase::FusionRecordEntryPassBase;
  void runOnOperation() override {
    for (ModuleOp inner : getOperation().getOps<ModuleOp>()) {
      inner.emitError("expected a model of one module, got another inside it");
      return signalPassFailure();
    }
    FailureOr<func::FuncOp> selected = selectEntry(getOperation(), entry);
    if (failed(selected) || failed(record(*selected)))
      return signalPassFailure();
    useCInterface(getOperation());
  }

  LogicalResult record(func::FuncOp function) {
    if (function->hasAttr(kEntryAttrName))
      return success();
    TypeRange inputs = function.getArgumentTypes();
    TypeRange outputs = function.getResultTypes();
    if (failed(verifyTypes(function, inputs, "argument")) ||
        failed(verifyTypes(function, outputs, "result")))
      return failure();

    Builder builder(&getContext());
    auto getStrings = [&](ArrayRef<std::string> names) {
      return builder.getStrArrayAttr(
          SmallVector<StringRef>(names.begin(), names.end()));
    };
    updateEntry(
        function,
        {builder.getNamedAttr("inputs", getTypes(&getContext(), inputs)),
         builder.getNamedAttr("outputs", getTypes(&getContext(), outputs)),
         builder.getNamedAttr("input_names",
                              getStrings(getInputNames(function))),
         builder.getNamedAttr("output_names",
                              getStrings(getOutputNames(function)))});

    // The code generator makes the C interface, whatever the importer wished.
    function->removeAttr("llvm.emit_c_interface");
    // An input belongs to the caller.
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    for (auto [i, type] : llvm::enumerate(inputs))
      if (isa<RankedTensorType>(type))
        function.setArgAttr(i, writable, builder.getBoolAttr(false));
    return success();
  }
};
} // namespace
