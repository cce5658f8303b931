//===- graphc/OpDef.h - everything about one op -----------------*- C++ -*-===//
//
// Built-in ops (lib/Ops) and ops that users define have the same fields. See docs/AddAnOp.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Attributes.h"
#include "graphc/Emit.h"
#include "graphc/Variable.h"

namespace graphc {

struct Control;
namespace detail {
class InnerGraph;
} // namespace detail

struct OperandSpec {
  std::string name;
  std::string doc = {};
};

struct AttributeSpec {
  std::string name;
  AttributeKind kind;
  /// None: the attribute must be given.
  std::optional<AttributeValue> defaultValue = std::nullopt;
  /// Whether NoneAttr is a value besides those of `kind`.
  bool acceptsNone = false;
  std::string doc = {};
};

/// What a type rule sees.
struct TypeRequest {
  const Op &op;
  absl::Span<const Variable> inputs;

  const Attributes &attributes() const { return op.attributes(); }
  size_t size() const { return inputs.size(); }
  const Type &type(size_t i) const { return inputs[i].type(); }
  /// The value of input i if it is constant.
  const Tensor *constant(size_t i) const;
};

/// Output types, or an error whose text starts with what is wrong; makeNode adds the op's name
/// and the operand types.
using TypeRule = std::function<absl::StatusOr<std::vector<Type>>(const TypeRequest &)>;
using EmitRule = std::function<Arrays(Emitter &, const Arrays &in, const Attributes &)>;

using Inputs = absl::Span<const Variable>;
using Outputs = absl::Span<const Variable>;
using Gradients = absl::Span<const Variable>;
using Tangents = absl::Span<const Variable>;
/// Gradient with respect to each input, given those of the outputs: a Variable of the input's rank,
/// which is cast to its dtype; `constant(0.0)` for zeros of whatever shape, which nobody builds; or
/// a Variable of type Null or Disconnected. An output's gradient has the output's type, or type
/// Disconnected where nothing depends on that output.
using PullbackRule = std::function<Variables(const Op &, Inputs in, Outputs out, Gradients g)>;
/// Tangent of each output, given those of the inputs, with the same conventions.
using PushforwardRule = std::function<Variables(const Op &, Inputs in, Outputs out, Tangents t)>;

/// Which elements of the operands an element of a result depends on. Below a `switch`, elements
/// that were not taken contribute exactly 0 to gradients (F-295): this says which those are.
enum class Elements {
  Mixed,       // any
  Elementwise, // those at the same position of all operands, broadcast. Pullbacks may give the
               // result's shape: what was broadcast is summed over afterwards (F-293).
  Moved,       // copies, and sums of them: a pullback of positive numbers is positive where one
               // arrives
  Reduced,     // a slice along the attributes `axes` and `keepDims`
  Rows,        // a slice along the attribute `axes`; the result has the operand's shape
};

/// The op that computes the same in the memory of operand `input`, if there is one.
using InplaceRule = std::function<std::optional<Op>(const Op &, int input)>;

/// A value by its parts; a real one has no `im`.
struct Parts {
  Variable re;
  std::optional<Variable> im = std::nullopt;
};
/// What a complex rule sees: the operands by their parts, and the types of the results.
struct ComplexRequest {
  const Op &op;
  absl::Span<const Parts> in;
  absl::Span<const Type> results;
};

/// How an op that computes by parts is differentiated where numbers are complex (docs/Gradients.md
/// says which gradients are meant).
enum class ComplexDerivatives {
  ByParts,     // through what its parts rule gives
  Holomorphic, // the op's rules are those of the complex derivative: sums and products of complex
               // numbers
  Linear,      // the op's rules sum and move numbers, and multiply them by real ones
};

/// How an op computes with complex numbers (docs/design/36-complex.md).
struct ComplexRule {
  /// The results' parts, computed from the operands' by ops on real numbers. Loops, gradients and
  /// tangents follow from it. None: complex operands are refused.
  /// The op's type rule sees operands of the parts' dtype in the place of complex ones; a float
  /// dtype that it gives becomes the complex one,
  std::function<std::vector<Parts>(const ComplexRequest &)> parts = {};
  /// but for these results, which are real.
  std::vector<bool> realResults = {};
  ComplexDerivatives derivatives = ComplexDerivatives::ByParts;
  /// Whether results are complex where no operand is. The type rule says so itself.
  bool makesComplex = false;
  /// Whether type rule and emission know complex operands themselves: `parts` is not wanted.
  bool isNative = false;
};

/// How a C++ number among the operands gets its dtype.
enum class Literals {
  Promote, // F-029 to F-031: with the other operands
  Int64,   // sizes and indices: int64; floats are refused
};

/// Greatest error in units in the last place over all arguments; docs/Ops.md explains. 0: exact
/// or correctly rounded. Negative: no bound in ULP is meaningful (see the op's doc).
struct MaxUlp {
  double f32 = 0;
  double f64 = 0;
};

struct OpDef {
  /// As in graph text: lower camel case ASCII letters and digits.
  std::string name;
  /// First sentence: what it computes. Then edge cases, errors, source of the method.
  std::string doc = {};
  std::vector<OperandSpec> operands = {};
  /// The last operand may be repeated, any number of times >= minOperands in all.
  bool variadic = false;
  int minOperands = -1; // default: the number of operands
  int numResults = 1;
  /// F-053: which of several results a call stands for; -1 for none.
  int defaultResult = -1;
  std::vector<AttributeSpec> attributes = {};
  Literals literals = Literals::Promote;
  TypeRule type = {};
  EmitRule emit = {};
  ComplexRule complex = {};
  PullbackRule pullback = {};
  PushforwardRule pushforward = {};
  Elements elements = Elements::Mixed;
  /// F-056: for an output, the input that it may view or that it overwrites; -1 for none.
  std::vector<int> viewMap = {};
  std::vector<int> destroyMap = {};
  /// Pairs (destroyed input, other input) that may be the same Variable or alias each other
  /// (F-136).
  std::vector<std::pair<int, int>> tolerateSame = {};
  std::vector<std::pair<int, int>> tolerateAliased = {};
  /// F-304: rewriting puts the op that it gives (whose destroyMap says so) in the place of this one
  /// where the operand's memory is not needed any more.
  InplaceRule inplace = {};
  /// Exchanging two operands gives the same result. Rules and merging rely on it.
  bool commutative = false;
  /// F-303: a node with constant inputs may be evaluated while compiling.
  bool foldable = true;
  /// Which outputs depend differentiably on which inputs ([input][output]); empty: all on all, and
  /// of an OpFromGraph, as its graph says. Of a variadic op, the last row is that of all further
  /// operands.
  std::vector<std::vector<bool>> connection = {};
  /// Of an OpFromGraph: its graph. Ops are equal if their graphs are.
  std::shared_ptr<const detail::InnerGraph> inner = {};
  /// Of what `vectorize` gives: the graph for a slice. Equal as those above.
  std::shared_ptr<const detail::InnerGraph> vectorized = {};
  /// Of a branch or a loop, which graphc makes: its bodies, and how they are run.
  std::shared_ptr<const Control> control = {};
  MaxUlp maxUlp = {};
  /// Families of golden vectors that test it ("exp"), see test/Data/golden.
  std::vector<std::string> golden = {};
  /// Section of docs/Ops.md: "Elementwise arithmetic", ...
  std::string section = {};
  /// A runnable example: graph text of the call and its result, shown in docs/Ops.md and tested.
  std::string example = {};
};

/// OK if the definition is well formed: names, numbers of operands and results that agree with
/// each other and with the view and destroy maps (F-056), defaults of the declared kinds, a type
/// rule and an emission. ValueError otherwise; NotSupported for an output that is both a view and
/// destructive.
absl::Status checkOpDef(const OpDef &def);

/// An op of the user's with attributes, if any, at their defaults. ValueError for a malformed name
/// or a built-in op's, or no type rule or emission. The definition is copied.
absl::StatusOr<Op> defineOp(OpDef def);

} // namespace graphc
