//===-- EntrySignature.cpp - The attribute fusion.entry as a signature ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks everything that the entry points rely on.
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fusion;

std::string mlir::fusion::getNameFromPath(StringRef path) {
  std::string name = llvm::sys::path::stem(path).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  return name;
}

FailureOr<LLVM::LLVMFuncOp> mlir::fusion::findEntry(ModuleOp module,
                                                    StringRef name) {
  LLVM::LLVMFuncOp entry;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(kEntryAttrName) ||
        (!name.empty() && function.getName() != name))
      continue;
    if (entry)
      return emitError(module.getLoc())
             << "expected one entry function, got '" << entry.getName()
             << "' and '" << function.getName() << "': name one";
    entry = function;
  }
  if (entry && !entry.isExternal())
    return entry;
  auto error = emitError(module.getLoc()) << "expected an entry function";
  if (!name.empty())
    error << " called '" << name << "'";
  return error << " in the LLVM dialect with a body and the attribute '"
               << kEntryAttrName << "'";
}

Location mlir::fusion::getReportLocation(ModuleOp module,
                                         const EmitOptions &options) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(kEntryAttrName) &&
        (options.entry.empty() || function.getName() == options.entry))
      return function.getLoc();
  return module.getLoc();
}

/// Appends the tensors of `types` and `names`, both of the entry's attribute.
static LogicalResult appendTensors(LLVM::LLVMFuncOp entry, DictionaryAttr dict,
                                   StringRef kind,
                                   std::vector<TensorSignature> &tensors) {
  auto types = dict.getAs<ArrayAttr>((kind + "s").str());
  auto names = dict.getAs<ArrayAttr>((kind + "_names").str());
  if (!types || (names && names.size() != types.size()))
    return emitError(entry.getLoc())
           << "expected a list of " << kind << " types and as many names in '"
           << kEntryAttrName << "'";
  for (auto [index, attr] : llvm::enumerate(types)) {
    auto typeAttr = dyn_cast<TypeAttr>(attr);
    auto type =
        typeAttr ? dyn_cast<ShapedType>(typeAttr.getValue()) : ShapedType();
    auto memref = dyn_cast_if_present<MemRefType>(type);
    if (!isa_and_nonnull<RankedTensorType, MemRefType>(type) ||
        (memref && !memref.getLayout().isIdentity()))
      return emitError(entry.getLoc())
             << "expected a tensor or a dense memref type for " << kind << " "
             << index << ", got " << attr;
    TensorSignature &tensor = tensors.emplace_back();
    auto name = names ? dyn_cast<StringAttr>(names[index]) : StringAttr();
    tensor.name =
        name && !name.empty() ? name.str() : (kind + Twine(index)).str();
    tensor.isMutable = memref && kind == "input";
    llvm::raw_string_ostream(tensor.type) << type.getElementType();
    for (int64_t size : type.getShape())
      tensor.shape.push_back(
          ShapedType::isDynamic(size) ? TensorSignature::kDynamicSize : size);
    if (!isSupportedElementType(tensor.type))
      return emitError(entry.getLoc())
             << "expected an element type that C has for " << kind << " "
             << index << ", got " << type.getElementType();
  }
  return success();
}

/// The arguments that unpacked descriptors take; see addEntryPoints.
static bool hasExpectedType(LLVM::LLVMFuncOp entry,
                            const Signature &signature) {
  SmallVector<size_t> ranks;
  for (const auto *tensors : {&signature.inputs, &signature.outputs})
    for (const TensorSignature &tensor : *tensors)
      ranks.push_back(tensor.shape.size());
  ranks.push_back(1); // The workspace.
  SmallVector<Type> types;
  for (size_t rank : ranks) {
    types.append(2, LLVM::LLVMPointerType::get(entry.getContext()));
    types.append(1 + 2 * rank, IntegerType::get(entry.getContext(), 64));
  }
  return entry.getArgumentTypes() == ArrayRef<Type>(types) &&
         isa<LLVM::LLVMVoidType>(entry.getFunctionType().getReturnType());
}

/// The type of the function that computes sizes; see addEntryPoints.
static Type getShapesType(MLIRContext *context, const Signature &signature) {
  auto countDynamic = [](ArrayRef<TensorSignature> tensors) {
    size_t count = 0;
    for (const TensorSignature &tensor : tensors)
      count += llvm::count(tensor.shape, TensorSignature::kDynamicSize);
    return count;
  };
  auto i64 = IntegerType::get(context, 64);
  SmallVector<Type> inputs(countDynamic(signature.inputs), i64);
  SmallVector<Type> results(countDynamic(signature.outputs) + 2, i64);
  return LLVM::LLVMFunctionType::get(
      LLVM::LLVMStructType::getLiteral(context, results), inputs);
}

LLVM::LLVMFuncOp mlir::fusion::findShapesFunction(LLVM::LLVMFuncOp entry) {
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  auto name = dict ? dict.getAs<FlatSymbolRefAttr>("shapes") : nullptr;
  return name ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(entry,
                                                                       name)
              : LLVM::LLVMFuncOp();
}

std::vector<std::string> mlir::fusion::getShapeErrors(LLVM::LLVMFuncOp entry) {
  std::vector<std::string> errors;
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  if (auto list = dict ? dict.getAs<ArrayAttr>("shape_errors") : nullptr)
    for (auto text : list.getAsRange<StringAttr>())
      errors.push_back(text.str());
  return errors;
}

