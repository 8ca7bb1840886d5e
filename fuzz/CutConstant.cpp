//===-- CutConstant.cpp - The first elements of a constant ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense or in a resource.
//
//===----------------------------------------------------------------------===//

#include "CutConstant.h"
#include "Case.h"
#include "Evaluate.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// The first elements of each dim.
static std::string cutBytes(ArrayRef<char> bytes, size_t elementSize,
                            ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  std::string cut;
  SmallVector<int64_t> position(to.size(), 0);
  do {
    int64_t at = 0;
    for (auto [index, size] : llvm::zip_equal(position, from))
      at = at * size + index;
    cut.append(bytes.data() + size_t(at) * elementSize, elementSize);
  } while (nextPosition(position, to));
  return cut;
}

TypedAttr fuzz::cutConstant(TypedAttr attr, RankedTensorType type) {
  auto from = cast<RankedTensorType>(attr.getType());
  size_t size = getElementBytes(type.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return {};
    std::string bytes =
        cutBytes(blob->getData(), size, from.getShape(), type.getShape());
    return DenseResourceElementsAttr::get(
        type, "c",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(
            ArrayRef<char>(bytes.data(), bytes.size()), 64));
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return {};
  if (dense.isSplat())
    return dense.resizeSplat(type);
  if (type.getElementType().isInteger(1))
    return {};
  std::string bytes =
      cutBytes(dense.getRawData(), size, from.getShape(), type.getShape());
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(bytes.data(), bytes.size()));
}
