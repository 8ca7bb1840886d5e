//===-- Roofline.cpp - What this machine can do at most -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples are taken between those of a model, since clocks and neighbours
// change. What can be reached is the ninetieth percentile, not the best sample,
// which may be one of a clock that nothing else ran at.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"
#include "PeakLoops.h"
#include "Report.h"
#include "Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <cmath>
#include <limits>
#include <sys/mman.h>

using namespace mlir;
using namespace mlir::fusion;

static double getReachable(ArrayRef<double> rates) {
  SmallVector<double> sorted(rates);
  llvm::sort(sorted);
  return sorted.empty() ? 0 : getQuantile(sorted, 0.9);
}

double MemoryLevel::getReadRate() const { return getReachable(readRates); }
double MemoryLevel::getCopyRate() const { return getReachable(copyRates); }

//===----------------------------------------------------------------------===//
// Levels of memory
//===----------------------------------------------------------------------===//

/// A thread's memory, in huge pages where there are any.
struct Roofline::Buffer {
  explicit Buffer(size_t size) : size(size) {
    void *start = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
      return;
    data = static_cast<char *>(start);
    (void)madvise(data, size, MADV_HUGEPAGE);
  }
  ~Buffer() {
    if (data)
      munmap(data, size);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  size_t size;
  char *data = nullptr;
};

/// Bytes of the data cache of this level, 0 if the system tells of none.
static int64_t getCacheSize(unsigned level) {
  auto read = [](const Twine &path) {
    auto file = llvm::MemoryBuffer::getFileAsStream(path);
    return file ? (*file)->getBuffer().trim().str() : std::string();
  };
  for (unsigned index = 0;; ++index) {
    std::string folder =
        ("/sys/devices/system/cpu/cpu0/cache/index" + Twine(index)).str();
    std::string size = read(folder + "/size");
    if (size.empty())
      return 0;
    int64_t kibibytes = 0;
    if (read(folder + "/level") == std::to_string(level) &&
        read(folder + "/type") != "Instruction" &&
        !StringRef(size).drop_back().getAsInteger(10, kibibytes))
      return kibibytes << 10;
  }
}

/// The caches that the system tells of. Each is measured well between its size
/// and that of the one before.
static SmallVector<MemoryLevel> findLevels(unsigned threads) {
  constexpr int64_t kLeastMemory = int64_t(64) << 20, kMostMemory = int64_t(512)
                                                                    << 20;
  SmallVector<MemoryLevel> levels;
  // Of one thread.
  int64_t last = 0;
  for (unsigned number = 1; number <= 3; ++number) {
    int64_t size = getCacheSize(number);
    // The last one is shared.
    int64_t part = number == 3 ? size / threads : size;
    if (part <= 2 * last)
      continue;
    MemoryLevel &level = levels.emplace_back();
    level.name = "L" + std::to_string(number);
    level.capacity = part * threads;
    double between = last == 0 ? part / 2 : std::sqrt(double(last) * part);
    level.bytesPerThread =
        llvm::alignDown(uint64_t(between), 2 * kPeakLoopStep);
    last = part;
  }
  MemoryLevel &memory = levels.emplace_back();
  memory.name = "DRAM";
  memory.capacity = std::numeric_limits<int64_t>::max();
  memory.bytesPerThread = llvm::alignTo(
      std::clamp(4 * last * threads, kLeastMemory, kMostMemory) / threads,
      2 * kPeakLoopStep);
  return levels;
}

const MemoryLevel &Roofline::findLevel(double bytes) const {
  for (const MemoryLevel &level : levels)
    if (bytes <= level.capacity)
      return level;
  return levels.back();
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

Roofline::Roofline(unsigned vectorBits, unsigned threads, RunInThreadsFn run)
    : vectorBits(vectorBits), threads(threads), run(std::move(run)),
      levels(findLevels(threads)) {
  for (unsigned i = 0; i < threads; ++i)
    buffers.push_back(std::make_unique<Buffer>(levels.back().bytesPerThread));
  // Who touches a page first has it near.
  this->run([&](unsigned thread) {
    Buffer &buffer = *buffers[thread];
    if (buffer.data)
      std::fill_n(buffer.data, buffer.size, 0);
  });
}

Roofline::~Roofline() = default;

double
Roofline::getRate(double seconds,
                  llvm::function_ref<double(unsigned thread)> work) const {
  using Clock = std::chrono::steady_clock;
  SmallVector<double> rates(threads);
  run([&](unsigned thread) {
    double done = 0, spent = 0;
    auto begin = Clock::now();
    while (spent < seconds) {
      done += work(thread);
      spent = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    rates[thread] = done / spent;
  });
  return llvm::sum_of(rates, 0.0);
}

void Roofline::measure() {
  constexpr double kSeconds = 1e-3;
  for (bool inDoubles : {false, true})
    (inDoubles ? doubleRates : singleRates)
        .push_back(getRate(kSeconds, [&](unsigned) {
          return multiplyAndAdd(vectorBits, inDoubles);
        }));
  if (llvm::any_of(buffers, [](auto &buffer) { return !buffer->data; }))
    return;
  for (MemoryLevel &level : levels) {
    size_t bytes = level.bytesPerThread, half = bytes / 2;
    // A loop over a cache has run once when it starts to count.
    auto measureOne = [&](llvm::function_ref<void(char *)> loop) {
      if (&level != &levels.back())
        run([&](unsigned thread) { loop(buffers[thread]->data); });
      return getRate(kSeconds, [&](unsigned thread) {
        loop(buffers[thread]->data);
        return double(bytes);
      });
    };
    level.readRates.push_back(
        measureOne([&](char *data) { readMemory(vectorBits, data, bytes); }));
    level.copyRates.push_back(measureOne(
        [&](char *data) { copyMemory(vectorBits, data + half, data, half); }));
  }
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

double Roofline::getPeak(StringRef type) const {
  return type == "f32"   ? getReachable(singleRates)
         : type == "f64" ? getReachable(doubleRates)
                         : 0;
}

Bound Roofline::getBound(const Work &work, double allConstants) const {
  Bound bound;
  double peak = getPeak(work.type);
  if (peak > 0 && work.flops > 0)
    bound = {work.flops / peak, "compute"};
  if (levels.back().readRates.empty())
    return bound;
  const MemoryLevel &near = findLevel(work.readBytes + work.writtenBytes);
  const MemoryLevel &far = findLevel(allConstants);
  double copied = std::min(work.readBytes, work.writtenBytes);
  double constants =
      work.constantBytes > 0 ? work.constantBytes / far.getReadRate() : 0;
  double activations = (work.readBytes - copied) / near.getReadRate() +
                       (work.writtenBytes + copied) / near.getCopyRate();
  if (constants + activations > bound.seconds)
    bound = {constants + activations,
             constants > activations ? far.name : near.name};
  return bound;
}

void Roofline::print(raw_ostream &os) const {
  os << "This machine with " << threads
     << (threads == 1 ? " thread" : " threads") << " and vectors of "
     << vectorBits << " bits: " << formatFixed(getPeak("f32") * 1e-9, 1)
     << " GFLOP/s in f32, " << formatFixed(getPeak("f64") * 1e-9, 1)
     << " in f64\n";
  Table table({"memory", ">read GB/s", ">copy GB/s", ">measured in"});
  for (const MemoryLevel &level : levels)
    table.addRow({level.name, formatFixed(level.getReadRate() * 1e-9, 1),
                  formatFixed(level.getCopyRate() * 1e-9, 1),
                  formatBytes(level.bytesPerThread * threads)});
  table.print(os);
}

llvm::json::Object Roofline::toJson() const {
  llvm::json::Array memory;
  for (const MemoryLevel &level : levels)
    memory.push_back(
        llvm::json::Object{{"name", level.name},
                           {"measured_bytes", level.bytesPerThread * threads},
                           {"read_gbs", level.getReadRate() * 1e-9},
                           {"copy_gbs", level.getCopyRate() * 1e-9}});
  return llvm::json::Object{{"vector_bits", vectorBits},
                            {"threads", threads},
                            {"f32_gflops", getPeak("f32") * 1e-9},
                            {"f64_gflops", getPeak("f64") * 1e-9},
                            {"samples", int64_t(singleRates.size())},
                            {"memory", std::move(memory)}};
}
