//===-- Signature.cpp - The signature as JSON and in C types --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of element types serves the JSON, the header and the entry points.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Target/Signature.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <numeric>

using namespace mlir::fusion;
using llvm::StringRef;

namespace {
struct ElementType {
  StringRef name;
  StringRef cType;
  unsigned bytes;
};
} // namespace

static constexpr ElementType elementTypes[] = {
    {"f64", "double", 8},    {"f32", "float", 4},     {"f16", "uint16_t", 2},
    {"bf16", "uint16_t", 2}, {"i1", "uint8_t", 1},    {"i8", "int8_t", 1},
    {"i16", "int16_t", 2},   {"i32", "int32_t", 4},   {"i64", "int64_t", 8},
    {"si8", "int8_t", 1},    {"si16", "int16_t", 2},  {"si32", "int32_t", 4},
    {"si64", "int64_t", 8},  {"ui8", "uint8_t", 1},   {"ui16", "uint16_t", 2},
    {"ui32", "uint32_t", 4}, {"ui64", "uint64_t", 8}, {"index", "int64_t", 8},
};

static const ElementType *findElementType(StringRef name) {
  return llvm::find_if(
      elementTypes, [&](const ElementType &type) { return type.name == name; });
}

bool mlir::fusion::isSupportedElementType(StringRef type) {
  return findElementType(type) != std::end(elementTypes);
}

bool TensorSignature::isDynamic() const {
  return llvm::is_contained(shape, kDynamicSize);
}

bool Signature::isDynamic() const {
  auto isDynamic = [](const TensorSignature &tensor) {
    return tensor.isDynamic();
  };
  return llvm::any_of(inputs, isDynamic) || llvm::any_of(outputs, isDynamic);
}

int64_t TensorSignature::getNumElements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

unsigned TensorSignature::getElementBytes() const {
  return findElementType(type)->bytes;
}

StringRef TensorSignature::getCType() const {
  return findElementType(type)->cType;
}

static void write(llvm::json::OStream &json, StringRef key,
                  llvm::ArrayRef<TensorSignature> tensors) {
  json.attributeArray(key, [&] {
    for (const TensorSignature &tensor : tensors)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(tensor.name));
        json.attribute("type", tensor.type);
        json.attribute("shape", llvm::json::Array(tensor.shape));
        if (tensor.isMutable)
          json.attribute("mutable", true);
      });
  });
}

static void write(llvm::json::OStream &json, const ProfileSite &site) {
  json.object([&] {
    json.attribute("kernel", site.kernel);
    json.attribute("op", llvm::json::fixUTF8(site.op));
    json.attribute("shape", site.shape);
    json.attribute("type", site.type);
    json.attribute("epilogue", llvm::json::Array(site.epilogue));
    json.attribute("loc", llvm::json::fixUTF8(site.location));
    json.attribute("flops", site.flops);
    json.attribute("epilogue_flops", site.epilogueFlops);
    json.attribute("read_bytes", site.readBytes);
    json.attribute("constant_bytes", site.constantBytes);
    json.attribute("written_bytes", site.writtenBytes);
  });
}

std::string Signature::toJSON() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("abi", abi);
    json.attribute("name", name);
    json.attribute("version", version);
    json.attribute("entry", llvm::json::fixUTF8(entry));
    write(json, "inputs", inputs);
    write(json, "outputs", outputs);
    json.attribute("workspace_size", workspaceSize);
    json.attribute("target", target);
    json.attribute("threading", threading);
    if (profile)
      json.attributeArray("profile", [&] {
        for (const ProfileSite &site : *profile)
          write(json, site);
      });
  });
  return text;
}

namespace mlir::fusion {
/// Found by json::ObjectMapper.
static bool fromJSON(const llvm::json::Value &value, TensorSignature &tensor,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  if (!map || !map.map("name", tensor.name) || !map.map("type", tensor.type) ||
      !map.map("shape", tensor.shape) ||
      !map.mapOptional("mutable", tensor.isMutable))
    return false;
  if (isSupportedElementType(tensor.type) &&
      llvm::all_of(tensor.shape, [](int64_t size) {
        return size >= 0 || size == TensorSignature::kDynamicSize;
      }))
    return true;
  path.report("expected a known element type and sizes of at least 0, or -1 "
              "for a dynamic one");
  return false;
}

/// Likewise.
static bool fromJSON(const llvm::json::Value &value, ProfileSite &site,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("kernel", site.kernel) && map.map("op", site.op) &&
         map.map("shape", site.shape) && map.map("type", site.type) &&
         map.map("epilogue", site.epilogue) && map.map("loc", site.location) &&
         map.map("flops", site.flops) &&
         map.map("epilogue_flops", site.epilogueFlops) &&
         map.map("read_bytes", site.readBytes) &&
         map.map("constant_bytes", site.constantBytes) &&
         map.map("written_bytes", site.writtenBytes);
}
} // namespace mlir::fusion

llvm::Expected<Signature> Signature::fromJSON(StringRef text) {
  auto value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  llvm::json::Path::Root root("signature");
  llvm::json::ObjectMapper map(*value, root);
  Signature signature;
  int64_t foundABI = 0;
  if (!map || !map.map("abi", foundABI))
    return root.getError();
  if (foundABI != abi)
    return llvm::createStringError("expected a signature of ABI " +
                                   llvm::Twine(abi) + ", got " +
                                   llvm::Twine(foundABI));
  if (!map.map("name", signature.name) ||
      !map.map("version", signature.version) ||
      !map.map("entry", signature.entry) ||
      !map.map("inputs", signature.inputs) ||
      !map.map("outputs", signature.outputs) ||
      !map.map("workspace_size", signature.workspaceSize) ||
      !map.map("target", signature.target) ||
      !map.map("threading", signature.threading) ||
      !map.map("profile", signature.profile))
    return root.getError();
  return signature;
}
