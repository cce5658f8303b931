//===- Graph/FunctionGraph.cpp - making and reading a FunctionGraph -------===//
#include "graphc/FunctionGraph.h"

#include "Graph/Cloner.h"
#include "Graph/GraphState.h"
#include "Graph/NewNodes.h"
#include "Graph/Walk.h"
#include "Support/Text.h"

namespace graphc {

using detail::ApplyNode;
using detail::asLeaf;
using detail::GraphState;
using detail::VariableNode;

FunctionGraph::FunctionGraph(std::unique_ptr<GraphState> state) : state_(std::move(state)) {}
FunctionGraph::FunctionGraph(FunctionGraph &&) noexcept = default;
FunctionGraph &FunctionGraph::operator=(FunctionGraph &&) noexcept = default;
FunctionGraph::~FunctionGraph() = default;

//===--- create -----------------------------------------------------------===//

static absl::Status checkInputs(const Variables &inputs, bool cloning) {
  absl::flat_hash_map<VariableNode *, size_t> positions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Variable &v = inputs[i];
    auto fail = [&](ErrorKind kind, const std::string &what) {
      return makeError(kind,
                       "input " + std::to_string(i) + " of the FunctionGraph, " +
                           detail::describe(v.node()) + ", " + what,
                       v.place());
    };
    if (!v.ok())
      return v.status();
    if (v.isConstant())
      return fail(ErrorKind::TypeError, "is a constant");
    if (auto [at, isNew] = positions.try_emplace(v.node(), i); !isNew)
      return fail(ErrorKind::ValueError, "is input " + std::to_string(at->second) + " too");
    if (!cloning && v.hasOwner())
      return fail(ErrorKind::ValueError, "is computed by " + std::string(v.owner().op().name()));
    if (!cloning && asLeaf(v.node())->graph)
      return fail(ErrorKind::ValueError, "belongs to another FunctionGraph");
  }
  return absl::OkStatus();
}

static absl::Status checkUpdates(const FunctionGraphOptions &options, size_t numInputs,
                                 size_t numOutputs) {
  for (auto [output, input] : options.updateMapping)
    if (output < 0 || size_t(output) >= numOutputs || input < 0 || size_t(input) >= numInputs)
      return makeError(ErrorKind::ValueError,
                       "the update mapping names output " + std::to_string(output) + " and input " +
                           std::to_string(input) + " of a FunctionGraph of " +
                           counted(numInputs, "input") + " and " + counted(numOutputs, "output"));
  return absl::OkStatus();
}

/// Adds nodes to an empty graph with inputs; they count as checked afterwards.
static absl::Status populate(GraphState &state, absl::Span<ApplyNode *const> order,
                             absl::Span<VariableNode *const> outputs, bool ownConstants) {
  if (absl::Status status = detail::checkLeaves(state, order, outputs, "output "); !status.ok())
    return status;
  state.addNodes(order, ownConstants);
  state.place(order);
  for (VariableNode *output : outputs)
    state.insertOutput(state.outputs.size(), output);
  return absl::OkStatus();
}

absl::StatusOr<FunctionGraph> FunctionGraph::create(const Variables &inputs,
                                                    const Variables &outputs,
                                                    FunctionGraphOptions options) {
  if (absl::Status status = checkInputs(inputs, options.clone); !status.ok())
    return status;
  for (const Variable &output : outputs)
    if (!output.ok())
      return output.status();
  if (absl::Status status = checkUpdates(options, inputs.size(), outputs.size()); !status.ok())
    return status;
  auto state = std::make_unique<GraphState>();
  state->updateMapping = std::move(options.updateMapping);
  state->name = std::move(options.name);

  absl::Status status;
  if (options.clone) {
    detail::Cloner cloner(detail::Cloner::Leaves::Copy);
    for (const Variable &input : inputs) {
      VariableNode *fresh = detail::cloneLeaf(input.node());
      cloner.map(input.node(), fresh);
      state->insertInput(state->inputs.size(), fresh);
      detail::release(fresh);
    }
    cloner.copy(detail::nodesOf(outputs));
    std::vector<VariableNode *> fresh;
    for (const Variable &output : outputs)
      fresh.push_back(cloner.find(output.node()));
    status = populate(*state, cloner.nodes(), fresh, /*ownConstants=*/true);
  } else {
    for (const Variable &input : inputs)
      state->insertInput(state->inputs.size(), input.node());
    detail::NewNodes newNodes(*state);
    std::vector<VariableNode *> roots = detail::nodesOf(outputs);
    detail::walk(roots, newNodes);
    status = newNodes.status.ok() ? populate(*state, newNodes.order, roots, /*ownConstants=*/false)
                                  : newNodes.status;
  }
  if (!status.ok())
    return status;
  return finish(std::move(state), options.features);
}

