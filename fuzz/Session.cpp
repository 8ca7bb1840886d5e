//===-- Session.cpp - Many seeds ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives seeds to children and sums up what came of them.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

namespace {
class Session {
public:
  Session(SessionOptions options, const std::function<void(Job &)> &work,
          const std::function<void(const Job &)> &tellFault)
      : options(std::move(options)), work(work), tellFault(tellFault) {}
  int run();

private:
  std::optional<uint64_t> next();
  bool finish(Job &job);
  bool hasLooked(int64_t total);
  int report();

  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  SessionOptions options;
  const std::function<void(Job &)> &work;
  const std::function<void(const Job &)> &tellFault;
  size_t nextListed = 0;
  uint64_t numUnlisted = 0;
  std::map<Outcome::Kind, int64_t> outcomes;
  int64_t compared = 0, open = 0, crossChecked = 0;
  unsigned numFaults = 0;
  Coverage coverage;
  std::map<std::string, int64_t> skipped;
  std::string seenBy;
};
} // namespace

std::optional<uint64_t> Session::next() {
  if (nextListed < options.seeds.size())
    return options.seeds[nextListed++];
  if (options.seedCount ? numUnlisted >= options.seedCount
                        : options.seconds == 0)
    return std::nullopt;
  // Those of the list are run whatever the time.
  if (options.seconds && std::chrono::steady_clock::now() - begin >=
                             std::chrono::seconds(options.seconds))
    return std::nullopt;
  return options.firstSeed + numUnlisted++;
}

bool Session::finish(Job &job) {
  ++outcomes[job.outcome.kind];
  compared += job.outcome.compared;
  open += job.outcome.open;
  crossChecked += job.outcome.crossChecked;
  for (const auto &[name, count] : job.coverage) {
    coverage[name] += count;
    if (!options.seenByFile.empty() && !job.outcome.isFault())
      seenBy +=
          (Twine(job.seed) + " " + Twine(job.milliseconds) + " " + name + "\n")
              .str();
  }
  if (job.outcome.kind == Outcome::Skipped)
    ++skipped[job.outcome.text];
  if (options.isVerbose)
    llvm::outs() << "// " << job.seed << " "
                 << stringifyOutcome(job.outcome.kind)
                 << (job.outcome.text.empty() ? "" : ": ") << job.outcome.text
                 << "\n";
  if (!job.outcome.isFault())
    return true;
  ++numFaults;
  tellFault(job);
  return options.maxFaults == 0 || numFaults < options.maxFaults;
}

/// Whether nothing is left out but a few: a net that holds nothing is a fault.
bool Session::hasLooked(int64_t total) {
  auto sum = [&](StringRef prefix) {
    int64_t count = 0;
    for (const auto &[name, times] : coverage)
      if (StringRef(name).starts_with(prefix))
        count += times;
    return count;
  };
  auto areFew = [](int64_t left, int64_t all, int64_t percent, StringRef what) {
    int64_t most = std::max<int64_t>(all, 100) * percent / 100;
    if (left <= most)
      return true;
    llvm::outs().flush();
    llvm::errs() << "mlir-fusion-fuzz: error: " << left << " of " << all << " "
                 << what << ", at most " << most << " may be\n";
    return false;
  };
  int64_t noForm = sum("upstream has no form"), unchecked = sum("unchecked ");
  bool looked = areFew(outcomes[Outcome::Skipped], total, kMostSkippedPercent,
                       "graphs were skipped");
  // Gathers, scatters and packed tensors have none.
  looked &=
      areFew(noForm, noForm + sum("upstream compared"), kMostNoFormPercent,
             "graphs have no form for upstream's passes");
  looked &= areFew(unchecked, unchecked + sum("rule "), kMostUncheckedPercent,
                   "rewrites could not be evaluated");
  return looked;
}

int Session::report() {
  int64_t total = 0;
  for (const auto &[kind, count] : outcomes)
    total += count;
  // What was never seen is named, too.
  for (const std::string &name : options.names)
    coverage.try_emplace(name, 0);
  bool isSeen =
      !options.tellRules || succeeded(options.tellRules(coverage, total));
  // As a comment, so that what was printed stays a graph.
  llvm::outs() << "// " << total << " graphs:";
  for (const auto &[kind, count] : outcomes)
    llvm::outs() << " " << count << " " << stringifyOutcome(kind);
  llvm::outs() << "; " << compared << " elements compared, " << open
               << " unbounded";
  if (!options.tellRules)
    llvm::outs() << ", " << crossChecked << " by upstream's passes, too";
  llvm::outs() << "\n";
  for (const auto &[text, count] : skipped)
    llvm::outs() << "// " << count << " skipped: " << text << "\n";
  auto write = [](StringRef path, llvm::function_ref<void(raw_ostream &)> to) {
    if (path.empty())
      return true;
    std::error_code code;
    llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_Text);
    if (code) {
      llvm::errs() << "mlir-fusion-fuzz: error: cannot write " << path << ": "
                   << code.message() << "\n";
      return false;
    }
    to(file.os());
    file.keep();
    return true;
  };
  bool written = write(options.coverageFile, [&](raw_ostream &os) {
    for (const auto &[name, count] : coverage)
      os << count << " " << name << "\n";
  });
  written &= write(options.seenByFile, [&](raw_ostream &os) { os << seenBy; });
  if (!written)
    return 2;
  bool looked = hasLooked(total);
  if (numFaults)
    return 1;
  return isSeen ? !looked : 2;
}

int Session::run() {
  Pool pool;
  pool.jobs = std::max(1u, options.jobs);
  pool.timeout = options.timeLimit;
  pool.run([&] { return next(); }, work, [&](Job &job) { return finish(job); });
  return report();
}

int fuzz::runSession(SessionOptions options,
                     const std::function<void(Job &)> &work,
                     const std::function<void(const Job &)> &tellFault) {
  return Session(std::move(options), work, tellFault).run();
}
