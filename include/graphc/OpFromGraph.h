//===- graphc/OpFromGraph.h - a graph as an op ------------------*- C++ -*-===//
#pragma once

#include <initializer_list>
#include <source_location>
#include <string>

#include "absl/status/statusor.h"
#include "graphc/FrozenGraph.h"
#include "graphc/Variable.h"

namespace graphc {

struct OpFromGraphOptions {
  /// As it is called where graphs are printed and in messages.
  std::string name = "OpFromGraph";
  /// F-231: shared variables in the graph that are no inputs of it are refused.
  bool strict = false;
};

/// A graph wrapped as an op, to be applied any number of times (F-228).
///
///   Variable x = dscalar("x"), y = dscalar("y");
///   OpFromGraph op({x, y}, {x + y * 2});
///   Variable z = op(a, op(b, 3));
///
/// The graph is copied: what becomes of the Variables it was made of does not change the op
/// (F-236). A shared variable that it reads, and that is none of its inputs, is read by the
/// function that the op is applied in, at each call (F-231 to F-233). Two are equal if their graphs
/// and their captured shared variables are, whatever they are called (F-263): equal applications to
/// the same operands merge. Compiling puts the graph in the place of each application (rewrite
/// `inline_graphs`), so that rewrites and fusion work across.
///
/// A value: copies share one record. Mistakes are carried on, as by Variables: `status` tells, and
/// what it is applied to is Invalid. Thread-safe.
class OpFromGraph {
public:
  /// Inputs may be unused, outputs may be inputs or constants; neither list of types is restricted.
  /// Errors: ValueError for an input that is listed twice, and without outputs; TypeError for a
  /// constant as input; MissingInput for a Variable that the outputs need and that is neither an
  /// input nor, unless `strict`, shared; MethodNotDefined and NotSupported for ops that do not say
  /// what they compute, or that overwrite operands; what an Invalid Variable carries.
  OpFromGraph(const Variables &inputs, const Variables &outputs, OpFromGraphOptions options = {},
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
