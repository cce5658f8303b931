//===- Ops/IndexSpec.h - the attribute `index` of subtensor -----------*- C++ -*-===//
//
//   entry { ", " entry }   entry: position | slice | "newaxis" | "..."
//   position: term         slice: [term] ":" [term] [":" [term]]
//   term: a number, or "$k" for integer operand k (counted after x)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace graphc {

struct IndexTerm {
  enum class Kind { Absent, Number, Operand };
  Kind kind = Kind::Absent;
  int64_t value = 0; // the number, or the operand's

  static IndexTerm number(int64_t value) { return {Kind::Number, value}; }
  static IndexTerm operand(int64_t k) { return {Kind::Operand, k}; }
  bool is(int64_t number) const { return kind == Kind::Number && value == number; }
  bool isAbsent() const { return kind == Kind::Absent; }
  bool isBelowZero() const { return kind == Kind::Number && value < 0; }
};

struct IndexEntry {
  enum class Kind { Position, Slice, NewAxis, Ellipsis };
  Kind kind;
  IndexTerm start, stop, step; // a Position is its `start`

  bool isWhole() const {
    return kind == Kind::Slice && start.isAbsent() && stop.isAbsent() &&
           (step.isAbsent() || step.is(1));
  }
};

using IndexSpec = std::vector<IndexEntry>;

/// ValueError, naming the entry, for text that is no index.
absl::StatusOr<IndexSpec> parseIndex(std::string_view text);
std::string formatIndex(const IndexSpec &index);

/// The ellipsis becomes whole slices, and missing entries are appended, so that each axis of an
/// operand of that rank has its entry. IndexError for too many, ValueError for two ellipses.
absl::StatusOr<IndexSpec> expandIndex(const IndexSpec &index, int rank);

} // namespace graphc
