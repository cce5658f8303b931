//===- HigherOrder.cpp - second derivatives, parts of graphs ---------------===//
#include "Backward.h"
#include "Results.h"
#include "Support/Text.h"
#include "graphc/Gradient.h"

namespace graphc {

Variables hessianVectorProduct(const Variable &cost, const Variables &wrt,
                               const Variables &directions, const GradOptions &options,
                               std::source_location loc) {
  GradOptions unnamed = options;
  unnamed.addNames = false;
  Variables products = grad(cost, wrt, unnamed, loc), gradients;
  for (const Variable &gradient : products)
    if (gradient.type().isTensor())
      gradients.push_back(gradient);
  // A gradient that does not depend on the Variables any more has zeros, not a mistake.
  Variables pushed = pushforward(
      gradients, wrt, directions,
      {.disconnectedInputs = DisconnectedInputs::Ignore, .nullGradients = options.nullGradients},
      loc);
  auto next = pushed.begin();
  for (Variable &product : products)
    if (product.type().isTensor())
      product = *next++;
  return products;
}

Variable hessianVectorProduct(const Variable &cost, const Variable &wrt, const Variable &direction,
                              const GradOptions &options, std::source_location loc) {
  return hessianVectorProduct(cost, Variables{wrt}, Variables{direction}, options, loc)[0];
}

SubgraphGradients subgraphGrad(const Variables &wrt, const Variables &end,
                               const Replacements &start, const std::optional<Variable> &cost,
                               std::source_location loc) {
  Variables all = wrt, f, cotangents;
  all.insert(all.end(), end.begin(), end.end());
  auto parts = [&](const Variables &gradients) {
    auto middle = gradients.begin() + ptrdiff_t(wrt.size());
    return SubgraphGradients{{gradients.begin(), middle}, {middle, gradients.end()}};
  };
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return parts(failed(all.size(), makeError(kind, "subgraphGrad: " + what, loc)));
  };
  if (start.empty() && !cost)
    return fail(ErrorKind::ValueError, "there is neither a cost nor a gradient to start from");
  if (cost && cost->ok() && (!cost->type().isTensor() || cost->rank() != 0))
    return fail(ErrorKind::TypeError, "the cost, " + called(*cost) + ", is " +
                                          cost->type().brief() + ": a cost has rank 0");
  for (const auto &[of, gradient] : start) {
    f.push_back(of);
    cotangents.push_back(gradient);
  }
  if (cost) {
    f.push_back(*cost);
    cotangents.push_back(Constant::adopt(Tensor(1.0).cast(gradientDType(*cost))));
  }
  // A piece need not use all that the piece below gives it.
  return parts(pullback(f, all, cotangents,
                        {.considerConstant = end, .disconnectedInputs = DisconnectedInputs::Ignore},
                        loc));
}

} // namespace graphc
