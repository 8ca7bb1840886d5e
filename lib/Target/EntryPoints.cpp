//===-- EntryPoints.cpp - The C functions around the entry function -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/ABI.md says what each does; here they are written in LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<std::string>
mlir::fusion::getExportedSymbols(const Signature &signature, bool forLibrary) {
  SmallVector<std::string> symbols;
  for (StringRef suffix :
       {"_run", "_workspace_size", "_output_shapes", "_signature"})
    symbols.push_back((signature.name + suffix).str());
  if (forLibrary)
    symbols.push_back("_mlir_ciface_" + signature.entry);
  return symbols;
}

namespace {

/// What the functions return.
enum Status { Ok = 0, WrongShape = 1, OutOfMemory = 2 };

class EntryPointBuilder {
public:
  EntryPointBuilder(llvm::Function &entry, const Signature &signature)
      : module(*entry.getParent()), entry(entry), signature(signature),
        builder(entry.getContext()) {
    llvm::append_range(tensors, llvm::make_pointer_range(signature.inputs));
    llvm::append_range(tensors, llvm::make_pointer_range(signature.outputs));
  }

  void addRun();
  void addWorkspaceSize();
  void addOutputShapes();
  void addSignature();
  void addCInterface();

private:
  /// Gives `name` to the new global, whatever had it before.
  void exportAs(llvm::GlobalValue &global, const Twine &name);
  /// Starts a function of `numPointers` pointers.
  llvm::Function *createFunction(const Twine &name, llvm::Type *result,
                                 size_t numPointers);
  llvm::Value *getWorkspace(llvm::Function &run, llvm::Value *given);
  /// Whether the descriptor is of this shape and dense; sets `data`.
  llvm::Value *checkDescriptor(llvm::Value *descriptor,
                               const TensorSignature &tensor,
                               llvm::Value *&data);
  llvm::BasicBlock *createBlock(llvm::Function &function) {
    return llvm::BasicBlock::Create(module.getContext(), "", &function);
  }
  /// Ends `function` in a block of its own that returns `status`.
  llvm::BasicBlock *createExit(llvm::Function &function, Status status) {
    llvm::BasicBlock *block = createBlock(function);
    llvm::IRBuilder<>(block).CreateRet(builder.getInt32(status));
    return block;
  }

  llvm::Module &module;
  llvm::Function &entry;
  const Signature &signature;
  llvm::IRBuilder<> builder;
  SmallVector<const TensorSignature *> tensors;
};

} // namespace

/// The strides of a dense row-major array.
static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

void EntryPointBuilder::exportAs(llvm::GlobalValue &global, const Twine &name) {
  if (llvm::GlobalValue *other = module.getNamedValue(name.str()))
    other->setName(name + ".internal");
  global.setName(name);
}

llvm::Function *EntryPointBuilder::createFunction(const Twine &name,
                                                  llvm::Type *result,
                                                  size_t numPointers) {
  SmallVector<llvm::Type *> types(numPointers, builder.getPtrTy());
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                             llvm::Function::ExternalLinkage, "", module);
  exportAs(*function, name);
  builder.SetInsertPoint(createBlock(*function));
  return function;
}

llvm::Value *EntryPointBuilder::getWorkspace(llvm::Function &run,
                                             llvm::Value *given) {
  if (signature.workspaceSize == 0)
    return given;
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::BasicBlock *own = createBlock(run), *rest = createBlock(run);
  builder.CreateCondBr(builder.CreateIsNull(given), own, rest);

  builder.SetInsertPoint(own);
  llvm::FunctionCallee get = module.getOrInsertFunction(
      "fusion_thread_workspace", builder.getPtrTy(), builder.getInt64Ty());
  auto *declaration = cast<llvm::Function>(get.getCallee());
  declaration->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Value *mine =
      builder.CreateCall(get, builder.getInt64(signature.workspaceSize));
  builder.CreateCondBr(builder.CreateIsNull(mine), createExit(run, OutOfMemory),
                       rest);

  builder.SetInsertPoint(rest);
  llvm::PHINode *workspace = builder.CreatePHI(builder.getPtrTy(), 2);
  workspace->addIncoming(given, start);
  workspace->addIncoming(mine, own);
  return workspace;
}

