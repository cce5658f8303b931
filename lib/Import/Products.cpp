//===- Products.cpp - MatMul, Gemm, Einsum and Det -------------------------===//
#include <algorithm>
#include <map>

#include "Import/Broadcast.h"
#include "Import/Translations.h"
#include "Ops/EinsumEquation.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

/// The last two axes do not broadcast, nor the one of a vector.
Variables matrixProduct(OnnxNode &n) {
  Variables in = broadcastTogether(n, {n.in(0), n.in(1)}, 2);
  return {matmul(n.at(in[0]), in[1])};
}

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
  if (n.has(2)) {
    Variables terms = broadcastTogether(n, {result, scaled(n.in(2), "beta")});
    result = add(n.at(terms[0]), terms[1]);
  }
  return {result};
}

/// Axes of one label broadcast. What is wrong with the equation is einsum's to say.
Variables labelledProduct(OnnxNode &n) {
  Variables inputs = n.all();
  const std::string text = n.getString("equation", "");
  EinsumEquation equation(text);
  std::map<int, std::vector<OperandAxis>> axes;
  for (size_t i = 0; i < std::min(inputs.size(), equation.terms.size()) && n.status().ok(); ++i) {
    const std::string &term = equation.terms[i];
    Labels labels = equation.labelsOf(term, std::max(0, inputs[i].rank() - namedAxes(term)));
    for (size_t axis = 0; axis < labels.size() && labels.size() == size_t(inputs[i].rank()); ++axis)
      axes[labels[axis]].push_back({&inputs[i], int(axis)});
  }
  for (const auto &[label, own] : axes)
    // A diagonal is of one operand.
    if (std::ranges::any_of(own, [&](const OperandAxis &a) { return a.of != own[0].of; }))
      broadcastAxes(n, own);
  return {einsum(text, {inputs.begin(), inputs.end()})};
}

Variables determinant(OnnxNode &n) { return {det(n.arg(0))}; }

} // namespace

absl::Span<const Translation> productTranslations() {
  static constexpr Translation kTable[] = {
      {"Det", determinant, 11},
      {"Einsum", labelledProduct, 12},
      {"Gemm", gemm},
      {"MatMul", matrixProduct},
  };
  return kTable;
}

} // namespace graphc
