//===- SupportVectors.cpp - support vector machines ---------------------------------===//
#include <algorithm>
#include <cmath>

#include "Import/Scores.h"
#include "Import/Translations.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

/// Weights of pairs of classes are a matrix that the file does not have: at most so many for each
/// coefficient that it has, and some. Of up to 128 classes that is no bound.
constexpr int64_t kMostPairWeights = 64, kPairWeightsAtLeast = int64_t(1) << 16;

/// Between the rows of x and those of `vectors`.
Variable kernel(OnnxNode &n, const Variable &x, const Variable &vectors) {
  std::string type = n.getString("kernel_type", "LINEAR");
  std::vector<float> parameters = n.getFloats("kernel_params").value_or(std::vector<float>());
  parameters.resize(3, 0);
  double gamma = parameters[0], offset = parameters[1], degree = parameters[2];
  if (type == "RBF") {
    Variable difference = sub(n.at(expandDims(n.at(x), Axis(1))), vectors);
    Variable square = sum(n.at(sqr(n.at(difference))),
                          ReductionOptions{.axes = Axis(-1), .dtype = DType::Float32});
    return exp(n.at(mul(n.at(square), -gamma)));
  }
  Variable products = matmul(n.at(x), transpose(n.at(vectors)));
  if (type == "LINEAR")
    return products;
  Variable affine = add(n.at(mul(n.at(products), gamma)), offset);
  if (type == "POLY")
    return pow(n.at(affine), n.scalar(degree, DType::Float32));
  if (type == "SIGMOID")
    return tanh(n.at(affine));
  return n.fail(ErrorKind::ValueError, "attribute kernel_type is '" + type + "'");
}

/// A list as `rows` rows.
Variable matrixOf(OnnxNode &n, const std::vector<float> &numbers, int64_t rows,
                  std::string_view what) {
  if (rows < 1 || int64_t(numbers.size()) % rows != 0)
    return n.fail(ErrorKind::ValueError, std::to_string(numbers.size()) + " " + std::string(what) +
                                             " in " + std::to_string(rows) + " rows");
  return n.array(numbers, {rows, int64_t(numbers.size()) / rows});
}

Variables regressor(OnnxNode &n) {
  Variable x = rowsOf(n);
  std::vector<float> coefficients = requireFloats(n, "coefficients"), rho = requireFloats(n, "rho");
  int64_t count = n.getInt("n_supports", 0);
  if (!n.status().ok())
    return {};
  Variable result;
  if (count > 0) {
    Variable vectors = matrixOf(n, requireFloats(n, "support_vectors"), count, "numbers");
    if (n.status().ok() && int64_t(coefficients.size()) != count)
      n.fail(ErrorKind::ValueError, std::to_string(coefficients.size()) + " coefficients for " +
                                        std::to_string(count) + " support vectors");
    if (!n.status().ok())
      return {};
    result = matmul(n.at(kernel(n, x, vectors)), n.array(coefficients, {count, 1}));
  } else {
    result = kernel(n, x, matrixOf(n, coefficients, 1, "coefficients"));
  }
  result = add(n.at(result), double(rho[0]));
  if (n.getBool("one_class", false))
    result = where(n.at(gt(n.at(result), 0.0)), n.scalar(1, DType::Float32),
                   n.scalar(-1, DType::Float32));
  return {postTransformed(n, result)};
}

//===--- classification ------------------------------------------------------------===//

/// What a machine of several classes has for each pair of them, (0, 1), (0, 2), ..., (1, 2), ...
struct Pairs {
  int64_t classes, vectors;
  std::vector<std::pair<int64_t, int64_t>> list;
};

/// A row's score of each pair, positive for the first of it.
Variable pairScores(OnnxNode &n, const Pairs &pairs, const Variable &kernels, const Ints &counts) {
  std::vector<float> coefficients = requireFloats(n, "coefficients"), rho = requireFloats(n, "rho");
  if (!n.status().ok())
    return {};
  const int64_t count = int64_t(pairs.list.size());
  if (int64_t(coefficients.size()) < (pairs.classes - 1) * pairs.vectors ||
      int64_t(rho.size()) < count)
    return n.fail(ErrorKind::ValueError, std::to_string(coefficients.size()) +
                                             " coefficients and " + std::to_string(rho.size()) +
                                             " numbers in rho for " +
                                             std::to_string(pairs.classes) + " classes and " +
                                             std::to_string(pairs.vectors) + " support vectors");
  std::vector<int64_t> begin = {0};
  for (int64_t k : counts)
    begin.push_back(begin.back() + k);
  std::vector<float> weights(size_t(pairs.vectors * count), 0);
  for (int64_t p = 0; p < count; ++p) {
    auto [i, j] = pairs.list[size_t(p)];
    for (auto [own, row] : {std::pair(i, j - 1), std::pair(j, i)})
      for (int64_t v = begin[size_t(own)]; v < begin[size_t(own) + 1]; ++v)
        weights[size_t(v * count + p)] = coefficients[size_t(row * pairs.vectors + v)];
  }
  rho.resize(size_t(count));
  Variable products = matmul(n.at(kernels), n.array(weights, {pairs.vectors, count}));
  return add(n.at(products), n.array(rho, {count}));
}

