//===- FunctionState.h - what a Function holds --------------------*- C++ -*-===//
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "API/Arguments.h"
#include "API/Invoker.h"
#include "Support/Hash.h"

namespace graphc {

struct Function::State {
  Signature signature;
  std::vector<Type> outputTypes;
  std::shared_ptr<const std::vector<std::string>> outputNames;
  std::unique_ptr<const Invoker> invoker;
  std::optional<Profile> profile;

  /// What subsets of the outputs are compiled from; null where there are no outputs to choose.
  struct Source {
    GraphModule module;
    FunctionOptions options;
  };
  std::shared_ptr<const Source> source;
  /// By outputs: calls of just these. Empty at first.
  mutable std::mutex mutex;
  mutable std::map<std::vector<size_t>, std::unique_ptr<const Invoker>> subsets;

  State() = default;
  /// Of a graph whose inputs are these slots. The signature gets what calls give.
  State(std::string name, std::vector<Slot> slots, std::shared_ptr<const Runner> runner,
        std::vector<Type> outputTypes, std::vector<std::string> outputNames, size_t numResults);
  const Runner &runner() const { return invoker->runner(); }
  absl::StatusOr<const Invoker *> subset(const std::vector<size_t> &outputs) const;
  absl::StatusOr<std::shared_ptr<const Runner>>
  copyRunner(const std::shared_ptr<ProfilePart> &part) const;
};

/// Of a graph that was read. `storeAs` and `profile` as in makeRunner.
absl::StatusOr<Function> makeFileFunction(GraphModule module, FunctionOptions options,
                                          const std::optional<Hash128> &storeAs,
                                          std::shared_ptr<ProfilePart> profile);

} // namespace graphc
