//===- Support/PadeExponential.h - exp of matrices ---------------*- C++ -*-===//
//
// Pade's approximation of order 13, for scaling and squaring: N. J. Higham, "The scaling and
// squaring method for the matrix exponential revisited", 2005.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace graphc {

/// Up to this 1-norm the approximation is as good as float64 (table 2.3).
inline constexpr double kPadeReach = 5.371920351148152;
/// Of the powers from 0 to 13 in the numerator; those of odd ones are negative in the denominator.
inline constexpr double kPade[] = {64764752532480000,
                                   32382376266240000,
                                   7771770303897600,
                                   1187353796428800,
                                   129060195264000,
                                   10559470521600,
                                   670442572800,
                                   33522128640,
                                   1323241920,
                                   40840800,
                                   960960,
                                   16380,
                                   182,
                                   1};

} // namespace graphc
