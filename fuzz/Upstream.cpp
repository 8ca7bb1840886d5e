//===-- Upstream.cpp - A graph by upstream's plain passes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-shot bufferization, loops, LLVM; each conversion as upstream has it.
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"
#include "FusionDialect/Target/Target.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

namespace orc = llvm::orc;

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Upstream's folds iterate over attributes, which resources cannot.
static void replaceResources(ModuleOp module) {
  module.walk([](arith::ConstantOp op) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    AsmResourceBlob *blob =
        resource ? resource.getRawHandle().getBlob() : nullptr;
    if (blob)
      op.setValueAttr(DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                          blob->getData()));
  });
}

/// The dims of a whole slice that make each dim of one that drops some.
static SmallVector<ReassociationIndices>
joinDropped(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices first;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (!dropped.test(dim))
      groups.push_back(std::exchange(first, {}));
    (groups.empty() ? first : groups.back()).push_back(dim);
  }
  return groups;
}

/// Upstream finds the dims that a view drops by the sizes and strides that are
/// left, and not always the right ones: slices of the whole rank, and reshapes.
static void keepDims(ModuleOp module) {
  SmallVector<Operation *> slices;
  module.walk([&](Operation *op) {
    if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
      slices.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (Operation *op : slices) {
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      if (dropped.none())
        continue;
      Value whole = tensor::ExtractSliceOp::create(
          rewriter, loc, slice.getSource(), slice.getMixedOffsets(),
          slice.getMixedSizes(), slice.getMixedStrides());
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, slice.getType(), whole, joinDropped(dropped));
      continue;
    }
    auto slice = cast<tensor::InsertSliceOp>(op);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (dropped.none())
      continue;
    auto type = slice.getSourceType().clone(slice.getStaticSizes());
    Value whole = tensor::ExpandShapeOp::create(
        rewriter, loc, type, slice.getSource(), joinDropped(dropped),
        slice.getMixedSizes());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, whole, slice.getDest(), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  }
}

static LogicalResult bufferize(ModuleOp module) {
  if (failed(decomposeSoftmaxes(module)))
    return failure();
  keepDims(module);
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  // Which libm has not.
  math::populateExpansionPatterns(patterns, {"rsqrt"});
  walkAndApplyPatterns(module, std::move(patterns));
  PassManager pm(module.getContext());
  // Upstream's pads that cut would write outside of their results.
  pm.nest<func::FuncOp>().addPass(createFusionPrepareBuffersPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  if (failed(pm.run(module)))
    return failure();
  // Else a copy of what has gaps is a call into a library.
  IRRewriter rewriter(module.getContext());
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    rewriter.setInsertionPoint(op);
    linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                             op.getTarget());
    rewriter.eraseOp(op);
  }
  return success();
}

/// bf16 as f32 that is rounded by integer operations: a CPU's instructions
/// for it take denormals for zeros.
static void expandBF16(PassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs.emplace_back("bf16");
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.nest<func::FuncOp>().addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  // First: of log1p and expm1, the other has sums that lose what is small.
  pm.addPass(createConvertMathToLibmPass());
  expandBF16(pm);
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// What the code allocates, which nothing of it frees.
static std::vector<std::unique_ptr<char[]>> &getAllocations() {
  static std::vector<std::unique_ptr<char[]>> allocations;
  return allocations;
}
static void *allocate(size_t size) {
  getAllocations().push_back(std::make_unique<char[]>(size + 64));
  return getAllocations().back().get();
}
static void release(void *) {}

static llvm::Expected<std::unique_ptr<orc::LLJIT>> compile(ModuleOp module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, *context);
  if (!code)
    return llvm::createStringError("no LLVM IR");
  auto target = orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return target.takeError();
  // See expandBF16: what is left of it, from f64, has no code then.
  target->getFeatures().AddFeature("avx512bf16", false);
  target->getFeatures().AddFeature("avxneconvert", false);
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*target))
                 .create();
  if (!jit)
    return jit.takeError();
  // Whoever looks a symbol up gets the error.
  (*jit)->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  orc::JITDylib &library = (*jit)->getMainJITDylib();
  auto define = [&](StringRef name, auto *function) {
    return library.define(orc::absoluteSymbols(
        {{(*jit)->mangleAndIntern(name),
          {orc::ExecutorAddr::fromPtr(function),
           llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable}}}));
  };
  if (llvm::Error error = define("malloc", &allocate))
    return error;
  if (llvm::Error error = define("free", &release))
    return error;
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  code->setDataLayout((*jit)->getDataLayout());
  if (llvm::Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(code), std::move(context))))
    return error;
  return jit;
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

