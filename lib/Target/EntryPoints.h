//===-- EntryPoints.h - The C functions around the entry --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by EntryPoints.cpp and EntrySizes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_ENTRYPOINTS_H
#define FUSIONDIALECT_LIB_TARGET_ENTRYPOINTS_H

#include "Entry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace mlir::fusion {

/// What the functions return.
enum EntryStatus { Ok = 0, WrongShape = 1, OutOfMemory = 2 };

/// A tensor inside a function: its sizes are constants where they are static.
struct EntryTensor {
  llvm::Value *data = nullptr;
  SmallVector<llvm::Value *> sizes;
};

class EntryPointBuilder {
public:
  EntryPointBuilder(llvm::Function &entry, llvm::Function *shapes,
                    ArrayRef<std::string> shapeErrors,
                    const Signature &signature)
      : module(*entry.getParent()), entry(entry), shapes(shapes),
        shapeErrors(shapeErrors), signature(signature),
        builder(entry.getContext()) {
    llvm::append_range(tensors, llvm::make_pointer_range(signature.inputs));
    llvm::append_range(tensors, llvm::make_pointer_range(signature.outputs));
  }

  void addRun();
  void addWorkspaceSize();
  void addOutputShapes();
  void addShapeError();
  void addSignature();
  void addProfile();
  void addCInterface();

private:
  /// Gives `name` to the new global, whatever had it before.
  void exportAs(llvm::GlobalValue &global, const Twine &name);
  /// Starts a function of `numPointers` pointers.
  llvm::Function *createFunction(const Twine &name, llvm::Type *result,
                                 size_t numPointers);

  size_t countDynamic(ArrayRef<TensorSignature> list) const {
    return llvm::count_if(list, std::mem_fn(&TensorSignature::isDynamic));
  }
  /// The sizes of `tensor` that `dims` points to; clears `good` if a static
  /// one is another or a dynamic one is negative.
  SmallVector<llvm::Value *> loadSizes(const TensorSignature &tensor,
                                       llvm::Value *dims, llvm::Value *&good);
  /// The tensors that `arguments` pass, each of dynamic shape followed by its
  /// dims; `withData` is whether anything but dims is passed.
  SmallVector<EntryTensor> loadTensors(ArrayRef<const TensorSignature *> list,
                                       llvm::Function::arg_iterator &argument,
                                       bool withData, llvm::Value *&good);
  /// The sizes that the outputs must have and the bytes of the workspace, where
  /// they are dynamic; clears `good` if the inputs are not allowed.
  llvm::Value *callShapes(ArrayRef<EntryTensor> inputs, llvm::Value *&good);
  /// The same, with inputs of which only the dims are passed.
  llvm::Value *callShapes(llvm::Function::arg_iterator &argument,
                          llvm::Value *&good);
  /// The sizes of the outputs out of what callShapes returns.
  SmallVector<SmallVector<llvm::Value *>> getOutputSizes(llvm::Value *answers);
  llvm::Value *getWorkspaceSize(llvm::Value *answers);
  /// Continues where `good` holds, returns WrongShape where it does not.
  void returnUnless(llvm::Value *good, llvm::Constant *status);

  llvm::Value *getWorkspace(llvm::Function &run, llvm::Value *given,
                            llvm::Value *size);
  /// Whether the descriptor is of this shape and dense; sets `data`.
  llvm::Value *checkDescriptor(llvm::Value *descriptor,
                               const TensorSignature &tensor,
                               llvm::Value *&data);
  /// The sizes in a descriptor.
  llvm::Value *getDims(llvm::Value *descriptor) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), descriptor,
                                              3);
  }
  llvm::BasicBlock *createBlock(llvm::Function &function) {
    return llvm::BasicBlock::Create(module.getContext(), "", &function);
  }
  /// Ends `function` in a block of its own that returns `status`.
  llvm::BasicBlock *createExit(llvm::Function &function,
                               llvm::Constant *status) {
    llvm::BasicBlock *block = createBlock(function);
    llvm::IRBuilder<>(block).CreateRet(status);
    return block;
  }

  llvm::Module &module;
  llvm::Function &entry;
  llvm::Function *shapes;
  ArrayRef<std::string> shapeErrors;
  const Signature &signature;
  llvm::IRBuilder<> builder;
  SmallVector<const TensorSignature *> tensors;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_ENTRYPOINTS_H
