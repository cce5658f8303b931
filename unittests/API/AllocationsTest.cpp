//===- AllocationsTest.cpp - what calls ask of the heap and the clock -----===//
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <vector>

#include "API/Heap.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using test::clockReads, test::heapAllocations, test::heapBytes;

/// Those of 20 calls, after the first three.
template <class Call> int64_t allocationsOf(Call call) {
  for (int i = 0; i < 3; ++i)
    call();
  int64_t before = heapAllocations;
  for (int i = 0; i < 20; ++i)
    call();
  return heapAllocations - before;
}

TEST(Allocations, AreCounted) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  EXPECT_GE(allocationsOf([] { EXPECT_TRUE(Tensor::zeros(DType::Float64, {100000}).ok()); }), 20);
}

// One step of gradient descent on |w|^2 for ten matrices.
TEST(Allocations, StepsOfTrainingNeedNone) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  std::vector<SharedVariable> weights;
  std::vector<std::pair<Variable, Variable>> updates;
  for (int64_t i = 0; i < 10; ++i) {
    Tensor ones = *Tensor::full(DType::Float64, {20 + i, 30}, Tensor(1.0));
    weights.push_back(shared(ones, "w" + std::to_string(i)));
    updates.emplace_back(weights.back(), weights.back() - 0.25 * (2 * weights.back()));
  }
  absl::StatusOr<Function> f = function({}, {}, {.updates = updates});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*f)().ok()); }), 0);
  for (const SharedVariable &w : weights) {
    Tensor value = w.get();
    EXPECT_EQ(value.flat<double>()[599], std::ldexp(1.0, -23)); // halved in each of 23 calls
  }
}

// A result and its array are one block, which the thread has again once it is given back; beside it
// there is the vector of results.
TEST(Allocations, ResultsAreOneBlock) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable x = fmatrix("x"), y = fmatrix("y");
  absl::StatusOr<Function> f = function({x, y}, x + y);
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a = *Tensor::full(DType::Float32, {17, 65}, Tensor(1.0f));
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*f)(a, a).ok()); }), 20);
  std::vector<Tensor> held;
  held.reserve(30);
  EXPECT_EQ(allocationsOf([&] { held.push_back((*(*f)(a, a))[0]); }), 40);
  for (const Tensor &sum : held)
    for (float element : sum.flat<float>())
      ASSERT_EQ(element, 2);
}

// What a loop needs it has before its first step: states stand where the results are.
TEST(Allocations, StepsOfLoopsNeedNone) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable n = lscalar("n"), w = dmatrix("w");
  auto step = [&](const Variables &in) {
    return ScanStep({tanh(dot(in[0], w)), in[1] + sum(in[0])}, {}, gt(in[1], 1e9));
  };
  Variables made =
      scan(step, {.outputs = {ScanOutput(Tensor({0.5, 0.25})), 0.0}, .numSteps = n}).outputs;
  absl::StatusOr<Function> f = function({n, w}, {made[0], made[1][-1]});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor matrix = *Tensor({0.1, 0.2, 0.3, 0.4}).reshape({2, 2});
  int64_t few = allocationsOf([&] { EXPECT_TRUE((*f)(10, matrix).ok()); });
  int64_t many = allocationsOf([&] { EXPECT_TRUE((*f)(1000, matrix).ok()); });
  EXPECT_EQ(few, many);
}

