//===- Scores.cpp - what classical models end with -------------------------------===//
#include "Import/Scores.h"

#include <cmath>

#include "graphc/Special.h"

namespace graphc {
namespace {

constexpr std::string_view kTransforms[] = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO",
                                            "PROBIT"};

std::string transformOf(OnnxNode &n) {
  std::string name = n.getString("post_transform", "NONE");
  for (std::string_view known : kTransforms)
    if (name == known)
      return name;
  n.fail(ErrorKind::ValueError, "attribute post_transform is '" + name + "'");
  return "NONE";
}

/// The quantile of the normal distribution.
Variable probit(OnnxNode &n, const Variable &p) {
  Variable centred = sub(n.at(mul(n.at(p), 2.0)), 1.0);
  return mul(n.at(erfinv(n.at(centred))), std::sqrt(2.0));
}

/// Softmax of the scores that are not 0; the others stay 0.
Variable softmaxZero(OnnxNode &n, const Variable &scores) {
  constexpr double kZero = 1e-7; // as onnxruntime takes it
  ReductionOptions alongRow{.axes = Axis(-1), .keepDims = true};
  Variable counts = gt(n.at(abs(n.at(scores))), kZero);
  Variable exps = exp(n.at(sub(n.at(scores), max(n.at(scores), alongRow))));
  Variable kept = where(n.at(counts), exps, n.scalar(0, scores.dtype()));
  alongRow.dtype = scores.dtype();
  Variable total = sum(n.at(kept), alongRow);
  Variable divisor = where(n.at(gt(n.at(total), 0.0)), total, n.scalar(1, scores.dtype()));
  return trueDiv(n.at(kept), divisor);
}

} // namespace

Variable rowsOf(OnnxNode &n, DType dtype) {
  Variable x = n.in(0);
  if (x.ok() && x.rank() != 1 && x.rank() != 2)
    return n.fail(ErrorKind::TypeError, "input 0 must be rows, or one row: " + x.type().brief());
  if (!x.ok())
    return x;
  Variable rows = x.rank() == 1 ? expandDims(n.at(x), Axis(0)) : x;
  return cast(n.at(rows), dtype);
}

std::vector<float> requireFloats(OnnxNode &n, std::string_view name) {
  std::optional<std::vector<float>> list = n.getFloats(name);
  if (!list || list->empty())
    n.fail(ErrorKind::ValueError, "attribute " + std::string(name) + " is missing");
  return list.value_or(std::vector<float>());
}

Variable postTransformed(OnnxNode &n, const Variable &scores) {
  return postTransformed(n, scores, transformOf(n));
}

Variable postTransformed(OnnxNode &n, const Variable &scores, std::string_view transform) {
  if (transform == "LOGISTIC")
    return sigmoid(n.at(scores));
  if (transform == "SOFTMAX")
    return softmax(n.at(scores));
  if (transform == "SOFTMAX_ZERO")
    return softmaxZero(n, scores);
  return transform == "PROBIT" ? probit(n, scores) : scores;
}

Variable postTransformedPair(OnnxNode &n, const Variable &score, TwoScores how) {
  std::string transform = transformOf(n);
  if (transform == "PROBIT")
    return probit(n, score);
  Variable opposite = neg(n.at(score));
  if (transform == "LOGISTIC")
    return concatenate({n.at(sigmoid(n.at(opposite))), sigmoid(n.at(score))}, 1);
  Variable first = how == TwoScores::Opposite ? opposite : add(n.at(opposite), 1.0);
  return concatenate({n.at(first), score}, 1);
}

Ints classLabels(OnnxNode &n, std::string_view ints, std::string_view strings) {
  if (!n.getStrings(strings).empty())
    n.unsupported("labels of classes that are strings (attribute " + std::string(strings) +
                  "); give them numbers, attribute " + std::string(ints));
  Ints labels = n.getInts(ints).value_or(Ints());
  if (n.status().ok() && labels.empty())
    n.fail(ErrorKind::ValueError, "attribute " + std::string(ints) + " is missing");
  return labels;
}

Variable labelOfGreatest(OnnxNode &n, const Variable &scores, const Ints &labels) {
  return take(n.at(n.vector(labels)), argmax(n.at(scores), Axis(1)));
}

} // namespace graphc
