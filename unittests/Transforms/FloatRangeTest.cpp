//===-- FloatRangeTest.cpp - What a float may be, by trying it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each op is computed on many values from the ranges of its operands: no result
// may lie outside of the op's range, and a range of which something is known is
// no wider than the results.
//
//===----------------------------------------------------------------------===//

#include "FloatRangeText.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

namespace {
/// An operand: all of `type` from `low` to `high`, and perhaps NaN.
struct Operand {
  Value value;
  FloatRange range;
  std::vector<double> samples;
};

using Function = double (*)(double, double);

/// An op by its name, what it computes, and whether its range is as narrow as
/// can be where it has finite bounds.
struct OpCase {
  const char *name;
  unsigned numOperands;
  Function function;
  bool isTight;
};
} // namespace

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b);
}

static const OpCase kOps[] = {
    {"arith.addf", 2, [](double a, double b) { return a + b; }, true},
    {"arith.subf", 2, [](double a, double b) { return a - b; }, true},
    {"arith.mulf", 2, [](double a, double b) { return a * b; }, true},
    {"arith.divf", 2, [](double a, double b) { return a / b; }, true},
    {"arith.negf", 1, [](double a, double) { return -a; }, true},
    {"arith.maximumf", 2, maximum, true},
    {"arith.minimumf", 2, minimum, true},
    {"arith.maxnumf", 2, [](double a, double b) { return std::fmax(a, b); },
     true},
    {"arith.minnumf", 2, [](double a, double b) { return std::fmin(a, b); },
     true},
    {"math.absf", 1, [](double a, double) { return std::abs(a); }, true},
    {"math.sqrt", 1, [](double a, double) { return std::sqrt(a); }, true},
    {"math.floor", 1, [](double a, double) { return std::floor(a); }, true},
    {"math.ceil", 1, [](double a, double) { return std::ceil(a); }, true},
    {"math.exp", 1, [](double a, double) { return std::exp(a); }, false},
    {"math.tanh", 1, [](double a, double) { return std::tanh(a); }, false},
    {"math.erf", 1, [](double a, double) { return std::erf(a); }, false},
    {"math.sin", 1, [](double a, double) { return std::sin(a); }, false},
    {"math.cos", 1, [](double a, double) { return std::cos(a); }, false},
    // No range is known: anything.
    {"math.rsqrt", 1, [](double a, double) { return 1 / std::sqrt(a); }, false},
    {"arith.remf", 2, [](double a, double b) { return std::fmod(a, b); },
     false},
};

