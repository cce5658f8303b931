//===- Losses.cpp - NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss -------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// -logProbabilities[n, labels[n, …], …] * weight[labels], joined as `reduction` says. Labels that
/// are ignore_index count as nothing.
Variable likelihoodLoss(OnnxNode &n, const Variable &logProbabilities) {
  Variable labels = cast(n.arg(1), DType::Int64);
  std::string reduction = n.getString("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return n.fail(ErrorKind::ValueError, "attribute reduction is '" + reduction + "'");
  if (!n.status().ok() || logProbabilities.rank() != labels.rank() + 1)
    return n.fail(ErrorKind::ValueError, "labels must have one axis less than probabilities");
  DType dtype = logProbabilities.dtype();
  Variable zero = n.scalar(0, dtype), weights = onesLike(n.at(cast(n.at(labels), dtype)));
  Variable counts = n.scalar(1, DType::Bool), safe = labels;
  if (n.hasAttribute("ignore_index")) {
    counts = neq(n.at(labels), Operand(n.getInt("ignore_index", 0)));
    safe = where(n.at(counts), labels, n.scalar(0, DType::Int64));
  }
  if (n.has(2))
    weights = take(n.arg(2), safe, TakeOptions{.axis = 0});
  weights = where(n.at(counts), weights, zero);
  Variable chosen = gatherAlong(n, logProbabilities, expandDims(n.at(safe), Axis(1)), 1);
  Variable losses = mul(n.at(neg(n.at(squeeze(n.at(chosen), Axis(1))))), weights);
  // An ignored label's probability may be 0 and its logarithm infinite.
  losses = where(n.at(counts), losses, zero);
  if (reduction == "none")
    return losses;
  Variable total = sum(n.at(losses));
  return reduction == "sum" ? total : trueDiv(n.at(total), sum(n.at(weights)));
}

Variables negativeLogLikelihoodLoss(OnnxNode &n) { return {likelihoodLoss(n, n.in(0))}; }

Variables softmaxCrossEntropyLoss(OnnxNode &n) {
  Variable logProbabilities = logSoftmax(n.arg(0), Axis(1));
  return {likelihoodLoss(n, logProbabilities), logProbabilities};
}

} // namespace

absl::Span<const Translation> lossTranslations() {
  static constexpr Translation kTable[] = {
      {"NegativeLogLikelihoodLoss", negativeLogLikelihoodLoss, 12},
      {"SoftmaxCrossEntropyLoss", softmaxCrossEntropyLoss, 12},
  };
  return kTable;
}

} // namespace graphc
