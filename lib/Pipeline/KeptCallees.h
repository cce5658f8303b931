//===- KeptCallees.h - what was compiled of one graph lately ------*- C++ -*-===//
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Kernels/EmitGraph.h"
#include "Support/Fork.h"

namespace graphc {

/// The callees of one OpFromGraph that were asked for lately; of a program that goes on to new
/// static shapes the last kMost. Thread-safe.
class KeptCallees {
public:
  static constexpr size_t kMost = 64;
  /// What a callee was made for.
  struct Key {
    std::string mode;
    std::vector<Type> types;
    UsedOutputs used;
    friend bool operator==(const Key &, const Key &) = default;
  };

  /// Null where there is none.
  std::shared_ptr<const Callee> find(const Key &key) const;
  /// Of two for the same the first stays, and is returned.
  std::shared_ptr<const Callee> keep(Key key, std::shared_ptr<const Callee> callee) const;

private:
  using Entries = std::list<std::pair<Key, std::shared_ptr<const Callee>>>;

  /// Locked.
  std::shared_ptr<const Callee> lookUp(const Key &key) const;

  mutable ShortMutex mutex_; // guards what follows
  mutable Entries entries_;  // the one that was asked for last first
};

} // namespace graphc