/// `value` as a number of `type`, as the op rounds it.
static double
roundTo(double value, Type type,
        APFloat::roundingMode mode = APFloat::rmNearestTiesToEven) {
  APFloat number(value);
  bool lost;
  number.convert(cast<FloatType>(type).getFloatSemantics(), mode, &lost);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

/// The next number of `type` in that direction; infinity's is itself.
static double getNext(double value, Type type, bool down) {
  APFloat number(value);
  bool lost;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &lost);
  number.next(down);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

static bool contains(FloatRange range, double value) {
  return std::isnan(value) ? range.mayBeNaN
                           : range.low <= value && value <= range.high;
}

/// Numbers at which something happens, in `type`.
static std::vector<double> getPoints(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  auto get = [&](APFloat number) {
    bool lost;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number.convertToDouble();
  };
  std::vector<double> points = {0.0, 1.0, 0.1, 2.75, kInf};
  points.push_back(get(APFloat::getSmallest(semantics)));
  points.push_back(get(APFloat::getSmallestNormalized(semantics)));
  points.push_back(get(APFloat::getLargest(semantics)));
  for (double &point : points)
    point = roundTo(point, type);
  for (size_t i = points.size(); i-- > 0;)
    points.push_back(-points[i]);
  llvm::sort(points);
  return points;
}

/// Operands between many pairs of bounds, without and with NaN; the last two
/// may be anything.
static SmallVector<Operand> makeOperands(OpBuilder &builder, FloatType type) {
  Location loc = builder.getUnknownLoc();
  std::vector<double> points = getPoints(type);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  SmallVector<Operand> operands;
  auto add = [&](Value value, FloatRange range) {
    Operand operand{value, range, {}};
    for (double point : points)
      if (contains(range, point))
        operand.samples.push_back(point);
    // Between the points, and what is next to the bounds.
    for (double more : {getNext(range.low, type, /*down=*/false),
                        getNext(range.high, type, /*down=*/true), 0.3, -0.3})
      if (contains(range, roundTo(more, type)))
        operand.samples.push_back(roundTo(more, type));
    if (range.mayBeNaN)
      operand.samples.push_back(kNaN);
    operands.push_back(std::move(operand));
  };
  OperationState state(loc, "t.any");
  state.addTypes(type);
  Value any = builder.create(state)->getResult(0);
  Value other = builder.create(state)->getResult(0);
  for (size_t i = 0; i < points.size(); ++i)
    for (size_t j = i; j < points.size(); ++j) {
      if ((i * 5 + j * 3) % 4 != 0)
        continue;
      Value low = constant(points[i]), high = constant(points[j]);
      Value below = arith::MinimumFOp::create(builder, loc, any, high);
      add(arith::MaximumFOp::create(builder, loc, below, low),
          {points[i], points[j], true});
      below = arith::MinNumFOp::create(builder, loc, any, high);
      add(arith::MaxNumFOp::create(builder, loc, below, low),
          {points[i], points[j], false});
    }
  add(any, FloatRange());
  add(other, FloatRange());
  return operands;
}

namespace {
/// What an op gave for the samples of its operands.
struct Results {
  double low = kInf, high = -kInf;
  bool hasNaN = false;

  void add(double result) {
    if (std::isnan(result))
      hasNaN = true;
    else
      low = std::min(low, result), high = std::max(high, result);
  }

  /// Compares with `range` of `type`; `isTight`: bounds are at most the next
  /// number, unless nothing is known.
  void compare(FloatRange range, Type type, bool isTight, StringRef what) {
    std::string text = what.str() + ": range " + toString(range) +
                       ", results " + toString({low, high, hasNaN});
    EXPECT_FALSE(std::isnan(range.low) || std::isnan(range.high)) << text;
    EXPECT_TRUE(range.mayBeNaN || !hasNaN) << text;
    if (low > high)
      return;
    EXPECT_TRUE(range.low <= low && high <= range.high) << text;
    if (!isTight || (range.low == -kInf && range.high == kInf))
      return;
    EXPECT_TRUE(range.low >= getNext(low, type, /*down=*/true)) << text;
    EXPECT_TRUE(range.high <= getNext(high, type, /*down=*/false)) << text;
  }
};

/// All pairs of operands of a type.
struct FloatRangeTest : testing::Test {
  FloatRangeTest() {
    context.loadDialect<arith::ArithDialect, math::MathDialect>();
    context.allowUnregisteredDialects();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  Value create(StringRef name, ValueRange operands, Type type) {
    OperationState state(builder.getUnknownLoc(), name);
    state.addOperands(operands);
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  using PairCheck =
      function_ref<void(FloatType, const Operand &, const Operand &)>;

  void forEachPair(ArrayRef<FloatType> types, PairCheck check) {
    for (FloatType type : types) {
      SmallVector<Operand> operands = makeOperands(builder, type);
      for (const Operand &a : operands)
        for (const Operand &b : operands) {
          if (HasFailure())
            return; // One is enough.
          check(type, a, b);
        }
    }
  }

  void forEach(function_ref<void(FloatType, const Operand &)> check) {
    forEachPair(types, [&](FloatType type, const Operand &a, const Operand &b) {
      if (&a == &b)
        check(type, a);
    });
  }

  MLIRContext context;
  OpBuilder builder{&context};
  const FloatType types[4] = {builder.getF32Type(), builder.getF16Type(),
                              builder.getBF16Type(), builder.getF64Type()};
  OwningOpRef<ModuleOp> module;
};
} // namespace

static std::string describe(StringRef what, FloatType type,
                            ArrayRef<const Operand *> operands) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << what << " of " << type;
  for (const Operand *operand : operands)
    os << ' ' << toString(operand->range);
  return text;
}

TEST_F(FloatRangeTest, OperandsAreWhatTheySay) {
  forEach([&](FloatType type, const Operand &a) {
    EXPECT_EQ(toString(FloatRanges().get(a.value)), toString(a.range));
  });
}

TEST_F(FloatRangeTest, ResultsLieInTheRange) {
  forEachPair(types, [&](FloatType type, const Operand &a, const Operand &b) {
    FloatRanges ranges;
    for (const OpCase &op : kOps) {
      // A product with itself is a square: see below.
      if ((op.numOperands == 1) != (&a == &b))
        continue;
      Value value = create(
          op.name, ArrayRef<Value>{a.value, b.value}.take_front(op.numOperands),
          type);
      Results results;
      for (double x : a.samples)
        for (double y : b.samples)
          results.add(roundTo(op.function(x, y), type));
      FloatRange range = ranges.get(value);
      std::string what = describe(op.name, type, {&a, &b});
      results.compare(range, type, op.isTight, what);
      if (op.isTight && toString(range) != kAnything)
        EXPECT_EQ(range.mayBeNaN, results.hasNaN) << what;
    }
  });
}

TEST_F(FloatRangeTest, ProductsWithItselfAreSquares) {
  forEach([&](FloatType type, const Operand &a) {
    Value value = create("arith.mulf", {a.value, a.value}, type);
    Results results;
    for (double x : a.samples)
      results.add(roundTo(x * x, type));
    results.compare(FloatRanges().get(value), type, /*isTight=*/true,
                    describe("square", type, {&a}));
  });
}

TEST_F(FloatRangeTest, WholePowers) {
  forEach([&](FloatType type, const Operand &a) {
    for (int exponent : {2, 3, 0, -2, -1, 8}) {
      Value power =
          arith::ConstantOp::create(builder, builder.getUnknownLoc(),
                                    builder.getI32IntegerAttr(exponent));
      Value value = create("math.fpowi", {a.value, power}, type);
      Results results;
      for (double x : a.samples)
        results.add(roundTo(std::pow(x, exponent), type));
      FloatRange range = FloatRanges().get(value);
      results.compare(range, type, /*isTight=*/false,
                      describe("power", type, {&a}));
      EXPECT_EQ(range.low, exponent % 2 ? -kInf : 0);
    }
    Value any = create("t.any", {}, builder.getI32Type());
    EXPECT_EQ(
        toString(FloatRanges().get(create("math.fpowi", {a.value, any}, type))),
        kAnything);
  });
}

TEST_F(FloatRangeTest, Conversions) {
  forEach([&](FloatType type, const Operand &a) {
    for (FloatType to :
         {FloatType(builder.getF64Type()), FloatType(builder.getF32Type()),
          FloatType(builder.getF16Type()), FloatType(builder.getBF16Type()),
          FloatType(Float8E5M2Type::get(&context))}) {
      if (to.getWidth() == type.getWidth())
        continue;
      Value value = create(to.getWidth() > type.getWidth() ? "arith.extf"
                                                           : "arith.truncf",
                           a.value, to);
      Results results;
      for (double x : a.samples)
        results.add(roundTo(x, to));
      results.compare(FloatRanges().get(value), to, /*isTight=*/true,
                      describe("conversion", to, {&a}));
    }
    if (type.getWidth() > 16) {
      using Mode = arith::RoundingMode;
      for (auto [mode, rounding] :
           {std::pair(Mode::downward, APFloat::rmTowardNegative),
            std::pair(Mode::upward, APFloat::rmTowardPositive),
            std::pair(Mode::toward_zero, APFloat::rmTowardZero)}) {
        Value value = create("arith.truncf", a.value, builder.getF16Type());
        value.getDefiningOp<arith::TruncFOp>().setRoundingmode(mode);
        Results results;
        for (double x : a.samples)
          results.add(roundTo(x, builder.getF16Type(), rounding));
        results.compare(FloatRanges().get(value), builder.getF16Type(),
                        /*isTight=*/true, describe("rounding", type, {&a}));
      }
    }
    // What is too large is NaN in a type without infinity.
    for (Type to : {Type(Float8E4M3FNType::get(&context)),
                    Type(Float4E2M1FNType::get(&context))}) {
      FloatRange range = FloatRanges().get(create("arith.truncf", a.value, to));
      EXPECT_EQ(toString(range), kAnything);
    }
    // f64 does not hold what is between its numbers.
    FloatRange wide = FloatRanges().get(
        create("arith.extf", a.value, Float128Type::get(&context)));
    EXPECT_EQ(toString(wide), kAnything);
  });
}

TEST_F(FloatRangeTest, Integers) {
  for (FloatType type : types)
    for (unsigned width : {1, 8, 16, 32, 64, 2048})
      for (bool isSigned : {false, true}) {
        Value any = create("t.any", {}, builder.getIntegerType(width));
        FloatRange range = FloatRanges().get(
            create(isSigned ? "arith.sitofp" : "arith.uitofp", any, type));
        EXPECT_FALSE(range.mayBeNaN);
        for (APInt number :
             {APInt::getZero(width), APInt(width, 1), APInt::getMaxValue(width),
              APInt::getSignedMaxValue(width),
              APInt::getSignedMinValue(width)}) {
          APFloat result(type.getFloatSemantics());
          result.convertFromAPInt(number, isSigned,
                                  APFloat::rmNearestTiesToEven);
          bool lost;
          result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                         &lost);
          EXPECT_TRUE(contains(range, result.convertToDouble()))
              << width << ' ' << isSigned << ' ' << toString(range);
        }
        // Nothing else than that: a number is not below zero if it has no sign.
        EXPECT_EQ(range.low < 0, isSigned);
      }
}

static bool holds(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  auto isOneOf = [&](std::initializer_list<P> predicates) {
    return llvm::is_contained(predicates, predicate) ||
           predicate == P::AlwaysTrue;
  };
  if (a == b)
    return isOneOf({P::OEQ, P::OGE, P::OLE, P::UEQ, P::UGE, P::ULE, P::ORD});
  if (a > b)
    return isOneOf({P::OGT, P::OGE, P::ONE, P::UGT, P::UGE, P::UNE, P::ORD});
  if (a < b)
    return isOneOf({P::OLT, P::OLE, P::ONE, P::ULT, P::ULE, P::UNE, P::ORD});
  return isOneOf({P::UEQ, P::UGT, P::UGE, P::ULT, P::ULE, P::UNE, P::UNO});
}

TEST_F(FloatRangeTest, Comparisons) {
  using P = arith::CmpFPredicate;
  forEachPair(types[0], [&](FloatType type, const Operand &a,
                            const Operand &b) {
    FloatRanges ranges;
    for (unsigned i = 0; i <= arith::getMaxEnumValForCmpFPredicate(); ++i) {
      auto predicate = static_cast<P>(i);
      auto compare = arith::CmpFOp::create(builder, builder.getUnknownLoc(),
                                           predicate, a.value, b.value);
      bool sometimes = false, always = true;
      for (double x : a.samples)
        for (double y : b.samples) {
          sometimes |= holds(predicate, x, y);
          always &= holds(predicate, x, y);
        }
      std::optional<bool> expected;
      if (sometimes == always && predicate != P::UNO)
        expected = always;
      EXPECT_EQ(ranges.decide(compare), expected)
          << describe(arith::stringifyCmpFPredicate(predicate), type, {&a, &b});
    }
  });
}

TEST_F(FloatRangeTest, Selections) {
  forEachPair(types[0], [&](FloatType type, const Operand &a,
                            const Operand &b) {
    FloatRanges ranges;
    for (unsigned i = 0; i <= arith::getMaxEnumValForCmpFPredicate(); ++i) {
      auto predicate = static_cast<arith::CmpFPredicate>(i);
      Value compare = arith::CmpFOp::create(builder, builder.getUnknownLoc(),
                                            predicate, a.value, b.value);
      StringRef name = arith::stringifyCmpFPredicate(predicate);
      // A minimum or a maximum.
      bool isOrder = name.contains("gt") || name.contains("ge") ||
                     name.contains("lt") || name.contains("le");
      Results straight, crossed;
      for (double x : a.samples)
        for (double y : b.samples) {
          straight.add(holds(predicate, x, y) ? x : y);
          crossed.add(holds(predicate, x, y) ? y : x);
        }
      Value value = arith::SelectOp::create(builder, builder.getUnknownLoc(),
                                            compare, a.value, b.value);
      straight.compare(ranges.get(value), type, isOrder && &a != &b,
                       describe(name, type, {&a, &b}));
      value = arith::SelectOp::create(builder, builder.getUnknownLoc(), compare,
                                      b.value, a.value);
      crossed.compare(ranges.get(value), type, isOrder && &a != &b,
                      describe(name, type, {&a, &b}));
    }
    Value any = create("t.any", {}, builder.getI1Type());
    Results either;
    for (const Operand *operand : {&a, &b})
      for (double x : operand->samples)
        either.add(x);
    either.compare(
        ranges.get(arith::SelectOp::create(builder, builder.getUnknownLoc(),
                                           any, a.value, b.value)),
        type, /*isTight=*/true, describe("either", type, {&a, &b}));
  });
}
