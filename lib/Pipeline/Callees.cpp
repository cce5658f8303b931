//===- Callees.cpp ---------------------------------------------------------===//
#include "Callees.h"

#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Nodes.h"
#include "Graph/TypesOf.h"
#include "Ops/CallOp.h"

namespace graphc {

using detail::InnerGraph;

static std::shared_ptr<const KeptCallees> keptOf(const InnerGraph &record) {
  constexpr std::string_view kKey = "callees";
  std::shared_ptr<const KeptCallees> kept = record.memo<KeptCallees>(kKey);
  return kept ? kept : record.setMemo(kKey, std::make_shared<const KeptCallees>());
}

KeptCallees::Key Callees::keyOf(const Made &made) const {
  return {nameNodes_ ? mode_ + " named" : mode_, made.types, made.used};
}

const Callees::Made *Callees::lookUp(const Apply &node, const UsedOutputs &used) const {
  auto found = made_.find(node.op().def().inner.get());
  if (found == made_.end())
    return nullptr;
  for (const Made &made : found->second) {
    bool isSame = made.used == used;
    for (uint32_t i = 0; isSame && i < node.node()->numInputs; ++i)
      isSame = node.node()->input(i)->type == made.types[i];
    if (isSame)
      return &made;
  }
  return nullptr;
}

std::shared_ptr<const Callee> Callees::find(const Apply &node, const UsedOutputs &used) const {
  const Made *made = lookUp(node, used);
  return made ? made->callee : nullptr;
}

/// Legal in a symbol.
static std::string stemOf(std::string_view name) {
  std::string stem;
  for (char c : name)
    stem += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return stem.empty() ? "call" : stem;
}

static absl::StatusOr<std::vector<Apply>> callsOf(const FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (order.ok())
    std::erase_if(*order, [](const Apply &node) { return !node.op().def().inner; });
  return order;
}

absl::StatusOr<FunctionGraph> Callees::withRewritten(const FunctionGraph &graph) const {
  absl::StatusOr<FunctionGraph> copy = FunctionGraph::create(graph.inputs(), graph.outputs());
  if (!copy.ok())
    return copy;
  absl::StatusOr<std::vector<Apply>> calls = callsOf(*copy);
  if (!calls.ok())
    return calls.status();
  for (const Apply &node : *calls) {
    UsedOutputs used = usedOutputs(*copy, node);
    const Made *made = lookUp(node, used);
    if (!made || !made->rewritten)
      continue;
    Variables inputs = node.inputs();
    Variables results =
        made->rewritten->callAll(std::vector<Operand>(inputs.begin(), inputs.end()), node.place());
    Replacements fresh;
    auto next = results.begin();
    for (size_t o = 0; o < used.size(); ++o)
      if (used[o])
        fresh.emplace_back(node.output(int(o)),
                           filterVariable(node.output(int(o)).type(), *next++));
    if (absl::Status s = copy->replaceAll(fresh); !s.ok())
      return s;
  }
  return copy;
}

/// That a program would have more steps than any graph has nodes.
static absl::Status tooManyKernels() {
  return makeError(ErrorKind::NotSupported,
                   "with the kernels of its OpFromGraphs called from every site the program has "
                   "more than " +
                       std::to_string(InnerGraph::kMostNodes) + " steps");
}

absl::Status Callees::make(const FunctionGraph &graph) {
  // A graph whose calls are looked at, from the first one on.
  struct Open {
    FunctionGraph graph;
    std::vector<Apply> calls;
    size_t next = 0;
    Apply node; // the call that it is the graph of
    Made made;
  };
  std::vector<Open> open;
  // Opens what the call needs, unless it is there.
  auto need = [&](const Apply &node, const UsedOutputs &used) -> absl::Status {
    if (lookUp(node, used))
      return absl::OkStatus();
    const InnerGraph &of = *node.op().def().inner;
    Made made{typesOf(node.inputs()), used, nullptr};
    if (!keepGraphs_)
      made.callee = keptOf(of)->find(keyOf(made));
    if (made.callee) {
      made_[&of].push_back(std::move(made));
      return absl::OkStatus();
    }
    absl::StatusOr<FunctionGraph> inner = detail::graphOfCall(of, made.types, used);
    if (!inner.ok())
      return inner.status();
    if (absl::Status s = rewrite_(*inner); !s.ok())
      return s;
    absl::StatusOr<std::vector<Apply>> calls = callsOf(*inner);
    if (!calls.ok())
      return calls.status();
    open.push_back({*std::move(inner), *std::move(calls), 0, node, std::move(made)});
    return absl::OkStatus();
  };
  absl::StatusOr<std::vector<Apply>> calls = callsOf(graph);
  if (!calls.ok())
    return calls.status();
  auto find = [this](const Apply &node, const UsedOutputs &used) { return this->find(node, used); };
  int64_t numSteps = 0;
  for (const Apply &call : *calls) {
    UsedOutputs used = usedOutputs(graph, call);
    if (absl::Status s = need(call, used); !s.ok())
      return s;
    while (!open.empty()) { // a nest may be deep: nothing recurses
      Open &top = open.back();
      if (top.next < top.calls.size()) {
        Apply inner = top.calls[top.next++];
        if (absl::Status s = need(inner, usedOutputs(top.graph, inner)); !s.ok())
          return s;
        continue;
      }
      Open done = std::move(top);
      open.pop_back();
      if (keepGraphs_) {
        absl::StatusOr<FunctionGraph> seen = withRewritten(done.graph);
        absl::StatusOr<FrozenGraph> frozen = seen.ok() ? seen->freeze() : seen.status();
        if (!frozen.ok())
          return frozen.status();
        absl::StatusOr<Op> op = detail::callOp(InnerGraph::intern(*std::move(frozen), {}),
                                               std::string(calledName(done.node.op())));
        if (!op.ok())
          return op.status();
        done.made.rewritten = *std::move(op);
      }
      absl::StatusOr<GraphRecord> record = emitGraph(done.graph, nameNodes_, find, fusion_);
      if (!record.ok())
        return record.status();
      absl::StatusOr<std::shared_ptr<const Callee>> callee =
          fuseCallee(*std::move(record), stemOf(calledName(done.node.op())));
      if (!callee.ok())
        return callee.status();
      if (*callee && (*callee)->numSteps > InnerGraph::kMostNodes)
        return tooManyKernels();
      const InnerGraph &of = *done.node.op().def().inner;
      done.made.callee = *callee ? keptOf(of)->keep(keyOf(done.made), *std::move(callee)) : nullptr;
      made_[&of].push_back(std::move(done.made));
    }
    if (const Made *made = lookUp(call, used); made && made->callee)
      numSteps += made->callee->numSteps;
    if (numSteps > InnerGraph::kMostNodes)
      return tooManyKernels();
  }
  return absl::OkStatus();
}

} // namespace graphc
