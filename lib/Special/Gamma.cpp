//===- Gamma.cpp - the gamma function and what is made of it ---------------------===//
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <iterator>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {

/// 0, -1, -2, ...
static bool isPole(Real x) { return x <= 0 && x == std::floor(x); }

/// A root of log|Gamma| or of digamma as a sum of two numbers (mpmath, 60 digits). Beside one,
/// other formulas subtract numbers of which nothing is left; to the left of -10 this is not made up
/// for.
struct Root {
  Real high, low;
};
constexpr Root kLogGammaRoots[] = {
    {-0x9d3fe4b007c360abp-62L, 4.1034834909846116438e-21L},
    {-0xafda0850dec8065ep-62L, -8.5898326405015024862e-20L},
    {-0xc9306de4f2cd7beep-62L, -4.032141923366381348e-20L},
    {-0xfd238aa3e17f285cp-62L, -4.4963943730198178669e-20L},
    {-0x814273c2ccac0618p-61L, -1.9630902936445071408e-19L},
    {-0x9fbabbd37757e6a2p-61L, -4.4186542253399954505e-20L},
    {-0xa04352bf85b6c865p-61L, -1.2458572260143875586e-19L},
    {-0xbff497ac8fa06afcp-61L, 1.4593602219063558232e-19L},
    {-0xc00b592c4be4676cp-61L, -2.6295731811446076441e-20L},
    {-0xdffe5fbb5c377fe8p-61L, 1.4178918153918022886e-19L},
    {-0xe0019fef6ff0f5bfp-61L, 2.0155595358652423928e-19L},
    {-0xffffcbfc0ace7879p-61L, -1.4198613742512649396e-19L},
    {-0x80001a01459fc9f6p-60L, -4.3037315832107209027e-20L},
    {-0x8ffffd1c425e8100p-60L, 1.883998277599952782e-19L},
    {-0x900002e3bb47d86dp-60L, -3.710566754960978693e-19L},
    {-0x9fffffb606bdfdcdp-60L, -2.0896623226905583909e-20L},
};
constexpr Root kDigammaRoots[] = {
    {-0x810b9582f7130096p-64L, -2.2765768796846838657e-20L},
    {-0xc96865e144ea5091p-63L, -2.0925409733655728998e-20L},
    {-0xa7160cfb3cf2ce38p-62L, -5.9630660894482567206e-20L},
    {-0xe8a8a5820d953f04p-62L, -9.9827861539033850735e-20L},
    {-0x94e752e0e65e824cp-61L, 7.7488953908700239565e-20L},
    {-0xb559650c73671807p-61L, -1.7953902453542102329e-19L},
    {-0xd5b59a1cc527f4e0p-61L, 1.3517715416264404083e-19L},
    {-0xf6025ca9529b4138p-61L, 1.5218166182377371715e-19L},
    {-0x8b21d99a951fa97bp-60L, 1.3106153471047031799e-19L},
    {-0x9b3e258fb1af2177p-60L, -3.7113230836344004035e-19L},
};

/// The function whose derivatives of the orders 1, 2, ... are digamma's of `order`, `order` + 1,
/// ... by its Taylor series around the root next to x. `value` where that is not near.
static Real besideRoot(Real x, Real value, const Root *roots, size_t count, int64_t order) {
  // Ten terms: their quotients are below 2^-9 of the distance to the pole next to the root.
  if (x > 0 || !(std::fabs(value) < 0x1p-10L))
    return value;
  for (size_t i = 0; i < count; ++i) {
    Real away = (x - roots[i].high) - roots[i].low;
    Real slope = boost::math::polygamma(int(order), roots[i].high, Quiet());
    if (!(std::fabs(away * slope - value) < 0.125L * std::fabs(value) + 0x1p-60L))
      continue;
    Real sum = 0, power = 1;
    for (int k = 0; k < 10; ++k) {
      power *= away / (k + 1);
      sum += power * boost::math::polygamma(int(order) + k, roots[i].high, Quiet());
    }
    return sum;
  }
  return value;
}

Real logGamma(Real x) {
  if (std::isinf(x) || isPole(x))
    return kInfinity;
  if (std::fabs(x) < 1e-30L) // Gamma(x) is 1 / x, which Boost takes through an overflow
    return -std::log(std::fabs(x));
  return besideRoot(x, boost::math::lgamma(x, Quiet()), kLogGammaRoots, std::size(kLogGammaRoots),
                    0);
}

Real gamma(Real x) {
  if (x == 0)
    return std::copysign(kInfinity, x);
  if (std::isinf(x) || isPole(x))
    return x > 0 ? x : kNone;
  if (std::fabs(x) < 1e-30L)
    return 1 / x;
  // Beyond, all results are even in long double 0 with the sign of every second interval.
  if (x < -1760)
    return std::fmod(std::floor(x), 2.0L) == 0 ? 0.0L : -0.0L;
  return boost::math::tgamma(x, Quiet());
}

Real polygamma(int64_t order, Real x) {
  const bool isOdd = order % 2 != 0;
  if (x == kInfinity)
    return order == 0 ? x : 0;
  if (x == -kInfinity)
    return kNone;
  if (isPole(x)) {
    if (isOdd)
      return kInfinity;
    return x == 0 ? -std::copysign(kInfinity, x) : kNone;
  }
  if (std::fabs(x) < 1e-30L) { // (-1)^(n+1) n! / x^(n+1); the next term is below half a unit
    Real pole = boost::math::tgamma(Real(order) + 1, Quiet()) * std::pow(x, -Real(order) - 1);
    return isOdd ? pole : -pole;
  }
  if (order == 0)
    return besideRoot(x, boost::math::digamma(x, Quiet()), kDigammaRoots, std::size(kDigammaRoots),
                      1);
  if (order == 1)
    return boost::math::trigamma(x, Quiet());
  return boost::math::polygamma(int(order), x, Quiet());
}

/// A whole a > 0 and a whole b <= -a: the poles of Gamma(b) and of Gamma(a + b) have a quotient,
/// with which beta(a, b) = (-1)^a beta(1 - a - b, a).
static bool havePolesOfBoth(Real a, Real b) {
  return a > 0 && a == std::floor(a) && isPole(b) && std::isfinite(b) && a + b <= 0;
}

Real beta(Real a, Real b) {
  if (havePolesOfBoth(b, a))
    std::swap(a, b);
  if (havePolesOfBoth(a, b))
    return (std::fmod(a, 2.0L) == 0 ? 1 : -1) * beta(1 - a - b, a);
  if (a > 0 && b > 0)
    return std::isinf(a) || std::isinf(b) ? 0.0L : boost::math::beta(a, b, Quiet());
  if (isPole(a) || isPole(b))
    return a == 0 || b == 0 ? kInfinity : kNone;
  if (std::isinf(a) || std::isinf(b))
    return kNone;
  return isPole(a + b) ? 0.0L : gamma(a) / gamma(a + b) * gamma(b);
}

/// The terms of Stirling's series fall below 1e-20 of the sum after the tenth.
Real stirlingRest(Real x) {
  // B(2k) / (2k (2k - 1)).
  constexpr Real kTerms[] = {1.0L / 12,         -1.0L / 360,        1.0L / 1260, -1.0L / 1680,
                             1.0L / 1188,       -691.0L / 360360,   1.0L / 156,  -3617.0L / 122400,
                             43867.0L / 244188, -174611.0L / 125400};
  Real square = 1 / (x * x), sum = 0;
  for (int k = int(std::size(kTerms)) - 1; k >= 0; --k)
    sum = sum * square + kTerms[k];
  return sum / x;
}

Real logBeta(Real a, Real b) {
  if (havePolesOfBoth(b, a))
    std::swap(a, b);
  if (havePolesOfBoth(a, b))
    return logBeta(1 - a - b, a);
  if (isPole(a) || isPole(b))
    return kInfinity;
  if (a < 0 || b < 0) {
    if (std::isinf(a) || std::isinf(b))
      return kNone;
    return isPole(a + b) ? -kInfinity : logGamma(a) + logGamma(b) - logGamma(a + b);
  }
  if (b < a)
    std::swap(a, b);
  if (std::isinf(b))
    return -kInfinity;
  if (a < 10)
    // Of two terms that nearly cancel one is found as a quotient.
    return logGamma(a) + std::log(boost::math::tgamma_delta_ratio(b, a, Quiet()));
  constexpr Real kHalfLogTwoPi = 0.918938533204672741780329736405617640L;
  return -(a - 0.5L) * std::log1p(b / a) - b * std::log1p(a / b) - std::log(b) / 2 + kHalfLogTwoPi +
         (stirlingRest(a) + stirlingRest(b) - stirlingRest(a + b));
}

} // namespace graphc::special
