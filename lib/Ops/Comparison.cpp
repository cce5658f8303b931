//===- Comparison.cpp - comparisons, logic and bits ------------------------===//
#include <cmath>

#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

std::vector<OperandSpec> xy() { return {{"x"}, {"y"}}; }

bool mixedSigns(DType a, DType b) { return isSignedInt(a) && b == DType::UInt64; }

/// Compares after promotion. int64 and uint64 have no common integer dtype: there the sign decides
/// first and then both are compared as uint64, so nothing is rounded.
Scalar compare(ScalarOp op, Scalar a, Scalar b) {
  bool signedFirst = mixedSigns(a.dtype(), b.dtype());
  if (!signedFirst && !mixedSigns(b.dtype(), a.dtype())) {
    DType common = promote(a.dtype(), b.dtype());
    return apply(op, {cast(a, common), cast(b, common)});
  }
  Scalar negative = (signedFirst ? a : b) < 0.0;
  Scalar rest = apply(op, {cast(a, DType::UInt64), cast(b, DType::UInt64)});
  bool less = op == ScalarOp::Lt || op == ScalarOp::Le;
  bool greater = op == ScalarOp::Gt || op == ScalarOp::Ge;
  bool trueIfNegative = op == ScalarOp::Ne || (signedFirst ? less : greater);
  return trueIfNegative ? negative || rest : !negative && rest;
}

OpDef comparison(std::string name, std::string doc, ScalarOp op, std::string example) {
  std::string family = name;
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = xy(),
          .type = elementwise(Result::Bool),
          .emit = mapRaw([op](Emitter &, const Scalars &s, const Attributes &) {
            return compare(op, s[0], s[1]);
          }),
          .golden = {family},
          .section = section(kComparison),
          .example = std::move(example)};
}

/// A test of floats; `onOthers` is its value for integers and bools.
OpDef test(std::string name, std::string doc, bool onOthers,
           const std::function<Scalar(Scalar)> &onFloats, std::string example) {
  std::string family = name;
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = {{"x"}},
          .type = elementwise(Result::Bool),
          .emit = mapRaw([=](Emitter &e, const Scalars &s, const Attributes &) {
            return isFloat(s[0].dtype()) ? onFloats(s[0]) : e.literal(DType::Bool, onOthers);
          }),
          .golden = {family},
          .section = section(kComparison),
          .example = std::move(example)};
}

OpDef logic(std::string name, std::string family, std::string doc, ScalarOp op,
            std::string example) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = xy(),
          .type = elementwise(Result::Bool),
          .emit = mapTo(op),
          .golden = {std::move(family)},
          .section = section(kComparison),
          .example = std::move(example)};
}

OpDef bits(std::string name, std::string family, std::string doc, Accept accept, ScalarOp op,
           std::string example) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = xy(),
          .type = elementwise(Result::Promoted, accept),
          .emit = mapTo(op),
          .golden = {std::move(family)},
          .section = section(kComparison),
          .example = std::move(example)};
}

Scalar isFinite(Scalar x) { return abs(x) < HUGE_VAL; }

Scalar isClose(Emitter &e, const Scalars &s, const Attributes &attributes) {
  DType dtype = computeDType(promoteToFloat(promote(s[0].dtype(), s[1].dtype())));
  Scalar x = cast(s[0], dtype), y = cast(s[1], dtype);
  Scalar limit = e.literal(dtype, attributes.real("atol")) + abs(y) * attributes.real("rtol");
  Scalar close = equalTo(x, y) || (isFinite(y) && abs(x - y) <= limit);
  return attributes.boolean("equalNan") ? close || (isNan(x) && isNan(y)) : close;
}

