//===- graphc/OpFromGraph.h - a graph as an op ------------------*- C++ -*-===//
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/FrozenGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Traversal.h"
#include "graphc/Variable.h"

namespace graphc {

/// F-239: what compiling does with an application of an OpFromGraph.
class Inline {
public:
  enum Kind {
    No,        // its graph is compiled once, and called from every application
    Yes,       // its graph takes the place of each, so that rewrites and fusion work across
    Automatic, // Yes for what is applied once in a function, or has at most 8 nodes; else No
  };
  Inline(Kind kind) : kind_(kind) {}
  Inline(bool inlined) : kind_(inlined ? Yes : No) {}
  operator Kind() const { return kind_; }

private:
  Kind kind_;
};

class OpFromGraph;

/// What the author of an OpFromGraph gives in the place of a derivative (F-246).
class Override {
public:
  /// The derivative of the graph.
  static Override byDefault() { return Override(); }
  /// F-251: there is none, for this reason.
  static Override nullType(std::string reason) {
    return Override(Variable(Type::null(std::move(reason))));
  }
  /// F-252: no output depends on the input's elements; of a pushforward, zeros.
  static Override disconnected() { return Override(Variable(Type::disconnected())); }

  /// A Variable of type Null or Disconnected; others are refused (F-249).
  Override(Variable special) : kind_(Kind::Special), special_(std::move(special)) {}
  /// F-250: its inputs are what a callable's arguments are, one after the other.
  Override(const OpFromGraph &graph);
  /// Of `pullback` with (Inputs, Outputs, Gradients), of `gradOverrides` with (Inputs, Gradients),
  /// of `pushforward` with (Inputs, Tangents). In a list it gives a Variable, for the whole op
  /// Variables, one for each input (of a pushforward, output). It runs once, when the op is made,
  /// on fresh Variables of the types of the arguments, and what it gives is kept (F-257). It may
  /// use shared variables, which are captured, and no other Variables (F-259).
  template <class F>
    requires std::invocable<F &, Inputs, Outputs, Gradients> ||
             (std::invocable<F &, Inputs, Gradients> && !std::same_as<F, OpFromGraph>)
  Override(F callable) : kind_(Kind::Callable) {
    if (isEmpty(callable))
      return; // an error where the op is made
    if constexpr (std::invocable<F &, Inputs, Outputs, Gradients>)
      keep([callable = std::move(callable)](Inputs in, Outputs out,
                                            Gradients g) mutable { return callable(in, out, g); },
           3);
    else
      keep([callable = std::move(callable)](Inputs in, Outputs,
                                            Gradients g) mutable { return callable(in, g); },
           2);
  }

private:
  friend class OverrideReader;
  enum class Kind { Default, Special, Graph, Callable };
  using Callable = std::function<Variables(Inputs, Outputs, Gradients)>;
  Override() = default;

  /// A null pointer, or a std::function and the like without a target.
  template <class F> static bool isEmpty(const F &callable) {
    if constexpr (std::is_pointer_v<F> || requires { callable.operator bool(); })
      return !callable;
    else
      return false;
  }
  template <class F> void keep(F callable, int numArguments) {
    using Result = std::invoke_result_t<F &, Inputs, Outputs, Gradients>;
    numArguments_ = numArguments;
    givesOne_ = std::convertible_to<Result, Variable>;
    callable_ = [callable = std::move(callable)](Inputs in, Outputs out, Gradients g) mutable {
      if constexpr (std::convertible_to<Result, Variable>)
        return Variables{Variable(callable(in, out, g))};
      else
        return Variables(callable(in, out, g));
    };
  }

