//===- Vectorize.cpp - a graph for each slice of its operands --------------===//
//
// The op is detail::vectorizedOp; its derivatives are the inner graph's, vectorized.
//
//===----------------------------------------------------------------------===//
#include "Vectorize.h"

#include <algorithm>

#include "Backward.h"
#include "Graph/Branches.h"
#include "Graph/InnerGraph.h"
#include "Graph/PlaceScope.h"
#include "Ops/CallOp.h"
#include "Ops/Derivatives.h"
#include "Pushforward.h"
#include "Results.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/ControlFlow.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Ops.h"

namespace graphc {

using detail::InnerGraph;

namespace {

bool isSlice(const InnerGraph &inner, size_t input) {
  return input < size_t(inner.traits().numSlices);
}

//===--- derivatives ------------------------------------------------------------===//

/// The inner graph as one of its own, over fresh Variables for slices and the operands themselves.
struct Opened {
  Variables inputs, outputs;
  Replacements batched;
};

absl::StatusOr<Opened> open(const InnerGraph &inner, Inputs in) {
  InputsOutputs copy = clone(inner.graph().inputs(), inner.graph().outputs());
  Opened opened;
  Replacements shared;
  for (size_t i = 0; i < in.size(); ++i) {
    opened.inputs.push_back(copy.inputs[i]);
    if (isSlice(inner, i)) {
      opened.batched.emplace_back(copy.inputs[i], in[i]);
    } else {
      // An operand may be several inputs: each is differentiated on its own.
      opened.inputs.back() = identity(in[i]);
      shared.emplace_back(copy.inputs[i], opened.inputs.back());
    }
  }
  absl::StatusOr<Variables> outputs = cloneReplace(copy.outputs, shared);
  if (!outputs.ok())
    return outputs.status();
  opened.outputs = *std::move(outputs);
  return opened;
}

} // namespace

absl::StatusOr<PulledBack> pullVectorized(const InnerGraph &inner, Inputs in, Outputs out,
                                          Gradients g) {
  absl::StatusOr<Opened> opened = open(inner, in);
  if (!opened.ok())
    return opened.status();
  std::vector<Backward::Start> starts;
  Replacements batched = opened->batched;
  for (size_t o = 0; o < out.size(); ++o) {
    if (!g[o].type().isTensor())
      continue;
    Variable cotangent(gradientType(opened->outputs[o]));
    starts.push_back({opened->outputs[o], cotangent, /*isFinal=*/false});
    batched.emplace_back(cotangent, g[o]);
  }
  Variables ends(in.begin(), in.end());
  absl::StatusOr<Backward> walk = Backward::run(std::move(starts), opened->inputs, ends);
  if (!walk.ok())
    return walk.status();
  PulledBack pulled;
  Variables &results = pulled.terms, present;
  for (const Variable &input : opened->inputs) {
    results.push_back(walk->arrivedAt(input));
    pulled.nullWithin.push_back(isNull(results.back()) ? walk->originOfNull(input) : "");
    if (isPresent(results.back()))
      present.push_back(results.back());
  }
  Variables whole = vectorize(present, batched);
  auto next = whole.begin();
  for (size_t i = 0; i < in.size(); ++i)
    if (isPresent(results[i])) {
      Variable gradient = *next++;
      results[i] = isSlice(inner, i) ? gradient : sum(gradient, Axis(0));
    }
  return pulled;
}

absl::StatusOr<PushedForward> pushVectorized(const InnerGraph &inner, Inputs in, Tangents t) {
  absl::StatusOr<Opened> opened = open(inner, in);
  if (!opened.ok())
    return opened.status();
  Variables wrt, tangents;
  Replacements batched = opened->batched;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!isPresent(t[i]))
      continue;
    wrt.push_back(opened->inputs[i]);
    tangents.push_back(t[i]);
    if (isSlice(inner, i)) {
      tangents.back() = Variable(gradientType(opened->inputs[i]));
      batched.emplace_back(tangents.back(), t[i]);
    }
  }
  absl::StatusOr<PushedForward> pushed = pushedForward(opened->outputs, wrt, tangents);
  if (!pushed.ok())
    return pushed.status();
  Variables &results = pushed->tangents, present;
  for (const Variable &result : results)
    if (isPresent(result))
      present.push_back(result);
  Variables whole = vectorize(present, batched);
  auto next = whole.begin();
  for (Variable &result : results)
    if (isPresent(result))
      result = *next++;
  return pushed;
}

