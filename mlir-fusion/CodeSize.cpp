//===-- CodeSize.cpp - Sizes of what was compiled -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up sections.
//
//===----------------------------------------------------------------------===//

#include "CodeSize.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::fusion;

CodeSize fusion::getCodeSize(StringRef path) {
  CodeSize size;
  uint64_t fileSize = 0;
  if (!llvm::sys::fs::file_size(path, fileSize))
    size.file = fileSize;
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return size;
  }
  int64_t text = 0, readOnly = 0;
  for (llvm::object::SectionRef section : file->getBinary()->sections()) {
    auto name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (section.isText())
      text += section.getSize();
    else if (name->contains("rodata"))
      readOnly += section.getSize();
  }
  size.text = text;
  size.readOnly = readOnly;
  return size;
}
