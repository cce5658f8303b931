//===- Errors.cpp - inverse error functions ----------------------------------===//
#include <boost/math/special_functions/erf.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {

Real erfInverse(Real x) {
  if (std::fabs(x) >= 1)
    return std::fabs(x) == 1 ? std::copysign(kInfinity, x) : kNone;
  if (std::fabs(x) < 1e-300L) // the series' next term is x^3; Boost loses subnormal numbers
    return x * 0.886226925452758013649083741670572591L;
  return boost::math::erf_inv(x, Quiet());
}

Real erfcInverse(Real x) {
  if (!(x >= 0 && x <= 2))
    return kNone;
  if (x == 0 || x == 2)
    return x == 0 ? kInfinity : -kInfinity;
  return boost::math::erfc_inv(x, Quiet());
}

} // namespace graphc::special
