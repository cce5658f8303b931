//===- Entry.cpp - what libgraphc loads ---------------------------------------===//
#include <exception>

#include "Functions.h"
#include "Routines/Special.h"
#include "Runtime/ThreadPool.h"

namespace graphc {
namespace {

using special::Real;

/// The function at one point.
Real valueAt(SpecialFunction function, int64_t parameter, const double (&x)[4]) {
  using enum SpecialFunction;
  namespace f = special;
  const Real a = x[0], b = x[1], c = x[2];
  switch (function) {
  case Erfinv:
    return f::erfInverse(a);
  case Erfcinv:
    return f::erfcInverse(a);
  case Gammaln:
    return f::logGamma(a);
  case Gamma:
    return f::gamma(a);
  case Polygamma:
    return f::polygamma(parameter, a);
  case Beta:
    return f::beta(a, b);
  case Betaln:
    return f::logBeta(a, b);
  case Gammainc:
    return f::gammaP(a, b);
  case Gammaincc:
    return f::gammaQ(a, b);
  case Gammaincinv:
    return f::gammaPInverse(a, b);
  case Gammainccinv:
    return f::gammaQInverse(a, b);
  case GammaincShape:
    return f::gammaPByShape(a, b);
  case Betainc:
    return f::betaI(a, b, c);
  case Betaincinv:
    return f::betaInverse(a, b, c);
  case BetaincShape:
    return f::betaIByShape(a, b, c, parameter == 1);
  case BesselJ:
    return f::besselJ(a, b);
  case BesselI:
    return f::besselI(a, b, false);
  case BesselIScaled:
    return f::besselI(a, b, true);
  case BesselK:
    return f::besselK(a, b, false);
  case BesselKScaled:
    return f::besselK(a, b, true);
  case Hyp2f1:
    return f::hypergeometric(a, b, c, x[3]);
  }
  return 0;
}

/// Boost's root finders throw at some points at the ends of the domain, whatever the policy says:
/// there is no value there.
double valueOrNaN(SpecialFunction function, int64_t parameter, const double (&x)[4]) {
  try {
    return double(valueAt(function, parameter, x));
  } catch (const std::bad_alloc &) { // of its tables
    throw;
  } catch (const std::exception &) {
    return NAN;
  }
}

/// A point costs about a tenth of a microsecond at least.
constexpr int64_t kGrain = 256;

absl::Status run(SpecialFunction function, const RoutineCall &call) {
  const int64_t parameter = call.parameters.empty() ? 0 : call.parameters[0];
  absl::Span<double> results = call.outputs[0].mutableFlat<double>();
  absl::Span<const double> operands[4];
  for (size_t k = 0; k < call.inputs.size(); ++k)
    operands[k] = call.inputs[k].flat<double>();
  ThreadPool::shared().parallelFor(
      0, int64_t(results.size()), kGrain, call.threads, [&](int64_t first, int64_t last, int) {
        for (auto i = size_t(first); i < size_t(last); ++i) {
          double point[4] = {};
          bool isNumber = true;
          for (size_t k = 0; k < call.inputs.size(); ++k) {
            point[k] = operands[k][operands[k].size() == 1 ? 0 : i];
            isNumber &= point[k] == point[k];
          }
          results[i] = isNumber ? valueOrNaN(function, parameter, point) : NAN;
        }
      });
  return absl::OkStatus();
}

} // namespace
} // namespace graphc

extern "C" const graphc::SpecialInterface *graphcSpecialEntry() {
  static const graphc::SpecialInterface special = {graphc::run};
  return &special;
}
