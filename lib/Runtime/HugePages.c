/*===-- HugePages.c - Constants in huge pages ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled to bitcode when the project is built and linked into models with big
// constants. A pass over weights touches a page of 4 KiB every few hundred
// nanoseconds, and the prefetchers of the CPU stop at its end; with pages of
// 2 MiB they do not.
//
//===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The model's; the compiler gives them their names and values. */
extern char fusion_constants[];
extern const size_t fusion_constants_size;

static const size_t hugePage = 2u << 20;

/* Without huge pages a copy would be for nothing. */
static int areHugePagesAllowed(void) {
  char text[64] = "";
  int file = open("/sys/kernel/mm/transparent_hugepage/enabled",
                  O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  return length > 0 && !strstr(text, "[never]");
}

/* Puts a copy of [at, at + size) in its place; 0 if the old one stays. */
static int replaceByHugePages(char *at, size_t size) {
  char *memory = mmap(NULL, size + hugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  size_t before = -(uintptr_t)memory % hugePage;
  char *copy = memory + before;
  madvise(copy, size, MADV_HUGEPAGE);
  memcpy(copy, at, size);
  int done =
      mprotect(copy, size, PROT_READ) == 0 &&
      mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
  if (!done) {
    /* The move may have left a hole; nothing else can be there yet. */
    if (mmap(at, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) == at)
      memcpy(at, copy, size);
    munmap(copy, size);
  }
  if (before)
    munmap(memory, before);
  munmap(copy + size, hugePage - before);
  return done;
}

/* Run when a library is loaded, or by the JIT: nobody uses the constants yet.
   Whatever fails leaves them readable. */
__attribute__((constructor)) void fusion_use_huge_pages(void) {
  uintptr_t from = (uintptr_t)fusion_constants + hugePage - 1;
  uintptr_t to = (uintptr_t)fusion_constants + fusion_constants_size;
  from -= from % hugePage;
  to -= to % hugePage;
  if (from >= to || !areHugePagesAllowed())
    return;
  /* In parts, so that no second copy of all constants is ever resident. */
  size_t part = (to - from) / 16 + hugePage;
  part -= part % hugePage;
  for (; from < to; from += part) {
    if (part > to - from)
      part = to - from;
    if (!replaceByHugePages((char *)from, part))
      return;
  }
}