/// For how many pairs each class won.
Variable votes(OnnxNode &n, const Pairs &pairs, const Variable &scores) {
  const int64_t count = int64_t(pairs.list.size());
  std::vector<float> first(size_t(count * pairs.classes), 0), second = first;
  for (int64_t p = 0; p < count; ++p) {
    first[size_t(p * pairs.classes + pairs.list[size_t(p)].first)] = 1;
    second[size_t(p * pairs.classes + pairs.list[size_t(p)].second)] = 1;
  }
  Variable isFirst = gt(n.at(scores), 0.0);
  auto won = [&](const Variable &who, const std::vector<float> &table) {
    return matmul(n.at(cast(n.at(who), DType::Float32)), n.array(table, {count, pairs.classes}));
  };
  return add(n.at(won(isFirst, first)), won(logicalNot(n.at(isFirst)), second));
}

Variable column(OnnxNode &n, const Variable &x, int64_t k) {
  return subtensor(n.at(x), {Index(Slice()), Index(Slice(k, k + 1))});
}

/// Probabilities of classes that fit those of the pairs best (Wu, Lin, Weng 2004, second method),
/// by as many sweeps as libsvm makes: at most 100, until none is off by more than 0.005 / classes.
Variable probabilities(OnnxNode &n, const Pairs &pairs, const Variable &scores) {
  std::vector<float> a = requireFloats(n, "prob_a"), b = requireFloats(n, "prob_b");
  const int64_t count = int64_t(pairs.list.size()), k = pairs.classes;
  if (n.status().ok() && (int64_t(a.size()) < count || int64_t(b.size()) < count))
    n.fail(ErrorKind::ValueError, "prob_a and prob_b have " + std::to_string(a.size()) + " and " +
                                      std::to_string(b.size()) + " numbers for " +
                                      std::to_string(count) + " pairs of classes");
  if (!n.status().ok())
    return {};
  a.resize(size_t(count)), b.resize(size_t(count));
  Variable inner = add(n.at(mul(n.at(scores), n.array(a, {count}))), n.array(b, {count}));
  Variable first = clip(n.at(sigmoid(n.at(neg(n.at(inner))))), n.scalar(1e-7, DType::Float32),
                        n.scalar(1 - 1e-7, DType::Float32));
  // r[i][j]: of i against j, and the matrix Q of the quadratic form.
  auto r = std::vector<Variables>(size_t(k), Variables(size_t(k))), q = r;
  for (int64_t p = 0; p < count; ++p) {
    auto [i, j] = pairs.list[size_t(p)];
    r[size_t(i)][size_t(j)] = column(n, first, p);
    r[size_t(j)][size_t(i)] = add(n.at(neg(n.at(r[size_t(i)][size_t(j)]))), 1.0);
  }
  std::vector<Operand> rows;
  for (size_t i = 0; i < size_t(k); ++i) {
    std::vector<Operand> entries;
    for (size_t j = 0; j < size_t(k); ++j) {
      if (i != j) {
        q[i][j] = neg(n.at(mul(n.at(r[j][i]), r[i][j])));
      } else {
        for (size_t m = 0; m < size_t(k); ++m)
          if (m != i)
            q[i][i] = q[i][i].ok() ? add(n.at(q[i][i]), sqr(n.at(r[m][i]))) : sqr(n.at(r[m][i]));
      }
      entries.push_back(n.at(q[i][j]));
    }
    rows.push_back(n.at(concatenate(entries, 1)));
  }
  Variable matrix = stack(rows, 1); // (rows, classes, classes)
  Variable start =
      add(n.at(mul(n.at(subtensor(n.at(matrix), {Slice(), Index(0)})), 0.0)), 1.0 / double(k));
  const double enough = 0.005 / double(k);
  ReductionOptions along{.axes = Axis(-1), .keepDims = true, .dtype = DType::Float32};
  auto sweep = [&](const Variables &in) {
    Variable p = in[1];
    Variable qp = sum(n.at(mul(n.at(matrix), expandDims(n.at(p), Axis(1)))),
                      ReductionOptions{.axes = Axis(-1), .dtype = DType::Float32});
    Variable pqp = sum(n.at(mul(n.at(p), qp)), along);
    Variable error = max(n.at(abs(n.at(sub(n.at(qp), pqp)))),
                         ReductionOptions{.axes = Axis(-1), .keepDims = true});
    Variable moved = p;
    for (int64_t i = 0; i < k; ++i) {
      Variable row = subtensor(n.at(matrix), {Slice(), Index(i)});
      Variable own = column(n, row, i), change;
      change = trueDiv(n.at(sub(n.at(pqp), column(n, qp, i))), own);
      std::vector<float> unit(size_t(k), 0);
      unit[size_t(i)] = 1;
      Variable whole = add(n.at(change), 1.0);
      Variable grown = add(n.at(mul(n.at(own), change)), mul(n.at(column(n, qp, i)), 2.0));
      pqp = trueDiv(n.at(add(n.at(pqp), mul(n.at(change), grown))), sqr(n.at(whole)));
      qp = trueDiv(n.at(add(n.at(qp), mul(n.at(row), change))), whole);
      moved = trueDiv(n.at(add(n.at(moved), mul(n.at(n.array(unit, {1, k})), change))), whole);
    }
    return ScanStep(where(n.at(lt(n.at(error), enough)), p, moved));
  };
  return foldl(sweep, {ScanSequence(arange(Operand(int64_t(100))))}, n.at(start));
}

