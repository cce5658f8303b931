//===- InlineCalls.cpp - nodes in the place of a call ---------------------===//
#include <algorithm>

#include "Graph/InnerGraph.h"
#include "Graph/Nodes.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

using detail::InnerGraph;

namespace {

/// An application to replace, and how often it would stand in the function.
struct Call {
  Apply node;
  int64_t times;
};

/// The inner graph's nodes over `operands`. Those that are applications of OpFromGraphs themselves
/// and `isReplaced` are added to `calls`.
absl::StatusOr<Variables> instantiate(const FrozenGraph &graph, const Variables &operands,
                                      const std::function<bool(const InnerGraph &)> &isReplaced,
                                      std::vector<Apply> &calls) {
  absl::flat_hash_map<const detail::VariableNode *, Variable> made;
  Variables formal = graph.inputs();
  for (size_t i = 0; i < formal.size(); ++i)
    made.emplace(formal[i].node(), operands[i]);
  auto madeOf = [&](const Variable &v) {
    auto [found, isNew] = made.try_emplace(v.node());
    if (isNew) { // a constant, which belongs to the frozen graph
      Constant constant = *Constant::from(v);
      found->second = Constant::adopt(constant.data(), constant.name(), constant.place());
    }
    return found->second;
  };
  for (const Apply &node : graph.order()) {
    Variables inputs;
    for (const Variable &input : node.inputs())
      inputs.push_back(madeOf(input));
    Apply fresh;
    const OpDef &def = node.op().def();
    if (def.inner && isReplaced(*def.inner)) { // its types do not matter
      std::vector<detail::VariableNode *> records;
      for (const Variable &input : inputs)
        records.push_back(input.node());
      detail::ApplyNode *clone = detail::cloneApply(node.node(), records);
      fresh = Apply::fromNode(clone);
      detail::release(clone);
      calls.push_back(fresh);
    } else {
      absl::StatusOr<Apply> clone = node.cloneWithNewInputs(inputs, /*strict=*/false);
      if (!clone.ok())
        return clone.status();
      fresh = *std::move(clone);
    }
    for (int i = 0; i < node.numOutputs(); ++i)
      made.insert_or_assign(node.output(i).node(), fresh.output(i));
  }
  Variables outputs;
  for (const Variable &output : graph.outputs())
    outputs.push_back(madeOf(output));
  return outputs;
}

/// How often each OpFromGraph is applied by `nodes`.
absl::flat_hash_map<const InnerGraph *, int64_t> applications(const std::vector<Apply> &nodes) {
  absl::flat_hash_map<const InnerGraph *, int64_t> counts;
  for (const Apply &node : nodes)
    if (const InnerGraph *inner = node.op().def().inner.get())
      ++counts[inner];
  return counts;
}

int64_t cappedProduct(int64_t a, int64_t b) {
  return std::min(a * b, InnerGraph::kMostNodes + 1); // each is at most that
}

} // namespace

bool isInlined(const InnerGraph &inner, int64_t times) {
  // A call costs a kernel or more of its own; what takes its place costs compile time, once for
  // each application. Graphs of a few nodes fuse with what is around them.
  constexpr int64_t kFewNodes = 8;
  switch (inner.traits().inlining) {
  case detail::Inlining::No:
    return false;
  case detail::Inlining::Yes:
    return true;
  case detail::Inlining::Automatic:
    return times <= 1 || inner.numNodes() <= kFewNodes;
  }
  return false;
}