/// A descriptor: two pointers, an offset, sizes, strides.
static SmallVector<int64_t> makeDescriptor(char *data,
                                           ArrayRef<int64_t> shape) {
  auto address = int64_t(reinterpret_cast<uintptr_t>(data));
  SmallVector<int64_t> words{address, address, 0};
  llvm::append_range(words, shape);
  llvm::append_range(words, computeStrides(shape));
  return words;
}

static Array readDescriptor(Type elementType, int64_t rank,
                            ArrayRef<int64_t> words) {
  auto *data = reinterpret_cast<const char *>(uintptr_t(words[1]));
  ArrayRef<int64_t> shape = words.slice(3, size_t(rank)),
                    strides = words.slice(size_t(3 + rank), size_t(rank));
  Array array(elementType, shape);
  SmallVector<int64_t> position(size_t(rank), 0);
  unsigned size = getElementBytes(elementType);
  for (Number &number : array.numbers) {
    int64_t at = words[2];
    for (auto [index, stride] : llvm::zip_equal(position, strides))
      at += index * stride;
    number = readNumber(elementType, data + at * size);
    nextPosition(position, shape);
  }
  return array;
}

llvm::Expected<std::vector<Array>> fuzz::runUpstream(ModuleOp module,
                                                     ArrayRef<Input> inputs) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  main->setAttr("llvm.emit_c_interface", UnitAttr::get(module.getContext()));
  SmallVector<RankedTensorType> types;
  for (Type type : main.getResultTypes())
    types.push_back(cast<RankedTensorType>(type));
  replaceResources(*copy);
  if (failed(lowerToLinalg(*copy)) || failed(bufferize(*copy)) ||
      failed(lowerToLLVM(*copy)))
    return llvm::createStringError("upstream's passes failed");
  auto jit = compile(*copy);
  if (!jit)
    return jit.takeError();
  auto entry = (*jit)->lookup("_mlir_ciface_main");
  if (!entry)
    return entry.takeError();

  // The results' descriptors, one behind the other, then the arguments.
  size_t numWords = 0;
  for (RankedTensorType type : types)
    numWords += size_t(3 + 2 * type.getRank());
  std::vector<int64_t> results(numWords);
  std::vector<std::string> buffers;
  std::vector<SmallVector<int64_t>> descriptors;
  SmallVector<void *> arguments{results.data()};
  buffers.reserve(inputs.size());
  descriptors.reserve(inputs.size());
  for (const Input &input : inputs) {
    // Arguments may be written to.
    buffers.push_back(input.bytes);
    descriptors.push_back(makeDescriptor(buffers.back().data(), input.shape));
    arguments.push_back(descriptors.back().data());
  }
  (void)callWithPointers(entry->toPtr<void *>(), arguments);
  std::vector<Array> arrays;
  ArrayRef<int64_t> words(results);
  for (RankedTensorType type : types) {
    size_t size = size_t(3 + 2 * type.getRank());
    arrays.push_back(readDescriptor(type.getElementType(), type.getRank(),
                                    words.take_front(size)));
    words = words.drop_front(size);
  }
  getAllocations().clear();
  return arrays;
}
