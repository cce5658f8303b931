//===- Products.cpp - MatMul and Gemm --------------------------------------===//
#include "Import/Translations.h"

namespace graphc {
namespace {

Variables matrixProduct(OnnxNode &n) { return {matmul(n.arg(0), n.in(1))}; }

/// alpha * A' * B' + beta * C.
Variables gemm(OnnxNode &n) {
  Variable a = n.in(0), b = n.in(1);
  if (n.getBool("transA", false))
    a = transpose(n.at(a));
  if (n.getBool("transB", false))
    b = transpose(n.at(b));
  Variable result = matmul(n.at(a), b);
  auto scaled = [&](const Variable &x, std::string_view name) {
    double factor = n.getFloat(name, 1.0);
    return factor == 1.0 ? x : mul(n.at(x), n.scalar(factor, x.dtype()));
  };
  result = scaled(result, "alpha");
  if (n.has(2))
    result = add(n.at(result), scaled(n.in(2), "beta"));
  return {result};
}

} // namespace

absl::Span<const Translation> productTranslations() {
  static constexpr Translation kTable[] = {
      {"Gemm", gemm},
      {"MatMul", matrixProduct},
  };
  return kTable;
}

} // namespace graphc
