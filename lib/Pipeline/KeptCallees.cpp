//===- KeptCallees.cpp ----------------------------------------------------===//
#include "KeptCallees.h"

#include <algorithm>

namespace graphc {

std::shared_ptr<const Callee> KeptCallees::lookUp(const Key &key) const {
  auto found = std::ranges::find(entries_, key, &Entries::value_type::first);
  if (found == entries_.end())
    return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->second;
}

std::shared_ptr<const Callee> KeptCallees::find(const Key &key) const {
  std::lock_guard lock(mutex_);
  return lookUp(key);
}

std::shared_ptr<const Callee> KeptCallees::keep(Key key,
                                                std::shared_ptr<const Callee> callee) const {
  Entries dropped; // goes after the lock
  std::lock_guard lock(mutex_);
  if (std::shared_ptr<const Callee> known = lookUp(key))
    return known;
  entries_.emplace_front(std::move(key), callee);
  if (entries_.size() > kMost)
    dropped.splice(dropped.end(), entries_, std::prev(entries_.end()));
  return callee;
}

} // namespace graphc
