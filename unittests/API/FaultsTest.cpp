//===- FaultsTest.cpp - faults of the ancestors (docs/Semantics.md, 15) ------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "Calls.h"
#include "graphc/Embedding.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

using List = std::vector<double>;

/// All elements of all of `outputs`, in all modes the same.
List at(const Variables &outputs, const Variables &inputs, const std::vector<Tensor> &values) {
  List first;
  for (const char *mode : {"interpreter", "fast_compile", "fast_run"}) {
    SCOPED_TRACE(mode);
    List now = valuesOf(made(function(inputs, outputs, {.mode = mode})).call(values));
    if (first.empty())
      first = now;
    EXPECT_EQ(now, first);
  }
  return first;
}

Variable scalarOf(const char *name) { return dscalar(name); }

// F-355: pairs that depend on each other are refused in any order, others are one substitution.
TEST(Faults, GivensInAnyOrder) {
  Variable x = scalarOf("x");
  SharedVariable s = shared(3.0, "s"), t = shared(5.0, "t");
  std::vector<std::pair<Variable, Variable>> chain = {{s, t * 2}, {t, x + 1}},
                                             apart = {{s, x * 2}, {t, x + 1}};
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(errorKind(function({x}, {s + 100 * t}, {.givens = chain}).status()),
              ErrorKind::RuntimeError);
    Function f = made(function({x}, {s + 100 * t}, {.givens = apart}));
    EXPECT_EQ(valuesOf(f(4)), List{508}) << "4 * 2 + 100 * (4 + 1)";
    std::swap(chain[0], chain[1]);
    std::swap(apart[0], apart[1]);
  }
}

// F-356: a copy's states go on from where they are, apart from the original's; without its updates
// it leaves what is shared alone.
TEST(Faults, CopiesGoOn) {
  Variable x = scalarOf("x"), z = scalarOf("z");
  SharedVariable s = shared(Tensor({1.0, 2.0}), "s");
  Function f = made(function({x, In(z, {.value = 0.0, .update = z + x})}, {z + sum(s)},
                             {.updates = {{s, s * 2}}}));
  EXPECT_EQ(valuesOf(f(5)), List{3});
  Function g = made(f.copy());
  EXPECT_EQ(valuesOf(g(7)), List{11}) << "5 + 6";
  EXPECT_EQ(valuesOf(f(1)), List{17}) << "5 + 12";
  EXPECT_EQ(valuesOf(g(1)), List{36}) << "12 + 24";
  Function still = made(f.copy({.deleteUpdates = true}));
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(valuesOf(still(1)), List{54}) << "6 + 48";
  EXPECT_EQ(s.get(), Tensor({16.0, 32.0}));
}

