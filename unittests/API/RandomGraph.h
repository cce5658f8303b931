//===- RandomGraph.h - graphs to be built flat and with OpFromGraphs -------===//
//
// A Recipe says how to build a graph, and which parts of it are bodies: graphs within it that may
// be applied at several sites. It is built with each body an OpFromGraph, or flat, without any: the
// two must not differ by a value or a derivative.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "graphc/OpFromGraph.h"
#include "graphc/Shared.h"

namespace graphc::random {

/// The same numbers everywhere, which the standard library's distributions do not promise.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}
  /// From 0 to n - 1.
  size_t below(size_t n) { return engine_() % n; }
  bool oneIn(size_t n) { return below(n) == 0; }
  /// From [low, high).
  double real(double low, double high) {
    return low + (high - low) * double(engine_() >> 11) * 0x1p-53;
  }
  template <class T> const T &of(const std::vector<T> &list) { return list[below(list.size())]; }

private:
  std::mt19937_64 engine_;
};

struct Body;

/// Some values from others: by ops, by applying a body, or those of a shared variable.
struct Step {
  std::function<Variables(const Variables &)> build = {};
  std::vector<size_t> operands = {};
  std::shared_ptr<const Body> body = {};
  /// Of Recipe::shared, and its type while the recipe is made.
  std::optional<SharedVariable> reads = {};
  Type trial = {};
};

/// A graph over its inputs. Values are numbered: inputs, then the results of the steps.
struct Body {
  std::vector<Type> inputs;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  Inline inlining = Inline::No;
  /// Derivatives that its author gives in the place of the graph's: those times this factor.
  std::optional<double> derivativeFactor;
  /// Whether it captures shared variables.
  bool captures = false;
};

struct Recipe {
  Body main;
  std::vector<SharedVariable> shared;
  /// The value of shared[i] after a call: so many times itself and so much of a sum of all.
  std::vector<std::pair<double, double>> updates;
  /// One for each input.
  std::vector<Tensor> values;
  /// Whether something is float32.
  bool isNarrow = false;
};

Recipe randomRecipe(uint64_t seed);

/// Trial: flat, for the extents that stand for others while the recipe is made.
enum class Build { Flat, Wrapped, Trial };
/// The outputs of a body for these operands.
Variables build(const Body &body, const Variables &operands, Build how);

} // namespace graphc::random
