//===- Ops/Distributions.h - ops that draw random numbers ------------*- C++ -*-===//
//
// (next, draw) = op(state, size, parameters...), see docs/design/30-random.md. What all of them
// share: their operands and attributes, the type rule, shapes, the next state, gradients. What
// makes an element of its bits is a body of kernels here, or a routine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "RandomBits.h"
#include "Routines/Draws.h"
#include "Rules.h"
#include "graphc/OpDef.h"

namespace graphc {

/// Operands of a draw's op.
inline constexpr size_t kState = 0, kSize = 1, kParameters = 2;

/// A condition on parameters, which are of the dtype in which the body computes.
struct Requirement {
  std::function<Scalar(const Scalars &parameters)> holds;
  /// "sd must be at least 0 and finite"
  std::string message;
  /// Of this parameter alone; -1: of several.
  int parameter = -1;
};

/// The derivatives of a draw by its parameters, as arrays that broadcast to it.
using DrawPartials = std::function<Variables(Inputs in, const Variable &draw)>;

/// The same of draws that are rows: gradients of the parameters (which broadcast to the draws,
/// over which they are summed) of one of the draws, and the tangent of one parameter's.
struct RowDerivatives {
  std::function<Variables(Inputs in, const Variable &gradient)> pullback = {};
  std::function<Variable(Inputs in, size_t parameter, const Variable &tangent)> pushforward = {};
};

struct Distribution {
  /// That of its function in graphc/Random.h.
  std::string name;
  std::string doc;
  std::vector<std::string> parameters;
  /// Whether it draws integers: their dtype is an attribute, int64 by default, else floats'.
  bool drawsIntegers = false;
  /// Whether the parameters are integers, which bodies get as int64 (uint64 if that is drawn).
  bool takesIntegers = false;
  /// Whether the last parameter is one integer, the length of a row.
  bool takesCount = false;
  std::vector<Requirement> requirements = {};
  /// An element; of the dtype in which it computes, or any integer.
  std::function<Scalar(const RandomBits &, const Scalars &parameters)> body = {};
  /// Neither: there is no reparameterised form.
  DrawPartials partials = {};
  RowDerivatives rows = {};
  bool hasDerivatives() const { return partials || rows.pullback; }
  /// Of the registry, without "random" in front.
  std::string example = {};
  /// In the place of a body: draws, of parameters in float64.
  const Routine *routine = nullptr;
  /// How many of each parameter's last axes belong to one draw, none by default; and the last axis
  /// of the result, if a draw is a row.
  std::vector<int> rowRanks = {};
  std::function<Extent(Emitter &, const Arrays &parameters)> rowLength = {};
};

/// The shape of the draws, without rows: `size`, with which the parameters agree, or what these
/// broadcast to where it is empty.
Extents drawShape(Emitter &e, const Distribution &d, Array size, const Arrays &parameters);
/// The op of a distribution.
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
Requirement isCount(size_t i, std::string_view name);

// ImplicitPartials.cpp: by the distribution function.
Variables gammaPartials(Inputs in, const Variable &draw);
Variables invgammaPartials(Inputs in, const Variable &draw);
Variables chisquarePartials(Inputs in, const Variable &draw);
Variables betaPartials(Inputs in, const Variable &draw);
Variables studentTPartials(Inputs in, const Variable &draw);
Variables triangularPartials(Inputs in, const Variable &draw);
Variables truncexponPartials(Inputs in, const Variable &draw);
Variables truncnormalPartials(Inputs in, const Variable &draw);
Variables vonmisesPartials(Inputs in, const Variable &draw);
RowDerivatives dirichletDerivatives();
RowDerivatives multivariateNormalDerivatives();

// The rows by family.
std::vector<Distribution> locationScaleDistributions();
std::vector<Distribution> positiveDistributions();
std::vector<Distribution> discreteDistributions();
std::vector<Distribution> sampledDistributions();
std::vector<Distribution> rowDistributions();

} // namespace graphc
