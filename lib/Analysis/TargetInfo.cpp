//===-- TargetInfo.cpp - CPU names to what is known of them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors follow from LLVM's own list of CPUs and features, other numbers from
// TargetTable.cpp; of the host, from the system. A module's attribute goes
// before these, and facts in the target's text before all.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "TargetTable.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Facts and their names ---------------------------------------------===//

ArrayRef<TargetFact> fusion::getTargetFacts() {
  constexpr int64_t kMaxBytes = int64_t(1) << 40;
  static constexpr TargetFact facts[] = {
      {"vector-bits", "max_vector_op_width", "bits", "width of a vector",
       &TargetInfo::vectorBits, 128, 512, /*powerOfTwo=*/true},
      {"registers", "vector_registers", "", "vectors that registers hold",
       &TargetInfo::vectorRegisters, 8, 32},
      {"fma-ports", "fma_ports", "", "multiply-adds of vectors in a cycle",
       &TargetInfo::multiplyAddPorts, 1, 8},
      {"fma-latency", "fma_latency_in_cycles", "cycles",
       "until a multiply-add is done", &TargetInfo::multiplyAddLatency, 1, 64},
      {"l1", "L1_cache_size_in_bytes", "bytes", "first-level data cache",
       &TargetInfo::l1Bytes, TargetInfo::kL1WayBytes, kMaxBytes},
      {"l2", "L2_cache_size_in_bytes", "bytes", "second-level cache",
       &TargetInfo::l2Bytes, TargetInfo::kL1WayBytes, kMaxBytes},
      {"l3", "L3_cache_size_in_bytes", "bytes",
       "third-level cache, shared by all cores", &TargetInfo::l3Bytes, 0,
       kMaxBytes},
      {"l1-bandwidth", "L1_bandwidth_in_bytes_per_cycle", "bytes/cycle",
       "read by one core", &TargetInfo::l1Bandwidth, 1, 4096},
      {"l2-bandwidth", "L2_bandwidth_in_bytes_per_cycle", "bytes/cycle",
       "read by one core", &TargetInfo::l2Bandwidth, 1, 4096},
      {"l3-bandwidth", "L3_bandwidth_in_bytes_per_cycle", "bytes/cycle",
       "read by one core", &TargetInfo::l3Bandwidth, 1, 4096},
      {"memory-bandwidth", "memory_bandwidth_in_bytes_per_cycle", "bytes/cycle",
       "read by one core", &TargetInfo::memoryBandwidth, 1, 4096},
      {"memory-latency", "memory_latency_in_cycles", "cycles",
       "until what no cache holds is there", &TargetInfo::memoryLatency, 1,
       100000},
      {"cores", "num_cores", "", "that share the last level of cache",
       &TargetInfo::cores, 1, 4096},
  };
  return facts;
}

/// What a value of `fact` may be.
static std::string describeRange(const TargetFact &fact) {
  std::string text =
      std::to_string(fact.least) + " to " + std::to_string(fact.most);
  if (!fact.unit.empty())
    text += " " + fact.unit.str();
  return fact.powerOfTwo ? text + ", a power of two" : text;
}

static bool isPossible(const TargetFact &fact, int64_t value) {
  return value >= fact.least && value <= fact.most &&
         (!fact.powerOfTwo || llvm::isPowerOf2_64(value));
}

/// A number, for bytes also with KiB, MiB or GiB behind it.
static std::optional<int64_t> parseValue(const TargetFact &fact,
                                         StringRef text) {
  int64_t unit = 1;
  if (fact.unit == "bytes")
    unit = text.consume_back("KiB")   ? int64_t(1) << 10
           : text.consume_back("MiB") ? int64_t(1) << 20
           : text.consume_back("GiB") ? int64_t(1) << 30
                                      : 1;
  int64_t count, value;
  if (text.getAsInteger(10, count) || llvm::MulOverflow(count, unit, value) ||
      !isPossible(fact, value))
    return std::nullopt;
  return value;
}

/// Wider vectors start less often, until something else is said of them.
static void setFact(TargetInfo &info, const TargetFact &fact, int64_t value) {
  // No x86 core has more units that multiply and add.
  constexpr int64_t kMostPorts = 2;
  int64_t bits = info.multiplyAddPorts * info.vectorBits;
  bool changes = info.*fact.member != value;
  info.*fact.member = value;
  if (fact.member == &TargetInfo::vectorBits && changes)
    info.multiplyAddPorts =
        std::clamp<int64_t>(bits / info.vectorBits, 1, kMostPorts);
}

/// Takes FACT=VALUE,… into `info`.
static LogicalResult setFacts(TargetInfo &info, StringRef text,
                              std::string &error) {
  SmallVector<StringRef> given;
  text.split(given, ',');
  // In the order of the facts, since one may follow from those before it.
  SmallVector<std::optional<int64_t>> values(getTargetFacts().size());
  for (StringRef one : given) {
    auto [name, value] = one.split('=');
    const TargetFact *fact =
        llvm::find_if(getTargetFacts(), [name = name](const TargetFact &fact) {
          return fact.name == name;
        });
    if (fact == getTargetFacts().end()) {
      error = "expected FACT=VALUE of the target, where FACT is one of ";
      llvm::raw_string_ostream os(error);
      llvm::interleaveComma(getTargetFacts(), os, [&](const TargetFact &fact) {
        os << StringRef(fact.name);
      });
      os << ", got '" << one << "'";
      return failure();
    }
    std::optional<int64_t> parsed = parseValue(*fact, value);
    if (!parsed) {
      error = "expected " + fact->name.str() + " of the target to be from " +
              describeRange(*fact) +
              (fact->unit == "bytes"
                   ? ", a number with KiB, MiB, GiB or nothing behind it"
                   : "") +
              ", got '" + value.str() + "'";
      return failure();
    }
    values[fact - getTargetFacts().begin()] = parsed;
  }
  for (auto [fact, value] : llvm::zip_equal(getTargetFacts(), values))
    if (value)
      setFact(info, fact, *value);
  return success();
}

