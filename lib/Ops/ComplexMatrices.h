//===- Ops/ComplexMatrices.h - complex matrices as real ones --------*- C++ -*-===//
//
// What is so of a + i b is so of [[a, -b], [b, a]], whose products, inverses and solutions have the
// same form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ComplexNumber.h"

namespace graphc {

/// (..., m, n) as (..., 2m, 2n).
Variable embedded(const Parts &a);
/// What such a matrix is of, which its first half of columns tells.
Parts firstHalf(const Variable &x);
/// The x with a x = b, by LU.
Parts solved(const Parts &a, const Parts &b);
/// The Hermitian matrix of which one triangle is given; its diagonal is real.
Parts hermitianOf(const Parts &a, bool isLower);

} // namespace graphc
