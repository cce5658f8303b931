//===- graphc/Function.h - compiling and calling ----------------*- C++ -*-===//
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
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
#include "graphc/Import.h"
#include "graphc/Profile.h"
#include "graphc/Shared.h"
#include "graphc/Stage.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"

namespace graphc {

//===--- what a function takes and gives ------------------------------------===//

/// A value for an input, or the shared variable in which calls find it (F-160).
class InitialValue {
public:
  InitialValue(Tensor value) : value_(std::move(value)) {}
  template <Number T> InitialValue(T value) : value_(value) {}
  InitialValue(SharedVariable shared) : shared_(std::move(shared)) {}
  /// Undefined where there is a shared variable.
  const Tensor &value() const { return value_; }
  const std::optional<SharedVariable> &shared() const { return shared_; }

private:
  Tensor value_;
  std::optional<SharedVariable> shared_;
};

/// What a Param says beside its Variable; F-155 to F-163.
struct ParamOptions {
  /// Taken where a call gives none; with `update`, the state before the first call. Converted as an
  /// argument.
  std::optional<InitialValue> value = std::nullopt;
  /// For calls by name; by default the Variable's.
  std::optional<std::string> name = std::nullopt;
  /// Whether calls may overwrite the caller's array; by default where there is an update. They
  /// never do unless it is so.
  std::optional<bool> mutableInput = std::nullopt;
  /// Whether results may share the caller's memory; by default as mutableInput.
  std::optional<bool> borrow = std::nullopt;
  /// F-039: arguments have exactly the dtype.
  bool strict = false;
  /// F-044: arguments are cast whatever they are (true), or not even float64 numbers to floatX.
  std::optional<bool> allowDowncast = std::nullopt;
  /// F-161: the stored value after each call. It may read all inputs.
  std::optional<Variable> update = std::nullopt;
  /// No argument of calls; by default where `value` is a shared variable.
  std::optional<bool> implicit = std::nullopt;
};

/// An input of a function.
class Param {
public:
  Param(Variable variable) : variable_(std::move(variable)) {}
  Param(Variable variable, ParamOptions options)
      : variable_(std::move(variable)), options_(std::move(options)), isPlain_(false) {}
  const Variable &variable() const { return variable_; }
  /// Whether it was given as a Variable, for which FunctionOptions speak (F-168).
  bool isPlain() const { return isPlain_; }
  const ParamOptions &options() const { return options_; }
  std::string name() const { return options_.name.value_or(std::string(variable_.name())); }
  // With their defaults:
  bool isMutable() const { return options_.mutableInput.value_or(options_.update.has_value()); }
  bool isBorrowed() const { return options_.borrow.value_or(isMutable()); }
  bool isImplicit() const {
    return options_.implicit.value_or(options_.value && options_.value->shared());
  }

private:
  Variable variable_;
  ParamOptions options_;
  bool isPlain_ = true;
};
using In = Param;

struct OutOptions {
  /// F-171: the result may share memory with what the function keeps, and change with a later call.
  bool borrow = false;
};

/// An output of a function, perhaps with a name under which `Results` gives it.
class Out {
public:
  Out(Variable variable) : variable_(std::move(variable)) {}
  Out(Variable variable, OutOptions options) : variable_(std::move(variable)), options_(options) {}
  Out(std::string_view name, Variable variable, OutOptions options = {})
      : variable_(std::move(variable)), name_(name), options_(options) {}
  const Variable &variable() const { return variable_; }
  const std::string &name() const { return name_; }
  const OutOptions &options() const { return options_; }

private:
  Variable variable_;
  std::string name_;
  OutOptions options_;
};

/// `{x, y}`, a vector of Variables, or nothing. A single Variable without braces is refused
/// (F-152).
class InputList {
public:
  InputList() = default;
  InputList(std::initializer_list<Param> list) : list_(list) {}
  InputList(const Variables &list) : list_(list.begin(), list.end()) {}
  InputList(std::vector<Param> list) : list_(std::move(list)) {}
  const std::vector<Param> &list() const { return list_; }

private:
  std::vector<Param> list_;
};

/// One Variable, `{a, b}`, `{{"loss", a}, {"accuracy", b}}`, a vector of Variables, or nothing.
class OutputList {
public:
  OutputList() = default;
  OutputList(Variable variable) : list_{Out(std::move(variable))} {}
  OutputList(Out out) : list_{std::move(out)} {}
  OutputList(std::initializer_list<Out> list) : list_(list) {}
  OutputList(const Variables &list) : list_(list.begin(), list.end()) {}
  OutputList(std::vector<Out> list) : list_(std::move(list)) {}
  const std::vector<Out> &list() const { return list_; }

private:
  std::vector<Out> list_;
};

/// Variables with what stands for them, `{{s, s + x}, {t, 0}}`, or a map or list of such pairs.
class Substitutions {
public:
  using Pair = std::pair<Variable, Operand>;
  Substitutions() = default;
  Substitutions(std::initializer_list<Pair> pairs) : pairs_(pairs) {}
  template <class Range>
    requires requires(const Range &range) { Pair(*range.begin()); }
  Substitutions(const Range &range) : pairs_(range.begin(), range.end()) {}
  const std::vector<Pair> &pairs() const { return pairs_; }

private:
  std::vector<Pair> pairs_;
};

/// Whether default updates are left out: none, all, or those of some shared variables (F-190).
class NoDefaultUpdates {
public:
  NoDefaultUpdates(bool all = false) : all_(all) {}
  NoDefaultUpdates(std::initializer_list<Variable> some) : some_(some) {}
  NoDefaultUpdates(Variables some) : some_(std::move(some)) {}
  bool all() const { return all_; }
  const Variables &some() const { return some_; }

private:
  bool all_ = false;
  Variables some_;
};

enum class OnUnusedInput { Raise, Warn, Ignore };

struct FunctionOptions {
  /// F-307. "fast_run": compiled after the built-in rewrites (graphc/Rewrite.h) whose effects are
  /// kDefaultEffects at most; "strict": after those that change no result; "fast_math": after all,
  /// also those that may make a wrong answer of a right one; "fast_compile": after a few (F-299).
  /// "interpreter": run by the reference evaluator, without the compiler. "debug": compiled
  /// without rewrites, and every node computed again by the evaluator, on the operands that
  /// compiled code gave it; a call fails with DebugMismatch at the first node whose results differ
  /// by more than its op's bound.
  std::string mode = "fast_run";
  /// False: no rule of the mode runs. Compiled code then computes every node of the graph, or
  /// fuses it, but replaces none.
  bool rewrites = true;
  /// Shared variables and their values after each call (section 5.4). All are computed from the
  /// values before it, and stored when nothing can fail any more.
  Substitutions updates = {};
  /// Variables of the graph, also ones with an owner, and what the function computes instead
  /// (section 5.5): in outputs and in all updates, all at once. Tensors and numbers become shared
  /// variables of the function's own.
  Substitutions givens = {};
  NoDefaultUpdates noDefaultUpdates = {};
  /// F-183: a replacement has the type of what it replaces. False: any type; what depends on it is
  /// built anew.
  bool rebuildStrict = true;
  /// F-168: ParamOptions::allowDowncast of inputs that are plain Variables.
  std::optional<bool> allowInputDowncast = std::nullopt;
  OnUnusedInput onUnusedInput = OnUnusedInput::Raise;
  /// Greatest number of threads that one call uses. 0: as many as the process may run at once. By
  /// default Config::threads, as it is when the function is made.
  std::optional<int> threads = std::nullopt;
  /// Stands in error messages and profiles.
  std::string name = {};
  /// Processor to compile for: "native" or a lesser one of the same family ("x86-64",
  /// "x86-64-v3", "x86-64-v4").
  std::string target = "native";
  /// Take kernels that were compiled before from the process and from the user's cache folder, and
  /// leave new ones there. False: everything is compiled anew, as measurements want it.
  bool cache = true;
  /// F-197: true, a title or a Profile: calls are timed, step by step; Function::profile tells.
  ProfileOption profile = {};
  /// Told of every stage of compilation; empty for nobody.
  StageObserver observer = {};
  /// Folder to which the text of every stage is written; empty for none.
  std::string dumpStages = {};
};

struct Slot;

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

/// What a call says beside its arguments.
struct CallOptions {
  /// F-217: only these outputs, in this order, by number or name; what only others need is not
  /// computed, but all updates are. IndexError, KeyError. What is computed for a subset is compiled
  /// when it is first asked for.
  std::optional<std::vector<size_t>> outputSubset = std::nullopt;
};

//===--- typed calls ----------------------------------------------------------===//

namespace detail {

class Container;

/// One operand of a typed call: memory with extents, or a number.
struct BoundArgument {
  DType dtype;
  int rank;
  bool isOutput;
  bool isView = false;
};

/// A typed call that was checked against its function.
struct BoundCall {
  /// The function's code where it can be called at once: buffers are `pattern` with the
  /// arguments' memory at `slots` (one per argument, -1 for none). Views must be row-major, have
  /// these extents (all arguments' one after the other), and lie apart.
  int32_t (*code)(void **buffers, const int64_t *sizes) = nullptr;
  const int64_t *sizes = nullptr;
  std::vector<void *> pattern;
  std::vector<int32_t> slots;
  std::vector<int64_t> extents;
  std::shared_ptr<const void> owner;

