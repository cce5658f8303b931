// Typed calls on the caller's memory: F-171, results share no memory with what they are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "graphc/graphc.h"

namespace graphc {
namespace {

using Unary = absl::Status(View<const double, 1>, View<double, 1>);

template <class T> View<T, 0> viewOf(T *data) {
  View<T, 0> view;
  view.data = data;
  return view;
}

// Extents that are known when compiling, those that are not, and those that came before, for which
// there is a plan: the first and the last call the code at once, where arguments allow it.
enum class Extents { Known, Fresh, Seen };
class BindTest : public testing::TestWithParam<Extents> {};

/// o[i] = x[n - 1 - i] + 1 for 4 numbers: where input and output share memory, a loop over them
/// goes wrong.
Bound<Unary> reversed(Extents extents) {
  Variable x = tensor(DType::Float64, {extents == Extents::Known ? 4 : kDynamic}, "x");
  Variable r = x[{Slice(kEnd, kEnd, -1)}] + 1.0;
  Bound<Unary> f = *function({x}, r)->bind<Unary>();
  double from[4] = {}, to[4] = {};
  for (int i = 0; i < 2 && extents == Extents::Seen; ++i)
    EXPECT_TRUE(f({from, {4}}, {to, {4}}).ok());
  return f;
}

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
  EXPECT_FALSE(f({x, {3}}, {o, {4}}).ok());
  EXPECT_FALSE(f({x, {4}}, {nullptr, {4}}).ok());
  EXPECT_FALSE(f({nullptr, {4}}, {o, {4}}).ok());
  alignas(8) char bytes[40] = {};
  EXPECT_FALSE(f({x, {4}}, {reinterpret_cast<double *>(bytes + 4), {4}}).ok());
  EXPECT_FALSE(f({reinterpret_cast<double *>(bytes + 4), {4}}, {o, {4}}).ok());
  EXPECT_THAT(o, testing::Each(0));
}

INSTANTIATE_TEST_SUITE_P(Extents, BindTest,
                         testing::Values(Extents::Known, Extents::Fresh, Extents::Seen));

// More numbers than a vector has: code that ran at once would read what it has written.
TEST(Bind, SharedMemoryOfExtentsThatWereSeen) {
  Bound<Unary> f = reversed(Extents::Fresh);
  double x[40], o[41];
  auto restart = [&] {
    for (int i = 0; i < 40; ++i)
      x[i] = o[i] = i;
  };
  restart();
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(f({x, {40}}, {o, {40}}).ok());
  restart();
  ASSERT_TRUE(f({x, {40}}, {x, {40}}).ok());
  ASSERT_TRUE(f({o, {40}}, {o + 1, {40}}).ok());
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(x[i], 40 - i);
    EXPECT_EQ(o[i + 1], 40 - i);
  }
}

