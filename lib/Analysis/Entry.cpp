//===-- Entry.cpp - The function that is compiled for callers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the entry function is chosen, and its dictionary.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"

using namespace mlir;
using namespace mlir::fusion;

/// What a caller could call.
static SmallVector<func::FuncOp> getCandidates(ModuleOp module) {
  SmallVector<func::FuncOp> candidates;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  return candidates;
}

func::FuncOp fusion::lookupEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates = getCandidates(module);
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  StringRef wanted = name.empty() ? "main" : name;
  for (func::FuncOp function : candidates)
    if (function.getSymName() == wanted)
      return function;
  return {};
}

FailureOr<func::FuncOp> fusion::selectEntry(ModuleOp module, StringRef name) {
  if (func::FuncOp entry = lookupEntry(module, name))
    return entry;
  SmallVector<func::FuncOp> candidates = getCandidates(module);
  // Not on the op: a diagnostic would print it, weights and all.
  InFlightDiagnostic error = emitError(module.getLoc())
                             << "expected a public function '"
                             << (name.empty() ? "main" : name)
                             << "' with a body as entry, got ";
  if (candidates.empty())
    return error << "no public function";
  llvm::interleave(
      candidates,
      [&](func::FuncOp function) {
        error << "'" << function.getSymName() << "'";
      },
      [&] { error << ", "; });
  return error;
}

FailureOr<func::FuncOp> fusion::getRecordedEntry(ModuleOp module) {
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function->getAttrOfType<DictionaryAttr>(kEntryAttrName))
      return function;
  return emitError(module.getLoc())
         << "expected a function with the attribute " << kEntryAttrName
         << " (see fusion-record-entry), got none";
}

void fusion::updateEntry(func::FuncOp entry, ArrayRef<NamedAttribute> values) {
  NamedAttrList list(entry->getAttrOfType<DictionaryAttr>(kEntryAttrName));
  for (NamedAttribute value : values)
    list.set(value.getName(), value.getValue());
  entry->setAttr(kEntryAttrName, list.getDictionary(entry.getContext()));
}
