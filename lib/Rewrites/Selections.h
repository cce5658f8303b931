//===- Rewrites/Selections.h - what queries select, made once ---*- C++ -*-===//
#pragma once

#include <utility>
#include <vector>

#include "Support/Fork.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// What queries select of a database, which must stay as it is: made when it is asked for first,
/// and kept for the first kMost queries. Thread-safe.
class Selections {
public:
  explicit Selections(const RewriteDatabase &database) : database_(database) {}

  /// As `rewrite` of graphc/Rewrite.h, with this database's entries.
  absl::StatusOr<RewriteReport> rewrite(FunctionGraph &graph, const RewriteOptions &options,
                                        const Query &query) const;

private:
  static constexpr size_t kMost = 16;
  GraphRewriterPtr find(const Query &query) const;

  const RewriteDatabase &database_;
  mutable ShortMutex mutex_;
  mutable std::vector<std::pair<Query, GraphRewriterPtr>> entries_;
};

} // namespace graphc
