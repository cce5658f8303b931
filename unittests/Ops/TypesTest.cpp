//===- TypesTest.cpp - dtypes and static shapes of results -------------------===//
#include <gtest/gtest.h>

#include "Ops/Build.h"
#include "graphc/Arrays.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr DType kIntegers[] = {DType::Int8,  DType::Int16,  DType::Int32,  DType::Int64,
                               DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};

Variable of(DType dtype, std::initializer_list<int64_t> shape = {}) { return tensor(dtype, shape); }
ErrorKind kindOf(const Variable &v) { return errorKind(v.status()); }

//===--- dtypes -------------------------------------------------------------------===//

// F-004
TEST(DTypes, BinaryOpsPromote) {
  EXPECT_EQ((of(DType::Int8) + of(DType::UInt8)).dtype(), DType::Int16);
  EXPECT_EQ((of(DType::UInt8) * of(DType::Float16)).dtype(), DType::Float16);
  EXPECT_EQ((of(DType::Bool) + of(DType::Int16)).dtype(), DType::Int16);
  EXPECT_EQ((of(DType::Float16) + of(DType::BFloat16)).dtype(), DType::Float32);
}

// F-006
TEST(DTypes, ManyOperandsPromoteInAnyOrder) {
  Variable a = of(DType::Int8), b = of(DType::UInt8), c = of(DType::Float16);
  for (const Variable &v : {add({a, b, c}), add({c, b, a}), add({b, c, a}), add({a, c, b})})
    EXPECT_EQ(v.dtype(), DType::Float16);
  EXPECT_EQ(add({of(DType::Int8), of(DType::UInt16), of(DType::Float16)}).dtype(), DType::Float32);
}

// F-007
TEST(DTypes, Int64WithUInt64) {
  Variable a = of(DType::Int64), b = of(DType::UInt64);
  EXPECT_EQ((a + b).dtype(), DType::Float64);
  EXPECT_EQ(kindOf(bitwiseAnd(a, b)), ErrorKind::TypeError);
  EXPECT_EQ(kindOf(leftShift(a, b)), ErrorKind::TypeError);
}

// F-008
TEST(DTypes, WideIntegersWithFloat32) {
  EXPECT_EQ((of(DType::Int32) + of(DType::Float32)).dtype(), DType::Float64);
  EXPECT_EQ((of(DType::Int64) * of(DType::Float32)).dtype(), DType::Float64);
}

// F-009
TEST(DTypes, RealFunctions) {
  for (auto *function : {&graphc::exp, &graphc::log, &graphc::sqrt, &graphc::sin, &graphc::erf,
                         &graphc::sigmoid, &graphc::reciprocal, &graphc::ceil, &graphc::floor}) {
    for (DType dtype : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16})
      EXPECT_EQ(function(of(dtype)).dtype(), DType::Float32);
    for (DType dtype : {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64})
      EXPECT_EQ(function(of(dtype)).dtype(), DType::Float64);
    for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
      EXPECT_EQ(function(of(dtype)).dtype(), dtype);
  }
}

// F-010
TEST(DTypes, TrueDivisionOfIntegersIsFloat64) {
  for (DType dtype : kIntegers)
    EXPECT_EQ((of(dtype) / of(dtype)).dtype(), DType::Float64);
  EXPECT_EQ((of(DType::Bool) / of(DType::Int8)).dtype(), DType::Float64);
  EXPECT_EQ((of(DType::Int8) / of(DType::Float32)).dtype(), DType::Float32);
}

// F-011
TEST(DTypes, ComparisonsAndPositions) {
  Variable x = of(DType::Float32, {3});
  for (const Variable &v : {eq(x, x), x < x, isnan(x), isinf(x), any(x), all(x)})
    EXPECT_EQ(v.dtype(), DType::Bool);
  for (const Variable &v : {argmax(x), argmin(x), shape(x), size(x), shape(x, 0)})
    EXPECT_EQ(v.dtype(), DType::Int64);
}

