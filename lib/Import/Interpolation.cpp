//===- Interpolation.cpp ---------------------------------------------------===//
#include "Import/Interpolation.h"

#include <array>

namespace graphc {

Variables linearWeights(OnnxNode &n, const Variable &f) {
  return {sub(n.at(n.scalar(1, f.dtype())), f), f};
}

Variables cubicWeights(OnnxNode &n, const Variable &f, double a) {
  // ((c3 t + c2) t + c1) t + c0 of the distance t.
  auto polynomial = [&](const Variable &t, const std::array<double, 4> &c) {
    Variable sum = n.scalar(c[3], f.dtype());
    for (size_t k = 3; k-- > 0;)
      sum = add(n.at(mul(n.at(sum), t)), n.scalar(c[k], f.dtype()));
    return sum;
  };
  const std::array<double, 4> nearby = {1, 0, -(a + 3), a + 2}, beyond = {-4 * a, 8 * a, -5 * a, a};
  Variable one = n.scalar(1, f.dtype()), rest = sub(n.at(one), f);
  return {polynomial(add(n.at(f), one), beyond), polynomial(f, nearby), polynomial(rest, nearby),
          polynomial(add(n.at(rest), one), beyond)};
}

} // namespace graphc
