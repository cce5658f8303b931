//===- RowDistributions.cpp - draws of rows, and of positions in rows ---------===//
#include <algorithm>
#include <cmath>
#include <numeric>

#include "Distributions.h"
#include "Samplers.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

using Row = const SampledRow &;

/// Not NaN, not negative, of sum 1 to 1e-6.
bool areProbabilities(absl::Span<const double> p) {
  double sum = 0;
  for (double x : p) {
    if (!(x >= 0))
      return false;
    sum += x;
  }
  return std::fabs(sum - 1) <= 1e-6;
}
constexpr std::string_view kNoProbabilities =
    "p must be probabilities along the last axis, whose sum is 1 to 1e-6";

double sumOf(absl::Span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

std::string_view categorical(Row row) {
  absl::Span<const double> p = row.row(0);
  if (!areProbabilities(p))
    return kNoProbabilities;
  ElementStream s(row.key, row.position);
  double u = s.unit() * sumOf(p);
  // The last one that is possible, where rounding leaves a rest.
  int64_t drawn = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    if (p[k] > 0)
      drawn = int64_t(k);
    if (u < p[k])
      break;
    u -= p[k];
  }
  row.integers[0] = drawn;
  return {};
}

/// Each number is binomial of what the ones before have left.
std::string_view multinomial(Row row) {
  absl::Span<const double> p = row.row(1);
  if (!areProbabilities(p))
    return kNoProbabilities;
  ElementStream s(row.key, row.position);
  double left = row[0], rest = sumOf(p);
  size_t last = 0; // the last one that is possible
  for (size_t k = 0; k < p.size(); ++k)
    if (p[k] > 0)
      last = k;
  for (size_t k = 0; k < p.size(); ++k) {
    double share = rest > 0 ? std::clamp(p[k] / rest, 0.0, 1.0) : 0.0;
    double drawn = k < last ? sampleBinomial(s, left, share) : k == last ? left : 0;
    row.integers[k] = int64_t(drawn);
    left -= drawn, rest -= p[k];
  }
  return {};
}

std::string_view dirichlet(Row row) {
  absl::Span<const double> alpha = row.row(0);
  for (double x : alpha)
    if (!(x > 0 && x < HUGE_VAL))
      return "alpha must be positive and finite";
  if (alpha.empty())
    return {};
  ElementStream s(row.key, row.position);
  // Logarithms: where all alpha are small, all gamma variables may underflow.
  for (size_t k = 0; k < alpha.size(); ++k)
    row.floats[k] = sampleLogGamma(s, alpha[k]);
  double most = *std::max_element(row.floats.begin(), row.floats.end()), sum = 0;
  for (double &x : row.floats)
    sum += x = std::exp(x - most);
  for (double &x : row.floats)
    x /= sum;
  return {};
}

/// A lower triangular L with L L^T = cov in the place of cov. Pivots that rounding cannot tell from
/// 0 are 0: singular matrices are legal.
std::string_view factor(absl::Span<double> cov, int64_t n) {
  auto at = [&](int64_t i, int64_t j) -> double & { return cov[size_t(i * n + j)]; };
  double greatest = 0;
  for (int64_t i = 0; i < n; ++i)
    greatest = std::max(greatest, std::fabs(at(i, i)));
  double tolerance = greatest * double(n) * 0x1p-44;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (!(std::fabs(at(i, j) - at(j, i)) <= tolerance))
        return "cov must be symmetric and finite";
  for (int64_t j = 0; j < n; ++j) {
    double pivot = at(j, j);
    for (int64_t k = 0; k < j; ++k)
      pivot -= at(j, k) * at(j, k);
    if (pivot < -tolerance)
      return "cov must be positive semidefinite";
    double root = pivot > tolerance ? std::sqrt(pivot) : 0;
    at(j, j) = root;
    for (int64_t i = j + 1; i < n; ++i) {
      double x = at(i, j);
      for (int64_t k = 0; k < j; ++k)
        x -= at(i, k) * at(j, k);
      if (root == 0 && std::fabs(x) > std::sqrt(tolerance * greatest))
        return "cov must be positive semidefinite";
      at(i, j) = root > 0 ? x / root : 0;
    }
  }
  return {};
}

/// mean + L z; parameter 1 is L.
std::string_view multivariateNormal(Row row) {
  absl::Span<const double> mean = row.row(0);
  size_t n = mean.size();
  const double *lower = row.parameters[1];
  ElementStream s(row.key, row.position);
  std::vector<double> z(n);
  for (double &x : z)
    x = s.normal();
  for (size_t i = 0; i < n; ++i) {
    double x = mean[i];
    for (size_t j = 0; j <= i; ++j)
      x += lower[i * n + j] * z[j];
    row.floats[i] = x;
  }
  return {};
}

constexpr std::string_view kTooMany = "more are to be chosen than there are";

