//===- Phases.cpp -----------------------------------------------------------===//
#include "Phases.h"

#include "Units.h"
#include "graphc/Arrays.h"

namespace graphc {

Variable timesI(const Variable &x) { return complex(zerosLike(x), x); }

Variable turnOf(const Variable &x, const Variable &g) { return imag(sum(conj(x) * g, Axis(-2))); }

Phases::Phases(const Variable &v) {
  Variable size = abs(v);
  // One row more, which is never chosen: of no rows there is no maximum.
  Variable below = sum(zerosLike(size), {.axes = Axes({-2}), .keepDims = true}) - 1.0;
  size = concatenate({size, below}, -2);
  // As lib/Lapack/Matrices.h: what differs by rounding is equally great.
  Variable isGreatest =
      size * (1 + 8 * unitOf(size.dtype())) >= max(size, {.axes = Axes({-2}), .keepDims = true});
  Variable position = argmax(isGreatest, Axis(-2));
  Variable rows = expandDims(arange(shape(v, -2)), Axis(-1));
  isChosen_ = cast(eq(rows, expandDims(position, Axis(-2))), size.dtype());
  chosen_ = sum(isChosen_ * real(v), Axis(-2));
}

Variable Phases::anglesOf(const Variable &w) const {
  return -sum(isChosen_ * imag(w), Axis(-2)) / chosen_;
}

Variable Phases::pulled(const Variable &angles) const {
  return timesI(isChosen_ * expandDims(-angles / chosen_, Axis(-2)));
}

} // namespace graphc
