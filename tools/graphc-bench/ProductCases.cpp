//===- ProductCases.cpp - matrix products ---------------------------------===//
#include "Compare.h"
#include "Inputs.h"
#include "OneDnn.h"
#include "OpenBlas.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

/// How a product is asked for.
struct Wanted {
  DType dtype = DType::Float32;
  /// b is constant, as the weights of a network that only answers.
  bool isConstant = false;
  /// The sums of BFloat16 are results as they are, Float32.
  bool isWide = false;
};

absl::StatusOr<Subject> productOf(const std::string &name, const Product &p, Wanted wanted,
                                  const Settings &settings) {
  DType dtype = wanted.dtype, resultDType = wanted.isWide ? DType::Float32 : dtype;
  Tensor a = makeInput(dtype, p.leftShape(), -1.0, 1.0, 6),
         b = makeInput(dtype, p.rightShape(), -1.0, 1.0, 7);
  Variable va = tensor(dtype, {kDynamic, kDynamic}, "a"),
           vb = tensor(dtype, {kDynamic, kDynamic}, "b");
  double size = double(byteSize(dtype)), m = p.m, k = p.k, n = p.n;
  Variable left = cast(va, resultDType), right = cast(vb, resultDType); // itself, if it is that
  Example example{
      name, {va, vb}, {dot(left, p.isRightTransposed ? transpose(right) : right)}, {a, b}};
  example.cost = {2 * m * k * n, (m * k + k * n) * size, m * n * double(byteSize(resultDType)),
                  dtype};
  if (resultDType == DType::Float32)
    example.slack = slackOfSums(k);
  if (wanted.isConstant) {
    Variable x = tensor(dtype, {kDynamic, p.k}, "x");
    example.inputs = {x};
    example.values = {a};
    example.constants = {{"b", b}};
    example.outputs = {dot(x, constant(b))};
  }
  example.formula = wanted.isConstant ? "dense" : p.isRightTransposed ? "gemm_abt" : "gemm";
  if (wanted.isWide)
    example.formula = "gemm_wide"; // oneDNN alone has it
  std::vector<Hand> hands = openBlasProduct(p, a, b, settings);
  for (const Hand &hand : oneDnnProduct(p, a, b, resultDType, settings))
    hands.push_back(hand);
  return compare(std::move(example), std::move(hands), settings);
}

const Group *groupOf(DType dtype, const Product &p) {
  if (dtype == DType::BFloat16)
    return &groups::kBFloat16;
  return p.m == p.n && p.n == p.k ? &groups::kSquares : &groups::kOtherProducts;
}

constexpr Product kThousand{1024, 1024, 1024};

} // namespace

void addProducts(std::vector<Case> &cases) {
  auto add = [&](const char *dtypeName, DType dtype, const Product &p) {
    std::string shape = p.isRightTransposed ? absl::StrFormat("%d", p.n)
                                            : absl::StrFormat("%dx%dx%d", p.m, p.k, p.n);
    std::string name =
        absl::StrFormat("gemm%s_%s_%s", p.isRightTransposed ? "_abt" : "", dtypeName, shape);
    cases.push_back({name,
                     absl::StrFormat("a[%d, %d] %s, %s", p.m, p.k,
                                     p.isRightTransposed ? absl::StrFormat("b[%d, %d]^T", p.n, p.k)
                                                         : absl::StrFormat("b[%d, %d]", p.k, p.n),
                                     dtypeName),
                     {.ratio = 1.0},
                     [=](const Settings &s) { return productOf(name, p, {dtype}, s); },
                     groupOf(dtype, p)});
  };
  for (const Product &p : {Product{256, 256, 256}, Product{512, 512, 512},
                           Product{1024, 1024, 1024}, Product{2048, 2048, 2048},
                           Product{17, 33, 65}, Product{1, 1024, 1024}, Product{1024, 32, 1024}}) {
    add("f32", DType::Float32, p);
    add("f64", DType::Float64, p);
  }
  add("f32", DType::Float32, {512, 512, 512, true});
  for (const Product &p : {Product{256, 256, 256}, Product{512, 512, 512}, kThousand,
                           Product{2048, 2048, 2048}, Product{32, 1024, 1024}})
    add("bf16", DType::BFloat16, p);
  cases.push_back({"gemm_bf16_f32_1024x1024x1024",
                   "a[1024, 1024] bf16, b[1024, 1024], sums in f32 as they are",
                   {.ratio = 1.0},
                   [](const Settings &s) {
                     return productOf("gemm_bf16_1024x1024x1024", kThousand,
                                      {.dtype = DType::BFloat16, .isWide = true}, s);
                   },
                   &groups::kBFloat16});
  // make_expected.py has the same.
  for (const Product &p : {Product{4, 1024, 1024}, Product{16, 1024, 1024}, Product{32, 1024, 1024},
                           Product{64, 784, 512}, Product{128, 512, 512}}) {
    std::string name = absl::StrFormat("dense_%dx%dx%d", p.m, p.k, p.n);
    cases.push_back(
        {name,
         absl::StrFormat("a[%d, %d] times constant weights[%d, %d], f32", p.m, p.k, p.k, p.n),
         {.ratio = 1.0},
         [=](const Settings &s) { return productOf(name, p, {.isConstant = true}, s); },
         &groups::kDense});
  }
}

} // namespace graphc::bench
