//===- FunctionState.h - what a Function holds --------------------*- C++ -*-===//
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "API/Arguments.h"
#include "API/Invoker.h"
#include "Support/Fork.h"
#include "Support/Hash.h"
#include "absl/container/fixed_array.h"

namespace graphc {

/// The graph that a function was made of, whose inputs are its slots, and how. Thread-safe.
class FunctionSource {
public:
  using Read = std::function<absl::StatusOr<GraphModule>()>;
  FunctionSource(GraphModule module, FunctionOptions options);
  /// Of a graph that is only read when somebody asks.
  FunctionSource(Read read, FunctionOptions options);

  absl::StatusOr<const GraphModule *> module() const;
  const FunctionOptions &options() const { return options_; }

private:
  Read read_;
  FunctionOptions options_;
  mutable ShortMutex mutex_;
  mutable std::optional<GraphModule> module_;
};

struct Function::State {
  Signature signature;
  std::vector<Type> outputTypes;
  std::shared_ptr<const std::vector<std::string>> outputNames;
  /// The same for results; null where no output has a name: most calls need not keep it alive.
  std::shared_ptr<const std::vector<std::string>> resultNames;
  std::unique_ptr<const Invoker> invoker;
  /// What calls of its own signature are where they are only calls of code: of this, or of one of
  /// its versions.
  detail::BoundCall code;
  std::shared_ptr<const FunctionSource> source;
  std::optional<Profile> profile;
  mutable std::atomic<bool> trustInput = false;

  /// By outputs: calls of just these. Empty at first.
  mutable ShortMutex mutex;
  mutable std::map<std::vector<size_t>, std::unique_ptr<const Invoker>> subsets;

  State() = default;
  /// Of a graph whose inputs are these slots. The signature gets what calls give.
  State(std::string name, std::vector<Slot> slots, std::shared_ptr<const Runner> runner,
        std::vector<Type> outputTypes, std::vector<std::string> outputNames,
        std::vector<bool> areBorrowed, size_t numResults,
        std::shared_ptr<const FunctionSource> source);
  const Runner &runner() const { return invoker->runner(); }
  /// Fills in what the runner gives, with the extents of the types. False for no code.
  bool fillDirect(detail::BoundCall &call) const;
  /// All results where the call is only a call of code (CallAtOnce.cpp); false where it is more, or
  /// fails.
  bool callAtOnce(absl::Span<const Tensor *const> arguments, std::vector<Tensor> &results) const;
  bool callAtOnce(absl::Span<const detail::NumberArgument> numbers,
                  std::vector<Tensor> &results) const;
  /// After a call of a function without containers that went the general way.
  void findVersion(absl::Span<const Tensor> arguments, const std::vector<Tensor> &results) const;
  /// IndexError, KeyError.
  absl::StatusOr<std::vector<size_t>> numbersOf(const OutputSubset &subset) const;
  absl::StatusOr<const Invoker *> subset(const std::vector<size_t> &outputs) const;
  /// From now on calls are the profile's of that part; null for none.
  void attach(const std::shared_ptr<ProfilePart> &part);
  absl::StatusOr<std::shared_ptr<const Runner>> copyRunner(const std::shared_ptr<ProfilePart> &part,
                                                           bool sharesMemory) const;

private:
  /// What types say, flat.
  struct Kind {
    DType dtype;
    size_t rank;
  };
  std::vector<Kind> inputKinds, outputKinds;
  size_t numOutputAxes = 0; ///< of all outputs
  using Memory = absl::FixedArray<void *, 64>;
  void prepareCode();
  template <class Fits> const detail::BoundCall *codeFor(Fits fits) const;
  /// `memory`: that of the arguments, with room for what is behind it.
  bool callCode(const detail::BoundCall &call, void **memory, std::vector<Tensor> &results) const;
};

/// ValueError for a handle of none: "the Function to bind".
absl::Status noFunction(std::string_view what);

/// resolve, and the names of outputs by which results are found.
absl::StatusOr<Resolved> resolveNamed(const std::vector<Param> &inputs, GraphModule module,
                                      const FunctionOptions &options, Place place);
/// The outputs that `function` was given, and its name, as a module.
GraphModule moduleOf(const OutputList &outputs, const FunctionOptions &options);
std::vector<bool> areBorrowed(const OutputList &outputs);

/// Of a graph that was read. `storeAs` as in makeRunner.
absl::StatusOr<Function> makeFileFunction(GraphModule module, FunctionOptions options,
                                          const std::optional<Hash128> &storeAs,
                                          std::shared_ptr<ProfilePart> profile);

} // namespace graphc
