//===-- Shapes.cpp - Sizes of dynamic inputs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shape is chosen whole: names of single dims do not survive import.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;

bool fusion::fitsShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> wanted) {
  return shape.size() == wanted.size() &&
         llvm::all_of(llvm::zip(shape, wanted), [](auto sizes) {
           auto [size, want] = sizes;
           return size == want || want == TensorSignature::kDynamicSize;
         });
}

std::string fusion::getTypeString(const TensorSignature &tensor) {
  std::string text;
  for (int64_t size : tensor.shape)
    text += size == TensorSignature::kDynamicSize ? "?x"
                                                  : std::to_string(size) + "x";
  return text + tensor.type;
}

/// Reads "D,D,…"; nothing for a scalar.
static std::optional<Shape> parseSizes(StringRef text) {
  Shape shape;
  SmallVector<StringRef> words;
  text.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/true);
  if (text.empty())
    words.clear();
  for (StringRef word : words) {
    uint32_t size;
    if (word.getAsInteger(10, size))
      return {};
    shape.push_back(size);
  }
  return shape;
}

FailureOr<std::vector<Shape>>
fusion::chooseShapes(ArrayRef<TensorSignature> inputs,
                     ArrayRef<std::string> given) {
  std::vector<Shape> shapes;
  for (const TensorSignature &input : inputs)
    shapes.push_back(input.shape);
  for (StringRef text : given) {
    auto [name, sizes] = text.rsplit('=');
    std::optional<Shape> shape = parseSizes(sizes);
    if (!text.contains('=') || !shape)
      return error("expected --shape INPUT=D,D,…, got '" + text + "'");
    const auto *input =
        llvm::find_if(inputs, [name = name](const TensorSignature &candidate) {
          return candidate.name == name;
        });
    if (input == inputs.end()) {
      std::string names =
          llvm::join(llvm::map_range(inputs,
                                     [](const TensorSignature &candidate) {
                                       return candidate.name;
                                     }),
                     ", ");
      return error("expected --shape of an input (" + names + "), got '" +
                   name + "'");
    }
    if (!fitsShape(*shape, input->shape))
      return error("expected --shape of '" + input->name + "' that fits " +
                   getTypeString(*input) + ", got '" + sizes + "'");
    shapes[input - inputs.begin()] = std::move(*shape);
  }
  for (auto [input, shape] : llvm::zip_equal(inputs, shapes))
    if (llvm::is_contained(shape, TensorSignature::kDynamicSize))
      return error("expected --shape " + input.name +
                   "=D,D,…, since the model's input is of " +
                   getTypeString(input));
  return shapes;
}
