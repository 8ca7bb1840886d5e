//===-- PlanPacking.cpp - Constant weights in the kernels' order ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-pack-constants. It is no set of rules: it remembers what it
// has packed, so that a shared constant is packed once.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/RegisterTile.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONPACKCONSTANTSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A matrix [rows, columns] inside a constant, and its packed form
/// [groups * ceil(columns per group / block), rows, block].
struct Panels {
  int64_t groups, columnsPerGroup, block;
  /// Elements between columns, and from the first element to each row.
  int64_t columnStride;
  SmallVector<int64_t> rowOffsets;

  int64_t getPanelsPerGroup() const {
    return llvm::divideCeil(columnsPerGroup, block);
  }
  int64_t getNumPanels() const { return groups * getPanelsPerGroup(); }
  bool operator==(const Panels &other) const {
    return std::tie(groups, columnsPerGroup, block, columnStride, rowOffsets) ==
           std::tie(other.groups, other.columnsPerGroup, other.block,
                    other.columnStride, other.rowOffsets);
  }
};

/// How a root's weights are packed, and the packed type.
struct Request {
  Panels panels;
  RankedTensorType type;
};

/// Packs panels [first, last) of `source` to `target`.
template <typename T>
void packPanels(const Panels &panels, const char *source, char *target,
                int64_t first, int64_t last) {
  const T *from = reinterpret_cast<const T *>(source);
  int64_t numRows = panels.rowOffsets.size(), block = panels.block;
  int64_t perGroup = panels.getPanelsPerGroup();
  // Where columns lie apart, a line of each is used up before the next.
  constexpr int64_t kRowsAtOnce = 64 / sizeof(T);
  for (int64_t panel = first; panel < last; ++panel) {
    T *to = reinterpret_cast<T *>(target) + panel * numRows * block;
    int64_t inGroup = panel % perGroup * block;
    int64_t column = panel / perGroup * panels.columnsPerGroup + inGroup;
    int64_t valid = std::min(block, panels.columnsPerGroup - inGroup);
    if (valid < block)
      std::fill_n(to, numRows * block, T(0));
    const T *base = from + column * panels.columnStride;
    if (panels.columnStride == 1) {
      for (int64_t row = 0; row < numRows; ++row)
        std::copy_n(base + panels.rowOffsets[row], valid, to + row * block);
      continue;
    }
    for (int64_t start = 0; start < numRows; start += kRowsAtOnce) {
      int64_t end = std::min(start + kRowsAtOnce, numRows);
      for (int64_t i = 0; i < valid; ++i)
        for (int64_t row = start; row < end; ++row)
          to[row * block + i] =
              base[i * panels.columnStride + panels.rowOffsets[row]];
    }
  }
}

void packPanels(const Panels &panels, int64_t elementBytes, const char *source,
                char *target, int64_t first, int64_t last) {
  switch (elementBytes) {
  case 1:
    return packPanels<uint8_t>(panels, source, target, first, last);
  case 2:
    return packPanels<uint16_t>(panels, source, target, first, last);
  case 4:
    return packPanels<uint32_t>(panels, source, target, first, last);
  default:
    return packPanels<uint64_t>(panels, source, target, first, last);
  }
}

std::optional<Request> getRequest(ConvOp op, const TargetInfo &target) {
  auto type = dyn_cast<RankedTensorType>(op.getFilter().getType());
  if (!type || !type.hasStaticShape() ||
      op.getFilterLayout() == FilterLayout::Packed || isPlanar(op))
    return std::nullopt;
  bool isDepthwise = op.isDepthwise();
  if (isDepthwise && op.getFilterLayout() == FilterLayout::SpatialInOut)
    return std::nullopt;
  FilterDims dims = op.getFilterDims();
  SmallVector<int64_t> kernel = op.getKernelSizes();
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  int64_t outputs = type.getDimSize(dims.out);
  int64_t inputs = type.getDimSize(dims.in);
  int64_t positions = llvm::product_of(kernel);
  // The spatial dims are neighbours in every layout.
  int64_t positionStride = strides[dims.spatial + kernel.size() - 1];

  Panels panels;
  panels.groups = isDepthwise ? 1 : op.getGroups();
  panels.columnsPerGroup = outputs / panels.groups;
  panels.block = isDepthwise ? outputs : getPackedBlock(op, target);
  panels.columnStride = strides[dims.out];
  // Rows in packed order: [K…, C/G].
  for (int64_t position = 0; position < positions; ++position)
    for (int64_t input = 0; input < inputs; ++input)
      panels.rowOffsets.push_back(position * positionStride +
                                  input * strides[dims.in]);
  SmallVector<int64_t> shape;
  if (!isDepthwise)
    shape.push_back(panels.getNumPanels());
  llvm::append_range(shape, kernel);
  shape.append({inputs, panels.block});
  return Request{std::move(panels), type.clone(shape)};
}

std::optional<Request> getRequest(MatmulOp op, const TargetInfo &target) {
  auto type = dyn_cast<RankedTensorType>(op.getRhs().getType());
  if (!type || !type.hasStaticShape() || type.getRank() != 2 ||
      op.getRhsLayout() == MatrixLayout::Packed)
    return std::nullopt;
  int64_t columnDim = op.getTransposeRhs() ? 0 : 1;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  Panels panels;
  panels.groups = 1;
  panels.columnsPerGroup = type.getDimSize(columnDim);
  panels.block = getPackedBlock(op, target);
  panels.columnStride = strides[columnDim];
  int64_t depth = type.getDimSize(1 - columnDim);
  for (int64_t row = 0; row < depth; ++row)
    panels.rowOffsets.push_back(row * strides[1 - columnDim]);
  SmallVector<int64_t> shape{panels.getNumPanels(), depth, panels.block};
  return Request{std::move(panels), type.clone(shape)};
}

