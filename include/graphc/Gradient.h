//===- graphc/Gradient.h - symbolic differentiation -------------*- C++ -*-===//
//
// Derivatives are graphs: what these functions give are Variables like any other, to be compiled,
// rewritten, and differentiated again. Reverse mode (grad, pullback, jacobian) asks each op on the
// way for its pullback, forward mode (pushforward) for its pushforward; docs/Gradients.md tells
// more. Nothing recurses: time and memory are linear in the nodes between.
//
// Three things that are easily taken for each other are kept apart (F-251, F-252, F-273):
//   zero          the cost depends on it, and the derivative is 0
//   disconnected  the cost does not depend on its elements: a Variable of type Disconnected
//   null          there is no derivative, for a reason: a Variable of type Null
//
// Mistakes are carried by the results: an Invalid Variable has the Status, which `function`
// reports. Everything here is thread-safe.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/Tensor.h"
#include "graphc/Traversal.h"
#include "graphc/Variable.h"

namespace graphc {

/// F-274: what becomes of a Variable that the cost does not depend on.
enum class DisconnectedInputs { Raise, Warn, Ignore };
/// F-275: what stands in its place, unless it is an error.
enum class ReturnDisconnected { Zero, None, Disconnected };
/// F-276: what becomes of a gradient that is not defined.
enum class NullGradients { Raise, Return };

struct GradOptions {
  /// F-278: gradients to start from. They are final: nothing is added to them.
  Replacements knownGrads = {};
  /// F-280: they count as independent of everything.
  Variables considerConstant = {};
  DisconnectedInputs disconnectedInputs = DisconnectedInputs::Raise;
  NullGradients nullGradients = NullGradients::Raise;
  /// Zeros of the Variable's shape; an Invalid Variable that says so; or one of type Disconnected.
  ReturnDisconnected returnDisconnected = ReturnDisconnected::Zero;
  /// F-281: a result is named (d<cost>/d<wrt>) where both have names.
  bool addNames = true;
};

/// The derivative of `cost`, which has rank 0, with respect to `wrt`: any Variable, computed ones
/// and the cost itself included. It has the rank and dtype of `wrt`; floatX where that is no float
/// (F-270). Errors (Invalid): TypeError for a cost of another rank; ValueError for a Null cost;
/// DisconnectedInput and NullGradient as the options say, with the ops on the way; those of
/// pullbacks, at the place of the node.
Variable grad(const Variable &cost, const Variable &wrt, const GradOptions &options = {},
              std::source_location loc = std::source_location::current());
/// With respect to several: one walk over the graph. An error of one is carried by all.
Variables grad(const Variable &cost, const Variables &wrt, const GradOptions &options = {},
               std::source_location loc = std::source_location::current());
/// From known gradients alone (F-268): there is no cost.
Variables grad(const Replacements &knownGrads, const Variables &wrt, GradOptions options = {},
               std::source_location loc = std::source_location::current());

/// F-287, also called Lop: cotangents times the Jacobian of `f` with respect to each of `wrt`,
/// summed over `f`, whose members may depend on each other. A cotangent has its Variable's rank;
/// there are as many as `f` (ValueError).
Variables pullback(const Variables &f, const Variables &wrt, const Variables &cotangents,
                   const GradOptions &options = {},
                   std::source_location loc = std::source_location::current());
Variable pullback(const Variable &f, const Variable &wrt, const Variable &cotangent,
                  const GradOptions &options = {},
                  std::source_location loc = std::source_location::current());

struct PushforwardOptions {
  /// Each op's own rule, one walk forward. Otherwise two pullbacks, which ops without such a rule
  /// take in any case, and which leave out overrides of pushforward (F-288).
  bool useOpPushforward = true;
  DisconnectedInputs disconnectedInputs = DisconnectedInputs::Raise;
  NullGradients nullGradients = NullGradients::Raise;
};
/// F-287, also called Rop: the Jacobian of each of `f` with respect to `wrt` times tangents, summed
/// over `wrt`. There are as many as `wrt`, of their ranks (ValueError with the position). A result
/// has the type of its `f`.
Variables pushforward(const Variables &f, const Variables &wrt, const Variables &tangents,
                      const PushforwardOptions &options = {},
                      std::source_location loc = std::source_location::current());
Variable pushforward(const Variable &f, const Variable &wrt, const Variable &tangent,
                     const PushforwardOptions &options = {},
                     std::source_location loc = std::source_location::current());

/// F-286: another name of zeroGrad, which graphc/Ops.h has with the other stops: x itself, whose
/// gradient is zero. The cost still depends on x, as it does not on what
/// GradOptions::considerConstant lists.
Variable considerConstant(const Operand &x);

//===--- Jacobians --------------------------------------------------------===//

/// `outputs` for each position along a new first axis of Variables that they are computed from: a
/// pair of `batched` is such a Variable and what stands for it, an array of its dtype with one axis
/// more in front. All have as many positions (ShapeError), and each result has that axis. No loop
/// runs at a call: kernels have one more axis. TypeError, ValueError for an empty list;
/// NotSupported beyond 31 such graphs within each other; an extent that would differ from position
/// to position is an Internal error of the emission.
Variables vectorize(const Variables &outputs, const Replacements &batched,
                    std::source_location loc = std::source_location::current());

struct JacobianOptions {
  Variables considerConstant = {};
  DisconnectedInputs disconnectedInputs = DisconnectedInputs::Raise;
  /// Expressions of any rank: the result has their axes, then those of `wrt`.
  bool anyRank = false;
};
/// F-289: the derivatives of each element of `expression` with respect to `wrt`: of rank 0 the
/// gradient, of rank 1 an array of shape (n, *wrt.shape), all rows computed together. ValueError
/// for another rank, TypeError for what is no float array; else as grad.
Variable jacobian(const Variable &expression, const Variable &wrt,
                  const JacobianOptions &options = {},
                  std::source_location loc = std::source_location::current());
Variables jacobian(const Variable &expression, const Variables &wrt,
                   const JacobianOptions &options = {},
                   std::source_location loc = std::source_location::current());
/// F-290: the second derivatives of `cost`, of rank 0, with respect to a vector, or to each of
/// several on its own. ValueError where one of `wrt` is no vector.
Variable hessian(const Variable &cost, const Variable &wrt, const JacobianOptions &options = {},
                 std::source_location loc = std::source_location::current());
Variables hessian(const Variable &cost, const Variables &wrt, const JacobianOptions &options = {},
                  std::source_location loc = std::source_location::current());

//===--- second order, parts of graphs ------------------------------------===//

/// F-290: the Hessian of `cost`, of rank 0, with respect to `wrt` times `directions`, without
/// forming it: forward mode over reverse mode. One direction for each of `wrt`, of its rank
/// (ValueError). `options` and errors are those of the gradient: a Variable that the cost does not
/// depend on is a mistake, one in which it is linear has zeros. A gradient that is no tensor
/// (ReturnDisconnected, NullGradients::Return) stands in the place of its product.
Variables hessianVectorProduct(const Variable &cost, const Variables &wrt,
                               const Variables &directions, const GradOptions &options = {},
                               std::source_location loc = std::source_location::current());
Variable hessianVectorProduct(const Variable &cost, const Variable &wrt, const Variable &direction,
                              const GradOptions &options = {},
                              std::source_location loc = std::source_location::current());

struct SubgraphGradients {
  Variables wrt;
  Variables end;
};
/// F-291: gradients with respect to `wrt` and to `end` of the part of a graph above `end`, whose
/// members count as constants: from `cost`, of rank 0, from known gradients of what is used outside
/// of the part (`start`), or from both, which are added; zeros where they do not depend on it. So a
/// graph is differentiated piece by piece. ValueError where there is neither.
SubgraphGradients subgraphGrad(const Variables &wrt, const Variables &end,
                               const Replacements &start = {},
                               const std::optional<Variable> &cost = std::nullopt,
                               std::source_location loc = std::source_location::current());

//===--- verification -----------------------------------------------------===//

enum class Differences {
  OneSided,
  Central,
  /// Im f(x + i h) / h, without cancellation: exact to rounding however small h is (W. Squire and
  /// G. Trapp, "Using complex variables to estimate derivatives of real functions", 1998). Wants
  /// real arguments and ops that are holomorphic: TypeError where a result of complex arguments is
  /// real, wrong values where an op on the way takes abs, conj or a part.
  ComplexStep,
};
struct VerifyGradOptions {
  /// How far arguments are moved; by default 1e-7 for float64, 3e-4 for float32, for Central
  /// 1e-5 and 5e-3, and for narrower floats twice as much as they resolve at 1; for ComplexStep
  /// 1e-20 and, for other floats than float64, 1e-10.
  std::optional<double> epsilon = std::nullopt;
  /// An element passes if one of the two errors is below its bound; by default 1e-4 for float64,
  /// 1e-2 for float32, 1e-1 for narrower floats; for ComplexStep 1e-10 for float64, 1e-4 for
  /// float32.
  std::optional<double> absoluteBound = std::nullopt, relativeBound = std::nullopt;
  Differences differences = Differences::OneSided;
  /// Of the weights with which results are summed, and of random points.
  uint64_t seed = 0;
};
/// The function that verifyGrad looks at: results for arguments.
using GradFunction = std::function<Variable(const Variables &)>;
/// F-292: compares the gradient of `function` at `point`, float arrays, with differences of its
/// values, all computed by the evaluator. A result of any rank is weighted by random numbers in
/// [0.5, 1.5) and summed; and pushforward, if all ops have one, with the gradient in a random
/// direction. DebugMismatch with argument, position and both values where they differ; errors of
/// the function and of `grad`. Where it is not smooth at the point or between it and the moved one
/// (maximum of equal numbers, abs at 0) a correct gradient may differ: choose another point.
absl::Status verifyGrad(const GradFunction &function, const std::vector<Tensor> &point,
                        const VerifyGradOptions &options = {},
                        std::source_location loc = std::source_location::current());
/// At `points` random points: arguments of these types, all extents static, with elements from
/// [-1, 1).
absl::Status verifyGrad(const GradFunction &function, const std::vector<Type> &arguments,
                        int points, const VerifyGradOptions &options = {},
                        std::source_location loc = std::source_location::current());

} // namespace graphc
