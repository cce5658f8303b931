//===- graphc/Function.h - compiling and calling ----------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Bound.h"
#include "graphc/FunctionOptions.h"
#include "graphc/Import.h"
#include "graphc/Profile.h"
#include "graphc/Shared.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"

namespace graphc {

namespace detail {
class Container;
} // namespace detail
struct Slot;
class FunctionGraph;

/// What a call gives: one Tensor per output. A default-constructed one is that of no outputs.
class Results {
public:
  Results() = default;
  /// `names`, if any, are as many as `values`, or the last values have none.
  Results(std::vector<Tensor> values, std::shared_ptr<const std::vector<std::string>> names)
      : values_(std::move(values)), names_(std::move(names)) {}

  size_t size() const { return values_.size(); }
  /// An undefined Tensor, and a warning, where there is no such output.
  const Tensor &operator[](size_t i) const &;
  Tensor operator[](size_t i) const && { return (*this)[i]; }
  /// By the name that its Out or Variable has.
  const Tensor &operator[](std::string_view name) const &;
  Tensor operator[](std::string_view name) const && { return (*this)[name]; }
  /// The same. KeyError, with the names that there are.
  absl::StatusOr<Tensor> at(std::string_view name) const;
  /// The number in the only output; T(), and a warning, unless there is exactly one output with one
  /// element.
  template <class T> T item() const { return only().item<T>(); }
  operator std::vector<Tensor>() && { return std::move(values_); }
  operator const std::vector<Tensor> &() const & { return values_; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

private:
  const Tensor &only() const;
  /// The output of that name, or null.
  const Tensor *find(std::string_view name) const;
  std::string unknown(std::string_view name) const;
  std::vector<Tensor> values_;
  std::shared_ptr<const std::vector<std::string>> names_;
};

struct NamedValue {
  std::string_view name;
  Tensor value;
};

/// Some outputs of a function, by number or by name: `{0, 2}`, `{"loss"}`.
class OutputSubset {
public:
  OutputSubset(std::initializer_list<size_t> numbers) : numbers_(numbers) {}
  OutputSubset(std::vector<size_t> numbers) : numbers_(std::move(numbers)) {}
  OutputSubset(std::initializer_list<std::string_view> names)
      : names_(names.begin(), names.end()) {}
  OutputSubset(std::vector<std::string> names) : names_(std::move(names)) {}
  // One of the two lists is empty:
  const std::vector<size_t> &numbers() const { return numbers_; }
  const std::vector<std::string> &names() const { return names_; }

private:
  std::vector<size_t> numbers_;
  std::vector<std::string> names_;
};

/// What a call says beside its arguments.
struct CallOptions {
  /// F-217: only these outputs, in this order, by number or name; what only others need is not
  /// computed, but all updates are. IndexError, KeyError. What is computed for a subset is compiled
  /// when it is first asked for.
  std::optional<OutputSubset> outputSubset = std::nullopt;
};

/// A value that a Function keeps: a default, a state, or a shared variable's; `f["s"]`. Keeps the
/// value, not the Function, alive. Thread-safe, as SharedVariable.
class StoredValue {
public:
  /// A copy, unless it is borrowed; undefined for an input that has no value until a call gives it.
  /// TypeError for what the Function does not have.
  absl::StatusOr<Tensor> get(BorrowOptions options = {}) const;
  /// TypeError where there is no value to replace, or this one does not fit.
  absl::Status set(const Tensor &value, BorrowOptions options = {}) const;
  /// Whether both are the same value, or none.
  friend bool operator==(const StoredValue &a, const StoredValue &b) {
    return a.container_ == b.container_;
  }

private:
  friend class Function;
  std::string label_;
  absl::Status status_; // of a value that is not there
  std::shared_ptr<detail::Container> container_;
};

/// F-209 to F-214.
struct CopyOptions {
  /// Old and new shared variables, of the same type, all at once: `{{a, b}, {b, a}}` exchanges two.
  /// ValueError for one that the Function does not have, or that two updates would meet in;
  /// TypeError.
  std::vector<std::pair<SharedVariable, SharedVariable>> swap = {};
  /// No call of the copy stores anything.
  bool deleteUpdates = false;
  /// By default the old name and " copy"; none where there is none.
  std::optional<std::string> name = std::nullopt;
  /// F-213: take intermediate memory from where the other function takes it. A call has what it
  /// took to itself, so that both functions may be called at once all the same.
  bool shareMemory = false;
  /// Of the copy alone; as FunctionOptions::profile.
  ProfileOption profile = {};
};

/// A compiled graph. A cheap handle; equal by identity (F-208). Calls from many threads at once
/// are right. They run in parallel, but for calls with updates: of those that have a shared
/// variable in common one waits for the other, and each is whole (F-219). One that was
/// default-constructed or moved from is none: it has no inputs and outputs, and `bind` and calls
/// are ValueError.
class Function {
public:
  Function() = default;
  explicit operator bool() const { return state_ != nullptr; }

