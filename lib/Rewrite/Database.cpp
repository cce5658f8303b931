//===- Rewrite/Database.cpp -----------------------------------------------===//
#include <algorithm>

#include "Rewrite/Chains.h"
#include "Rewrite/NodeRewriter.h"
#include "graphc/Status.h"

namespace graphc {

using Entry = RewriteDatabase::Entry;

static absl::Status checkName(const std::vector<Entry> &entries, std::string_view name) {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return makeError(ErrorKind::ValueError,
                       "there is a rewrite called '" + std::string(name) + "' already");
  return absl::OkStatus();
}

static absl::Status noRewriter() {
  return makeError(ErrorKind::ValueError, "there is no rewrite to add: the pointer is null");
}

absl::Status RewriteDatabase::add(const Rule &rule, std::vector<std::string> tags,
                                  double position) {
  if (absl::Status status = checkName(entries_, rule.name); !status.ok())
    return status;
  absl::StatusOr<NodeRewriterPtr> compiled = compileRule(rule);
  if (!compiled.ok())
    return compiled.status();
  entries_.push_back({.name = rule.name,
                      .tags = std::move(tags),
                      .position = position,
                      .rule = rule,
                      .node = *std::move(compiled)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(const ChainRule &rule, std::vector<std::string> tags,
                                  double position) {
  if (absl::Status status = checkName(entries_, rule.name); !status.ok())
    return status;
  if (absl::Status status = checkChainRule(rule); !status.ok())
    return status;
  entries_.push_back(
      {.name = rule.name, .tags = std::move(tags), .position = position, .chain = rule});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(NodeRewriterPtr rewriter, std::vector<std::string> tags,
                                  double position) {
  if (!rewriter)
    return noRewriter();
  if (absl::Status status = checkName(entries_, rewriter->name()); !status.ok())
    return status;
  std::string name = rewriter->name();
  entries_.push_back(
      {.name = name, .tags = std::move(tags), .position = position, .node = std::move(rewriter)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(GraphRewriterPtr rewriter, std::vector<std::string> tags,
                                  double position) {
  if (!rewriter)
    return noRewriter();
  if (absl::Status status = checkName(entries_, rewriter->name()); !status.ok())
    return status;
  std::string name(rewriter->name());
  if (!rewriter->isSafe())
    rewriter = guarded(std::move(rewriter));
  entries_.push_back(
      {.name = name, .tags = std::move(tags), .position = position, .whole = std::move(rewriter)});
  return absl::OkStatus();
}

static bool selected(const Entry &entry, const Query &query) {
  auto has = [&](const std::string &tag) {
    return entry.name == tag ||
           std::find(entry.tags.begin(), entry.tags.end(), tag) != entry.tags.end();
  };
  auto any = [&](const std::vector<std::string> &tags) {
    return std::any_of(tags.begin(), tags.end(), has);
  };
  return any(query.include) && std::all_of(query.require.begin(), query.require.end(), has) &&
         !any(query.exclude) && entry.position < query.positionCutoff;
}

GraphRewriterPtr RewriteDatabase::select(const Query &query) const {
  std::vector<const Entry *> chosen;
  for (const Entry &entry : entries_)
    if (selected(entry, query))
      chosen.push_back(&entry);
  // Rules of one position keep the order of the catalogue; whole rewriters go by name.
  std::sort(chosen.begin(), chosen.end(), [](const Entry *a, const Entry *b) {
    if (a->position != b->position)
      return a->position < b->position;
    if (bool(a->whole) != bool(b->whole))
      return bool(a->whole);
    return a->whole ? a->name < b->name : a < b;
  });
  std::vector<GraphRewriterPtr> stages;
  for (size_t i = 0; i < chosen.size();) {
    if (chosen[i]->whole) {
      stages.push_back(chosen[i++]->whole);
      continue;
    }
    std::vector<NodeRewriterPtr> rules;
    double position = chosen[i]->position;
    std::vector<ChainRule> chains;
    for (; i < chosen.size() && !chosen[i]->whole && chosen[i]->position == position; ++i)
      if (chosen[i]->chain)
        chains.push_back(*chosen[i]->chain);
      else
        rules.push_back(chosen[i]->node);
    stages.push_back(
        equilibrium("position " + std::to_string(position), std::move(rules), std::move(chains)));
  }
  return sequence("selection", std::move(stages));
}

} // namespace graphc