namespace {

/// `graph`, a copy that was cut out, made such that its types follow from those of its inputs. What
/// was known from the values of a shape, which is an input now, is said by specifyShape: where type
/// rules run again it would be lost, and what broadcasts by its type no longer would.
absl::StatusOr<InputsOutputs> withTypesSaid(const InputsOutputs &graph) {
  InputsOutputs result = clone(graph.inputs, {}); // rules run again for other Variables only
  absl::flat_hash_map<const detail::VariableNode *, Variable> made;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    made.emplace(graph.inputs[i].node(), result.inputs[i]);
  auto madeOf = [&](const Variable &v) {
    auto found = made.find(v.node());
    return found == made.end() ? v : found->second; // a constant
  };
  for (const Apply &node : ioToposort(graph.inputs, graph.outputs)) {
    Variables in;
    for (const Variable &v : node.inputs())
      in.push_back(madeOf(v));
    absl::StatusOr<Apply> fresh = node.cloneWithNewInputs(in, /*strict=*/false);
    if (!fresh.ok())
      return fresh.status();
    PlaceScope scope(node.place());
    for (const Variable &v : node.outputs())
      made.emplace(v.node(), filterVariable(v.type(), fresh->output(v.index())));
  }
  for (const Variable &v : graph.outputs)
    result.outputs.push_back(madeOf(v));
  return result;
}

/// The nodes that depend on `slices`, as a graph of its own, and what else it reads.
absl::StatusOr<std::pair<Op, Variables>> cutOut(const Variables &slices, const Variables &outputs) {
  absl::flat_hash_set<const detail::VariableNode *> inside, known;
  for (const Variable &slice : slices) {
    inside.insert(slice.node());
    known.insert(slice.node());
  }
  Variables others;
  auto read = [&](const Variable &v) {
    if (!inside.contains(v.node()) && !v.isConstant() && known.insert(v.node()).second)
      others.push_back(v);
  };
  for (const Apply &node : ioToposort(slices, outputs)) {
    Variables in = node.inputs();
    if (!std::ranges::any_of(in, [&](const Variable &v) { return inside.contains(v.node()); }))
      continue;
    for (const Variable &v : node.outputs())
      inside.insert(v.node());
    for (const Variable &v : in)
      read(v);
  }
  for (const Variable &output : outputs)
    read(output);
  Variables inputs = slices;
  inputs.insert(inputs.end(), others.begin(), others.end());
  absl::StatusOr<InputsOutputs> copy = withTypesSaid(clone(inputs, outputs));
  if (!copy.ok())
    return copy.status();
  absl::StatusOr<FunctionGraph> graph =
      FunctionGraph::create(copy->inputs, copy->outputs, {.clone = false});
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  if (!frozen.ok())
    return frozen.status();
  absl::StatusOr<Op> op = detail::vectorizedOp(
      InnerGraph::intern(*std::move(frozen), {}, {.numSlices = int(slices.size())}));
  if (!op.ok())
    return op.status();
  return std::pair(*std::move(op), std::move(others));
}

/// Variables that stand for slices, and what has all of these.
struct Batched {
  Variables slices, wholes;
  void add(const Variable &slice, const Variable &whole) {
    slices.push_back(slice);
    wholes.push_back(filterVariable(detail::withAxis(slice.type(), whole.type().extent(0)), whole));
  }
};

/// An op that computes the outputs for each slice.
absl::StatusOr<Variables> together(const Variables &outputs, const Batched &batched, Place place) {
  absl::StatusOr<std::pair<Op, Variables>> cut = cutOut(batched.slices, outputs);
  if (!cut.ok())
    return cut.status();
  std::vector<Operand> operands(batched.wholes.begin(), batched.wholes.end());
  operands.insert(operands.end(), cut->second.begin(), cut->second.end());
  absl::StatusOr<Apply> node = cut->first.makeNode(operands, place);
  return node.ok() ? absl::StatusOr<Variables>(node->outputs()) : node.status();
}

/// ifElses whose condition is the same for all slices, and what can be computed before them.
struct ChoiceStage {
  std::vector<Apply> choices;
  Variables before;

