//===- Ops/Distributions.h - ops that draw random numbers ------------*- C++ -*-===//
//
// (next, draw) = op(state, size, parameters...), see docs/design/30-random.md. What all of them
// share: their operands and attributes, the type rule, shapes, the next state, gradients. What
// makes an element of its bits is a body of kernels here, or a routine of the host.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "RandomBits.h"
#include "Rules.h"
#include "graphc/OpDef.h"

namespace graphc {

/// A condition on parameters, which are of the dtype in which the body computes.
struct Requirement {
  std::function<Scalar(const Scalars &parameters)> holds;
  /// "sd must be at least 0 and finite"
  std::string message;
};

/// The derivatives of a draw by its parameters, as arrays that broadcast to it.
using DrawPartials = std::function<Variables(Inputs in, const Variable &draw)>;

struct Distribution {
  std::string name;
  std::string doc;
  std::vector<std::string> parameters;
  /// Whether it draws integers: their dtype is an attribute, int64 by default, else floats'.
  bool drawsIntegers = false;
  /// Whether the parameters are integers, which bodies get as int64 (uint64 if that is drawn).
  bool takesIntegers = false;
  std::vector<Requirement> requirements = {};
  /// An element; of the dtype in which it computes, or any integer.
  std::function<Scalar(const RandomBits &, const Scalars &parameters)> body = {};
  /// None: there is no reparameterised form.
  DrawPartials partials = {};
  std::string example;
};

/// The op of a distribution whose elements kernels make.
OpDef distributionOp(Distribution d);

/// A draw with other parameters from the state of the node whose operands are `in`, of the draw's
/// shape and dtype.
Variable drawAgain(std::string_view distribution, Inputs in, const Variable &draw,
                   const std::vector<double> &parameters);

/// The dtype in which a draw of this one computes.
DType computeDTypeOfDraw(DType drawn);

// Requirements on parameter i.
Requirement isFinite(size_t i, std::string_view name);
Requirement isPositive(size_t i, std::string_view name);
Requirement isNotNegative(size_t i, std::string_view name);
Requirement isProbability(size_t i, std::string_view name);
Requirement isPositiveProbability(size_t i, std::string_view name);

// The rows by family.
std::vector<Distribution> locationScaleDistributions();
std::vector<Distribution> positiveDistributions();
std::vector<Distribution> discreteDistributions();

} // namespace graphc
