//===- Ops/Pictures.h - windows, and values between elements --------*- C++ -*-===//
//
// What the functions of graphc/Neural.h share with readers of files that can say more.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Neural.h"

namespace graphc {

/// Where the elements of the windows along an axis of `extent` (0-d) lie that end where it ends:
/// [elements of a window, windows].
Variable windowPositions(const Variable &extent, int window, int stride, int dilation);
/// x, each of whose axes from `first` on, one for each number, becomes these two.
Variable windowsOf(Variable x, int first, const std::vector<int> &window,
                   const std::vector<int> &stride, const std::vector<int> &dilation);

/// Weights of the two neighbours of a point `f` (0 to 1) behind the first one.
Variables linearWeights(const Variable &f);
/// Keys' cubic (1981) with parameter a, of distances up to 1 and from 1 to 2.
Variable cubicNearby(const Variable &distance, double a);
Variable cubicBeyond(const Variable &distance, double a);
/// Weights of the four neighbours of a point `f` behind the second one.
Variables cubicWeights(const Variable &f, double a);

struct Interpolation {
  ResizeMode mode = ResizeMode::Linear;
  /// The nearest element: that below or above, or the nearer one, where the halves go down or up.
  enum class Nearest { Floor, Ceil, HalfDown, HalfUp } nearest = Nearest::HalfDown;
  double cubic = -0.75;
  /// Neighbours outside count nothing; else they are the nearest element.
  bool excludeOutside = false;
};
/// x along an axis at these positions, a float64 vector.
Variable interpolated(const Variable &x, int axis, const Variable &positions,
                      const Interpolation &how);

} // namespace graphc