// F-012
TEST(DTypes, Sums) {
  for (DType dtype : kIntegers) {
    DType wide = isSignedInt(dtype) ? DType::Int64 : DType::UInt64;
    EXPECT_EQ(sum(of(dtype, {3})).dtype(), wide);
    EXPECT_EQ(prod(of(dtype, {3})).dtype(), wide);
    EXPECT_EQ(mean(of(dtype, {3})).dtype(), DType::Float64);
    EXPECT_EQ(max(of(dtype, {3})).dtype(), dtype);
  }
  EXPECT_EQ(sum(of(DType::Bool, {3})).dtype(), DType::Int64);
  EXPECT_EQ(sum(of(DType::Float16, {3})).dtype(), DType::Float16);
  EXPECT_EQ(sum(of(DType::Float32, {3}), {.dtype = DType::Float64}).dtype(), DType::Float64);
  EXPECT_EQ(kindOf(sum(of(DType::Float64, {3}), {.accDtype = DType::Float32})),
            ErrorKind::TypeError);
  EXPECT_EQ(kindOf(sum(of(DType::Float32, {3}), {.accDtype = DType::Int64})), ErrorKind::TypeError);
  EXPECT_EQ(kindOf(mean(of(DType::Float32, {3}), {.accDtype = DType::Float16})),
            ErrorKind::TypeError);
  EXPECT_EQ(kindOf(mean(of(DType::Int32, {3}), {.accDtype = DType::Int64})), ErrorKind::TypeError);
  EXPECT_EQ(mean(of(DType::Int32, {3}), {.accDtype = DType::Float64}).dtype(), DType::Float64);
}

// F-012: bools count, called from C++ and as ops of graph text.
TEST(DTypes, CumulativeSums) {
  for (DType dtype : {DType::Bool, DType::Int8, DType::UInt16, DType::Float32}) {
    DType wanted = dtype == DType::Bool ? DType::Int64 : dtype;
    Variable x = of(dtype, {3});
    EXPECT_EQ(cumsum(x).dtype(), wanted);
    EXPECT_EQ(cumprod(x).dtype(), wanted);
    for (const char *name : {"cumsum", "cumprod"})
      EXPECT_EQ(build(builtin(name, {{"axis", int64_t(0)}}), {x}).dtype(), wanted);
  }
}

// F-013
TEST(DTypes, Bools) {
  Variable b = of(DType::Bool);
  EXPECT_EQ(kindOf(b - b), ErrorKind::TypeError);
  EXPECT_EQ(kindOf(-b), ErrorKind::TypeError);
  EXPECT_EQ(kindOf(sgn(b)), ErrorKind::TypeError);
  EXPECT_EQ((b + b).dtype(), DType::Bool);
  EXPECT_EQ((b * b).dtype(), DType::Bool);
  EXPECT_EQ(pow(b, b).dtype(), DType::Int8);
}

//===--- broadcasting ---------------------------------------------------------------===//

std::vector<int64_t> shapeOf(const Variable &v) {
  EXPECT_TRUE(v.ok()) << v.status();
  return {v.type().shape().begin(), v.type().shape().end()};
}
using Shape = std::vector<int64_t>;

// F-019
TEST(Broadcasting, OnlyStaticOnesAndMissingAxes) {
  EXPECT_EQ(shapeOf(of(DType::Float64, {2, 3}) + of(DType::Float64, {3})), (Shape{2, 3}));
  EXPECT_EQ(shapeOf(of(DType::Float64, {2, 1}) + of(DType::Float64, {1, 3})), (Shape{2, 3}));
  EXPECT_EQ(shapeOf(of(DType::Float64, {kDynamic}) + 1.0), (Shape{kDynamic}));
}

// F-021
TEST(Broadcasting, StaticExtentsThatDifferAreRefused) {
  Variable v = of(DType::Float64, {2, 3}) + of(DType::Float64, {2, 5});
  EXPECT_EQ(kindOf(v), ErrorKind::ShapeError);
  EXPECT_EQ(v.status().message(),
            "add: extents differ along axis 1: 3 and 5 (an extent broadcasts "
            "only where its type says 1: declare it so, or use specifyShape)\n"
            "  add(f64[2,3], f64[2,5])");
  ASSERT_TRUE(errorPlace(v.status()));
  EXPECT_NE(errorPlace(v.status())->str().find("TypesTest.cpp"), std::string::npos);
}

// F-022
TEST(Broadcasting, StaticExtentOfTheResult) {
  auto extent = [](int64_t a, int64_t b) {
    return (of(DType::Float64, {a}) + of(DType::Float64, {b})).type().extent(0);
  };
  EXPECT_EQ(extent(kDynamic, 5), 5);
  EXPECT_EQ(extent(1, 1), 1);
  EXPECT_EQ(extent(1, kDynamic), kDynamic);
  EXPECT_EQ(extent(kDynamic, kDynamic), kDynamic);
}

// F-023
TEST(Broadcasting, EmptyAxes) {
  EXPECT_EQ(shapeOf(of(DType::Float64, {0}) + of(DType::Float64, {1})), (Shape{0}));
  EXPECT_EQ(kindOf(of(DType::Float64, {0}) + of(DType::Float64, {2})), ErrorKind::ShapeError);
}

//===--- static shapes ----------------------------------------------------------------===//