  /// Positional arguments: Tensors and C++ numbers. Errors: TypeError for count, dtype, rank
  /// and extents (F-045), ShapeError, IndexError and what else the graph's ops can raise.
  template <class... A>
    requires(std::is_convertible_v<A, Tensor> && ...)
  absl::StatusOr<Results> operator()(A &&...arguments) const {
    if constexpr (sizeof...(A) > 0 && (Number<std::remove_cvref_t<A>> && ...)) {
      const detail::NumberArgument numbers[] = {
          detail::NumberArgument::of<std::remove_cvref_t<A>>(arguments)...};
      return callWithNumbers(numbers);
    } else if constexpr (sizeof...(A) > 0 &&
                         (std::is_same_v<std::remove_cvref_t<A>, Tensor> && ...)) {
      const Tensor *values[] = {&arguments...};
      if (Results results; callAtOnce(values, results))
        return results;
      Tensor copies[] = {std::forward<A>(arguments)...};
      return callInGeneral(absl::MakeSpan(copies));
    } else {
      Tensor values[sizeof...(A) + 1] = {Tensor(std::forward<A>(arguments))...};
      return callWith(absl::MakeSpan(values, sizeof...(A)));
    }
  }
  /// Positional arguments first, the rest by name (F-201).
  absl::StatusOr<Results> call(std::vector<Tensor> &&positional, std::vector<NamedValue> named = {},
                               const CallOptions &options = {}) const;
  absl::StatusOr<Results> call(const std::vector<Tensor> &positional,
                               std::vector<NamedValue> named = {},
                               const CallOptions &options = {}) const;

  /// F-204 to F-207: the value that it keeps under a name, for a Variable (also one of its shared
  /// variables), or at a position among the inputs.
  StoredValue operator[](std::string_view key) const;
  StoredValue operator[](const Variable &key) const;
  StoredValue operator[](size_t position) const;
  /// F-207: what `f[key]` gives for every name that one input or shared variable has.
  std::map<std::string, StoredValue> finder() const;
  /// F-207: the input or shared variable whose value it is. TypeError where there is none.
  absl::StatusOr<Variable> invFinder(const StoredValue &value) const;

  /// F-209: another function with the same code. Shared variables stay the same ones, unless they
  /// are swapped; states and defaults go on from their values now.
  absl::StatusOr<Function> copy(const CopyOptions &options = {}) const;
  /// F-220: those that it reads or updates.
  std::vector<SharedVariable> sharedVariables() const;
  /// F-220: its graph after the rewrites of its mode, but for those of loops, and for large
  /// constants, which compiled code computes: `debugPrint(*f.graph())`. Inputs are the listed ones
  /// and then shared variables, outputs its own and then next values
  /// (FunctionGraph::updateMapping). It is made anew, and the caller's.
  absl::StatusOr<FunctionGraph> graph() const;

  /// F-215: gives back the memory that calls have left for later ones, also for next values of its
  /// shared variables. Not that of calls which run.
  void free() const;
  /// F-199: arguments are taken as they are; one that is not of its input's type is refused
  /// (TypeError) instead of being converted. Holds for all handles of this function.
  void setTrustInput(bool trust) const;
  bool trustInput() const;

  /// F-216: writes the function to a file: its graph, constants, defaults, states, the values of
  /// its shared variables, its options, and its code, for processors of this kind and this build of
  /// graphc. `loadFunction` makes another function of it. NotSupported for ops that are not in the
  /// registry, whose code no file has; Io, after which the path is as before.
  absl::Status save(const std::string &path) const;

  /// A typed call; see Bound. TypeError if the signature does not fit the function; also if a
  /// result without a Status is asked for where a call can fail: where there are Views, shapes that
  /// are not known, indices or host calls.
  template <class Signature> absl::StatusOr<Bound<Signature>> bind() const {
    return bindAs(static_cast<Bound<Signature> *>(nullptr));
  }

  const std::string &name() const;
  /// Names and types of the inputs that calls give, and of outputs, in order.
  const std::vector<std::string> &inputNames() const;
  const std::vector<Type> &inputTypes() const;
  const std::vector<std::string> &outputNames() const;
  const std::vector<Type> &outputTypes() const;

  /// What it has done since it was made, over all threads; for tests that count.
  struct Counters {
    int64_t calls = 0;
    int64_t kernelRuns = 0;
    /// Shape sets solved, arenas allocated, bytes copied between buffers.
    int64_t plans = 0;
    int64_t arenas = 0;
    int64_t bytesCopied = 0;
    /// Times that independent parts of the graph ran side by side (FunctionOptions::threads).
    int64_t forks = 0;
    /// Distinct kernels in it.
    int64_t kernels = 0;
    /// Sets of extents that have code of their own (FunctionOptions::specialisations), and calls
    /// that ran it; typed calls that are only a call of code are not counted.
    int64_t specialisations = 0;
    int64_t specialisedCalls = 0;
  };
  Counters counters() const;

  /// The record that FunctionOptions::profile gave it; nothing if none did.
  std::optional<Profile> profile() const;

