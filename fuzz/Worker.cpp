//===-- Worker.cpp - Work in processes that may crash ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child reads seeds from one pipe and writes a line of JSON for each into
// another; when it ends early, the seed that it was at is a crash, and a new
// child goes on.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static std::string toLine(const Job &job) {
  llvm::json::Object counts;
  for (const auto &[name, count] : job.coverage)
    counts[name] = count;
  auto clean = [](StringRef text) {
    return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  };
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{
                                    {"kind", int64_t(job.outcome.kind)},
                                    {"text", clean(job.outcome.text)},
                                    {"rule", job.outcome.rule},
                                    {"detail", clean(job.outcome.detail)},
                                    {"compared", job.outcome.compared},
                                    {"open", job.outcome.open},
                                    {"milliseconds", job.milliseconds},
                                    {"cross", job.outcome.crossChecked},
                                    {"coverage", std::move(counts)}}))
      .str();
}

static bool fromLine(StringRef line, Job &job) {
  auto parsed = llvm::json::parse(line);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return false;
  job.outcome.kind =
      Outcome::Kind(object->getInteger("kind").value_or(Outcome::Crashed));
  job.outcome.text = object->getString("text").value_or("").str();
  job.outcome.rule = object->getString("rule").value_or("").str();
  job.outcome.detail = object->getString("detail").value_or("").str();
  job.outcome.compared = object->getInteger("compared").value_or(0);
  job.outcome.open = object->getInteger("open").value_or(0);
  job.milliseconds = object->getInteger("milliseconds").value_or(0);
  job.outcome.crossChecked = object->getInteger("cross").value_or(0);
  if (const llvm::json::Object *counts = object->getObject("coverage"))
    for (const auto &[name, count] : *counts)
      job.coverage[name.str()] = count.getAsInteger().value_or(0);
  return true;
}

static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      _exit(3);
    text = text.drop_front(size_t(written));
  }
}

/// Of the processor, which others may be at; but a process that waits for ever
/// ends, too.
static void limitTime(unsigned seconds) {
  itimerval limit{{0, 0}, {time_t(seconds), 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(10 * seconds);
}

static std::string describeStatus(int status) {
  if (!WIFSIGNALED(status))
    return "the process exited with " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF)
    return "no end within the time limit";
  return "signal " + std::to_string(WTERMSIG(status)) + ": " +
         strsignal(WTERMSIG(status));
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

namespace {
struct Child {
  pid_t pid = -1;
  int seeds = -1, lines = -1;
  std::string pending;
  std::optional<uint64_t> at;

  bool isRunning() const { return pid > 0; }
  void start(const std::function<void(Job &)> &work, unsigned timeout);
  std::string stop();
};
} // namespace

void Child::start(const std::function<void(Job &)> &work, unsigned timeout) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0)
    return;
  llvm::outs().flush();
  pid = fork();
  if (pid == 0) {
    close(in[1]);
    close(out[0]);
    // Crashes are told by the parent; no handler of LLVM's prints stacks.
    for (int signal : {SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE, SIGTRAP})
      std::signal(signal, SIG_DFL);
    uint64_t seed;
    while (read(in[0], &seed, sizeof(seed)) == ssize_t(sizeof(seed))) {
      Job job{seed, {}, {}};
      limitTime(timeout);
      work(job);
      limitTime(0);
      writeAll(out[1], toLine(job));
    }
    _exit(0);
  }
  close(in[0]);
  close(out[1]);
  seeds = in[1];
  lines = out[0];
  pending.clear();
}

/// Ends the child; returns how it ended.
std::string Child::stop() {
  close(seeds);
  int status = 0;
  // Later children hold its pipe, too, so that it would not see an end.
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  close(lines);
  pid = -1;
  return describeStatus(status);
}

void Pool::run(const std::function<std::optional<uint64_t>()> &next,
               const std::function<void(Job &)> &work,
               const std::function<bool(Job &)> &done) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<Child> children(jobs);
  bool isStopped = false, isEmpty = false;
  auto give = [&](Child &child) {
    if (isStopped || isEmpty)
      return;
    std::optional<uint64_t> seed = next();
    if (!seed) {
      isEmpty = true;
      return;
    }
    if (!child.isRunning())
      child.start(work, timeout);
    child.at = seed;
    uint64_t bits = *seed;
    writeAll(child.seeds, StringRef(reinterpret_cast<char *>(&bits), 8));
  };
  for (Child &child : children)
    give(child);
  while (!isStopped) {
    SmallVector<pollfd> files;
    SmallVector<Child *> waiting;
    for (Child &child : children)
      if (child.at) {
        files.push_back({child.lines, POLLIN, 0});
        waiting.push_back(&child);
      }
    if (files.empty())
      break;
    if (poll(files.data(), files.size(), -1) < 0)
      continue;
    for (auto [file, child] : llvm::zip_equal(files, waiting)) {
      if (!file.revents)
        continue;
      char buffer[65536];
      ssize_t count = read(child->lines, buffer, sizeof(buffer));
      Job job{*child->at, {}, {}};
      if (count > 0) {
        child->pending.append(buffer, size_t(count));
        size_t end = child->pending.find('\n');
        if (end == std::string::npos)
          continue;
        if (!fromLine(StringRef(child->pending).take_front(end), job))
          job.outcome = {Outcome::Crashed, "unreadable answer"};
        child->pending.erase(0, end + 1);
      } else {
        int status = 0;
        waitpid(child->pid, &status, 0);
        close(child->lines);
        close(child->seeds);
        child->pid = -1;
        job.outcome = {Outcome::Crashed, describeStatus(status)};
      }
      child->at.reset();
      if (!done(job)) {
        isStopped = true;
        break;
      }
      give(*child);
    }
  }
  for (Child &child : children)
    if (child.isRunning())
      child.stop();
}

Job fuzz::runIsolated(llvm::function_ref<void(Job &)> work, unsigned seconds) {
  Pool pool;
  pool.timeout = seconds;
  bool isGiven = false;
  Job result{/*seed=*/0, {Outcome::Crashed, "no answer"}, {}};
  pool.run(
      [&]() -> std::optional<uint64_t> {
        if (isGiven)
          return std::nullopt;
        isGiven = true;
        return 0;
      },
      [&](Job &job) { work(job); },
      [&](Job &job) {
        result = std::move(job);
        return true;
      });
  return result;
}
