//===- KnownValues.cpp - what follows from constants -------------------------===//
#include "Import/KnownValues.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "graphc/Status.h"

namespace graphc {

static const void *keyOf(const Variable &v) {
  return v.hasOwner() ? static_cast<const void *>(v.owner().node()) : v.node();
}

bool KnownValues::isConstant(const Variable &v) {
  std::vector<Variable> open = {v};
  while (!open.empty()) {
    Variable next = open.back();
    if (entries_.contains(keyOf(next))) {
      open.pop_back();
      continue;
    }
    if (!next.hasOwner()) {
      entries_[keyOf(next)] = {next, next.ok() && next.isConstant()};
      continue;
    }
    size_t before = open.size();
    bool isConstant = true;
    for (const Variable &input : next.owner().inputs())
      if (auto found = entries_.find(keyOf(input)); found == entries_.end())
        open.push_back(input);
      else
        isConstant &= found->second.isConstant;
    if (open.size() == before)
      entries_[keyOf(next)] = {next, isConstant};
  }
  return entries_.at(keyOf(v)).isConstant;
}

void KnownValues::keep(const NodeRun &run) {
  for (size_t i = 0; i < run.outputs.size(); ++i)
    if (Variable v = run.node.output(int(i)); run.outputs[i].defined())
      values_.insert_or_assign(v.node(), Value{v, run.outputs[i]});
}

/// From the nearest values that are known, on whichever way.
absl::StatusOr<Tensor> KnownValues::evaluateFromKnown(const Variable &v) {
  std::vector<Variable> open = {v}, known;
  std::vector<Tensor> values;
  absl::flat_hash_set<const void *> seen = {v.node()};
  int64_t visited = 0; // finding the way costs as well, and must not be free where nothing is left
  while (!open.empty()) {
    if (++visited > budget_.iterations) {
      budget_.iterations = 0;
      return makeError(ErrorKind::NotSupported, "needs more iterations than there are left");
    }
    Variable next = open.back();
    open.pop_back();
    for (const Variable &input : next.owner().inputs()) {
      if (!input.hasOwner() || !seen.insert(input.node()).second)
        continue;
      auto found = values_.find(input.node());
      if (found != values_.end() && found->second.tensor.ok()) {
        known.push_back(input);
        values.push_back(*found->second.tensor);
      } else { // what failed may be of a branch that is not taken
        open.push_back(input);
      }
    }
  }
  auto after = [this](const NodeRun &run) {
    keep(run);
    return absl::OkStatus();
  };
  auto made = evaluate(absl::MakeConstSpan(&v, 1), known, values, &budget_, {.after = after});
  budget_.iterations = std::max<int64_t>(0, budget_.iterations - visited);
  return made.ok() ? absl::StatusOr<Tensor>(made->front()) : made.status();
}

absl::StatusOr<Tensor> KnownValues::compute(const Variable &v) {
  if (!v.ok())
    return v.status();
  if (!isConstant(v))
    return makeError(ErrorKind::MissingInput, "depends on an input");
  if (std::optional<Constant> c = Constant::from(v))
    return c->data();
  if (auto found = values_.find(v.node()); found != values_.end())
    return found->second.tensor;
  absl::StatusOr<Tensor> value = evaluateFromKnown(v);
  values_.insert_or_assign(v.node(), Value{v, value});
  return value;
}

std::optional<Tensor> KnownValues::find(const Variable &v) {
  absl::StatusOr<Tensor> value = compute(v);
  return value.ok() ? std::optional<Tensor>(*std::move(value)) : std::nullopt;
}

} // namespace graphc
