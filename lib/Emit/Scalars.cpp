//===- Scalars.cpp - expressions inside a body, and extents ---------------===//
#include <algorithm>
#include <cmath>
#include <string>

#include "EmitterState.h"
#include "Runtime/LiteralText.h"
#include "Support/Text.h"

namespace graphc {

//===--- extents ------------------------------------------------------------===//

static Extent binary(SizeOp op, Extent a, Extent b) {
  Emitter *e = a.emitter() ? a.emitter() : b.emitter();
  if (!e)
    return Extent();
  Emitter::State &s = e->state();
  int32_t x = s.own(a), y = s.own(b);
  return {e, s.sizes.binary(op, x, y)};
}

/// A number beside `a`.
static Extent sizeLike(Extent a, int64_t value) {
  return a.emitter() ? a.emitter()->size(value) : Extent();
}

Extent operator+(Extent a, Extent b) { return binary(SizeOp::Add, a, b); }
Extent operator-(Extent a, Extent b) { return binary(SizeOp::Sub, a, b); }
Extent operator*(Extent a, Extent b) { return binary(SizeOp::Mul, a, b); }
Extent operator+(Extent a, int64_t b) { return a + sizeLike(a, b); }
Extent operator-(Extent a, int64_t b) { return a - sizeLike(a, b); }
Extent operator*(Extent a, int64_t b) { return a * sizeLike(a, b); }
Extent floorDiv(Extent a, Extent b) { return binary(SizeOp::FloorDiv, a, b); }
// -floor(-a / b): right for both signs of b.
Extent ceilDiv(Extent a, Extent b) {
  Extent zero = sizeLike(a, 0);
  return zero - floorDiv(zero - a, b);
}
Extent mod(Extent a, Extent b) { return binary(SizeOp::Mod, a, b); }
Extent max(Extent a, Extent b) { return binary(SizeOp::Max, a, b); }
Extent min(Extent a, Extent b) { return binary(SizeOp::Min, a, b); }
Extent less(Extent a, Extent b) { return binary(SizeOp::Less, a, b); }
Extent equal(Extent a, Extent b) { return binary(SizeOp::Equal, a, b); }
Extent select(Extent condition, Extent a, Extent b) {
  Emitter *e = condition.emitter();
  if (!e)
    return Extent();
  Emitter::State &s = e->state();
  int32_t c = s.own(condition), x = s.own(a), y = s.own(b);
  return {e, s.sizes.select(c, x, y)};
}

//===--- literals and loads -------------------------------------------------===//

static uint64_t literalBits(DType dtype, double value) {
  if (isFloat(dtype))
    return bitsOfFloat(dtype, value);
  if (isBool(dtype))
    return value != 0;
  return dtype == DType::UInt64 ? uint64_t(value) : uint64_t(int64_t(value));
}

/// The bits of an integer in `dtype`, zero-extended.
static uint64_t narrowed(DType dtype, uint64_t bits) {
  int width = bitWidth(dtype);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

Scalar Emitter::literal(DType dtype, double value) {
  uint64_t bits = literalBits(dtype, value);
  if (isInteger(dtype))
    bits = narrowed(dtype, bits);
  return {this, state_->scalar({ScalarOp::Constant, dtype, {-1, -1, -1}, bits}), dtype};
}

Scalar Emitter::literalInt(DType dtype, int64_t value) {
  if (!isInteger(dtype))
    return literal(dtype, double(value));
  uint64_t bits = narrowed(dtype, uint64_t(value));
  return {this, state_->scalar({ScalarOp::Constant, dtype, {-1, -1, -1}, bits}), dtype};
}

Scalar Emitter::scalar(Extent e) {
  if (std::optional<int64_t> value = constantValue(e))
    return index(*value);
  uint64_t id = uint64_t(state_->own(e));
  return {this, state_->scalar({ScalarOp::Size, DType::Int64, {-1, -1, -1}, id}), DType::Int64};
}

/// Index lists are kept apart from the nodes, so equal loads are found by their lists.
static uint64_t indexList(Nest &nest, const Numbers &indices) {
  size_t n = indices.size();
  for (size_t first = 0; first + n <= nest.indices.size(); ++first) {
    size_t k = 0;
    while (k < n && nest.indices[first + k] == indices[k])
      ++k;
    if (k == n)
      return first;
  }
  uint64_t first = nest.indices.size();
  nest.indices.insert(nest.indices.end(), indices.begin(), indices.end());
  return first;
}

static std::string notBool(std::string_view what, Scalar condition) {
  return "the condition of " + std::string(what) + " is " +
         std::string(dtypeName(condition.dtype())) + ", not bool";
}

static Scalar loadFrom(Emitter &e, Array a, absl::Span<const Scalar> indices, int32_t mask,
                       int32_t otherwise) {
  Emitter::State &s = e.state();
  if (!s.building)
    s.fail("a load outside a body");
  if (int(indices.size()) != e.rank(a))
    s.fail("a load of an array of rank " + std::to_string(e.rank(a)) + " has " +
           std::to_string(indices.size()) + (indices.size() == 1 ? " index" : " indices"));
  Numbers numbers;
  uint64_t loop = 0; // the nest's first ones are for hidden axes
  for (uint32_t level = 0; level < s.mapCounts.size(); ++level) {
    if (s.levels(a) >> level & 1)
      numbers.push_back(s.scalar({ScalarOp::Index, DType::Int64, {-1, -1, -1}, loop}));
    loop += s.nestLevels >> level & 1;
  }
  for (const Scalar &i : indices) {
    if (i.dtype() != DType::Int64)
      s.fail("an index is " + std::string(dtypeName(i.dtype())) + ", not int64");
    numbers.push_back(s.own(i));
  }
  bool seen = false;
  for (int32_t loaded : s.loads)
    seen |= loaded == a.id;
  if (!seen)
    s.loads.push_back(a.id);
  uint64_t payload = uint64_t(uint32_t(a.id)) << 32 | indexList(s.nest, numbers);
  DType dtype = e.dtype(a);
  return {&e, s.scalar({ScalarOp::Load, dtype, {mask, otherwise, -1}, payload}), dtype};
}

Scalar Emitter::load(Array a, absl::Span<const Scalar> indices) {
  return loadFrom(*this, a, indices, -1, -1);
}

Scalar Emitter::loadIf(Scalar condition, Array a, absl::Span<const Scalar> indices,
                       Scalar otherwise) {
  if (condition.dtype() != DType::Bool)
    state_->fail(notBool("loadIf", condition));
  if (otherwise.dtype() != dtype(a))
    state_->fail("the other value of loadIf is " + std::string(dtypeName(otherwise.dtype())) +
                 ", the array " + std::string(dtypeName(dtype(a))));
  int32_t mask = state_->own(condition), value = state_->own(otherwise);
  return loadFrom(*this, a, indices, mask, value);
}

void Emitter::check(Scalar condition, ErrorKind kind, std::string_view message) {
  if (condition.dtype() != DType::Bool)
    state_->fail(notBool("check", condition));
  int32_t number = state_->own(condition);
  state_->checks.push_back({-1, number, kind, std::string(message), state_->node});
}

void Emitter::checkIndex(Scalar inRange, int axis, Extent extent, Array indices) {
  check(inRange, ErrorKind::IndexError,
        "{index} is out of range for axis " + std::to_string(axis) + " with {b} elements");
  state_->checks.back().extent = state_->own(extent);
  state_->checks.back().indices = indices.id;
}

//===--- operations -----------------------------------------------------------===//

Scalar apply(ScalarOp op, absl::Span<const Scalar> operands) {
  auto made = std::find_if(operands.begin(), operands.end(),
                           [](Scalar each) { return each.emitter() != nullptr; });
  if (made == operands.end())
    return Scalar();
  Emitter &e = *made->emitter();
  Emitter::State &s = e.state();
  if (int(operands.size()) != numScalarOperands(op))
    return s.fail(std::string(scalarOpName(op)) + " takes " +
                  counted(size_t(numScalarOperands(op)), "operand") + ", not " +
                  std::to_string(operands.size())),
           operands[0];
  size_t first = op == ScalarOp::Select ? 1 : 0;
  DType dtype = operands[first].dtype();
  if (first && operands[0].dtype() != DType::Bool)
    s.fail(notBool("select", operands[0]));
  ScalarNode node{op, givesBool(op) ? DType::Bool : dtype, {-1, -1, -1}, 0};
  for (size_t k = 0; k < operands.size(); ++k) {
    if (k >= first && operands[k].dtype() != dtype)
      s.fail(std::string(scalarOpName(op)) + " of " + std::string(dtypeName(dtype)) + " and " +
             std::string(dtypeName(operands[k].dtype())));
    node.args[k] = s.own(operands[k]);
  }
  if (dtype == DType::Int64 && operands.size() == 2)
    if (int32_t folded = s.foldIndex(op, node.args[0], node.args[1]); folded >= 0)
      return {&e, folded, DType::Int64};
  return {&e, s.scalar(node), node.dtype};
}

Scalar cast(Scalar x, DType dtype) {
  if (x.dtype() == dtype)
    return x;
  if (!x.emitter())
    return x;
  Emitter::State &s = x.emitter()->state();
  return {x.emitter(), s.scalar({ScalarOp::Cast, dtype, {s.own(x), -1, -1}, 0}), dtype};
}

Scalar select(Scalar condition, Scalar a, Scalar b) {
  if (a.emitter() == b.emitter() && a.id() == b.id())
    return a;
  return apply(ScalarOp::Select, {condition, a, b});
}

/// A number of the same dtype.
static Scalar literalLike(Scalar s, double value) {
  return s.emitter() ? s.emitter()->literal(s.dtype(), value) : Scalar();
}

#define GRAPHC_SCALAR_BINARY(NAME, OP)                                                             \
  Scalar NAME(Scalar a, Scalar b) { return apply(ScalarOp::OP, {a, b}); }                          \
  Scalar NAME(Scalar a, double b) { return NAME(a, literalLike(a, b)); }                           \
  Scalar NAME(double a, Scalar b) { return NAME(literalLike(b, a), b); }
GRAPHC_SCALAR_BINARY(operator+, Add)
GRAPHC_SCALAR_BINARY(operator-, Sub)
GRAPHC_SCALAR_BINARY(operator*, Mul)
GRAPHC_SCALAR_BINARY(operator/, Div)
GRAPHC_SCALAR_BINARY(operator<, Lt)
GRAPHC_SCALAR_BINARY(operator<=, Le)
GRAPHC_SCALAR_BINARY(operator>, Gt)
GRAPHC_SCALAR_BINARY(operator>=, Ge)
GRAPHC_SCALAR_BINARY(equalTo, Eq)
GRAPHC_SCALAR_BINARY(notEqualTo, Ne)
GRAPHC_SCALAR_BINARY(maximum, Maximum)
GRAPHC_SCALAR_BINARY(minimum, Minimum)
GRAPHC_SCALAR_BINARY(intDiv, IntDiv)
GRAPHC_SCALAR_BINARY(mod, Mod)
#undef GRAPHC_SCALAR_BINARY

#define GRAPHC_SCALAR_UNARY(NAME, OP)                                                              \
  Scalar NAME(Scalar x) { return apply(ScalarOp::OP, {x}); }
GRAPHC_SCALAR_UNARY(operator-, Neg)
GRAPHC_SCALAR_UNARY(operator!, Not)
GRAPHC_SCALAR_UNARY(abs, Abs)
GRAPHC_SCALAR_UNARY(sqrt, Sqrt)
GRAPHC_SCALAR_UNARY(exp, Exp)
GRAPHC_SCALAR_UNARY(log, Log)
GRAPHC_SCALAR_UNARY(log1p, Log1p)
GRAPHC_SCALAR_UNARY(expm1, Expm1)
GRAPHC_SCALAR_UNARY(tanh, Tanh)
GRAPHC_SCALAR_UNARY(erf, Erf)
GRAPHC_SCALAR_UNARY(sigmoid, Sigmoid)
GRAPHC_SCALAR_UNARY(isNan, IsNan)
#undef GRAPHC_SCALAR_UNARY

Scalar operator&&(Scalar a, Scalar b) { return apply(ScalarOp::And, {a, b}); }
Scalar operator||(Scalar a, Scalar b) { return apply(ScalarOp::Or, {a, b}); }

} // namespace graphc
