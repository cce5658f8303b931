//===- Rewrite/Cost.cpp - what a rule saves --------------------------------===//
//
// A rough model, to tell rules apart, not to predict times: what costs more is decided where
// graphs are fused.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <map>

#include "Rewrite/Formula.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// How many elements an op is taken to read for each that it gives.
constexpr double kReduced = 8;

/// Work for each element of the op's result.
double workOf(const OpDef &op) {
  auto isOneOf = [&](auto... names) { return ((op.name == names) || ...); };
  if (op.section == "Exponential and trigonometric" || op.section == "Activations" ||
      isOneOf("pow", "cbrt", "hypot"))
    return op.name == "relu" ? 1 : 16;
  if (isOneOf("trueDiv", "reciprocal", "sqrt", "rsqrt", "intDiv", "mod"))
    return 4;
  if (isOneOf("softmax", "logSoftmax", "logsumexp"))
    return kReduced * 17 + (op.name == "softmax" ? 4 : 16);
  if (op.section == "Reductions")
    return kReduced;
  if (isOneOf("dot", "matmul", "batchedDot", "tensordot"))
    return 2 * kReduced;
  if (isOneOf("shape", "shapeI", "size"))
    return 0;
  if (op.section == "Shape" || op.section == "Indexing" || isOneOf("identity", "second"))
    return 0.5;
  return 1;
}

/// How many elements of an operand go into each of the result.
double readsOf(const OpDef &op) {
  if (op.name == "shape" || op.name == "shapeI" || op.name == "size")
    return 0; // nothing is computed for its shape
  bool reduces = op.section == "Reductions" || op.name == "logsumexp" || op.name == "subtensor" ||
                 op.name == "take";
  return reduces ? kReduced : 1;
}

/// The terms of a formula, each once, with how many of its elements are computed.
class Terms {
public:
  explicit Terms(const Rule &rule) : rule_(rule) {}

  double costOf(const Formula &formula) {
    add(formula, 1);
    double cost = 0;
    for (const auto &[term, work] : terms_)
      cost += work;
    return cost;
  }

private:
  /// Whether a constant stands there, which rules fold.
  bool isConstant(const Formula &f) const {
    if (f.kind == Formula::Kind::Name)
      return rule_.terms.contains(f.name);
    return f.kind != Formula::Kind::Node ||
           std::ranges::all_of(f.arguments, [&](const Formula &a) { return isConstant(a); });
  }

  /// Its text, which tells it from others.
  std::string add(const Formula &f, double elements) {
    if (f.kind != Formula::Kind::Node)
      return f.name + " " + std::to_string(f.number);
    std::string text = f.op->name + "(";
    double read = elements * readsOf(*f.op);
    for (const Formula &a : f.arguments)
      text += add(a, read) + ",";
    for (const Formula::Attribute &a : f.attributes)
      text += a.name + "=" + a.binding + ",";
    text += ")";
    if (!isConstant(f)) {
      double &work = terms_[text];
      work = std::max(work, elements * workOf(*f.op));
    }
    return text;
  }

  const Rule &rule_;
  std::map<std::string, double> terms_;
};

} // namespace

double ruleCost(const Rule &rule) {
  if (rule.cost || rule.build)
    return rule.cost.value_or(0);
  absl::StatusOr<Formula> pattern = parseFormula(rule.pattern);
  absl::StatusOr<Formula> replacement = parseFormula(rule.replacement);
  if (!pattern.ok() || !replacement.ok())
    return 0;
  return Terms(rule).costOf(*replacement) - Terms(rule).costOf(*pattern);
}

} // namespace graphc
