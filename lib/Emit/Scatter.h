//===- Scatter.h - sums whose terms each belong to one place ------*- C++ -*-===//
//
//   y[i, p, j] = sum over k <= m of (k == 0 ? x[i, p, j] : p == at[k - 1] ? v[i, k - 1, j] : 0)
//
// says that x gets each v added at one position p, in the order of k. As loops it is as often as
// much work as there are positions. So the evaluator, costs, fusion and the pass to loops
// (lib/Transforms/Scatter.cpp) look for it here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "graphc/Emit.h"

namespace graphc {

/// Records it: x joined with `terms` along `axis` (sums; or, of Bool) at `positions`, of rank 1.
/// `terms` is of x's dtype and shape but for that axis, where it is as long as `positions`. What
/// has no position among x's is left out. Sums of floats start at +0.
Array scatter(Emitter &e, Array x, Array terms, Array positions, int axis);

/// Nodes and loops of a nest: at the first iteration of `reduction`, its only one, `start`; at the
/// others `value`, at `position` along the parallel loop `loop`.
struct Scatter {
  int32_t loop, reduction, start, position, value;
};

/// What the nest adds where, if it is one: `start` does not depend on the reduction, neither
/// position nor value on the loop, nor the position on a parallel loop behind it.
std::optional<Scatter> scatterOf(const Nest &nest);

/// The extents of the loops whose iterations are work: all but a scatter's.
Numbers workExtents(const Nest &nest);

} // namespace graphc
