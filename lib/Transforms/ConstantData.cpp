//===-- ConstantData.cpp - Bytes of constant tensors ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are resources of up to hundreds of megabytes: they are read in place
// and written once.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

/// Larger constants are resources: an attribute is hashed and copied whole.
static constexpr int64_t kMaxDenseBytes = 16 * 1024;
/// What vector loads of any width like.
static constexpr size_t kAlignment = 64;

/// Bytes of one stored element, or 0 if it is no float or integer.
static int64_t getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

static LogicalResult verifyResource(Location loc,
                                    DenseResourceElementsAttr constant) {
  StringRef key = constant.getRawHandle().getKey();
  int64_t elementBytes = getElementBytes(constant.getElementType());
  if (!elementBytes)
    return success();
  AsmResourceBlob *blob = constant.getRawHandle().getBlob();
  int64_t want = constant.getType().getNumElements() * elementBytes;
  int64_t got = blob->getData().size();
  if (got != want)
    return emitError(loc, "expected ")
           << want << " bytes in resource '" << key << "' of type "
           << constant.getType() << ", got " << got;
  if (reinterpret_cast<uintptr_t>(blob->getData().data()) % elementBytes != 0)
    return emitError(loc, "expected resource '")
           << key << "' aligned to " << elementBytes << " bytes, got alignment "
           << blob->getDataAlignment();
  return success();
}

LogicalResult fusion::verifyResources(Operation *op) {
  bool valid = true;
  SmallVector<std::pair<Location, StringRef>> missing;
  op->walk([&](Operation *constant) {
    DenseResourceElementsAttr resource;
    if (!constant->hasTrait<OpTrait::ConstantLike>() ||
        !matchPattern(constant, m_Constant(&resource)))
      return;
    if (!resource.getRawHandle().getBlob())
      missing.emplace_back(constant->getLoc(),
                           resource.getRawHandle().getKey());
    else
      valid &= succeeded(verifyResource(constant->getLoc(), resource));
  });
  if (missing.empty())
    return success(valid);
  // One error: a module that was printed without its constants lacks all.
  auto [loc, key] = missing.front();
  auto error = emitError(loc, "expected data for resource '")
               << key << "', got none";
  if (missing.size() > 1)
    error << ", nor for " << missing.size() - 1 << " more";
  return error << "; a module that is printed with --keep-constants has it";
}

void fusion::mergeEqualConstants(Operation *op) {
  llvm::DenseMap<std::pair<Block *, Attribute>, arith::ConstantOp> known;
  SmallVector<arith::ConstantOp> constants;
  op->walk([&](arith::ConstantOp constant) {
    if (isa<RankedTensorType>(constant.getType()))
      constants.push_back(constant);
  });
  for (arith::ConstantOp constant : constants) {
    auto [it, isNew] = known.try_emplace(
        {constant->getBlock(), constant.getValue()}, constant);
    if (isNew)
      continue;
    constant.replaceAllUsesWith(it->second.getResult());
    constant.erase();
  }
}

ElementsAttr fusion::getConstantTensor(Value value) {
  ElementsAttr constant;
  if (!isa<RankedTensorType>(value.getType()) ||
      !matchPattern(value, m_Constant(&constant)))
    return {};
  return constant;
}

TypedAttr fusion::getConstantElement(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  return isa<FloatAttr, IntegerAttr>(constant) ? cast<TypedAttr>(constant)
                                               : TypedAttr();
}

TypedAttr fusion::reshapeConstant(ElementsAttr constant,
                                  RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return {};
}

std::optional<ArrayRef<char>> fusion::getRawElements(ElementsAttr constant) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return blob->getData();
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant);
  if (!dense || dense.isSplat())
    return std::nullopt;
  return dense.getRawData();
}

template <typename T>
static SmallVector<double> convert(ArrayRef<char> bytes) {
  ArrayRef<T> values(reinterpret_cast<const T *>(bytes.data()),
                     bytes.size() / sizeof(T));
  return SmallVector<double>(values.begin(), values.end());
}

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

bool fusion::isFinite(Value value) {
  if (isa<IntegerType>(getElementTypeOrSelf(value)))
    return true;
  if (auto one = dyn_cast_or_null<FloatAttr>(getConstantElement(value)))
    return one.getValue().isFinite();
  ElementsAttr constant = getConstantTensor(value);
  std::optional<ArrayRef<char>> raw =
      constant ? getRawElements(constant) : std::nullopt;
  if (!raw)
    return false;
  // Those that are not have all bits of the exponent set.
  auto areFinite = [&](auto exponent) {
    using Bits = decltype(exponent);
    ArrayRef<Bits> elements(reinterpret_cast<const Bits *>(raw->data()),
                            raw->size() / sizeof(Bits));
    bool finite = true;
    for (Bits bits : elements)
      finite &= (bits & exponent) != exponent;
    return finite;
  };
  Type type = constant.getElementType();
  if (type.isF32())
    return areFinite(uint32_t(0x7f800000));
  if (type.isF64())
    return areFinite(uint64_t(0x7ff0000000000000));
  if (type.isF16())
    return areFinite(uint16_t(0x7c00));
  return type.isBF16() && areFinite(uint16_t(0x7f80));
}

