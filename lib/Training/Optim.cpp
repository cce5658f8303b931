//===- Optim.cpp - methods of optimization as updates -----------------------===//
#include "graphc/Optim.h"

#include "Graph/PlaceScope.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// In which a step for a parameter is computed, and kept in mind: squares of gradients leave
/// float16 at 256 and at 2^-12, and to 1 - beta2 of Adam bfloat16 has no neighbour of 1.
DType stepDType(const SharedVariable &parameter) {
  return promote(parameter.type().dtype(), DType::Float32);
}

/// The gradients in the dtypes of the steps, scaled down to `maxNorm` in all.
Variables gradientsOf(const Variable &loss, absl::Span<const SharedVariable> parameters,
                      double maxNorm) {
  Variables gradients = grad(loss, Variables(parameters.begin(), parameters.end()));
  for (size_t i = 0; i < gradients.size(); ++i)
    gradients[i] = cast(gradients[i], stepDType(parameters[i]));
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

/// What the method remembers of a parameter: zeros of its shape, in the dtype of its steps.
SharedVariable zerosLike(const SharedVariable &parameter, const std::string &what, Place place) {
  Tensor value = parameter.get({.borrow = true});
  absl::StatusOr<Tensor> zeros = Tensor::zeros(stepDType(parameter), value.shape());
  SharedOptions options;
  if (parameter.type().isTensor())
    options.shape.emplace(parameter.type().shape().begin(), parameter.type().shape().end());
  options.borrow = true;
  return makeShared(zeros.value_or(Tensor()), std::string(parameter.name()) + "." + what, options,
                    place);
}

/// `rate` in the step's dtype. A weak number takes that of what it meets.
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

/// The parameter's next value, which `step(parameter, old, gradient)` makes of its value and its
/// gradient in the step's dtype, for each parameter that has a gradient: rounded here, at the end.
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
  for (size_t i = 0; i < floats.size(); ++i) {
    Variable next = step(floats[i], cast(floats[i], stepDType(floats[i])), gradients[i]);
    made.updates.emplace_back(floats[i], cast(next, floats[i].type().dtype()));
  }
}

} // namespace

Optimizer sgd(const Variable &loss, absl::Span<const SharedVariable> parameters,
              const SgdOptions &options, std::source_location loc) {
  Place place(loc);
  PlaceScope scope(place);
  Optimizer made;
  auto step = [&](const SharedVariable &parameter, const Variable &old, Variable g) {
    if (options.weightDecay != 0)
      g = g + options.weightDecay * old;
    if (options.momentum != 0) {
      SharedVariable v = zerosLike(parameter, "velocity", place);
      made.state.push_back(v);
      Variable velocity = options.momentum * v + g;
      made.updates.emplace_back(v, velocity);
      g = options.nesterov ? g + options.momentum * velocity : velocity;
    }
    return old - rateFor(options.rate, old.dtype()) * g;
  };
  forEach(made, loss, parameters, options.maxNorm, place, step);
  return made;
}

Optimizer adam(const Variable &loss, absl::Span<const SharedVariable> parameters,
               const AdamOptions &options, std::source_location loc) {
  Place place(loc);
  PlaceScope scope(place);
  Optimizer made;
  // As the others' states, so that two methods have different ones.
  const std::string owner(parameters.empty() ? "" : parameters[0].name());
  SharedVariable steps =
      makeShared(Tensor(0), (owner.empty() ? "adam" : owner) + ".steps", {}, place);
  Variable number = steps + 1, t = cast(number, DType::Float64);
  // Powers near 1 lose their difference to it in fewer digits.
  Variable first = 1.0 - pow(options.beta1, t), second = sqrt(1.0 - pow(options.beta2, t));
  auto step = [&](const SharedVariable &parameter, Variable old, Variable g) {
    DType dtype = old.dtype();
    Operand rate = rateFor(options.rate, dtype);
    if (options.weightDecay != 0 && !options.decoupledDecay)
      g = g + options.weightDecay * old;
    else if (options.weightDecay != 0)
      old = old - rate * (options.weightDecay * old);
    SharedVariable m = zerosLike(parameter, "mean", place),
                   v = zerosLike(parameter, "variance", place);
    made.state.insert(made.state.end(), {m, v});
    Variable mean = options.beta1 * m + (1 - options.beta1) * g;
    Variable variance = options.beta2 * v + (1 - options.beta2) * sqr(g);
    Variable scale = sqrt(variance) / cast(second, dtype) + options.epsilon;
    made.updates.insert(made.updates.end(), {{m, mean}, {v, variance}});
    return old - rate * (mean / cast(first, dtype)) / scale;
  };
  forEach(made, loss, parameters, options.maxNorm, place, step);
  made.state.push_back(steps);
  made.updates.emplace_back(steps, number);
  return made;
}

} // namespace graphc