// Plans are by extents: what was seen last says nothing of others.
TEST(Bind, ExtentsThatChange) {
  Variable x = dmatrix("x"), y = dvector("y");
  absl::StatusOr<Function> f = function({x, y}, {x + y, sum(x)});
  ASSERT_TRUE(f.ok());
  auto g = f->bind<absl::Status(View<const double, 2>, View<const double, 1>, View<double, 2>,
                                View<double, 0>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  double a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30}, o[6], total = 0;
  auto call = [&](int64_t rows, int64_t columns, int64_t wide) {
    std::fill(o, o + 6, 0);
    return (*g)({a, {rows, columns}}, {b, {wide}}, {o, {rows, columns}}, viewOf(&total));
  };
  for (int repeated = 0; repeated < 3; ++repeated) {
    ASSERT_TRUE(call(2, 3, 3).ok());
    EXPECT_THAT(o, testing::ElementsAre(11, 22, 33, 14, 25, 36));
    EXPECT_EQ(total, 21);
  }
  for (int repeated = 0; repeated < 3; ++repeated) {
    ASSERT_TRUE(call(3, 2, 2).ok());
    EXPECT_THAT(o, testing::ElementsAre(11, 22, 13, 24, 15, 26));
  }
  EXPECT_EQ(errorKind(call(3, 2, 3)), ErrorKind::ShapeError);
  ASSERT_TRUE(call(2, 2, 2).ok());
  EXPECT_THAT(o, testing::ElementsAre(11, 22, 13, 24, 0, 0));
  ASSERT_TRUE(call(0, 2, 2).ok());
  EXPECT_EQ(total, 0);
  // A result that lies over an input, or over another result.
  ASSERT_TRUE(call(2, 3, 3).ok());
  ASSERT_TRUE((*g)({a, {2, 3}}, {b, {3}}, {a, {2, 3}}, viewOf(&total)).ok());
  EXPECT_THAT(a, testing::ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_EQ(total, 21);
  ASSERT_TRUE((*g)({a, {2, 3}}, {b, {3}}, {o, {2, 3}}, viewOf(o + 5)).ok());
  EXPECT_EQ(o[5], 141);
  EXPECT_EQ(o[4], 45);
}

// A result that is a view of what code computes.
TEST(Bind, ReshapedResults) {
  Variable x = dmatrix("x");
  auto g =
      *function({x}, flatten(exp(x)))->bind<absl::Status(View<const double, 2>, View<double, 1>)>();
  double zeros[6] = {}, o[7] = {};
  for (int repeated = 0; repeated < 3; ++repeated) {
    std::fill(o, o + 7, 0);
    ASSERT_TRUE(g({zeros, {2, 3}}, {o, {6}}).ok());
    EXPECT_THAT(o, testing::ElementsAre(1, 1, 1, 1, 1, 1, 0));
    EXPECT_EQ(errorKind(g({zeros, {2, 3}}, {o, {7}})), ErrorKind::ShapeError);
  }
}

// Complex numbers are pairs for code, with one axis more, and lie at multiples of a real number.
TEST(Bind, ComplexNumbers) {
  using C = std::complex<double>;
  Variable z = tensor(DType::Complex128, {kDynamic}, "z");
  absl::StatusOr<Function> f = function({z}, {z * 2.0, z + 1.0});
  ASSERT_TRUE(f.ok());
  auto g = *f->bind<absl::Status(View<const C, 1>, View<C, 1>, View<C, 1>)>();
  std::vector<double> memory(40);
  auto *odd = reinterpret_cast<C *>(memory.data() + (uintptr_t(memory.data()) % 16 ? 0 : 1));
  C x[] = {{1, 1}, {2, 0}, {0, 3}}, y[3];
  for (int repeated = 0; repeated < 4; ++repeated) {
    std::fill(y, y + 3, C(-7));
    for (int64_t wrong : {1, 2, 4})
      EXPECT_EQ(g({x, {3}}, {odd, {3}}, {y, {wrong}}).message(),
                "output 1 is complex<f64>[3], the caller's memory complex<f64>[" +
                    std::to_string(wrong) + "]");
    EXPECT_THAT(y, testing::Each(C(-7)));
    ASSERT_TRUE(g({x, {3}}, {odd, {3}}, {y, {3}}).ok());
    EXPECT_THAT(absl::MakeSpan(odd, 3), testing::ElementsAre(C(2, 2), C(4, 0), C(0, 6)));
    EXPECT_THAT(y, testing::ElementsAre(C(2, 1), C(3, 0), C(1, 3)));
  }
  EXPECT_EQ(f->counters().plans, 1);
}

// Results that do not fit into the caller's memory are an error before any next value is stored,
// also one that might be computed over the old one.
TEST(Bind, UpdatesWaitForResultsThatFit) {
  for (bool isStatic : {false, true}) {
    SharedVariable w = shared(*Tensor::full(DType::Float64, {3}, Tensor(1.0)), "w");
    Variable x = tensor(DType::Float64, {isStatic ? 3 : kDynamic}, "x");
    absl::StatusOr<Function> f = function({x}, {x + 1.0}, {.updates = {{w, Variable(w) * 2.0}}});
    ASSERT_TRUE(f.ok()) << f.status();
    auto g = *f->bind<Unary>();
    double values[] = {1, 2, 3}, o[] = {0, 0, 0};
    for (int repeated = 0; repeated < 2; ++repeated)
      EXPECT_EQ(g({values, {3}}, {o, {2}}).message(),
                "output 0 is f64[3], the caller's memory f64[2]");
    const Tensor before = w.get();
    EXPECT_EQ(before.flat<double>()[2], 1);
    ASSERT_TRUE(g({values, {3}}, {o, {3}}).ok());
    EXPECT_THAT(o, testing::ElementsAre(2, 3, 4));
    const Tensor after = w.get();
    EXPECT_EQ(after.flat<double>()[2], 2);
  }
}

// Code that wants memory besides: products copy what they read again and again.
TEST(Bind, ScratchMemory) {
  Variable x = dmatrix("x"), y = dmatrix("y");
  auto g =
      *function({x, y}, dot(x, y))
           ->bind<absl::Status(View<const double, 2>, View<const double, 2>, View<double, 2>)>();
  constexpr int64_t kRows = 150, kSum = 140, kColumns = 130;
  std::vector<double> a(kRows * kSum), b(kSum * kColumns), o(kRows * kColumns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = double(i % 11);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = double(i % 7);
  for (int repeated = 0; repeated < 3; ++repeated) {
    std::fill(o.begin(), o.end(), -1);
    ASSERT_TRUE(
        g({a.data(), {kRows, kSum}}, {b.data(), {kSum, kColumns}}, {o.data(), {kRows, kColumns}})
            .ok());
    for (int64_t r = 0; r < kRows; ++r)
      for (int64_t c = 0; c < kColumns; ++c) {
        double sum = 0; // of small whole numbers: exact
        for (int64_t k = 0; k < kSum; ++k)
          sum += a[size_t(r * kSum + k)] * b[size_t(k * kColumns + c)];
        ASSERT_EQ(o[size_t(r * kColumns + c)], sum) << r << " " << c;
      }
  }
}

// A call of code that fails says what a call with Tensors says, each time.
TEST(Bind, CodeThatFails) {
  Variable x = dvector("x"), i = lvector("i");
  absl::StatusOr<Function> f = function({x, i}, take(x, i));
  ASSERT_TRUE(f.ok());
  auto g = f->bind<absl::Status(View<const double, 1>, View<const int64_t, 1>, View<double, 1>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  double values[] = {1, 2, 3}, o[2] = {};
  int64_t good[] = {2, -3}, bad[] = {0, 3};
  std::string message;
  for (int repeated = 0; repeated < 3; ++repeated) {
    ASSERT_TRUE((*g)({values, {3}}, {good, {2}}, {o, {2}}).ok());
    EXPECT_THAT(o, testing::ElementsAre(3, 1));
    absl::Status status = (*g)({values, {3}}, {bad, {2}}, {o, {2}});
    EXPECT_EQ(errorKind(status), ErrorKind::IndexError);
    EXPECT_THAT(status.message(), testing::HasSubstr("3"));
    EXPECT_TRUE(message.empty() || message == status.message()) << message << status;
    message = std::string(status.message());
  }
}

// What is called at once is counted as other calls are, and gets versions of its own.
TEST(Bind, CallsAreCounted) {
  Variable x = dvector("x");
  absl::StatusOr<Function> f = function({x}, exp(x));
  ASSERT_TRUE(f.ok());
  auto g = *f->bind<Unary>();
  std::vector<double> from(40, 0.0), to(40);
  int64_t calls = 0;
  auto call = [&] {
    ++calls;
    return g({from.data(), {40}}, {to.data(), {40}}).ok() && to[39] == 1;
  };
  while (calls < 10)
    ASSERT_TRUE(call());
  EXPECT_EQ(f->counters().calls, 10);
  EXPECT_EQ(f->counters().kernelRuns, 10);
  EXPECT_EQ(f->counters().plans, 1);
  EXPECT_EQ(f->counters().bytesCopied, 0);
  // Often enough, and until it is compiled in the background.
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (f->counters().specialisedCalls == 0 && std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE(call());
    if (calls > 1000)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(f->counters().specialisations, 1);
  EXPECT_EQ(f->counters().calls, calls);
  EXPECT_EQ(f->counters().kernelRuns, calls);
}

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
