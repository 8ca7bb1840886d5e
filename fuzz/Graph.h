//===-- Graph.h - A random graph in the making ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the productions of the grammar (Graph*.cpp) share. A production takes a
// tensor and gives another, or nothing where it has no form for it.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_GRAPH_H
#define FUZZ_GRAPH_H

#include "Values.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fusion::fuzz {

/// A value and the shape that it has when the graph is run; in its type, sizes
/// may be dynamic.
struct Tensor {
  Value value;
  SmallVector<int64_t> shape;

  explicit operator bool() const { return bool(value); }
  int64_t rank() const { return int64_t(shape.size()); }
  int64_t size() const;
  RankedTensorType type() const {
    return cast<RankedTensorType>(value.getType());
  }
  Type elementType() const { return type().getElementType(); }
  bool isStatic() const { return type().hasStaticShape(); }
};

/// The places of an image's dims.
struct Layout {
  bool channelsLast;
  int64_t rank;

  int64_t channel() const { return channelsLast ? rank - 1 : 1; }
  int64_t spatial(int64_t dim) const { return dim + (channelsLast ? 1 : 2); }
  int64_t numSpatial() const { return rank - 2; }
};

/// A window that fits into an image: how a convolution or a pool moves.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations, low, high;
};

class Graph {
public:
  Graph(MLIRContext *context, uint64_t seed);

  /// The whole graph; inputs are described by attributes (Case.h).
  OwningOpRef<ModuleOp> build();

private:
  //===-- Kinds of graphs (Graph.cpp) -------------------------------------===//
  void buildImages();
  void buildMatrices();
  void buildIntegers();
  void finish();
  Tensor step(Tensor tensor);
  Tensor imageRoot(Tensor tensor, Layout layout);
  Tensor matrixRoot(Tensor tensor);
  Tensor rareStep(Tensor tensor, Layout layout);
  Tensor pickTensor();

  //===-- Leaves (GraphBuilder.cpp) ---------------------------------------===//
  Tensor argument(ArrayRef<int64_t> shape, Type elementType, ValueKind kind,
                  ArrayRef<bool> dynamic = {});
  Tensor constant(ArrayRef<int64_t> shape, Type elementType, ValueKind kind);
  /// A constant, or now and then an argument.
  Tensor parameter(ArrayRef<int64_t> shape, Type elementType,
                   std::optional<ValueKind> kind = std::nullopt);
  ValueKind pickKind();
  SmallVector<bool> pickDynamic(size_t rank);
  Value scalar(Type type, double value);
  /// A size that only the shape of an argument tells.
  Value unknownSize(int64_t size);

  //===-- What types tell (GraphSizes.cpp) --------------------------------===//
  Value unknownNumber(int64_t number);
  OpFoldResult anyNumber(int64_t number);
  Tensor castSizes(Tensor tensor);
  Tensor hideSizes(Tensor tensor, ArrayRef<int64_t> hidden);
  OpFoldResult windowCount(OpFoldResult size, int64_t known, int64_t reach,
                           int64_t stride, bool isLoose, int64_t &count);

  //===-- Sizes -----------------------------------------------------------===//
  OpFoldResult dim(const Tensor &tensor, int64_t index);
  SmallVector<OpFoldResult> dims(const Tensor &tensor);
  /// (size + add) / divide + 1.
  OpFoldResult windowSize(OpFoldResult size, int64_t add, int64_t divide);
  Tensor empty(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
               Type elementType);
  Tensor filled(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                Type elementType, double value);
  /// Where a root's sums begin: zeros, something else, or a bias.
  Tensor initial(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                 Type elementType, int64_t channel);
  Tensor result(Operation *op, ArrayRef<int64_t> shape);

  //===-- Roots (GraphRoots.cpp, GraphMatmul.cpp, GraphTranspose.cpp) -----===//
  Window window(const Tensor &image, Layout layout, bool mayPad = true);
  /// The sizes of a window's result, with those of `image` in all other dims.
  SmallVector<OpFoldResult> windowSizes(const Tensor &image, Layout layout,
                                        const Window &window,
                                        SmallVectorImpl<int64_t> &shape);
  Type accumulator(Type elementType);
  Tensor pad(Tensor image, Layout layout, ArrayRef<int64_t> low,
             ArrayRef<int64_t> high, double value);
  Tensor conv(Tensor image, Layout layout);
  /// Nothing if no named op has the layout.
  Tensor convWith(Tensor image, Layout layout, const Window &window,
                  int64_t outputs);
  Tensor genericConv(Tensor image, Layout layout);
  Tensor depthwise(Tensor image, Layout layout);
  Tensor depthwiseWith(Tensor image, Layout layout, const Window &window);
  Tensor pool(Tensor image, Layout layout);
  Tensor globalPool(Tensor image, Layout layout);
  Tensor wholePool(Tensor image, Layout layout);
  Tensor convTranspose(Tensor image, Layout layout);
  Tensor cutBorder(Tensor image, Layout layout, const Window &window);
  Tensor matmul(Tensor left, std::optional<int64_t> columns = std::nullopt);
  Tensor genericMatmul(Tensor left);

