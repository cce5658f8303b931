//===- Graph/InnerGraph.cpp -----------------------------------------------===//
#include "Graph/InnerGraph.h"

#include <algorithm>

#include "Support/Hash.h"

namespace graphc {

using detail::FrozenRule;
using detail::InnerGraph;
using detail::InnerTraits;

//===--- equal graphs are one record --------------------------------------===//

namespace {

using Records = std::vector<std::weak_ptr<const InnerGraph>>;

/// Those that somebody holds, by hash.
struct Table {
  ShortMutex mutex;
  absl::flat_hash_map<uint64_t, Records> records;
};

Table &table() {
  static auto &theTable = *new Table;
  return theTable;
}

void forget(uint64_t hash) {
  std::lock_guard lock(table().mutex);
  auto found = table().records.find(hash);
  if (found == table().records.end()) // another one of that hash went at the same time
    return;
  std::erase_if(found->second, [](const auto &record) { return record.expired(); });
  if (found->second.empty())
    table().records.erase(found);
}

/// Deletes a record, whose graph may hold the last handle of another one: one after the other, so
/// that a deep nest needs no deep stack.
void releaseRecord(const InnerGraph *record) {
  static thread_local std::vector<const InnerGraph *> *waiting = nullptr;
  if (waiting) {
    waiting->push_back(record);
    return;
  }
  std::vector<const InnerGraph *> mine = {record};
  waiting = &mine;
  while (!mine.empty()) {
    const InnerGraph *last = mine.back();
    mine.pop_back();
    forget(last->hash());
    delete last;
  }
  waiting = nullptr;
}

void addTo(Hasher &hasher, const FrozenRule &rule) {
  hasher.add(rule.entries.size());
  for (const FrozenRule::Entry &entry : rule.entries)
    hasher.add(int(entry.kind)).addString(entry.reason).add(entry.output);
  hasher.add(rule.graph ? rule.graph->hash() : 0);
  for (int32_t input : rule.reads)
    hasher.add(input);
}

uint64_t hashOf(const FrozenGraph &graph, const Variables &captured, const InnerTraits &traits) {
  Hasher hasher;
  hasher.add(graph.hash());
  for (const Variable &v : captured)
    hasher.add(reinterpret_cast<uintptr_t>(v.node()));
  hasher.add(int(traits.inlining));
  addTo(hasher, traits.pullback);
  addTo(hasher, traits.pushforward);
  for (const std::vector<bool> &row : traits.connection)
    for (bool connected : row)
      hasher.add(connected);
  for (int input : traits.destroyMap)
    hasher.add(input);
  hasher.add(traits.numSlices);
  return hasher.finish();
}

int64_t numNodesOf(const std::vector<Apply> &nodes) {
  int64_t count = 0;
  for (const Apply &node : nodes) {
    const std::shared_ptr<const InnerGraph> &record = detail::recordOf(node.op().def());
    count += 1 + (record ? record->numNodes() : 0);
    count = std::min(count, InnerGraph::kMostNodes + 1);
  }
  return count;
}

int levelsWithin(const std::vector<Apply> &nodes) {
  int levels = 0;
  for (const Apply &node : nodes)
    if (const std::shared_ptr<const InnerGraph> &record = detail::recordOf(node.op().def()))
      levels = std::max(levels, record->numLevels());
  return levels;
}

} // namespace

InnerGraph::InnerGraph(FrozenGraph graph, Variables captured, InnerTraits traits)
    : graph_(std::move(graph)), captured_(std::move(captured)), traits_(std::move(traits)),
      dependence_(graph_, traits_), hash_(hashOf(graph_, captured_, traits_)),
      numNodes_(numNodesOf(graph_.order())),
      numLevels_(levelsWithin(graph_.order()) + (traits_.numSlices > 0)) {}

std::shared_ptr<const InnerGraph> InnerGraph::intern(FrozenGraph graph, Variables captured,
                                                     InnerTraits traits) {
  // What is not needed, and what nobody else holds any more, is released after the lock.
  std::shared_ptr<const InnerGraph> made(
      new InnerGraph(std::move(graph), std::move(captured), std::move(traits)), releaseRecord);
  std::vector<std::shared_ptr<const InnerGraph>> looked;
  std::lock_guard lock(table().mutex);
  Records &records = table().records[made->hash()];
  for (const std::weak_ptr<const InnerGraph> &record : records)
    if (std::shared_ptr<const InnerGraph> known = record.lock()) {
      looked.push_back(known);
      if (known->captured_ == made->captured_ && known->traits_ == made->traits_ &&
          known->graph_ == made->graph_)
        return known;
    }
  records.push_back(made);
  return made;
}

absl::Status detail::tooLarge() {
  return makeError(ErrorKind::NotSupported,
                   "with the graphs of its OpFromGraphs in their places the graph has more than " +
                       std::to_string(InnerGraph::kMostNodes) + " nodes");
}

std::shared_ptr<const void> InnerGraph::find(std::string_view key) const {
  std::lock_guard lock(mutex_);
  auto found = memos_.find(key);
  return found == memos_.end() ? nullptr : found->second;
}

std::shared_ptr<const void> InnerGraph::keep(std::string_view key,
                                             std::shared_ptr<const void> value) const {
  std::lock_guard lock(mutex_);
  return memos_.try_emplace(std::string(key), std::move(value)).first->second;
}

} // namespace graphc
