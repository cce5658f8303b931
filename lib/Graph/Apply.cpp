//===- Graph/Apply.cpp - one use of an op ---------------------------------===//
#include "Graph/Nodes.h"
#include "Graph/SmallIntegers.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::ApplyNode;
using detail::asLeaf;
using detail::VariableNode;
using Nodes = absl::InlinedVector<VariableNode *, 8>;

static Nodes nodesOf(absl::Span<const Variable> variables) {
  Nodes nodes;
  for (const Variable &v : variables)
    nodes.push_back(v.node());
  return nodes;
}

/// "input 2" of something that has `count` of them.
static Variable noSuch(const Apply &node, std::string_view what, int i, int count) {
  std::string text = node ? node.op().str() : "a null Apply";
  text += " has " + counted(size_t(count), what) + "; there is no number " + std::to_string(i);
  return Variable::invalid(makeError(ErrorKind::IndexError, text, node.place()));
}

const Op &Apply::op() const {
  static const Op &none = *new Op(nullptr);
  return node_ ? node_->op : none;
}
int Apply::numInputs() const { return node_ ? int(node_->numInputs) : 0; }
int Apply::numOutputs() const { return node_ ? int(node_->numOutputs) : 0; }
Variable Apply::input(int i) const {
  if (i < 0 || i >= numInputs())
    return noSuch(*this, "input", i, numInputs());
  return Variable::fromNode(node_->input(uint32_t(i)));
}
Variable Apply::output(int i) const {
  if (i < 0 || i >= numOutputs())
    return noSuch(*this, "output", i, numOutputs());
  return Variable::fromNode(node_->output(uint32_t(i)));
}
Place Apply::place() const { return node_ ? node_->place : Place(); }
std::vector<Place> Apply::origins() const {
  if (!node_)
    return {};
  if (node_->extras && node_->extras->origins)
    return *node_->extras->origins;
  return {node_->place};
}

Variables Apply::inputs() const {
  Variables all;
  all.reserve(size_t(numInputs()));
  for (int i = 0; i < numInputs(); ++i)
    all.push_back(input(i));
  return all;
}

Variables Apply::outputs() const {
  Variables all;
  all.reserve(size_t(numOutputs()));
  for (int i = 0; i < numOutputs(); ++i)
    all.push_back(output(i));
  return all;
}

//===--- create -----------------------------------------------------------===//

/// Whether one of `inputs` is one of `outputs` (which have no owner yet) or computed from one.
static bool dependsOn(const Nodes &inputs, const Nodes &outputs) {
  absl::flat_hash_set<VariableNode *> targets;
  for (VariableNode *output : outputs)
    if (asLeaf(output)->used.load(std::memory_order_relaxed))
      targets.insert(output);
  for (VariableNode *input : inputs)
    if (std::find(outputs.begin(), outputs.end(), input) != outputs.end())
      return true;
  if (targets.empty())
    return false;
  absl::flat_hash_set<ApplyNode *> seen;
  std::vector<VariableNode *> pending(inputs.begin(), inputs.end());
  while (!pending.empty()) {
    VariableNode *v = pending.back();
    pending.pop_back();
    if (targets.contains(v))
      return true;
    if (v->owner && seen.insert(v->owner).second)
      pending.insert(pending.end(), v->owner->inputs(), v->owner->inputs() + v->owner->numInputs);
  }
  return false;
}

absl::StatusOr<Apply> Apply::create(const Op &op, Variables inputs, Variables outputs,
                                    Place place) {
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return makeError(kind, std::string(op.name()) + ": " + what, place);
  };
  auto invalid = [&](const std::string &label, const Variable &v) {
    absl::string_view why = v.status().message();
    return fail(ErrorKind::TypeError,
                label + " is Invalid: " + std::string(why.data(), why.size()));
  };
  if (!op.rep_)
    return op.makeNode({}, place).status();
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].ok())
      return invalid("input " + std::to_string(i), inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string label = "output " + std::to_string(i);
    if (!outputs[i].ok())
      return invalid(label, outputs[i]);
    if (outputs[i].hasOwner())
      return fail(ErrorKind::ValueError, label + " belongs to another Apply, of " +
                                             std::string(outputs[i].owner().op().name()));
    if (outputs[i].isConstant())
      return fail(ErrorKind::ValueError, label + " is a constant");
    if (asLeaf(outputs[i].node())->graph)
      return fail(ErrorKind::ValueError, label + " is an input of a FunctionGraph");
    for (size_t j = 0; j < i; ++j)
      if (outputs[i] == outputs[j])
        return fail(ErrorKind::ValueError, label + " is output " + std::to_string(j) + " too");
  }
  Nodes in = nodesOf(inputs), out = nodesOf(outputs);
  if (dependsOn(in, out))
    return fail(ErrorKind::ValueError, "an input is computed from an output");
  return Apply(detail::makeApplyAdopting(op, in, out, place));
}

//===--- clone ------------------------------------------------------------===//

Apply Apply::clone() const {
  return node_ ? Apply(detail::cloneApply(node_, nodesOf(inputs()))) : Apply();
}

absl::StatusOr<Apply> Apply::cloneWithNewInputs(absl::Span<const Variable> inputs,
                                                bool strict) const {
  if (!node_)
    return makeError(ErrorKind::ValueError, "a null Apply cannot be cloned with inputs");
  if (inputs.size() != node_->numInputs)
    return makeError(ErrorKind::ValueError,
                     std::string(op().name()) + ": expected " +
                         counted(size_t(numInputs()), "input") + ", got " +
                         std::to_string(inputs.size()),
                     place());
  Variables chosen(inputs.begin(), inputs.end());
  bool again = false;
  for (int i = 0; i < numInputs(); ++i) {
    Variable &v = chosen[size_t(i)];
    const Type &old = node_->input(uint32_t(i))->type;
    if (!v.ok())
      return v.status();
    again |= v.node() != node_->input(uint32_t(i)) && isSmallIntegers(old);
    if (v.type() == old)
      continue;
    if (strict)
      v = filterVariable(old, v);
    else
      again = true;
    if (!v.ok())
      return v.status();
  }
  if (!again)
    return Apply(detail::cloneApply(node_, nodesOf(chosen)));
  // A C++ number among the operands may have another dtype now (F-029 to F-031).
  std::vector<Operand> operands;
  for (const Variable &v : chosen) {
    auto add = [&](auto number) {
      if constexpr (std::is_same_v<decltype(number), std::monostate>)
        operands.emplace_back(v, place());
      else
        operands.emplace_back(number, v.place());
    };
    if (v.isConstant())
      std::visit(add, detail::asLeaf(v.node())->literal);
    else
      add(std::monostate());
  }
  absl::StatusOr<Apply> made = op().makeNode(operands, place());
  if (made.ok())
    detail::copyExtras(*node_, *made->node_);
  return made;
}

} // namespace graphc
