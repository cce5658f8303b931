//===- Rewrites/ModeRewrites.cpp ------------------------------------------===//
#include "Rewrites/ModeRewrites.h"

#include <algorithm>

#include "Support/Text.h"

namespace graphc {

Query modeQuery(const Mode &mode) {
  std::string base = mode.name() == "fast_compile" ? "fast_compile" : "fast_run";
  Query query = {.include = {base}, .require = mode.required(), .exclude = mode.excluded()};
  query.include.insert(query.include.end(), mode.included().begin(), mode.included().end());
  return query;
}

Effects modeEffects(const Mode &mode) {
  return mode.name() == "strict"      ? kStrictEffects
         : mode.name() == "fast_math" ? kAllEffects
                                      : kDefaultEffects;
}

Optimizations modeOptimizations(const Mode &mode) {
  Optimizations optimizations;
  for (const std::string &name : mode.excluded())
    if (std::optional<Optimization> one = optimizationOf(name))
      optimizations.takeOut(*one);
  return optimizations;
}

absl::Status checkRewriteNames(const Query &query) {
  using Entry = RewriteDatabase::Entry;
  const std::vector<Entry> &entries = builtinRewrites().entries();
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
