//===- Rewrite/Database.cpp -----------------------------------------------===//
#include <algorithm>
#include <cmath>

#include "Rewrite/Chains.h"
#include "Rewrite/NodeRewriter.h"
#include "Support/Optimizations.h"
#include "graphc/Status.h"

namespace graphc {

using Entry = RewriteDatabase::Entry;

/// Of an entry that is to come.
static absl::Status check(const std::vector<Entry> &entries, std::string_view name,
                          double position) {
  auto refused = [](std::string message) {
    return makeError(ErrorKind::ValueError, std::move(message));
  };
  if (name.empty())
    return refused("a rewrite has no name, by which a mode could exclude it: give it one");
  const std::string quoted = "'" + std::string(name) + "'";
  if (std::ranges::find(entries, name, &Entry::name) != entries.end())
    return refused("there is a rewrite called " + quoted + " already");
  if (optimizationOf(name))
    return refused("a rewrite is called " + quoted +
                   ", as an optimization is, which Mode::excluding would exclude with it: give it "
                   "another name");
  if (!std::isfinite(position))
    return refused("the position of the rewrite " + quoted + " is not a finite number");
  return absl::OkStatus();
}

static absl::Status noRewriter() {
  return makeError(ErrorKind::ValueError, "there is no rewrite to add: the pointer is null");
}

absl::Status RewriteDatabase::add(Rule rule, std::vector<std::string> tags, double position) {
  if (absl::Status status = check(entries_, rule.name, position); !status.ok())
    return status;
  auto shared = std::make_shared<const Rule>(std::move(rule));
  absl::StatusOr<NodeRewriterPtr> compiled = compileRule(shared);
  if (!compiled.ok())
    return compiled.status();
  entries_.push_back({.name = shared->name,
                      .className = "Rule",
                      .tags = std::move(tags),
                      .position = position,
                      .rule = std::move(shared),
                      .node = *std::move(compiled)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(ChainRule rule, std::vector<std::string> tags, double position) {
  if (absl::Status status = check(entries_, rule.name, position); !status.ok())
    return status;
  if (absl::Status status = checkChainRule(rule); !status.ok())
    return status;
  entries_.push_back({.name = rule.name,
                      .className = "ChainRule",
                      .tags = std::move(tags),
                      .position = position,
                      .chain = std::make_shared<const ChainRule>(std::move(rule))});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(NodeRewriterPtr rewriter, std::vector<std::string> tags,
                                  double position) {
  if (!rewriter)
    return noRewriter();
  if (absl::Status status = check(entries_, rewriter->name(), position); !status.ok())
    return status;
  std::string name = rewriter->name();
  entries_.push_back({.name = name,
                      .className = std::string(rewriter->className()),
                      .tags = std::move(tags),
                      .position = position,
                      .node = std::move(rewriter)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(GraphRewriterPtr rewriter, std::vector<std::string> tags,
                                  double position) {
  if (!rewriter)
    return noRewriter();
  if (absl::Status status = check(entries_, rewriter->name(), position); !status.ok())
    return status;
  std::string name(rewriter->name());
  if (!rewriter->isSafe())
    rewriter = guarded(std::move(rewriter));
  entries_.push_back({.name = name,
                      .className = std::string(rewriter->className()),
                      .tags = std::move(tags),
                      .position = position,
                      .whole = std::move(rewriter)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::add(std::string name, const RewriteDatabase &database,
                                  std::vector<std::string> tags, double position) {
  if (absl::Status status = check(entries_, name, position); !status.ok())
    return status;
  entries_.push_back({.name = std::move(name),
                      .className = "RewriteDatabase",
                      .tags = std::move(tags),
                      .position = position,
                      .database = std::make_shared<const RewriteDatabase>(database)});
  return absl::OkStatus();
}

absl::Status RewriteDatabase::addAll(const RewriteDatabase &database,
                                     const std::vector<std::string> &tags) {
  for (const Entry &entry : database.entries_)
    if (absl::Status status = check(entries_, entry.name, entry.position); !status.ok())
      return status;
  std::vector<Entry> added = database.entries_; // it may be this one
  for (Entry &entry : added) {
    entry.tags.insert(entry.tags.end(), tags.begin(), tags.end());
    entries_.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

static bool selected(const Entry &entry, const Query &query) {
  auto has = [&](const std::string &tag) {
    return entry.name == tag || entry.className == tag ||
           std::find(entry.tags.begin(), entry.tags.end(), tag) != entry.tags.end();
  };
  auto any = [&](const std::vector<std::string> &tags) {
    return std::any_of(tags.begin(), tags.end(), has);
  };
  return any(query.include) && std::all_of(query.require.begin(), query.require.end(), has) &&
         !any(query.exclude) && entry.position < query.positionCutoff;
}

static bool hasTag(const Entry &entry, std::string_view tag) {
  return std::ranges::find(entry.tags, tag) != entry.tags.end();
}

/// Whether it runs on its own, not in an equilibrium.
static bool runsAlone(const Entry &entry) { return entry.whole || entry.database; }

/// By position; there what runs alone, by name, then rules as they came.
static std::vector<const Entry *> chosen(const std::vector<Entry> &entries, const Query &query) {
  std::vector<const Entry *> result;
  for (const Entry &entry : entries)
    if (selected(entry, query))
      result.push_back(&entry);
  std::ranges::sort(result, [](const Entry *a, const Entry *b) {
    if (a->position != b->position)
      return a->position < b->position;
    if (runsAlone(*a) != runsAlone(*b))
      return runsAlone(*a);
    return runsAlone(*a) ? a->name < b->name : a < b;
  });
  return result;
}

GraphRewriterPtr RewriteDatabase::select(const Query &query) const {
  std::vector<const Entry *> all = chosen(entries_, query);
  std::vector<GraphRewriterPtr> stages;
  for (size_t i = 0; i < all.size();) {
    double position = all[i]->position;
    size_t end = i;
    while (end < all.size() && all[end]->position == position)
      ++end;
    bool hasRules = !runsAlone(*all[end - 1]);
    std::vector<NodeRewriterPtr> rules;
    std::vector<ChainRule> chains;
    EquilibriumStages around;
    for (; i < end; ++i) {
      const Entry &entry = *all[i];
      if (entry.database) {
        auto own = query.subquery.find(entry.name);
        stages.push_back(entry.database->select(own == query.subquery.end() ? query : own->second));
      } else if (entry.chain) {
        chains.push_back(*entry.chain);
      } else if (entry.node) {
        rules.push_back(entry.node);
      } else if (hasRules && hasTag(entry, "cleanup")) {
        around.cleanup.push_back(entry.whole);
      } else if (hasRules && hasTag(entry, "final")) {
        around.last.push_back(entry.whole);
      } else {
        stages.push_back(entry.whole);
      }
    }
    if (hasRules)
      stages.push_back(equilibrium("position " + std::to_string(position), std::move(rules),
                                   std::move(chains), std::move(around)));
  }
  return sequence("selection", std::move(stages));
}

NodeRewriterPtr RewriteDatabase::selectGroup(std::string name, const Query &query) const {
  std::vector<NodeRewriterPtr> rules;
  for (const Entry *entry : chosen(entries_, query))
    rules.push_back(entry->node);
  return localGroup(std::move(name), std::move(rules));
}

} // namespace graphc
