//===-- Graph.cpp - Random graphs -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar's start: kinds of graphs, and which production comes next.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Case.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

Graph::Graph(MLIRContext *context, uint64_t seed)
    : random(seed),
      module(ModuleOp::create(NameLoc::get(StringAttr::get(context, kPlace)))),
      b(module->getLoc(), context) {
  b.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(b, "main", b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
}

OwningOpRef<ModuleOp> Graph::build() {
  isSpecial = random.chance(12);
  channelsLast = random.chance(50);
  type = random.chance(70)
             ? Type(b.getF32Type())
             : random.pick<Type>({b.getF16Type(), b.getBF16Type(),
                                  b.getF64Type(), b.getF32Type()});
  int64_t kind = random.range(0, 99);
  if (kind < 6)
    ends.push_back(borderProduct());
  else if (random.chance(9))
    ends.push_back(rareForm());
  if (kind < 50)
    buildImages();
  else if (kind < 68)
    buildMatrices();
  else if (kind < 80)
    buildIntegers();
  else
    buildTosa();
  finish();
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

void Graph::buildImages() {
  int64_t spatial = random.pick<int64_t>({1, 2, 2, 2, 2, 2, 2, 3});
  int64_t batch = random.chance(2) ? 0 : random.pick<int64_t>({1, 1, 1, 2, 3});
  int64_t channels = random.pick<int64_t>(
      {1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 17, 24, 32, 33, 40, 48});
  SmallVector<int64_t> shape{batch, channels};
  SmallVector<bool> dynamic{random.chance(40), random.chance(20)};
  bool dynamicSpatial = random.chance(50);
  hasDynamic = random.chance(18);
  for (int64_t i = 0; i < spatial; ++i) {
    shape.push_back(random.chance(10)  ? 1
                    : random.chance(1) ? 0
                                       : random.range(2, spatial == 1   ? 80
                                                         : spatial == 2 ? 14
                                                                        : 6));
    dynamic.push_back(dynamicSpatial);
  }
  if (channelsLast) {
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    std::rotate(dynamic.begin() + 1, dynamic.begin() + 2, dynamic.end());
  }
  if (!hasDynamic)
    dynamic.clear();
  tensors.push_back(argument(shape, type, pickKind(), dynamic));
  int64_t steps = random.range(1, 6);
  for (int64_t i = 0; i < steps && budget > 0; ++i)
    if (Tensor next = step(pickTensor()))
      tensors.push_back(next);
}

void Graph::buildMatrices() {
  int64_t rows = random.chance(3)
                     ? 0
                     : random.pick<int64_t>({1, 2, 3, 5, 8, 13, 16, 17, 33});
  int64_t columns = random.pick<int64_t>({1, 2, 3, 8, 9, 16, 31, 32, 64});
  SmallVector<int64_t> shape{rows, columns};
  if (random.chance(35))
    shape.insert(shape.begin(), random.range(1, 3));
  hasDynamic = random.chance(15);
  SmallVector<bool> dynamic(shape.size(), false);
  if (hasDynamic)
    for (size_t dim = 0; dim < shape.size(); ++dim)
      dynamic[dim] = random.chance(dim + 1 < shape.size() ? 60 : 15);
  tensors.push_back(argument(shape, type, pickKind(), dynamic));
  int64_t steps = random.range(1, 6);
  for (int64_t i = 0; i < steps && budget > 0; ++i)
    if (Tensor next = step(pickTensor()))
      tensors.push_back(next);
}

void Graph::buildIntegers() {
  type = random.pick<Type>(
      {b.getI8Type(), b.getI8Type(), b.getI8Type(), b.getI32Type()});
  if (random.chance(30))
    buildMatrices();
  else
    buildImages();
}

/// Mostly the newest, so that graphs are deep; others make diamonds.
Tensor Graph::pickTensor() {
  return random.chance(80) ? tensors.back() : random.pickFrom(tensors);
}

Tensor Graph::step(Tensor tensor) {
  bool isImage = tensor.rank() >= 3 && tensor.rank() <= 5;
  bool isFloat = isa<FloatType>(tensor.elementType());
  Layout layout{channelsLast != random.chance(4), tensor.rank()};
  int64_t channel =
      isImage && !random.chance(5) ? layout.channel() : tensor.rank() - 1;
  if (isImage && layout.numSpatial() == 2 && tensor.size() > 0 &&
      tensor.type().isDynamicDim(unsigned(layout.spatial(0))) &&
      random.chance(12))
    return wholePool(tensor, layout);
  if (random.chance(tensor.rank() == 3 ? 50 : 41)) {
    if (random.chance(3))
      tensor = castSizes(tensor);
    bool isMatrix = !isImage || tensor.size() == 0 ||
                    (tensor.rank() == 3 && random.chance(20));
    return isMatrix ? matrixRoot(tensor) : imageRoot(tensor, layout);
  }
  int64_t choice = random.range(0, 99);
  if (choice < 27)
    return elementwise(tensor, channel);
  if (choice < 37)
    return isFloat ? batchNorm(tensor, channel) : elementwise(tensor, channel);
  if (choice < 49)
    return activation(tensor);
  if (choice < 62)
    return residual(tensor);
  if (choice < 67)
    return namedElementwise(tensor);
  if (choice < 70)
    return castElements(tensor);
  if (choice < 75)
    return reshape(tensor);
  if (choice < 78)
    return randomTranspose(tensor);
  if (choice < 82)
    return concat(tensor);
  if (choice < 84)
    return slice(tensor);
  if (choice < 85)
    return insert(tensor);
  if (choice < 86)
    return reduce(tensor);
  if (choice < 87)
    return isFloat ? softmax(tensor) : reduce(tensor);
  return rareStep(tensor, layout);
}

Tensor Graph::imageRoot(Tensor tensor, Layout layout) {
  int64_t choice = random.range(0, 99);
  if (choice < 30)
    return conv(tensor, layout);
  if (choice < 42)
    return genericConv(tensor, layout);
  if (choice < 56)
    return depthwise(tensor, layout);
  if (choice < 69)
    return pool(tensor, layout);
  if (choice < 75)
    return globalPool(tensor, layout);
  if (choice < 83)
    return convTranspose(tensor, layout);
  if (choice < 91)
    return residualBlock(tensor, layout);
  return windowed(tensor);
}

Tensor Graph::matrixRoot(Tensor tensor) {
  int64_t choice = random.range(0, 99);
  if (tensor.rank() <= 3 && tensor.rank() > 0 && choice < 45)
    return matmul(tensor);
  if (choice < 75)
    return genericMatmul(tensor);
  if (choice < 83 && tensor.rank() == 2)
    return residualBlock(tensor, {channelsLast, tensor.rank()});
  return choice < 92 ? product(tensor) : windowed(tensor);
}

Tensor Graph::rareStep(Tensor tensor, Layout layout) {
  switch (random.range(0, 17)) {
  case 0:
    return branch(tensor);
  case 1:
    return loop(tensor);
  case 2:
    return call(tensor);
  case 3:
    return mask(tensor);
  case 4:
    return twoResults(tensor);
  case 5:
    return gather(tensor);
  case 6:
    return throughType(tensor);
  case 7: {
    Tensor padded = oddPad(tensor);
    bool isImage =
        padded && padded.rank() >= 3 && padded.rank() <= 5 && padded.size() > 0;
    return isImage && random.chance(70) ? imageRoot(padded, layout) : padded;
  }
  case 8:
  case 9:
    return oddReduction(tensor);
  case 10:
    return reducedSlice(tensor);
  case 11:
    return reducedInsert(tensor);
  case 12:
    return gatherSlices(tensor);
  case 13:
    return scatterSlices(tensor);
  case 14:
    return packTiles(tensor);
  case 15:
    return bitcastElements(tensor);
  case 16:
    return castSizes(tensor);
  default:
    return residual(tensor);
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void Graph::finish() {
  SmallVector<Value> results;
  for (const Tensor &tensor : ends)
    results.push_back(tensor.value);
  for (const Tensor &tensor : llvm::reverse(tensors)) {
    if (isa<BlockArgument>(tensor.value) && !results.empty())
      continue;
    bool isRead = !tensor.value.use_empty();
    // What others read is given out, too, now and then.
    if ((!isRead || random.chance(8)) &&
        !llvm::is_contained(results, tensor.value) && results.size() < 4)
      results.push_back(tensor.value);
  }
  if (results.empty())
    results.push_back(tensors.back().value);
  func::ReturnOp::create(b, results);
  function.setType(b.getFunctionType(function.front().getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  function.setAllArgAttrs(argumentAttrs);
}
