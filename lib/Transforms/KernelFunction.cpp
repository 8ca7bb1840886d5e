//===-- KernelFunction.cpp - One op as a function -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments, calling convention and the loop over units of a kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fusion;

bool fusion::isKernelOp(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isa<MemRefType>(copy.getSource().getType()) &&
           isa<MemRefType>(copy.getTarget().getType());
  if (!isa<FusionRootOpInterface>(op) &&
      !isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()))
    return false;
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  return destinationStyle && destinationStyle.hasPureBufferSemantics();
}

int64_t fusion::getKernelWork(Operation *op) {
  // A core does about eight operations in the time it moves a byte.
  constexpr int64_t kOperationsPerByte = 8;
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    int64_t flops = getFlops(root);
    return ShapedType::isDynamic(flops) ? 0 : flops;
  }
  int64_t bytes = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && type.hasStaticShape())
      bytes += type.getNumElements() *
               DataLayout::closest(op).getTypeSize(type.getElementType());
  int64_t work = bytes * kOperationsPerByte;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.hasDynamicShape())
    return work;
  int64_t trips = 1;
  for (int64_t range : linalgOp.getStaticLoopRanges())
    trips *= range;
  return std::max(work, 2 * trips);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// How a buffer is passed. Kernels differ by what is in their types, so an
/// offset is passed beside the buffer's start and is no part of the type; a
/// type of static sizes and strides and without offset is one bare pointer.
struct BufferArgument {
  explicit BufferArgument(MemRefType type);

  MemRefType type;
  bool hasOffset = false;
  bool isBarePointer = false;
  SmallVector<int64_t> strides;
};

/// Collects the values that `op` uses and gives each an argument.
class Arguments {
public:
  Arguments(OpBuilder &caller, Location loc, OpBuilder &kernel)
      : caller(caller), loc(loc), kernel(kernel) {}

  /// What stands for `value` inside the kernel. Each call makes an argument of
  /// its own, so that ops in place and not share a kernel.
  Value add(Value value);

  SmallVector<Value> operands;
  bool allBarePointers = true;

private:
  Value addBuffer(Value value);
  BlockArgument addArgument(Value operand) {
    operands.push_back(operand);
    return kernel.getInsertionBlock()->addArgument(operand.getType(), loc);
  }

  OpBuilder &caller;
  Location loc;
  OpBuilder &kernel;
};
} // namespace

BufferArgument::BufferArgument(MemRefType original) : type(original) {
  int64_t offset = 0;
  if (!original.hasStaticShape() ||
      failed(original.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return;
  isBarePointer = true;
  // One spelling for each layout. Parts of a larger buffer have an offset, be
  // it 0 by chance.
  bool isRowMajor = strides == computeStrides(original.getShape());
  hasOffset = offset != 0 || !isRowMajor;
  MemRefLayoutAttrInterface layout;
  if (!isRowMajor)
    layout = StridedLayoutAttr::get(original.getContext(), 0, strides);
  type = MemRefType::get(original.getShape(), original.getElementType(), layout,
                         original.getMemorySpace());
}

/// `value` without casts that only hide what is known of the type.
static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>()) {
    auto source = dyn_cast<MemRefType>(cast.getSource().getType());
    if (!source || !BufferArgument(source).isBarePointer)
      break;
    value = cast.getSource();
  }
  return value;
}

/// A constant index for what is static, else the op that reads it.
static Value getOffset(OpBuilder &builder, Location loc, Value buffer) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  if (ShapedType::isStatic(offset))
    return arith::ConstantIndexOp::create(builder, loc, offset);
  return memref::ExtractStridedMetadataOp::create(builder, loc, buffer)
      .getOffset();
}

Value Arguments::addBuffer(Value value) {
  Value buffer = stripCasts(value);
  BufferArgument argument(cast<MemRefType>(buffer.getType()));
  allBarePointers &= argument.isBarePointer;
  ArrayRef<int64_t> shape = argument.type.getShape();

  Value start = buffer;
  if (argument.type != buffer.getType())
    start = memref::ReinterpretCastOp::create(caller, loc, argument.type,
                                              buffer, /*offset=*/0, shape,
                                              argument.strides);
  Value inside = addArgument(start);
  if (argument.hasOffset) {
    Value offset = addArgument(getOffset(caller, loc, buffer));
    auto layout = StridedLayoutAttr::get(
        value.getContext(), ShapedType::kDynamic, argument.strides);
    auto type = MemRefType::get(shape, argument.type.getElementType(), layout,
                                argument.type.getMemorySpace());
    inside = memref::ReinterpretCastOp::create(
        kernel, loc, type, inside, OpFoldResult(offset),
        getAsIndexOpFoldResult(value.getContext(), shape),
        getAsIndexOpFoldResult(value.getContext(), argument.strides));
  }
  return inside;
}

