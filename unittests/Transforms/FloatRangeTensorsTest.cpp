//===-- FloatRangeTensorsTest.cpp - What elements of tensors may be -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, views, bodies of linalg ops and reductions: operands of "t.range"
// in the text against the ranges that they must have.
//
//===----------------------------------------------------------------------===//

#include "FloatRangeText.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

using Ranges = SmallVector<std::string>;

namespace {
struct FloatRangeTensorsTest : testing::Test {
  FloatRangeTensorsTest() {
    context.loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                        math::MathDialect, tensor::TensorDialect>();
    context.allowUnregisteredDialects();
  }

  /// The ranges of the operands of all "t.range" in the order of the text.
  Ranges getRanges(StringRef text);

  MLIRContext context;
};
} // namespace

Ranges FloatRangeTensorsTest::getRanges(StringRef text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  Ranges ranges;
  if (!module) {
    ADD_FAILURE() << "expected a module";
    return ranges;
  }
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "t.range")
      for (Value operand : op->getOperands())
        ranges.push_back(toString(FloatRanges().get(operand)));
  });
  return ranges;
}

TEST_F(FloatRangeTensorsTest, Constants) {
  EXPECT_EQ(getRanges(R"mlir(
    %scalar = arith.constant -2.5 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %dense = arith.constant dense<[1.0, -3.0, 2.0]> : tensor<3xf32>
    %half = arith.constant dense<[1.0, -3.0, 2.0]> : tensor<3xf16>
    %splat = arith.constant dense<4.0> : tensor<100000xf32>
    "t.range"(%scalar, %nan, %dense, %half, %splat) : (f32, f32, tensor<3xf32>, tensor<3xf16>, tensor<100000xf32>) -> ()
    %some = arith.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
    %inf = arith.constant dense<[1.0, 0x7F800000, 2.0]> : tensor<3xf32>
    %whole = arith.constant dense<[1, 2]> : tensor<2xi32>
    %none = arith.constant dense<> : tensor<0xf32>
    %wide = arith.constant 1.0 : f128
    %narrow = arith.constant 1.0 : f8E4M3FN
    "t.range"(%some, %inf, %whole, %none, %wide, %narrow) : (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<0xf32>, f128, f8E4M3FN) -> ()
  )mlir"),
            (Ranges{"[-2.5, -2.5]", kAnything, "[-3, 2]", "[-3, 2]", "[4, 4]",
                    kAnything, "[1, inf]", kAnything, kAnything, kAnything,
                    kAnything}));
}

