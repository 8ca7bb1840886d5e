//===-- ConstantDataTest.cpp - Bytes of constant tensors ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of every type and storage: read as doubles, created from doubles,
// and gathered by maps, against one element at a time.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct ConstantDataTest : testing::Test {
  ConstantDataTest() { context.loadDialect<arith::ArithDialect>(); }

  ElementsAttr parse(StringRef text) {
    return cast<ElementsAttr>(parseAttribute(text, &context));
  }

  RankedTensorType getType(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  /// 0, 1, 2, … as f32, dense or a resource.
  ElementsAttr createRange(ArrayRef<int64_t> shape, bool isResource) {
    RankedTensorType type = getType(shape, builder.getF32Type());
    std::vector<float> numbers(type.getNumElements());
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    if (!isResource)
      return DenseElementsAttr::get(type, ArrayRef<float>(numbers));
    return DenseResourceElementsAttr::get(
        type, "range",
        HeapAsmResourceBlob::allocateAndCopyInferAlign(
            ArrayRef<float>(numbers)));
  }

  MLIRContext context;
  OpBuilder builder{&context};
};
} // namespace

TEST_F(ConstantDataTest, FloatsAreReadAsDoubles) {
  for (StringRef type : {"f32", "f64", "f16", "bf16"}) {
    std::string end = "> : tensor<3x" + type.str() + ">";
    auto numbers = getAsDoubles(parse("dense<[1.5, -2.0, 0.25]" + end));
    ASSERT_TRUE(numbers) << type.str();
    EXPECT_EQ(*numbers, (SmallVector<double>{1.5, -2.0, 0.25})) << type.str();
    auto equal = getAsDoubles(parse("dense<-2.5" + end));
    ASSERT_TRUE(equal) << type.str();
    EXPECT_EQ(*equal, (SmallVector<double>{-2.5, -2.5, -2.5})) << type.str();
  }
  auto numbers = getAsDoubles(createRange({2, 2}, /*isResource=*/true));
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (SmallVector<double>{0, 1, 2, 3}));
  EXPECT_FALSE(getAsDoubles(parse("dense<[1, 2]> : tensor<2xi32>")));
  EXPECT_FALSE(getAsDoubles(parse("dense<1> : tensor<2xi32>")));
  EXPECT_FALSE(
      getAsDoubles(parse("dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>")));
  EXPECT_FALSE(getAsDoubles(parse("sparse<[[0]], [1.0]> : tensor<2xf32>")));
  EXPECT_FALSE(getAsDoubles(parse("dense_resource<none> : tensor<2xf32>")));
}

/// Each element is rounded once; beyond 16 KiB of f32 and f64 a resource holds
/// them.
TEST_F(ConstantDataTest, CreatedOfDoubles) {
  for (Type type : {Type(builder.getF32Type()), Type(builder.getF64Type()),
                    Type(builder.getF16Type()), Type(builder.getBF16Type())})
    for (int64_t size : {3, 5000}) {
      std::vector<double> values(size, 0.0);
      values.front() = 1.0 / 3;
      values.back() = 1e300;
      ElementsAttr constant = createConstant(getType(size, type), values);
      EXPECT_EQ(constant.getShapedType(), getType(size, type));
      bool isLarge = size == 5000 && type.getIntOrFloatBitWidth() > 16;
      EXPECT_EQ(isa<DenseResourceElementsAttr>(constant), isLarge);
      EXPECT_TRUE(getResourceName(constant, "other")
                      .starts_with(isLarge ? "folded" : "other"));
      auto read = getAsDoubles(constant);
      ASSERT_TRUE(read);
      ASSERT_EQ(read->size(), values.size());
      APFloat third(1.0 / 3);
      bool lost;
      third.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &lost);
      third.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      EXPECT_EQ(read->front(), third.convertToDouble());
      EXPECT_EQ((*read)[1], 0.0);
      EXPECT_EQ(read->back(),
                type.isF64() ? 1e300 : std::numeric_limits<double>::infinity());
    }
}

TEST_F(ConstantDataTest, OtherShapesOfTheSameElements) {
  RankedTensorType type = getType({3, 2}, builder.getF32Type());
  for (bool isResource : {false, true}) {
    TypedAttr reshaped = reshapeConstant(createRange({2, 3}, isResource), type);
    ASSERT_TRUE(reshaped);
    EXPECT_EQ(reshaped.getType(), type);
    auto numbers = getAsDoubles(cast<ElementsAttr>(reshaped));
    ASSERT_TRUE(numbers);
    EXPECT_EQ(*numbers, (SmallVector<double>{0, 1, 2, 3, 4, 5}));
  }
  EXPECT_FALSE(reshapeConstant(
      parse("sparse<[[0, 0]], [1.0]> : tensor<2x3xf32>"), type));
}

TEST_F(ConstantDataTest, BytesInPlace) {
  EXPECT_TRUE(getRawElements(parse("dense<[1, 2]> : tensor<2xi32>")));
  EXPECT_FALSE(getRawElements(parse("dense<1> : tensor<2xi32>")));
  EXPECT_FALSE(getRawElements(parse("sparse<[[0]], [1]> : tensor<2xi32>")));
  EXPECT_FALSE(getRawElements(parse("dense_resource<none> : tensor<2xi32>")));
  auto bytes = getRawElements(createRange({3}, /*isResource=*/true));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 12u);
}

