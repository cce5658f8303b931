//===- History.h - what became slower since an earlier run --------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "Report.h"
#include "absl/status/statusor.h"

namespace graphc::bench {

struct Comparison {
  /// A table of what became slower or faster, and a line on the rest.
  std::string text;
  int slower = 0;
};

/// `before` is the text of a JSON file of an earlier run, named `name` in errors. A case is
/// compared by its ratio to the rival of the earlier run that was hardest to reach, which the
/// machine's state touches little, and by its time where there is no such rival now; compilation
/// and time per node are compared by their time. It counts as changed if the intervals are apart
/// and the medians differ by more than 5 % (times that are no ratios: 25 %). ValueError for what is
/// no such file.
absl::StatusOr<Comparison> compareWith(std::string_view before, std::string_view name,
                                       const Report &now);

} // namespace graphc::bench
