//===-- ParseLimits.cpp - Time and memory of MLIR's parsers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attribute of bytecode that has itself as a part is read for ever, and a
// tensor.from_elements allocates as many operand types as its type has
// elements: no check can be in front of what only a dialect can read.
//
//===----------------------------------------------------------------------===//

#include "ParseLimits.h"
#include "Options.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <string>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fusion;

void fusion::endParsing() {
  llvm::sys::RunInterruptHandlers();
  _exit(kBadInput);
}

static std::string getError(const llvm::Twine &message) {
  return ("mlir-fusion: error: " + message + "\n").str();
}

/// The parser may be inside of malloc: nothing here is.
[[noreturn]] static void endWith(const std::string &text) {
  (void)!write(STDERR_FILENO, text.data(), text.size());
  endParsing();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static std::string &getLate() {
  static std::string text;
  return text;
}

ParseDeadline::ParseDeadline(unsigned seconds, const llvm::Twine &message) {
  getLate() = getError(message);
  struct sigaction action = {};
  action.sa_handler = [](int) { endWith(getLate()); };
  sigaction(SIGVTALRM, &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGVTALRM;
  itimerspec when = {};
  when.it_value.tv_sec = seconds;
  isSet = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0 &&
          timer_settime(timer, 0, &when, nullptr) == 0;
}

ParseDeadline::~ParseDeadline() {
  if (isSet)
    timer_delete(timer);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static std::string &getLarge() {
  static std::string text;
  return text;
}

/// The addresses that the process has, in bytes; 0 if nobody says.
static uint64_t getAddresses() {
  uint64_t pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%" SCNu64, &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

ParseMemory::ParseMemory(uint64_t bytes, const llvm::Twine &message) {
  getLarge() = getError(message);
  uint64_t addresses = getAddresses();
  if (addresses == 0 || getrlimit(RLIMIT_AS, &before) != 0 ||
      before.rlim_cur <= addresses + bytes)
    return;
  rlimit limit = {addresses + bytes, before.rlim_max};
  isSet = setrlimit(RLIMIT_AS, &limit) == 0;
  if (isSet)
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { endWith(getLarge()); });
}

ParseMemory::~ParseMemory() {
  if (!isSet)
    return;
  llvm::remove_bad_alloc_error_handler();
  (void)setrlimit(RLIMIT_AS, &before);
}
