//===-- DataObject.cpp - A constant global as an ELF object ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through LLVM's assembler the bytes would be copied twice more.
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace llvm::ELF;

namespace {
/// The sections, in the order of their headers.
enum Section : uint16_t { Null, Data, Symbols, Strings, Stack, NumSections };
} // namespace

template <typename T>
static void writeStruct(llvm::raw_ostream &os, const T &value) {
  os.write(reinterpret_cast<const char *>(&value), sizeof(value));
}

void ConstantArena::writeObject(llvm::raw_ostream &os) const {
  std::string strings(1, '\0');
  auto addString = [&](StringRef text) {
    uint32_t offset = strings.size();
    strings += text.str() + '\0';
    return offset;
  };
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = addString(symbol);
  symbols[1].setBindingAndType(STB_GLOBAL, STT_OBJECT);
  symbols[1].st_other = STV_HIDDEN;
  symbols[1].st_shndx = Data;
  symbols[1].st_size = size;

  // The data come right after the header, which is as long as their alignment.
  static_assert(sizeof(Elf64_Ehdr) == arenaAlignment);
  Elf64_Shdr sections[NumSections] = {};
  uint64_t end = sizeof(Elf64_Ehdr);
  auto place = [&](Section section, StringRef name, uint32_t type,
                   uint64_t bytes, uint64_t alignment) {
    Elf64_Shdr &header = sections[section];
    header.sh_name = addString(name);
    header.sh_type = type;
    header.sh_offset = end;
    header.sh_size = bytes;
    header.sh_addralign = alignment;
    end += bytes;
  };
  place(Data, ".rodata", SHT_PROGBITS, size, arenaAlignment);
  sections[Data].sh_flags = SHF_ALLOC;
  place(Symbols, ".symtab", SHT_SYMTAB, sizeof(symbols), alignof(Elf64_Sym));
  sections[Symbols].sh_link = Strings;
  sections[Symbols].sh_info = 1; // The first that is not local.
  sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
  place(Stack, ".note.GNU-stack", SHT_PROGBITS, 0, 1);
  place(Strings, ".strtab", SHT_STRTAB, 0, 1);
  strings.resize(llvm::alignTo(strings.size(), alignof(Elf64_Shdr)));
  sections[Strings].sh_size = strings.size();

  Elf64_Ehdr header = {};
  llvm::copy(StringRef("\177ELF"), header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = end + strings.size();
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = NumSections;
  header.e_shstrndx = Strings;

  writeStruct(os, header);
  uint64_t written = 0;
  for (auto [bytes, offset] : llvm::zip(pieces, offsets)) {
    os.write_zeros(offset - written);
    os.write(bytes.data(), bytes.size());
    written = offset + bytes.size();
  }
  os.write_zeros(size - written);
  writeStruct(os, symbols);
  os << strings;
  writeStruct(os, sections);
}