std::optional<SmallVector<double>> fusion::getAsDoubles(ElementsAttr constant) {
  Type type = constant.getElementType();
  if (auto dense = dyn_cast<DenseElementsAttr>(constant);
      dense && isa<FloatType>(type)) {
    if (dense.isSplat())
      return SmallVector<double>(dense.getNumElements(),
                                 toDouble(dense.getSplatValue<APFloat>()));
    if (!type.isF32() && !type.isF64())
      return llvm::map_to_vector(dense.getValues<APFloat>(), toDouble);
  }
  std::optional<ArrayRef<char>> bytes = getRawElements(constant);
  if (bytes && type.isF32())
    return convert<float>(*bytes);
  if (bytes && type.isF64())
    return convert<double>(*bytes);
  return std::nullopt;
}

ElementsAttr
fusion::createConstant(RankedTensorType type, StringRef name,
                       function_ref<void(MutableArrayRef<char>)> fill) {
  int64_t size = type.getNumElements() * getElementBytes(type.getElementType());
  if (size <= kMaxDenseBytes) {
    SmallVector<char> bytes(size);
    fill(bytes);
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(size, kAlignment);
  fill(blob.getMutableData());
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

/// `map`'s place in a row-major tensor of `shape`: one number for index 0, then
/// one step for each dim; nothing if it is not linear.
static std::optional<SmallVector<int64_t>>
linearizeMap(AffineMap map, ArrayRef<int64_t> shape) {
  for (AffineExpr expr : map.getResults())
    if (expr.walk([](AffineExpr part) {
              return WalkResult(
                  success(part.getKind() != AffineExprKind::Mod &&
                          part.getKind() != AffineExprKind::FloorDiv &&
                          part.getKind() != AffineExprKind::CeilDiv));
            })
            .wasInterrupted())
      return std::nullopt;
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> index(map.getNumDims(), 0);
  SmallVector<int64_t> place{linearize(map.compose(index), strides)};
  for (int64_t &at : index) {
    at = 1;
    place.push_back(linearize(map.compose(index), strides) - place.front());
    at = 0;
  }
  return place;
}

ElementsAttr fusion::gatherConstant(ElementsAttr from, RankedTensorType type,
                                    StringRef name, AffineMap map) {
  if (auto splat = dyn_cast<SplatElementsAttr>(from))
    return splat.resizeSplat(type);
  std::optional<ArrayRef<char>> raw = getRawElements(from);
  int64_t bytes = getWholeBytes(type.getElementType());
  std::optional<SmallVector<int64_t>> place =
      linearizeMap(map, cast<ShapedType>(from.getType()).getShape());
  if (!raw || bytes == 0 || !place || type.getNumElements() == 0 ||
      type.getRank() == 0 ||
      static_cast<int64_t>(raw->size()) != from.getNumElements() * bytes)
    return {};
  int64_t start = place->front(), lowest = start, highest = start;
  ArrayRef<int64_t> steps = ArrayRef(*place).drop_front(),
                    shape = type.getShape();
  for (auto [step, size] : llvm::zip_equal(steps, shape))
    (step < 0 ? lowest : highest) += step * (size - 1);
  if (lowest < 0 || highest >= from.getNumElements())
    return {};
  return createConstant(type, name, [&](MutableArrayRef<char> target) {
    SmallVector<int64_t> index(shape.size(), 0);
    for (char *to = target.begin(); to != target.end();) {
      int64_t at = start + linearize(index, steps);
      for (int64_t i = 0; i < shape.back(); ++i, to += bytes)
        std::memcpy(to, raw->data() + (at + i * steps.back()) * bytes, bytes);
      for (int64_t dim = index.size() - 2;
           dim >= 0 && ++index[dim] == shape[dim]; --dim)
        index[dim] = 0;
    }
  });
}

ElementsAttr fusion::createConstant(RankedTensorType type,
                                    ArrayRef<double> values) {
  Type element = type.getElementType();
  if (element.isF32())
    return createConstant(type, "folded", [&](MutableArrayRef<char> bytes) {
      llvm::copy(values, reinterpret_cast<float *>(bytes.data()));
    });
  if (element.isF64())
    return createConstant(type, "folded", [&](MutableArrayRef<char> bytes) {
      llvm::copy(values, reinterpret_cast<double *>(bytes.data()));
    });
  auto rounded = llvm::map_to_vector(values, [&](double value) {
    APFloat result(value);
    bool losesInfo;
    result.convert(cast<FloatType>(element).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  });
  return DenseElementsAttr::get(type, rounded);
}

StringRef fusion::getResourceName(ElementsAttr constant, StringRef otherwise) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  return resource ? resource.getRawHandle().getKey() : otherwise;
}