Value Arguments::add(Value value) {
  if (Operation *definition = value.getDefiningOp();
      definition && definition->hasTrait<OpTrait::ConstantLike>())
    return kernel.clone(*definition)->getResult(0);
  return isa<MemRefType>(value.getType()) ? addBuffer(value)
                                          : addArgument(value);
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

namespace {
/// A loop of an op whose trips may be shared among threads: a unit is `rows` of
/// its trips.
struct Cut {
  unsigned loop;
  int64_t units;
  int64_t rows;
};
} // namespace

/// True if a step of `loop` moves the elements that `expression` names by a
/// step in the same direction.
static bool isSliceable(AffineExpr expression, unsigned loop) {
  if (!expression.isFunctionOfDim(loop) || isa<AffineDimExpr>(expression))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isSliceable(binary.getLHS(), loop) &&
           isSliceable(binary.getRHS(), loop);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() > 0 && isSliceable(binary.getLHS(), loop);
}

/// The loops of `op` that write different elements in different trips, in the
/// order of the result's dims.
static SmallVector<unsigned> getSliceableLoops(TilingInterface op) {
  auto isParallel = [types = op.getLoopIteratorTypes()](unsigned loop) {
    return types[loop] == utils::IteratorType::parallel;
  };
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation());
  if (!linalgOp) {
    auto loops =
        llvm::to_vector(llvm::seq<unsigned>(op.getLoopIteratorTypes().size()));
    llvm::erase_if(loops, [&](unsigned loop) { return !isParallel(loop); });
    return loops;
  }

  SmallVector<unsigned> loops;
  AffineMap result =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (AffineExpr expression : result.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim || !isParallel(dim.getPosition()))
      continue;
    bool inAllResults =
        llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
          return llvm::is_contained(
              linalgOp.getMatchingIndexingMap(&init).getResults(), expression);
        });
    bool everywhere =
        llvm::all_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::all_of(map.getResults(), [&](AffineExpr result) {
            return isSliceable(result, dim.getPosition());
          });
        });
    if (inAllResults && everywhere)
      loops.push_back(dim.getPosition());
  }
  return loops;
}

/// Chooses the loop that is cut: the outermost one with enough trips for many
/// threads, the innermost one, along which vectors run, only if there is no
/// other.
static std::optional<Cut> chooseCut(OpBuilder &builder, TilingInterface op) {
  constexpr int64_t kManyTrips = 8, kElementsOfUnit = 512;
  SmallVector<int64_t> trips;
  int64_t allTrips = 1;
  for (Range range : op.getIterationDomain(builder)) {
    std::optional<int64_t> size = getConstantIntValue(range.size);
    if (!size)
      return {};
    trips.push_back(*size);
    allTrips *= *size;
  }
  SmallVector<unsigned> loops = getSliceableLoops(op);
  llvm::erase_if(loops, [&](unsigned loop) { return trips[loop] <= 1; });
  if (loops.empty())
    return {};
  unsigned chosen = loops.front();
  for (unsigned loop : ArrayRef(loops).drop_back()) {
    if (trips[chosen] >= kManyTrips)
      break;
    if (trips[loop] > trips[chosen])
      chosen = loop;
  }

  // Short rows go together, as many as divide the whole.
  int64_t rowTrips = allTrips / trips[chosen];
  int64_t rows = 1;
  while (rows < trips[chosen] &&
         (rows * rowTrips < kElementsOfUnit || trips[chosen] % rows != 0))
    ++rows;
  return Cut{chosen, trips[chosen] / rows, rows};
}

/// A copy whose two sides lie in one piece is a memcpy.
static void replaceByMemcpy(OpBuilder &builder, Operation *op) {
  auto copy = dyn_cast<linalg::CopyOp>(op);
  if (!copy)
    return;
  Value source = copy.getInputs()[0], target = copy.getOutputs()[0];
  auto isOnePiece = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.hasStaticShape() && type.getNumElements() > 0 &&
           memref::isStaticShapeAndContiguousRowMajor(type);
  };
  if (!isOnePiece(source) || !isOnePiece(target) ||
      getElementTypeOrSelf(source) != getElementTypeOrSelf(target))
    return;
  builder.setInsertionPoint(copy);
  memref::CopyOp::create(builder, copy.getLoc(), source, target);
  copy.erase();
}

