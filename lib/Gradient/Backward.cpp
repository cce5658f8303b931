//===- Backward.cpp - reverse mode -----------------------------------------===//
#include "Backward.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "CallDerivatives.h"
#include "ComplexDerivatives.h"
#include "Graph/AttributeReads.h"
#include "Graph/CalledAs.h"
#include "Graph/PartsOf.h"
#include "Graph/PlaceScope.h"
#include "Masks.h"
#include "Ops/Build.h"
#include "Ops/Derivatives.h"
#include "Results.h"
#include "Support/Text.h"
#include "Vectorize.h"
#include "graphc/Config.h"
#include "graphc/ControlFlow.h"

namespace graphc {

DType gradientDType(const Variable &v) {
  return isDifferentiable(v.dtype()) ? v.dtype() : floatX();
}
Type gradientType(const Variable &v) { return v.type().withDType(gradientDType(v)); }

void Arrived::add(const Variable &term, const std::optional<Variable> &maskOfTerm) {
  if (terms.empty())
    mask = maskOfTerm;
  else if (mask && maskOfTerm)
    mask = logicalOr(*mask, *maskOfTerm);
  else
    mask = std::nullopt;
  terms.push_back(term);
}

/// The sum of several terms, which takes their place.
static const Variable &sumOf(Variables &terms) {
  if (terms.size() > 1)
    terms = {build(builtin("add"), std::vector<Operand>(terms.begin(), terms.end()))};
  return terms[0];
}

absl::StatusOr<Backward> Backward::run(std::vector<Start> starts, const Variables &wrt,
                                       const Variables &considerConstant) {
  Backward walk;
  Variables ends;
  for (Start &start : starts) {
    ends.push_back(start.of);
    Arrived &arrived = walk.arrived_[start.of.node()];
    arrived.isFinal = start.isFinal;
    if (isDisconnected(start.gradient))
      continue;
    arrived.isConnected = true;
    arrived.mask = start.mask;
    if (isNull(start.gradient))
      arrived.null = start.gradient.type().reason();
    else if (isPresent(start.gradient))
      arrived.terms.push_back(start.gradient);
  }
  walk.order_ = ioToposort(considerConstant, ends);
  if (std::ranges::any_of(walk.order_, isIfElse)) {
    ends.insert(ends.end(), wrt.begin(), wrt.end());
    walk.branches_ = Branches(walk.order_, ends);
  }
  walk.arrived_.reserve(walk.order_.size() + wrt.size());
  Connection wanted(walk.order_, wrt);
  for (size_t i = walk.order_.size(); i-- > 0;)
    if (absl::Status status = walk.visit(walk.order_[i], wanted); !status.ok())
      return status;
  for (const Variable &v : wrt)
    walk.leaveBranches(v);
  return walk;
}

void Backward::leaveBranches(const Variable &v) {
  auto found = arrived_.find(v.node());
  if (found == arrived_.end() || found->second.within.empty())
    return;
  Arrived &arrived = found->second;
  std::map<int, std::vector<Arrived::Within>, std::greater<>> byDepth; // the innermost first
  for (Arrived::Within &within : std::exchange(arrived.within, {}))
    byDepth[within.branch->depth].push_back(std::move(within));
  const Branch *own = branches_.of(v);
  while (!byDepth.empty()) {
    struct Choice {
      const Branch *branch; // one of both
      Arrived sides[2];
    };
    std::vector<Choice> choices;
    absl::flat_hash_map<std::pair<const Branch *, const detail::VariableNode *>, size_t> known;
    for (const Arrived::Within &within : byDepth.begin()->second) {
      const Branch *branch = within.branch;
      auto [at, isNew] =
          known.try_emplace({branch->outer, branch->condition.node()}, choices.size());
      if (isNew)
        choices.push_back({branch, {}});
      choices[at->second].sides[branch->operand - 1].add(within.term, within.mask);
    }
    byDepth.erase(byDepth.begin());
    for (Choice &choice : choices) {
      auto both = [&](auto &&part) {
        return ifElse(choice.branch->condition, part(choice.sides[0]), part(choice.sides[1]));
      };
      Variable term =
          both([&](Arrived &side) { return side.terms.empty() ? zerosFor(v) : sumOf(side.terms); });
      std::optional<Variable> mask;
      if (std::ranges::any_of(choice.sides,
                              [](const Arrived &side) { return side.terms.empty() || side.mask; }))
        mask = both([&](const Arrived &side) {
          Variable none = cast(zerosLike(v), DType::Bool);
          return side.terms.empty() ? none : side.mask ? *side.mask : logicalNot(none);
        });
      const Branch *outer = choice.branch->outer;
      if (outer == own)
        arrived.add(term, mask);
      else
        byDepth[outer->depth].push_back({outer, term, mask});
    }
  }
}

const Arrived *Backward::at(const Variable &v) const {
  auto found = arrived_.find(v.node());
  return found == arrived_.end() ? nullptr : &found->second;
}

std::optional<Variable> Backward::sum(const Variable &v) {
  auto found = arrived_.find(v.node());
  if (found == arrived_.end() || found->second.terms.empty())
    return std::nullopt;
  return sumOf(found->second.terms);
}

Variable Backward::arrivedAt(const Variable &v) {
  const Arrived *arrived = at(v);
  if (!arrived || !arrived->isConnected)
    return Variable(Type::disconnected());
  if (arrived->null)
    return Variable(Type::null(*arrived->null));
  return sum(v).value_or(zeroDerivative());
}

const Arrived *Backward::beforeNull(const Arrived &arrived) const {
  for (int o = 0; o < arrived.nullFrom.numOutputs(); ++o)
    if (const Arrived *output = at(arrived.nullFrom.output(o)); output && output->null)
      return output;
  return nullptr;
}

std::string Backward::originOfNull(const Variable &v) const {
  const Arrived *arrived = at(v);
  while (arrived && arrived->nullFrom) {
    const Arrived *before = beforeNull(*arrived);
    if (!before) {
      std::string name = calledAt(arrived->nullFrom);
      return arrived->nullWithin.empty() ? name : nested(name, arrived->nullWithin);
    }
    arrived = before;
  }
  return "";
}

/// An error of a derivative's rule, at the node.
static absl::Status refuse(const Apply &node, ErrorKind kind, const std::string &what) {
  return makeError(kind, "the pullback of " + calledText(node.op()) + " " + what, node.place());
}

Variables operandsOf(const Apply &node) {
  Variables in = node.inputs();
  for (int destroyed : node.op().def().destroyMap)
    if (destroyed >= 0 && size_t(destroyed) < in.size())
      in[size_t(destroyed)] = copy(in[size_t(destroyed)]);
  return in;
}

absl::Status Backward::visit(const Apply &node, const Connection &wanted) {
  const Op &op = node.op();
  const size_t numInputs = size_t(node.numInputs());
  const Variables outputs = node.outputs();
  PlaceScope scope(node.place());
  for (const Variable &output : outputs)
    leaveBranches(output);

  // Gradients of the outputs; which inputs something flows to, and whether it is Null.
  static const Variable &none = *new Variable(Type::disconnected()); // rules only look at it
  Variables gradients(outputs.size(), none);
  bool hasGradient = false, isWanted = false;
  std::optional<std::string> reason;
  auto inputsFrom = [&](bool isNull) { // of outputs that something, or Null, arrived at
    return neededInputs(node, [&](int o) {
      const Arrived *arrived = at(outputs[size_t(o)]);
      return arrived && arrived->isConnected && arrived->null.has_value() == isNull;
    });
  };
  bool anyNull = std::ranges::any_of(outputs, [&](const Variable &output) {
    const Arrived *arrived = at(output);
    return arrived && arrived->null;
  });
  auto flows = inputsFrom(false), nulls = anyNull ? inputsFrom(true) : decltype(flows)(numInputs);
  for (size_t i = 0; i < numInputs; ++i) {
    bool depends = (flows[i] || nulls[i]) && wanted.depends(node.input(int(i)));
    flows[i] = flows[i] && depends;
    nulls[i] = nulls[i] && depends;
    isWanted |= depends;
  }
  if (!isWanted)
    return absl::OkStatus();
  for (size_t o = 0; o < outputs.size(); ++o) {
    const Arrived *arrived = at(outputs[o]);
    if (!arrived || !arrived->isConnected)
      continue;
    if (arrived->null) {
      reason = arrived->null;
    } else if (isDifferentiable(outputs[o].dtype())) { // F-272: others stop the flow
      if (std::optional<Variable> g = sum(outputs[o])) {
        gradients[o] = g->dtype() == outputs[o].dtype() ? *g : cast(*g, outputs[o].dtype());
        hasGradient = true;
      }
    }
  }
  for (size_t i = 0; i < numInputs; ++i) {
    if (!flows[i] && !nulls[i])
      continue;
    Arrived &arrived = arrived_[node.input(int(i)).node()];
    if (arrived.isFinal)
      continue;
    arrived.isConnected = true;
    if (nulls[i] && !arrived.null) {
      arrived.null = *reason;
      arrived.nullFrom = node;
    }
  }
  // F-254: overrides replace what the chain rule gives, be it zero.
  const bool isCall = op.def().inner != nullptr;
  if (!hasGradient && !(isCall && isOverridden(op)))
    return absl::OkStatus();

  const Arrived *first = at(outputs[0]);
  std::optional<Variable> mask = outputs.size() == 1 && first ? first->mask : std::nullopt;
  const PullbackRule &rule = op.def().pullback;
  const Branch *where = branches_.of(node);
  const bool chooses = isIfElse(node) && !Branches::isDeepest(where);
  AttributeReads reads;
  Variables terms;
  std::vector<std::optional<Variable>> masks;
  std::vector<std::string> nullWithin; // of calls and of slices
  if (isCall || op.def().vectorized) {
    absl::StatusOr<PulledBack> pulled =
        isCall ? pullCall(node, gradients, mask)
               : pullVectorized(*op.def().vectorized, operandsOf(node), outputs, gradients);
    if (!pulled.ok())
      return pulled.status();
    terms = std::move(pulled->terms);
    masks = std::move(pulled->masks);
    nullWithin = std::move(pulled->nullWithin);
  } else if (chooses) {
    terms = {Variable(Type::disconnected()), gradients[0], gradients[0]};
  } else if (worksByParts(node)) {
    absl::StatusOr<Variables> pulled = pullComplex(node, operandsOf(node), gradients);
    if (!pulled.ok())
      return pulled.status();
    terms = *std::move(pulled);
  } else if (rule) {
    terms = rule(op, operandsOf(node), outputs, gradients);
    if (terms.size() != numInputs)
      return refuse(node, ErrorKind::ValueError,
                    "gives " + counted(terms.size(), "gradient") + " for " +
                        counted(numInputs, "operand"));
  }
  if (reads.failed())
    return refuse(node, ErrorKind::Internal, reads.mistake());
  const bool checksTerms = !isCall && !terms.empty() && !op.def().connection.empty();
  detail::Dependence::Choice ever;
  if (checksTerms)
    ever = neededInputs(node, [](int) { return true; });
  for (size_t i = 0; i < numInputs; ++i) {
    if (checksTerms && !ever[i] && terms[i].ok() && !isDisconnected(terms[i]))
      return refuse(node, ErrorKind::TypeError,
                    "gives a gradient for operand " + std::to_string(i) +
                        ", which no result depends on as the op's connection says: give a "
                        "Variable of type Disconnected, or correct the connection");
    if (!flows[i] || nulls[i])
      continue;
    // A rule that computes with the gradient of a result that has none: the op is to be told.
    if (!terms.empty() && !terms[i].ok() && !isCall &&
        std::ranges::any_of(gradients, isDisconnected))
      return refuse(node, errorKind(terms[i].status()),
                    "fails where a result has no gradient (ask isDisconnected): " +
                        std::string(terms[i].status().message()));
    Variable term = !terms.empty()
                        ? terms[i]
                        : Variable(Type::null("the op " + std::string(calledName(op)) +
                                              " has no pullback; operand " + std::to_string(i)));
    std::optional<Variable> here;
    if (isCall) { // the terms are masked already
      here = masks[i];
    } else if (chooses) { // in the branch, which is taken there
      here = mask;
      const Variable input = node.input(int(i));
      term = extentsMistake(term, input).empty()
                 ? filterVariable(input.type().withDType(term.dtype()), term)
                 : zeroDerivative(); // the result is known to be the other branch's
    } else if (isPresent(term)) {
      here = maskOfInput(node, int(i), mask);
      if (mask && here && !(term == *sum(outputs[0])))
        term = masked(term, *here);
    }
    if (absl::Status status = add(node, int(i), term, here, nullWithin.empty() ? "" : nullWithin[i],
                                  chooses ? branches_.into(where, node, int(i)) : where);
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// `here` is the mask of `term`.
absl::Status Backward::add(const Apply &node, int i, Variable term, std::optional<Variable> here,
                           std::string nullWithin, const Branch *where) {
  const Variable input = node.input(i);
  if (!term.ok())
    return withPlace(term.status(), node.place());
  if (isDisconnected(term))
    return refuse(node, ErrorKind::TypeError,
                  "says that operand " + std::to_string(i) +
                      " is disconnected, but the op's connection says that a result depends on "
                      "it: give constant(0.0) for zeros, or correct the connection");
  if (isNull(term)) {
    Arrived &arrived = arrived_[input.node()];
    if (!arrived.isFinal && !arrived.null) {
      arrived.null = term.type().reason();
      arrived.nullFrom = node;
      arrived.nullWithin = std::move(nullWithin);
    }
    return absl::OkStatus();
  }
  if (isZeroDerivative(term) && (input.rank() != 0 || term.isConstant()))
    return absl::OkStatus();

  if (isComplex(term.dtype()) && !isComplex(input.dtype()))
    term = real(term); // of a real operand, the part along the real axis
  bool isElementwise = node.op().def().elements == Elements::Elementwise;
  if (isElementwise) {
    term = unbroadcast(term, input);
    if (here)
      here = unbroadcast(*here, input);
  }
  if (term.rank() != input.rank() || !isDifferentiable(term.dtype()))
    return refuse(node, ErrorKind::TypeError,
                  "gives " + term.type().brief() + " for operand " + std::to_string(i) + ", " +
                      input.type().brief() + ": a gradient is a float array of the same rank");
  if (std::string mistake = extentsMistake(term, input); !mistake.empty())
    return refuse(node, ErrorKind::ShapeError,
                  "gives " + term.type().brief() + " for operand " + std::to_string(i) + ", " +
                      input.type().brief() + mistake + ": a gradient has its operand's extents");
  term = checkedAsOfUser(term, input, node.op(), "pullback");
  if (DType dtype = gradientDType(input); term.dtype() != dtype)
    term = cast(term, dtype);
  term = withOnesOf(term, input);
  if (here) // what takes it further broadcasts it where it broadcasts the input
    here = withOnesOf(*here, input);

  Arrived &arrived = arrived_[input.node()];
  if (arrived.isFinal)
    return absl::OkStatus();
  if (where == branches_.of(input))
    arrived.add(term, here);
  else
    arrived.within.push_back({where, term, here});
  return absl::OkStatus();
}

} // namespace graphc
