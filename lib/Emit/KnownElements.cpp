//===- KnownElements.cpp - small integer arrays as sizes ------------------===//
//
// reshape(x, concat(shape(x)[0:1], [-1])) needs numbers on the host before loops run. Instead of
// running kernels to learn them, the few elements of such arrays are derived here as size
// expressions, by evaluating the nest that defines the array symbolically.
//
//===----------------------------------------------------------------------===//
#include "EmitterState.h"

namespace graphc {
namespace {

/// Evaluates one nest's body at given loop counters.
class ElementDeriver {
public:
  ElementDeriver(const Nest &nest, Emitter::State &state)
      : nest_(nest), sizes_(state.sizes), state_(state) {}

  /// The size that the root is at `counters`; -1 if it cannot be derived.
  int32_t at(const std::vector<int64_t> &counters) {
    std::vector<int32_t> values(nest_.body.size(), -1);
    for (size_t i = 0; i < nest_.body.size(); ++i)
      values[i] = node(nest_.body[i], values, counters);
    return values[nest_.root];
  }

private:
  int32_t node(const ScalarNode &n, const std::vector<int32_t> &values,
               const std::vector<int64_t> &counters);
  int32_t load(const ScalarNode &n, const std::vector<int32_t> &values);
  int32_t binary(SizeOp op, const ScalarNode &n, const std::vector<int32_t> &values) {
    return sizes_.binary(op, values[n.args[0]], values[n.args[1]]);
  }
  int32_t negate(int32_t boolean) {
    return sizes_.binary(SizeOp::Equal, boolean, sizes_.constant(0));
  }