/// Without support vectors: a linear model, whose scores are one for each class.
Variables linearClassifier(OnnxNode &n, const Ints &labels) {
  std::vector<float> coefficients = requireFloats(n, "coefficients"), rho = requireFloats(n, "rho");
  if (!n.status().ok())
    return {};
  Variable rows = matrixOf(n, coefficients, int64_t(labels.size()), "coefficients");
  if (!n.status().ok())
    return {};
  Variable scores = add(n.at(matmul(n.at(rowsOf(n)), transpose(n.at(rows)))), double(rho[0]));
  Variable label = labelOfGreatest(n, scores, labels);
  if (labels.size() == 2) {
    // As onnxruntime has it: the second class where any score is high enough.
    bool positive = std::all_of(coefficients.begin(), coefficients.end(),
                                [](float number) { return number >= 0; });
    Variable greatest = max(n.at(scores), Axis(-1));
    Variable isSecond = positive ? ge(n.at(greatest), 0.5) : gt(n.at(greatest), 0.0);
    label = where(n.at(isSecond), labels[1], label);
  }
  return {cast(n.at(label), DType::Int64), postTransformed(n, scores)};
}

Variables classifier(OnnxNode &n) {
  Ints labels = classLabels(n, "classlabels_ints", "classlabels_strings");
  Ints counts = n.getInts("vectors_per_class").value_or(Ints());
  Variable x = rowsOf(n);
  if (!n.status().ok())
    return {};
  Pairs pairs{int64_t(labels.size()), 0, {}};
  for (int64_t count : counts) {
    if (count < 0 || __builtin_add_overflow(pairs.vectors, count, &pairs.vectors))
      return {n.fail(ErrorKind::ValueError,
                     "attribute vectors_per_class has " + std::to_string(count))};
  }
  if (pairs.vectors == 0)
    return linearClassifier(n, labels);
  if (counts.size() != labels.size() || labels.size() < 2)
    return {n.fail(ErrorKind::ValueError, std::to_string(counts.size()) +
                                              " numbers in vectors_per_class for " +
                                              std::to_string(labels.size()) + " classes")};
  const int64_t k = pairs.classes;
  Variable vectors = matrixOf(n, requireFloats(n, "support_vectors"), pairs.vectors, "numbers");
  if (!n.status().ok())
    return {};
  // That there are so many vectors has been seen: the product is in range.
  int64_t most = int64_t(requireFloats(n, "coefficients").size()) * kMostPairWeights;
  if (k > (int64_t(1) << 15) ||
      k * (k - 1) / 2 * std::max(pairs.vectors, k) > most + kPairWeightsAtLeast)
    return {n.unsupported(std::to_string(k) + " classes and " + std::to_string(pairs.vectors) +
                          " support vectors")};
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = i + 1; j < k; ++j)
      pairs.list.emplace_back(i, j);
  Variable scores = pairScores(n, pairs, kernel(n, x, vectors), counts);
  if (!n.status().ok())
    return {};
  Variable label = labelOfGreatest(n, votes(n, pairs, scores), labels);
  if (n.hasAttribute("prob_a"))
    return {label, postTransformed(n, probabilities(n, pairs, scores))};
  if (k > 2)
    return {label, postTransformed(n, scores)};
  bool isPlain = n.getString("post_transform", "NONE") == "NONE";
  return {label,
          postTransformedPair(n, scores, isPlain ? TwoScores::Opposite : TwoScores::Complement)};
}

} // namespace

absl::Span<const Translation> supportVectorTranslations() {
  static constexpr Translation kTable[] = {
      {"SVMClassifier", classifier, 1, "labels integers"},
      {"SVMRegressor", regressor},
  };
  return kTable;
}

} // namespace graphc
