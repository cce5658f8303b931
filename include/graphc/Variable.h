//===- graphc/Variable.h - Variable, Constant, Apply, Op --------*- C++ -*-===//
//
// The graph that users build. It is an append-only DAG: a Variable is computed by its owner, an
// Apply, which is one use of an Op on input Variables. Users never change it; compiling clones it
// into a FunctionGraph (FunctionGraph.h).
//
// Ownership: Variable, Apply and Op are reference-counted handles. An Apply and its outputs live
// and die together (one count for the group), so that `v.owner().outputs()` are always the very
// same Variables; an Apply holds its inputs. Destroying a chain of any length uses constant stack.
// Thread safety: handles may be copied and read from many threads; setName, tags and building
// on one Variable from several threads at once need the caller's own lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Attributes.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"
#include "graphc/Type.h"

namespace graphc {

class Apply;
class Constant;
class Index;
class Op;
class Operand;
struct OpDef;

namespace detail {
struct VariableNode;
struct ApplyNode;
void retain(VariableNode *node);
void release(VariableNode *node);
void retain(ApplyNode *node);
void release(ApplyNode *node);
} // namespace detail

/// A node of the graph: an input, a constant, or an output of an Apply.
///
/// A mistake while building (operands of wrong types, extents that differ) makes a Variable whose
/// type is Invalid and that carries the error and its place onward; `status()` tells, `function`
/// returns it. Nothing throws.
class Variable {
public:
  /// An Invalid Variable ("used before it was given a value").
  Variable();
  /// A fresh input.
  explicit Variable(Type type, std::string_view name = {},
                    std::source_location loc = std::source_location::current());
  /// One that carries an error.
  static Variable invalid(absl::Status status);

