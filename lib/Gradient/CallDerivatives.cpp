//===- CallDerivatives.cpp - derivatives of OpFromGraphs -------------------===//
#include "CallDerivatives.h"

#include <algorithm>
#include <map>

#include "Backward.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/SmallIntegers.h"
#include "Ops/CallOp.h"
#include "Ops/Derivatives.h"
#include "Pushforward.h"
#include "Results.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

using detail::FrozenRule;
using detail::InnerGraph;

namespace {

/// What a derivative is taken for: made once for each.
struct Request {
  std::shared_ptr<const InnerGraph> inner;
  std::string name; // of the op, for people
  /// Of a pullback; else of a pushforward.
  bool isPullback;
  /// By output (pullback) or input (pushforward): a direction comes in there.
  std::vector<bool> comesIn = {};
  /// By input (pullback) or output (pushforward): it is wanted, not overridden.
  std::vector<bool> isWanted = {};
  /// The gradient of the only output comes with a mask.
  bool isMasked = false;

  std::string key() const {
    std::string text = isPullback ? isMasked ? "masked pullback " : "pullback " : "pushforward ";
    for (const std::vector<bool> *bits : {&comesIn, &isWanted}) {
      for (bool bit : *bits)
        text += bit ? '1' : '0';
      text += ' ';
    }
    return text;
  }
};

/// A derivative as an op.
struct Derived {
  std::optional<Op> op;
  /// What it is applied to: numbers of the node's inputs, then its outputs, then what comes in,
  /// then the mask.
  std::vector<size_t> operands;
  /// Zeros, or a Variable of type Null or Disconnected, where `position` is -1; else a result.
  struct Result {
    Variable otherwise;
    int position = -1, mask = -1;
    std::string nullWithin = {};
  };
  std::vector<Result> results;
};

/// A nest is derived from within: what is needed first and is not there yet is noted here, and the
/// one that needs it is taken up again afterwards. So nothing recurses.
thread_local std::vector<Request> *missing = nullptr;

/// `formals` stand for the operands of which Derived tells; `results` use some of them.
absl::StatusOr<std::shared_ptr<const Derived>>
derivedFrom(const Request &request, const Variables &formals, const Variables &results,
            const std::vector<std::optional<Variable>> &masks,
            const std::vector<std::string> &nullWithin) {
  auto derived = std::make_shared<Derived>();
  Variables outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    Derived::Result &result = derived->results.emplace_back();
    result.otherwise = results[i];
    if (i < nullWithin.size())
      result.nullWithin = nullWithin[i];
    if (!isPresent(results[i]))
      continue;
    result.otherwise = Variable();
    result.position = int(outputs.size());
    outputs.push_back(results[i]);
    if (i < masks.size() && masks[i]) {
      result.mask = int(outputs.size());
      outputs.push_back(*masks[i]);
    }
  }
  if (outputs.empty())
    return derived;
  Variables read = graphInputs(outputs, formals), used;
  absl::flat_hash_set<const detail::VariableNode *> isRead;
  for (const Variable &v : read)
    isRead.insert(v.node());
  for (const Variable &v : outputs)
    isRead.insert(v.node());
  for (size_t i = 0; i < formals.size(); ++i)
    if (isRead.contains(formals[i].node())) {
      used.push_back(formals[i]);
      derived->operands.push_back(i);
    }
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(used, outputs);
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  if (!frozen.ok())
    return frozen.status();
  absl::StatusOr<Op> op = detail::callOp(
      InnerGraph::intern(*std::move(frozen), {}, {.inlining = request.inner->traits().inlining}),
      request.name + (request.isPullback ? "_LOp" : "_rop"));
  if (!op.ok())
    return op.status();
  derived->op = *std::move(op);
  return derived;
}

/// What comes in may know fewer extents than the graph does, but for ones (F-019).
Type loose(const Type &type) {
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  for (int64_t &extent : shape)
    extent = extent == 1 ? 1 : kDynamic;
  return type.withShape(shape);
}

