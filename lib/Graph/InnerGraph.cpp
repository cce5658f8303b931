//===- Graph/InnerGraph.cpp -----------------------------------------------===//
#include "Graph/InnerGraph.h"

#include <algorithm>

#include "Graph/CalledAs.h"
#include "Graph/Nodes.h"
#include "Support/Fork.h"
#include "Support/Hash.h"
#include "Support/Text.h"

namespace graphc {

using detail::InnerGraph;

//===--- equal graphs are one record --------------------------------------===//

namespace {

using Records = std::vector<std::weak_ptr<const InnerGraph>>;

/// Those that somebody holds, by hash.
struct Table {
  ShortMutex mutex;
  absl::flat_hash_map<uint64_t, Records> records;
};

Table &table() {
  static auto &theTable = *new Table;
  return theTable;
}

void forget(uint64_t hash) {
  std::lock_guard lock(table().mutex);
  auto found = table().records.find(hash);
  if (found == table().records.end()) // another one of that hash went at the same time
    return;
  std::erase_if(found->second, [](const auto &record) { return record.expired(); });
  if (found->second.empty())
    table().records.erase(found);
}

/// Deletes a record, whose graph may hold the last handle of another one: one after the other, so
/// that a deep nest needs no deep stack.
void releaseRecord(const InnerGraph *record) {
  static thread_local std::vector<const InnerGraph *> *waiting = nullptr;
  if (waiting) {
    waiting->push_back(record);
    return;
  }
  std::vector<const InnerGraph *> mine = {record};
  waiting = &mine;
  while (!mine.empty()) {
    const InnerGraph *last = mine.back();
    mine.pop_back();
    forget(last->hash());
    delete last;
  }
  waiting = nullptr;
}

uint64_t hashOf(const FrozenGraph &graph, const Variables &captured) {
  Hasher hasher;
  hasher.add(graph.hash());
  for (const Variable &v : captured)
    hasher.add(reinterpret_cast<uintptr_t>(v.node()));
  return hasher.finish();
}

int64_t numNodesOf(const std::vector<Apply> &nodes) {
  int64_t count = 0;
  for (const Apply &node : nodes) {
    count += 1 + (node.op().def().inner ? node.op().def().inner->numNodes() : 0);
    count = std::min(count, InnerGraph::kMostNodes + 1);
  }
  return count;
}

} // namespace

InnerGraph::InnerGraph(FrozenGraph graph, Variables captured)
    : graph_(std::move(graph)), captured_(std::move(captured)), hash_(hashOf(graph_, captured_)),
      numNodes_(numNodesOf(graph_.order())) {}

std::shared_ptr<const InnerGraph> InnerGraph::intern(FrozenGraph graph, Variables captured) {
  // What is not needed, and what nobody else holds any more, is released after the lock.
  std::shared_ptr<const InnerGraph> made(new InnerGraph(std::move(graph), std::move(captured)),
                                         releaseRecord);
  std::vector<std::shared_ptr<const InnerGraph>> looked;
  std::lock_guard lock(table().mutex);
  Records &records = table().records[made->hash()];
  for (const std::weak_ptr<const InnerGraph> &record : records)
    if (std::shared_ptr<const InnerGraph> known = record.lock()) {
      looked.push_back(known);
      if (known->captured_ == made->captured_ && known->graph_ == made->graph_)
        return known;
    }
  records.push_back(made);
  return made;
}

//===--- nodes in the place of a call -------------------------------------===//

static absl::Status tooLarge() {
  return makeError(ErrorKind::NotSupported,
                   "with the graphs of its OpFromGraphs in their places the graph has more than " +
                       std::to_string(InnerGraph::kMostNodes) + " nodes");
}

/// The inner graph's nodes over `operands`; those that are calls themselves are added to `calls`.
static absl::StatusOr<Variables> instantiate(const FrozenGraph &graph, const Variables &operands,
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
    if (node.op().def().inner) { // it is replaced as well: its types do not matter
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

absl::Status inlineCalls(FunctionGraph &graph, const ReplaceCall &replace) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  std::vector<Apply> calls;
  for (const Apply &node : *order)
    if (node.op().def().inner)
      calls.push_back(node);
  if (!calls.empty() && numNodesOf(*order) > InnerGraph::kMostNodes)
    return tooLarge();
  // The first one first: what later ones read is narrower then.
  std::reverse(calls.begin(), calls.end());
  std::vector<Apply> inner;
  while (!calls.empty()) {
    Apply call = std::move(calls.back());
    calls.pop_back();
    if (!graph.contains(call)) // nobody needs it any more
      continue;
    inner.clear();
    absl::StatusOr<Variables> outputs =
        instantiate(call.op().def().inner->graph(), call.inputs(), inner);
    if (!outputs.ok())
      return outputs.status();
    Replacements replacements;
    for (int i = 0; i < call.numOutputs(); ++i) {
      Variable old = call.output(i), &fresh = (*outputs)[size_t(i)];
      if (fresh.name().empty() && fresh.hasOwner() && !old.name().empty())
        fresh.setName(old.name());
      if (absl::StatusOr<Clients> clients = graph.clients(old); clients.ok() && !clients->empty())
        replacements.push_back({old, fresh});
    }
    if (absl::StatusOr<bool> done = replace(replacements); !done.ok() || !*done)
      return done.status();
    calls.insert(calls.end(), inner.rbegin(), inner.rend());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const FrozenGraph>>
InnerGraph::flat(absl::Span<const Type> types) const {
  std::vector<Type> key(types.begin(), types.end());
  {
    std::lock_guard lock(mutex_);
    if (auto found = flat_.find(key); found != flat_.end())
      return found->second;
  }
  auto make = [&]() -> Flat {
    Variables inputs;
    for (const Type &type : key)
      inputs.emplace_back(type);
    std::vector<Apply> calls;
    absl::StatusOr<Variables> outputs = instantiate(graph_, inputs, calls);
    if (!outputs.ok())
      return outputs.status();
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, *outputs, {.clone = false});
    if (!graph.ok())
      return graph.status();
    auto replace = [&](const Replacements &fresh) -> absl::StatusOr<bool> {
      absl::Status status = graph->replaceAll(fresh);
      if (!status.ok())
        return status;
      return true;
    };
    if (absl::Status s = inlineCalls(*graph, replace); !s.ok())
      return s;
    absl::StatusOr<FrozenGraph> frozen = graph->freeze();
    if (!frozen.ok())
      return frozen.status();
    return std::make_shared<const FrozenGraph>(*std::move(frozen));
  };
  Flat made = make();
  std::lock_guard lock(mutex_);
  return flat_.try_emplace(std::move(key), std::move(made)).first->second;
}

//===--- the op -----------------------------------------------------------===//

static std::vector<Type> typesOf(const Variables &variables) {
  std::vector<Type> types;
  for (const Variable &v : variables)
    types.push_back(v.type());
  return types;
}

static absl::StatusOr<std::vector<Type>> callTypes(const InnerGraph &inner,
                                                   const TypeRequest &request) {
  std::vector<Type> given, formal = typesOf(inner.graph().inputs());
  for (size_t i = 0; i < request.size(); ++i) {
    if (!formal[i].isSuperOf(request.type(i)))
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(i) + " is " +
                                                 request.type(i).text() + ", expected " +
                                                 formal[i].text());
    given.push_back(request.type(i));
  }
  if (given == formal)
    return typesOf(inner.graph().outputs());
  absl::StatusOr<std::shared_ptr<const FrozenGraph>> flat = inner.flat(given);
  if (!flat.ok())
    return flat.status();
  return typesOf((*flat)->outputs());
}

Arrays detail::emitGraph(Emitter &e, const FrozenGraph &graph, const Arrays &in) {
  absl::flat_hash_map<const detail::VariableNode *, Array> arrays;
  Variables inputs = graph.inputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    arrays.emplace(inputs[i].node(), in[i]);
  auto arrayOf = [&](const Variable &v) {
    auto [at, isNew] = arrays.try_emplace(v.node(), Array());
    if (isNew)
      at->second = e.constant(Constant::from(v)->data());
    return at->second;
  };
  for (const Apply &node : graph.order()) {
    Arrays operands;
    for (const Variable &input : node.inputs())
      operands.push_back(arrayOf(input));
    Arrays results = e.within(typesOf(node.outputs()), [&] {
      return node.op().def().emit(e, operands, node.op().attributes());
    });
    for (int i = 0; i < node.numOutputs() && size_t(i) < results.size(); ++i)
      arrays.insert_or_assign(node.output(i).node(), results[size_t(i)]);
  }
  Arrays results;
  for (const Variable &output : graph.outputs())
    results.push_back(arrayOf(output));
  return results;
}

static Arrays emitCall(const InnerGraph &inner, Emitter &e, const Arrays &in) {
  auto flat = inner.flat(typesOf(inner.graph().inputs()));
  if (!flat.ok()) // its own types: the user's graph has them
    return {};
  return detail::emitGraph(e, **flat, in);
}

absl::StatusOr<Op> detail::callOp(std::shared_ptr<const InnerGraph> inner, std::string name) {
  if (inner->graph().numOutputs() == 0)
    return makeError(ErrorKind::ValueError, "there are no outputs");
  if (inner->numNodes() > InnerGraph::kMostNodes)
    return tooLarge();
  struct Definition {
    OpDef def;
    std::string name;
  };
  auto made = std::make_shared<Definition>();
  made->name = std::move(name);
  OpDef &def = made->def;
  def.name = "opFromGraph";
  for (int i = 0; i < inner->graph().numInputs(); ++i)
    def.operands.push_back({"x" + std::to_string(i)});
  def.numResults = inner->graph().numOutputs();
  def.defaultResult = def.numResults == 1 ? 0 : -1;
  const InnerGraph *record = inner.get(); // def.inner holds it
  def.type = [record](const TypeRequest &request) { return callTypes(*record, request); };
  def.emit = [record](Emitter &e, const Arrays &in, const Attributes &) {
    return emitCall(*record, e, in);
  };
  def.inner = std::move(inner);
  for (const Apply &node : def.inner->graph().order()) {
    const OpDef &used = node.op().def();
    if (!used.emit)
      return makeError(ErrorKind::MethodNotDefined,
                       std::string(calledName(node.op())) +
                           ": the op does not say what it computes",
                       node.place());
    if (std::ranges::any_of(used.destroyMap, [](int input) { return input >= 0; }))
      return makeError(ErrorKind::NotSupported,
                       std::string(calledName(node.op())) + ": the op overwrites an operand",
                       node.place());
  }
  absl::StatusOr<Op> op = Op::create(std::shared_ptr<const OpDef>(made, &made->def));
  return op.ok() ? calledAs(*op, made->name) : op;
}

} // namespace graphc