  Variable(const Variable &other) : node_(other.node_) { detail::retain(node_); }
  Variable(Variable &&other) noexcept;
  Variable &operator=(const Variable &other) {
    Variable(other).swap(*this);
    return *this;
  }
  Variable &operator=(Variable &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Variable() { detail::release(node_); }
  void swap(Variable &other) noexcept { std::swap(node_, other.node_); }
  /// F-038: a Variable has no truth value; `==` compares identity, eq(a, b) builds a node.
  explicit operator bool() const = delete;
  friend bool operator==(const Variable &a, const Variable &b) { return a.node_ == b.node_; }

  const Type &type() const;
  DType dtype() const { return type().dtype(); }
  int rank() const { return type().rank(); }
  /// The error that it carries, or OK.
  const absl::Status &status() const { return type().status(); }
  bool ok() const { return type().kind() != Type::Kind::Invalid; }

  bool hasOwner() const;
  /// A null Apply (`!owner()`) where there is none.
  Apply owner() const;
  /// Which output of its owner; 0 where there is none.
  int index() const;
  std::string_view name() const;
  /// Returns itself.
  Variable &setName(std::string_view name);
  /// Where the user made it.
  Place place() const;
  bool isConstant() const;
  /// The user's own data, F-048; empty until set. A default-constructed Variable keeps neither
  /// name nor tag.
  const std::shared_ptr<void> &tag() const;
  void setTag(std::shared_ptr<void> tag);

  //===--- shorthands for the ops of Ops.h, as NumPy's methods ------------===//
  using Loc = std::source_location;
  Variable T(Loc loc = Loc::current()) const;
  Variable operator[](const Index &index) const;
  Variable operator[](std::initializer_list<Index> indices) const;
  Variable sum(Loc loc = Loc::current()) const;
  Variable sum(int axis, Loc loc = Loc::current()) const;
  Variable prod(Loc loc = Loc::current()) const;
  Variable prod(int axis, Loc loc = Loc::current()) const;
  Variable mean(Loc loc = Loc::current()) const;
  Variable mean(int axis, Loc loc = Loc::current()) const;
  Variable max(Loc loc = Loc::current()) const;
  Variable max(int axis, Loc loc = Loc::current()) const;
  Variable min(Loc loc = Loc::current()) const;
  Variable min(int axis, Loc loc = Loc::current()) const;
  Variable any(Loc loc = Loc::current()) const;
  Variable any(int axis, Loc loc = Loc::current()) const;
  Variable all(Loc loc = Loc::current()) const;
  Variable all(int axis, Loc loc = Loc::current()) const;
  Variable argmax(Loc loc = Loc::current()) const;
  Variable argmax(int axis, Loc loc = Loc::current()) const;
  Variable argmin(Loc loc = Loc::current()) const;
  Variable argmin(int axis, Loc loc = Loc::current()) const;
  Variable reshape(std::initializer_list<int64_t> shape, Loc loc = Loc::current()) const;
  Variable transpose(std::initializer_list<int> axes, Loc loc = Loc::current()) const;
  /// -1 inserts a broadcastable axis ("x" in Theano); others permute.
  Variable dimshuffle(std::initializer_list<int> order, Loc loc = Loc::current()) const;
  Variable astype(DType dtype, Loc loc = Loc::current()) const;
  Variable shape(Loc loc = Loc::current()) const;
  Variable flatten(Loc loc = Loc::current()) const;
  Variable squeeze(int axis, Loc loc = Loc::current()) const;

  friend Variable operator+(const Operand &a, const Operand &b);
  friend Variable operator-(const Operand &a, const Operand &b);
  friend Variable operator*(const Operand &a, const Operand &b);
  friend Variable operator/(const Operand &a, const Operand &b);
  friend Variable operator%(const Operand &a, const Operand &b);
  friend Variable operator<(const Operand &a, const Operand &b);
  friend Variable operator>(const Operand &a, const Operand &b);
  friend Variable operator<=(const Operand &a, const Operand &b);
  friend Variable operator>=(const Operand &a, const Operand &b);
  friend Variable operator-(const Operand &a);

  /// For the library: the counted record. `adopt` takes over one count.
  detail::VariableNode *node() const { return node_; }
  static Variable fromNode(detail::VariableNode *node) {
    detail::retain(node);
    return Variable(node);
  }

protected:
  explicit Variable(detail::VariableNode *adopted) : node_(adopted) {}
  detail::VariableNode *node_;
};

/// A Variable without owner whose data is known and never changes (F-033).
class Constant : public Variable {
public:
  /// Copies `data` (row-major); its exact shape becomes the static shape.
  explicit Constant(const Tensor &data, std::string_view name = {},
                    std::source_location loc = std::source_location::current());
  /// Takes over memory that nobody else writes (weights of a network): not copied.
  static Constant adopt(Tensor data, std::string_view name = {}, Place place = {});
  /// Empty unless `v` is constant.
  static std::optional<Constant> from(const Variable &v);

  /// Frozen. Undefined for a Constant of an undefined Tensor, and one that was moved from.
  const Tensor &data() const;

private:
  explicit Constant(detail::VariableNode *adopted) : Variable(adopted) {}
};

/// A constant from a C++ number, a bool or a Tensor, wrapped on its own (F-029 to F-032).
Constant constant(const Tensor &data, std::source_location loc = std::source_location::current());
Constant constant(bool value, std::source_location loc = std::source_location::current());
namespace detail {
Constant literalConstant(const Tensor &value, std::source_location loc);
} // namespace detail
/// Integers give int64 (uint64 where it takes the 64th bit), floats give floatX.
template <Number T>
Constant constant(T value, std::source_location loc = std::source_location::current()) {
  return detail::literalConstant(Tensor(value), loc);
}

/// An operand of an op: a Variable, a Tensor (a constant), or a C++ number, with the caller's
/// place. Numbers stay weak: the op chooses their dtype when it sees the other operands.
class Operand {
public:
  Operand(const Variable &v, std::source_location loc = std::source_location::current())
      : variable_(v), place_(loc) {}
  Operand(const Variable &v, Place place) : variable_(v), place_(place) {}
  Operand(const Tensor &t, std::source_location loc = std::source_location::current());
  template <Number T>
  Operand(T value, std::source_location loc = std::source_location::current())
      : Operand(Tensor(value), Place(loc), /*weak=*/true) {}
  template <Number T> Operand(T value, Place place) : Operand(Tensor(value), place, true) {}
  Operand(std::complex<double> value, std::source_location loc = std::source_location::current())
      : Operand(Tensor(value), Place(loc), /*weak=*/true) {}
  Operand(bool) = delete;