  BoundCall() = default;
  BoundCall(const BoundCall &) = default;
  BoundCall &operator=(const BoundCall &) = default;
  /// What was moved from has no code and no owner: the general way tells so.
  BoundCall(BoundCall &&other) noexcept { *this = std::move(other); }
  BoundCall &operator=(BoundCall &&other) noexcept {
    code = std::exchange(other.code, nullptr);
    sizes = other.sizes;
    pattern = std::move(other.pattern);
    slots = std::move(other.slots);
    extents = std::move(other.extents);
    owner = std::move(other.owner);
    return *this;
  }

  static constexpr int kMaxBuffers = 32;
  /// The general way: memory, extents and strides of each argument, inputs then outputs.
  absl::Status run(absl::Span<void *const> memory, absl::Span<const int64_t *const> shapes,
                   absl::Span<const int64_t *const> strides) const;
};

template <class T> struct BoundTraits {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>,
                "bind takes numbers and Views");
  static constexpr BoundArgument argument{DTypeOf<T>::value, 0, false};
  static void *memory(const T &value) { return const_cast<T *>(&value); }
  static const int64_t *shape(const T &) { return nullptr; }
  static const int64_t *strides(const T &) { return nullptr; }
  static bool isRowMajor(const T &, const int64_t *) { return true; }
  static size_t numBytes(const T &) { return sizeof(T); }
};
template <class T, int N> struct BoundTraits<View<T, N>> {
  static constexpr BoundArgument argument{DTypeOf<std::remove_const_t<T>>::value, N,
                                          !std::is_const_v<T>, true};
  static void *memory(const View<T, N> &v) { return const_cast<std::remove_const_t<T> *>(v.data); }
  static const int64_t *shape(const View<T, N> &v) { return v.shape; }
  static const int64_t *strides(const View<T, N> &v) { return v.strides; }
  /// Whether it is a row-major array of these extents, none of them 0, at a proper address.
  static bool isRowMajor(const View<T, N> &v, const int64_t *extents) {
    int64_t stride = 1;
    for (int axis = N - 1; axis >= 0; --axis) {
      if (v.shape[axis] != extents[axis] || (v.shape[axis] != 1 && v.strides[axis] != stride))
        return false;
      stride *= v.shape[axis];
    }
    return stride > 0 && v.data && uintptr_t(v.data) % sizeof(T) == 0;
  }
  /// Of one that is row-major.
  static size_t numBytes(const View<T, N> &v) {
    size_t bytes = sizeof(T);
    for (int axis = 0; axis < N; ++axis)
      bytes *= size_t(v.shape[axis]);
    return bytes;
  }
};

} // namespace detail