/// Fisher and Yates, as far as positions are wanted. What exchanges have not reached is as it was,
/// so that a few of many take no memory for all.
std::string_view permutation(Row row) {
  if (row[1] > row[0])
    return kTooMany;
  uint64_t n = uint64_t(row[0]), count = row.integers.size();
  ElementStream s(row.key, row.position);
  auto choose = [&](auto &order) {
    for (uint64_t k = 0; k < count; ++k) {
      std::swap(order[k], order[k + s.below(n - k)]);
      row.integers[k] = int64_t(order[k]);
    }
  };
  if (count >= n / 8) {
    std::vector<uint64_t> order(n, 0);
    std::iota(order.begin(), order.end(), 0);
    choose(order);
  } else {
    struct {
      absl::flat_hash_map<uint64_t, uint64_t> moved;
      uint64_t &operator[](uint64_t k) { return moved.try_emplace(k, k).first->second; }
    } order;
    order.moved.reserve(2 * count); // so that references last
    choose(order);
  }
  return {};
}

/// Exponential variables of rates p, in their order: the least is k with probability p[k], and so
/// on of what is left (Efraimidis and Spirakis 2006).
std::string_view weightedPermutation(Row row) {
  absl::Span<const double> p = row.row(0);
  if (!areProbabilities(p))
    return kNoProbabilities;
  ElementStream s(row.key, row.position);
  std::vector<std::pair<double, int64_t>> order;
  for (size_t k = 0; k < p.size(); ++k)
    if (double e = s.exponential(); p[k] > 0)
      order.emplace_back(e / p[k], int64_t(k));
  if (row.integers.size() > order.size())
    return kTooMany;
  auto end = order.begin() + std::ptrdiff_t(row.integers.size());
  std::partial_sort(order.begin(), end, order.end());
  std::transform(order.begin(), end, row.integers.begin(), [](auto &each) { return each.second; });
  return {};
}

Extent lastExtent(Emitter &e, Array x) { return e.dim(x, e.rank(x) - 1); }

Extent lengthOfMean(Emitter &e, const Arrays &parameters) {
  Array mean = parameters[0], cov = parameters[1];
  Extent n = lastExtent(e, mean);
  for (int axis : {e.rank(cov) - 2, e.rank(cov) - 1})
    e.requireEqual(e.dim(cov, axis), n, "cov has extent {a} where mean has {b} elements");
  return n;
}

Extent countOf(Emitter &e, const Arrays &parameters) {
  Extent count = e.element(parameters.back());
  e.require(e.size(0), Predicate::LessEqual, count, ErrorKind::ValueError,
            "{b} elements cannot be chosen");
  return count;
}

} // namespace

std::vector<Distribution> rowDistributions() {
  return {
      {.name = "categorical",
       .doc = "A position along the last axis of p, with the probability that stands there.\nThe "
              "sum of p must be 1 to 1e-6.",
       .parameters = {"p"},
       .drawsIntegers = true,
       .example = "categorical([1, 0], [2], [0.25, 0.5, 0.25]) = [2, 2]",
       .sample = categorical,
       .rowRanks = {1}},
      {.name = "multinomial",
       .doc = "How many of n categorical variables of p have each value: rows of sum n.",
       .parameters = {"n", "p"},
       .drawsIntegers = true,
       .requirements = {isCount(0, "n")},
       .example = "multinomial([1, 0], [2], 10, [0.25, 0.5, 0.25]) = [[4, 3, 3], [0, 9, 1]]",
       .sample = multinomial,
       .rowRanks = {0, 1},
       .rowLength = [](Emitter &e, const Arrays &p) { return lastExtent(e, p[1]); }},
      {.name = "dirichlet",
       .doc = "Dirichlet of the last axis of alpha: rows of sum 1.",
       .parameters = {"alpha"},
       .example =
           "dirichlet([1, 0], [1], [1.0, 2.0, 3.0]) = [[0.121515004, 0.110415012, 0.768069984]]",
       .sample = dirichlet,
       .rowRanks = {1},
       .rowLength = [](Emitter &e, const Arrays &p) { return lastExtent(e, p[0]); }},
      {.name = "multivariateNormal",
       .doc = "Normal rows with a mean and a covariance matrix, which may be singular.\nBy "
              "Cholesky's factor. ValueError where cov is not symmetric and positive semidefinite.",
       .parameters = {"mean", "cov"},
       .requirements = {isFinite(0, "mean")},
       .example = "multivariateNormal([1, 0], [1], [0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]]) = "
                  "[[-0.113680197, -1.01188978]]",
       .sample = multivariateNormal,
       .rowRanks = {1, 2},
       .rowLength = lengthOfMean,
       .prepareLast = factor},
      {.name = "permutation",
       .doc = "The first `count` positions of a permutation of 0 to n - 1: numbers that differ.\n"
              "Fisher and Yates. ValueError where count > n.",
       .parameters = {"n", "count"},
       .drawsIntegers = true,
       .takesCount = true,
       .requirements = {isCount(0, "n")},
       .example = "permutation([1, 0], [1], 5, 5) = [[4, 3, 2, 1, 0]]",
       .sample = permutation,
       .rowLength = countOf},
      {.name = "weightedPermutation",
       .doc = "`count` positions along the last axis of p that differ: each one with the "
              "probability that stands there, of what is left.\nEfraimidis and Spirakis 2006. "
              "ValueError where fewer than count are possible.",
       .parameters = {"p", "count"},
       .drawsIntegers = true,
       .takesCount = true,
       .example = "weightedPermutation([1, 0], [1], [0.5, 0.25, 0.25], 2) = [[0, 1]]",
       .sample = weightedPermutation,
       .rowRanks = {1, 0},
       .rowLength = countOf},
  };
}

} // namespace graphc