//===-- CPUs --------------------------------------------------------------===//

/// Sets what follows from the features of the instruction set.
template <typename Features>
static void setVectors(TargetInfo &info, const Features &features) {
  auto has = [&](StringRef feature) {
    return llvm::is_contained(features, feature);
  };
  // A CPU's list leaves out avx512f, which each of these implies.
  bool avx512 = has("avx512vl") && has("avx512dq") && has("avx512bw");
  bool avx2 = has("avx2") && has("fma");
  info.vectorBits = avx512 ? 512 : avx2 ? 256 : 128;
  info.vectorRegisters = avx512 ? 32 : 16;
  info.convertsHalf = has("f16c") || has("avx512f");
  info.hasMultiplyAdd = avx512 || avx2;
}

static TargetInfo getHost() {
  TargetInfo info;
  info.cpu = llvm::sys::getHostCPUName().str();
  SmallVector<std::string> all, features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    all.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
    if (feature.getValue())
      features.push_back(feature.getKey().str());
  }
  // The order of a StringMap is no order.
  llvm::sort(all);
  info.features = llvm::join(all, ",");
  setVectors(info, features);
  setFactsOfCPU(info);
  info.readSystem("/sys/devices/system/cpu");
  return info;
}

static FailureOr<TargetInfo> getCPU(StringRef name, std::string &error) {
  if (name == "host") {
    static const TargetInfo host = getHost();
    return host;
  }
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None) {
    error = "expected host or an x86-64 CPU that LLVM knows (x86-64-v3, "
            "x86-64-v4, znver4, …), got '" +
            name.str() + "'";
    return failure();
  }
  TargetInfo info;
  info.cpu = name.str();
  SmallVector<StringRef> features;
  llvm::X86::getFeaturesForCPU(name, features);
  setVectors(info, features);
  setFactsOfCPU(info);
  return info;
}

//===-- What is said of it ------------------------------------------------===//

/// Takes what the specification of the device "CPU" says, of `op` or of the
/// nearest op around it that has one. Other keys are others'.
static LogicalResult setFactsOfModule(TargetInfo &info, Operation *op) {
  TargetSystemSpecInterface system;
  for (; op; op = op->getParentOp()) {
    system = op->getAttrOfType<TargetSystemSpecInterface>(
        DLTIDialect::kTargetSystemDescAttrName);
    if (system)
      break;
  }
  if (!system)
    return success();
  MLIRContext *context = op->getContext();
  std::optional<TargetDeviceSpecInterface> device =
      system.getDeviceSpecForDeviceID(StringAttr::get(context, "CPU"));
  if (!device)
    return success();
  for (const TargetFact &fact : getTargetFacts()) {
    DataLayoutEntryInterface entry =
        device->getSpecForIdentifier(StringAttr::get(context, fact.key));
    if (!entry)
      continue;
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    std::optional<int64_t> number;
    if (value && value.getType().isUnsignedInteger())
      number = value.getValue().tryZExtValue();
    else if (value)
      number = value.getValue().trySExtValue();
    if (!number || !isPossible(fact, *number))
      return emitError(op->getLoc())
             << "expected '" << fact.key
             << "' of the device \"CPU\" to be an integer from "
             << describeRange(fact) << ", got " << entry.getValue();
    setFact(info, fact, *number);
  }
  return success();
}

FailureOr<TargetInfo> TargetInfo::get(StringRef text, std::string &error) {
  auto [name, facts] = text.split(':');
  FailureOr<TargetInfo> info = getCPU(name, error);
  if (failed(info) ||
      (text.contains(':') && failed(setFacts(*info, facts, error))))
    return failure();
  return info;
}

FailureOr<TargetInfo> TargetInfo::get(Location loc, StringRef text) {
  std::string error;
  FailureOr<TargetInfo> info = get(text, error);
  if (failed(info))
    emitError(loc) << error;
  return info;
}

FailureOr<TargetInfo> TargetInfo::get(Operation *op, StringRef text) {
  FailureOr<TargetInfo> info = get(op->getLoc(), text);
  if (failed(info) || failed(setFactsOfModule(*info, op)))
    return failure();
  // The module's facts may have taken the place of those in the text.
  std::string error;
  if (text.contains(':'))
    (void)setFacts(*info, text.split(':').second, error);
  return info;
}

//===-- Answers -----------------------------------------------------------===//

int64_t TargetInfo::getLanes(Type elementType) const {
  if (!elementType.isIntOrFloat())
    return 1;
  return std::max<int64_t>(
      vectorBits / std::max(elementType.getIntOrFloatBitWidth(), 8u), 1);
}