/// F-285: what the graph may overwrite its derivatives read, which may compute parts of it again:
/// it works on copies.
absl::Status keepInputs(InputsOutputs &of, absl::Span<const int> destroyMap) {
  Replacements copies;
  for (int destroyed : destroyMap)
    if (destroyed >= 0)
      copies.emplace_back(of.inputs[size_t(destroyed)], copy(of.inputs[size_t(destroyed)]));
  if (copies.empty())
    return absl::OkStatus();
  absl::StatusOr<Variables> outputs = cloneReplace(of.outputs, copies);
  if (!outputs.ok())
    return outputs.status();
  of.outputs = *std::move(outputs);
  return absl::OkStatus();
}

/// The inputs that a gradient is wanted for, by the outputs that it comes from: all that something
/// comes in at, but for those that the input is not connected to as the op's author says (F-261).
std::map<std::vector<bool>, std::vector<size_t>> inputsByOutputs(const Request &request) {
  const std::vector<std::vector<bool>> &connection = request.inner->traits().connection;
  std::map<std::vector<bool>, std::vector<size_t>> inputs;
  for (size_t i = 0; i < request.isWanted.size(); ++i) {
    if (!request.isWanted[i])
      continue;
    std::vector<bool> outputs = request.comesIn;
    for (size_t o = 0; o < outputs.size() && i < connection.size(); ++o)
      outputs[o] = outputs[o] && connection[i][o];
    inputs[outputs].push_back(i);
  }
  return inputs;
}

absl::StatusOr<std::shared_ptr<const Derived>> derive(const Request &request) {
  const FrozenGraph &graph = request.inner->graph();
  InputsOutputs copy = clone(graph.inputs(), graph.outputs());
  if (absl::Status status = keepInputs(copy, request.inner->traits().destroyMap); !status.ok())
    return status;
  Variables formals = copy.inputs, directions;
  // F-260: what the op computed is not computed again, but for what may be a shape, of whose
  // elements types are made.
  Replacements computed;
  absl::flat_hash_set<const detail::VariableNode *> known;
  for (const Variable &output : copy.outputs) {
    formals.emplace_back(output.type(), output.name());
    if (output.hasOwner() && !isSmallIntegers(output.type()) && known.insert(output.node()).second)
      computed.emplace_back(output, formals.back());
  }
  const Variables &from = request.isPullback ? copy.outputs : copy.inputs;
  for (size_t i = 0; i < from.size(); ++i) {
    formals.emplace_back(loose(gradientType(from[i])));
    if (request.comesIn[i])
      directions.push_back(formals.back());
  }
  Variables results;
  std::vector<std::optional<Variable>> masks;
  std::vector<std::string> nullWithin;
  if (request.isPullback) {
    std::optional<Variable> mask;
    if (request.isMasked) {
      formals.emplace_back(loose(copy.outputs[0].type().withDType(DType::Bool)));
      mask = formals.back();
    }
    results.assign(copy.inputs.size(), Variable(Type::disconnected()));
    masks.resize(copy.inputs.size());
    nullWithin.resize(copy.inputs.size());
    for (const auto &[outputs, inputs] : inputsByOutputs(request)) {
      std::vector<Backward::Start> starts;
      Variables wrt;
      auto next = directions.begin();
      for (size_t o = 0; o < from.size(); ++o) {
        if (outputs[o])
          starts.push_back({from[o], *next, /*isFinal=*/false, mask});
        next += request.comesIn[o];
      }
      for (size_t i : inputs)
        wrt.push_back(copy.inputs[i]);
      absl::StatusOr<Backward> walk = Backward::run(std::move(starts), wrt, {});
      if (!walk.ok())
        return walk.status();
      for (size_t i : inputs) {
        const Variable &v = copy.inputs[i];
        results[i] = walk->arrivedAt(v);
        const Arrived *arrived = walk->at(v);
        if (arrived && isPresent(results[i]))
          masks[i] = arrived->mask;
        if (isNull(results[i]))
          nullWithin[i] = walk->originOfNull(v);
      }
    }
  } else {
    Variables wrt;
    for (size_t i = 0; i < from.size(); ++i)
      if (request.comesIn[i])
        wrt.push_back(from[i]);
    absl::StatusOr<PushedForward> pushed = pushedForward(copy.outputs, wrt, directions);
    if (!pushed.ok())
      return pushed.status();
    results = std::move(pushed->tangents);
    nullWithin = std::move(pushed->nullWithin);
  }
  Variables tensors;
  for (size_t i = 0; i < results.size(); ++i)
    if (isPresent(results[i])) {
      tensors.push_back(results[i]);
      if (i < masks.size() && masks[i])
        tensors.push_back(*masks[i]);
    }
  absl::StatusOr<Variables> replaced = cloneReplace(tensors, computed);
  if (!replaced.ok())
    return replaced.status();
  auto next = replaced->begin();
  for (size_t i = 0; i < results.size(); ++i)
    if (isPresent(results[i])) {
      results[i] = *next++;
      if (i < masks.size() && masks[i])
        masks[i] = *next++;
    }
  return derivedFrom(request, formals, results, masks, nullWithin);
}

