//===- Branches.cpp --------------------------------------------------------===//
#include "Graph/Branches.h"

#include "graphc/OpDef.h"

namespace graphc {

bool isIfElse(const Apply &node) { return node.op().name() == "ifElse"; }

/// The innermost branch that both are in.
static const Branch *common(const Branch *a, const Branch *b) {
  while (a != b)
    if (a && (!b || a->depth >= b->depth))
      a = a->outer;
    else
      b = b->outer;
  return a;
}

Branches::Branches(absl::Span<const Apply> order, absl::Span<const Variable> always) {
  auto need = [&](const Apply &producer, const Branch *where) {
    if (!producer)
      return;
    auto [known, isNew] = ofNodes_.try_emplace(producer.node(), where);
    if (!isNew)
      known->second = common(known->second, where);
  };
  for (const Variable &v : always)
    need(v.owner(), nullptr);
  for (size_t k = order.size(); k-- > 0;) {
    const Apply &node = order[k];
    auto own = ofNodes_.find(node.node());
    if (own == ofNodes_.end())
      continue; // nobody needs it
    const Branch *where = own->second;
    const bool chooses = isIfElse(node);
    for (int i = 0; i < node.numInputs(); ++i)
      if (Apply producer = node.input(i).owner())
        need(producer, chooses && i > 0 ? into(where, node, i) : where);
  }
}

const Branch *Branches::of(const Apply &node) const {
  auto found = node ? ofNodes_.find(node.node()) : ofNodes_.end();
  return found == ofNodes_.end() ? nullptr : found->second;
}

const Branch *Branches::outermostOf(const Apply &node) const {
  const Branch *branch = of(node);
  while (branch && branch->outer)
    branch = branch->outer;
  return branch;
}

const Branch *Branches::into(const Branch *around, const Apply &ifElse, int operand) {
  const Variable condition = ifElse.input(0);
  for (const Branch *branch = around; branch; branch = branch->outer)
    if (branch->condition == condition && branch->operand == operand)
      return around;
  if (isDeepest(around))
    return around;
  const Branch *&branch = known_[{around, condition.node(), operand}];
  if (!branch)
    branch = &all_.emplace_back(Branch{around, condition, operand, around ? around->depth + 1 : 1});
  return branch;
}

} // namespace graphc