// F-024
TEST(StaticShapes, FollowFromTypesAndConstants) {
  Variable x = of(DType::Float64, {kDynamic, 3, 4});
  EXPECT_EQ(shapeOf(sum(x, Axis(0))), (Shape{3, 4}));
  EXPECT_EQ(shapeOf(sum(x, {.axes = Axes{0, 2}, .keepDims = true})), (Shape{1, 3, 1}));
  EXPECT_EQ(shapeOf(x.T()), (Shape{4, 3, kDynamic}));
  EXPECT_EQ(shapeOf(x.dimshuffle({1, -1, 0, 2})), (Shape{3, 1, kDynamic, 4}));
  EXPECT_EQ(shapeOf(reshape(x, {-1, 6, 2})), (Shape{kDynamic, 6, 2}));
  EXPECT_EQ(shapeOf(reshape(of(DType::Float64, {2, 6}), {-1, 4})), (Shape{3, 4}));
  EXPECT_EQ(shapeOf(concatenate({x, x}, 1)), (Shape{kDynamic, 6, 4}));
  EXPECT_EQ(shapeOf(x[{ellipsis, Slice(1, kEnd), newaxis, 0}]), (Shape{kDynamic, 2, 1}));
  EXPECT_EQ(shapeOf(x[{Slice(), Slice(kEnd, kEnd, -2)}]), (Shape{kDynamic, 2, 4}));
  EXPECT_EQ(shapeOf(broadcastTo(of(DType::Int8, {1, 3}), {5, 3})), (Shape{5, 3}));
  EXPECT_EQ(shapeOf(flatten(x, 2)), (Shape{kDynamic, 12}));
  EXPECT_EQ(shapeOf(dot(x, of(DType::Float64, {4, 7}))), (Shape{kDynamic, 3, 7}));
  EXPECT_EQ(shapeOf(matmul(x, of(DType::Float64, {1, 4, 7}))), (Shape{kDynamic, 3, 7}));
  EXPECT_EQ(shapeOf(arange(2, 11, 3)), (Shape{3}));
  EXPECT_EQ(shapeOf(eye(3)), (Shape{3, 3}));
  EXPECT_EQ(shapeOf(pad(x, {{1, 1}, {0, 2}, {0, 0}})), (Shape{kDynamic, 5, 4}));
  EXPECT_EQ(shapeOf(take(x, of(DType::Int64, {2, 2}), {.axis = 1})), (Shape{kDynamic, 2, 2, 4}));
}

// F-024
TEST(StaticShapes, FollowThroughShapeArithmetic) {
  Variable x = of(DType::Float64, {5, kDynamic, 4});
  EXPECT_EQ(shapeOf(reshape(x, {shape(x, 0), -1})), (Shape{5, kDynamic}));
  EXPECT_EQ(shapeOf(reshape(x, {shape(x)[0] * 2, -1, 2})), (Shape{10, kDynamic, 2}));
  Variable y = of(DType::Float64, {5, 4});
  EXPECT_EQ(shapeOf(broadcastTo(of(DType::Float64, {}), shape(y))), (Shape{5, 4}));
  EXPECT_EQ(
      shapeOf(reshape(y, concatenate({shape(y)[{Slice(1, kEnd)}], Tensor({-1}, DType::Int64)}))),
      (Shape{4, 5}));
  EXPECT_EQ(shapeOf(zeros({size(y)}, DType::Int32)), (Shape{20}));
  EXPECT_EQ(shapeOf(arange(shape(y, 1))), (Shape{4}));
}

// F-024
TEST(StaticShapes, NeverClaimMoreThanIsGuaranteed) {
  Variable n = of(DType::Int64), x = of(DType::Float64, {kDynamic});
  EXPECT_EQ(shapeOf(reshape(x, {n, -1})), (Shape{kDynamic, kDynamic}));
  EXPECT_EQ(shapeOf(arange(n)), (Shape{kDynamic}));
  EXPECT_EQ(shapeOf(x[{Slice(1, kEnd)}]), (Shape{kDynamic}));
  EXPECT_EQ(shapeOf(x[{Slice(0, 3)}]), (Shape{kDynamic}));
}

// F-025
TEST(StaticShapes, SpecifyShapeNarrows) {
  Variable x = of(DType::Float64, {kDynamic, kDynamic});
  EXPECT_EQ(shapeOf(specifyShape(x, {3, kDynamic})), (Shape{3, kDynamic}));
  Variable one = tensor(DType::Float64, {1, 4});
  EXPECT_EQ(shapeOf(unbroadcast(one, Axis(0))), (Shape{kDynamic, 4}));
  EXPECT_EQ(shapeOf(grad(sum(unbroadcast(one, Axis(0)) * 2.0), one)), (Shape{1, 4}));
  EXPECT_EQ(kindOf(specifyShape(of(DType::Float64, {2}), {3})), ErrorKind::ShapeError);
}

} // namespace
} // namespace graphc