TEST_F(FloatRangeTensorsTest, LargeConstantsAreNotRead) {
  Builder builder(&context);
  for (int64_t size : {64 * 1024, 64 * 1024 + 1}) {
    std::vector<float> numbers(size, 2.0f);
    numbers[7] = 1.0f;
    OpBuilder at(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(at.getUnknownLoc());
    at.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get(size, builder.getF32Type());
    Value value = arith::ConstantOp::create(
        at, at.getUnknownLoc(),
        DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
    EXPECT_EQ(FloatRanges().get(value).low,
              size > 64 * 1024 ? -std::numeric_limits<double>::infinity() : 1);
  }
}

/// What holds for a tensor holds for views of it and for what is taken out.
TEST_F(FloatRangeTensorsTest, Views) {
  EXPECT_EQ(
      getRanges(R"mlir(
    %i = arith.constant 0 : index
    %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %expand = tensor.expand_shape %c [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    %collapse = tensor.collapse_shape %expand [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
    %cast = tensor.cast %collapse : tensor<4xf32> to tensor<?xf32>
    %slice = tensor.extract_slice %cast[1] [2] [1] : tensor<?xf32> to tensor<2xf32>
    %element = tensor.extract %slice[%i] : tensor<2xf32>
    %x = tensor.insert %element into %c[%i] : tensor<4xf32>
    "t.range"(%expand, %collapse, %cast, %slice, %element, %x) : (tensor<2x2xf32>, tensor<4xf32>, tensor<?xf32>, tensor<2xf32>, f32, tensor<4xf32>) -> ()
  )mlir"),
      (Ranges{"[1, 4]", "[1, 4]", "[1, 4]", "[1, 4]", "[1, 4]", kAnything}));
}

/// What an iteration reads of its result is the init only where each iteration
/// has an element of its own.
TEST_F(FloatRangeTensorsTest, WhatIsWrittenBefore) {
  EXPECT_EQ(
      getRanges(R"mlir(
    #d0 = affine_map<(d0, d1) -> (d0)>
    #all = affine_map<(d0, d1) -> (d0, d1)>
    #turned = affine_map<(d0, d1) -> (d1, d0)>
    %two = arith.constant 2.0 : f32
    %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %e = arith.constant dense<[0.0, 0.5]> : tensor<2xf32>
    linalg.generic {indexing_maps = [#all, #d0], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%in: f32, %out: f32):
      "t.range"(%in, %out) : (f32, f32) -> ()
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<2xf32>
    %last = linalg.generic {indexing_maps = [#all, #d0], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%in: f32, %out: f32):
      "t.range"(%out) : (f32) -> ()
      linalg.yield %in : f32
    } -> tensor<2xf32>
    %each = linalg.generic {indexing_maps = [#all, #turned], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x2xf32>) outs(%x : tensor<2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      "t.range"(%out) : (f32) -> ()
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<2x2xf32>
    "t.range"(%last, %each) : (tensor<2xf32>, tensor<2x2xf32>) -> ()
  )mlir"),
      (Ranges{"[1, 4]", kAnything, kAnything, "[1, 4]", "[0, 4]", "[2, 8]"}));
}

/// Sums, maxima and minima along dims; everything else may be anything.
TEST_F(FloatRangeTensorsTest, Reductions) {
  auto reduce = [&](StringRef init, StringRef input, StringRef body) {
    Ranges ranges = getRanges(llvm::formatv(R"mlir(
    #d0 = affine_map<(d0, d1) -> (d0)>
    #all = affine_map<(d0, d1) -> (d0, d1)>
    %any = "t.any"() : () -> tensor<2x2xf32>
    %two = arith.constant 2.0 : f32
    %x = arith.constant dense<{0}> : tensor<2x2xf32>
    %e = arith.constant dense<{1}> : tensor<2xf32>
    %r = linalg.generic {{indexing_maps = [#all, #all, #d0], iterator_types = ["parallel", "reduction"]} ins(%x, %any : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2xf32>) {{
    ^bb0(%in: f32, %unknown: f32, %out: f32):
      {2}
    } -> tensor<2xf32>
    "t.range"(%r) : (tensor<2xf32>) -> ()
  )mlir",
                                            input, init, body)
                                  .str());
    return ranges.size() == 1 ? ranges[0] : std::string();
  };
  StringRef x = "[[1.0, 2.0], [3.0, 4.0]]", less = "[[-1.0, 2.0], [3.0, 4.0]]";
  StringRef sum = "%0 = arith.addf %in, %out : f32\n linalg.yield %0 : f32";
  EXPECT_EQ(reduce("0.5", x, sum), "[0.5, inf]");
  EXPECT_EQ(reduce("-1.0", x, sum), kAnything);
  EXPECT_EQ(reduce("0.0", less, sum), kAnything);
  EXPECT_EQ(reduce("0.0", x,
                   "%a = math.absf %unknown : f32\n"
                   "%0 = arith.addf %out, %a : f32\n linalg.yield %0 : f32"),
            "[0, inf] or NaN");
  EXPECT_EQ(
      reduce("0.0", x,
             "%0 = arith.maximumf %out, %in : f32\n linalg.yield %0 : f32"),
      "[0, 4]");
  EXPECT_EQ(
      reduce("9.0", x,
             "%0 = arith.minimumf %in, %out : f32\n linalg.yield %0 : f32"),
      "[1, 9]");
  EXPECT_EQ(
      reduce(
          "9.0", x,
          "%0 = arith.minimumf %unknown, %out : f32\n linalg.yield %0 : f32"),
      kAnything);
  for (StringRef other :
       {"%0 = arith.mulf %in, %out : f32\n linalg.yield %0 : f32",
        "%0 = arith.subf %in, %out : f32\n linalg.yield %0 : f32",
        "%0 = arith.addf %out, %out : f32\n linalg.yield %0 : f32",
        "%0 = arith.addf %in, %two : f32\n linalg.yield %0 : f32",
        "%0 = math.absf %out : f32\n linalg.yield %0 : f32",
        // The term depends on what is summed.
        "%1 = arith.mulf %out, %two : f32\n"
        "%0 = arith.addf %1, %out : f32\n linalg.yield %0 : f32",
        "linalg.yield %in : f32"})
    EXPECT_EQ(reduce("1.0", x, other), kAnything) << other.str();
}

/// What leads back to itself, or too far back.
TEST_F(FloatRangeTensorsTest, EndsSomewhere) {
  EXPECT_EQ(getRanges(R"mlir(
    %n = arith.constant 4 : index
    %i = arith.constant 1 : index
    %c = arith.constant 1.0 : f32
    %r = "t.loop"(%c) ({
    ^bb0(%carried: f32):
      "t.range"(%carried) : (f32) -> ()
      "t.yield"(%carried) : (f32) -> ()
    }) : (f32) -> f32
    "t.range"(%r) : (f32) -> ()
  )mlir"),
            (Ranges{kAnything, kAnything}));
  for (unsigned length : {50u, 80u}) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    Location loc = builder.getUnknownLoc();
    Value value =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
    for (unsigned i = 0; i < length; ++i)
      value = arith::NegFOp::create(builder, loc, value);
    EXPECT_EQ(FloatRanges().get(value).mayBeNaN, length > 64);
  }
}
