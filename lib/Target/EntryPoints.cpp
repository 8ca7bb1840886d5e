//===-- EntryPoints.cpp - The C functions around the entry function -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/ABI.md says what each does; here they are written in LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<std::string>
mlir::fusion::getExportedSymbols(const Signature &signature, bool forLibrary) {
  SmallVector<std::string> symbols;
  for (StringRef suffix : {"_run", "_workspace_size", "_output_shapes",
                           "_shape_error", "_signature"})
    symbols.push_back((signature.name + suffix).str());
  if (signature.profile)
    symbols.push_back(signature.name + "_profile");
  if (forLibrary)
    symbols.push_back("_mlir_ciface_" + signature.entry);
  return symbols;
}

namespace {

/// What the functions return.
enum Status { Ok = 0, WrongShape = 1, OutOfMemory = 2 };

/// A tensor inside a function: its sizes are constants where they are static.
struct Tensor {
  llvm::Value *data = nullptr;
  SmallVector<llvm::Value *> sizes;
};

class EntryPointBuilder {
public:
  EntryPointBuilder(llvm::Function &entry, llvm::Function *shapes,
                    ArrayRef<std::string> shapeErrors,
                    const Signature &signature)
      : module(*entry.getParent()), entry(entry), shapes(shapes),
        shapeErrors(shapeErrors), signature(signature),
        builder(entry.getContext()) {
    llvm::append_range(tensors, llvm::make_pointer_range(signature.inputs));
    llvm::append_range(tensors, llvm::make_pointer_range(signature.outputs));
  }

  void addRun();
  void addWorkspaceSize();
  void addOutputShapes();
  void addShapeError();
  void addSignature();
  void addProfile();
  void addCInterface();

private:
  /// Gives `name` to the new global, whatever had it before.
  void exportAs(llvm::GlobalValue &global, const Twine &name);
  /// Starts a function of `numPointers` pointers.
  llvm::Function *createFunction(const Twine &name, llvm::Type *result,
                                 size_t numPointers);

  size_t countDynamic(ArrayRef<TensorSignature> list) const {
    return llvm::count_if(list, std::mem_fn(&TensorSignature::isDynamic));
  }
  /// The sizes of `tensor` that `dims` points to; clears `good` if a static
  /// one is another or a dynamic one is negative.
  SmallVector<llvm::Value *> loadSizes(const TensorSignature &tensor,
                                       llvm::Value *dims, llvm::Value *&good);
  /// The tensors that `arguments` pass, each of dynamic shape followed by its
  /// dims; `withData` is whether anything but dims is passed.
  SmallVector<Tensor> loadTensors(ArrayRef<const TensorSignature *> list,
                                  llvm::Function::arg_iterator &argument,
                                  bool withData, llvm::Value *&good);
  /// The sizes that the outputs must have and the bytes of the workspace, where
  /// they are dynamic; clears `good` if the inputs are not allowed.
  llvm::Value *callShapes(ArrayRef<Tensor> inputs, llvm::Value *&good);
  /// The same, with inputs of which only the dims are passed.
  llvm::Value *callShapes(llvm::Function::arg_iterator &argument,
                          llvm::Value *&good);
  /// The sizes of the outputs out of what callShapes returns.
  SmallVector<SmallVector<llvm::Value *>> getOutputSizes(llvm::Value *answers);
  llvm::Value *getWorkspaceSize(llvm::Value *answers);
  /// Continues where `good` holds, returns WrongShape where it does not.
  void returnUnless(llvm::Value *good, llvm::Constant *status);

  llvm::Value *getWorkspace(llvm::Function &run, llvm::Value *given,
                            llvm::Value *size);
  /// Whether the descriptor is of this shape and dense; sets `data`.
  llvm::Value *checkDescriptor(llvm::Value *descriptor,
                               const TensorSignature &tensor,
                               llvm::Value *&data);
  /// The sizes in a descriptor.
  llvm::Value *getDims(llvm::Value *descriptor) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), descriptor,
                                              3);
  }
  llvm::BasicBlock *createBlock(llvm::Function &function) {
    return llvm::BasicBlock::Create(module.getContext(), "", &function);
  }
  /// Ends `function` in a block of its own that returns `status`.
  llvm::BasicBlock *createExit(llvm::Function &function,
                               llvm::Constant *status) {
    llvm::BasicBlock *block = createBlock(function);
    llvm::IRBuilder<>(block).CreateRet(status);
    return block;
  }

  llvm::Module &module;
  llvm::Function &entry;
  llvm::Function *shapes;
  ArrayRef<std::string> shapeErrors;
  const Signature &signature;
  llvm::IRBuilder<> builder;
  SmallVector<const TensorSignature *> tensors;
};

} // namespace

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

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

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