/// Made once. Null, with `missing` told, where another derivative has to be made first.
absl::StatusOr<std::shared_ptr<const Derived>> derivedFor(Request request) {
  auto known = [](const Request &r) { return r.inner->memo<Derived>(r.key()); };
  if (std::shared_ptr<const Derived> found = known(request))
    return found;
  if (missing) {
    missing->push_back(std::move(request));
    return std::shared_ptr<const Derived>();
  }
  std::vector<Request> stack = {request}, needed;
  missing = &needed;
  absl::Status status;
  while (!stack.empty() && status.ok()) {
    if (known(stack.back())) {
      stack.pop_back();
      continue;
    }
    needed.clear();
    absl::StatusOr<std::shared_ptr<const Derived>> made = derive(stack.back());
    if (!needed.empty())
      stack.insert(stack.end(), needed.begin(), needed.end());
    else if (made.ok())
      stack.back().inner->setMemo<Derived>(stack.back().key(), *std::move(made));
    else
      status = made.status();
  }
  missing = nullptr;
  if (!status.ok())
    return status;
  return known(request);
}

/// The op's results for the node that it is the derivative of, whose operands are `in`; where
/// `derived` is null, which ends the walk soon, nothing.
Variables applied(const Derived &derived, const Apply &node, const Variables &in,
                  const Variables &directions, const std::optional<Variable> &mask) {
  if (!derived.op)
    return {};
  size_t numOutputs = size_t(node.numOutputs());
  // Of the inputs, the outputs, the directions and the mask, in this order.
  auto actual = [&](size_t i) {
    if (i < in.size())
      return in[i];
    i -= in.size();
    if (i < numOutputs)
      return node.output(int(i));
    i -= numOutputs;
    return i < directions.size() ? directions[i] : *mask;
  };
  std::vector<Operand> operands;
  operands.reserve(derived.operands.size());
  for (size_t i : derived.operands)
    operands.emplace_back(actual(i));
  return derived.op->callAll(operands, node.place());
}

/// F-258: what comes in for an override; zeros where there is nothing.
Variables withZeros(const Variables &directions, absl::Span<const Variable> of) {
  Variables all;
  for (size_t i = 0; i < of.size(); ++i)
    all.push_back(isPresent(directions[i]) ? directions[i] : zerosFor(of[i]));
  return all;
}

/// The results of an override's graph; `in` are the node's operands.
Variables overridden(const FrozenRule &rule, const Apply &node, const Variables &in,
                     std::string_view suffix, Variables arguments) {
  if (!rule.graph)
    return {};
  for (int32_t input : rule.reads)
    arguments.push_back(in[size_t(input)]);
  absl::StatusOr<Op> op =
      detail::callOp(rule.graph, std::string(calledName(node.op())) + std::string(suffix));
  if (!op.ok())
    return {Variable::invalid(op.status())};
  // Directions may know fewer extents than the graph that the author gave (F-018).
  Variables inputs = rule.graph->graph().inputs();
  std::vector<Operand> operands;
  for (size_t i = 0; i < arguments.size(); ++i)
    operands.emplace_back(filterVariable(inputs[i].type(), arguments[i]));
  return op->callAll(operands, node.place());
}