  /// Weak numbers: the 0-d int64, uint64, float64 or complex128 value that was written.
  bool isWeak() const { return weak_.defined(); }
  const Tensor &weakValue() const { return weak_; }
  /// The Variable; for a weak number an Invalid one.
  const Variable &variable() const { return variable_; }
  const Place &place() const { return place_; }

private:
  Operand(const Tensor &weak, Place place, bool);
  Variable variable_;
  Tensor weak_;
  Place place_;
};

using Variables = std::vector<Variable>;

/// One use of an op. A null Apply converts to false; it has no inputs and outputs, an Op that is
/// none, and no place.
class Apply {
public:
  Apply() = default;
  Apply(const Apply &other) : node_(other.node_) { detail::retain(node_); }
  Apply(Apply &&other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Apply &operator=(Apply other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Apply() { detail::release(node_); }

  /// F-049 to F-051: the explicit construction. Sets owner and index of each output. ValueError
  /// if an output belongs to another Apply or is a constant; TypeError if an input or output is
  /// Invalid. Does not run the op's type rule.
  static absl::StatusOr<Apply> create(const Op &op, Variables inputs, Variables outputs,
                                      Place place = std::source_location::current());

  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(const Apply &a, const Apply &b) { return a.node_ == b.node_; }

  const Op &op() const;
  int numInputs() const;
  int numOutputs() const;
  /// An Invalid Variable (IndexError) where there is no such input or output.
  Variable input(int i) const;
  Variable output(int i) const;
  Variables inputs() const;
  Variables outputs() const;
  Place place() const;
  /// The user's places that it comes from, through all rewrites; the first one is place(). Of nodes
  /// that were many before, 64 places.
  std::vector<Place> origins() const;
  const std::shared_ptr<void> &tag() const;
  /// A null Apply keeps none.
  void setTag(std::shared_ptr<void> tag);

  /// F-057: same op and inputs, fresh outputs of the same types. Null of a null Apply.
  Apply clone() const;
  /// F-057: `strict`: each new input must be convertible to the old one's type (TypeError);
  /// otherwise the op's type rule runs again where a type differs, and in any case where an input
  /// that may be a shape is another Variable. ValueError for a null Apply and another number of
  /// inputs.
  absl::StatusOr<Apply> cloneWithNewInputs(absl::Span<const Variable> inputs,
                                           bool strict = true) const;

  detail::ApplyNode *node() const { return node_; }
  static Apply fromNode(detail::ApplyNode *node) {
    detail::retain(node);
    return Apply(node);
  }

private:
  friend class Op;
  explicit Apply(detail::ApplyNode *adopted) : node_(adopted) {}
  detail::ApplyNode *node_ = nullptr;
};

/// An operation with its attributes: a value. Two Ops are equal if their definition and all
/// attributes are (F-054); merging relies on it. One that was moved from, and that of a null Apply,
/// is no op: its definition is empty, and it makes no nodes (ValueError).
class Op {
public:
  /// Fills in defaults. ValueError/TypeError for attributes that the definition lacks, does not
  /// know or has of another kind; ValueError for a built-in op's name. `def` must live as long as
  /// the Op; definitions made by `defineOp` are kept alive.
  static absl::StatusOr<Op> create(const OpDef &def, const Attributes &attributes = {});
  static absl::StatusOr<Op> create(std::shared_ptr<const OpDef> def,
                                   const Attributes &attributes = {});

  const OpDef &def() const;
  std::string_view name() const;
  const Attributes &attributes() const;
  uint64_t hash() const;
  /// "sum{axes = [0]}"; the bare name where every attribute has its default.
  std::string str() const;

  /// F-052: checks count, kinds and types, wraps numbers, computes the output types.
  absl::StatusOr<Apply> makeNode(absl::Span<const Operand> operands,
                                 Place place = std::source_location::current()) const;
  /// F-053: makeNode and its only (or default) output; an Invalid Variable on errors, and for an
  /// op of several outputs without a default one.
  Variable call(absl::Span<const Operand> operands, Place place) const;
  // One for each count, and no template: so numbers and Variables become Operands, which catch the
  // place, in the caller's line.
  Variable operator()(Operand a) const { return call({a}, a.place()); }
  Variable operator()(Operand a, Operand b) const { return call({a, b}, a.place()); }
  Variable operator()(Operand a, Operand b, Operand c) const { return call({a, b, c}, a.place()); }
  Variable operator()(Operand a, Operand b, Operand c, Operand d) const {
    return call({a, b, c, d}, a.place());
  }
  /// Any number of them: `stack({x, y, z, u, v})`.
  Variable operator()(std::initializer_list<Operand> operands,
                      std::source_location loc = std::source_location::current()) const {
    return call(absl::MakeConstSpan(operands.begin(), operands.size()), loc);
  }
  /// All outputs (Invalid ones on errors).
  Variables callAll(absl::Span<const Operand> operands, Place place) const;

  friend bool operator==(const Op &a, const Op &b);

  struct Rep;

private:
  friend class Apply;
  explicit Op(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep &rep() const;
  std::shared_ptr<const Rep> rep_;
};

//===--- named constructors (F-002, F-003) --------------------------------===//
// scalar vector matrix row col tensor3..tensor7 in floatX, and with a letter for the dtype:
// b int8, w int16, i int32, l int64, f float32, d float64, c complex64, z complex128. `tensor`
// takes any dtype and shape.

Variable tensor(DType dtype, absl::Span<const int64_t> shape, std::string_view name = {},
                std::source_location loc = std::source_location::current());
inline Variable tensor(DType dtype, std::initializer_list<int64_t> shape,
                       std::string_view name = {},
                       std::source_location loc = std::source_location::current()) {
  return tensor(dtype, absl::MakeConstSpan(shape.begin(), shape.size()), name, loc);
}

#define GRAPHC_CONSTRUCTOR(NAME)                                                                   \
  Variable NAME(std::string_view name = {},                                                        \
                std::source_location loc = std::source_location::current());
#define GRAPHC_CONSTRUCTORS(PREFIX)                                                                \
  GRAPHC_CONSTRUCTOR(PREFIX##scalar)                                                               \
  GRAPHC_CONSTRUCTOR(PREFIX##vector)                                                               \
  GRAPHC_CONSTRUCTOR(PREFIX##matrix)                                                               \
  GRAPHC_CONSTRUCTOR(PREFIX##row)                                                                  \
  GRAPHC_CONSTRUCTOR(PREFIX##col)                                                                  \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor3)                                                              \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor4)                                                              \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor5)                                                              \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor6)                                                              \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor7)
GRAPHC_CONSTRUCTORS()
GRAPHC_CONSTRUCTORS(b)
GRAPHC_CONSTRUCTORS(w)
GRAPHC_CONSTRUCTORS(i)
GRAPHC_CONSTRUCTORS(l)
GRAPHC_CONSTRUCTORS(f)
GRAPHC_CONSTRUCTORS(d)
GRAPHC_CONSTRUCTORS(c)
GRAPHC_CONSTRUCTORS(z)
#undef GRAPHC_CONSTRUCTORS
#undef GRAPHC_CONSTRUCTOR

/// F-018: `v` itself if its type is `type` or a narrower one; narrowed by a run-time check
/// (specifyShape) if dtype, rank and all extents that both types know agree; an Invalid Variable
/// with a TypeError naming both otherwise. An Invalid one is returned as it is.
Variable filterVariable(const Type &type, const Variable &v);

} // namespace graphc

template <> struct std::hash<graphc::Variable> {
  size_t operator()(const graphc::Variable &v) const { return std::hash<void *>()(v.node()); }
};
template <> struct std::hash<graphc::Apply> {
  size_t operator()(const graphc::Apply &a) const { return std::hash<void *>()(a.node()); }
};
template <> struct std::hash<graphc::Op> {
  size_t operator()(const graphc::Op &op) const { return op.hash(); }
};
