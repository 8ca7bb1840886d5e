//===-- Header.cpp - What a C programmer reads first ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters are input0, output0, …: a model's own names need not be C's.
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::fusion;

/// A model's name must not end the comment that it stands in.
static std::string getCommentText(llvm::StringRef name) {
  std::string text = name.str();
  for (char &c : text)
    if (!llvm::isPrint(c) || llvm::StringRef("*/\\?").contains(c))
      c = '_';
  return text;
}

static void describe(llvm::ArrayRef<TensorSignature> tensors,
                     llvm::StringRef kind, llvm::raw_ostream &os) {
  for (const auto &[index, tensor] : llvm::enumerate(tensors)) {
    os << " *   " << kind << index << ": " << getCommentText(tensor.name)
       << ", " << tensor.type << "[";
    llvm::interleaveComma(tensor.shape, os);
    os << "], " << tensor.getNumElements() << " elements\n";
  }
}

static constexpr llvm::StringLiteral beginning =
    R"(/* The compiled model {0}: {1}, threads {2}. Written by mlir-fusion {3}.
 *
 * Tensors are dense, row-major arrays of their element type; f16 and bf16 are
 * passed as uint16_t, i1 as uint8_t of 0 or 1. Outputs overlap nothing.
 * Link with {4}.
 */
#ifndef {5}_H
#define {5}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* What the functions return. */
enum {{ {0}_ok = 0, {0}_wrong_shape = 1, {0}_out_of_memory = 2 };

/* Runs the model.
)";

static constexpr llvm::StringLiteral workspace =
    R"( *   workspace: {0}_workspace_size() bytes at a multiple of 64, used by one
 *     call at a time, or NULL: one for each calling thread, freed when that
 *     thread ends or the library is unloaded.
 * May be called by several threads at once. Returns {0}_ok or
 * {0}_out_of_memory (only if workspace is NULL).
 */
)";

static constexpr llvm::StringLiteral rest = R"(/* Bytes of the workspace. */
size_t {0}_workspace_size(void);

/* Writes the dims of each output. Returns {0}_ok. */
int {0}_output_shapes({1});

/* Names, types, shapes and version, as JSON. */
extern const char {0}_signature[];

#ifdef __cplusplus
}
#endif

#endif
)";

void mlir::fusion::writeHeader(const Signature &signature,
                               llvm::raw_ostream &os) {
  bool openMP = signature.threading == "openmp";
  os << llvm::formatv(beginning.data(), signature.name, signature.target,
                      signature.threading, signature.version,
                      openMP ? "-lomp -lm" : "-lm",
                      llvm::StringRef(signature.name).upper());
  describe(signature.inputs, "input", os);
  describe(signature.outputs, "output", os);
  os << llvm::formatv(workspace.data(), signature.name);

  os << "int " << signature.name << "_run(";
  for (const auto &[index, tensor] : llvm::enumerate(signature.inputs))
    os << "const " << tensor.getCType() << " *input" << index << ", ";
  for (const auto &[index, tensor] : llvm::enumerate(signature.outputs))
    os << tensor.getCType() << " *output" << index << ", ";
  os << "void *workspace);\n\n";

  std::string shapes;
  for (const auto &[index, tensor] : llvm::enumerate(signature.outputs))
    shapes += llvm::formatv("{0}int64_t out{1}_dims[{2}]", index ? ", " : "",
                            index, std::max<size_t>(tensor.shape.size(), 1));
  if (shapes.empty())
    shapes = "void";
  os << llvm::formatv(rest.data(), signature.name, shapes);
}
