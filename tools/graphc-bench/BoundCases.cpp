//===- BoundCases.cpp - matrix products on memory that stays --------------===//
//
// Of the shapes that docs/Benchmarks.md has bars for. Extents are known to the
// compiler, and calls write to the caller's memory, as those of the libraries do: what is measured
// are kernels, not Tensors. make_expected.py has the same shapes.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"
#include "Inputs.h"
#include "OneDnn.h"
#include "OpenBlas.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace graphc::bench {
namespace {

template <class T, int Rank>
absl::StatusOr<Call> boundTo(const Function &f, Tensor a, Tensor b, Tensor c) {
  using Input = View<const T, Rank>;
  using Output = View<T, Rank>;
  auto bound = f.bind<absl::Status(Input, Input, Output)>();
  if (!bound.ok())
    return bound.status();
  Input viewA = std::as_const(a).view<T, Rank>(), viewB = std::as_const(b).view<T, Rank>();
  Output viewC = c.view<T, Rank>();
  // The Tensors keep the memory.
  return Call([=, call = *std::move(bound)](std::vector<Tensor> &results) {
    if (results.empty())
      results = {c};
    return call(viewA, viewB, viewC);
  });
}

absl::StatusOr<Call> boundProduct(const Function &f, const Product &p, const Tensor &a,
                                  const Tensor &b) {
  absl::StatusOr<Tensor> c = Tensor::zeros(a.dtype(), p.resultShape());
  if (!c.ok())
    return c.status();
  if (a.dtype() == DType::Float64)
    return boundTo<double, 2>(f, a, b, *c);
  return p.batch == 1 ? boundTo<float, 2>(f, a, b, *c) : boundTo<float, 3>(f, a, b, *c);
}

absl::StatusOr<Subject> subjectOf(const std::string &name, DType dtype, const Product &p,
                                  Settings settings) {
  Tensor a = makeInput(dtype, p.leftShape(), -1.0, 1.0, 6),
         b = makeInput(dtype, p.rightShape(), -1.0, 1.0, 7);
  Variable va = tensor(dtype, p.leftShape(), "a"), vb = tensor(dtype, p.rightShape(), "b");
  Variable left = p.isLeftTransposed ? swapaxes(va, -2, -1) : va,
           right = p.isRightTransposed ? swapaxes(vb, -2, -1) : vb;
  Example example{name, {va, vb}, {matmul(left, right)}, {a, b}};
  double size = double(byteSize(dtype)), batch = p.batch, m = p.m, k = p.k, n = p.n;
  example.cost = {2 * batch * m * k * n, batch * (m * k + k * n) * size, batch * m * n * size,
                  dtype};
  if (dtype == DType::Float32)
    example.slack = slackOfSums(k);
  example.bind = [=](const Function &f) { return boundProduct(f, p, a, b); };
  std::vector<Hand> hands = openBlasProduct(p, a, b, settings);
  for (const Hand &hand : oneDnnProduct(p, a, b, dtype, settings))
    hands.push_back(hand);
  settings.workers = nullptr; // they make arrays
  return compare(std::move(example), std::move(hands), settings);
}

Product cube(int n) { return {n, n, n}; }

/// m, k and n.
const Product kSquares[] = {cube(8),   cube(16),  cube(32),  cube(64),   cube(100),
                            cube(127), cube(128), cube(384), cube(1000), cube(1536)},
              kOthers[] = {{17, 33, 65},    {17, 65, 33},    {200, 400, 300},  {777, 333, 555},
                           {1, 1024, 1024}, {4, 1024, 1024}, {8, 1024, 1024},  {32, 1024, 1024},
                           {64, 768, 3072}, {128, 768, 768}, {1024, 1024, 32}, {1024, 32, 1024},
                           {1024, 1024, 1}},
              kDoubles[] = {{17, 33, 65}, {17, 65, 33}, cube(64), cube(100), cube(1000)},
              kTransposed[] = {{17, 33, 65}, {17, 65, 33}, cube(64),       cube(100),
                               cube(256),    cube(1024),   {1, 1024, 1024}},
              kBatches[] = {{128, 64, 128, /*isRightTransposed=*/true, false, 12},
                            {128, 128, 64, false, false, 12},
                            {32, 64, 32, /*isRightTransposed=*/true, false, 96},
                            {64, 64, 64, false, false, 96}};

std::string textOf(const char *name, const std::vector<int64_t> &shape, bool isTransposed) {
  return absl::StrFormat("%s[%s]%s", name, absl::StrJoin(shape, ", "), isTransposed ? "^T" : "");
}

void add(std::vector<Case> &cases, DType dtype, const Product &p) {
  std::string kind = absl::StrFormat("bound%s%s", p.batch > 1 ? "_batch" : "",
                                     p.isLeftTransposed    ? "_atb"
                                     : p.isRightTransposed ? "_abt"
                                                           : "");
  std::string shape = absl::StrFormat("%dx%dx%d", p.m, p.k, p.n);
  if (p.batch > 1)
    shape = absl::StrFormat("%dx%s", p.batch, shape);
  std::string dtypeText = dtype == DType::Float64 ? "f64" : "f32",
              expected = absl::StrFormat("%s_%s", kind, shape); // inputs are the same in both
  bool isSquare = p.m == p.n && p.n == p.k;
  Case one{absl::StrFormat("%s_%s_%s", kind, dtypeText, shape),
           absl::StrFormat("%s, %s, %s, bound", textOf("a", p.leftShape(), p.isLeftTransposed),
                           textOf("b", p.rightShape(), p.isRightTransposed), dtypeText),
           {.ratio = 1.0},
           [=](const Settings &s) { return subjectOf(expected, dtype, p, s); },
           isSquare || p.batch > 1 ? &groups::kBoundProducts : &groups::kBoundOthers};
  one.share = 0.5;
  cases.push_back(std::move(one));
}

} // namespace

void addBoundProducts(std::vector<Case> &cases) {
  for (const Product &p : kSquares)
    add(cases, DType::Float32, p);
  for (const Product &p : kOthers)
    add(cases, DType::Float32, p);
  for (const Product &p : kDoubles)
    add(cases, DType::Float64, p);
  for (Product p : kTransposed) {
    p.isLeftTransposed = true;
    add(cases, DType::Float32, p);
  }
  for (Product p : kTransposed) {
    p.isRightTransposed = true;
    add(cases, DType::Float32, p);
  }
  for (const Product &p : kBatches)
    add(cases, DType::Float32, p);
}

} // namespace graphc::bench
