//===- Jacobian.cpp - all rows at once -------------------------------------===//
#include "Backward.h"
#include "Graph/PlaceScope.h"
#include "Results.h"
#include "graphc/Ops.h"

namespace graphc {

/// The extents of `v` as a vector, after those of `front`.
static Variable shapeAfter(const Variable &front, const Variable &v) {
  return concatenate({Operand(shape(front)), Operand(shape(v))}, 0);
}

Variables jacobian(const Variable &expression, const Variables &wrt, const JacobianOptions &options,
                   std::source_location loc) {
  GradOptions gradOptions{.considerConstant = options.considerConstant,
                          .disconnectedInputs = options.disconnectedInputs,
                          .addNames = false};
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return failed(wrt.size(), makeError(kind, "jacobian: " + what, loc));
  };
  if (!expression.ok())
    return failed(wrt.size(), expression.status());
  if (!expression.type().isTensor() || !isFloat(expression.dtype()))
    return fail(ErrorKind::TypeError,
                called(expression) + " is " + expression.type().brief() + ", no float array");
  if (expression.rank() == 0)
    return grad(expression, wrt, gradOptions, loc);
  if (expression.rank() > 1 && !options.anyRank)
    return fail(ErrorKind::ValueError, called(expression) + " is " + expression.type().brief() +
                                           ": an expression has rank 0 or 1, unless anyRank is "
                                           "set");
  PlaceScope scope(loc);
  Variable rows = expression.rank() == 1 ? expression : flatten(expression);
  Variable cotangent(rows.type());
  Variables gradients = pullbackAsShaped({rows}, wrt, {cotangent}, gradOptions, loc);
  for (const Variable &gradient : gradients)
    if (!gradient.ok())
      return failed(wrt.size(), gradient.status());
  Variable count = shape(rows, 0);
  Variable unit = eye(count, count, 0, rows.dtype());
  Variables results = vectorize(gradients, {{cotangent, unit}}, loc);
  if (expression.rank() > 1)
    for (size_t i = 0; i < wrt.size(); ++i)
      results[i] = reshape(results[i], shapeAfter(expression, wrt[i]));
  return results;
}

Variable jacobian(const Variable &expression, const Variable &wrt, const JacobianOptions &options,
                  std::source_location loc) {
  return jacobian(expression, Variables{wrt}, options, loc)[0];
}

Variables hessian(const Variable &cost, const Variables &wrt, const JacobianOptions &options,
                  std::source_location loc) {
  for (size_t i = 0; i < wrt.size(); ++i)
    if (wrt[i].ok() && wrt[i].rank() != 1)
      return failed(wrt.size(),
                    makeError(ErrorKind::ValueError,
                              "hessian: " + called(wrt[i]) + " is " + wrt[i].type().brief() +
                                  ": what a Hessian is with respect to has rank 1; "
                                  "flatten it, or use hessianVectorProduct",
                              loc));
  Variables gradients = grad(cost, wrt,
                             {.considerConstant = options.considerConstant,
                              .disconnectedInputs = options.disconnectedInputs,
                              .addNames = false},
                             loc);
  // A gradient that does not depend on the Variable any more has zeros, not a mistake.
  JacobianOptions rows = options;
  rows.disconnectedInputs = DisconnectedInputs::Ignore;
  for (size_t i = 0; i < wrt.size(); ++i)
    gradients[i] = jacobian(gradients[i], wrt[i], rows, loc);
  return gradients;
}

Variable hessian(const Variable &cost, const Variable &wrt, const JacobianOptions &options,
                 std::source_location loc) {
  return hessian(cost, Variables{wrt}, options, loc)[0];
}

} // namespace graphc
