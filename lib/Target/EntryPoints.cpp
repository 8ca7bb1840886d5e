//===-- EntryPoints.cpp - The C functions around the entry function -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/ABI.md says what each does; here they are written in LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<std::string>
mlir::fusion::getExportedSymbols(const Signature &signature, bool forLibrary) {
  SmallVector<std::string> symbols;
  for (StringRef suffix : {"_run", "_workspace_size", "_output_shapes",
                           "_shape_error", "_signature"})
    symbols.push_back((signature.name + suffix).str());
  if (signature.profile)
    symbols.append(
        {signature.name + "_profile", signature.name + "_profile_work"});
  if (forLibrary)
    symbols.push_back("_mlir_ciface_" + signature.entry);
  return symbols;
}

void EntryPointBuilder::exportAs(llvm::GlobalValue &global, const Twine &name) {
  if (llvm::GlobalValue *other = module.getNamedValue(name.str()))
    other->setName(name + ".internal");
  global.setName(name);
}

llvm::Function *EntryPointBuilder::createFunction(const Twine &name,
                                                  llvm::Type *result,
                                                  size_t numPointers) {
  SmallVector<llvm::Type *> types(numPointers, builder.getPtrTy());
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                             llvm::Function::ExternalLinkage, "", module);
  exportAs(*function, name);
  builder.SetInsertPoint(createBlock(*function));
  return function;
}

/// The strides of a dense row-major array.
static SmallVector<llvm::Value *> getStrides(llvm::IRBuilder<> &builder,
                                             ArrayRef<llvm::Value *> sizes) {
  SmallVector<llvm::Value *> strides(sizes.size());
  llvm::Value *stride = builder.getInt64(1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = builder.CreateMul(stride, sizes[dim]);
  }
  return strides;
}

void EntryPointBuilder::returnUnless(llvm::Value *good,
                                     llvm::Constant *status) {
  if (good == builder.getTrue())
    return;
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock *rest = createBlock(*function);
  builder.CreateCondBr(good, rest, createExit(*function, status));
  builder.SetInsertPoint(rest);
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

llvm::Value *EntryPointBuilder::getWorkspace(llvm::Function &run,
                                             llvm::Value *given,
                                             llvm::Value *size) {
  if (signature.workspaceSize == 0)
    return given;
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::BasicBlock *own = createBlock(run), *rest = createBlock(run);
  builder.CreateCondBr(builder.CreateIsNull(given), own, rest);

  builder.SetInsertPoint(own);
  llvm::FunctionCallee get = module.getOrInsertFunction(
      "fusion_thread_workspace", builder.getPtrTy(), builder.getInt64Ty());
  auto *declaration = cast<llvm::Function>(get.getCallee());
  declaration->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Value *mine = builder.CreateCall(get, size);
  llvm::Value *isNull = builder.CreateIsNull(mine);
  builder.CreateCondBr(isNull, createExit(run, builder.getInt32(OutOfMemory)),
                       rest);

  builder.SetInsertPoint(rest);
  llvm::PHINode *workspace = builder.CreatePHI(builder.getPtrTy(), 2);
  workspace->addIncoming(given, start);
  workspace->addIncoming(mine, own);
  return workspace;
}

void EntryPointBuilder::addRun() {
  size_t numPointers = tensors.size() + countDynamic(signature.inputs) +
                       countDynamic(signature.outputs) + 1;
  llvm::Function *run = createFunction(signature.name + "_run",
                                       builder.getInt32Ty(), numPointers);
  llvm::Value *good = builder.getTrue();
  auto *argument = run->arg_begin();
  SmallVector<EntryTensor> given =
      loadTensors(tensors, argument, /*withData=*/true, good);
  llvm::Value *answers =
      callShapes(ArrayRef(given).take_front(signature.inputs.size()), good);
  auto outputSizes = getOutputSizes(answers);
  for (auto [tensor, output, wanted] : llvm::zip_equal(
           signature.outputs,
           ArrayRef(given).drop_front(signature.inputs.size()), outputSizes))
    for (auto [size, is, shouldBe] :
         llvm::zip_equal(tensor.shape, output.sizes, wanted))
      if (size == TensorSignature::kDynamicSize)
        good =
            builder.CreateLogicalAnd(good, builder.CreateICmpEQ(is, shouldBe));
  returnUnless(good, builder.getInt32(WrongShape));

  llvm::Value *workspaceSize = getWorkspaceSize(answers);
  EntryTensor workspace{getWorkspace(*run, &*argument, workspaceSize),
                        {workspaceSize}};
  given.push_back(workspace);
  SmallVector<llvm::Value *> arguments;
  for (const EntryTensor &tensor : given) {
    arguments.append({tensor.data, tensor.data, builder.getInt64(0)});
    llvm::append_range(arguments, tensor.sizes);
    llvm::append_range(arguments, getStrides(builder, tensor.sizes));
  }
  builder.CreateCall(&entry, arguments);
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addSignature() {
  llvm::Constant *text = llvm::ConstantDataArray::getString(module.getContext(),
                                                            signature.toJSON());
  auto *global =
      new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, text, "");
  exportAs(*global, signature.name + "_signature");
}

void EntryPointBuilder::addProfile() {
  // For each site: the number of calls and the ticks that they took, and the
  // numbers that are known at run time.
  auto createTable = [&](StringRef name, unsigned columns) {
    auto *type = llvm::ArrayType::get(
        llvm::ArrayType::get(builder.getInt64Ty(), columns),
        signature.profile->size());
    auto *table = new llvm::GlobalVariable(
        module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
        llvm::Constant::getNullValue(type), "");
    exportAs(*table, signature.name + name.str());
    return table;
  };
  llvm::GlobalVariable *times = createTable("_profile", 2);
  llvm::GlobalVariable *works = createTable("_profile_work", 5);
  // Calls of the model may overlap.
  auto addTo = [&](llvm::GlobalVariable *table, llvm::Value *site,
                   ArrayRef<llvm::Value *> amounts) {
    for (auto [index, amount] : llvm::enumerate(amounts))
      builder.CreateAtomicRMW(
          llvm::AtomicRMWInst::Add,
          builder.CreateInBoundsGEP(
              table->getValueType(), table,
              {builder.getInt64(0), site, builder.getInt64(index)}),
          amount, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic);
  };
  auto define = [&](StringRef name) -> llvm::Function * {
    llvm::Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration())
      return nullptr;
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setVisibility(llvm::GlobalValue::DefaultVisibility);
    builder.SetInsertPoint(createBlock(*function));
    return function;
  };
  auto readTicks = [&]() -> llvm::Value * {
    return builder.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {});
  };
  if (define("fusion_profile_begin"))
    builder.CreateRet(readTicks());
  if (llvm::Function *end = define("fusion_profile_end")) {
    llvm::Value *spent = builder.CreateSub(readTicks(), end->getArg(1));
    addTo(times, end->getArg(0), {builder.getInt64(1), spent});
    builder.CreateRetVoid();
  }
  if (llvm::Function *work = define("fusion_profile_work")) {
    auto arguments = llvm::map_to_vector(
        work->args(),
        [](llvm::Argument &argument) -> llvm::Value * { return &argument; });
    addTo(works, arguments.front(), ArrayRef(arguments).drop_front());
    builder.CreateRetVoid();
  }
}

