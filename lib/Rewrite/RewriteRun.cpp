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

/// Each place once, in order, up to kMaxOrigins.
static std::vector<Place> placesOf(const std::vector<Apply> &nodes) {
  std::vector<Place> places;
  for (const Apply &node : nodes)
    for (const Place &place : node.origins())
      if (places.size() < detail::kMaxOrigins && place.known() &&
          std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
  return places;
}

/// Nodes above `fresh` that are no members come from `places`, the first of which is theirs.
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
    detail::setOrigins(*node, shared);
    for (uint32_t i = 0; i < node->numInputs; ++i)
      visit(node->input(i));
  }
}

void addOrigins(const Apply &to, const Apply &from) {
  std::vector<Place> places = placesOf({to, from});
  if (places.size() > to.origins().size())
    detail::setOrigins(*to.node(), std::make_shared<const std::vector<Place>>(std::move(places)));
}

/// A formula of limited length.
static std::string shortFormula(const Variable &v) {
  constexpr size_t kLongest = 200;
  std::string text = pp(v);
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + " ...";
  return text;
}

absl::StatusOr<bool> RewriteRun::apply(const Author &by, const Apply &node,
                                       const Variables &proposal,
                                       const std::vector<Apply> &matched) {
  refused_ = false;
  if (int(proposal.size()) != node.numOutputs())
    return refuse(by, makeError(ErrorKind::ValueError,
                                "it proposes " + std::to_string(proposal.size()) +
                                    " Variables for " + std::to_string(node.numOutputs()) +
                                    " outputs of " + node.op().str(),
                                node.place()));
  Replacements pairs;
  for (int i = 0; i < node.numOutputs(); ++i) {
    const Variable &fresh = proposal[size_t(i)];
    if (fresh == node.output(i))
      continue;
    if (!fresh.ok() || !keepsType(node.output(i).type(), fresh.type()))
      return false;
    pairs.emplace_back(node.output(i), fresh);
  }
  return apply(by, pairs, matched);
}

absl::StatusOr<bool> RewriteRun::replace(const Author &by, const Variable &old,
                                         const Variable &fresh) {
  if (!keepsType(old.type(), fresh.type()))
    return false;
  return apply(by, {{old, fresh}}, {});
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
                                       const std::vector<Apply> &matched) {
  if (pairs.empty())
    return false;
  RewriteStep step;
  bool told = options_.explain || options_.check;
  if (told) {
    step.rule = std::string(by.name);
    step.effects = by.effects;
    step.replaced = pairs;
    step.places = placesOf(matched);
    step.before = shortFormula(pairs[0].first);
    step.after = shortFormula(pairs[0].second);
  }
  Variables fresh;
  for (const auto &[old, each] : pairs)
    fresh.push_back(each);
  setOrigins(fresh, told ? step.places : placesOf(matched));
  if (absl::Status status = graph_.replaceAllValidate(pairs, by.name).status(); !status.ok()) {
    // A Feature's veto is no fault of the rule.
    refused_ = true;
    if (errorKind(status) == ErrorKind::Inconsistency)
      return false;
    return refuse(by, status);
  }
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