SmallVector<llvm::Value *>
EntryPointBuilder::loadSizes(const TensorSignature &tensor, llvm::Value *dims,
                             llvm::Value *&good) {
  SmallVector<llvm::Value *> sizes;
  for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
    bool isDynamic = size == TensorSignature::kDynamicSize;
    llvm::Value *wanted = builder.getInt64(isDynamic ? 0 : size);
    if (!dims) {
      sizes.push_back(wanted);
      continue;
    }
    llvm::Value *given = builder.CreateLoad(
        builder.getInt64Ty(),
        builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), dims, dim));
    good = builder.CreateAnd(
        good, builder.CreateICmp(isDynamic ? llvm::CmpInst::ICMP_SGE
                                           : llvm::CmpInst::ICMP_EQ,
                                 given, wanted));
    sizes.push_back(isDynamic ? given : wanted);
  }
  return sizes;
}

SmallVector<Tensor>
EntryPointBuilder::loadTensors(ArrayRef<const TensorSignature *> list,
                               llvm::Function::arg_iterator &argument,
                               bool withData, llvm::Value *&good) {
  SmallVector<Tensor> loaded;
  for (const TensorSignature *tensor : list) {
    Tensor &next = loaded.emplace_back();
    if (withData)
      next.data = &*argument++;
    llvm::Value *dims = tensor->isDynamic() ? &*argument++ : nullptr;
    next.sizes = loadSizes(*tensor, dims, good);
  }
  return loaded;
}

llvm::Value *EntryPointBuilder::callShapes(ArrayRef<Tensor> inputs,
                                           llvm::Value *&good) {
  if (!shapes)
    return nullptr;
  SmallVector<llvm::Value *> arguments;
  for (auto [tensor, input] : llvm::zip_equal(signature.inputs, inputs))
    for (auto [size, value] : llvm::zip_equal(tensor.shape, input.sizes))
      if (size == TensorSignature::kDynamicSize)
        arguments.push_back(value);
  llvm::Value *answers = builder.CreateCall(shapes, arguments);
  llvm::Value *isAllowed =
      builder.CreateIsNull(builder.CreateExtractValue(answers, 0));
  good = builder.CreateAnd(good, isAllowed);
  return answers;
}

llvm::Value *
EntryPointBuilder::callShapes(llvm::Function::arg_iterator &argument,
                              llvm::Value *&good) {
  ArrayRef<const TensorSignature *> inputs =
      ArrayRef(tensors).take_front(signature.inputs.size());
  return callShapes(loadTensors(inputs, argument, /*withData=*/false, good),
                    good);
}

SmallVector<SmallVector<llvm::Value *>>
EntryPointBuilder::getOutputSizes(llvm::Value *answers) {
  SmallVector<SmallVector<llvm::Value *>> all;
  unsigned next = 1;
  for (const TensorSignature &tensor : signature.outputs) {
    SmallVector<llvm::Value *> &sizes = all.emplace_back();
    for (int64_t size : tensor.shape)
      sizes.push_back(size == TensorSignature::kDynamicSize
                          ? builder.CreateExtractValue(answers, next++)
                          : builder.getInt64(size));
  }
  return all;
}

