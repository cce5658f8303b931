//===- KnownValues.cpp - what follows from constants -------------------------===//
#include "Import/KnownValues.h"

#include <algorithm>

namespace graphc {

bool KnownValues::isConstant(const Variable &v) {
  std::vector<Variable> open = {v};
  while (!open.empty()) {
    Variable next = open.back();
    if (entries_.contains(next.node())) {
      open.pop_back();
      continue;
    }
    if (!next.hasOwner()) {
      entries_[next.node()] = {next, next.ok() && next.isConstant()};
      continue;
    }
    const Apply owner = next.owner();
    size_t before = open.size();
    bool isConstant = true;
    for (const Variable &input : owner.inputs())
      if (auto found = entries_.find(input.node()); found == entries_.end())
        open.push_back(input);
      else
        isConstant &= found->second.isConstant;
    if (open.size() == before)
      entries_[next.node()] = {next, isConstant};
  }
  return entries_.at(v.node()).isConstant;
}

std::optional<Tensor> KnownValues::find(const Variable &v) {
  if (!v.ok() || !isConstant(v))
    return std::nullopt;
  if (std::optional<Constant> c = Constant::from(v))
    return c->data();
  auto values = evaluate(absl::MakeConstSpan(&v, 1), {}, {}, &budget_);
  return values.ok() ? std::optional<Tensor>(values->front()) : std::nullopt;
}

} // namespace graphc
