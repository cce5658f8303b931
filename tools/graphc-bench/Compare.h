//===- Compare.h - a function beside a loop -----------------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "Case.h"
#include "absl/functional/function_ref.h"
#include "graphc/graphc.h"

namespace graphc::bench {

/// A graph of one output, with the values that it is run on.
struct Example {
  std::string name; // in Expected.h
  Variables inputs;
  Variable output;
  std::vector<Tensor> values;
};

/// Calls the example compiled, which gives a new Tensor each time, and beside it `peer`, which
/// writes to the same `memory` again and again. Both results are checked.
absl::StatusOr<Subject> compare(Example example, std::function<void(void *memory)> peer,
                                const Settings &settings);

/// body(begin, end) for all of [0, extent), on as many threads as compiled code uses.
void onThreads(int64_t extent, const Settings &settings,
               absl::FunctionRef<void(int64_t begin, int64_t end)> body);

} // namespace graphc::bench
