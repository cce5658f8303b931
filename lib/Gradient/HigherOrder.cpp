//===- HigherOrder.cpp - second derivatives, parts of graphs ---------------===//
#include "Backward.h"
#include "Results.h"
#include "Support/Text.h"
#include "graphc/Gradient.h"

namespace graphc {

Variables hessianVectorProduct(const Variable &cost, const Variables &wrt,
                               const Variables &directions, std::source_location loc) {
  Variables gradients =
      grad(cost, wrt, {.disconnectedInputs = DisconnectedInputs::Ignore, .addNames = false}, loc);
  return pushforward(gradients, wrt, directions, {.disconnectedInputs = DisconnectedInputs::Ignore},
                     loc);
}

Variable hessianVectorProduct(const Variable &cost, const Variable &wrt, const Variable &direction,
                              std::source_location loc) {
  return hessianVectorProduct(cost, Variables{wrt}, Variables{direction}, loc)[0];
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
  return parts(pullback(f, all, cotangents, {.considerConstant = end}, loc));
}

} // namespace graphc