  Kind kind_ = Kind::Default;
  Variable special_;
  std::shared_ptr<const OpFromGraph> graph_;
  Callable callable_;
  int numArguments_ = 0;
  /// Whether it gives a Variable, not Variables.
  bool givesOne_ = false;
};

/// One Override for the whole op, or one for each input (of a pushforward, output).
class Overrides {
public:
  Overrides() = default;
  template <class T>
    requires std::convertible_to<T, Override>
  Overrides(T whole) : list_{Override(std::move(whole))}, isWhole_(true), isGiven_(true) {}
  Overrides(std::initializer_list<Override> list) : list_(list), isGiven_(true) {}
  Overrides(std::vector<Override> list) : list_(std::move(list)), isGiven_(true) {}

private:
  friend class OverrideReader;
  std::vector<Override> list_;
  bool isWhole_ = false, isGiven_ = false;
};

struct OpFromGraphOptions {
  Inline inlined = Inline::No;
  /// F-245: gradients with respect to the inputs. A callable's result replaces what the chain rule
  /// would give: nothing multiplies it by the gradients of the outputs (F-254). It is cast to the
  /// input's dtype and must have its rank (F-255), and its extents, or 1. Gradients of outputs that
  /// nothing depends on are zeros to it (F-258).
  Overrides pullback = {};
  /// The older form, whose callables do not see the outputs. Not both (ValueError).
  Overrides gradOverrides = {};
  /// Tangents of the outputs.
  Overrides pushforward = {};
  /// F-261: whether an output depends on an input, [input][output]; empty: as the graph says.
  std::vector<std::vector<bool>> connectionPattern = {};
  /// F-231: shared variables in the graph that are no inputs of it are refused.
  bool strict = false;
  /// F-244: pairs (output, input): ops in the graph may overwrite that input, and the output may
  /// be in its memory.
  std::vector<std::pair<int, int>> destroyMap = {};
  /// As it is called where graphs are printed and in messages. Those of derivatives end in _LOp
  /// (pullback) and _rop (F-243).
  std::string name = "OpFromGraph";
  /// F-229: refused. A graph within an op has no state; `function` takes both.
  Replacements updates = {}, givens = {};
};

/// A graph wrapped as an op, to be applied any number of times (F-228).
///
///   Variable x = dscalar("x"), y = dscalar("y");
///   OpFromGraph op({x, y}, {x + y * 2});
///   Variable z = op(a, op(b, 3));
///
/// The graph is copied: what becomes of the Variables it was made of does not change the op
/// (F-236). A shared variable that it reads, and that is none of its inputs, is read by the
/// function that the op is applied in, at each call (F-231 to F-233). Two are equal if their
/// graphs, captured shared variables, overrides, connection, destroyMap and `inlined` are, whatever
/// they are called (F-263): equal applications to the same operands merge. By default the graph is
/// compiled once, and every application calls that code (Inline).
///
/// A value: copies share one record. Mistakes are carried on, as by Variables: `status` tells, and
/// what it is applied to is Invalid. Thread-safe.
class OpFromGraph {
public:
  /// Inputs may be unused, outputs may be inputs or constants; neither list of types is restricted.
  /// Errors: ValueError for an input that is listed twice, without outputs, and for overrides, a
  /// connection or a destroyMap of another number or type than the op has; TypeError for a constant
  /// as input, and for overrides that give no float array; MissingInput for a Variable that the
  /// outputs, or those of an override, need and that is neither an input nor, unless `strict`,
  /// shared; MethodNotDefined and NotSupported for ops that do not say what they compute, or that
  /// overwrite an input that destroyMap does not have; NotImplemented for updates and givens; what
  /// an Invalid Variable carries.
  OpFromGraph(const Variables &inputs, const Variables &outputs,
              const OpFromGraphOptions &options = {},
              std::source_location loc = std::source_location::current());

  // One that was moved from carries an error.
  OpFromGraph(const OpFromGraph &) = default;
  OpFromGraph &operator=(const OpFromGraph &) = default;
  OpFromGraph(OpFromGraph &&other) noexcept;
  OpFromGraph &operator=(OpFromGraph &&other) noexcept;

  const absl::Status &status() const { return op_.status(); }
  bool ok() const { return op_.ok(); }
  /// An op that is none, where there is an error.
  Op op() const;
  /// F-263: with those that it captures as its last inputs. Empty where there is an error.
  Variables inputs() const;
  Variables outputs() const;
  Variables captured() const;

  /// F-234: all outputs of an application. There are as many operands as inputs (ValueError);
  /// each is converted to its input's type by filterVariable (F-018), numbers to its dtype
  /// (TypeError).
  Variables apply(absl::Span<const Operand> operands,
                  Place place = std::source_location::current()) const;
  Variables apply(std::initializer_list<Operand> operands,
                  std::source_location loc = std::source_location::current()) const {
    return apply(absl::MakeConstSpan(operands.begin(), operands.size()), loc);
  }
  /// The only output; an Invalid Variable where there are several.
  Variable operator()(Operand a) const { return call({a}, a.place()); }
  Variable operator()(Operand a, Operand b) const { return call({a, b}, a.place()); }
  Variable operator()(Operand a, Operand b, Operand c) const { return call({a, b, c}, a.place()); }
  Variable operator()(Operand a, Operand b, Operand c, Operand d) const {
    return call({a, b, c, d}, a.place());
  }
  Variable operator()(std::initializer_list<Operand> operands,
                      std::source_location loc = std::source_location::current()) const {
    return call(absl::MakeConstSpan(operands.begin(), operands.size()), loc);
  }

  friend bool operator==(const OpFromGraph &a, const OpFromGraph &b);

private:
  Variable call(absl::Span<const Operand> operands, Place place) const;
  absl::StatusOr<Op> op_;
};

} // namespace graphc