absl::StatusOr<FunctionGraph> FunctionGraph::finish(std::unique_ptr<GraphState> state,
                                                    const Features &features) {
  FunctionGraph graph(std::move(state));
  for (const std::shared_ptr<Feature> &feature : features)
    if (absl::Status status = graph.attachFeature(feature); !status.ok()) {
      detail::removeFeaturesBut(graph, {});
      return status;
    }
  return graph;
}

absl::StatusOr<FunctionGraph> FunctionGraph::createFromOutputs(const Variables &outputs,
                                                               FunctionGraphOptions options) {
  if (outputs.empty())
    return makeError(ErrorKind::ValueError, "a FunctionGraph without inputs needs outputs");
  return create(explicitGraphInputs(outputs), outputs, std::move(options));
}

//===--- reading ----------------------------------------------------------===//

GraphState &FunctionGraph::state() const {
  // Never changed: what changes a graph asks `mayChange` first.
  static GraphState &none = *[] {
    auto *made = new GraphState();
    made->disowned = true;
    return made;
  }();
  return state_ ? *state_ : none;
}

static Variable nodeAt(const std::vector<VariableNode *> &list, int i, std::string_view what) {
  if (absl::Status status = detail::checkIndex(i, list.size(), what); !status.ok())
    return Variable::invalid(status);
  return Variable::fromNode(list[size_t(i)]);
}

int FunctionGraph::numInputs() const { return int(state().inputs.size()); }
int FunctionGraph::numOutputs() const { return int(state().outputs.size()); }
Variable FunctionGraph::input(int i) const { return nodeAt(state().inputs, i, "inputs"); }
Variable FunctionGraph::output(int i) const { return nodeAt(state().outputs, i, "outputs"); }
Variables FunctionGraph::inputs() const { return detail::variablesOf(state().inputs); }
Variables FunctionGraph::outputs() const { return detail::variablesOf(state().outputs); }
const std::string &FunctionGraph::name() const { return state().name; }
const std::map<int, int> &FunctionGraph::updateMapping() const { return state().updateMapping; }
size_t FunctionGraph::numNodes() const { return state().numNodes; }

std::vector<Apply> FunctionGraph::applyNodes() const {
  std::vector<Apply> members;
  members.reserve(state().numNodes);
  for (const GraphState::Node &record : state().nodes)
    if (record.node)
      members.push_back(Apply::fromNode(record.node));
  return members;
}

Variables FunctionGraph::variables() const {
  Variables members;
  members.reserve(state().vars.size());
  for (const GraphState::Var &record : state().vars)
    if (record.node)
      members.push_back(Variable::fromNode(record.node));
  return members;
}

bool FunctionGraph::contains(const Variable &v) const {
  return state().slotOf(v.node()) != detail::kNoSlot;
}

bool FunctionGraph::contains(const Apply &node) const {
  return node && state().contains(node.node());
}

absl::StatusOr<Clients> FunctionGraph::clients(const Variable &v) const {
  uint32_t slot = state().slotOf(v.node());
  if (slot == detail::kNoSlot)
    return makeError(ErrorKind::KeyError,
                     detail::describe(v.node()) + " is not in the FunctionGraph", v.place());
  Clients all;
  for (uint32_t i = state().vars[slot].firstUse; i != detail::kNoSlot; i = state().uses[i].next)
    all.push_back(state().clientOf(state().uses[i]));
  return all;
}

size_t FunctionGraph::numClients(const Variable &v, size_t limit) const {
  uint32_t slot = state().slotOf(v.node());
  if (slot == detail::kNoSlot)
    return 0;
  size_t count = 0;
  for (uint32_t i = state().vars[slot].firstUse; i != detail::kNoSlot && count < limit;
       i = state().uses[i].next)
    ++count;
  return count;
}

//===--- order ------------------------------------------------------------===//

