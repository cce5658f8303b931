//===- Control/LastValues.h - results of which the end is read -----*- C++ -*-===//
#pragma once

#include <optional>
#include <vector>

#include "Control/LoopEdit.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// F-325: the results of a loop of whose rows a graph reads nothing but the last ones: `all[-1]`,
/// `all[-k:]`, `all[n - 1]` of n rows, a part of such a part. The loop keeps these alone, and what
/// read them has the same index, from the end. Of a state of which the last value alone is read it
/// gives that, without an axis: after no steps what read `all[-1]` fails as before, `all[-1:]` is
/// empty.
class LastValues {
public:
  /// Changes `keepsLast`, `stateRows` and `mappedRows` of `edit.loop`.
  static absl::StatusOr<LastValues> find(const FunctionGraph &graph, const Apply &node,
                                         LoopEdit &edit);

  /// Whether the node's result `result` is one of them.
  bool isKept(int result) const { return !readers_[size_t(result)].empty(); }
  /// What the readers of such a result are, now that the loop gives `fresh`.
  absl::Status replace(int result, const Variable &fresh, Replacements &replacements) const;

private:
  /// Parts of parts, the last of which reads so many rows of the end alone.
  using Reader = std::vector<Apply>;
  static std::optional<int64_t> rowsReadOf(const FunctionGraph &graph, const Variable &all,
                                           Reader &way, std::vector<Reader> &readers);
  /// What `all[-1]` or `all[-1:]` is of the last value.
  Variable ofLast(const Apply &reader, const Variable &last) const;

  std::vector<std::vector<Reader>> readers_; // by result of the node
  std::vector<bool> areOfLast_;              // likewise
  Variable steps_;                           // how many there are, at most, as an int64
};

/// Who reads nothing but the end of `joinChunks(chunks, rest)`, as a loop with checkpoints gives
/// its results, reads the last chunks and the last rows of what is left.
absl::Status readEndsOfChunks(FunctionGraph &graph);

} // namespace graphc