std::vector<OpDef> comparisons() {
  return {
      comparison("eq", "x == y.\nint64 and uint64 compare exactly. NaN equals nothing; -0 == 0.",
                 ScalarOp::Eq, "eq([1, 2], [1, 3]) = [true, false]"),
      comparison("neq", "x != y.\nNaN differs from everything, itself too.", ScalarOp::Ne,
                 "neq([1.0, nan], [1.0, nan]) = [false, true]"),
      comparison("lt", "x < y.\nFalse with NaN.", ScalarOp::Lt, "lt([1, 2], 2) = [true, false]"),
      comparison("le", "x <= y.\nFalse with NaN.", ScalarOp::Le, "le([1, 3], 2) = [true, false]"),
      comparison("gt", "x > y.\nFalse with NaN.", ScalarOp::Gt, "gt([1, 3], 2) = [false, true]"),
      comparison("ge", "x >= y.\nFalse with NaN.", ScalarOp::Ge, "ge([1, 2], 2) = [false, true]"),
      test(
          "isnan", "Whether x is NaN; false for integers.", false,
          [](Scalar x) { return isNan(x); }, "isnan([nan, 1.0]) = [true, false]"),
      test(
          "isinf", "Whether x is an infinity; false for integers.", false,
          [](Scalar x) { return apply(ScalarOp::IsInf, {x}); },
          "isinf([-inf, 1.0]) = [true, false]"),
      test("isfinite", "Whether x is neither NaN nor infinite; true for integers.", true, isFinite,
           "isfinite([nan, 1.0]) = [false, true]"),
      {.name = "signbit",
       .doc = "Whether the sign bit is set: true for -0 and for negative integers.",
       .operands = {{"x"}},
       .type = elementwise(Result::Bool),
       .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
         DType dtype = s[0].dtype();
         if (isFloat(dtype))
           return apply(ScalarOp::SignBit, {s[0]});
         return isSignedInt(dtype) ? s[0] < 0.0 : e.literal(DType::Bool, 0);
       }),
       .golden = {"signbit"},
       .section = section(kComparison),
       .example = "signbit([-0.0, 0.0]) = [true, false]"},
      {.name = "isclose",
       .doc = "abs(x - y) <= atol + rtol * abs(y).\n"
              "Equal infinities are close; the bound is relative to y.",
       .operands = xy(),
       .attributes = {{"rtol", AttributeKind::Float, 1e-5},
                      {"atol", AttributeKind::Float, 1e-8},
                      {.name = "equalNan",
                       .kind = AttributeKind::Bool,
                       .defaultValue = false,
                       .doc = "whether two NaNs are close"}},
       .type = elementwise(Result::Bool),
       .emit = mapRaw(isClose),
       .golden = {"isclose"},
       .section = section(kComparison),
       .example = "isclose([1.0, 1.0], [1.000001, 1.1]) = [true, false]"},
  };
}

} // namespace

std::vector<OpDef> comparisonOps() {
  std::vector<OpDef> ops = comparisons();
  std::vector<OpDef> rest = {
      logic("logicalAnd", "logical_and", "Whether both are not 0.\nNaN is true.", ScalarOp::And,
            "logicalAnd([1, 0], [2.0, 1.0]) = [true, false]"),
      logic("logicalOr", "logical_or", "Whether one is not 0.\nNaN is true.", ScalarOp::Or,
            "logicalOr([1, 0], [0.0, 0.0]) = [true, false]"),
      logic("logicalXor", "logical_xor", "Whether just one is not 0.\nNaN is true.", ScalarOp::Xor,
            "logicalXor([1, 0], [2.0, 1.0]) = [false, true]"),
      {.name = "logicalNot",
       .doc = "Whether x is 0.\nNaN gives false.",
       .operands = {{"x"}},
       .type = elementwise(Result::Bool),
       .emit = mapTo(ScalarOp::Not),
       .golden = {"logical_not"},
       .section = section(kComparison),
       .example = "logicalNot([2.0, 0.0]) = [false, true]"},
      bits("bitwiseAnd", "bitwise_and",
           "Bitwise and of integers, logical and of bools.\nMixing the two is refused, floats and "
           "int64 with uint64 are, too (TypeError).",
           Accept::Bits, ScalarOp::And, "bitwiseAnd(12, 10) = 8"),
      bits("bitwiseOr", "bitwise_or", "Bitwise or of integers, logical or of bools.", Accept::Bits,
           ScalarOp::Or, "bitwiseOr(12, 10) = 14"),
      bits("bitwiseXor", "bitwise_xor", "Bitwise exclusive or of integers, logical of bools.",
           Accept::Bits, ScalarOp::Xor, "bitwiseXor(12, 10) = 6"),
      {.name = "invert",
       .doc = "All bits flipped; the negation of a bool.",
       .operands = {{"x"}},
       .type = elementwise(Result::Promoted, Accept::Bits),
       .emit = mapTo(ScalarOp::Not),
       .golden = {"invert"},
       .section = section(kComparison),
       .example = "invert([0, 5]) = [-1, -6]"},
      bits("leftShift", "left_shift",
           "x * 2 ** y, wrapping.\nA count that is negative or not below the width gives 0.",
           Accept::Integers, ScalarOp::Shl, "leftShift([1, 3], [4, 64]) = [16, 0]"),
      bits("rightShift", "right_shift",
           "x / 2 ** y, rounded down.\nA count that is negative or not below the width gives 0, or "
           "-1 for negative x.",
           Accept::Integers, ScalarOp::Shr, "rightShift([-16, -16], [2, 64]) = [-4, -1]"),
  };
  for (OpDef &def : rest)
    ops.push_back(std::move(def));
  for (OpDef &def : ops)
    def.elements = Elements::Elementwise;
  return ops;
}

} // namespace graphc
