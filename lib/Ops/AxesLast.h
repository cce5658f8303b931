//===- Ops/AxesLast.h - axes in an order ----------------------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <vector>

namespace graphc {

/// All axes of a rank, in the order in which these come last.
inline std::vector<int> axesLast(const std::vector<int> &axes, int rank) {
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      order.push_back(axis);
  order.insert(order.end(), axes.begin(), axes.end());
  return order;
}

} // namespace graphc
