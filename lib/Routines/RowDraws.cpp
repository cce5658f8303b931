//===- RowDraws.cpp - draws of rows, and of positions in rows ------------------===//
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "Routines/DrawRows.h"
#include "Routines/Samplers.h"

namespace graphc::draws {

using Row = const DrawnRow &;

/// Not NaN, not negative, of sum 1 to 1e-6.
static bool areProbabilities(absl::Span<const double> p) {
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

static double sumOf(absl::Span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

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
  // Logarithms: where all alpha are small, all gamma variables may underflow.
  auto drawLogarithms = [&](double factor) {
    ElementStream s(row.key, row.position);
    for (size_t k = 0; k < alpha.size(); ++k)
      row.floats[k] = sampleLogGamma(s, alpha[k] * factor);
    return *std::max_element(row.floats.begin(), row.floats.end());
  };
  double most = drawLogarithms(1), sum = 0;
  if (most == -HUGE_VAL)
    most = drawLogarithms(kFarFromTiny);
  for (double &x : row.floats)
    sum += x = std::exp(x - most);
  for (double &x : row.floats)
    x /= sum;
  return {};
}

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
      std::unordered_map<uint64_t, uint64_t> moved;
      uint64_t &operator[](uint64_t k) { return moved.try_emplace(k, k).first->second; }
    } order;
    order.moved.reserve(2 * count);
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

} // namespace graphc::draws