/// Bytes that the first step and the 19 after it ask for; ten parameters of 10^5 float32.
std::pair<int64_t, int64_t> bytesOfSteps(bool someoneHoldsTheWeights) {
  std::vector<SharedVariable> weights;
  std::vector<std::pair<Variable, Variable>> updates;
  Tensor ones = *Tensor::full(DType::Float32, {100000}, Tensor(1.0f));
  for (int64_t i = 0; i < 10; ++i) {
    weights.push_back(shared(ones));
    updates.emplace_back(weights.back(), weights.back() - 0.25 * (2 * weights.back()));
  }
  absl::StatusOr<Function> f = function({}, {}, {.updates = updates});
  EXPECT_TRUE(f.ok()) << f.status();
  std::vector<Tensor> held;
  for (const SharedVariable &w : weights)
    if (someoneHoldsTheWeights)
      held.push_back(w.get({.borrow = true}));
  int64_t start = heapBytes;
  EXPECT_TRUE((*f)().ok());
  int64_t first = heapBytes - start;
  held.clear();
  for (int i = 0; i < 19; ++i)
    EXPECT_TRUE((*f)().ok());
  return {first, heapBytes - start - first};
}

// F-181: in place, the parameters' memory is all that there is; otherwise they have a second one.
TEST(Allocations, StepsInPlaceNeedNoSecondBuffer) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  constexpr int64_t kParameters = 10 * 100000 * 4;
  auto [first, later] = bytesOfSteps(false);
  EXPECT_LT(first, kParameters / 100);
  EXPECT_EQ(later, 0);
  auto [firstHeld, laterHeld] = bytesOfSteps(true);
  EXPECT_GE(firstHeld, kParameters);
  EXPECT_EQ(laterHeld, 0);
}

/// Clock readings and allocations of 20 calls of a function of two kernels.
std::pair<int64_t, int64_t> costOfCalls(FunctionOptions options) {
  Variable x = tensor(DType::Float64, {8, 8}, "x");
  SharedVariable s = shared(*Tensor::zeros(DType::Float64, {8, 8}), "s");
  options.updates = {{s, dot(exp(dot(x, x)), x)}};
  absl::StatusOr<Function> f = function({x}, {}, std::move(options));
  EXPECT_TRUE(f.ok()) << f.status();
  Tensor ones = *Tensor::full(DType::Float64, {8, 8}, Tensor(1.0));
  auto call = [&] { EXPECT_TRUE((*f)(ones).ok()); };
  allocationsOf(call);
  int64_t before = clockReads;
  int64_t allocations = allocationsOf(call);
  return {clockReads - before, allocations};
}

// F-197: what is not profiled reads no clock, and asks for no memory. The other mode shows that
// both are counted: begin and end of each of 23 calls, and of its kernels.
TEST(Allocations, ProfilesThatAreOffCostNothing) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  EXPECT_EQ(costOfCalls({}), (std::pair<int64_t, int64_t>(0, 0)));
  Profile profile;
  auto [reads, allocations] = costOfCalls({.profile = profile});
  EXPECT_EQ(reads, 23 * 2 * (1 + int64_t(profile.steps().size())));
  EXPECT_GE(allocations, 20);
}

/// How much more `bytesFor(2 n)` is than `bytesFor(n)`; what is made once is made before.
template <class BytesFor> double growth(int n, BytesFor bytesFor) {
  bytesFor(n / 8);
  auto small = double(bytesFor(n)), large = double(bytesFor(2 * n));
  return large / small;
}

// An op of n inputs and n outputs, with an entry for each pair of them, would take four times as
// much for twice as many.
TEST(Allocations, OfGradientsThroughWideOpsAreLinear) { // F-261
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  EXPECT_LE(growth(4000,
                   [](int n) {
                     int64_t before = heapBytes;
                     Variables inputs, outputs, given;
                     for (int i = 0; i < n; ++i) {
                       inputs.push_back(dscalar());
                       outputs.push_back(inputs.back() * 2);
                       given.push_back(dscalar());
                     }
                     OpFromGraph op(inputs, outputs);
                     Variables made = op.apply(std::vector<Operand>(given.begin(), given.end()));
                     Variable cost = sum(stack(std::vector<Operand>(made.begin(), made.end()), 0));
                     EXPECT_TRUE(grad(cost, given)[0].ok());
                     EXPECT_TRUE(pushforward({cost}, given, given)[0].ok());
                     return heapBytes - before;
                   }),
            2.3);
}

