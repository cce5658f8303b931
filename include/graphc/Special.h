//===- graphc/Special.h - special functions ------------------------*- C++ -*-===//
//
// Elementwise functions of floats; integers and bools become floats first (F-009), operands
// broadcast. Boost.Math computes (libgraphc-special is loaded at the first call), float64 by way of
// the 64 bits of long double. NaN where an operand is NaN or outside the domain, never an error.
// They are not in libraries and programs ahead of time (NotSupported). The inverse error functions,
// and gammaln and digamma above 0, are code in the loops around them, as are erf, erfc, erfcx, ndtr
// and logNdtr (graphc/Ops.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Ops.h"

namespace graphc {

#define GRAPHC_UNARY(NAME) Variable NAME(const Operand &x);

// Inverse error functions: an infinity at the ends of their domain.
GRAPHC_UNARY(erfinv)
GRAPHC_UNARY(erfcinv)
/// The inverse of ndtr: -sqrt(2) * erfcinv(2 p), 0 < p < 1.
Variable ndtri(const Operand &p);

// log(abs(Gamma(x))), Gamma, its logarithmic derivative and that one's derivative.
GRAPHC_UNARY(gammaln)
GRAPHC_UNARY(gamma)
GRAPHC_UNARY(digamma)
GRAPHC_UNARY(trigamma)
/// The derivative of digamma of this order, 0 to 100.
Variable polygamma(int order, const Operand &x);
/// Gamma(a) * Gamma(b) / Gamma(a + b), and the logarithm of its magnitude.
Variable beta(const Operand &a, const Operand &b);
Variable betaln(const Operand &a, const Operand &b);

/// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P, a, x >= 0. There are
/// gradients by a, but no second ones.
Variable gammainc(const Operand &a, const Operand &x);
Variable gammaincc(const Operand &a, const Operand &x);
/// The x for which P or Q is p.
Variable gammaincinv(const Operand &a, const Operand &p);
Variable gammainccinv(const Operand &a, const Operand &p);
/// The regularised incomplete beta function I_x(a, b), a, b >= 0, 0 <= x <= 1, and the x for which
/// it is p. There are gradients by a and b, but no second ones.
Variable betainc(const Operand &a, const Operand &b, const Operand &x);
Variable betaincinv(const Operand &a, const Operand &b, const Operand &p);

/// Gauss' hypergeometric function 2F1(a, b; c; z), z <= 1. No gradient by a, b and c (Null).
Variable hyp2f1(const Operand &a, const Operand &b, const Operand &c, const Operand &z);

/// x log x, which is 0 at 0, and its negative, the entropy of a probability.
GRAPHC_UNARY(xlogx)
GRAPHC_UNARY(entr)
/// x log(x / y), 0 where x is 0; and that - x + y, which is never negative: the terms of Kullback
/// and Leibler's divergence.
Variable relEntr(const Operand &x, const Operand &y);
Variable klDiv(const Operand &x, const Operand &y);

#undef GRAPHC_UNARY

// Bessel functions of order v: of the first kind, modified of the first and of the second kind;
// ive is exp(-abs(x)) * iv, kve is exp(x) * kv. Orders that are no integers need x >= 0, kv needs
// it for all. NaN for orders beyond 100000. No gradient by the order (Null).
Variable jv(const Operand &v, const Operand &x);
Variable iv(const Operand &v, const Operand &x);
Variable ive(const Operand &v, const Operand &x);
Variable kv(const Operand &v, const Operand &x);
Variable kve(const Operand &v, const Operand &x);
/// Of the orders 0 and 1.
Variable j0(const Operand &x);
Variable j1(const Operand &x);
Variable i0(const Operand &x);
Variable i1(const Operand &x);

} // namespace graphc
