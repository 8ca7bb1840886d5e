//===-- GuardedCall.cpp - A call on guarded buffers -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ABI promises of a call, and no more: tensors are aligned to their
// elements, the workspace to a buffer's alignment.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/MemoryPlan.h"
#include "FusionDialect/Target/GuardedBuffer.h"
#include "FusionDialect/Target/Target.h"

using namespace mlir;
using namespace mlir::fusion;

/// Pointers to the dims of those tensors of `known` that are dynamic in `own`.
static void appendDims(SmallVectorImpl<void *> &arguments,
                       const TensorSignature &own,
                       const TensorSignature &known) {
  if (own.isDynamic())
    arguments.push_back(const_cast<int64_t *>(known.shape.data()));
}

static llvm::Expected<size_t>
getWorkspaceSize(const Signature &own, const Signature &known, void *function) {
  if (own.workspaceSize != TensorSignature::kDynamicSize)
    return own.workspaceSize;
  SmallVector<void *> dims;
  for (auto [input, sized] : llvm::zip_equal(own.inputs, known.inputs))
    appendDims(dims, input, sized);
  return callForSize(function, dims);
}

llvm::Expected<GuardedCall> GuardedCall::create(const Signature &own,
                                                const Signature &known,
                                                ArrayRef<const char *> inputs,
                                                void *workspaceSize,
                                                GuardedBuffer::Side side) {
  GuardedCall call;
  call.own = own;
  call.known = known;
  auto append = [&](std::vector<GuardedBuffer> &buffers, StringRef role,
                    const TensorSignature &tensor) -> llvm::Error {
    std::string name =
        (role + " " + Twine(buffers.size()) + " '" + tensor.name + "'").str();
    size_t bytes = tensor.getElementBytes();
    llvm::Expected<GuardedBuffer> buffer = GuardedBuffer::create(
        name, size_t(tensor.getNumElements()) * bytes, bytes, side);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(std::move(*buffer));
    return llvm::Error::success();
  };
  for (auto [tensor, bytes] : llvm::zip_equal(known.inputs, inputs)) {
    if (llvm::Error error = append(call.inputs, "input", tensor))
      return error;
    const GuardedBuffer &buffer = call.inputs.back();
    if (buffer.getSize())
      memcpy(buffer.getData(), bytes, buffer.getSize());
  }
  for (const TensorSignature &tensor : known.outputs)
    if (llvm::Error error = append(call.outputs, "output", tensor))
      return error;
  llvm::Expected<size_t> size = getWorkspaceSize(own, known, workspaceSize);
  if (!size)
    return size.takeError();
  // The C function's word for it.
  if (*size == size_t(-1))
    return llvm::createStringError("expected inputs of sizes that the model "
                                   "takes, got others");
  llvm::Expected<GuardedBuffer> workspace =
      GuardedBuffer::create("the workspace", *size, kBufferAlignment, side);
  if (!workspace)
    return workspace.takeError();
  call.workspace.emplace(std::move(*workspace));
  return call;
}

SmallVector<void *> GuardedCall::getArguments() const {
  SmallVector<void *> arguments;
  auto append = [&](ArrayRef<GuardedBuffer> buffers,
                    ArrayRef<TensorSignature> tensors,
                    ArrayRef<TensorSignature> sized) {
    for (auto [buffer, tensor, known] :
         llvm::zip_equal(buffers, tensors, sized)) {
      arguments.push_back(buffer.getData());
      appendDims(arguments, tensor, known);
    }
  };
  append(inputs, own.inputs, known.inputs);
  append(outputs, own.outputs, known.outputs);
  return arguments;
}

llvm::Error GuardedCall::check(ArrayRef<const char *> originals) const {
  for (const std::vector<GuardedBuffer> *buffers : {&inputs, &outputs})
    for (const GuardedBuffer &buffer : *buffers)
      if (llvm::Error error = buffer.checkRest())
        return error;
  for (auto [tensor, buffer, original] :
       llvm::zip_equal(known.inputs, inputs, originals))
    if (!tensor.isMutable && buffer.getSize() &&
        memcmp(buffer.getData(), original, buffer.getSize()) != 0)
      return llvm::createStringError("expected no write to the input '" +
                                     tensor.name + "'");
  return workspace->checkRest();
}
