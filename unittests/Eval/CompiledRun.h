//===- CompiledRun.h - graphs as compiled code --------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Eval/Evaluate.h"

namespace graphc {

struct Compilation {
  /// Without rewrites nothing is folded, so that every number comes from compiled code.
  bool rewrites = false;
  std::string target = "native";
};

/// What `function` computes. Graphs that are joined in one call compile kernels that they share
/// once.
TensorsOr runCompiled(const Variables &outputs, const Variables &inputs,
                      const std::vector<Tensor> &values, const Compilation &how = {});

/// A graph at these values.
struct GraphAt {
  Variables outputs, inputs;
  std::vector<Tensor> values;
};
/// Tells what each of them computes, by number: all compiled in one function, which compiles
/// kernels that are equal in several once. Where that fails it is a test failure, and each is run
/// on its own, to see which one it is.
void runTogether(const std::vector<GraphAt> &graphs, const Compilation &how,
                 const std::function<void(size_t number, const TensorsOr &results)> &tell);

/// Whether code for the target runs on this machine. For one thread.
bool canRun(const std::string &target);

/// OK if an object can be made of the graph for any target; it then calls libc and libm alone,
/// which the compiler checks.
absl::Status compileObject(const Variables &outputs, const Variables &inputs,
                           const Compilation &how);

} // namespace graphc
