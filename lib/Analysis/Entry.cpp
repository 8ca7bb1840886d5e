//===-- Entry.cpp - The function that is compiled for callers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the entry function is chosen, its names and its dictionary.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "llvm/ADT/StringSet.h"

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

func::FuncOp fusion::getShapesFunction(func::FuncOp entry) {
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  auto name = dict ? dict.getAs<FlatSymbolRefAttr>("shapes") : nullptr;
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(entry, name)
              : func::FuncOp();
}

SmallVector<StringRef> fusion::getShapeErrors(func::FuncOp entry) {
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  auto errors = dict ? dict.getAs<ArrayAttr>("shape_errors") : nullptr;
  if (!errors)
    return {};
  return llvm::to_vector(errors.getAsValueRange<StringAttr>());
}

FailureOr<SmallVector<int64_t>>
fusion::evaluateShapes(func::FuncOp shapes, ArrayRef<int64_t> sizes) {
  DenseMap<Value, Attribute> known;
  Builder builder(shapes.getContext());
  for (auto [argument, size] : llvm::zip_equal(shapes.getArguments(), sizes))
    known[argument] = builder.getIndexAttr(size);
  for (Operation &op : shapes.front().without_terminator()) {
    auto operands = llvm::map_to_vector(
        op.getOperands(), [&](Value operand) { return known.lookup(operand); });
    // Folding may change an op in place.
    OwningOpRef<Operation *> copy = op.clone();
    SmallVector<OpFoldResult> folded;
    if (failed(copy->fold(operands, folded)) || folded.empty())
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), folded)) {
      auto same = dyn_cast<Value>(value);
      known[result] = same ? known.lookup(same) : cast<Attribute>(value);
    }
  }
  SmallVector<int64_t> results;
  for (Value operand : shapes.front().getTerminator()->getOperands()) {
    auto value = dyn_cast_or_null<IntegerAttr>(known.lookup(operand));
    if (!value)
      return failure();
    results.push_back(value.getValue().getZExtValue());
  }
  return results;
}

void fusion::updateEntry(func::FuncOp entry, ArrayRef<NamedAttribute> values) {
  NamedAttrList list(entry->getAttrOfType<DictionaryAttr>(kEntryAttrName));
  for (NamedAttribute value : values)
    list.set(value.getName(), value.getValue());
  entry->setAttr(kEntryAttrName, list.getDictionary(entry.getContext()));
}

/// The name an importer gave: the first string attribute `<dialect>.name`.
static StringRef getImportedName(DictionaryAttr attrs) {
  if (attrs)
    for (NamedAttribute attr : attrs)
      if (auto name = dyn_cast<StringAttr>(attr.getValue()))
        if (attr.getName().getValue().ends_with(".name") && !name.empty())
          return name.getValue();
  return {};
}

/// One name per value: the importer's if it is unique, else `prefix` and the
/// position.
static SmallVector<std::string>
getNames(StringRef prefix, unsigned count,
         llvm::function_ref<DictionaryAttr(unsigned)> getAttrs) {
  llvm::StringSet<> taken;
  SmallVector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    std::string name = getImportedName(getAttrs(i)).str();
    if (name.empty() || !taken.insert(name).second) {
      name = (prefix + Twine(i)).str();
      while (!taken.insert(name).second)
        name += "_";
    }
    names.push_back(std::move(name));
  }
  return names;
}

SmallVector<std::string> fusion::getInputNames(func::FuncOp entry) {
  return getNames("in", entry.getNumArguments(),
                  [&](unsigned i) { return entry.getArgAttrDict(i); });
}

SmallVector<std::string> fusion::getOutputNames(func::FuncOp entry) {
  return getNames("out", entry.getNumResults(),
                  [&](unsigned i) { return entry.getResultAttrDict(i); });
}