absl::StatusOr<Orderings> FunctionGraph::orderings() const {
  if (absl::Status status = state().mayAskForOrder(); !status.ok())
    return status;
  Orderings merged;
  absl::flat_hash_map<ApplyNode *, size_t> positions;
  absl::Status status = tellAll(detail::Callback::Orderings, [&](Feature &feature) {
    // A Feature sees the graph as its callbacks do; this one changes nothing.
    absl::StatusOr<Orderings> each = feature.orderings(const_cast<FunctionGraph &>(*this));
    if (!each.ok())
      return each.status();
    for (auto &[node, before] : *each) {
      if (!node.node() || std::ranges::any_of(before, [](const Apply &a) { return !a.node(); }))
        return makeError(ErrorKind::ValueError,
                         std::string(feature.name()) + " orders an Apply that is none");
      auto [at, isNew] = positions.try_emplace(node.node(), merged.size());
      if (isNew)
        merged.emplace_back(node, std::vector<Apply>());
      std::vector<Apply> &all = merged[at->second].second;
      all.insert(all.end(), before.begin(), before.end());
    }
    return absl::OkStatus();
  });
  if (!status.ok())
    return status;
  return merged;
}

absl::StatusOr<std::vector<Apply>> FunctionGraph::toposort() const {
  GraphState::NodeLists more;
  if (!state_)
    return state().mayChange();
  if (!state().listeners.empty()) {
    absl::StatusOr<Orderings> demanded = orderings();
    if (!demanded.ok())
      return demanded.status();
    for (const auto &[node, before] : *demanded)
      for (const Apply &first : before) {
        if (!contains(node) || !contains(first))
          return makeError(ErrorKind::KeyError,
                           "a Feature orders " + first.op().str() + " before " + node.op().str() +
                               ", which are not both in the FunctionGraph",
                           node.place());
        more[node.node()].push_back(first.node());
      }
  }
  ApplyNode *cyclic = nullptr;
  std::vector<Apply> order;
  order.reserve(state().numNodes);
  for (ApplyNode *node : state().toposort(&cyclic, more))
    order.push_back(Apply::fromNode(node));
  if (cyclic)
    return makeError(ErrorKind::Cycle,
                     "there is a cycle through " + cyclic->op.str() +
                         ", of data and of what Features order",
                     cyclic->place);
  return order;
}

//===--- copies -----------------------------------------------------------===//

/// A copy of `from` with `cloner`, which then knows what became of each member.
static std::unique_ptr<GraphState> copyState(const GraphState &from, detail::Cloner &cloner) {
  auto state = std::make_unique<GraphState>();
  state->updateMapping = from.updateMapping;
  state->name = from.name;
  for (VariableNode *input : from.inputs) {
    VariableNode *fresh = detail::cloneLeaf(input);
    cloner.map(input, fresh);
    state->insertInput(state->inputs.size(), fresh);
    detail::release(fresh);
  }
  cloner.copy(from.outputs);
  std::vector<VariableNode *> outputs;
  for (VariableNode *output : from.outputs)
    outputs.push_back(cloner.find(output));
  // A graph without mistakes has copies without.
  absl::Status status = populate(*state, cloner.nodes(), outputs, /*ownConstants=*/true);
  (void)status;
  assert(status.ok());
  return state;
}

/// A clone of each Feature.
static absl::StatusOr<Features> cloneAll(const Features &features) {
  Features copies;
  for (const std::shared_ptr<Feature> &feature : features) {
    copies.push_back(feature->clone());
    if (!copies.back())
      return makeError(ErrorKind::NotImplemented,
                       "the feature " + std::string(feature->name()) + " cannot be cloned");
  }
  return copies;
}

absl::StatusOr<GraphClone> FunctionGraph::cloneGetEquiv(CloneOptions options) const {
  if (options.checkIntegrity || !state_)
    if (absl::Status status = checkIntegrity(); !status.ok())
      return status;
  absl::StatusOr<Features> copies = cloneAll(options.attachFeatures ? features() : Features());
  if (!copies.ok())
    return copies.status();
  detail::Cloner cloner(detail::Cloner::Leaves::Copy);
  absl::StatusOr<FunctionGraph> graph = finish(copyState(state(), cloner), *copies);
  if (!graph.ok())
    return graph.status();
  if (options.checkIntegrity)
    if (absl::Status status = graph->checkIntegrity(); !status.ok())
      return status;
  GraphClone copy = {*std::move(graph), {}, {}};
  for (const Variable &v : variables())
    copy.variables.emplace(v, Variable::fromNode(cloner.find(v.node())));
  for (const Apply &node : applyNodes())
    copy.nodes.emplace(node, Apply::fromNode(cloner.find(node.node())));
  return copy;
}

absl::StatusOr<FunctionGraph> FunctionGraph::clone(CloneOptions options) const {
  absl::StatusOr<GraphClone> copy = cloneGetEquiv(options);
  if (!copy.ok())
    return copy.status();
  return std::move(copy->graph);
}

} // namespace graphc
