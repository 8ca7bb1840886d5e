//===-- JIT.cpp - The same objects, in this process -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects come from the code generator, so a JIT's results are a library's.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"
#include "Entry.h"
#include "Linker.h"
#include "Units.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace mlir::fusion;

/// All objects in one stretch of address space: code reaches constants by
/// 32-bit offsets.
static llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>>
createLinkingLayer(llvm::orc::ExecutionSession &session, size_t size) {
  auto memory = llvm::orc::MapperJITLinkMemoryManager::CreateWithMapper<
      llvm::orc::InProcessMemoryMapper>(llvm::alignTo(size, 1 << 20));
  if (!memory)
    return memory.takeError();
  return std::make_unique<llvm::orc::ObjectLinkingLayer>(session,
                                                         std::move(*memory));
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
link(std::vector<SmallVector<char, 0>> objects, const EmitOptions &options,
     std::shared_ptr<std::string> messages) {
  // Sections are padded to pages, and the linker adds tables of its own.
  size_t size = 1 << 20;
  for (const auto &object : objects)
    size += object.size() + (1 << 16);
  auto jit = llvm::orc::LLJITBuilder()
                 .setObjectLinkingLayerCreator(
                     [size](llvm::orc::ExecutionSession &session) {
                       return createLinkingLayer(session, size);
                     })
                 .create();
  if (!jit)
    return jit.takeError();
  (*jit)->getExecutionSession().setErrorReporter([messages](llvm::Error error) {
    *messages += llvm::toString(std::move(error)) + ": ";
  });
  for (auto [index, object] : llvm::enumerate(objects))
    if (llvm::Error error = (*jit)->addObjectFile(
            std::make_unique<llvm::SmallVectorMemoryBuffer>(
                std::move(object), "unit" + Twine(index).str(),
                /*RequiresNullTerminator=*/false)))
      return error;
  for (const std::string &path : options.linkFiles) {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file)
      return llvm::createStringError(file.getError(),
                                     "cannot read '" + path + "'");
    if (llvm::Error error = (*jit)->addObjectFile(std::move(*file)))
      return error;
  }
  if (options.threading == "openmp") {
    auto path = findOpenMPLibrary(options.openmpLibrary);
    if (!path)
      return path.takeError();
    auto openMP = llvm::orc::DynamicLibrarySearchGenerator::Load(
        path->c_str(), (*jit)->getDataLayout().getGlobalPrefix());
    if (!openMP)
      return openMP.takeError();
    (*jit)->getMainJITDylib().addGenerator(std::move(*openMP));
  }
  return jit;
}

FailureOr<std::unique_ptr<JIT>>
mlir::fusion::createJIT(ModuleOp module, const EmitOptions &options) {
  FailureOr<Program> program =
      createProgram(module, options, /*forLibrary=*/true);
  if (failed(program))
    return failure();
  std::vector<SmallVector<char, 0>> objects(program->units.size());
  if (failed(program->codeGenerator->emitObjects(
          program->units, options.jobs, [&](size_t index) {
            return std::make_unique<llvm::raw_svector_ostream>(objects[index]);
          })))
    return failure();
  // What the JIT would print.
  auto messages = std::make_shared<std::string>();
  auto lljit = link(std::move(objects), options, messages);
  if (!lljit)
    return emitError(getReportLocation(module, options))
           << llvm::toString(lljit.takeError());
  auto jit = std::make_unique<JIT>(program->signature, std::move(*lljit));
  // Linking is lazy; whatever is missing shall be missed here.
  auto run = jit->lookup(program->signature.name + "_run");
  if (!run)
    return emitError(getReportLocation(module, options))
           << *messages << llvm::toString(run.takeError());
  // Nobody runs an object's constructors here.
  auto useHugePages = jit->lookup("fusion_use_huge_pages");
  if (useHugePages)
    reinterpret_cast<void (*)()>(*useHugePages)();
  else
    llvm::consumeError(useHugePages.takeError());
  return jit;
}

JIT::JIT(Signature signature, std::unique_ptr<llvm::orc::LLJIT> jit)
    : signature(std::move(signature)), jit(std::move(jit)) {}

JIT::~JIT() {
  // Nobody runs an object's destructors here.
  if (signature.workspaceSize == 0)
    return;
  auto release = lookup("fusion_free_workspaces");
  if (release)
    reinterpret_cast<void (*)()>(*release)();
  else
    llvm::consumeError(release.takeError());
}

llvm::Expected<void *> JIT::lookup(StringRef symbol) const {
  auto address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

llvm::Expected<int> JIT::run(ArrayRef<void *> tensors, void *workspace) const {
  size_t expected = 0;
  for (const auto *kind : {&signature.inputs, &signature.outputs})
    for (const TensorSignature &tensor : *kind)
      expected += tensor.isDynamic() ? 2 : 1;
  if (tensors.size() != expected)
    return llvm::createStringError("expected " + Twine(expected) +
                                   " tensors and dims, got " +
                                   Twine(tensors.size()));
  auto run = lookup(signature.name + "_run");
  if (!run)
    return run.takeError();
  SmallVector<void *> arguments(tensors);
  arguments.push_back(workspace);
  return callWithPointers(*run, arguments);
}
