//===- Rewrites/OwnRewrites.h - a Mode's rewrites of its own ----*- C++ -*-===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Rewrites/Selections.h"
#include "graphc/Rewrite.h"

namespace graphc::detail {

/// The built-in rewrites and a program's own, which have the tag kTag. Thread-safe.
class OwnRewrites {
public:
  static constexpr const char *kTag = "own";

  /// Those of `before`, if any, and the entries of `added`.
  OwnRewrites(const OwnRewrites *before, const RewriteDatabase &added);

  /// ValueError where a name stands for two rewrites.
  const absl::Status &status() const { return status_; }
  const RewriteDatabase &all() const { return all_; }
  const Selections &selections() const { return selections_; }
  std::vector<std::string> names() const;
  /// Another one for each object of the process: what tells them apart in keys.
  uint64_t serial() const { return serial_; }

private:
  RewriteDatabase own_, all_;
  absl::Status status_;
  Selections selections_;
  uint64_t serial_;
};

} // namespace graphc::detail
