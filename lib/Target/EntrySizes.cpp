//===-- EntrySizes.cpp - The C functions about sizes ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call is checked with, and the functions that tell sizes before it.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Given and computed sizes
//===----------------------------------------------------------------------===//

SmallVector<llvm::Value *>
EntryPointBuilder::loadSizes(const TensorSignature &tensor, llvm::Value *dims,
                             llvm::Value *&good) {
  SmallVector<llvm::Value *> sizes;
  for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
    bool isDynamic = size == TensorSignature::kDynamicSize;
    llvm::Value *wanted = builder.getInt64(isDynamic ? 0 : size);
    if (!dims) {
      sizes.push_back(wanted);
      continue;
    }
    llvm::Value *given = builder.CreateLoad(
        builder.getInt64Ty(),
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), dims, dim));
    good = builder.CreateAnd(
        good, builder.CreateICmp(isDynamic ? llvm::CmpInst::ICMP_SGE
                                           : llvm::CmpInst::ICMP_EQ,
                                 given, wanted));
    sizes.push_back(isDynamic ? given : wanted);
  }
  return sizes;
}

SmallVector<EntryTensor>
EntryPointBuilder::loadTensors(ArrayRef<const TensorSignature *> list,
                               llvm::Function::arg_iterator &argument,
                               bool withData, llvm::Value *&good) {
  SmallVector<EntryTensor> loaded;
  for (const TensorSignature *tensor : list) {
    EntryTensor &next = loaded.emplace_back();
    if (withData)
      next.data = &*argument++;
    llvm::Value *dims = tensor->isDynamic() ? &*argument++ : nullptr;
    next.sizes = loadSizes(*tensor, dims, good);
  }
  return loaded;
}

llvm::Value *EntryPointBuilder::callShapes(ArrayRef<EntryTensor> inputs,
                                           llvm::Value *&good) {
  if (!shapes)
    return nullptr;
  SmallVector<llvm::Value *> arguments;
  for (auto [tensor, input] : llvm::zip_equal(signature.inputs, inputs))
    for (auto [size, value] : llvm::zip_equal(tensor.shape, input.sizes))
      if (size == TensorSignature::kDynamicSize)
        arguments.push_back(value);
  llvm::Value *answers = builder.CreateCall(shapes, arguments);
  llvm::Value *isAllowed =
      builder.CreateIsNull(builder.CreateExtractValue(answers, 0));
  // What is computed of sizes that are not good may be poison.
  good = builder.CreateLogicalAnd(good, isAllowed);
  return answers;
}

llvm::Value *
EntryPointBuilder::callShapes(llvm::Function::arg_iterator &argument,
                              llvm::Value *&good) {
  ArrayRef<const TensorSignature *> inputs =
      ArrayRef(tensors).take_front(signature.inputs.size());
  return callShapes(loadTensors(inputs, argument, /*withData=*/false, good),
                    good);
}

SmallVector<SmallVector<llvm::Value *>>
EntryPointBuilder::getOutputSizes(llvm::Value *answers) {
  SmallVector<SmallVector<llvm::Value *>> all;
  unsigned next = 1;
  for (const TensorSignature &tensor : signature.outputs) {
    SmallVector<llvm::Value *> &sizes = all.emplace_back();
    for (int64_t size : tensor.shape)
      sizes.push_back(size == TensorSignature::kDynamicSize
                          ? builder.CreateExtractValue(answers, next++)
                          : builder.getInt64(size));
  }
  return all;
}

llvm::Value *EntryPointBuilder::getWorkspaceSize(llvm::Value *answers) {
  if (!answers)
    return builder.getInt64(signature.workspaceSize);
  unsigned last = shapes->getReturnType()->getStructNumElements() - 1;
  return builder.CreateExtractValue(answers, last);
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

void EntryPointBuilder::addWorkspaceSize() {
  llvm::Function *function =
      createFunction(signature.name + "_workspace_size", builder.getInt64Ty(),
                     countDynamic(signature.inputs));
  llvm::Value *good = builder.getTrue();
  auto *argument = function->arg_begin();
  llvm::Value *answers = callShapes(argument, good);
  returnUnless(good, builder.getInt64(-1));
  builder.CreateRet(getWorkspaceSize(answers));
}

void EntryPointBuilder::addOutputShapes() {
  llvm::Function *function =
      createFunction(signature.name + "_output_shapes", builder.getInt32Ty(),
                     countDynamic(signature.inputs) + signature.outputs.size());
  llvm::Value *good = builder.getTrue();
  auto *argument = function->arg_begin();
  llvm::Value *answers = callShapes(argument, good);
  returnUnless(good, builder.getInt32(WrongShape));
  for (ArrayRef<llvm::Value *> sizes : getOutputSizes(answers)) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      builder.CreateStore(size, builder.CreateConstInBoundsGEP1_64(
                                    builder.getInt64Ty(), &*argument, dim));
    ++argument;
  }
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addShapeError() {
  llvm::Function *function =
      createFunction(signature.name + "_shape_error", builder.getInt32Ty(),
                     countDynamic(signature.inputs) + 1);
  llvm::Value *result = function->getArg(function->arg_size() - 1);
  // Static sizes that differ and negative ones are not the model's affair.
  builder.CreateStore(builder.CreateGlobalString(
                          "expected the signature's sizes, and none below 0"),
                      result);
  llvm::Value *fits = builder.getTrue();
  auto *argument = function->arg_begin();
  SmallVector<EntryTensor> given =
      loadTensors(ArrayRef(tensors).take_front(signature.inputs.size()),
                  argument, /*withData=*/false, fits);
  returnUnless(fits, builder.getInt32(WrongShape));
  SmallVector<llvm::Constant *> texts = {
      llvm::ConstantPointerNull::get(builder.getPtrTy())};
  for (const std::string &text : shapeErrors)
    texts.push_back(builder.CreateGlobalString(text));
  auto *type = llvm::ArrayType::get(builder.getPtrTy(), texts.size());
  auto *table = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantArray::get(type, texts), "");
  llvm::Value *good = builder.getTrue();
  llvm::Value *answers = callShapes(given, good);
  llvm::Value *number =
      answers ? builder.CreateExtractValue(answers, 0) : builder.getInt64(0);
  llvm::Value *text = builder.CreateLoad(
      builder.getPtrTy(),
      builder.CreateInBoundsGEP(type, table, {builder.getInt64(0), number}));
  builder.CreateStore(text, result);
  returnUnless(good, builder.getInt32(WrongShape));
  builder.CreateRet(builder.getInt32(Ok));
}
