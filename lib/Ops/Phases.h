//===- Ops/Phases.h - which vectors decompositions choose -----------*- C++ -*-===//
//
// Of complex vectors that are unique up to numbers of length 1 those are given whose first greatest
// elements are real and positive (lib/Lapack/Matrices.h). Derivatives follow that choice: they are
// those of the function, and so of what does not depend on the choice as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Matrices.h"

namespace graphc {

/// i x of a real x.
Variable timesI(const Variable &x);
/// The imaginary part of the sums of conj(x) g along columns.
Variable turnOf(const Variable &x, const Variable &g);

/// How the columns of complex vectors v are turned, by i times an angle each, so that their chosen
/// elements stay real.
class Phases {
public:
  explicit Phases(const Variable &v);
  /// The angles that take back what changes w of v turn.
  Variable anglesOf(const Variable &w) const;
  /// The gradient of w, from that of the angles.
  Variable pulled(const Variable &angles) const;
  /// The change of x's columns that are turned.
  static Variable turned(const Variable &x, const Variable &angles) {
    return x * timesI(expandDims(angles, Axis(-2)));
  }

private:
  Variable isChosen_, chosen_; ///< 1 at a column's chosen element, 0 elsewhere; the elements
};

} // namespace graphc
