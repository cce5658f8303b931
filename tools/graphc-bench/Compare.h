//===- Compare.h - a function beside a loop -----------------------*- C++ -*-===//
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Case.h"
#include "absl/functional/function_ref.h"
#include "graphc/graphc.h"

namespace graphc::bench {

/// Runs a function once more; its results are in `results` afterwards.
using Call = std::function<absl::Status(std::vector<Tensor> &results)>;

/// A graph with the values that it is run on.
struct Example {
  std::string name; // in Expected.h; with several results NAME.RESULT
  Variables inputs; // their names are those that workers know them by
  Variables outputs;
  std::vector<Tensor> values;
  Cost cost = {};
  /// Names of the outputs, where there are several results.
  std::vector<std::string> results = {};
  /// Shared variables that each call replaces by the value beside them; their next values are
  /// results, too. Such an example is checked after its first call alone.
  std::vector<std::pair<SharedVariable, Variable>> updates = {};
  /// What workers need besides: constants of the graph.
  std::vector<std::pair<std::string, Tensor>> constants = {};
  /// What workers call the computation, where that is not `name`, and its numbers (a stride).
  std::string formula = {};
  std::map<std::string, int64_t> numbers = {};
  /// Times the bound of results (Inputs.cpp): where thousands of terms cancel each other.
  double slack = 1;
  /// Calls of the compiled function on the values, where they are not to give new Tensors.
  std::function<absl::StatusOr<Call>(const Function &)> bind = {};
};

/// A rival in this process. It writes each result to the same memory again and again.
struct Hand {
  std::string name;
  std::function<void(void *const *results)> run;
};

/// Calls the example compiled, which gives new Tensors each time unless it is bound, and beside it
/// `hands` and all of `settings.workers` that know it. All results are checked.
absl::StatusOr<Subject> compare(Example example, std::vector<Hand> hands, const Settings &settings);
/// With one result and one loop by hand.
absl::StatusOr<Subject> compare(Example example, std::function<void(void *memory)> byHand,
                                const Settings &settings);

/// body(begin, end) for all of [0, extent), on as many threads as compiled code uses.
void onThreads(int64_t extent, const Settings &settings,
               absl::FunctionRef<void(int64_t begin, int64_t end)> body);

} // namespace graphc::bench
