//===- Ops/SpecialBodies.h - special functions as code of loops -----*- C++ -*-===//
//
// Of Float64 scalars. Errors are within what maxUlp in Special.cpp promises; the polynomials are
// fit_special.py's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Emit.h"
#include "graphc/Variable.h"

namespace graphc {

/// The inverse of erf: infinities at -1 and 1, NaN outside.
Scalar erfinvBody(Emitter &e, Scalar x);
/// The inverse of erfc on [0, 2].
Scalar erfcinvBody(Emitter &e, Scalar q);
/// log(Gamma(x)) and its derivative, of x > 0.
Scalar gammalnBody(Emitter &e, Scalar x);
Scalar digammaBody(Emitter &e, Scalar x);

/// e^(-x) x^(a-1) / Gamma(a), the density of which gammainc is the integral. Of large a, the
/// logarithms of the factors are large and cancel: there as the normal density's neighbour.
Variable gammaDensity(const Variable &a, const Variable &x);
/// x^(a - power) (1 - x)^(b - power) / B(a, b): of power 1 the density of which betainc is the
/// integral.
Variable betaDensity(const Variable &a, const Variable &b, const Variable &x, double power = 1);

} // namespace graphc
