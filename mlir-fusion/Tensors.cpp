//===-- Tensors.cpp - A model's inputs and results ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are not trusted: shape and type must fit the signature.
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "Report.h"
#include <random>

using namespace mlir;
using namespace mlir::fusion;

/// Gives `array` the signature's type if its elements can stand for it. Floats
/// that are only compared with may be of f64, as references are.
static bool adaptType(NpyArray &array, StringRef wanted, bool isCompared) {
  std::optional<NpyType> type = getNpyType(wanted);
  if (!type)
    return false;
  // numpy has no bf16, and MLIR's plain integers have no sign.
  bool sameBits = array.type == *type ||
                  array.type.getDescr() == type->getDescr() ||
                  (wanted.starts_with("i") && type->kind == 'i' &&
                   array.type.kind == 'u' && array.type.size == type->size);
  if (sameBits && type->kind == 'B')
    array.type = *type;
  return sameBits || (isCompared && type->isFloat() &&
                      array.type == NpyType{/*kind=*/'f', /*size=*/8});
}

static FailureOr<NpyArray> readArray(StringRef path, StringRef role,
                                     size_t index,
                                     const TensorSignature &wanted,
                                     bool isCompared) {
  llvm::Expected<NpyArray> array = readNpy(path);
  if (!array)
    return error(llvm::toString(array.takeError()));
  if (adaptType(*array, wanted.type, isCompared) &&
      fitsShape(array->shape, wanted.shape))
    return std::move(*array);
  return error("expected " + role + " " + Twine(index) + " '" + wanted.name +
               "' of " + getTypeString(wanted) + ", got " +
               array->getTypeString() + " in " + path);
}

FailureOr<SmallVector<NpyArray>>
fusion::readArrays(ArrayRef<std::string> paths, StringRef role,
                   ArrayRef<TensorSignature> wanted, bool isCompared) {
  if (paths.size() != wanted.size())
    return error("expected " + Twine(wanted.size()) + " " + role + "(s), got " +
                 Twine(paths.size()));
  SmallVector<NpyArray> arrays;
  for (auto [index, path] : llvm::enumerate(paths)) {
    FailureOr<NpyArray> array =
        readArray(path, role, index, wanted[index], isCompared);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

static FailureOr<NpyArray> makeArray(const TensorSignature &tensor) {
  std::optional<NpyType> type = getNpyType(tensor.type);
  if (!type)
    return error("expected '" + tensor.name +
                 "' of a type that numpy has, got " + tensor.type);
  if (!countBytes(*type, tensor.shape))
    return error("expected a shape of '" + tensor.name +
                 "' that a machine has memory for, got " +
                 getTypeString(tensor));
  return NpyArray::create(*type, tensor.shape);
}

FailureOr<SmallVector<NpyArray>>
fusion::makeArrays(ArrayRef<TensorSignature> tensors) {
  SmallVector<NpyArray> arrays;
  for (const TensorSignature &tensor : tensors) {
    FailureOr<NpyArray> array = makeArray(tensor);
    if (failed(array))
      return failure();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

/// Floats in [-1, 1], integers 0 or 1: valid as indices nearly anywhere.
static void fillRandomly(NpyArray &array, std::mt19937 &generator) {
  std::uniform_real_distribution<double> distribution(-1, 1);
  for (int64_t i = 0, count = array.getNumElements(); i < count; ++i)
    array.setElement(i, array.type.isFloat() ? distribution(generator)
                                             : double(generator() & 1));
}

FailureOr<SmallVector<NpyArray>> fusion::getInputs(const InputOptions &options,
                                                   const Signature &signature) {
  if (!options.random) {
    if (!options.shapes.empty())
      return error("expected --shape of random inputs only");
    return readArrays(options.files, "input", signature.inputs);
  }
  if (!options.files.empty())
    return error("expected --input or --random-inputs, got both");
  FailureOr<std::vector<Shape>> shapes =
      chooseShapes(signature.inputs, options.shapes);
  if (failed(shapes))
    return failure();
  std::vector<TensorSignature> inputs = signature.inputs;
  for (auto [input, shape] : llvm::zip_equal(inputs, *shapes))
    input.shape = shape;
  FailureOr<SmallVector<NpyArray>> arrays = makeArrays(inputs);
  std::mt19937 generator(/*seed=*/1);
  if (succeeded(arrays))
    for (NpyArray &array : *arrays)
      fillRandomly(array, generator);
  return arrays;
}

FailureOr<Signature> fusion::getSignatureFor(const Library &library,
                                             ArrayRef<NpyArray> inputs) {
  std::vector<Shape> shapes;
  for (const NpyArray &input : inputs)
    shapes.emplace_back(input.shape.begin(), input.shape.end());
  llvm::Expected<Signature> known = library.getSignatureFor(shapes);
  if (!known)
    return error(llvm::toString(known.takeError()));
  return std::move(*known);
}

SmallVector<void *> fusion::getArguments(const Library &library,
                                         ArrayRef<NpyArray> inputs,
                                         ArrayRef<NpyArray> results) {
  SmallVector<void *> arguments;
  auto append = [&](ArrayRef<TensorSignature> tensors,
                    ArrayRef<NpyArray> arrays) {
    for (auto [tensor, array] : llvm::zip_equal(tensors, arrays)) {
      arguments.push_back(array.data.get());
      if (tensor.isDynamic())
        arguments.push_back(const_cast<int64_t *>(array.shape.data()));
    }
  };
  append(library.getSignature().inputs, inputs);
  append(library.getSignature().outputs, results);
  return arguments;
}

LogicalResult fusion::callModel(const Library &library,
                                ArrayRef<void *> arguments, void *workspace) {
  llvm::Expected<int> status = library.run(arguments, workspace);
  if (!status)
    return error(llvm::toString(status.takeError()));
  if (*status == 0)
    return success();
  return error("expected the model to return 0, got " + Twine(*status) +
               (*status == 2 ? " (out of memory)" : ""));
}