absl::Status inlineCalls(FunctionGraph &graph, const ChooseCall &choose,
                         const ReplaceCall &replace) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  std::vector<Call> calls;
  int64_t total = int64_t(order->size());
  auto counts = applications(*order);
  for (const Apply &node : *order) {
    const InnerGraph *inner = node.op().def().inner.get();
    if (!inner || !choose(*inner, counts[inner]))
      continue;
    calls.push_back({node, counts[inner]});
    total = std::min(total + inner->numNodes(), InnerGraph::kMostNodes + 1);
  }
  if (!calls.empty() && total > InnerGraph::kMostNodes)
    return detail::tooLarge();
  // The first one first: what later ones read is narrower then.
  std::reverse(calls.begin(), calls.end());
  std::vector<Apply> nested;
  while (!calls.empty()) {
    Call call = std::move(calls.back());
    calls.pop_back();
    if (!graph.contains(call.node)) // nobody needs it any more
      continue;
    const InnerGraph &inner = *call.node.op().def().inner;
    auto within = applications(inner.graph().order());
    auto times = [&](const InnerGraph &one) { return cappedProduct(call.times, within[&one]); };
    nested.clear();
    absl::StatusOr<Variables> outputs = instantiate(
        inner.graph(), call.node.inputs(),
        [&](const InnerGraph &one) { return choose(one, times(one)); }, nested);
    if (!outputs.ok())
      return outputs.status();
    Replacements replacements;
    for (int i = 0; i < call.node.numOutputs(); ++i) {
      Variable old = call.node.output(i), &fresh = (*outputs)[size_t(i)];
      if (fresh.name().empty() && fresh.hasOwner() && !old.name().empty())
        fresh.setName(old.name());
      if (absl::StatusOr<Clients> clients = graph.clients(old); clients.ok() && !clients->empty())
        replacements.push_back({old, fresh});
    }
    if (absl::StatusOr<bool> done = replace(replacements); !done.ok() || !*done)
      return done.status();
    for (size_t i = nested.size(); i-- > 0;)
      calls.push_back({nested[i], times(*nested[i].op().def().inner)});
  }
  return absl::OkStatus();
}

absl::Status inlineAllCalls(FunctionGraph &graph) {
  auto always = [](const InnerGraph &, int64_t) { return true; };
  auto replace = [&](const Replacements &fresh) -> absl::StatusOr<bool> {
    absl::Status status = graph.replaceAll(fresh);
    return status.ok() ? absl::StatusOr<bool>(true) : status;
  };
  return inlineCalls(graph, always, replace);
}

absl::StatusOr<FunctionGraph> detail::graphOfCall(const InnerGraph &inner,
                                                  absl::Span<const Type> types,
                                                  absl::Span<const bool> used) {
  Variables inputs;
  Variables formal = inner.graph().inputs();
  for (size_t i = 0; i < types.size(); ++i)
    inputs.emplace_back(types[i], formal[i].name());
  std::vector<Apply> none;
  absl::StatusOr<Variables> outputs =
      instantiate(inner.graph(), inputs, [](const InnerGraph &) { return false; }, none);
  if (!outputs.ok())
    return outputs.status();
  Variables needed;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i])
      needed.push_back((*outputs)[i]);
  return FunctionGraph::create(inputs, needed, {.clone = false});
}

detail::FlatGraphs::Flat InnerGraph::flat(absl::Span<const Type> types) const {
  std::vector<Type> key(types.begin(), types.end());
  detail::FlatGraphs &all = detail::FlatGraphs::ofProcess();
  if (std::optional<detail::FlatGraphs::Flat> known = all.find(this, key))
    return *std::move(known);
  auto make = [&]() -> detail::FlatGraphs::Flat {
    Variables inputs;
    for (const Type &type : key)
      inputs.emplace_back(type);
    std::vector<Apply> calls;
    absl::StatusOr<Variables> outputs =
        instantiate(graph_, inputs, [](const InnerGraph &) { return true; }, calls);
    if (!outputs.ok())
      return outputs.status();
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, *outputs, {.clone = false});
    if (!graph.ok())
      return graph.status();
    if (absl::Status s = inlineAllCalls(*graph); !s.ok())
      return s;
    absl::StatusOr<FrozenGraph> frozen = graph->freeze();
    if (!frozen.ok())
      return frozen.status();
    return std::make_shared<const FrozenGraph>(*std::move(frozen));
  };
  return all.keep(this, key, make());
}

} // namespace graphc
