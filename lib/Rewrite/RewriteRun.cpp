//===- Rewrite/RewriteRun.cpp ------------------------------------------------===//
#include "Rewrite/RewriteRun.h"

#include <algorithm>

#include "Graph/Nodes.h"
#include "Support/Log.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Print.h"

namespace graphc {

bool keepsType(const Type &old, const Type &fresh) {
  if (!old.isSuperOf(fresh))
    return false;
  for (int i = 0; i < old.rank(); ++i)
    if (old.shape()[size_t(i)] == kDynamic && fresh.shape()[size_t(i)] == 1)
      return false;
  return true;
}

bool isNone(const Variable &v) { return v == Variable(); }

/// Adds to `places` those of `more` that are new.
static void join(std::vector<Place> &places, absl::Span<const Place> more) {
  for (const Place &place : more)
    if (places.size() < detail::kMaxOrigins && place.known() &&
        std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
}

/// Each place once, in order, up to kMaxOrigins.
static std::vector<Place> placesOf(const std::vector<Apply> &nodes) {
  std::vector<Place> places;
  for (const Apply &node : nodes)
    join(places, node.origins());
  return places;
}

/// Nodes above `fresh` that are no members come from `places`. The first of these is theirs, if the
/// rule has not made them at another one.
static void setOrigins(const Variables &fresh, const std::vector<Place> &places) {
  if (places.empty())
    return;
  auto shared = std::make_shared<const std::vector<Place>>(places);
  absl::flat_hash_set<detail::ApplyNode *> seen;
  std::vector<detail::ApplyNode *> pending;
  auto visit = [&](detail::VariableNode *v) {
    if (v->owner && !v->owner->graph && seen.insert(v->owner).second)
      pending.push_back(v->owner);
  };
  for (const Variable &v : fresh)
    visit(v.node());
  while (!pending.empty()) {
    detail::ApplyNode *node = pending.back();
    pending.pop_back();
    auto own = std::ranges::find(places, node->place);
    if (own == places.end() || own == places.begin()) {
      detail::setOrigins(*node, shared);
    } else {
      std::vector<Place> ownFirst = places;
      std::rotate(ownFirst.begin(), ownFirst.begin() + (own - places.begin()),
                  ownFirst.begin() + (own - places.begin()) + 1);
      detail::setOrigins(*node, std::make_shared<const std::vector<Place>>(std::move(ownFirst)));
    }
    for (uint32_t i = 0; i < node->numInputs; ++i)
      visit(node->input(i));
  }
}

void addOrigins(const Apply &to, absl::Span<const Place> more) {
  std::vector<Place> places;
  join(places, to.origins());
  join(places, more);
  if (places.size() > to.origins().size())
    detail::setOrigins(*to.node(), std::make_shared<const std::vector<Place>>(std::move(places)));
}

void addOrigins(const Apply &to, const Apply &from) { addOrigins(to, from.origins()); }

/// Of formulas in a RewriteStep.
constexpr size_t kLongestFormula = 200;

absl::StatusOr<bool> RewriteRun::apply(const Author &by, const Apply &node,
                                       const Proposal &proposal,
                                       const std::vector<Apply> &matched) {
  refused_ = false;
  Replacements pairs;
  for (const auto &[old, fresh] : proposal.replaced)
    if (fresh != old)
      pairs.emplace_back(old, fresh);
  const Variables &outputs = proposal.outputs;
  if (!outputs.empty() && int(outputs.size()) != node.numOutputs())
    return refuse(by, makeError(ErrorKind::ValueError,
                                "it proposes " + std::to_string(outputs.size()) +
                                    " Variables for " + std::to_string(node.numOutputs()) +
                                    " outputs of " + node.op().str(),
                                node.place()));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!isNone(outputs[i]) && outputs[i] != node.output(int(i)))
      pairs.emplace_back(node.output(int(i)), outputs[i]);
  for (const auto &[old, fresh] : pairs)
    if (!old.ok() || !fresh.ok() || !keepsType(old.type(), fresh.type()))
      return false;
  return apply(by, pairs, matched, proposal.remove);
}

absl::StatusOr<bool> RewriteRun::replace(const Author &by, const Variable &old,
                                         const Variable &fresh) {
  if (!keepsType(old.type(), fresh.type()))
    return false;
  return apply(by, {{old, fresh}}, {}, {});
}

absl::StatusOr<bool> RewriteRun::expand(const Author &by, const Replacements &fresh) {
  return apply(by, fresh, {}, {});
}

absl::StatusOr<bool> RewriteRun::refuse(const Author &by, const absl::Status &status) {
  std::string who = "the rewrite " + std::string(by.name) + " cannot be applied";
  if (options_.refusals == Refusals::Raise)
    return prefixError(status, who);
  if (options_.refusals == Refusals::Warn && told_.insert(std::string(by.name)).second)
    logWarning(who + ": " + std::string(status.message()));
  return false;
}

absl::StatusOr<bool> RewriteRun::apply(const Author &by, const Replacements &pairs,
                                       const std::vector<Apply> &matched,
                                       const std::vector<Apply> &remove) {
  if (pairs.empty())
    return false;
  RewriteStep step;
  bool told = options_.explain || options_.check;
  if (told) {
    step.rule = std::string(by.name);
    step.effects = Effects(by.effects & options_.allowed);
    step.replaced = pairs;
    step.places = placesOf(matched);
    step.before = pp(pairs[0].first, kLongestFormula);
    step.after = pp(pairs[0].second, kLongestFormula);
  }
  Variables fresh;
  for (const auto &[old, each] : pairs)
    fresh.push_back(each);
  std::vector<Place> places = told ? step.places : placesOf(matched);
  setOrigins(fresh, places);
  // A constant is no node that could know its places: whoever reads it does.
  std::vector<Apply> readers;
  for (const auto &[old, each] : pairs)
    if (each.isConstant() && !matched.empty())
      if (absl::StatusOr<Clients> clients = graph_.clients(old); clients.ok())
        for (const Client &client : *clients)
          if (!client.isOutput())
            readers.push_back(client.node);
  absl::Status status =
      remove.empty()
          ? graph_.replaceAllValidate(pairs, by.name).status()
          : graph_.replaceAllValidateRemove(pairs, remove, by.name, /*warn=*/false).status();
  if (!status.ok()) {
    // A Feature's veto is no fault of the rule.
    refused_ = true;
    if (errorKind(status) == ErrorKind::Inconsistency)
      return false;
    return refuse(by, status);
  }
  for (const Apply &reader : readers)
    addOrigins(reader, places);
  ++report_.steps;
  ++report_.uses[std::string(by.name)];
  if (options_.explain)
    options_.explain(step);
  if (options_.check)
    if (absl::Status status = options_.check(graph_, step); !status.ok())
      return prefixError(status, "after the rewrite " + std::string(by.name));
  // No two nodes are equal after each step.
  if (auto *merge = graph_.find<MergeFeature>())
    if (absl::Status status = merge->merge(graph_).status(); !status.ok())
      return status;
  return true;
}

} // namespace graphc
