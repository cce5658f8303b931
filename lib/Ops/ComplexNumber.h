//===- Ops/ComplexNumber.h - complex numbers by their parts -----*- C++ -*-===//
//
// What parts rules compute with: a Parts is a complex number in a graph of real ones. Where it has
// no imaginary part, none is computed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {

/// The imaginary part, zeros of the real part's dtype and shape where there is none.
Variable imaginaryOf(const Parts &z);
/// Whether one of the parts is not 0; NaN is not.
Variable isNonzero(const Parts &z);

Parts operator+(const Parts &a, const Parts &b);
Parts operator-(const Parts &a, const Parts &b);
Parts operator-(const Parts &a);
Parts operator*(const Parts &a, const Parts &b);
/// By Smith's method: the divisor's square need not be a number.
Parts operator/(const Parts &a, const Parts &b);
/// A bilinear op in the place of the product; `others`: its operands behind these.
Parts bilinear(const Op &op, const Parts &a, const Parts &b,
               const std::vector<Operand> &others = {});
Parts conjugate(const Parts &z);
Variable magnitude(const Parts &z);

// Principal values, with NumPy's branch cuts: signs of zeros say on which side a number is.
Parts squareOf(const Parts &z);
Parts squareRootOf(const Parts &z);
Parts exponentialOf(const Parts &z);
Parts logarithmOf(const Parts &z);
Parts powerOf(const Parts &x, const Parts &y);
Parts sineOf(const Parts &z);
Parts cosineOf(const Parts &z);
Parts hyperbolicSineOf(const Parts &z);
Parts hyperbolicCosineOf(const Parts &z);
Parts hyperbolicTangentOf(const Parts &z);
Parts hyperbolicArcsineOf(const Parts &z);
Parts hyperbolicArctangentOf(const Parts &z);
Parts hyperbolicArccosineOf(const Parts &z);
Parts arccosineOf(const Parts &z);
Parts logarithmOfOnePlus(const Parts &z);
Parts exponentialLessOne(const Parts &z);
/// i z and -i z.
Parts turnedLeft(const Parts &z);
Parts turnedRight(const Parts &z);

} // namespace graphc
