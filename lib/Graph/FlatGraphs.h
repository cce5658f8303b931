//===- Graph/FlatGraphs.h - graphs without OpFromGraphs ---------*- C++ -*-===//
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "Support/Fork.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FrozenGraph.h"

namespace graphc::detail {

class InnerGraph;

/// What InnerGraph::flat made for records and types of inputs that were asked for lately: of all
/// records in the process together at most so many nodes, since a nest has as many flat graphs as
/// levels, each with all nodes below. Thread-safe.
class FlatGraphs {
public:
  using Flat = absl::StatusOr<std::shared_ptr<const FrozenGraph>>;
  /// Some hundred bytes each.
  static constexpr int64_t kMostNodes = int64_t(1) << 20;

  explicit FlatGraphs(int64_t mostNodes = kMostNodes) : mostNodes_(mostNodes) {}
  static FlatGraphs &ofProcess();

  std::optional<Flat> find(const InnerGraph *record, const std::vector<Type> &types);
  /// Of two for the same the first stays, and is returned. One that is larger than all may be is
  /// not kept.
  Flat keep(const InnerGraph *record, const std::vector<Type> &types, Flat flat);
  /// Drops what is kept for a record.
  void forget(const InnerGraph *record);
  /// Nodes and types that are kept.
  int64_t size() const;

private:
  struct Entry {
    const InnerGraph *record;
    std::vector<Type> types;
    Flat flat;
    int64_t size;
  };
  using Entries = std::list<Entry>;

  const int64_t mostNodes_;
  mutable ShortMutex mutex_; // guards what follows
  Entries entries_;          // the one that was asked for last first
  absl::flat_hash_map<const InnerGraph *, absl::flat_hash_map<std::vector<Type>, Entries::iterator>>
      known_;
  int64_t size_ = 0;
};

} // namespace graphc::detail
