//===-- Values.cpp - The numbers of inputs and constants ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats are made in f64 and rounded to their type.
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "Evaluate.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

static constexpr StringLiteral kNames[] = {"normal",  "whole",     "positive",
                                           "zero",    "one",       "extreme",
                                           "special", "cancelling"};

StringRef fuzz::stringifyValueKind(ValueKind kind) {
  return kNames[size_t(kind)];
}

ArrayRef<StringLiteral> fuzz::getValueKindNames() { return kNames; }

std::optional<ValueKind> fuzz::symbolizeValueKind(StringRef name) {
  const StringLiteral *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return ValueKind(found - kNames);
}

static double makeFloat(ValueKind kind, const NumberType &type, Random &random,
                        int64_t index) {
  switch (kind) {
  case ValueKind::Normal:
    return random.normal();
  case ValueKind::Whole:
    return double(random.range(-4, 4));
  case ValueKind::Positive:
    return 0.25 + 2 * random.uniform();
  case ValueKind::Zero:
    return 0;
  case ValueKind::One:
    return 1;
  case ValueKind::Extreme: {
    double number = random.normal();
    return number * random.pick({1.0, type.largest / 64, type.smallest * 1024});
  }
  case ValueKind::Special:
    if (!random.chance(10))
      return random.normal();
    return random.pick({std::nan(""), HUGE_VAL, -HUGE_VAL, type.smallest,
                        -type.smallest * 3, -0.0, 0.0, type.largest,
                        -type.largest});
  case ValueKind::Cancelling: {
    double size = 1 + double((uint64_t(index) / 2) % 7) * 100;
    return (index % 2 ? -size : size) + random.normal() * 1e-2;
  }
  }
  llvm_unreachable("unknown kind");
}

static int64_t makeInt(ValueKind kind, const NumberType &type, Random &random) {
  int64_t high = type.width >= 8 ? 127 : 1;
  switch (kind) {
  case ValueKind::Zero:
    return 0;
  case ValueKind::One:
    return 1;
  case ValueKind::Positive:
    return random.range(1, high);
  case ValueKind::Whole:
    return random.range(-4, 4);
  case ValueKind::Extreme:
  case ValueKind::Special:
    return type.wrap(random.pick<int64_t>(
        {INT64_MIN, int64_t(uint64_t(1) << (type.width - 1)),
         int64_t(uint64_t(1) << (type.width - 1)) - 1, 0, -1, 1}));
  default:
    return random.range(-high - 1, high);
  }
}

std::string fuzz::makeBytes(Type elementType, int64_t count, ValueKind kind,
                            uint64_t seed) {
  Random random(seed);
  NumberType type(elementType);
  unsigned size = getElementBytes(elementType);
  std::string bytes(size_t(count) * size, '\0');
  for (int64_t index = 0; index < count; ++index) {
    uint64_t bits;
    if (auto floatType = dyn_cast<FloatType>(elementType)) {
      llvm::APFloat number(type.round(makeFloat(kind, type, random, index)));
      bool losesInfo;
      number.convert(floatType.getFloatSemantics(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      bits = number.bitcastToAPInt().getZExtValue();
    } else {
      bits = uint64_t(makeInt(kind, type, random));
      if (type.width == 1)
        bits &= 1;
    }
    memcpy(bytes.data() + size_t(index) * size, &bits, size);
  }
  return bytes;
}