void EntryPointBuilder::addRun() {
  llvm::Function *run = createFunction(
      signature.name + "_run", builder.getInt32Ty(), tensors.size() + 1);
  llvm::Value *workspace = getWorkspace(*run, run->getArg(tensors.size()));
  SmallVector<llvm::Value *> arguments;
  auto append = [&](llvm::Value *pointer, ArrayRef<int64_t> shape) {
    arguments.append({pointer, pointer, builder.getInt64(0)});
    for (int64_t size : shape)
      arguments.push_back(builder.getInt64(size));
    for (int64_t stride : getStrides(shape))
      arguments.push_back(builder.getInt64(stride));
  };
  for (auto [argument, tensor] : llvm::zip(run->args(), tensors))
    append(&argument, tensor->shape);
  append(workspace, signature.workspaceSize);
  builder.CreateCall(&entry, arguments);
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addWorkspaceSize() {
  createFunction(signature.name + "_workspace_size", builder.getInt64Ty(), 0);
  builder.CreateRet(builder.getInt64(signature.workspaceSize));
}

void EntryPointBuilder::addOutputShapes() {
  llvm::Function *function =
      createFunction(signature.name + "_output_shapes", builder.getInt32Ty(),
                     signature.outputs.size());
  for (auto [argument, tensor] : llvm::zip(function->args(), signature.outputs))
    for (auto [dim, size] : llvm::enumerate(tensor.shape))
      builder.CreateStore(builder.getInt64(size),
                          builder.CreateConstInBoundsGEP1_64(
                              builder.getInt64Ty(), &argument, dim));
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addSignature() {
  llvm::Constant *text = llvm::ConstantDataArray::getString(module.getContext(),
                                                            signature.toJSON());
  auto *global =
      new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, text, "");
  exportAs(*global, signature.name + "_signature");
}

llvm::Value *EntryPointBuilder::checkDescriptor(llvm::Value *descriptor,
                                                const TensorSignature &tensor,
                                                llvm::Value *&data) {
  // struct { void *allocated, *aligned; int64_t offset, sizes[], strides[]; }
  // is seen as words.
  auto getWord = [&](llvm::Type *type, size_t index) {
    return builder.CreateLoad(
        type, builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(),
                                                 descriptor, index));
  };
  llvm::Value *offset =
      builder.CreateMul(getWord(builder.getInt64Ty(), 2),
                        builder.getInt64(tensor.getElementBytes()));
  data = builder.CreateGEP(builder.getInt8Ty(), getWord(builder.getPtrTy(), 1),
                           offset);
  llvm::Value *good = builder.getTrue();
  auto expect = [&](size_t index, int64_t value) {
    good = builder.CreateAnd(
        good, builder.CreateICmpEQ(getWord(builder.getInt64Ty(), index),
                                   builder.getInt64(value)));
  };
  size_t rank = tensor.shape.size();
  for (auto [dim, stride] : llvm::enumerate(getStrides(tensor.shape))) {
    expect(3 + dim, tensor.shape[dim]);
    // Where there is nothing to step to, a stride means nothing.
    if (tensor.shape[dim] != 1 && tensor.getNumElements() != 0)
      expect(3 + rank + dim, stride);
  }
  return good;
}

void EntryPointBuilder::addCInterface() {
  // It returns run's status: a caller that declares it void, as MLIR's
  // convention has it, never sees that.
  llvm::Function *function = createFunction(
      "_mlir_ciface_" + signature.entry, builder.getInt32Ty(), tensors.size());
  SmallVector<llvm::Value *> arguments(tensors.size());
  llvm::Value *good = builder.getTrue();
  for (auto [argument, tensor, data] :
       llvm::zip(function->args(), tensors, arguments))
    good = builder.CreateAnd(good, checkDescriptor(&argument, *tensor, data));
  llvm::BasicBlock *call = createBlock(*function);
  builder.CreateCondBr(good, call, createExit(*function, WrongShape));
  builder.SetInsertPoint(call);
  arguments.push_back(llvm::ConstantPointerNull::get(builder.getPtrTy()));
  builder.CreateRet(builder.CreateCall(
      module.getFunction(signature.name + "_run"), arguments));
}

void mlir::fusion::addEntryPoints(llvm::Function &entry,
                                  const Signature &signature, bool forLibrary) {
  EntryPointBuilder builder(entry, signature);
  builder.addRun();
  builder.addWorkspaceSize();
  builder.addOutputShapes();
  builder.addSignature();
  if (forLibrary)
    builder.addCInterface();
}