TEST_F(ConstantDataTest, TheOneElement) {
  OwningOpRef<Operation *> owner;
  auto get = [&](StringRef text) {
    owner = arith::ConstantOp::create(
                builder, builder.getUnknownLoc(),
                cast<TypedAttr>(parseAttribute(text, &context)))
                .getOperation();
    return getConstantElement(owner->getResult(0));
  };
  EXPECT_EQ(get("2.0 : f32"), builder.getF32FloatAttr(2));
  EXPECT_EQ(get("dense<2.0> : tensor<4xf32>"), builder.getF32FloatAttr(2));
  EXPECT_EQ(get("dense<7> : tensor<4xi32>"), builder.getI32IntegerAttr(7));
  EXPECT_FALSE(get("dense<[1.0, 2.0]> : tensor<2xf32>"));
  EXPECT_FALSE(get("dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>"));
}

/// Each element of the result is the one that the map names.
TEST_F(ConstantDataTest, Gathered) {
  struct Case {
    const char *map;
    SmallVector<int64_t> from, shape;
  };
  const Case cases[] = {
      {"affine_map<(d0, d1) -> (d0, d1)>", {3, 4}, {3, 4}},
      {"affine_map<(d0, d1) -> (d1, d0)>", {3, 4}, {4, 3}},
      {"affine_map<(d0, d1) -> (2 - d0, d1)>", {3, 4}, {3, 4}},
      {"affine_map<(d0, d1) -> (2 - d0, 3 - d1)>", {3, 4}, {3, 4}},
      {"affine_map<(d0, d1) -> (d0 * 2, d1 + 1)>", {5, 4}, {3, 2}},
      {"affine_map<(d0, d1, d2) -> (d2, 1)>", {3, 4}, {2, 2, 3}},
      {"affine_map<(d0, d1, d2) -> (d0 + d2, d1)>", {4, 2}, {2, 2, 3}},
      {"affine_map<(d0) -> (3)>", {4}, {3}},
      {"affine_map<(d0, d1) -> (d0, d1)>", {100, 100}, {100, 100}}};
  for (bool isResource : {false, true})
    for (const Case &test : cases) {
      AffineMap map =
          cast<AffineMapAttr>(parseAttribute(test.map, &context)).getValue();
      ElementsAttr from = createRange(test.from, isResource);
      RankedTensorType type = getType(test.shape, builder.getF32Type());
      ElementsAttr result = gatherConstant(from, type, "gathered", map);
      ASSERT_TRUE(result) << test.map;
      EXPECT_EQ(result.getShapedType(), type);
      EXPECT_EQ(isa<DenseResourceElementsAttr>(result),
                type.getNumElements() * 4 > 16 * 1024);
      auto numbers = getAsDoubles(result);
      ASSERT_TRUE(numbers) << test.map;
      SmallVector<int64_t> index(test.shape.size(), 0);
      for (double number : *numbers) {
        int64_t place = 0;
        for (auto [at, size] : llvm::zip_equal(map.compose(index), test.from))
          place = place * size + at;
        EXPECT_EQ(number, static_cast<double>(place)) << test.map;
        for (int64_t dim = index.size() - 1;
             dim >= 0 && ++index[dim] == test.shape[dim]; --dim)
          index[dim] = 0;
      }
    }
}

TEST_F(ConstantDataTest, WhatIsNotGathered) {
  auto gather = [&](ElementsAttr from, ArrayRef<int64_t> shape, StringRef map) {
    return gatherConstant(
        from, getType(shape, from.getElementType()), "gathered",
        cast<AffineMapAttr>(parseAttribute(map, &context)).getValue());
  };
  ElementsAttr from = createRange({4, 4}, /*isResource=*/false);
  // A splat has every shape.
  ElementsAttr splat = gather(parse("dense<2.0> : tensor<4xf32>"), {3, 2},
                              "affine_map<(d0, d1) -> (d0)>");
  ASSERT_TRUE(splat);
  EXPECT_TRUE(cast<DenseElementsAttr>(splat).isSplat());
  // Maps that are no lines.
  for (StringRef map : {"affine_map<(d0, d1) -> (d0 floordiv 2, d1)>",
                        "affine_map<(d0, d1) -> (d0 ceildiv 2, d1)>",
                        "affine_map<(d0, d1) -> (d0 mod 2, d1)>"})
    EXPECT_FALSE(gather(from, {4, 4}, map)) << map.str();
  // Outside of the constant, before it and behind it.
  EXPECT_FALSE(gather(from, {4, 4}, "affine_map<(d0, d1) -> (d0 - 1, d1)>"));
  EXPECT_FALSE(gather(from, {4, 4}, "affine_map<(d0, d1) -> (d0 + 1, d1)>"));
  EXPECT_FALSE(gather(from, {4, 4}, "affine_map<(d0, d1) -> (2 - d0, d1)>"));
  EXPECT_FALSE(gather(from, {5, 4}, "affine_map<(d0, d1) -> (d0, d1)>"));
  // No element, and one without a dim.
  EXPECT_FALSE(gather(from, {0, 4}, "affine_map<(d0, d1) -> (d0, d1)>"));
  EXPECT_FALSE(gather(from, {}, "affine_map<() -> (1, 1)>"));
  // Elements that are no whole bytes, and such as are not there.
  EXPECT_FALSE(gather(parse("dense<[1, 2, 3]> : tensor<3xi4>"), {3},
                      "affine_map<(d0) -> (d0)>"));
  EXPECT_FALSE(gather(parse("dense_resource<none> : tensor<3xf32>"), {3},
                      "affine_map<(d0) -> (d0)>"));
  EXPECT_FALSE(gather(parse("sparse<[[0]], [1.0]> : tensor<3xf32>"), {3},
                      "affine_map<(d0) -> (d0)>"));
}
