//===-- GuardedBuffer.cpp - Memory that ends where it ends ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages around the buffers, and the signal handler that names the buffer whose
// pages were touched.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Target/GuardedBuffer.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::fusion;
using llvm::Twine;

/// On each side: large strides would leap over a page.
static constexpr size_t kGuardSize = 1 << 20;
static constexpr char kRestByte = '\xff';

/// What is read without having been written differs with the side: as floats,
/// a number at one and NaN at the other.
static char getBufferByte(GuardedBuffer::Side side) {
  return side == GuardedBuffer::Side::End ? '\x5a' : '\xff';
}

//===----------------------------------------------------------------------===//
// The signal handler
//===----------------------------------------------------------------------===//

namespace {
/// What the handler may read while others write: plain words.
struct Slot {
  std::atomic<bool> isTaken, isReady;
  uintptr_t mapping, mappingEnd, data, dataEnd;
  char name[128];
};
} // namespace

static constexpr unsigned kNumSlots = 512;
static Slot slots[kNumSlots];
static struct sigaction previousAction;

namespace {
/// A line made without the heap.
class Line {
public:
  void add(const char *text) {
    size_t length = std::min(strlen(text), sizeof(buffer) - used);
    memcpy(buffer + used, text, length);
    used += length;
  }
  void add(uintptr_t number) {
    char digits[24];
    char *first = std::end(digits);
    *--first = '\0';
    do {
      *--first = char('0' + number % 10);
      number /= 10;
    } while (number);
    add(first);
  }
  void print() const {
    // There is nobody to tell of a failure.
    if (write(STDERR_FILENO, buffer, used) < 0)
      return;
  }

private:
  char buffer[512];
  size_t used = 0;
};
} // namespace

static void handleFault(int signal, siginfo_t *info, void *context) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Slot &slot : slots) {
    if (!slot.isReady || address < slot.mapping || address >= slot.mappingEnd)
      continue;
    Line line;
    line.add("error: access outside of ");
    line.add(slot.name);
    line.add(": ");
    bool isBefore = address < slot.data;
    line.add(isBefore ? slot.data - address : address - slot.dataEnd);
    line.add(isBefore ? " bytes before its begin, of "
                      : " bytes behind its end, of ");
    line.add(slot.dataEnd - slot.data);
    line.add(" bytes\n");
    line.print();
    _exit(1);
  }
  // Not ours: whoever had the signal gets it again, from the same instruction.
  sigaction(signal, &previousAction, nullptr);
  (void)context;
}

/// Handlers that others have installed since are followed by ours.
static void installHandler() {
  struct sigaction now;
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == handleFault)
    return;
  struct sigaction action = {};
  action.sa_sigaction = handleFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previousAction);
}

static std::optional<unsigned> takeSlot() {
  for (unsigned i = 0; i < kNumSlots; ++i) {
    bool free = false;
    if (slots[i].isTaken.compare_exchange_strong(free, true))
      return i;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

llvm::Expected<GuardedBuffer> GuardedBuffer::create(std::string name,
                                                    size_t size,
                                                    size_t alignment,
                                                    Side side) {
  static std::mutex mutex;
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  GuardedBuffer buffer;
  buffer.name = std::move(name);
  buffer.size = size;
  buffer.pagesSize = llvm::alignTo(size, page);
  buffer.mappingSize = buffer.pagesSize + 2 * kGuardSize;
  void *mapping = mmap(nullptr, buffer.mappingSize, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return llvm::createStringError("cannot map memory for " + buffer.name +
                                   ": " + strerror(errno));
  buffer.mapping = static_cast<char *>(mapping);
  buffer.pages = buffer.mapping + kGuardSize;
  if (size &&
      mprotect(buffer.pages, buffer.pagesSize, PROT_READ | PROT_WRITE) != 0) {
    int error = errno;
    return llvm::createStringError("cannot map memory for " + buffer.name +
                                   ": " + strerror(error));
  }
  size_t atEnd = llvm::alignDown(buffer.pagesSize - size, alignment);
  buffer.data = buffer.pages + (side == Side::End ? atEnd : 0);
  if (size) {
    memset(buffer.pages, kRestByte, buffer.pagesSize);
    memset(buffer.data, getBufferByte(side), size);
  }

  std::lock_guard<std::mutex> lock(mutex);
  installHandler();
  buffer.slot = takeSlot();
  // More buffers than that are guarded, but nameless.
  if (!buffer.slot)
    return buffer;
  Slot &slot = slots[*buffer.slot];
  slot.mapping = reinterpret_cast<uintptr_t>(buffer.mapping);
  slot.mappingEnd = slot.mapping + buffer.mappingSize;
  slot.data = reinterpret_cast<uintptr_t>(buffer.data);
  slot.dataEnd = slot.data + size;
  strncpy(slot.name, buffer.name.c_str(), sizeof(slot.name) - 1);
  slot.isReady = true;
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other)
    : name(std::move(other.name)), mapping(other.mapping), pages(other.pages),
      data(other.data), mappingSize(other.mappingSize),
      pagesSize(other.pagesSize), size(other.size), slot(other.slot) {
  other.mapping = nullptr;
  other.slot.reset();
}

GuardedBuffer::~GuardedBuffer() {
  if (slot) {
    slots[*slot].isReady = false;
    slots[*slot].isTaken = false;
  }
  if (mapping)
    munmap(mapping, mappingSize);
}

llvm::Error GuardedBuffer::checkRest() const {
  for (const char *byte = pages; byte != pages + pagesSize; ++byte) {
    if (byte == data)
      byte += size;
    if (byte == pages + pagesSize)
      break;
    if (*byte == kRestByte)
      continue;
    bool isBefore = byte < data;
    return llvm::createStringError(
        "expected no write outside of " + name + ", got one " +
        Twine(isBefore ? data - byte : byte - (data + size)) +
        (isBefore ? " bytes before its begin, of "
                  : " bytes behind its end, of ") +
        Twine(size) + " bytes");
  }
  return llvm::Error::success();
}
