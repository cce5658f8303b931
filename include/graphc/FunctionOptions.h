//===- graphc/FunctionOptions.h - what `function` takes ---------*- C++ -*-===//
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphc/Embedding.h"
#include "graphc/Mode.h"
#include "graphc/Profile.h"
#include "graphc/Shared.h"
#include "graphc/Stage.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"

namespace graphc {

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
  /// never do unless it is so, and the array is no other Tensor's than the call's (it was moved) or
  /// the result is borrowed.
  std::optional<bool> mutableInput = std::nullopt;
  /// Whether borrowed results may share the caller's memory; by default as mutableInput.
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
/// Theano has both names, and so has this: In beside Out, Param where a function is described.
using In = Param;

struct OutOptions {
  /// F-171: the result may share memory with borrowed arguments, with what the function keeps and
  /// with other borrowed results, and change with a later call. Otherwise it is the caller's alone.
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
  NoDefaultUpdates() = default;
  template <std::same_as<bool> B> NoDefaultUpdates(B all) : all_(all) {}
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
  Mode mode = {};
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
  /// F-198: the graph may have ops that overwrite an operand (OpDef::destroyMap). They are ordered
  /// after all that reads it; Inconsistency where that cannot be, and where an op would overwrite
  /// an input that is not mutable, an output or a constant.
  bool acceptInplace = false;
  /// Greatest number of threads that one call uses: they share the loops of a kernel, and from the
  /// third call with the same shapes on independent kernels, routines and loops run side by side
  /// where that was measured to pay. Results are the same to the bit. 0: as many as the process may
  /// run at once. By default Config::threads, as it is when the function is made.
  std::optional<int> threads = std::nullopt;
  /// At most so many sets of extents get code of their own, where extents are not known, or kernels
  /// are short, 2 us and less on an average by estimate: compiled in the background after calls
  /// with the same ones have been many, used when it is there. The results are the same to the bit
  /// (but for what is in a NaN). 0: none. By default Config::specialisations, in the modes
  /// fast_run, strict and fast_math; always none in the others, and where code comes from files.
  std::optional<int> specialisations = std::nullopt;
  /// Stands in error messages and profiles.
  std::string name = {};
  /// Processor to compile for: "native" or a lesser one of the same family ("x86-64",
  /// "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-amx").
  std::string target = "native";
  /// Take kernels that were compiled before from the process and from the user's cache folder, and
  /// leave new ones there. False: everything is compiled anew, as measurements want it.
  bool cache = true;
  /// F-197: true, a title or a Profile: calls are timed, step by step; Function::profile tells.
  ProfileOption profile = {};
  /// With which other threads may stop the compilation: Cancelled.
  std::optional<Cancellation> cancellation = std::nullopt;
  /// Told of every stage of compilation; empty for nobody.
  StageObserver observer = {};
  /// Folder to which the text of every stage is written; empty for none.
  std::string dumpStages = {};
};

} // namespace graphc
