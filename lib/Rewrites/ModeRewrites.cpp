//===- Rewrites/ModeRewrites.cpp ------------------------------------------===//
#include "Rewrites/ModeRewrites.h"

#include <algorithm>

#include "Rewrites/OwnRewrites.h"
#include "Support/Text.h"

namespace graphc {

static_assert(std::size(kOptimizations) == size_t(Optimization::Outline) + 1,
              "an enumerator has no row, or a row no enumerator");
static_assert(std::size(kOptimizations) <= 64, "Optimizations has so many bits");

const ModeRow *findMode(std::string_view name) {
  const ModeRow *row = std::ranges::find(kModes, name, &ModeRow::name);
  return row == std::end(kModes) ? nullptr : row;
}

const ModeRow &rowOf(const Mode &mode) {
  const ModeRow *row = findMode(mode.name());
  return row ? *row : kModes[0];
}

std::vector<std::string> modeNames(bool holds(const ModeRow &row)) {
  std::vector<std::string> names;
  for (const ModeRow &row : kModes)
    if (holds(row))
      names.emplace_back(row.name);
  return names;
}

Query modeQuery(const Mode &mode) {
  Query query = {.include = {std::string(rowOf(mode).rules)},
                 .require = mode.required(),
                 .exclude = mode.excluded()};
  query.include.insert(query.include.end(), mode.included().begin(), mode.included().end());
  // Who looks at every element shall not see some that nothing takes.
  if (rowOf(mode).runs == RunBy::NanGuard || rowOf(mode).runs == RunBy::Monitor)
    query.exclude.push_back("takes");
  if (mode.ownRewrites())
    query.include.push_back(detail::OwnRewrites::kTag);
  return query;
}

Effects modeEffects(const Mode &mode) { return rowOf(mode).effects; }

Optimizations modeOptimizations(const Mode &mode) {
  Optimizations optimizations;
  for (const std::string &name : mode.excluded())
    if (std::optional<Optimization> one = optimizationOf(name))
      optimizations.takeOut(*one);
  return optimizations;
}

absl::StatusOr<RewriteReport> rewriteAs(const Mode &mode, FunctionGraph &graph,
                                        RewriteOptions options) {
  Query query = modeQuery(mode);
  options.allowed = modeEffects(mode);
  if (mode.ownRewrites())
    return mode.ownRewrites()->selections().rewrite(graph, options, query);
  return rewrite(graph, options, query);
}

std::string rewritesKey(const Mode &mode) {
  std::string text = mode.name();
  for (const std::vector<std::string> *tags :
       {&mode.included(), &mode.excluded(), &mode.required()}) {
    text += ";";
    for (const std::string &tag : *tags)
      text += " " + tag;
  }
  if (mode.ownRewrites())
    text += "; " + std::to_string(mode.ownRewrites()->serial());
  return text;
}

absl::Status checkRewritesOf(const Mode &mode) {
  if (!mode.ownRewrites())
    return checkRewriteNames(modeQuery(mode), builtinRewrites());
  if (absl::Status status = mode.ownRewrites()->status(); !status.ok())
    return status;
  return checkRewriteNames(modeQuery(mode), mode.ownRewrites()->all());
}

absl::Status checkRewriteNames(const Query &query, const RewriteDatabase &database) {
  using Entry = RewriteDatabase::Entry;
  const std::vector<Entry> &entries = database.entries();
  for (const std::vector<std::string> *names : {&query.include, &query.require, &query.exclude})
    for (const std::string &name : *names) {
      auto has = [&](const Entry &entry) {
        return entry.name == name || entry.className == name ||
               std::ranges::find(entry.tags, name) != entry.tags.end();
      };
      if (std::ranges::any_of(entries, has) || (names == &query.exclude && optimizationOf(name)))
        continue;
      std::vector<std::string> known;
      for (const Entry &entry : entries) {
        known.push_back(entry.name);
        known.insert(known.end(), entry.tags.begin(), entry.tags.end());
      }
      if (names == &query.exclude)
        for (const OptimizationInfo &one : kOptimizations)
          known.emplace_back(one.name);
      return makeError(ErrorKind::KeyError,
                       "no rewrite and no tag is called '" + name + "'" + didYouMean(name, known));
    }
  return absl::OkStatus();
}

} // namespace graphc