// Graphs of one name are told apart by a number, which is not looked for from 2 on for each.
TEST(Allocations, OfSavedNestsAreLinear) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  const std::string path = testing::TempDir() + "nest.graphc";
  EXPECT_LE(growth(800,
                   [&](int levels) {
                     Variable x = dvector("x");
                     OpFromGraph op({x}, {x * 2});
                     for (int level = 0; level < levels; ++level)
                       op = OpFromGraph({x}, {op(x) + 1}, {.name = "aNameThatTakesMemory"});
                     auto f = function({x}, op(x), {.mode = "interpreter"});
                     EXPECT_TRUE(f.ok()) << f.status();
                     int64_t before = heapBytes;
                     EXPECT_EQ(f->save(path), absl::OkStatus());
                     return heapBytes - before;
                   }),
            2.5);
  std::remove(path.c_str());
}

TEST(Allocations, TypedCallsNeedNone) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  auto f = function({x, y, z}, x + y * z)->bind<double(double, double, double)>();
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(allocationsOf([&] { EXPECT_EQ((*f)(2, 3, 4), 14); }), 0);
  // Extents that are not known when compiling.
  Variable v = dvector("v");
  auto g = function({v}, v * 2)->bind<absl::Status(View<const double, 1>, View<double, 1>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  double from[] = {1, 2, 3}, to[3];
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*g)({from, {3}}, {to, {3}}).ok()); }), 0);
  EXPECT_EQ(to[2], 6);
  // Complex ones, which lie at multiples of 8 bytes.
  using C = std::complex<double>;
  Variable pairs = tensor(DType::Complex128, {kDynamic}, "pairs");
  auto h = function({pairs}, pairs * 2.0)->bind<absl::Status(View<const C, 1>, View<C, 1>)>();
  ASSERT_TRUE(h.ok()) << h.status();
  alignas(16) double parts[] = {0, 1, 2, 3, 4}, twice[5] = {};
  auto *c = reinterpret_cast<const C *>(parts + 1);
  auto *d = reinterpret_cast<C *>(twice + 1);
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*h)({c, {2}}, {d, {2}}).ok()); }), 0);
  EXPECT_EQ(d[1], C(6, 8));
}

// Code that wants scratch memory, that can fail, and that has two results, one of them reshaped.
TEST(Allocations, TypedCallsOfUnknownExtentsNeedNone) {
  if (!test::isHeapCounted())
    GTEST_SKIP() << "the sanitizer has the heap";
  using Matrix = View<const double, 2>;
  using Places = View<const int64_t, 1>;
  Variable x = dmatrix("x"), y = dmatrix("y"), v = dvector("v"), at = lvector("at");
  auto product = function({x, y}, dot(x, y))->bind<absl::Status(Matrix, Matrix, View<double, 2>)>();
  auto taken = function({v, at}, take(v, at))
                   ->bind<absl::Status(View<const double, 1>, Places, View<double, 1>)>();
  auto both = function({x}, {x * 2, flatten(exp(x))})
                  ->bind<absl::Status(Matrix, View<double, 2>, View<double, 1>)>();
  ASSERT_TRUE(product.ok() && taken.ok() && both.ok());
  std::vector<double> a(10000, 1.0), b(10000), c(10000);
  Matrix square(a.data(), {100, 100});
  View<double, 2> result(b.data(), {100, 100});
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*product)(square, square, result).ok()); }), 0);
  EXPECT_EQ(b[9999], 100);
  const int64_t places[] = {2, 0};
  View<const double, 1> from(a.data(), {3});
  View<double, 1> to(b.data(), {2});
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*taken)(from, {places, {2}}, to).ok()); }), 0);
  EXPECT_EQ(b[1], 1);
  View<double, 1> flat(c.data(), {10000});
  EXPECT_EQ(allocationsOf([&] { EXPECT_TRUE((*both)(square, result, flat).ok()); }), 0);
  EXPECT_EQ(b[9999], 2);
}

} // namespace
} // namespace graphc
