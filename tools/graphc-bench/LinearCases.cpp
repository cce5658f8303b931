//===- LinearCases.cpp - matrices, order, running sums, random numbers -----===//
//
// What graphc does by routines, beside NumPy. Signs of singular and eigenvectors differ among
// libraries: absolute values are results. Draws are compared by the time alone: each gives a 1.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "Inputs.h"

namespace graphc::bench {
namespace {

constexpr DType kF64 = DType::Float64;

absl::StatusOr<Subject> besideNumPy(Example example, const Settings &settings) {
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// Symmetric, with what makes it positive definite on its diagonal. make_expected.py has the same.
Tensor symmetric(int64_t n, uint64_t seed) {
  Tensor x = makeInput(kF64, {n, n}, -1.0, 1.0, seed);
  double *a = x.mutableFlat<double>().data();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j)
      a[j * n + i] = a[i * n + j];
    a[i * n + i] += double(n);
  }
  return x;
}

absl::StatusOr<Subject> choleskyOf(const Settings &settings) {
  constexpr double kN = 512;
  Variable a = dmatrix("a");
  Example example{"linear_cholesky", {a}, {cholesky(a)}, {symmetric(512, 101)}};
  example.cost = {kN * kN * kN / 3, kN * kN * 8, kN * kN * 8, kF64};
  return besideNumPy(std::move(example), settings);
}

absl::StatusOr<Subject> solveOf(const Settings &settings) {
  constexpr double kN = 512, kColumns = 64;
  Variable a = dmatrix("a"), b = dmatrix("b");
  Example example{"linear_solve",
                  {a, b},
                  {solve(a, b)},
                  {symmetric(512, 102), makeInput(kF64, {512, 64}, -1.0, 1.0, 103)}};
  example.cost = {2 * kN * kN * (kN / 3 + kColumns), (kN + kColumns) * kN * 8, kN * kColumns * 8,
                  kF64};
  example.slack = 10;
  return besideNumPy(std::move(example), settings);
}

absl::StatusOr<Subject> svdOf(const Settings &settings) {
  Variable a = dmatrix("a");
  SvdFactors f = svd(a);
  Example example{
      "linear_svd", {a}, {abs(f.u), f.s, abs(f.vt)}, {makeInput(kF64, {256, 192}, -1.0, 1.0, 104)}};
  example.results = {"u", "s", "vt"};
  example.slack = 100;
  return besideNumPy(std::move(example), settings);
}

absl::StatusOr<Subject> eighOf(const Settings &settings) {
  Variable a = dmatrix("a");
  EighFactors f = eigh(a);
  Example example{"linear_eigh", {a}, {f.values, abs(f.vectors)}, {symmetric(256, 105)}};
  example.results = {"values", "vectors"};
  example.slack = 1000;
  return besideNumPy(std::move(example), settings);
}

absl::StatusOr<Subject> onMillion(const char *name, Variable (*call)(const Variable &),
                                  const Settings &settings) {
  constexpr int64_t kCount = 1'000'000;
  Variable x = fvector("x");
  Example example{name, {x}, {call(x)}, {makeInput(DType::Float32, {kCount}, -1.0, 1.0, 106)}};
  example.cost = {0, double(kCount) * 4, double(kCount) * 4};
  return besideNumPy(std::move(example), settings);
}

Variable sorted(const Variable &x) { return sort(x); }
Variable greatest(const Variable &x) { return topk(x, 100); }
Variable runningSum(const Variable &x) { return cumsum(x); }
/// Ones, of as many normal numbers as x has.
Variable normals(const Variable &x) {
  Variable draw = random::normal(constant(randomState(1)), 0.0, 1.0,
                                 {.size = ShapeList(shape(x)), .dtype = DType::Float32})
                      .value;
  return cast(lt(abs(draw), 1000.0), DType::Float32);
}

} // namespace

void addLinear(std::vector<Case> &cases) {
  auto add = [&](const char *name, const char *about,
                 std::function<absl::StatusOr<Subject>(const Settings &)> prepare) {
    cases.push_back({name, about, {.ratio = 1.1}, std::move(prepare), &groups::kLinear});
  };
  add("linear_cholesky", "a[512, 512] f64", choleskyOf);
  add("linear_solve", "a[512, 512], b[512, 64] f64", solveOf);
  add("linear_svd", "a[256, 192] f64, vectors", svdOf);
  add("linear_eigh", "a[256, 256] f64, vectors", eighOf);
  auto million = [&](const char *name, const char *about, Variable (*call)(const Variable &)) {
    add(name, about, [=](const Settings &s) { return onMillion(name, call, s); });
  };
  million("order_sort", "10^6 f32", sorted);
  million("order_topk", "the 100 greatest of 10^6 f32", greatest);
  million("order_cumsum", "10^6 f32", runningSum);
  million("random_normal", "10^6 f32", normals);
}

} // namespace graphc::bench
