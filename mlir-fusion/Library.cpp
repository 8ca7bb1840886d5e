//===-- Library.cpp - A compiled model in this process --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature is looked for in the file's symbols, since the model's name is
// not known before; nothing of the file runs until it is found.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "FileKind.h"
#include "FusionDialect/Target/Target.h"
#include "Shapes.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fusion;

bool fusion::isLibrary(StringRef path) {
  llvm::file_magic magic;
  return !isPipeOrDevice(path) && !llvm::identify_magic(path, magic) &&
         magic == llvm::file_magic::elf_shared_object;
}

/// The models in the library: the prefixes of data `<name>_signature`. An entry
/// may have such a name, too, but is a function.
static llvm::Expected<SmallVector<std::string>> findModels(StringRef path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return llvm::createStringError("expected an ELF file");
  SmallVector<std::string> models;
  for (llvm::object::SymbolRef symbol : elf->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    auto type = symbol.getType();
    if (!type)
      return type.takeError();
    if (*type == llvm::object::SymbolRef::ST_Data &&
        name->consume_back("_signature"))
      models.push_back(name->str());
  }
  return models;
}

static llvm::Expected<std::string> chooseModel(ArrayRef<std::string> models,
                                               StringRef name) {
  if (name.empty() && models.size() == 1)
    return models.front();
  if (llvm::is_contained(models, name))
    return name.str();
  std::string found = models.empty() ? "none" : llvm::join(models, ", ");
  return llvm::createStringError(
      "expected " + (name.empty() ? "one model" : "a model '" + name + "'") +
      " that mlir-fusion compiled, got " + found);
}

llvm::Expected<Library> Library::open(StringRef path, StringRef name) {
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError(path + ": " +
                                   llvm::toString(std::move(error)));
  };
  auto models = findModels(path);
  if (!models)
    return fail(models.takeError());
  auto model = chooseModel(*models, name);
  if (!model)
    return fail(model.takeError());

  // A path with a slash is not searched for elsewhere.
  SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(llvm::createStringError(Twine("cannot load: ") + dlerror()));
  auto *text =
      static_cast<const char *>(dlsym(handle, (*model + "_signature").c_str()));
  Library library;
  library.handle = handle;
  library.function = dlsym(handle, (*model + "_run").c_str());
  library.outputShapes = dlsym(handle, (*model + "_output_shapes").c_str());
  library.shapeError = dlsym(handle, (*model + "_shape_error").c_str());
  if (!text || !library.function || !library.outputShapes ||
      !library.shapeError)
    return fail(llvm::createStringError(
        "expected " + *model + "_signature, " + *model + "_run, " + *model +
        "_output_shapes and " + *model + "_shape_error"));
  auto signature = Signature::fromJSON(text);
  if (!signature)
    return fail(signature.takeError());
  library.signature = std::move(*signature);
  return library;
}

llvm::Expected<Signature>
Library::getSignatureFor(ArrayRef<std::vector<int64_t>> inputShapes) const {
  Signature known = signature;
  if (!signature.isDynamic())
    return known;
  SmallVector<void *> arguments;
  for (auto [input, shape] : llvm::zip(known.inputs, inputShapes)) {
    if (!fitsShape(shape, input.shape))
      return llvm::createStringError("expected an input '" + input.name +
                                     "' of " + getTypeString(input));
    if (input.isDynamic())
      arguments.push_back(const_cast<int64_t *>(shape.data()));
    input.shape = shape;
  }
  size_t numInputs = arguments.size();
  for (TensorSignature &output : known.outputs)
    arguments.push_back(output.shape.data());
  llvm::Expected<int> status = callWithPointers(outputShapes, arguments);
  if (!status)
    return status.takeError();
  if (*status == 0)
    return known;
  const char *reason = nullptr;
  arguments.truncate(numInputs);
  arguments.push_back(&reason);
  status = callWithPointers(shapeError, arguments);
  if (!status)
    return status.takeError();
  std::string shapes = llvm::join(
      llvm::map_range(known.inputs,
                      [](const TensorSignature &input) {
                        return "'" + input.name + "' " + getTypeString(input);
                      }),
      ", ");
  return llvm::createStringError(Twine(reason) + "; got " + shapes);
}

llvm::Expected<int> Library::run(ArrayRef<void *> arguments,
                                 void *workspace) const {
  SmallVector<void *> all(arguments);
  all.push_back(workspace);
  return callWithPointers(function, all);
}

void *Library::lookup(const std::string &symbol) const {
  return dlsym(handle, symbol.c_str());
}
