//===-- GuardedBuffer.h - Memory that ends where it ends --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For who calls a compiled model to test it: `mlir-fusion run --guard-pages`,
// the fuzzer.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TARGET_GUARDEDBUFFER_H
#define FUSIONDIALECT_TARGET_GUARDEDBUFFER_H

#include "FusionDialect/Target/Signature.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fusion {

/// Memory between pages that nobody may touch. One side abuts such a page,
/// as far as alignment allows; between the other and the next one lies a rest
/// of a page, whose bytes are set and looked at later. While there is a buffer,
/// an access to the pages around it is said on standard error, and the process
/// exits with status 1.
class GuardedBuffer {
public:
  enum class Side { Begin, End };

  /// `alignment` is a power of two, at most a page. Bytes of the buffer are
  /// 0x5a at side End, 0xff at Begin, so that what is read without having been
  /// written differs; those of the rest 0xff. In floats, 0xff is NaN.
  static llvm::Expected<GuardedBuffer> create(std::string name, size_t size,
                                              size_t alignment, Side side);
  GuardedBuffer(GuardedBuffer &&other);
  GuardedBuffer &operator=(GuardedBuffer &&) = delete;
  ~GuardedBuffer();

  char *getData() const { return data; }
  size_t getSize() const { return size; }
  /// Fails if somebody wrote into the rest of a page.
  llvm::Error checkRest() const;

private:
  GuardedBuffer() = default;

  std::string name;
  char *mapping = nullptr, *pages = nullptr, *data = nullptr;
  size_t mappingSize = 0, pagesSize = 0, size = 0;
  /// In the table of the signal handler; none of a buffer that was moved from.
  std::optional<unsigned> slot;
};

/// What a model is called with once, each tensor and the workspace in a buffer
/// of its own.
class GuardedCall {
public:
  /// `own` is the model's signature, `known` the same with all sizes; the
  /// inputs' bytes are copied. `workspaceSize` is the address of
  /// `<name>_workspace_size`.
  static llvm::Expected<GuardedCall> create(const Signature &own,
                                            const Signature &known,
                                            llvm::ArrayRef<const char *> inputs,
                                            void *workspaceSize,
                                            GuardedBuffer::Side side);

  /// As `<name>_run` takes them, without the workspace.
  llvm::SmallVector<void *> getArguments() const;
  void *getWorkspace() const { return workspace->getData(); }
  llvm::ArrayRef<GuardedBuffer> getOutputs() const { return outputs; }
  /// Fails if a rest of a page, or an input that is not mutable, is not as it
  /// was before the call.
  llvm::Error check(llvm::ArrayRef<const char *> originals) const;

private:
  Signature own, known;
  std::vector<GuardedBuffer> inputs, outputs;
  std::optional<GuardedBuffer> workspace;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TARGET_GUARDEDBUFFER_H
