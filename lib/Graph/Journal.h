//===- Graph/Journal.h - which edges have changed since a checkpoint ------===//
#pragma once

#include <string>
#include <vector>

#include "graphc/Feature.h"

namespace graphc::detail {

/// Written only while checkpoints are open. Shared by a FunctionGraph and its Checkpoints, which
/// may outlive it.
class Journal {
public:
  struct Entry {
    Client client;
    Variable old;
    std::string reason;
  };

  bool active() const { return !open_.empty(); }
  void note(Client client, Variable old, std::string_view reason) {
    if (active())
      entries_.push_back({std::move(client), std::move(old), std::string(reason)});
  }

  uint64_t open() {
    open_.push_back({++lastSerial_, entries_.size()});
    return lastSerial_;
  }
  bool isYoungest(uint64_t serial) const { return active() && open_.back().serial == serial; }
  /// Removes the entries since the youngest checkpoint, which stays open.
  std::vector<Entry> takeSinceYoungest() {
    auto first = entries_.begin() + ptrdiff_t(open_.back().position);
    std::vector<Entry> taken(std::make_move_iterator(first),
                             std::make_move_iterator(entries_.end()));
    entries_.erase(first, entries_.end());
    return taken;
  }
  void close(uint64_t serial) {
    std::erase_if(open_, [&](const Open &each) { return each.serial == serial; });
    if (!active())
      entries_.clear();
  }

private:
  struct Open {
    uint64_t serial;
    size_t position;
  };
  std::vector<Entry> entries_;
  std::vector<Open> open_;
  uint64_t lastSerial_ = 0;
};

} // namespace graphc::detail