template <class Signature> class Bound;

/// A Function as a plain typed callable, made by `Function::bind`. Numbers are 0-d inputs, Views
/// of const are inputs, Views of non-const are outputs and stand after the inputs; the result
/// type is absl::Status, or the number that the only output is, or void. Calls read and write the
/// caller's memory. Thread-safe as the Function is. One that was default-constructed or moved from
/// computes nothing: ValueError, or the number 0.
template <class R, class... A> class Bound<R(A...)> {
public:
  static constexpr bool kReturnsStatus = std::is_same_v<R, absl::Status>;
  static constexpr bool kReturnsValue = !kReturnsStatus && !std::is_void_v<R>;

  Bound() = default;
  R operator()(A... arguments) const {
    constexpr size_t kCount = sizeof...(A) + kReturnsValue;
    std::conditional_t<kReturnsValue, R, char> result{};
    void *memory[kCount + 1] = {detail::BoundTraits<A>::memory(arguments)...};
    if constexpr (kReturnsValue)
      memory[sizeof...(A)] = &result;
    absl::Status status;
    if (canCallAtOnce(memory, arguments...)) {
      void *buffers[detail::BoundCall::kMaxBuffers];
      size_t n = call_.pattern.size();
      for (size_t i = 0; i < n; ++i)
        buffers[i] = call_.pattern[i];
      for (size_t i = 0; i < kCount; ++i)
        if (int32_t slot = call_.slots[i]; slot >= 0)
          buffers[slot] = memory[i];
      call_.code(buffers, call_.sizes); // chosen only where it cannot fail
    } else {
      const int64_t *shapes[kCount + 1] = {detail::BoundTraits<A>::shape(arguments)...};
      const int64_t *strides[kCount + 1] = {detail::BoundTraits<A>::strides(arguments)...};
      status = call_.run(absl::MakeConstSpan(memory, kCount), absl::MakeConstSpan(shapes, kCount),
                         absl::MakeConstSpan(strides, kCount));
    }
    if constexpr (kReturnsStatus)
      return status;
    else if constexpr (kReturnsValue)
      return result;
  }

private:
  friend class Function;
  explicit Bound(detail::BoundCall call) : call_(std::move(call)) {}

  bool canCallAtOnce(void *const *memory, const A &...arguments) const {
    if constexpr (!(detail::BoundTraits<A>::argument.isView || ...)) {
      return call_.code; // numbers lie where they should
    } else {
      if (!call_.code)
        return false;
      const int64_t *extents = call_.extents.data();
      auto fits = [&](const auto &argument) {
        using Traits = detail::BoundTraits<std::decay_t<decltype(argument)>>;
        const int64_t *own = extents;
        extents += Traits::argument.rank;
        return Traits::isRowMajor(argument, own);
      };
      if (!(fits(arguments) && ...))
        return false;
      // Code takes it that nothing but what it writes changes.
      constexpr bool kIsOutput[] = {detail::BoundTraits<A>::argument.isOutput...};
      const size_t numBytes[] = {detail::BoundTraits<A>::numBytes(arguments)...};
      for (size_t i = 0; i < sizeof...(A); ++i)
        for (size_t k = 0; kIsOutput[i] && k < sizeof...(A); ++k)
          if (k != i && uintptr_t(memory[k]) < uintptr_t(memory[i]) + numBytes[i] &&
              uintptr_t(memory[i]) < uintptr_t(memory[k]) + numBytes[k])
            return false;
      return true;
    }
  }

  detail::BoundCall call_;
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

private:
  friend class Function;
  std::string label_;
  absl::Status status_; // of a value that is not there
  std::shared_ptr<detail::Container> container_;
};

