//===-- PlanPacking.cpp - Constant weights in the kernels' order ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-pack-constants. It is no set of rules: it first collects
// what is to be packed, so that a shared constant is packed once and all bytes
// move in parallel, as one blocked copy.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Transforms/Passes.h"
#include "PlanConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"
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
};

/// What one root wants of its weights.
struct Request {
  Panels panels;
  /// The packed type.
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

/// Columns that a panel holds: one vector for narrow results, else what the
/// micro-kernel keeps in registers.
int64_t getBlock(FusionRootOpInterface root, const TargetInfo &target,
                 int64_t columns) {
  int64_t lanes = target.getLanes(root.getAccumulatorType());
  return columns <= lanes ? lanes
                          : target.getPackedBlock(root.getAccumulatorType());
}

std::optional<Request> getRequest(ConvOp op, const TargetInfo &target) {
  auto type = dyn_cast<RankedTensorType>(op.getFilter().getType());
  if (!type || !type.hasStaticShape() ||
      op.getFilterLayout() == FilterLayout::Packed)
    return std::nullopt;
  bool isDepthwise = op.isDepthwise();
  if (isDepthwise && op.getFilterLayout() == FilterLayout::SpatialInOut)
    return std::nullopt;
  ConvOp::FilterDims dims = op.getFilterDims();
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
  panels.block =
      isDepthwise ? outputs : getBlock(op, target, panels.columnsPerGroup);
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
  panels.block = getBlock(op, target, panels.columnsPerGroup);
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

/// One constant to pack, for all roots that want the same of it.
struct Job {
  ElementsAttr from;
  RawConstant raw;
  Request request;
  SmallVector<FusionRootOpInterface> roots;
  std::optional<AsmResourceBlob> blob;
  /// A splat's elements, one by one.
  std::optional<AsmResourceBlob> expanded;
};

/// Collects jobs, does them, and rewrites the roots.
class Packer {
public:
  Packer(MLIRContext *context, const TargetInfo &target)
      : context(context), target(target) {}
  LogicalResult collect(FusionRootOpInterface root);
  void pack();
  void replace();

private:
  MLIRContext *context;
  const TargetInfo &target;
  std::vector<Job> jobs;
  /// Jobs by constant, packed type and distance of columns: the same bytes in
  /// the same order.
  llvm::DenseMap<std::tuple<Attribute, Type, int64_t>, size_t> jobOf;
};

struct FusionPackConstantsPass final
    : fusion::impl::FusionPackConstantsPassBase<FusionPackConstantsPass> {
  using FusionPackConstantsPassBase::FusionPackConstantsPassBase;
  LogicalResult initialize(MLIRContext *context) override {
    std::string error;
    FailureOr<TargetInfo> info = TargetInfo::get(target, error);
    if (failed(info))
      return emitError(UnknownLoc::get(context)) << error;
    targetInfo = *info;
    return success();
  }
  void runOnOperation() override {
    Packer packer(&getContext(), targetInfo);
    WalkResult result = getOperation()->walk([&](FusionRootOpInterface root) {
      return WalkResult(packer.collect(root));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    packer.pack();
    packer.replace();
  }
  TargetInfo targetInfo;
};
} // namespace

LogicalResult Packer::collect(FusionRootOpInterface root) {
  if (!root.hasPureTensorSemantics() || !root.getWeights())
    return success();
  ElementsAttr attr = getConstantElements(root.getWeights()->get());
  if (!attr || attr.getNumElements() == 0)
    return success();
  std::optional<Request> request;
  if (auto conv = dyn_cast<ConvOp>(*root))
    request = getRequest(conv, target);
  else if (auto matmul = dyn_cast<MatmulOp>(*root))
    request = getRequest(matmul, target);
  if (!request)
    return success();
  std::string reason;
  FailureOr<RawConstant> raw = getRawConstant(attr, reason);
  if (failed(raw))
    return root->emitOpError() << reason << " for the weights";
  auto [entry, isNew] = jobOf.try_emplace(
      {attr, request->type, request->panels.columnStride}, jobs.size());
  if (isNew)
    jobs.push_back({attr, *raw, std::move(*request), {}, {}, {}});
  jobs[entry->second].roots.push_back(root);
  return success();
}

/// Moves the bytes of all jobs, in units of some panels each.
void Packer::pack() {
  struct Unit {
    size_t job;
    int64_t first, last;
  };
  constexpr int64_t kUnitBytes = 1 << 18;
  std::vector<Unit> units;
  for (auto [i, job] : llvm::enumerate(jobs)) {
    const Panels &panels = job.request.panels;
    int64_t bytes = job.raw.elementBytes;
    job.blob = allocateConstant(job.request.type, bytes);
    if (job.raw.isSplat) {
      job.expanded = allocateConstant(job.raw.type, bytes);
      for (int64_t at = 0, e = job.expanded->getData().size(); at < e;
           at += bytes)
        std::memcpy(job.expanded->getMutableData().data() + at,
                    job.raw.bytes.data(), bytes);
      job.raw.bytes = job.expanded->getData();
    }
    int64_t panelBytes = panels.rowOffsets.size() * panels.block * bytes;
    int64_t step = std::max<int64_t>(kUnitBytes / panelBytes, 1);
    for (int64_t panel = 0, e = panels.getNumPanels(); panel < e; panel += step)
      units.push_back({i, panel, std::min(panel + step, e)});
  }
  parallelForEach(context, units, [&](const Unit &unit) {
    Job &job = jobs[unit.job];
    packPanels(job.request.panels, job.raw.elementBytes, job.raw.bytes.data(),
               job.blob->getMutableData().data(), unit.first, unit.last);
  });
}

/// New constants beside the old ones, which go if nothing else reads them.
void Packer::replace() {
  for (Job &job : jobs) {
    ElementsAttr packed =
        makeConstant(job.request.type, job.from,
                     (job.raw.name + "_packed").str(), std::move(*job.blob));
    for (FusionRootOpInterface root : job.roots) {
      Operation *old = root.getWeights()->get().getDefiningOp();
      OpBuilder builder(root);
      usePacked(root, arith::ConstantOp::create(builder, old->getLoc(),
                                                cast<TypedAttr>(packed)));
      if (isOpTriviallyDead(old))
        old->erase();
    }
  }
}