Variable resultOf(const FrozenRule::Entry &entry, const Variables &results) {
  switch (entry.kind) {
  case FrozenRule::Kind::Null:
    return Variable(Type::null(entry.reason));
  case FrozenRule::Kind::Graph:
    return results.size() == 1 && !results[0].ok() ? results[0] : results[size_t(entry.output)];
  case FrozenRule::Kind::Default:
  case FrozenRule::Kind::Disconnected:
    break;
  }
  return Variable(Type::disconnected());
}

/// What an override gives has the rank of `v`; its extents are those of `v`, or 1.
Variable shapedLike(const Variable &v, const Variable &given) {
  if (!isPresent(given) || (v.type().hasStaticShape() && v.type().shape() == given.type().shape()))
    return given;
  return second(v, given);
}

bool isDefault(const FrozenRule &rule, size_t i) {
  return i >= rule.entries.size() || rule.entries[i].kind == FrozenRule::Kind::Default;
}

} // namespace

bool isOverridden(const Op &op) { return !op.def().inner->traits().pullback.entries.empty(); }

absl::StatusOr<PulledBack> pullCall(const Apply &node, const Variables &gradients,
                                    const std::optional<Variable> &mask) {
  const std::shared_ptr<const InnerGraph> &inner = node.op().def().inner;
  const FrozenRule &rule = inner->traits().pullback;
  const Variables in = operandsOf(node);
  const size_t numInputs = in.size();
  static const Variable &none = *new Variable(Type::disconnected()); // immutable
  PulledBack pulled{Variables(numInputs, none), std::vector<std::optional<Variable>>(numInputs),
                    std::vector<std::string>(numInputs)};
  Request request{inner, std::string(calledName(node.op())), /*isPullback=*/true};
  request.comesIn.resize(gradients.size());
  for (size_t o = 0; o < gradients.size(); ++o)
    request.comesIn[o] = isPresent(gradients[o]);
  request.isWanted.resize(numInputs);
  for (size_t i = 0; i < numInputs; ++i)
    request.isWanted[i] = isDefault(rule, i);
  request.isMasked = mask.has_value();
  if (std::ranges::count(request.isWanted, true) > 0) {
    absl::StatusOr<std::shared_ptr<const Derived>> derived = derivedFor(std::move(request));
    if (!derived.ok())
      return derived.status();
    if (!*derived)
      return pulled;
    Variables results = applied(**derived, node, in, gradients, mask);
    for (size_t i = 0; i < numInputs; ++i) {
      const Derived::Result &result = (*derived)->results[i];
      pulled.terms[i] = result.position < 0 ? result.otherwise : results[size_t(result.position)];
      if (result.mask >= 0)
        pulled.masks[i] = results[size_t(result.mask)];
      pulled.nullWithin[i] = result.nullWithin;
    }
  }
  Variables arguments;
  if (rule.graph) {
    arguments.assign(in.begin(), in.begin() + inner->numExplicit());
    for (const Variable &v : node.outputs())
      arguments.push_back(v);
    for (const Variable &g : withZeros(gradients, node.outputs()))
      arguments.push_back(g);
  }
  Variables results = overridden(rule, node, in, "_LOp", std::move(arguments));
  for (size_t i = 0; i < rule.entries.size(); ++i)
    if (!isDefault(rule, i))
      pulled.terms[i] = shapedLike(in[i], resultOf(rule.entries[i], results));
  // A connection that was given goes before what the graph says.
  const auto ever = neededInputs(node, [](int) { return true; });
  for (size_t i = 0; i < numInputs; ++i) {
    if (!ever[i])
      pulled.terms[i] = Variable(Type::disconnected());
    else if (pulled.terms[i].type().kind() == Type::Kind::Disconnected)
      pulled.terms[i] = zeroDerivative();
  }
  return pulled;
}

