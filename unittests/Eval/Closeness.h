//===- Closeness.h - comparing arrays within a tolerance ---------------------===//
#pragma once

#include <optional>
#include <vector>

#include "graphc/Tensor.h"

namespace graphc {

/// What a float may differ from the wanted one: `ulp` numbers of its dtype; or, where rtol is
/// given, atol + rtol * |wanted|, and atols[i] for element i. NaN is close to NaN only.
struct Tolerance {
  double ulp = 0;
  std::optional<double> rtol = std::nullopt, atol = std::nullopt;
  std::vector<double> atols = {}; // empty: none
  /// Whether zeros must have the wanted sign.
  bool zeroSigns = false;
};

/// A test failure that tells the first element that is off. Dtypes and shapes must be equal;
/// integers and bools must be equal.
void expectClose(const Tensor &got, const Tensor &wanted, const Tolerance &t);

} // namespace graphc
