//===- Draws.cpp - the routines of distributions ------------------------------===//
#include "Routines/Draws.h"

#include <algorithm>
#include <cmath>

#include "Routines/DrawRows.h"
#include "Routines/Samplers.h"

namespace graphc {
namespace {

using S = ElementStream &;
using Row = const DrawnRow &;

/// A row of one element.
template <double (*kDraw)(S, Row)> std::string_view oneFloat(Row row) {
  ElementStream s(row.key, row.position);
  row.floats[0] = kDraw(s, row);
  return {};
}

/// Numbers beyond int64 become its greatest.
int64_t toInteger(double x) { return x < 0x1p63 ? int64_t(x) : INT64_MAX; }

template <double (*kDraw)(S, Row)> std::string_view oneInteger(Row row) {
  ElementStream s(row.key, row.position);
  row.integers[0] = toInteger(kDraw(s, row));
  return {};
}

double gamma(S s, Row p) { return p[1] * sampleGamma(s, p[0]); }
double invgamma(S s, Row p) { return p[1] * std::exp(-sampleLogGamma(s, p[0])); }
double chisquare(S s, Row p) { return 2 * sampleGamma(s, p[0] / 2); }
double beta(S s, Row p) { return sampleBeta(s, p[0], p[1]); }
double studentT(S s, Row p) {
  double z = s.normal(), g = sampleGamma(s, p[0] / 2);
  // Of few degrees of freedom g may be too small for a number.
  return p[1] + p[2] * (z * (g > 0 ? std::sqrt(p[0] / 2 / g) : HUGE_VAL));
}
double vonmises(S s, Row p) { return sampleVonMises(s, p[0], p[1]); }
double wald(S s, Row p) { return sampleWald(s, p[0], p[1]); }

/// How far beyond `a` standard deviations, at most `width`: an exponential variable.
double sampleTail(S s, double sd, double a, double width) {
  const double scale = sd / a;
  const double e = -std::log1p(s.unit() * std::expm1(-width / scale));
  return scale > 0 ? scale * e : 0;
}

std::string_view truncnormal(Row row) {
  double mean = row[0], sd = row[1], low = row[2], high = row[3];
  if (!(low < high))
    return "low must be below high";
  ElementStream s(row.key, row.position);
  double a = (low - mean) / sd, b = (high - mean) / sd, x;
  // Where squares may overflow, and a draw may have no digit beside its bound: 2^-54 off.
  constexpr double kFar = 0x1p27;
  if (a >= kFar)
    x = low + sampleTail(s, sd, a, high - low);
  else if (b <= -kFar)
    x = high - sampleTail(s, sd, -b, high - low);
  else
    x = mean + sd * sampleTruncatedNormal(s, a, b);
  row.floats[0] = std::clamp(x, low, high);
  return {};
}

double poisson(S s, Row p) { return samplePoisson(s, p[0]); }
double binomial(S s, Row p) { return sampleBinomial(s, p[0], p[1]); }
double negativeBinomial(S s, Row p) {
  return samplePoisson(s, sampleGamma(s, p[0]) * ((1 - p[1]) / p[1]));
}
double betabinom(S s, Row p) { return sampleBinomial(s, p[0], sampleBeta(s, p[1], p[2])); }

std::string_view hypergeometric(Row row) {
  if (row[2] > row[0] + row[1])
    return "there are fewer elements, good + bad, than draws";
  ElementStream s(row.key, row.position);
  row.integers[0] = toInteger(sampleHypergeometric(s, row[0], row[1], row[2]));
  return {};
}

constexpr RowSampler kGamma{oneFloat<gamma>}, kInvgamma{oneFloat<invgamma>},
    kChisquare{oneFloat<chisquare>}, kBeta{oneFloat<beta>}, kStudentT{oneFloat<studentT>},
    kVonmises{oneFloat<vonmises>}, kWald{oneFloat<wald>}, kTruncnormal{truncnormal},
    kPoisson{oneInteger<poisson>}, kBinomial{oneInteger<binomial>},
    kNegativeBinomial{oneInteger<negativeBinomial>}, kHypergeometric{hypergeometric},
    kBetabinom{oneInteger<betabinom>}, kCategorical{draws::categorical},
    kMultinomial{draws::multinomial}, kDirichlet{draws::dirichlet},
    kMultivariateNormal{draws::multivariateNormal, draws::factor}, kPermutation{draws::permutation},
    kWeightedPermutation{draws::weightedPermutation};

template <const RowSampler &kSampler> absl::Status drawAll(const RoutineCall &call) {
  return drawRows(kSampler, call);
}

} // namespace

#define GRAPHC_ROUTINE(id, name) const Routine kDraw##id = {name, drawAll<k##id>};
GRAPHC_DRAWS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE

} // namespace graphc
