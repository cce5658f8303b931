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

TEST_P(BindTest, ElementsOfAResultLieApart) {
  Bound<Unary> f = reversed(GetParam());
  double x[] = {1, 2, 3, 4}, o[] = {7, 7, 7, 7};
  View<double, 1> to(o, {4});
  to.strides[0] = 0;
  EXPECT_EQ(
      f({x, {4}}, to).message(),
      "output 0: elements of the caller's memory share a place; give a View whose strides keep "
      "them apart");
  EXPECT_THAT(o, testing::Each(7));
  Variable m = dmatrix("m");
  auto copies = *function({m}, m + 1)->bind<absl::Status(View<const double, 2>, View<double, 2>)>();
  double y[4] = {1, 2, 3, 4}, p[8] = {};
  View<double, 2> rows(p, {2, 2});
  rows.strides[0] = 1; // the rows overlap
  EXPECT_FALSE(copies({y, {2, 2}}, rows).ok());
  rows.strides[0] = 4; // beside each other, with a gap
  EXPECT_TRUE(copies({y, {2, 2}}, rows).ok());
  EXPECT_THAT(p, testing::ElementsAre(2, 3, 0, 0, 4, 5, 0, 0));
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

template <class T> View<T, 0> viewOf(T *data) {
  View<T, 0> view;
  view.data = data;
  return view;
}

// Views of numbers lie where the caller has them, as other Views do: y * 2 is stored over x before
// x + y reads it, unless somebody looks.
TEST(Bind, ViewsOfNumbersAreChecked) {
  using Binary =
      absl::Status(View<const double, 0>, View<const double, 0>, View<double, 0>, View<double, 0>);
  Variable x = dscalar("x"), y = dscalar("y");
  absl::StatusOr<Bound<Binary>> f = function({x, y}, {y * 2, x + y})->bind<Binary>();
  ASSERT_TRUE(f.ok()) << f.status();
  double a = 3, b = 5, sum = 0, *none = nullptr;
  auto call = [&](const double *first, const double *second, double *twice, double *both) {
    return (*f)(viewOf(first), viewOf(second), viewOf(twice), viewOf(both));
  };
  ASSERT_TRUE(call(&a, &b, &a, &sum).ok());
  EXPECT_EQ(a, 10);
  EXPECT_EQ(sum, 8);
  EXPECT_EQ(errorKind(call(none, &b, &a, &sum)), ErrorKind::ValueError);
  EXPECT_EQ(errorKind(call(&a, &b, &a, none)), ErrorKind::ValueError);
  alignas(8) char bytes[16] = {};
  EXPECT_EQ(errorKind(call(&a, reinterpret_cast<double *>(bytes + 1), &a, &sum)),
            ErrorKind::ValueError);
}

// A result without a Status is refused only where a call can fail.
TEST(Bind, NumbersWhereNothingCanFail) {
  Variable x = dscalar("x"), y = dscalar("y"), chain = x;
  double expected = 1;
  for (int i = 0; i < 2000; ++i) {
    chain = i % 2 ? chain + y : chain * 0.5;
    expected = i % 2 ? expected + 2 : expected * 0.5;
  }
  for (const char *mode : {"fast_run", "interpreter"}) {
    FunctionOptions options = {.mode = mode};
    auto many = function({x, y}, chain, options)->bind<double(double, double)>();
    ASSERT_TRUE(many.ok()) << many.status();
    EXPECT_EQ((*many)(1, 2), expected) << mode;
    auto same = function({x}, {x}, options)->bind<double(double)>();
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ((*same)(4.5), 4.5) << mode;
    auto three = function({}, constant(3.0), options)->bind<double()>();
    ASSERT_TRUE(three.ok()) << three.status();
    EXPECT_EQ((*three)(), 3) << mode;
  }
}

TEST(Bind, NumbersWhereSomethingCanFail) {
  Variable x = dscalar("x"), i = lscalar("i");
  Variable table = constant(Tensor({1.0, 2.0, 3.0}));
  for (const char *mode : {"fast_run", "interpreter"}) {
    FunctionOptions options = {.mode = mode};
    auto problem = [](const absl::Status &status) {
      EXPECT_EQ(errorKind(status), ErrorKind::TypeError);
      return std::string(status.message());
    };
    const char *refused =
        "bind: the function can fail while it runs; let the signature return absl::Status";
    Function indexed = *function({i}, table[{i}], options);
    EXPECT_EQ(problem(indexed.bind<double(int64_t)>().status()), refused) << mode;
    Function sized = *function({i}, full({i}, 1.0).sum(), options);
    EXPECT_EQ(problem(sized.bind<double(int64_t)>().status()), refused) << mode;
    Function number = *function({x}, x + 1.0, options);
    auto viewed = number.bind<void(View<const double, 0>, View<double, 0>)>();
    EXPECT_EQ(problem(viewed.status()), refused) << mode;
    auto backwards = number.bind<absl::Status(View<double, 0>, double)>();
    EXPECT_EQ(problem(backwards.status()),
              "bind: an input stands after an output; Views of const are inputs");
  }
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
