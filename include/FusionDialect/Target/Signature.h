//===-- Signature.h - What a compiled model takes and gives -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read from the entry function when a model is compiled and from
// `<name>_signature` when a library is run.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TARGET_SIGNATURE_H
#define FUSIONDIALECT_TARGET_SIGNATURE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fusion {

/// One input or output: a dense row-major array.
struct TensorSignature {
  /// The model's own name; any characters.
  std::string name;
  /// MLIR's spelling of the element type: "f32", "bf16", "i1", "index", ….
  std::string type;
  /// A size that is only known when the model runs is kDynamicSize.
  std::vector<int64_t> shape;

  /// An input that the model may write to: a memref of the entry.
  bool isMutable = false;

  static constexpr int64_t kDynamicSize = -1;
  /// Whether a size is dynamic: the C functions then take the sizes, too.
  bool isDynamic() const;
  /// The number of elements of a static shape.
  int64_t getNumElements() const;
  /// Bytes of one element.
  unsigned getElementBytes() const;
  /// "float", "uint16_t", …: the element type in C.
  llvm::StringRef getCType() const;
};

/// Whether tensors of this element type can cross the ABI.
bool isSupportedElementType(llvm::StringRef type);

/// A place in the entry whose time is taken (see fusion-instrument).
struct ProfileSite {
  /// The kernel's symbol; empty if it is another op.
  std::string kernel;
  /// What the kernel was made of: the op, types of its operands and result, the
  /// type it computes in, the ops of its epilogue.
  std::string op, shape, type;
  std::vector<std::string> epilogue;
  /// In the source: a name, or file:line:column.
  std::string location;
  /// Of one call; if a size is dynamic, `<name>_profile_work` has those of all
  /// calls.
  std::optional<int64_t> flops, epilogueFlops, readBytes, constantBytes,
      writtenBytes;
};

struct Signature {
  /// The version of the ABI that this project emits and understands.
  static constexpr int64_t abi = 1;

  /// The prefix of the C functions.
  std::string name;
  /// The entry function's name in the module.
  std::string entry;
  /// The version of this project that compiled the model.
  std::string version;
  /// The CPU, and "openmp" or "none".
  std::string target, threading;
  std::vector<TensorSignature> inputs, outputs;
  /// Bytes; kDynamicSize if a tensor is dynamic.
  int64_t workspaceSize = 0;
  /// The sites in the order of their numbers, if the model was compiled to be
  /// profiled: then there are `<name>_profile` and `<name>_profile_work`.
  std::optional<std::vector<ProfileSite>> profile;

  /// Whether any tensor is dynamic.
  bool isDynamic() const;

  /// The text of `<name>_signature`.
  std::string toJSON() const;
  static llvm::Expected<Signature> fromJSON(llvm::StringRef text);
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TARGET_SIGNATURE_H