llvm::Value *EntryPointBuilder::checkDescriptor(llvm::Value *descriptor,
                                                const TensorSignature &tensor,
                                                llvm::Value *&data) {
  // struct { void *allocated, *aligned; int64_t offset, sizes[], strides[]; }
  // is seen as words.
  auto getWord = [&](llvm::Type *type, size_t index) {
    return builder.CreateLoad(
        type, builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(),
                                                 descriptor, index));
  };
  llvm::Value *offset =
      builder.CreateMul(getWord(builder.getInt64Ty(), 2),
                        builder.getInt64(tensor.getElementBytes()));
  data = builder.CreateGEP(builder.getInt8Ty(), getWord(builder.getPtrTy(), 1),
                           offset);
  llvm::Value *good = builder.getTrue();
  SmallVector<llvm::Value *> sizes =
      loadSizes(tensor, getDims(descriptor), good);
  llvm::Value *isEmpty = builder.getFalse();
  for (llvm::Value *size : sizes)
    isEmpty = builder.CreateOr(isEmpty,
                               builder.CreateICmpEQ(size, builder.getInt64(0)));
  for (auto [dim, stride] : llvm::enumerate(getStrides(builder, sizes))) {
    // Where there is nothing to step to, a stride means nothing.
    llvm::Value *isFree = builder.CreateOr(
        isEmpty, builder.CreateICmpEQ(sizes[dim], builder.getInt64(1)));
    if (isFree == builder.getTrue())
      continue;
    llvm::Value *given = getWord(builder.getInt64Ty(), 3 + sizes.size() + dim);
    good = builder.CreateAnd(
        good, builder.CreateOr(isFree, builder.CreateICmpEQ(given, stride)));
  }
  return good;
}

void EntryPointBuilder::addCInterface() {
  // It returns run's status: a caller that declares it void, as MLIR's
  // convention has it, never sees that.
  llvm::Function *function = createFunction(
      "_mlir_ciface_" + signature.entry, builder.getInt32Ty(), tensors.size());
  SmallVector<llvm::Value *> arguments;
  llvm::Value *good = builder.getTrue();
  for (auto [argument, tensor] : llvm::zip(function->args(), tensors)) {
    llvm::Value *data;
    good = builder.CreateAnd(good, checkDescriptor(&argument, *tensor, data));
    arguments.push_back(data);
    if (tensor->isDynamic())
      arguments.push_back(getDims(&argument));
  }
  returnUnless(good, builder.getInt32(WrongShape));
  arguments.push_back(llvm::ConstantPointerNull::get(builder.getPtrTy()));
  builder.CreateRet(builder.CreateCall(
      module.getFunction(signature.name + "_run"), arguments));
}

void mlir::fusion::addEntryPoints(llvm::Function &entry, llvm::Function *shapes,
                                  ArrayRef<std::string> shapeErrors,
                                  const Signature &signature, bool forLibrary) {
  // What it computes is guarded by what it returns first: no op of it promises
  // anything.
  if (shapes)
    for (llvm::Instruction &instruction : llvm::instructions(*shapes))
      instruction.dropPoisonGeneratingFlags();
  EntryPointBuilder builder(entry, shapes, shapeErrors, signature);
  builder.addRun();
  builder.addWorkspaceSize();
  builder.addOutputShapes();
  builder.addShapeError();
  builder.addSignature();
  if (signature.profile)
    builder.addProfile();
  if (forLibrary)
    builder.addCInterface();
}
