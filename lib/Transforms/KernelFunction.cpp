//===-- KernelFunction.cpp - One op as a function -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and calling convention of a kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "KernelUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  // A kernel is a module of its own, which has no other function to call.
  auto uses = SymbolTable::getSymbolUses(op);
  if (!uses || !uses->empty())
    return false;
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  return destinationStyle && destinationStyle.hasPureBufferSemantics();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// How a buffer is passed. Kernels differ by what is in their types, so an
/// offset is passed beside the buffer's start and is no part of the type; a
/// type of static sizes and strides and without offset is one bare pointer. Any
/// other type is a descriptor, which holds the offset.
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
  if (failed(original.getStridesAndOffset(strides, offset)))
    return;
  if (!original.hasStaticShape() ||
      llvm::any_of(strides, ShapedType::isDynamic)) {
    if (!original.getLayout().isIdentity())
      type =
          MemRefType::get(original.getShape(), original.getElementType(),
                          StridedLayoutAttr::get(original.getContext(),
                                                 ShapedType::kDynamic, strides),
                          original.getMemorySpace());
    return;
  }
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
  if (argument.type != buffer.getType() && !argument.isBarePointer)
    start = memref::CastOp::create(caller, loc, argument.type, buffer);
  else if (argument.type != buffer.getType())
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
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    size_t place = arguments.operands.size();
    Value argument = arguments.add(operand);
    bool isPassed = place != arguments.operands.size();
    kernel.places.push_back(isPassed ? std::optional<unsigned>(place)
                                     : std::nullopt);
    return argument;
  });
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

  FailureOr<OpFoldResult> units =
      restrictToRange(inside, clone, lo, hi, target, cut, builder, op);
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
