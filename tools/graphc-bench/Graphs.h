//===- Graphs.h - graphs that several cases build -----------------*- C++ -*-===//
#pragma once

#include "graphc/graphc.h"

namespace graphc::bench {

inline Variable ew10(const Variable &x, const Variable &y) {
  return exp(-sqr(tanh(x * y + x))) / sqrt(1.0f + y * y);
}
/// `least` is 0.25 in the case; graphs with others have other kernels.
inline Variable ew10cheap(const Variable &x, const Variable &y, float least = 0.25f) {
  Variable t = maximum(x * y + x, least) * 0.5f - y;
  return abs(minimum(t * t + 1.0f, 3.0f) * x);
}

/// `nodes` additions and multiplications in turn, with nothing to fold.
inline Variable chain(const Variable &x, const Variable &y, const Variable &z, int64_t nodes) {
  Variable v = x;
  for (int64_t i = 0; i < nodes; ++i)
    v = i % 2 ? v + y : v * z;
  return v;
}

/// Layers of log(1 + exp(h * w)) - h: most of the nodes are rewritten.
inline Variable softplusLayers(const Variable &x, const Variable &w, int64_t nodes) {
  Variable h = x;
  for (int64_t i = 0; i < nodes; i += 5)
    h = log(1.0 + exp(h * w)) - h;
  return h;
}

/// The hierarchical model's log-probability and its derivatives by ten parameters, with values of
/// the inputs. `step` is 0.1 in the case; graphs with others have other kernels.
struct RadonModel {
  Variables inputs, outputs;
  std::vector<Tensor> values;
};
RadonModel radonModel(double step = 0.1);

} // namespace graphc::bench