/// Replaces `op`, which is the whole work, by the part of it from `lo` to `hi`;
/// returns the number of units, which `caller` computes from `operands`.
static FailureOr<OpFoldResult>
restrictToRange(OpBuilder &builder, Operation *op, Value lo, Value hi,
                const TargetInfo &target, bool cut, OpBuilder &caller,
                ValueRange operands) {
  Location loc = op->getLoc();
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    std::string reason;
    if (!hasKernel(root, target, &reason))
      return emitError(loc)
             << "expected a root that has a kernel, got " << reason;
    OpFoldResult units = createKernelUnits(caller, root, operands, target);
    root.getRangeMutable().assign({lo, hi});
    return units;
  }

  builder.setInsertionPoint(op);
  auto tilable = dyn_cast<TilingInterface>(op);
  std::optional<Cut> chosen;
  if (cut && tilable)
    chosen = chooseCut(builder, tilable);
  if (!chosen) {
    Value any =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lo, hi);
    auto guard = scf::IfOp::create(builder, loc, any, /*else=*/false);
    op->moveBefore(guard.thenBlock()->getTerminator());
    replaceByMemcpy(builder, op);
    return OpFoldResult(builder.getIndexAttr(1));
  }

  SmallVector<Range> domain = tilable.getIterationDomain(builder);
  auto offsets = llvm::map_to_vector(domain, [](Range r) { return r.offset; });
  auto sizes = llvm::map_to_vector(domain, [](Range r) { return r.size; });
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, lo, hi, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value start = loop.getInductionVar();
  if (chosen->rows != 1)
    start = arith::MulIOp::create(
        builder, loc, start,
        arith::ConstantIndexOp::create(builder, loc, chosen->rows));
  offsets[chosen->loop] = start;
  sizes[chosen->loop] = builder.getIndexAttr(chosen->rows);
  FailureOr<TilingResult> tiled =
      tilable.getTiledImplementation(builder, offsets, sizes);
  if (failed(tiled))
    return emitError(loc) << "expected an op that can be sliced, got "
                          << op->getName();
  op->erase();
  for (Operation *part : tiled->tiledOps)
    replaceByMemcpy(builder, part);
  return OpFoldResult(builder.getIndexAttr(chosen->units));
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

FailureOr<KernelFunction> fusion::buildKernelFunction(OpBuilder &builder,
                                                      Operation *op,
                                                      const TargetInfo &target,
                                                      bool cut) {
  Location loc = op->getLoc();
  KernelFunction kernel;
  kernel.module = ModuleOp::create(loc);
  OpBuilder inside = OpBuilder::atBlockBegin(kernel.module->getBody());
  kernel.function = func::FuncOp::create(inside, loc, "kernel",
                                         inside.getFunctionType({}, {}));
  Block *body = kernel.function.addEntryBlock();
  inside.setInsertionPointToStart(body);

  Arguments arguments(builder, loc, inside);
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return arguments.add(operand); });
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  IRMapping mapping;
  for (Value value : captured)
    mapping.map(value, arguments.add(value));
  Value lo = body->addArgument(inside.getIndexType(), loc);
  Value hi = body->addArgument(inside.getIndexType(), loc);

  Operation *clone;
  if (isa<memref::CopyOp>(op)) {
    clone = linalg::CopyOp::create(inside, loc, operands[0], operands[1]);
  } else {
    // Operands may be captured as well: map what is in the body only.
    clone = inside.clone(*op, mapping);
    clone->setOperands(operands);
  }
  func::ReturnOp::create(inside, loc);

  FailureOr<OpFoldResult> units = restrictToRange(
      inside, clone, lo, hi, target, cut, builder, op->getOperands());
  if (failed(units))
    return failure();
  kernel.units = *units;
  kernel.operands = arguments.operands;
  kernel.function.setFunctionType(
      inside.getFunctionType(body->getArgumentTypes(), {}));
  kernel.function->setAttr("fusion.kernel", inside.getUnitAttr());
  if (arguments.allBarePointers)
    kernel.function->setAttr("llvm.bareptr", inside.getUnitAttr());
  return kernel;
}
