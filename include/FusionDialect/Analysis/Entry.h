//===-- Entry.h - The function that is compiled for callers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry function and what is recorded on it before its types change. Called
// by the passes from fusion-bufferize on and by the code generator.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_ENTRY_H
#define FUSIONDIALECT_ANALYSIS_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// A dictionary on the entry function: `inputs` and `outputs` (types as the
/// model states them), `input_names`, `output_names`; from fusion-plan-memory
/// on also `workspace_size` and `workspace_live` (bytes). If a size is dynamic
/// also `shapes`, from fusion-derive-shapes on: a function that takes one index
/// for each dynamic size of the inputs and returns 0 if they are allowed, else
/// the number of one of `shape_errors` (from 1 on), one index for each dynamic
/// size of the outputs and the bytes of the workspace; and `workspace_slots`.
inline constexpr StringLiteral kEntryAttrName = "fusion.entry";

/// The public function with a body that is called `name`; if `name` is empty
/// the only one, else `main`. Null if there is no such function.
func::FuncOp lookupEntry(ModuleOp module, StringRef name);

/// The same; says on `module` which functions there are if there is no such
/// one.
FailureOr<func::FuncOp> selectEntry(ModuleOp module, StringRef name);

/// Names of what a function takes and returns, one each: the importer's if it
/// is unique, else `in` or `out` and the position.
SmallVector<std::string> getInputNames(func::FuncOp entry);
SmallVector<std::string> getOutputNames(func::FuncOp entry);

/// The function that carries kEntryAttrName; says on `module` if none does.
FailureOr<func::FuncOp> getRecordedEntry(ModuleOp module);

/// The function that the entry's dictionary calls `shapes`; null if there is
/// none.
func::FuncOp getShapesFunction(func::FuncOp entry);

/// The sentences `shape_errors` of the entry's dictionary.
SmallVector<StringRef> getShapeErrors(func::FuncOp entry);

/// What a function of fusion-derive-shapes returns for these `sizes` of the
/// inputs; fails if its code does not fold.
FailureOr<SmallVector<int64_t>> evaluateShapes(func::FuncOp shapes,
                                               ArrayRef<int64_t> sizes);

/// Sets `values` in the entry's dictionary, beside what it holds.
void updateEntry(func::FuncOp entry, ArrayRef<NamedAttribute> values);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_ENTRY_H
