//===- Special/Functions.h - the functions on scalars ----------------*- C++ -*-===//
//
// In long double, so that results in float64 are right to about a unit in the last place. Operands
// are no NaNs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace graphc::special {

using Real = long double;

inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
inline constexpr Real kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
inline constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

/// Gamma.cpp.
Real logGamma(Real x);
Real gamma(Real x);
Real polygamma(int64_t order, Real x);
Real beta(Real a, Real b);
Real logBeta(Real a, Real b);
/// lgamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 10.
Real stirlingRest(Real x);

/// Incomplete.cpp: regularised incomplete gamma and beta functions and their inverses.
Real gammaP(Real a, Real x);
Real gammaQ(Real a, Real x);
Real gammaPInverse(Real a, Real p);
Real gammaQInverse(Real a, Real q);
Real betaI(Real a, Real b, Real x);
Real betaInverse(Real a, Real b, Real p);

/// Shapes.cpp: the derivatives of gammaP by a, and of betaI by a or by b.
Real gammaPByShape(Real a, Real x);
Real betaIByShape(Real a, Real b, Real x, bool byB);

/// Bessel.cpp.
Real besselJ(Real order, Real x);
Real besselI(Real order, Real x, bool isScaled);
Real besselK(Real order, Real x, bool isScaled);

/// Hypergeometric.cpp: 2F1.
Real hypergeometric(Real a, Real b, Real c, Real z);

/// Errors.cpp: inverse error functions.
Real erfInverse(Real x);
Real erfcInverse(Real x);

} // namespace graphc::special
