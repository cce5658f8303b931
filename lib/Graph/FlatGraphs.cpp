//===- Graph/FlatGraphs.cpp -----------------------------------------------===//
#include "Graph/FlatGraphs.h"

namespace graphc::detail {

FlatGraphs &FlatGraphs::ofProcess() {
  static auto &all = *new FlatGraphs;
  return all;
}

std::optional<FlatGraphs::Flat> FlatGraphs::find(const InnerGraph *record,
                                                 const std::vector<Type> &types) {
  std::lock_guard lock(mutex_);
  auto ofRecord = known_.find(record);
  if (ofRecord == known_.end())
    return std::nullopt;
  auto found = ofRecord->second.find(types);
  if (found == ofRecord->second.end())
    return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->flat;
}

FlatGraphs::Flat FlatGraphs::keep(const InnerGraph *record, const std::vector<Type> &types,
                                  Flat flat) {
  int64_t size = int64_t(types.size()) + 1 + (flat.ok() ? int64_t((*flat)->numNodes()) : 0);
  if (size > mostNodes_)
    return flat;
  Entries dropped; // graphs go after the lock: they may hold the last handles of records
  std::lock_guard lock(mutex_);
  auto [found, isNew] = known_[record].try_emplace(types);
  if (!isNew)
    return found->second->flat;
  entries_.push_front({record, types, flat, size});
  found->second = entries_.begin();
  size_ += size;
  while (size_ > mostNodes_) {
    auto last = std::prev(entries_.end());
    size_ -= last->size;
    auto ofRecord = known_.find(last->record);
    ofRecord->second.erase(last->types);
    if (ofRecord->second.empty())
      known_.erase(ofRecord);
    dropped.splice(dropped.end(), entries_, last);
  }
  return flat;
}

void FlatGraphs::forget(const InnerGraph *record) {
  Entries dropped;
  std::lock_guard lock(mutex_);
  auto ofRecord = known_.find(record);
  if (ofRecord == known_.end())
    return;
  for (auto &[types, entry] : ofRecord->second) {
    size_ -= entry->size;
    dropped.splice(dropped.end(), entries_, entry);
  }
  known_.erase(ofRecord);
}

int64_t FlatGraphs::size() const {
  std::lock_guard lock(mutex_);
  return size_;
}

} // namespace graphc::detail
