//===- FunctionState.h - what a Function holds --------------------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "API/Arguments.h"
#include "API/Runner.h"
#include "Support/Hash.h"

namespace graphc {

struct Function::State {
  Signature signature;
  std::vector<Type> outputTypes;
  std::shared_ptr<const std::vector<std::string>> outputNames;
  std::unique_ptr<const Runner> runner;
};

/// Of a graph that was read. `storeAs` as in makeRunner.
absl::StatusOr<Function> makeFileFunction(GraphModule module, FunctionOptions options,
                                          const std::optional<Hash128> &storeAs);

} // namespace graphc
