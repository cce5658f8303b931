//===- EmitGraph.cpp ------------------------------------------------------===//
#include "Kernels/EmitGraph.h"

#include <algorithm>
#include <memory>

#include "Emit/EmitNode.h"
#include "Emit/EmitterState.h"
#include "Graph/CalledAs.h"
#include "Graph/Label.h"
#include "Graph/Nodes.h"
#include "Support/Cancel.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/OpDef.h"

namespace graphc {

UsedOutputs usedOutputs(const FunctionGraph &graph, const Apply &node) {
  UsedOutputs used(size_t(node.numOutputs()));
  for (int i = 0; i < node.numOutputs(); ++i)
    used[size_t(i)] = graph.numClients(node.output(i), 1) > 0;
  return used;
}

namespace {

/// What messages say of a node. Kept for the nodes that recorded a check only.
struct EmittedNode {
  Apply node;
  /// As they are before the node's own requirements make equal what should be.
  std::vector<Numbers> shapes;
};
/// An application, whose nodes that can fail have the numbers from `firstNode` on.
struct CalledNodes {
  int32_t firstNode;
  std::shared_ptr<const Callee> callee;
  Numbers sizes; // of the emission, by the callee's
};
struct EmittedNodes {
  absl::flat_hash_map<int32_t, EmittedNode> own;
  std::vector<CalledNodes> called; // in order
};

/// "x", "dot(x, w)", or "exp(...)" where the operands have no names.
std::string labelOf(const Variable &v) {
  if (!v.name().empty())
    return std::string(v.name());
  if (v.isConstant()) {
    std::string label = constantLabel(v);
    return label == v.type().brief() ? "constant" : label;
  }
  Apply owner = v.owner();
  if (!owner)
    return "input";
  std::string label(calledName(owner.op()));
  label += '(';
  for (int i = 0; i < owner.numInputs(); ++i) {
    if (i)
      label += ", ";
    std::string_view name = owner.input(i).name();
    label += name.empty() ? std::string_view("...") : name;
  }
  return label + ')';
}

class GraphEmission {
public:
  GraphEmission(const FindCallee &findCallee, const FusionOptions &options)
      : findCallee_(findCallee), options_(options) {
    emitter_.state().hasMaskRegisters = options.hasMaskRegisters;
    emitter_.state().leavesBordersOut = options.leavesBordersOut();
  }
  absl::StatusOr<GraphRecord> run(const FunctionGraph &graph, bool nameNodes);

private:
  void emitCall(const Apply &node, int32_t number, const std::shared_ptr<const Callee> &callee,
                const UsedOutputs &used);
  Array arrayOf(detail::VariableNode *v);
  const Arrays &operandsOf(const Apply &node);
  absl::Status emit(const Apply &node, int32_t number);

  const FindCallee &findCallee_;
  const FusionOptions &options_;
  /// Numbers of nodes within callees follow those of the graph's own.
  int32_t nextCalled_ = 0;
  Emitter emitter_;
  // Of the node that is being emitted.
  std::vector<Type> types_; // of its results
  Arrays operands_;
  absl::flat_hash_map<detail::VariableNode *, int32_t> arrays_;
  std::shared_ptr<EmittedNodes> failing_ = std::make_shared<EmittedNodes>();
};

Array GraphEmission::arrayOf(detail::VariableNode *v) {
  auto [it, isNew] = arrays_.try_emplace(v, -1);
  if (isNew)
    it->second =
        (v->constant ? emitter_.constant(detail::asLeaf(v)->data) : emitter_.operand(v->type)).id;
  return {it->second};
}

const Arrays &GraphEmission::operandsOf(const Apply &node) {
  operands_.clear();
  for (uint32_t i = 0; i < node.node()->numInputs; ++i)
    operands_.push_back(arrayOf(node.node()->input(i)));
  return operands_;
}

absl::Status GraphEmission::emit(const Apply &node, int32_t number) {
  const OpDef &def = node.op().def();
  if (!def.emit)
    return makeError(ErrorKind::MethodNotDefined,
                     std::string(node.op().name()) + ": the op does not say what it computes",
                     node.place());
  const Arrays &operands = operandsOf(node);
  types_.clear();
  for (int i = 0; i < node.numOutputs(); ++i)
    types_.push_back(node.node()->output(uint32_t(i))->type);
  emitter_.beginNode(number, types_);
  const Emission &record = emitter_.emission();
  size_t checks = record.sizeChecks.size() + record.elementChecks.size();
  size_t firstStep = record.steps.size();
  Arrays results = emitOp(emitter_, node, operands);
  emitter_.endNode(results);
  if (absl::Status mistake = emitter_.status(); !mistake.ok())
    return withPlace(prefixError(mistake, calledName(node.op())), node.place());
  for (size_t i = 0; i < results.size(); ++i)
    arrays_[node.node()->output(uint32_t(i))] = results[i].id;
  bool fails = record.sizeChecks.size() + record.elementChecks.size() != checks;
  for (size_t s = firstStep; s < record.steps.size(); ++s)
    fails |= record.steps[s].kind == Step::Kind::Host;
  if (fails) {
    EmittedNode &kept = failing_->own[number];
    kept.node = node;
    for (Array a : operands) {
      Numbers &shape =
          kept.shapes.emplace_back(record.arrays[size_t(emitter_.state().realOf(a).id)].shape);
      shape.resize(size_t(emitter_.rank(a))); // without the axis of pairs
    }
  }
  return absl::OkStatus();
}

void GraphEmission::emitCall(const Apply &node, int32_t number,
                             const std::shared_ptr<const Callee> &callee, const UsedOutputs &used) {
  types_.clear();
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i])
      types_.push_back(node.node()->output(uint32_t(i))->type);
  emitter_.beginNode(number, types_);
  Arrays operands = operandsOf(node); // the callee has pairs for complex ones
  for (Array &a : operands)
    a = emitter_.interleaved(a);
  Arrays results = recordCall(emitter_, callee, operands, nextCalled_);
  for (size_t i = 0; i < results.size(); ++i)
    if (isComplex(types_[i].dtype()))
      results[i] = emitter_.state().newComplex({.pairs = results[i].id});
  emitter_.endNode(results);
  auto next = results.begin();
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i])
      arrays_[node.node()->output(uint32_t(i))] = (next++)->id;
  if (callee->graph.program.nodes.empty())
    return;
  failing_->called.push_back({nextCalled_, callee, emitter_.emission().steps.back().sizes});
  nextCalled_ += int32_t(callee->graph.program.nodes.size());
}

