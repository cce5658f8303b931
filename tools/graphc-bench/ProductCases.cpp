//===- ProductCases.cpp - matrix products ---------------------------------===//
#include "Compare.h"
#include "Inputs.h"
#include "OneDnn.h"
#include "OpenBlas.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

/// `isConstant`: b is, as the weights of a network that only answers.
absl::StatusOr<Subject> productOf(const std::string &name, const Product &p, DType dtype,
                                  bool isConstant, const Settings &settings) {
  Tensor a = makeInput(dtype, {p.m, p.k}, -1.0, 1.0, 6),
         b = makeInput(dtype, {p.isTransposed ? p.n : p.k, p.isTransposed ? p.k : p.n}, -1.0, 1.0,
                       7);
  Variable va = tensor(dtype, {kDynamic, kDynamic}, "a"),
           vb = tensor(dtype, {kDynamic, kDynamic}, "b");
  double size = double(byteSize(dtype)), m = p.m, k = p.k, n = p.n;
  Example example{name, {va, vb}, {dot(va, p.isTransposed ? transpose(vb) : vb)}, {a, b}};
  example.cost = {2 * m * k * n, (m * k + k * n) * size, m * n * size, dtype == DType::Float64};
  if (dtype == DType::Float32)
    example.slack = slackOfSums(k);
  if (isConstant) {
    Variable x = tensor(dtype, {kDynamic, p.k}, "x");
    example.inputs = {x};
    example.values = {a};
    example.constants = {{"b", b}};
    example.outputs = {dot(x, constant(b))};
  }
  example.formula = isConstant ? "dense" : p.isTransposed ? "gemm_abt" : "gemm";
  std::vector<Hand> hands = openBlasProduct(p, a, b, settings);
  for (const Hand &hand : oneDnnProduct(p, a, b, settings))
    hands.push_back(hand);
  return compare(std::move(example), std::move(hands), settings);
}

} // namespace

void addProducts(std::vector<Case> &cases) {
  auto add = [&](const char *dtypeName, DType dtype, const Product &p) {
    std::string shape =
        p.isTransposed ? absl::StrFormat("%d", p.n) : absl::StrFormat("%dx%dx%d", p.m, p.k, p.n);
    std::string name =
        absl::StrFormat("gemm%s_%s_%s", p.isTransposed ? "_abt" : "", dtypeName, shape);
    cases.push_back({name,
                     absl::StrFormat("a[%d, %d] %s, %s", p.m, p.k,
                                     p.isTransposed ? absl::StrFormat("b[%d, %d]^T", p.n, p.k)
                                                    : absl::StrFormat("b[%d, %d]", p.k, p.n),
                                     dtypeName),
                     {.ratio = 1.0},
                     [=](const Settings &s) { return productOf(name, p, dtype, false, s); },
                     p.m == p.n && p.n == p.k ? &groups::kSquares : &groups::kOtherProducts});
  };
  for (const Product &p : {Product{256, 256, 256}, Product{512, 512, 512},
                           Product{1024, 1024, 1024}, Product{2048, 2048, 2048},
                           Product{17, 33, 65}, Product{1, 1024, 1024}, Product{1024, 32, 1024}}) {
    add("f32", DType::Float32, p);
    add("f64", DType::Float64, p);
  }
  add("f32", DType::Float32, {512, 512, 512, true});
  // make_expected.py has the same.
  for (const Product &p : {Product{4, 1024, 1024}, Product{16, 1024, 1024}, Product{32, 1024, 1024},
                           Product{64, 784, 512}, Product{128, 512, 512}}) {
    std::string name = absl::StrFormat("dense_%dx%dx%d", p.m, p.k, p.n);
    cases.push_back(
        {name,
         absl::StrFormat("a[%d, %d] times constant weights[%d, %d], f32", p.m, p.k, p.k, p.n),
         {.ratio = 1.0},
         [=](const Settings &s) {
           return productOf(name, p, DType::Float32, /*isConstant=*/true, s);
         },
         &groups::kDense});
  }
}

} // namespace graphc::bench
