//===- LinearModels.cpp - linear regression and classification ----------------------===//
#include "Import/Scores.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// X times the transposed coefficients, a row for each target, plus intercepts.
Variable linearScores(OnnxNode &n, int64_t targets) {
  Variable x = rowsOf(n);
  std::vector<float> coefficients = requireFloats(n, "coefficients");
  std::vector<float> intercepts = n.getFloats("intercepts").value_or(std::vector<float>());
  if (!n.status().ok())
    return Variable::invalid(n.status());
  if (targets < 1 || int64_t(coefficients.size()) % targets != 0)
    return n.fail(ErrorKind::ValueError, std::to_string(coefficients.size()) +
                                             " coefficients for " + std::to_string(targets) +
                                             " rows");
  int64_t features = int64_t(coefficients.size()) / targets;
  Variable scores = matmul(n.at(x), transpose(n.at(n.array(coefficients, {targets, features}))));
  if (intercepts.empty())
    return scores;
  if (int64_t(intercepts.size()) != targets)
    return n.fail(ErrorKind::ValueError, std::to_string(intercepts.size()) + " intercepts for " +
                                             std::to_string(targets) + " rows");
  return add(n.at(scores), n.array(intercepts, {targets}));
}

Variables regressor(OnnxNode &n) {
  return {postTransformed(n, linearScores(n, n.getInt("targets", 1)))};
}

/// One row of coefficients may serve two classes: the second one's score, which is positive where
/// it is the class.
Variables classifier(OnnxNode &n) {
  Ints labels = classLabels(n, "classlabels_ints", "classlabels_strings");
  int64_t targets = int64_t(n.getFloats("intercepts").value_or(std::vector<float>()).size());
  if (targets == 0)
    targets = int64_t(labels.size());
  Variable scores = linearScores(n, targets);
  if (!n.status().ok())
    return {};
  if (targets > 1) {
    if (targets != int64_t(labels.size()))
      return {n.fail(ErrorKind::ValueError, std::to_string(labels.size()) + " labels for " +
                                                std::to_string(targets) + " rows")};
    return {labelOfGreatest(n, scores, labels), postTransformed(n, scores)};
  }
  const bool isPair = labels.size() == 2;
  Variable isSecond = gt(n.at(subtensor(n.at(scores), {Index(Slice()), Index(0)})), 0.0);
  Variable label =
      where(n.at(isSecond), isPair ? labels[1] : int64_t(1), isPair ? labels[0] : int64_t(0));
  Variable shown =
      isPair ? postTransformedPair(n, scores, TwoScores::Complement) : postTransformed(n, scores);
  return {cast(n.at(label), DType::Int64), shown};
}

} // namespace

absl::Span<const Translation> linearModelTranslations() {
  static constexpr Translation kTable[] = {
      {"LinearClassifier", classifier, 1, "labels integers"},
      {"LinearRegressor", regressor},
  };
  return kTable;
}

} // namespace graphc
