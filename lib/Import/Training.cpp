//===- Training.cpp - steps of optimizers, and gradients --------------------------===//
#include <cmath>

#include "Import/Translations.h"
#include "graphc/Gradient.h"

namespace graphc {
namespace {

//===--- steps ---------------------------------------------------------------------===//

/// What an optimizer's step is made of for one tensor: its value, its gradient, and states.
struct Moved {
  Variable x, gradient;
  Variables states;
};

/// The inputs behind the rate R and the number T of steps before: all values, all gradients, then
/// all of each state. G has the decay of x added to it.
std::vector<Moved> movedTensors(OnnxNode &n, size_t states) {
  const size_t each = 2 + states;
  if (n.numInputs() < 2 + each || (n.numInputs() - 2) % each != 0) {
    n.fail(ErrorKind::ValueError, "has " + std::to_string(n.numInputs()) +
                                      " inputs where there must be R, T and " +
                                      std::to_string(each) + " for each tensor");
    return {};
  }
  const size_t count = (n.numInputs() - 2) / each;
  double decay = n.getFloat("norm_coefficient", 0);
  std::vector<Moved> list;
  for (size_t k = 0; k < count; ++k) {
    Moved moved{n.in(2 + k), n.in(2 + count + k), {}};
    for (size_t s = 0; s < states; ++s)
      moved.states.push_back(n.in(2 + (2 + s) * count + k));
    moved.gradient = add(n.at(moved.gradient), mul(n.at(moved.x), decay));
    list.push_back(std::move(moved));
  }
  return list;
}

/// The outputs: all values, then all of each state.
Variables outputsOf(const std::vector<Moved> &list) {
  Variables outputs;
  for (const Moved &moved : list)
    outputs.push_back(moved.x);
  for (size_t s = 0; !list.empty() && s < list[0].states.size(); ++s)
    for (const Moved &moved : list)
      outputs.push_back(moved.states[s]);
  return outputs;
}

Variable inDouble(OnnxNode &n, size_t i) { return cast(n.arg(i), DType::Float64); }

/// x - rate * direction.
Variable stepped(OnnxNode &n, const Variable &x, const Variable &rate, const Variable &direction) {
  return sub(n.at(x), mul(n.at(cast(n.at(rate), x.dtype())), direction));
}

Variables adagrad(OnnxNode &n) {
  std::vector<Moved> list = movedTensors(n, 1);
  double decay = n.getFloat("decay_factor", 0), epsilon = n.getFloat("epsilon", 1e-6f);
  if (!n.status().ok())
    return {};
  Variable slowed = add(n.at(mul(n.at(inDouble(n, 1)), decay)), 1.0);
  Variable rate = trueDiv(n.at(inDouble(n, 0)), slowed);
  for (auto &[x, g, states] : list) {
    Variable squares = states[0] = add(n.at(states[0]), sqr(n.at(g)));
    Variable scale = add(n.at(sqrt(n.at(squares))), epsilon);
    x = stepped(n, x, rate, trueDiv(n.at(g), scale));
  }
  return outputsOf(list);
}

/// alpha * old + beta * gradient.
Variable mixed(OnnxNode &n, const Variable &old, double alpha, const Operand &beta,
               const Variable &g) {
  return add(n.at(mul(n.at(old), alpha)), mul(n.at(g), beta));
}

Variables adam(OnnxNode &n) {
  std::vector<Moved> list = movedTensors(n, 2);
  double alpha = n.getFloat("alpha", 0.9f), beta = n.getFloat("beta", 0.999f),
         epsilon = n.getFloat("epsilon", 1e-6f),
         decayAfter = n.getFloat("norm_coefficient_post", 0);
  if (!n.status().ok())
    return {};
  // Averages that began as 0 are too small at first. Without a step before, they are as they are.
  Variable rate = inDouble(n, 0), steps = inDouble(n, 1);
  auto missing = [&](double factor) {
    return sub(n.at(n.scalar(1, DType::Float64)),
               pow(n.at(n.scalar(factor, DType::Float64)), steps));
  };
  Variable grown = trueDiv(n.at(mul(n.at(rate), sqrt(n.at(missing(beta))))), missing(alpha));
  Variable adjusted = where(n.at(gt(n.at(steps), 0.0)), grown, rate);
  for (auto &[x, g, states] : list) {
    Variable mean = states[0] = mixed(n, states[0], alpha, 1 - alpha, g);
    Variable squares = states[1] = mixed(n, states[1], beta, 1 - beta, sqr(n.at(g)));
    Variable scale = add(n.at(sqrt(n.at(squares))), epsilon);
    x = mul(n.at(stepped(n, x, adjusted, trueDiv(n.at(mean), scale))), 1 - decayAfter);
  }
  return outputsOf(list);
}

Variables momentum(OnnxNode &n) {
  std::vector<Moved> list = movedTensors(n, 1);
  for (const char *name : {"alpha", "beta", "mode", "norm_coefficient"})
    if (n.status().ok() && !n.hasAttribute(name))
      n.fail(ErrorKind::ValueError, "attribute " + std::string(name) + " is missing");
  double alpha = n.getFloat("alpha", 0), beta = n.getFloat("beta", 0);
  std::string mode = n.getString("mode", "");
  if (n.status().ok() && mode != "standard" && mode != "nesterov")
    n.fail(ErrorKind::ValueError, "attribute mode is '" + mode + "'");
  if (!n.status().ok())
    return {};
  for (auto &[x, g, states] : list) {
    // The first gradient counts whole.
    Variable isFirst = le(n.arg(1), 0);
    Variable weight = where(n.at(isFirst), n.scalar(1, x.dtype()), n.scalar(beta, x.dtype()));
    Variable v = states[0] = mixed(n, states[0], alpha, n.at(weight), g);
    Variable direction = mode == "nesterov" ? add(n.at(g), mul(n.at(v), alpha)) : v;
    x = stepped(n, x, n.in(0), direction);
  }
  return outputsOf(list);
}

//===--- gradients -----------------------------------------------------------------===//

/// The derivatives of the value y with respect to xs, at the values that the inputs have for xs and
/// zs. These are independent of each other, however the model computes them.
Variables gradient(OnnxNode &n) {
  std::vector<std::string> names = n.getStrings("xs");
  const size_t numX = names.size();
  for (const std::string &name : n.getStrings("zs"))
    names.push_back(name);
  std::string yName = n.getString("y", "");
  if (!n.hasAttribute("y") || numX == 0)
    return {n.fail(ErrorKind::ValueError, "attributes xs and y must be given")};
  if (n.numInputs() != names.size())
    return {n.fail(ErrorKind::ValueError, "has " + std::to_string(n.numInputs()) + " inputs for " +
                                              std::to_string(names.size()) +
                                              " names in xs and zs")};
  auto named = [&](const std::string &name) {
    const OnnxValue *found = n.find(name);
    if (found && found->isTensor())
      return found->elements()[0];
    return n.fail(ErrorKind::ValueError, "'" + name + "' is no tensor that is computed before");
  };
  Variable y = named(yName);
  Replacements toLeaves, toInputs;
  Variables leaves;
  for (size_t k = 0; k < names.size() && n.status().ok(); ++k) {
    Variable from = named(names[k]), to = n.in(k);
    if (!n.status().ok())
      break;
    leaves.emplace_back(from.type(), names[k]);
    toLeaves.emplace_back(from, leaves.back());
    toInputs.emplace_back(leaves.back(), to);
  }
  if (n.status().ok() && y.rank() != 0)
    n.unsupported("the gradient of '" + yName + "', which is no scalar: " + y.type().brief());
  if (!n.status().ok())
    return {};
  auto cut = cloneReplace({y}, toLeaves);
  if (!cut.ok())
    return {Variable::invalid(cut.status())};
  leaves.resize(numX);
  GradOptions options;
  options.disconnectedInputs = DisconnectedInputs::Ignore;
  options.addNames = false;
  Variables gradients = grad((*cut)[0], leaves, options);
  for (const Variable &v : gradients)
    if (!v.ok())
      return {v};
  auto results = cloneReplace(gradients, toInputs);
  return results.ok() ? *results : Variables{Variable::invalid(results.status())};
}

} // namespace

absl::Span<const Translation> trainingTranslations() {
  static constexpr Translation kTable[] = {
      {"Adagrad", adagrad},
      {"Adam", adam},
      {"Gradient", gradient, 1, "of a scalar"},
      {"Momentum", momentum},
  };
  return kTable;
}

} // namespace graphc
