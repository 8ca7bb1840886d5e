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
    llvm::interleaveComma(tensor.shape, os, [&](int64_t size) {
      if (size == TensorSignature::kDynamicSize)
        os << "?";
      else
        os << size;
    });
    os << "]";
    if (!tensor.isDynamic())
      os << ", " << tensor.getNumElements() << " elements";
    os << "\n";
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
    R"( *   workspace: {0}_workspace_size({1}) bytes at a multiple of 64, used by one
 *     call at a time, or NULL: one for each calling thread, freed when that
 *     thread ends or the library is unloaded.
 * May be called by several threads at once. Returns {0}_ok{2} or
 * {0}_out_of_memory (only if workspace is NULL).
 */
)";

static constexpr llvm::StringLiteral dynamicSizes =
    R"( * A size ? is known when the model runs. dims points to all sizes of its
 * tensor; those of an output are what {0}_output_shapes says.
)";

static constexpr llvm::StringLiteral profile = R"(
/* For each site of "profile" in the signature: how often it was passed, and the
 * ticks of the time-stamp counter that it took. */
extern uint64_t {0}_profile[][2];
/* Likewise, if they depend on sizes known at run time: operations, those of the
 * epilogue, and bytes: read, constant ones of these, written. Else 0. */
extern uint64_t {0}_profile_work[][5];
)";

static constexpr llvm::StringLiteral rest = R"(/* Bytes of the workspace{3}. */
size_t {0}_workspace_size({2});

/* Writes the dims of each output. Returns {0}_ok{4}. */
int {0}_output_shapes({1});

/* Whether inputs of these dims are allowed; if not, *error says why, in a
   sentence that need not be freed. Returns {0}_ok{4}. */
int {0}_shape_error({5});

/* Names, types, shapes and version, as JSON. */
extern const char {0}_signature[];
{6}
#ifdef __cplusplus
}
#endif

#endif
)";

/// "const int64_t *input0_dims" for each dynamic one.
static void appendDims(llvm::ArrayRef<TensorSignature> tensors,
                       std::vector<std::string> &parameters) {
  for (const auto &[index, tensor] : llvm::enumerate(tensors))
    if (tensor.isDynamic())
      parameters.push_back(
          llvm::formatv("const int64_t *input{0}_dims", index));
}

/// "const float *input0", then its dims if it is dynamic.
static void appendTensors(llvm::ArrayRef<TensorSignature> tensors,
                          bool areInputs,
                          std::vector<std::string> &parameters) {
  llvm::StringRef kind = areInputs ? "input" : "output";
  for (const auto &[index, tensor] : llvm::enumerate(tensors)) {
    llvm::StringRef qualifier = areInputs && !tensor.isMutable ? "const " : "";
    parameters.push_back(llvm::formatv("{0}{1} *{2}{3}", qualifier,
                                       tensor.getCType(), kind, index));
    if (tensor.isDynamic())
      parameters.push_back(
          llvm::formatv("const int64_t *{0}{1}_dims", kind, index));
  }
}

static std::string joinParameters(llvm::ArrayRef<std::string> parameters) {
  return parameters.empty() ? "void" : llvm::join(parameters, ", ");
}

void mlir::fusion::writeHeader(const Signature &signature,
                               llvm::raw_ostream &os) {
  bool openMP = signature.threading == "openmp";
  bool isDynamic = signature.isDynamic();
  os << llvm::formatv(beginning.data(), signature.name, signature.target,
                      signature.threading, signature.version,
                      openMP ? "-lomp -lm" : "-lm",
                      llvm::StringRef(signature.name).upper());
  describe(signature.inputs, "input", os);
  describe(signature.outputs, "output", os);
  if (isDynamic)
    os << llvm::formatv(dynamicSizes.data(), signature.name);
  os << llvm::formatv(workspace.data(), signature.name, isDynamic ? "…" : "",
                      isDynamic ? ", " + signature.name + "_wrong_shape" : "");

  std::vector<std::string> parameters;
  appendTensors(signature.inputs, /*areInputs=*/true, parameters);
  appendTensors(signature.outputs, /*areInputs=*/false, parameters);
  parameters.push_back("void *workspace");
  os << "int " << signature.name << "_run(" << joinParameters(parameters)
     << ");\n\n";

  std::vector<std::string> dims;
  appendDims(signature.inputs, dims);
  std::vector<std::string> shapes = dims;
  std::vector<std::string> shapeError = dims;
  shapeError.push_back("const char **error");
  for (const auto &[index, tensor] : llvm::enumerate(signature.outputs))
    shapes.push_back(llvm::formatv("int64_t out{0}_dims[{1}]", index,
                                   std::max<size_t>(tensor.shape.size(), 1)));
  os << llvm::formatv(
      rest.data(), signature.name, joinParameters(shapes), joinParameters(dims),
      isDynamic
          ? " for inputs of these dims; (size_t)-1 if they are not allowed"
          : "",
      isDynamic ? " or " + signature.name + "_wrong_shape" : "",
      joinParameters(shapeError),
      signature.profile ? llvm::formatv(profile.data(), signature.name).str()
                        : "");
}