/// Whether the op's author says that an output depends on less than the graph does.
static bool saysConnection(const detail::InnerTraits &traits) {
  return !traits.connection.empty() ||
         std::ranges::count(traits.pullback.entries, FrozenRule::Kind::Disconnected,
                            &FrozenRule::Entry::kind) > 0;
}

absl::StatusOr<PushedForward> pushCall(const Apply &node, const Variables &tangents) {
  const std::shared_ptr<const InnerGraph> &inner = node.op().def().inner;
  const FrozenRule &rule = inner->traits().pushforward;
  const Variables in = operandsOf(node);
  size_t numOutputs = size_t(node.numOutputs());
  PushedForward all(Variables(numOutputs, Variable(Type::disconnected())));
  Variables &pushed = all.tangents;
  bool isOverridden = false, reachesOverride = false;
  for (size_t o = 0; o < numOutputs; ++o)
    isOverridden |= !isDefault(rule, o);
  size_t numExplicit = size_t(inner->numExplicit());
  for (size_t i = 0; i < numExplicit; ++i)
    reachesOverride |= !isDisconnected(tangents[i]);

  // What the graph's own derivative is asked for: by the tangents that come in, the outputs. An
  // override tells what becomes of the inputs' tangents. It does not know of captured shared
  // variables, for which the graph's derivative holds as it does in a pullback.
  const bool isSaid = saysConnection(inner->traits());
  const detail::Dependence &dependence = inner->dependence();
  std::map<std::vector<bool>, std::vector<bool>> wanted;
  std::map<std::pair<bool, int>, std::vector<bool> *> known; // for outputs that ask for the same
  for (size_t o = 0; o < numOutputs; ++o) {
    auto [found, isNew] =
        known.try_emplace({isDefault(rule, o), isSaid ? dependence.which(int(o)) : 0});
    if (isNew) {
      std::vector<bool> comesIn(tangents.size());
      for (size_t i = 0; i < tangents.size(); ++i)
        comesIn[i] = isPresent(tangents[i]) && (isDefault(rule, o) || i >= numExplicit) &&
                     (!isSaid || dependence.has(int(i), int(o)));
      if (std::ranges::count(comesIn, true) > 0) {
        found->second = &wanted[comesIn];
        found->second->resize(numOutputs);
      }
    }
    if (found->second)
      (*found->second)[o] = true;
  }
  Request request{inner, std::string(calledName(node.op())), /*isPullback=*/false};
  for (auto &[comesIn, outputs] : wanted) {
    request.comesIn = comesIn;
    request.isWanted = outputs;
    absl::StatusOr<std::shared_ptr<const Derived>> derived = derivedFor(request);
    if (!derived.ok())
      return derived.status();
    if (!*derived)
      return all;
    Variables results = applied(**derived, node, in, tangents, std::nullopt);
    for (size_t o = 0; o < numOutputs; ++o) {
      const Derived::Result &result = (*derived)->results[o];
      if (!outputs[o])
        continue;
      pushed[o] = result.position < 0 ? result.otherwise : results[size_t(result.position)];
      all.nullWithin[o] = result.nullWithin;
    }
  }
  if (!isOverridden || !reachesOverride)
    return all;
  Variables arguments;
  if (rule.graph) {
    arguments.assign(in.begin(), in.begin() + ptrdiff_t(numExplicit));
    for (const Variable &t : withZeros(tangents, Variables(arguments)))
      arguments.push_back(t);
  }
  Variables results = overridden(rule, node, in, "_rop", std::move(arguments));
  for (size_t o = 0; o < rule.entries.size(); ++o) {
    if (isDefault(rule, o))
      continue;
    Variable given = shapedLike(node.output(int(o)), resultOf(rule.entries[o], results));
    if (isNull(pushed[o])) // that of a captured shared variable
      continue;
    if (isPresent(pushed[o]) && isPresent(given))
      pushed[o] = pushed[o] + given;
    else if (!isPresent(pushed[o]) || isNull(given))
      pushed[o] = given;
  }
  return all;
}

} // namespace graphc