absl::StatusOr<GraphRecord> GraphEmission::run(const FunctionGraph &graph, bool nameNodes) {
  GraphRecord record;
  for (int i = 0; i < graph.numInputs(); ++i) {
    Variable input = graph.input(i);
    record.inputs.push_back(emitter_.interleaved(arrayOf(input.node())).id);
    record.inputTypes.push_back(input.type());
    record.inputNames.emplace_back(input.name());
  }
  int32_t number = 0;
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  nextCalled_ = int32_t(order->size());
  // Most nodes are one step that makes an array for each result.
  size_t numResults = 0;
  for (const Apply &node : *order)
    numResults += size_t(node.numOutputs());
  Emission &made = emitter_.state().record;
  arrays_.reserve(numResults + numResults / 8 + size_t(graph.numInputs()));
  made.steps.reserve(order->size() + order->size() / 8);
  made.arrays.reserve(numResults + numResults / 8 + size_t(graph.numInputs()));
  for (const Apply &node : *order) {
    if (absl::Status status = checkCancelled(); !status.ok())
      return status;
    if (node.op().def().inner && findCallee_) {
      UsedOutputs used = usedOutputs(graph, node);
      if (std::shared_ptr<const Callee> callee = findCallee_(node, used)) {
        emitCall(node, number++, callee, used);
        continue;
      }
    }
    if (absl::Status status = emit(node, number++); !status.ok())
      return status;
  }
  for (int i = 0; i < graph.numOutputs(); ++i) {
    Variable output = graph.output(i);
    record.outputs.push_back(emitter_.interleaved(arrayOf(output.node())).id);
    record.complexOutputs.push_back(isComplex(output.dtype()));
    record.outputNames.emplace_back(output.name());
  }
  absl::StatusOr<Emission> emission = emitter_.finish();
  if (!emission.ok())
    return emission.status();
  record.emission = *std::move(emission);
  record.options = options_;

  record.describe = [failing = failing_](int32_t node) {
    Program::Node result;
    if (!failing->called.empty() && node >= failing->called.front().firstNode) {
      auto next = std::ranges::upper_bound(failing->called, node, {}, &CalledNodes::firstNode);
      const CalledNodes &call = *std::prev(next);
      return nodeOfCall(*call.callee, node - call.firstNode, call.sizes);
    }
    auto it = failing->own.find(node);
    if (it == failing->own.end())
      return result;
    const EmittedNode &kept = it->second;
    result.op = std::string(calledName(kept.node.op()));
    result.place = kept.node.place();
    result.result = std::string(kept.node.output(0).name());
    for (int i = 0; i < kept.node.numInputs(); ++i) {
      Variable v = kept.node.input(i);
      result.operands.push_back({labelOf(v), v.dtype(), kept.shapes[i]});
    }
    return result;
  };
  if (nameNodes)
    record.nameNode = [nodes = *std::move(order)](int32_t node) {
      const Apply &apply = nodes[size_t(node)];
      return Program::Facts::Node{std::string(apply.op().name()), apply.place()};
    };
  return record;
}

} // namespace

absl::StatusOr<GraphRecord> emitGraph(const FunctionGraph &graph, bool nameNodes,
                                      const FindCallee &findCallee, const FusionOptions &options) {
  return GraphEmission(findCallee, options).run(graph, nameNodes);
}

} // namespace graphc
