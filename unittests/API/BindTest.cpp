// Typed calls on the caller's memory: F-171, results share no memory with what they are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "graphc/graphc.h"

namespace graphc {
namespace {

using Unary = absl::Status(View<const double, 1>, View<double, 1>);

/// o[i] = x[n - 1 - i] + 1: where input and output share memory, a loop over them goes wrong.
Bound<Unary> reversed(int64_t extent) {
  Variable x = tensor(DType::Float64, {extent}, "x");
  Variable r = x[{Slice(kEnd, kEnd, -1)}] + 1.0;
  return *function({x}, r)->bind<Unary>();
}

// Extents that are known when compiling, and those that are not: one calls the code at once, the
// other finds a plan first.
class BindTest : public testing::TestWithParam<int64_t> {};

TEST_P(BindTest, WritesToTheCallersMemory) {
  Bound<Unary> f = reversed(GetParam());
  double x[] = {1, 2, 3, 4}, o[] = {0, 0, 0, 0, 77};
  ASSERT_TRUE(f({x, {4}}, {o, {4}}).ok());
  EXPECT_THAT(o, testing::ElementsAre(5, 4, 3, 2, 77));
  x[0] = 9;
  ASSERT_TRUE(f({x, {4}}, {o, {4}}).ok());
  EXPECT_THAT(o, testing::ElementsAre(5, 4, 3, 10, 77));
}

TEST_P(BindTest, SharedMemoryIsSafe) {
  Bound<Unary> f = reversed(GetParam());
  double same[] = {1, 2, 3, 4};
  ASSERT_TRUE(f({same, {4}}, {same, {4}}).ok());
  EXPECT_THAT(same, testing::ElementsAre(5, 4, 3, 2));
  double shifted[] = {1, 2, 3, 4, 0};
  ASSERT_TRUE(f({shifted, {4}}, {shifted + 1, {4}}).ok());
  EXPECT_THAT(shifted, testing::ElementsAre(1, 5, 4, 3, 2));
}

TEST_P(BindTest, StridedViews) {
  Bound<Unary> f = reversed(GetParam());
  double x[] = {1, 0, 2, 0, 3, 0, 4, 0}, o[8] = {};
  View<const double, 1> from(x, {4});
  View<double, 1> to(o, {4});
  from.strides[0] = to.strides[0] = 2;
  ASSERT_TRUE(f(from, to).ok());
  EXPECT_THAT(o, testing::ElementsAre(5, 0, 4, 0, 3, 0, 2, 0));
  // Backwards: x from its end, the result to the end of o first.
  from.data = x + 6;
  from.strides[0] = -2;
  ASSERT_TRUE(f(from, {o, {4}}).ok());
  EXPECT_THAT(absl::MakeSpan(o, 4), testing::ElementsAre(2, 3, 4, 5));
}

TEST_P(BindTest, WrongMemoryIsAnError) {
  Bound<Unary> f = reversed(GetParam());
  double x[] = {1, 2, 3, 4}, o[4] = {};
  EXPECT_FALSE(f({x, {4}}, {o, {3}}).ok());
  EXPECT_FALSE(f({x, {4}}, {nullptr, {4}}).ok());
  EXPECT_THAT(o, testing::Each(0));
}

INSTANTIATE_TEST_SUITE_P(Extents, BindTest, testing::Values(4, kDynamic));

// Two outputs in one place: the calls may not fail, and what is there afterwards is one of them.
TEST(Bind, OutputsInOnePlace) {
  Variable x = dvector("x");
  absl::StatusOr<Function> f = function({x}, {x + 1.0, x * 10.0});
  ASSERT_TRUE(f.ok());
  auto g = f->bind<absl::Status(View<const double, 1>, View<double, 1>, View<double, 1>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  double values[] = {1, 2}, o[2] = {};
  ASSERT_TRUE((*g)({values, {2}}, {o, {2}}, {o, {2}}).ok());
  EXPECT_THAT(o, testing::ElementsAre(10, 20));
}

// F-171: fresh memory at each call, whatever the size.
TEST(Bind, GeneralCallsGiveFreshMemory) {
  for (int64_t extent : {1, 8, 9, 1000}) {
    Variable x = dvector("x");
    absl::StatusOr<Function> f = function({x}, x + 1.0);
    ASSERT_TRUE(f.ok());
    Tensor ones = *Tensor::full(DType::Float64, {extent}, 1.0);
    Tensor first = (*(*f)(ones))[0], second = (*(*f)(ones))[0];
    EXPECT_FALSE(first.overlaps(second));
    EXPECT_FALSE(first.overlaps(ones));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data()) % 64, 0u);
    first.mutableFlat<double>()[0] = 5;
    EXPECT_EQ(second.flat<double>()[0], 2);
    Tensor view = first; // shares, and keeps alive
    first = Tensor();
    EXPECT_EQ(view.flat<double>()[0], 5);
  }
}

} // namespace
} // namespace graphc
