//===-- ParseDeadline.cpp - MLIR's parsers may not end --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attribute of bytecode that has itself as a part is read for ever, and no
// check can be in front of what only its dialect can read.
//
//===----------------------------------------------------------------------===//

#include "ParseDeadline.h"
#include "Options.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <string>
#include <unistd.h>

using namespace mlir::fusion;

static std::string &getText() {
  static std::string text;
  return text;
}

/// The parser may be inside of malloc: nothing here is.
static void end(int) {
  const std::string &text = getText();
  (void)!write(STDERR_FILENO, text.data(), text.size());
  llvm::sys::RunInterruptHandlers();
  _exit(kBadInput);
}

ParseDeadline::ParseDeadline(unsigned seconds, const llvm::Twine &message) {
  getText() = ("mlir-fusion: error: " + message + "\n").str();
  struct sigaction action = {};
  action.sa_handler = end;
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