// F-359
TEST(Faults, DerivativesAtZeros) {
  Variable x = scalarOf("x"), y = scalarOf("y"), v = dvector("v"), u = dvector("u");
  EXPECT_EQ(at({grad(pow(x, y), x), grad(pow(x, y), y)}, {x, y}, {Tensor(0.0), Tensor(0.0)}),
            (List{0, 0}));
  // d/dv[i] of the product is the product of the others, d2/dv[i]dv[j] that of all but two.
  auto derivatives = [&](const Tensor &point) {
    Variable product = prod(v), slope = grad(product, v);
    Variable second = hessian(product, v), tangent = pushforward(product, v, u);
    return at({slope, flatten(second), tangent}, {v, u}, {point, Tensor({1.0, 10.0, 100.0})});
  };
  EXPECT_EQ(derivatives(Tensor({2.0, 0.0, 3.0})), (List{0, 6, 0, 0, 3, 0, 3, 0, 2, 0, 2, 0, 60}));
  EXPECT_EQ(derivatives(Tensor({0.0, 0.0, 3.0})), (List{0, 0, 0, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(at({grad(sum(cumprod(v, 0)), v)}, {v}, {Tensor({2.0, 0.0, 3.0})}), (List{1, 8, 0}));
}

// F-360: the matrix of cofactors, by hand.
TEST(Faults, DeterminantsOfSingularMatrices) {
  Variable a = dmatrix("a");
  auto slopes = [&](const Tensor &matrix) {
    Function f = made(function({a}, {grad(det(a), a)}));
    return valuesOf(f.call({matrix}));
  };
  List ofRankOne = slopes(Tensor({{1.0, 2.0}, {2.0, 4.0}})), wanted = {4, -2, -2, 1};
  for (size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(ofRankOne[k], wanted[k], 1e-14);
  EXPECT_EQ(slopes(Tensor({{0.0, 0.0}, {0.0, 0.0}})), (List{0, 0, 0, 0}));
  List ofRankTwo = slopes(Tensor({{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}}));
  for (size_t k = 0; k < 9; ++k)
    EXPECT_NEAR(ofRankTwo[k], k == 8 ? 2 : 0, 1e-14);
}

// F-370: a million additions to seven places, of several threads and vectors.
TEST(Faults, RepeatedIndicesAccumulate) {
  constexpr int64_t kCount = 1'000'000, kPlaces = 7;
  Variable i = arange(kCount) % kPlaces, y = arange(kCount) % 3;
  Variable made_ = incSubtensor(zeros({kPlaces}, DType::Int64), {i}, y);
  List wanted(kPlaces, 0);
  for (int64_t k = 0; k < kCount; ++k)
    wanted[size_t(k % kPlaces)] += double(k % 3);
  for (const char *mode : {"interpreter", "fast_run"})
    for (int threads : {1, 2, 3}) {
      Function f = made(function({}, {made_}, {.mode = mode, .threads = threads}));
      EXPECT_EQ(valuesOf(f()), wanted) << mode << " " << threads;
    }
}

/// Memory full of NaNs.
class Dirty : public Allocator {
public:
  void *allocate(size_t bytes, size_t alignment) override {
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory)
      std::memset(memory, 0xff, bytes);
    return memory;
  }
  void deallocate(void *memory, size_t) override { std::free(memory); }
};

// F-371: what is not written is not shown: padding, parts that are set, rests, empty rows.
TEST(Faults, NothingUnwrittenIsShown) {
  Variable v = dvector("v"), n = lscalar("n");
  Variable m = outer(v, v), none = zeros({n, 3}, DType::Float64);
  Variables outputs = {
      pad(m, {{1, 2}, {0, 3}}),
      concatenate({v, zeros({3}, DType::Float64), v}),
      setSubtensor(zeros({9}, DType::Float64), {Slice(2, 7, 2)}, v),
      incSubtensor(zeros({9}, DType::Float64), {constant(Tensor({8, 1, 8}, DType::Int64))}, v),
      setTake(zeros({5}, DType::Float64), constant(Tensor({4, 0, 4}, DType::Int64)), v,
              {.axis = 0}),
      sum(none, Axis(1)),
      sum(none, Axis(0)),
      prod(none, Axis(0)),
      cumsum(v, 0),
      cholesky(matmul(m, transpose(m)) + eye(3, 3)),
      qr(m + eye(3, 3), true).q,
      blockDiag({m, v}),
      bincount(constant(Tensor({0, 5}, DType::Int64))),
      conv1d(reshape(v, {1, 1, 3}), reshape(v, {1, 1, 3}), {.padding = Padding(2)}),
      grad(sum(pool(v, {2}, {.stride = {2}})), v),
      grad(sum(take(v, constant(Tensor({1, 1}, DType::Int64)))), v),
      ctcLoss(log(reshape(v, {1, 1, 3})), ones({1, 1}, DType::Int64),
              constant(Tensor({1}, DType::Int64)), constant(Tensor({1}, DType::Int64))),
  };
  const std::vector<Tensor> values = {Tensor({0.5, 0.25, 0.125}), Tensor(0)};
  for (const char *mode : {"interpreter", "fast_run"}) {
    Function f = made(function({v, n}, outputs, {.mode = mode}));
    List clean = valuesOf(f.call(values));
    setAllocator(std::make_shared<Dirty>());
    List dirty = valuesOf(made(function({v, n}, outputs, {.mode = mode})).call(values));
    setAllocator(nullptr);
    EXPECT_EQ(dirty, clean) << mode;
    for (double value : clean)
      ASSERT_FALSE(std::isnan(value));
  }
}

} // namespace
} // namespace graphc
