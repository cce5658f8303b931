//===- Rewrite/ShapeTerms.cpp ---------------------------------------------===//
#include "Rewrite/ShapeTerms.h"

#include <algorithm>
#include <utility>

#include "Ops/Registry.h"

namespace graphc {

using detail::ApplyNode;
using detail::VariableNode;

int32_t ShapeTerms::leaf(VariableNode *v) {
  auto [at, isNew] = numbers_.try_emplace(v, int32_t(leaves_.size()));
  if (isNew)
    leaves_.push_back({v, {}});
  return at->second;
}

static bool isLeaf(SizeOp op) { return op == SizeOp::Dim || op == SizeOp::Element; }

std::vector<int32_t> ShapeTerms::operandsOf(int32_t term) const {
  const SizeNode &n = table_.nodes()[size_t(term)];
  switch (n.op) {
  case SizeOp::Constant:
  case SizeOp::Dim:
    return {};
  case SizeOp::Element:
    return {n.b};
  case SizeOp::Select:
    return {n.a, n.b, n.c};
  default:
    return {n.a, n.b};
  }
}

//===--- building ---------------------------------------------------------===//

static Variable call(std::string_view op, std::initializer_list<Variable> operands,
                     const Attributes &attributes = {}) {
  std::vector<Operand> list;
  for (const Variable &v : operands)
    list.emplace_back(v, Place());
  absl::StatusOr<Op> made = Op::create(*findOp(op), attributes);
  return made.ok() ? made->call(list, Place()) : Variable::invalid(made.status());
}

static Variable number(int64_t value) { return Constant::adopt(Tensor(value)); }

static Variable asInt64(const Variable &v) {
  return v.dtype() == DType::Int64 ? v : call("cast", {v}, {{"dtype", DType::Int64}});
}

Variable ShapeTerms::elementOf(const SizeNode &n) {
  Variable v = Variable::fromNode(leaves_[size_t(n.a)].variable);
  if (v.rank() == 0)
    return asInt64(v);
  if (v.rank() > 1)
    v = call("flatten", {v});
  if (std::optional<int64_t> position = constantValue(n.b))
    return asInt64(call("subtensor", {v}, {{"index", std::to_string(*position)}}));
  return asInt64(call("subtensor", {v, at(n.b)}, {{"index", "$0"}}));
}

Variable ShapeTerms::formula(const SizeNode &n) {
  switch (n.op) {
  case SizeOp::Constant:
    return number(n.value);
  case SizeOp::Dim:
    return call("shapeI", {Variable::fromNode(leaves_[size_t(n.a)].variable)},
                {{"axis", int64_t(n.b)}});
  case SizeOp::Element:
    return elementOf(n);
  case SizeOp::Add:
  case SizeOp::WrapAdd:
    return call("add", {at(n.a), at(n.b)});
  case SizeOp::Sub:
  case SizeOp::WrapSub:
    return call("sub", {at(n.a), at(n.b)});
  case SizeOp::Mul:
  case SizeOp::WrapMul:
    return call("mul", {at(n.a), at(n.b)});
  case SizeOp::FloorDiv:
    return call("intDiv", {at(n.a), at(n.b)});
  case SizeOp::Mod:
    return call("mod", {at(n.a), at(n.b)});
  case SizeOp::Max:
    return call("maximum", {at(n.a), at(n.b)});
  case SizeOp::Min:
    return call("minimum", {at(n.a), at(n.b)});
  case SizeOp::Less:
    return asInt64(call("lt", {at(n.a), at(n.b)}));
  case SizeOp::Equal:
    return asInt64(call("eq", {at(n.a), at(n.b)}));
  case SizeOp::Select:
    return call("switch", {call("neq", {at(n.a), number(0)}), at(n.b), at(n.c)});
  }
  return Variable();
}

/// `term`, whose operands are built.
void ShapeTerms::make(int32_t term) {
  const SizeNode n = table_.nodes()[size_t(term)];
  Built made;
  made.variable = formula(n);
  std::vector<VariableNode *> given;
  for (int32_t operand : operandsOf(term)) {
    built_.at(operand).users.push_back(term);
    given.push_back(at(operand).node());
  }
  if (isLeaf(n.op)) {
    leaves_[size_t(n.a)].users.push_back(term);
    given.push_back(leaves_[size_t(n.a)].variable);
  }
  // The nodes between, at most four.
  std::vector<VariableNode *> pending = {made.variable.node()};
  while (!pending.empty()) {
    VariableNode *v = pending.back();
    pending.pop_back();
    if (!v->owner || std::find(given.begin(), given.end(), v) != given.end())
      continue;
    made.nodes.push_back(v->owner);
    makers_[v->owner] = term;
    for (uint32_t i = 0; i < v->owner->numInputs; ++i)
      pending.push_back(v->owner->input(i));
  }
  built_.insert_or_assign(term, std::move(made));
}

Variable ShapeTerms::build(int32_t term) {
  if (auto found = built_.find(term); found != built_.end())
    return found->second.variable;
  std::vector<int32_t> missing, pending = {term};
  absl::flat_hash_map<int32_t, bool> seen;
  while (!pending.empty()) {
    int32_t next = pending.back();
    pending.pop_back();
    if (built_.contains(next) || !seen.try_emplace(next, true).second)
      continue;
    missing.push_back(next);
    for (int32_t operand : operandsOf(next))
      pending.push_back(operand);
  }
  // Operands have smaller numbers than their users.
  std::sort(missing.begin(), missing.end());
  for (int32_t each : missing)
    make(each);
  return at(term);
}

//===--- forgetting -------------------------------------------------------===//

void ShapeTerms::forgetBuilt(std::vector<int32_t> terms) {
  while (!terms.empty()) {
    auto found = built_.find(terms.back());
    terms.pop_back();
    if (found == built_.end())
      continue;
    Built gone = std::move(found->second);
    built_.erase(found);
    for (ApplyNode *node : gone.nodes)
      makers_.erase(node);
    terms.insert(terms.end(), gone.users.begin(), gone.users.end());
  }
}

void ShapeTerms::forget(VariableNode *v) {
  auto number = numbers_.find(v);
  if (number == numbers_.end())
    return;
  Leaf &gone = leaves_[size_t(number->second)];
  numbers_.erase(number);
  gone.variable = nullptr;
  forgetBuilt(std::exchange(gone.users, {}));
}

void ShapeTerms::forgetMade(ApplyNode *node) {
  if (auto maker = makers_.find(node); maker != makers_.end())
    forgetBuilt({maker->second});
}

} // namespace graphc