  friend bool operator==(const Function &a, const Function &b) { return a.state_ == b.state_; }
  size_t hash() const { return std::hash<const void *>()(state_.get()); }

  struct State;
  explicit Function(std::shared_ptr<const State> state) : state_(std::move(state)) {}

private:
  template <class R, class... A> absl::StatusOr<Bound<R(A...)>> bindAs(Bound<R(A...)> *) const {
    std::vector<detail::BoundArgument> arguments = {detail::BoundTraits<A>::argument...};
    bool returnsStatus = Bound<R(A...)>::kReturnsStatus;
    if constexpr (Bound<R(A...)>::kReturnsValue)
      arguments.push_back({DTypeOf<R>::value, 0, true});
    absl::StatusOr<detail::BoundCall> call = prepare(arguments, returnsStatus);
    if (!call.ok())
      return call.status();
    return Bound<R(A...)>(*std::move(call));
  }
  const State &state() const;
  const std::vector<Slot> &slots() const;
  absl::StatusOr<detail::BoundCall> prepare(absl::Span<const detail::BoundArgument> arguments,
                                            bool returnsStatus) const;
  /// False where the call is more than a call of code, or fails.
  bool callAtOnce(absl::Span<const Tensor *const> arguments, Results &results) const;
  // These may take the values out of `positional`.
  absl::StatusOr<Results> callWith(absl::Span<Tensor> positional) const;
  /// The same where callAtOnce was tried.
  absl::StatusOr<Results> callInGeneral(absl::Span<Tensor> positional) const;
  absl::StatusOr<Results> callWithNumbers(absl::Span<const detail::NumberArgument> numbers) const;

  std::shared_ptr<const State> state_;
};

/// F-218: of an error that a node raised in a call, what that node was given, as lines of text: its
/// position among the nodes of the graph as it was built (in an order in which they can run), its
/// place; of each operand its type with the call's extents, its strides (in elements), its elements
/// where they are few (kDetailedElements), and what makes it, with the place. Empty for other
/// errors, and where it would take too long to find out: such a call's graph is evaluated once
/// more, up to the node, with at most some 100,000 iterations. Calls that do not fail pay nothing.
/// Not of ops that overwrite operands (FunctionOptions::acceptInplace), nor of graphs that print.
std::string errorDetails(const absl::Status &status);
inline constexpr int64_t kDetailedElements = 16;

/// Compiles `outputs` as a function of `inputs`. The graph itself is not changed, and nothing done
/// to it later changes the Function.
/// Errors: the first error that a Variable carries; TypeError, MissingInput and UnusedInput as
/// F-152 to F-167 say; ValueError for an unknown mode or target, for negative threads, and for a
/// name that two outputs are given; what compiling can raise.
/// Thread-safe.
absl::StatusOr<Function> function(InputList inputs, OutputList outputs,
                                  FunctionOptions options = {},
                                  std::source_location loc = std::source_location::current());
/// The same for a graph that was loaded.
absl::StatusOr<Function> function(const GraphModule &module, FunctionOptions options = {});

/// F-200: writes what `function` would make of the same, without compiling it; `loadFunction` and
/// the command-line tool take the file. Errors: those of `function` before it compiles, and those
/// of Function::save.
absl::Status functionDump(const std::string &path, InputList inputs, OutputList outputs,
                          FunctionOptions options = {},
                          std::source_location loc = std::source_location::current());

struct LoadOptions {
  /// Run the code that is in the file, if it is for this kind of processor and this build of
  /// graphc: nothing is compiled, and the compiler's library is not loaded. Such a file can do
  /// whatever the process may, so it must come from somebody who may, too. Without it, code in the
  /// file is passed over and its graph compiled anew.
  bool trustCode = false;
  /// In place of what the function was made with. A mode with rewrites or callbacks of the
  /// program's own (Mode::withRewrites, Mode::monitor) is in no file: unless trusted code is run,
  /// which is what those rewrites made, it must be given here; else KeyError or ValueError.
  std::optional<int> threads = std::nullopt;
  std::optional<Mode> mode = std::nullopt;
  /// As FunctionOptions::cancellation, where the graph must be compiled.
  std::optional<Cancellation> cancellation = std::nullopt;
};
/// A function that was saved, or dumped. It has shared variables of its own, with the values that
/// were written (`sharedVariables`, `f["name"]`). Io for what is no such file, was damaged, or has
/// a version that this graphc does not know; what `function` can raise. Thread-safe.
absl::StatusOr<Function> loadFunction(const std::string &path, const LoadOptions &options = {});

/// The same for a file: loadGraph or, for a name that ends in ".onnx", loadOnnx, then `function`.
/// Graph text that was compiled before with these options is not even parsed: its code comes from
/// the user's cache folder. `entry` as in loadGraph.
absl::StatusOr<Function> compileFile(const std::string &path, FunctionOptions options = {},
                                     const std::string &entry = {});

} // namespace graphc

template <> struct std::hash<graphc::Function> {
  size_t operator()(const graphc::Function &f) const { return f.hash(); }
};
