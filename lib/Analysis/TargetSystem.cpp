//===-- TargetSystem.cpp - What a Linux system says of its CPU ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of caches and numbers of cores as files of /sys/devices/system/cpu
// tell them. Whatever is missing there, or makes no sense, is not taken.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fusion;

/// The first line of a file; empty if there is none. The files have no size
/// before they are read.
static std::string readLine(const Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().split('\n').first.trim().str() : "";
}

/// "1024K", "32M" or "512"; 0 if it is nothing of the kind.
static int64_t parseSize(StringRef text) {
  int64_t unit = text.consume_back("K")   ? 1 << 10
                 : text.consume_back("M") ? 1 << 20
                 : text.consume_back("G") ? 1 << 30
                                          : 1;
  uint32_t count;
  return text.getAsInteger(10, count) ? 0 : count * unit;
}

/// How many are in a list such as "0-3,8"; 0 if it is no list.
static int64_t countList(StringRef text) {
  SmallVector<StringRef> ranges;
  text.split(ranges, ',', -1, /*KeepEmpty=*/false);
  int64_t count = 0;
  for (StringRef range : ranges) {
    auto [first, last] = range.split('-');
    uint32_t from, to;
    if (first.getAsInteger(10, from))
      return 0;
    if (last.empty())
      to = from;
    else if (last.getAsInteger(10, to) || to < from)
      return 0;
    count += int64_t(to) - from + 1;
  }
  return count;
}

void TargetInfo::readSystem(StringRef folder) {
  auto set = [&](StringRef name, int64_t value) {
    for (const TargetFact &fact : getTargetFacts())
      if (fact.name == name && value >= std::max<int64_t>(fact.least, 1) &&
          value <= fact.most)
        this->*fact.member = value;
  };
  // Each core may run several threads, all of which are counted.
  int64_t threads = std::max<int64_t>(
      countList(readLine(folder + "/cpu0/topology/thread_siblings_list")), 1);
  constexpr int64_t kMaxCaches = 16;
  int64_t lastLevel = 0;
  for (int64_t index = 0; index < kMaxCaches; ++index) {
    std::string cache = (folder + "/cpu0/cache/index" + Twine(index)).str();
    std::string type = readLine(cache + "/type");
    int64_t level = parseSize(readLine(cache + "/level"));
    if (level < 1 || level > 3 || (type != "Data" && type != "Unified"))
      continue;
    set("l" + std::to_string(level), parseSize(readLine(cache + "/size")));
    if (level <= lastLevel)
      continue;
    lastLevel = level;
    set("cores", countList(readLine(cache + "/shared_cpu_list")) / threads);
  }
}