  const Nest &nest_;
  SizeTable &sizes_;
  Emitter::State &state_;
};

int32_t ElementDeriver::load(const ScalarNode &n, const std::vector<int32_t> &values) {
  if (n.args[0] >= 0) { // masked: the mask must be known
    if (values[n.args[0]] < 0)
      return -1;
    std::optional<int64_t> mask = sizes_.constantValue(values[n.args[0]]);
    if (!mask)
      return -1;
    if (!*mask)
      return values[n.args[1]];
  }
  const ArrayInfo &array = state_.record.arrays[n.loadArray()];
  int64_t flat = 0;
  for (size_t axis = 0; axis < array.shape.size(); ++axis) {
    int32_t index = values[nest_.indices[n.loadFirstIndex() + axis]];
    std::optional<int64_t> extent = sizes_.constantValue(array.shape[axis]);
    if (index < 0 || !extent)
      return -1;
    std::optional<int64_t> i = sizes_.constantValue(index);
    if (!i || *i < 0 || *i >= *extent)
      return -1;
    flat = flat * *extent + *i;
  }
  return size_t(flat) < array.elements.size() ? array.elements[flat] : -1;
}

int32_t ElementDeriver::node(const ScalarNode &n, const std::vector<int32_t> &values,
                             const std::vector<int64_t> &counters) {
  switch (n.op) {
  case ScalarOp::Index:
    return sizes_.constant(counters[n.payload]);
  case ScalarOp::Size:
    return int32_t(n.payload);
  case ScalarOp::Load:
    return load(n, values);
  case ScalarOp::Constant:
    // Narrow signed integers are zero-extended in the payload; only Int64 and Bool occur in
    // index arithmetic.
    return n.dtype == DType::Int64 || n.dtype == DType::Bool ? sizes_.constant(int64_t(n.payload))
                                                             : -1;
  default:
    break;
  }
  for (int k = 0; k < numScalarOperands(n.op); ++k)
    if (values[n.args[k]] < 0)
      return -1;
  DType operand = nest_.body[n.args[0]].dtype;
  if (n.op == ScalarOp::Cast) {
    // Sizes wrap as int64 does; a narrower integer wraps sooner.
    if (n.dtype == DType::Int64)
      return values[n.args[0]];
    if (n.dtype == DType::Bool)
      return negate(negate(values[n.args[0]]));
    return -1;
  }
  if (operand != DType::Int64 && operand != DType::Bool)
    return -1;
  bool logical = operand == DType::Bool;
  switch (n.op) {
  case ScalarOp::Add:
    return logical ? -1 : binary(SizeOp::WrapAdd, n, values);
  case ScalarOp::Sub:
    return logical ? -1 : binary(SizeOp::WrapSub, n, values);
  case ScalarOp::Mul:
    return binary(SizeOp::WrapMul, n, values);
  case ScalarOp::IntDiv:
    return logical ? -1 : binary(SizeOp::FloorDiv, n, values);
  case ScalarOp::Mod:
    return logical ? -1 : binary(SizeOp::Mod, n, values);
  case ScalarOp::Neg:
    return sizes_.binary(SizeOp::WrapSub, sizes_.constant(0), values[n.args[0]]);
  case ScalarOp::Maximum:
    return binary(SizeOp::Max, n, values);
  case ScalarOp::Minimum:
    return binary(SizeOp::Min, n, values);
  case ScalarOp::Eq:
    return binary(SizeOp::Equal, n, values);
  case ScalarOp::Ne:
    return negate(binary(SizeOp::Equal, n, values));
  case ScalarOp::Lt:
    return binary(SizeOp::Less, n, values);
  case ScalarOp::Ge:
    return negate(binary(SizeOp::Less, n, values));
  case ScalarOp::Gt:
    return sizes_.binary(SizeOp::Less, values[n.args[1]], values[n.args[0]]);
  case ScalarOp::Le:
    return negate(sizes_.binary(SizeOp::Less, values[n.args[1]], values[n.args[0]]));
  case ScalarOp::And:
    return logical ? binary(SizeOp::Min, n, values) : -1;
  case ScalarOp::Or:
    return logical ? binary(SizeOp::Max, n, values) : -1;
  case ScalarOp::Not:
    return logical ? negate(values[n.args[0]]) : -1;
  case ScalarOp::Select:
    return sizes_.select(values[n.args[0]], values[n.args[1]], values[n.args[2]]);
  default:
    return -1;
  }
}

/// Steps `counters` through `extents[first, last)` in row-major order; false after the last.
bool advance(std::vector<int64_t> &counters, const std::vector<int64_t> &extents, size_t first,
             size_t last) {
  for (size_t k = last; k-- > first;) {
    if (++counters[k] < extents[k])
      return true;
    counters[k] = 0;
  }
  return false;
}

} // namespace

Numbers deriveElements(const Nest &nest, DType dtype, Emitter::State &state) {
  // Cheap refusals first: this runs for every nest of a graph.
  if (dtype != DType::Int64 && dtype != DType::Bool)
    return {};
  std::optional<SizeOp> join;
  switch (nest.combine) {
  case Combine::None:
    break;
  case Combine::Sum:
    join = SizeOp::WrapAdd;
    break;
  case Combine::Prod:
    join = SizeOp::WrapMul;
    break;
  default:
    return {};
  }
  std::vector<int64_t> extents;
  int64_t points = 1;
  for (int32_t id : nest.extents) {
    std::optional<int64_t> n = state.sizes.constantValue(id);
    if (!n || *n > Emitter::kMaxKnownElements)
      return {};
    extents.push_back(*n);
    points *= *n;
    if (points > Emitter::kMaxKnownElements || points == 0)
      return {};
  }
  size_t parallel = size_t(nest.numParallel);
  ElementDeriver deriver(nest, state);
  Numbers elements;
  std::vector<int64_t> counters(extents.size(), 0);
  do {
    int32_t value = -1;
    do {
      int32_t term = deriver.at(counters);
      if (term < 0)
        return {};
      value = value < 0 ? term : state.sizes.binary(*join, value, term);
    } while (join && advance(counters, extents, parallel, extents.size()));
    elements.push_back(value);
  } while (advance(counters, extents, 0, parallel));
  return elements;
}

} // namespace graphc
