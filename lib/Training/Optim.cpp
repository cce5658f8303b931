//===- Optim.cpp - methods of optimization as updates -----------------------===//
#include "graphc/Optim.h"

#include "Graph/PlaceScope.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// The gradients, scaled down to `maxNorm` in all.
Variables gradientsOf(const Variable &loss, absl::Span<const SharedVariable> parameters,
                      double maxNorm) {
  Variables gradients = grad(loss, Variables(parameters.begin(), parameters.end()));
  if (maxNorm <= 0 || gradients.empty())
    return gradients;
  Variable squares;
  for (size_t i = 0; i < gradients.size(); ++i) {
    Variable own = cast(sum(sqr(gradients[i])), DType::Float64);
    squares = i == 0 ? own : squares + own;
  }
  Variable scale = minimum(maxNorm / sqrt(squares), 1.0); // a norm of 0 gives 1
  for (Variable &gradient : gradients)
    gradient = gradient * cast(scale, gradient.type().dtype());
  return gradients;
}

/// What the method remembers of a parameter: zeros of its shape.
SharedVariable zerosLike(const SharedVariable &parameter, const std::string &what, Place place) {
  Tensor value = parameter.get({.borrow = true});
  absl::StatusOr<Tensor> zeros = Tensor::zeros(value.dtype(), value.shape());
  SharedOptions options;
  if (parameter.type().isTensor())
    options.shape.emplace(parameter.type().shape().begin(), parameter.type().shape().end());
  options.borrow = true;
  return makeShared(zeros.value_or(Tensor()), std::string(parameter.name()) + "." + what, options,
                    place);
}

/// `rate` in the parameter's dtype. A weak number takes that of what it meets.
Operand rateFor(const Operand &rate, DType dtype) {
  return rate.isWeak() ? rate : Operand(cast(rate, dtype));
}

/// The error of a parameter that no step can be made for.
Variable refused(const SharedVariable &parameter, Place place) {
  return Variable::invalid(
      makeError(ErrorKind::TypeError,
                "parameter '" + std::string(parameter.name()) + "' is " + parameter.type().brief() +
                    "; only floats have gradients: leave it out, or share a value of floats",
                place));
}

bool isFloatVariable(const SharedVariable &parameter) {
  return parameter.type().isTensor() && isFloat(parameter.type().dtype());
}

/// `step(parameter, gradient)` for each parameter that has a gradient.
template <class Step>
void forEach(Optimizer &made, const Variable &loss, absl::Span<const SharedVariable> parameters,
             double maxNorm, Place place, Step step) {
  std::vector<SharedVariable> floats;
  for (const SharedVariable &parameter : parameters)
    if (isFloatVariable(parameter))
      floats.push_back(parameter);
    else
      made.updates.emplace_back(parameter, refused(parameter, place));
  Variables gradients = gradientsOf(loss, floats, maxNorm);
  for (size_t i = 0; i < floats.size(); ++i)
    step(floats[i], gradients[i]);
}

} // namespace

Optimizer sgd(const Variable &loss, absl::Span<const SharedVariable> parameters,
              const SgdOptions &options, std::source_location loc) {
  Place place(loc);
  PlaceScope scope(place);
  Optimizer made;
  forEach(made, loss, parameters, options.maxNorm, place, [&](const SharedVariable &p, Variable g) {
    if (options.weightDecay != 0)
      g = g + options.weightDecay * p;
    if (options.momentum != 0) {
      SharedVariable v = zerosLike(p, "velocity", place);
      made.state.push_back(v);
      Variable velocity = options.momentum * v + g;
      made.updates.emplace_back(v, velocity);
      g = options.nesterov ? g + options.momentum * velocity : velocity;
    }
    made.updates.emplace_back(p, p - rateFor(options.rate, p.type().dtype()) * g);
  });
  return made;
}

Optimizer adam(const Variable &loss, absl::Span<const SharedVariable> parameters,
               const AdamOptions &options, std::source_location loc) {
  Place place(loc);
  PlaceScope scope(place);
  Optimizer made;
  SharedVariable steps = makeShared(Tensor(0), "adam.steps", {}, place);
  Variable number = steps + 1, t = cast(number, DType::Float64);
  // Powers near 1 lose their difference to it in fewer digits.
  Variable first = 1.0 - pow(options.beta1, t), second = sqrt(1.0 - pow(options.beta2, t));
  forEach(made, loss, parameters, options.maxNorm, place, [&](const SharedVariable &p, Variable g) {
    DType dtype = p.type().dtype();
    Operand rate = rateFor(options.rate, dtype);
    Variable old = p;
    if (options.weightDecay != 0 && options.decoupledDecay)
      old = old - rate * (options.weightDecay * p);
    else if (options.weightDecay != 0)
      g = g + options.weightDecay * p;
    SharedVariable m = zerosLike(p, "mean", place), v = zerosLike(p, "variance", place);
    made.state.insert(made.state.end(), {m, v});
    Variable mean = options.beta1 * m + (1 - options.beta1) * g;
    Variable variance = options.beta2 * v + (1 - options.beta2) * sqr(g);
    Variable scale = sqrt(variance) / cast(second, dtype) + options.epsilon;
    made.updates.insert(
        made.updates.end(),
        {{m, mean}, {v, variance}, {p, old - rate * (mean / cast(first, dtype)) / scale}});
  });
  made.state.push_back(steps);
  made.updates.emplace_back(steps, number);
  return made;
}

} // namespace graphc
