//===- GoldenTolerance.cpp -----------------------------------------------------===//
#include "GoldenTolerance.h"

#include <cmath>
#include <set>

namespace graphc {
namespace {

/// Families whose zeros must have the right sign (golden/README.md); elsewhere either passes.
const std::set<std::string> &signedZeros() {
  static const auto &names = *new std::set<std::string>{"add",
                                                        "sub",
                                                        "mul",
                                                        "true_div",
                                                        "neg",
                                                        "abs",
                                                        "sgn",
                                                        "sqr",
                                                        "sqrt",
                                                        "trunc",
                                                        "floor",
                                                        "ceil",
                                                        "round_half_to_even",
                                                        "round_half_away_from_zero",
                                                        "copysign",
                                                        "reciprocal"};
  return names;
}

} // namespace

Tolerance toleranceOf(const GoldenLine &line, const OpDef *op, DType dtype) {
  bool single = dtype == DType::Float32;
  Tolerance t;
  t.zeroSigns = signedZeros().count(line.op);
  t.rtol = line.rtol;
  t.atol = line.atol.value_or(0);
  t.ulp = op ? std::floor((single ? op->maxUlp.f32 : op->maxUlp.f64) + 0.5) : -1;
  if (single && line.attrs.value("acc_dtype", "") == "float64")
    t.ulp = 1; // joined in float64 and rounded once
  if (!t.rtol && t.ulp < 0)
    t.rtol = single ? 1e-5 : 1e-12;
  if (line.op == "j0" || line.op == "j1") // near zeros, relative to the envelope (README.md)
    t.ulp = -1, t.rtol = t.atol = single ? 4e-7 : 4e-16;
  return t;
}

} // namespace graphc