  ChoiceStage(const Variables &outputs, const Variables &slices) {
    absl::flat_hash_set<const detail::VariableNode *> inside, after, early, taken;
    for (const Variable &slice : slices)
      inside.insert(slice.node());
    auto isIn = [](const auto &set) {
      return [&set](const Variable &v) { return set.contains(v.node()); };
    };
    std::vector<Apply> order = ioToposort(slices, outputs);
    if (std::ranges::none_of(order, isIfElse))
      return;
    Branches branches(order, outputs);
    auto take = [&](const Variable &v) {
      if (early.contains(v.node()) && taken.insert(v.node()).second)
        before.push_back(v);
    };
    for (const Apply &node : order) {
      Variables in = node.inputs(), out = node.outputs();
      if (std::ranges::none_of(in, isIn(inside)))
        continue;
      const bool isAfter = std::ranges::any_of(in, isIn(after));
      const Branch *branch = branches.outermostOf(node);
      const bool isChoice = !branch && isIfElse(node) && !inside.contains(in[0].node());
      const bool isWithin = branch && !inside.contains(branch->condition.node());
      if (isChoice && !isAfter)
        choices.push_back(node);
      const bool isEarly = !isAfter && !isChoice && !isWithin;
      if (!isEarly)
        std::ranges::for_each(in, take);
      for (const Variable &v : out) {
        inside.insert(v.node());
        if (isAfter || isChoice)
          after.insert(v.node());
        else if (isEarly)
          early.insert(v.node());
      }
    }
    std::ranges::for_each(outputs, take);
  }
};

constexpr int kMostStages = 64;

/// The outputs for each slice. What only one branch of an ifElse needs, whose condition is the same
/// for all slices, is an op of its own, so that it runs where it is taken alone (F-330).
absl::StatusOr<Variables> batchedOutputs(const Variables &outputs, Batched batched, Place place,
                                         int depth) {
  for (int stages = 0; depth < kMostStages && stages < kMostStages; ++stages) {
    ChoiceStage stage(outputs, batched.slices);
    if (stage.choices.empty())
      break;
    auto addAll = [&](const Variables &of, const Variables &wholes) {
      for (size_t i = 0; i < of.size(); ++i)
        batched.add(of[i], wholes[i]);
    };
    if (!stage.before.empty()) {
      absl::StatusOr<Variables> early = together(stage.before, batched, place);
      if (!early.ok())
        return early.status();
      addAll(stage.before, *early);
    }
    while (!stage.choices.empty()) { // those of one condition
      const Variable condition = stage.choices[0].input(0);
      Variables chosen, sides[2];
      for (const Apply &node : stage.choices)
        if (node.input(0) == condition) {
          chosen.push_back(node.output(0));
          sides[0].push_back(node.input(1));
          sides[1].push_back(node.input(2));
        }
      std::erase_if(stage.choices, [&](const Apply &n) { return n.input(0) == condition; });
      for (Variables &side : sides) {
        absl::StatusOr<Variables> wholes = batchedOutputs(side, batched, place, depth + 1);
        if (!wholes.ok())
          return wholes.status();
        side = *std::move(wholes);
      }
      addAll(chosen, ifElse(condition, sides[0], sides[1]));
    }
  }
  // Some are there by now.
  Variables rest, results(outputs.size());
  absl::flat_hash_map<const detail::VariableNode *, Variable> known;
  for (size_t i = 0; i < batched.slices.size(); ++i)
    known.emplace(batched.slices[i].node(), batched.wholes[i]);
  for (const Variable &output : outputs)
    if (!known.contains(output.node()))
      rest.push_back(output);
  absl::StatusOr<Variables> made = Variables();
  if (!rest.empty())
    made = together(rest, batched, place);
  if (!made.ok())
    return made;
  auto next = made->begin();
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto at = known.find(outputs[i].node());
    results[i] = at == known.end() ? *next++ : at->second;
  }
  return results;
}

} // namespace

Variables vectorize(const Variables &outputs, const Replacements &batched,
                    std::source_location loc) {
  if (outputs.empty())
    return {};
  PlaceScope scope(loc);
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return failed(outputs.size(), makeError(kind, "vectorize: " + what, loc));
  };
  if (batched.empty())
    return fail(ErrorKind::ValueError, "there is nothing to vectorize over");
  for (const Variable &v : outputs)
    if (!v.ok())
      return failed(outputs.size(), v.status());
  Batched all;
  absl::flat_hash_set<const detail::VariableNode *> known;
  for (const auto &[slice, whole] : batched) {
    if (!slice.ok() || !whole.ok())
      return failed(outputs.size(), slice.ok() ? whole.status() : slice.status());
    if (slice.isConstant())
      return fail(ErrorKind::TypeError, called(slice) + ", " + slice.type().brief() +
                                            ", is a constant, in whose place nothing can stand: "
                                            "make it an input of the graph");
    if (!known.insert(slice.node()).second)
      return fail(ErrorKind::ValueError, called(slice) + ", " + slice.type().brief() +
                                             ", is there twice: one array stands for it; take "
                                             "another Variable for the second one");
    for (const Variable &v : {slice, whole})
      if (!v.type().isTensor())
        return fail(ErrorKind::TypeError, called(v) + " is " + v.type().brief() + ", no array");
    Type wanted = detail::withAxis(slice.type(), whole.type().extent(0));
    if (whole.rank() != wanted.rank() || whole.dtype() != wanted.dtype())
      return fail(ErrorKind::TypeError, "what stands for " + called(slice) + ", " +
                                            slice.type().brief() + ", is " + whole.type().brief() +
                                            ": it has the same dtype and one axis more in front");
    all.add(slice, whole);
  }
  absl::StatusOr<Variables> made = batchedOutputs(outputs, std::move(all), PlaceScope::of(loc), 0);
  return made.ok() ? *std::move(made) : failed(outputs.size(), made.status());
}

} // namespace graphc
