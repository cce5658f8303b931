//===- ComputedSizesTest.cpp - sizes that follow from computed ones ------------===//
#include "graphc/graphc.h"
#include "gtest/gtest.h"

namespace graphc {
namespace {

/// A slice of computed bounds, and as many numbers as follow from its extent and another computed
/// number: all of these are arrays of rank 0, which one kernel would compute if each did not need
/// the ones before as a size.
TEST(ComputedSizes, followFromComputedSizes) {
  Variable x = dvector("x"), p = lvector("p");
  Variable part = x[{Slice(p[{0}], x.shape()[0] - p[{1}])}];
  Variable count = part.shape()[0] * 2 + p[{1}];
  Variable y = take(part, arange(count), {.axis = 0, .mode = TakeMode::Clip});
  for (const char *mode : {"interpreter", "fast_compile", "fast_run"}) {
    auto f = function({x, p}, {y}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto result = (*f)(Tensor({1.0, 2.0, 3.0, 4.0}), Tensor({1, 1}, DType::Int64));
    ASSERT_TRUE(result.ok()) << mode << ": " << result.status();
    EXPECT_EQ((*result)[0], Tensor({2.0, 3.0, 3.0, 3.0, 3.0})) << mode;
  }
}

} // namespace
} // namespace graphc