/// The root reads `packed` from now on.
void usePacked(FusionRootOpInterface root, Value packed) {
  root.getWeights()->set(packed);
  if (auto conv = dyn_cast<ConvOp>(*root)) {
    bool isDepthwise = cast<ShapedType>(packed.getType()).getRank() ==
                       conv.getInit().getType().getRank();
    conv.setFilterLayout(isDepthwise ? FilterLayout::SpatialInOut
                                     : FilterLayout::Packed);
    return;
  }
  auto matmul = cast<MatmulOp>(*root);
  matmul.setTransposeRhs(false);
  matmul.setRhsLayout(MatrixLayout::Packed);
}

/// Packed weights do not say how many columns they had, so the result does:
/// init -> cast init, and back.
void stateColumns(FusionRootOpInterface root, int64_t columns) {
  OpOperand &init =
      *cast<DestinationStyleOpInterface>(*root).getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  int64_t dim = root.getChannelDim();
  if (!type.isDynamicDim(dim))
    return;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = columns;
  OpBuilder builder(root);
  Location loc = root.getLoc();
  RankedTensorType stated = type.clone(shape);
  init.set(tensor::CastOp::create(builder, loc, stated, init.get()));
  OpResult result = root->getResult(0);
  result.setType(stated);
  builder.setInsertionPointAfter(root);
  auto back = tensor::CastOp::create(builder, loc, type, result);
  result.replaceAllUsesExcept(back, back);
}

/// `from` in packed form; `raw` are its elements. Panels are packed in
/// parallel, some at once.
ElementsAttr createPacked(MLIRContext *context, ElementsAttr from,
                          ArrayRef<char> raw, const Request &request) {
  constexpr int64_t kBytesAtOnce = 1 << 18;
  Panels panels = request.panels;
  // Every element of a splat is its first.
  if (isa<SplatElementsAttr>(from)) {
    panels.columnStride = 0;
    llvm::fill(panels.rowOffsets, 0);
  }
  int64_t elementBytes = getWholeBytes(request.type.getElementType());
  int64_t panelBytes = panels.rowOffsets.size() * panels.block * elementBytes;
  int64_t step = std::max<int64_t>(kBytesAtOnce / panelBytes, 1);
  int64_t end = panels.getNumPanels();
  auto fill = [&](MutableArrayRef<char> target) {
    parallelFor(context, 0, llvm::divideCeil(end, step), [&](int64_t i) {
      packPanels(panels, elementBytes, raw.data(), target.data(), i * step,
                 std::min((i + 1) * step, end));
    });
  };
  return createConstant(request.type,
                        (getResourceName(from, "constant") + "_packed").str(),
                        fill);
}

/// The elements of `from`; of a splat, one.
std::optional<ArrayRef<char>> getElements(ElementsAttr from) {
  if (!getWholeBytes(from.getElementType()))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(from))
    return splat.getRawData();
  return getRawElements(from);
}

/// A constant in one of its packed forms.
struct Packed {
  Panels panels;
  ElementsAttr elements;
};
/// By source and packed type.
using PackedConstants =
    llvm::DenseMap<std::pair<Attribute, Type>, SmallVector<Packed, 1>>;

struct FusionPackConstantsPass final
    : fusion::impl::FusionPackConstantsPassBase<FusionPackConstantsPass> {
  using FusionPackConstantsPassBase::FusionPackConstantsPassBase;
  void runOnOperation() override {
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info) || failed(verifyResources(getOperation())))
      return signalPassFailure();
    PackedConstants packed;
    SmallVector<FusionRootOpInterface> roots;
    getOperation()->walk(
        [&](FusionRootOpInterface root) { roots.push_back(root); });
    for (FusionRootOpInterface root : roots)
      if (root.hasPureTensorSemantics() && root.getWeights())
        packWeights(root, *info, packed);
  }
  /// `packed` holds what was packed before.
  void packWeights(FusionRootOpInterface root, const TargetInfo &info,
                   PackedConstants &packed);
};
} // namespace

void FusionPackConstantsPass::packWeights(FusionRootOpInterface root,
                                          const TargetInfo &info,
                                          PackedConstants &packed) {
  Value weights = root.getWeights()->get();
  ElementsAttr from = getConstantTensor(weights);
  if (!from || from.getNumElements() == 0)
    return;
  std::optional<Request> request;
  if (auto conv = dyn_cast<ConvOp>(*root))
    request = getRequest(conv, info);
  else if (auto matmul = dyn_cast<MatmulOp>(*root))
    request = getRequest(matmul, info);
  if (!request)
    return;
  int64_t columns = request->panels.columnsPerGroup * request->panels.groups;
  // Groups and the order of dims may differ behind one packed type.
  SmallVector<Packed, 1> &forms = packed[{from, request->type}];
  auto *known = llvm::find_if(forms, [&](const Packed &form) {
    return form.panels == request->panels;
  });
  if (known == forms.end()) {
    std::optional<ArrayRef<char>> raw = getElements(from);
    if (!raw)
      return;
    auto splat = dyn_cast<SplatElementsAttr>(from);
    // What fills up panels is never stored, so it need not be zero.
    ElementsAttr to = splat && isLargeSplat(splat)
                          ? ElementsAttr(splat.resizeSplat(request->type))
                          : createPacked(&getContext(), from, *raw, *request);
    forms.push_back({std::move(request->panels), to});
    known = std::prev(forms.end());
  }
  Operation *old = weights.getDefiningOp();
  stateColumns(root, columns);
  OpBuilder builder(root);
  usePacked(root, arith::ConstantOp::create(builder, weights.getLoc(),
                                            cast<TypedAttr>(known->elements)));
  if (isOpTriviallyDead(old))
    old->erase();
}
