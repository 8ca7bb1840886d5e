//===-- mlir-fusion-fuzz-input.cpp - Hostile input ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target of libFuzzer: any bytes are read as the driver reads a model, text
// or bytecode, and taken through all stages. A crash, a hang, too much memory,
// or a failure without an error is a finding; of text without locations of its
// own, the error must name a place.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "InputMutator.h"
#include "Report.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fusion;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// What the driver would have printed.
static std::string printed;

/// In place of Report.cpp's.
LogicalResult fusion::error(const Twine &message) {
  printed = message.str();
  return failure();
}

static StringRef getBytes(const uint8_t *data, size_t size) {
  return StringRef(reinterpret_cast<const char *>(data), size);
}

//===----------------------------------------------------------------------===//
// What is tested
//===----------------------------------------------------------------------===//

namespace {
/// Bytes as a file, since the driver reads files.
class InputFile {
public:
  explicit InputFile(StringRef bytes) : file(memfd_create("model", 0)) {
    llvm::raw_fd_ostream(file, /*shouldClose=*/false, /*unbuffered=*/true)
        << bytes;
  }
  ~InputFile() { close(file); }
  std::string getPath() const {
    return "/proc/self/fd/" + std::to_string(file);
  }

private:
  int file;
};
} // namespace

/// Through all stages, and into LLVM IR now and then.
static LogicalResult compile(Compilation &compilation, bool withCode) {
  if (failed(compilation.parse()))
    return failure();
  for (StringRef stage : getStageNames())
    if (failed(compilation.runStage(stage)))
      return failure();
  if (!withCode)
    return success();
  return emitLLVMIR(compilation.getModule(), "/dev/null",
                    compilation.getEmitOptions("model.ll"));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes = getBytes(data, size);
  InputFile file(bytes);
  // The same flags for the same bytes.
  uint64_t choice = llvm::xxh3_64bits(bytes);
  CompileFlags flags;
  flags.model = file.getPath();
  flags.target = choice & 1 ? "x86-64-v3" : "x86-64-v4";
  flags.fpAccuracy = choice & 2 ? "default" : "fast";
  flags.threading = choice & 4 ? "openmp" : "none";
  flags.jobs = 1;
  flags.quiet = true;
  Compilation compilation(flags, /*collectRemarks=*/choice & 8);
  printed.clear();
  if (succeeded(compile(compilation, choice % 16 == 0)))
    return 0;
  StringRef text = printed.empty() ? compilation.getError() : printed;
  // Bytecode and ops that say so are of another file, or of none.
  bool saysPlaces = bytes.contains("loc(") ||
                    isBytecode(llvm::MemoryBufferRef(bytes, "model"));
  if (saysPlaces ? text.empty() : !text.starts_with(flags.model)) {
    llvm::errs() << "expected an error with a place, got '" << text << "'\n";
    abort();
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// How inputs are made of others
//===----------------------------------------------------------------------===//

static InputMutator mutator;

/// The generic form names every attribute.
static std::string printGeneric(StringRef bytes, MLIRContext &context) {
  OwningOpRef<Operation *> op = parseSourceString(
      bytes, ParserConfig(&context, /*verifyAfterParse=*/false));
  std::string text;
  if (op) {
    llvm::raw_string_ostream os(text);
    op->print(os, OpPrintingFlags().printGenericOpForm());
  }
  return text;
}

/// Bytecode of `bytes` with other tokens; nothing where they do not parse.
static std::string mutateBytecode(StringRef bytes, unsigned seed) {
  DialectRegistry registry;
  registerFusionDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  std::string text = mutator.mutate(printGeneric(bytes, context), seed);
  OwningOpRef<Operation *> op = parseSourceString(text, ParserConfig(&context));
  std::string result;
  llvm::raw_string_ostream os(result);
  if (!op || failed(writeBytecodeToFile(op.get(), os)))
    result.clear();
  return result;
}

static size_t store(StringRef bytes, uint8_t *data, size_t maxSize) {
  bytes = bytes.take_front(maxSize);
  llvm::copy(bytes.bytes(), data);
  return bytes.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  StringRef bytes = getBytes(data, size);
  bool binary = isBytecode(llvm::MemoryBufferRef(bytes, "model"));
  if (seed % (binary ? 2 : 16) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string result =
      binary ? mutateBytecode(bytes, seed) : mutator.mutate(bytes, seed);
  return result.empty() ? LLVMFuzzerMutate(data, size, maxSize)
                        : store(result, data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return store(
      mutator.cross(getBytes(data, size), getBytes(other, otherSize), seed),
      out, maxSize);
}

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  for (StringRef argument : ArrayRef(*argv, *argc))
    if (argument.consume_front("-dict="))
      if (auto words = llvm::MemoryBuffer::getFile(argument))
        mutator.addWords((*words)->getBuffer());
  return 0;
}
