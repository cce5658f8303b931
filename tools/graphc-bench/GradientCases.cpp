//===- GradientCases.cpp - time of making a gradient -----------------------===//
#include <cmath>

#include "Case.h"
#include "Graphs.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

constexpr double kX = 0.5, kW = 0.75;

/// The derivative of softplusLayers with respect to w, forward through the layers.
double slopeByHand(int64_t nodes) {
  double h = kX, slope = 0;
  for (int64_t i = 0; i < nodes; i += 5) {
    double sigmoid = 1 / (1 + std::exp(-h * kW));
    slope = (kW * sigmoid - 1) * slope + h * sigmoid;
    h = std::log(1 + std::exp(h * kW)) - h;
  }
  return slope;
}

/// Makes the gradient of one graph with `nodes` nodes, and drops the one before; nothing is
/// rewritten or compiled.
absl::StatusOr<Subject> differentiating(int64_t nodes) {
  Variables wrt = {dscalar("x"), dscalar("w")};
  Variable cost = softplusLayers(wrt[0], wrt[1], nodes);
  auto gradients = std::make_shared<Variables>();
  Subject subject;
  subject.ours = [=](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      *gradients = grad(cost, wrt);
  };
  subject.check = [=]() -> absl::Status {
    absl::StatusOr<Function> f = function(InputList(wrt), (*gradients)[1], {.mode = "interpreter"});
    if (!f.ok())
      return f.status();
    absl::StatusOr<Results> results = (*f)(kX, kW);
    if (!results.ok())
      return results.status();
    double found = results->item<double>(), expected = slopeByHand(nodes);
    if (std::abs(found - expected) <= 1e-12 * std::abs(expected))
      return absl::OkStatus();
    return makeError(ErrorKind::ValueError,
                     absl::StrFormat("the gradient of %d nodes is %.17g instead of %.17g", nodes,
                                     found, expected));
  };
  return subject;
}

} // namespace

void addGradients(std::vector<Case> &cases) {
  cases.push_back({"grad_1e5",
                   "make the gradient of a graph of 10^5 nodes",
                   {.milliseconds = 2000},
                   [](const Settings &) { return differentiating(100000); }});
}

} // namespace graphc::bench
