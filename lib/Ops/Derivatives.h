//===- Ops/Derivatives.h - what pullbacks and pushforwards share -*- C++ -*-===//
//
// An elementwise op is differentiated by its partial derivatives: one formula for each operand
// serves both directions. Other ops have a rule of their own for each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {

/// What formulas see.
struct Point {
  const Op &op;
  /// The operands as they are, and in the result's dtype.
  Inputs in;
  const Variables &x;
  /// The result.
  const Variable &y;
};

/// The derivative of an elementwise op's result with respect to one operand.
class Partial {
public:
  /// A factor.
  using Formula = std::function<Variable(const Point &)>;
  /// A gradient or a tangent, of the result's dtype, times the derivative.
  using Product = std::function<Variable(const Variable &direction, const Point &)>;
  Partial(Product product) : product_(std::move(product)) {}
  template <class F>
    requires std::is_invocable_r_v<Variable, F, const Variable &, const Point &>
  Partial(F product) : product_(std::move(product)) {}
  template <class F>
    requires std::is_invocable_r_v<Variable, F, const Point &>
  Partial(F factor);
  static Partial one() { return Partial(Kind::One); }
  static Partial minusOne() { return Partial(Kind::MinusOne); }
  /// One by the formula: a division rounds once, and its divisor may be too great for a factor.
  static Partial over(Formula divisor);
  /// 1 where the condition is true, else 0, whatever the direction; and the other way round.
  static Partial where(Formula condition);
  static Partial unless(Formula condition);
  /// F-273: it depends on the operand, and the derivative is 0 (nearly) everywhere.
  static Partial zero() { return Partial(Kind::Zero); }
  /// The result does not depend on the operand's elements.
  static Partial none() { return Partial(Kind::None); }
  /// F-277.
  static Partial undefined(std::string reason) {
    Partial partial(Kind::Undefined);
    partial.reason_ = std::move(reason);
    return partial;
  }

  bool isNone() const { return kind_ == Kind::None; }
  /// `direction` (a gradient or a tangent, of the result's dtype) times the derivative.
  Variable times(const Variable &direction, const Point &point) const;

private:
  enum class Kind { Product, One, MinusOne, Zero, None, Undefined };
  explicit Partial(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::Product;
  Product product_;
  std::string reason_;
};

template <class F>
  requires std::is_invocable_r_v<Variable, F, const Point &>
Partial::Partial(F factor)
    : product_([factor = std::move(factor)](const Variable &direction, const Point &point) {
        return direction * factor(point);
      }) {}

using Partials = std::vector<Partial>;
/// `def`, elementwise, with a pullback and a pushforward made of these partial derivatives, one for
/// each operand.
OpDef withPartials(OpDef def, Partials partials);
/// The same where there are any number of operands.
OpDef withPartials(OpDef def, std::function<Partials(const Point &)> partials);

/// F-277: for each operand, `reason` says why there is no derivative.
OpDef withoutDerivative(OpDef def, std::string reason);
/// The sum of the terms that the tangents of these operands give: Null where one is, zero or
/// Disconnected where all are.
Variable sumOverTangents(Tangents t, absl::Span<const size_t> operands,
                         const std::function<Variable(size_t operand)> &term);
/// For ops that are linear in each of their first `count` operands: the sum, over these, of the op
/// with one of them replaced by its tangent, the other operands staying.
PushforwardRule multilinear(size_t count);
/// For ops that are linear in their only float operand, which is operand 0.
inline PushforwardRule sameOpOnTangent() { return multilinear(1); }

/// What stands for zeros of whatever shape (OpDef.h).
Variable zeroDerivative();
/// Whether it is that, or its element is otherwise known to be 0.
bool isZeroDerivative(const Variable &v);
/// `v` cast to the dtype; itself where it has it.
Variable inDType(const Variable &v, DType dtype);
/// Sums over what broadcasting repeated, so that `term` has the shape of `like` (F-293); of Bool
/// arrays, whether any element is true.
Variable unbroadcast(const Variable &term, const Variable &like);
/// `v`, whose extent is known to be 1 where that of `like`, which has the same shape, is.
Variable withOnesOf(const Variable &v, const Variable &like);
/// `t`, or zeros like `x` where there is no tangent.
Variable tangentOrZeros(const Variable &t, const Variable &x);
/// For ops that are linear in all of their first `count` operands together: the op on their
/// tangents, the other operands staying.
PushforwardRule linearIn(size_t count);
inline bool isDisconnected(const Variable &v) {
  return v.type().kind() == Type::Kind::Disconnected;
}
inline bool isNull(const Variable &v) { return v.type().kind() == Type::Kind::Null; }
/// A Variable that is a tensor: neither Null, nor Disconnected, nor zeroDerivative.
bool isPresent(const Variable &v);

} // namespace graphc