  //===-- Elementwise (GraphElementwise.cpp) ------------------------------===//
  Tensor elementwise(Tensor tensor, int64_t channel);
  Tensor batchNorm(Tensor tensor, int64_t channel);
  Tensor activation(Tensor tensor);
  Tensor residual(Tensor tensor);
  Tensor addTensors(Tensor tensor, Tensor other, bool activates);
  Tensor namedElementwise(Tensor tensor);
  Tensor castElements(Tensor tensor);
  Value randomScalar(SmallVectorImpl<Value> &values, Type type);
  Value applyActivation(Value x);
  Value inType(Value value, Type type);
  /// A linalg.generic over the first; others are broadcast by their maps. If it
  /// `mayTurn`, the result's dims may be in another order, or more are static.
  Tensor map(ArrayRef<Tensor> inputs, ArrayRef<AffineMap> maps,
             Type elementType, llvm::function_ref<Value(ArrayRef<Value>)> body,
             bool mayTurn = false);

  //===-- Groups of ops (GraphBlocks.cpp) ---------------------------------===//
  Tensor sameConv(Tensor image, Layout layout);
  Tensor residualBlock(Tensor tensor, Layout layout);
  Tensor borderProduct();
  Tensor mask(Tensor tensor);
  Tensor countFlags(Tensor flags, Type elementType);
  Tensor joinFlags(Tensor flags, Type elementType);
  Tensor chooseByFlags(Tensor flags, Type elementType);
  Tensor twoResults(Tensor tensor);
  Tensor gather(Tensor tensor);
  Tensor throughType(Tensor tensor);

  //===-- Near misses (GraphNearMiss.cpp) ---------------------------------===//
  Tensor windowed(Tensor image);
  Tensor product(Tensor tensor);
  Tensor oddPad(Tensor tensor);
  /// A generic op that sums or compares; each loop is in some operand's map.
  Tensor reduction(ArrayRef<Tensor> inputs,
                   ArrayRef<SmallVector<AffineExpr>> maps,
                   ArrayRef<AffineExpr> outExprs, ArrayRef<int64_t> loopSizes,
                   ArrayRef<OpFoldResult> loopDims, ArrayRef<bool> isReduction);

  //===-- Reductions of something else (GraphReductions.cpp) --------------===//
  Tensor oddReduction(Tensor tensor);
  Value position(int64_t loop, Type type);
  Value combine(Value x, Value y);

  //===-- What random steps meet too rarely (GraphRare.cpp) ---------------===//
  Tensor rareForm();
  Tensor leaf(ArrayRef<int64_t> shape, Type elementType,
              ArrayRef<bool> dynamic = {});
  Tensor unknownChannels();
  Tensor unknownMatrix();
  Tensor rowOfMatrix();
  Tensor oddOperand();
  Tensor sharedWeights();
  Tensor tallPlane();
  Tensor deepProduct();
  Tensor tableOfResults();

  //===-- Slices of other ranks (GraphSlices.cpp) -------------------------===//
  Tensor reducedSlice(Tensor tensor);
  Tensor reducedInsert(Tensor tensor);

  //===-- Ops that move elements (GraphTensorOps.cpp) ---------------------===//
  Tensor gatherSlices(Tensor tensor);
  Tensor scatterSlices(Tensor tensor);
  Tensor packTiles(Tensor tensor);
  Tensor bitcastElements(Tensor tensor);

  //===-- Views and control flow (GraphViews.cpp) -------------------------===//
  Tensor reshape(Tensor tensor);
  Tensor transpose(Tensor tensor, ArrayRef<int64_t> permutation);
  Tensor randomTranspose(Tensor tensor);
  Tensor concat(Tensor tensor);
  Tensor slice(Tensor tensor);
  Tensor insert(Tensor tensor);
  Tensor reduce(Tensor tensor);
  /// The sum or the maximum over the dims `reduced`; `shape` and `sizes` are
  /// those of the result.
  Tensor reduceDims(Tensor tensor, ArrayRef<int64_t> reduced,
                    ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                    bool isMax);
  Tensor softmax(Tensor tensor);
  Tensor sameShape(Tensor tensor);
  Tensor branch(Tensor tensor);
  Tensor loop(Tensor tensor);
  Tensor call(Tensor tensor);

  //===-- TOSA (GraphTosa.cpp, GraphTosaRoots.cpp) ------------------------===//
  void buildTosa();
  Tensor tosaStep(Tensor tensor);
  Tensor tosaConv(Tensor image);
  Tensor tosaTransposeConv(Tensor image);
  Tensor tosaPool(Tensor image);
  Tensor tosaMatmul(Tensor tensor);
  Tensor tosaElementwise(Tensor tensor);
  Tensor tosaActivation(Tensor tensor);
  Tensor tosaView(Tensor tensor);
  Tensor tosaRescale(Tensor tensor);
  Value tosaShape(ArrayRef<int64_t> sizes);
  Value tosaZero(Type type, int64_t value = 0);
  Tensor tosaParameter(ArrayRef<int64_t> shape, Type elementType,
                       std::optional<ValueKind> kind = std::nullopt);

  Random random;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  func::FuncOp function;
  /// Of floats, or of integers.
  Type type;
  bool isSpecial = false, isTosa = false, hasDynamic = false;
  bool channelsLast = false;
  SmallVector<Tensor> tensors, parameters;
  /// Results that no op reads.
  SmallVector<Tensor> ends;
  SmallVector<Attribute> argumentAttrs;
  SmallVector<TypedAttr> resources;
  int64_t numSymbols = 0;
  /// Products that the reference may still compute.
  int64_t budget = 150000;
};

} // namespace mlir::fusion::fuzz

#endif // FUZZ_GRAPH_H