/// The size of the workspace, as far as it is known.
static LogicalResult readWorkspace(LLVM::LLVMFuncOp entry, DictionaryAttr dict,
                                   Signature &signature) {
  if (signature.isDynamic()) {
    signature.workspaceSize = TensorSignature::kDynamicSize;
    Type type = getShapesType(entry.getContext(), signature);
    LLVM::LLVMFuncOp shapes = findShapesFunction(entry);
    if (shapes && !shapes.isExternal() && shapes.getFunctionType() == type)
      return success();
    return emitError(entry.getLoc())
           << "expected a function of type " << type << " as 'shapes' in '"
           << kEntryAttrName << "', since sizes are dynamic";
  }
  auto workspace = dict.getAs<IntegerAttr>("workspace_size");
  if (!workspace || !workspace.getType().isInteger(64) ||
      workspace.getInt() < 0)
    return emitError(entry.getLoc())
           << "expected a non-negative i64 'workspace_size' in '"
           << kEntryAttrName << "'";
  signature.workspaceSize = workspace.getInt();
  return success();
}

static std::optional<int64_t> getNumber(DictionaryAttr site, StringRef name) {
  auto number = site.getAs<IntegerAttr>(name);
  return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
}

static ProfileSite readSite(DictionaryAttr dict) {
  auto getText = [&](StringRef name) {
    auto text = dict.getAs<StringAttr>(name);
    return text ? text.str() : std::string();
  };
  ProfileSite site;
  site.kernel = getText("kernel");
  site.op = getText("op");
  site.shape = getText("shape");
  site.location = getText("loc");
  if (auto type = dict.getAs<TypeAttr>("type"))
    llvm::raw_string_ostream(site.type) << type.getValue();
  if (auto epilogue = dict.getAs<ArrayAttr>("epilogue"))
    for (auto name : epilogue.getAsRange<StringAttr>())
      site.epilogue.push_back(name.str());
  site.flops = getNumber(dict, "flops");
  site.epilogueFlops = getNumber(dict, "epilogue_flops");
  site.readBytes = getNumber(dict, "read_bytes");
  site.constantBytes = getNumber(dict, "constant_bytes");
  site.writtenBytes = getNumber(dict, "written_bytes");
  return site;
}

/// The sites, if fusion-instrument has left any.
static LogicalResult readProfile(LLVM::LLVMFuncOp entry, DictionaryAttr dict,
                                 Signature &signature) {
  Attribute profile = dict.get("profile");
  if (!profile)
    return success();
  auto sites = dyn_cast<ArrayAttr>(profile);
  if (!sites || !llvm::all_of(sites, llvm::IsaPred<DictionaryAttr>))
    return emitError(entry.getLoc())
           << "expected a list of dictionaries as 'profile' in '"
           << kEntryAttrName << "'";
  signature.profile.emplace();
  for (auto site : sites.getAsRange<DictionaryAttr>())
    signature.profile->push_back(readSite(site));
  return success();
}

/// The CPU, and what `text` and the module say of it otherwise, so that the
/// same code can be made again.
static std::string getTargetText(const TargetInfo &target, StringRef text) {
  std::string result = target.cpu, error;
  FailureOr<TargetInfo> known = TargetInfo::get(text.split(':').first, error);
  char separator = ':';
  for (const TargetFact &fact : getTargetFacts()) {
    int64_t value = target.*fact.member;
    if (failed(known) || value == *known.*fact.member)
      continue;
    bool inKiB = fact.unit == "bytes" && value % 1024 == 0 && value != 0;
    result += separator + fact.name.str() + "=" +
              std::to_string(inKiB ? value / 1024 : value) +
              (inKiB ? "KiB" : "");
    separator = ',';
  }
  return result;
}

FailureOr<Signature> mlir::fusion::getSignature(ModuleOp module,
                                                const EmitOptions &options) {
  if (getNameFromPath(options.name + ".so") != options.name)
    return emitError(module.getLoc())
           << "expected a C identifier as name, got '" << options.name << "'";
  if (options.threading != "openmp" && options.threading != "none")
    return emitError(module.getLoc())
           << "expected threading openmp or none, got '" << options.threading
           << "'";
  FailureOr<TargetInfo> target = TargetInfo::get(module, options.target);
  if (failed(target))
    return failure();
  FailureOr<LLVM::LLVMFuncOp> entry = findEntry(module, options.entry);
  if (failed(entry))
    return failure();

  Signature signature;
  signature.name = options.name;
  signature.entry = entry->getName().str();
  signature.version = FUSION_VERSION;
  signature.target = getTargetText(*target, options.target);
  signature.threading = options.threading;
  auto dict = (*entry)->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  if (!dict)
    return emitError(entry->getLoc())
           << "expected a dictionary as attribute '" << kEntryAttrName << "'";
  if (failed(appendTensors(*entry, dict, "input", signature.inputs)) ||
      failed(appendTensors(*entry, dict, "output", signature.outputs)) ||
      failed(readWorkspace(*entry, dict, signature)) ||
      failed(readProfile(*entry, dict, signature)))
    return failure();
  if (!hasExpectedType(*entry, signature))
    return emitError(entry->getLoc())
           << "expected unpacked descriptors of " << signature.inputs.size()
           << " inputs, " << signature.outputs.size()
           << " outputs and the workspace, got " << entry->getFunctionType();
  return signature;
}