/// F-209 to F-214.
struct CopyOptions {
  /// Old and new shared variables, of the same type. ValueError for one that the Function does not
  /// have; TypeError.
  std::vector<std::pair<SharedVariable, SharedVariable>> swap = {};
  /// No call of the copy stores anything.
  bool deleteUpdates = false;
  /// By default the old name and " copy"; none where there is none.
  std::optional<std::string> name = std::nullopt;
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
    Tensor values[sizeof...(A) + 1] = {Tensor(std::forward<A>(arguments))...};
    return callWith(absl::MakeSpan(values, sizeof...(A)));
  }
  /// Positional arguments first, the rest by name (F-201).
  absl::StatusOr<Results> call(std::vector<Tensor> positional, std::vector<NamedValue> named = {},
                               const CallOptions &options = {}) const;

  /// F-204 to F-207: the value that it keeps under a name, for a Variable (also one of its shared
  /// variables), or at a position among the inputs.
  StoredValue operator[](std::string_view key) const;
  StoredValue operator[](const Variable &key) const;
  StoredValue operator[](size_t position) const;

  /// F-209: another function with the same code. Shared variables stay the same ones, unless they
  /// are swapped; states and defaults go on from their values now.
  absl::StatusOr<Function> copy(const CopyOptions &options = {}) const;
  /// F-220: those that it reads or updates.
  std::vector<SharedVariable> sharedVariables() const;

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
    /// Distinct kernels in it.
    int64_t kernels = 0;
  };
  Counters counters() const;

  /// The record that FunctionOptions::profile gave it; nothing if none did.
  std::optional<Profile> profile() const;

  friend bool operator==(const Function &a, const Function &b) { return a.state_ == b.state_; }

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
  /// May take the values out of `positional`.
  absl::StatusOr<Results> callWith(absl::Span<Tensor> positional) const;
  absl::StatusOr<std::vector<Tensor>> bindCall(std::vector<Tensor> positional,
                                               absl::Span<const NamedValue> named) const;

  std::shared_ptr<const State> state_;
};

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

/// The same for a file: loadGraph or, for a name that ends in ".onnx", loadOnnx, then `function`.
/// Graph text that was compiled before with these options is not even parsed: its code comes from
/// the user's cache folder. `entry` as in loadGraph.
absl::StatusOr<Function> compileFile(const std::string &path, FunctionOptions options = {},
                                     const std::string &entry = {});

} // namespace graphc
