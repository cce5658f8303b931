//===- Control/LastValues.h - states of which the end is read ------*- C++ -*-===//
#pragma once

#include <vector>

#include "Control/LoopEdit.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// F-325: the states of a loop of whose stacked values a graph reads nothing but the last one,
/// `all[-1]` or `all[-1:]`, with further indices or none. The loop keeps that alone; what read it
/// is made of it. After no steps the one fails as before, the other is empty.
class LastValues {
public:
  /// Changes `edit.loop.keepsLast`.
  static absl::StatusOr<LastValues> find(const FunctionGraph &graph, const Apply &node,
                                         LoopEdit &edit);

  /// Whether the node's result `result` is one of them.
  bool isKept(int result) const { return !readers_[size_t(result)].empty(); }
  /// What the readers of such a result are, now that the loop gives `last`.
  absl::Status replace(int result, const Variable &last, Replacements &replacements) const;

private:
  std::vector<std::vector<Apply>> readers_; // by result of the node
  Variable steps_;                          // how many there are, at most, as an int64
};

} // namespace graphc