llvm::Value *EntryPointBuilder::getWorkspaceSize(llvm::Value *answers) {
  if (!answers)
    return builder.getInt64(signature.workspaceSize);
  unsigned last = shapes->getReturnType()->getStructNumElements() - 1;
  return builder.CreateExtractValue(answers, last);
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
  SmallVector<Tensor> given =
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
        good = builder.CreateAnd(good, builder.CreateICmpEQ(is, shouldBe));
  returnUnless(good, builder.getInt32(WrongShape));

  llvm::Value *workspaceSize = getWorkspaceSize(answers);
  Tensor workspace{getWorkspace(*run, &*argument, workspaceSize),
                   {workspaceSize}};
  given.push_back(workspace);
  SmallVector<llvm::Value *> arguments;
  for (const Tensor &tensor : given) {
    arguments.append({tensor.data, tensor.data, builder.getInt64(0)});
    llvm::append_range(arguments, tensor.sizes);
    llvm::append_range(arguments, getStrides(builder, tensor.sizes));
  }
  builder.CreateCall(&entry, arguments);
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addWorkspaceSize() {
  llvm::Function *function =
      createFunction(signature.name + "_workspace_size", builder.getInt64Ty(),
                     countDynamic(signature.inputs));
  llvm::Value *good = builder.getTrue();
  auto *argument = function->arg_begin();
  llvm::Value *answers = callShapes(argument, good);
  returnUnless(good, builder.getInt64(-1));
  builder.CreateRet(getWorkspaceSize(answers));
}

void EntryPointBuilder::addOutputShapes() {
  llvm::Function *function =
      createFunction(signature.name + "_output_shapes", builder.getInt32Ty(),
                     countDynamic(signature.inputs) + signature.outputs.size());
  llvm::Value *good = builder.getTrue();
  auto *argument = function->arg_begin();
  llvm::Value *answers = callShapes(argument, good);
  returnUnless(good, builder.getInt32(WrongShape));
  for (ArrayRef<llvm::Value *> sizes : getOutputSizes(answers)) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      builder.CreateStore(size, builder.CreateConstInBoundsGEP1_64(
                                    builder.getInt64Ty(), &*argument, dim));
    ++argument;
  }
  builder.CreateRet(builder.getInt32(Ok));
}

void EntryPointBuilder::addShapeError() {
  llvm::Function *function =
      createFunction(signature.name + "_shape_error", builder.getInt32Ty(),
                     countDynamic(signature.inputs) + 1);
  llvm::Value *result = function->getArg(function->arg_size() - 1);
  // Static sizes that differ and negative ones are not the model's affair.
  builder.CreateStore(builder.CreateGlobalString(
                          "expected the signature's sizes, and none below 0"),
                      result);
  llvm::Value *fits = builder.getTrue();
  auto *argument = function->arg_begin();
  SmallVector<Tensor> given =
      loadTensors(ArrayRef(tensors).take_front(signature.inputs.size()),
                  argument, /*withData=*/false, fits);
  returnUnless(fits, builder.getInt32(WrongShape));
  SmallVector<llvm::Constant *> texts = {
      llvm::ConstantPointerNull::get(builder.getPtrTy())};
  for (const std::string &text : shapeErrors)
    texts.push_back(builder.CreateGlobalString(text));
  auto *type = llvm::ArrayType::get(builder.getPtrTy(), texts.size());
  auto *table = new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantArray::get(type, texts), "");
  llvm::Value *good = builder.getTrue();
  llvm::Value *answers = callShapes(given, good);
  llvm::Value *number =
      answers ? builder.CreateExtractValue(answers, 0) : builder.getInt64(0);
  llvm::Value *text = builder.CreateLoad(
      builder.getPtrTy(),
      builder.CreateInBoundsGEP(type, table, {builder.getInt64(0), number}));
  builder.CreateStore(text, result);
  returnUnless(good, builder.getInt32(WrongShape));
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
  // For each site: the number of calls, and the ticks that they took.
  auto *type = llvm::ArrayType::get(
      llvm::ArrayType::get(builder.getInt64Ty(), 2), signature.profile->size());
  auto *sites = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
      llvm::Constant::getNullValue(type), "");
  exportAs(*sites, signature.name + "_profile");
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
    llvm::Value *amounts[] = {builder.getInt64(1), spent};
    // Calls of the model may overlap.
    for (auto [index, amount] : llvm::enumerate(amounts))
      builder.CreateAtomicRMW(
          llvm::AtomicRMWInst::Add,
          builder.CreateInBoundsGEP(
              type, sites,
              {builder.getInt64(0), end->getArg(0), builder.getInt64(index)}),
          amount, llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic);
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
