//===- ShapeTerms.cpp - shapes that are partly known -----------------------===//
#include "Import/ShapeTerms.h"

#include "Import/PerAxis.h"
#include "graphc/ControlFlow.h"
#include "graphc/Indexing.h"

namespace graphc {

Operand extentTerm(OnnxNode &n, const Variable &x, int axis) {
  if (x.ok() && x.type().extent(axis) != kDynamic)
    return Operand(x.type().extent(axis));
  return n.at(shape(n.at(x), axis));
}

Operand product(OnnxNode &n, const Operand &a, const Operand &b) {
  if (a.isWeak() && b.isWeak()) {
    int64_t result = 0;
    // An array of that size cannot be: the size check of the op says so.
    if (__builtin_mul_overflow(a.weakValue().item<int64_t>(), b.weakValue().item<int64_t>(),
                               &result))
      n.fail(ErrorKind::ValueError, "a shape has more than 2^63 elements");
    return Operand(result);
  }
  if (a.isWeak())
    return n.at(mul(b, a));
  return n.at(mul(a, b));
}

Operand extentProduct(OnnxNode &n, const Variable &x, int first, int last) {
  Operand result(int64_t(1));
  for (int axis = first; axis < last; ++axis) {
    Operand extent = extentTerm(n, x, axis);
    bool isOne = result.isWeak() && result.weakValue().item<int64_t>() == 1;
    result = isOne ? extent : product(n, result, extent);
  }
  return result;
}

ShapeList shapeOf(OnnxNode &n, const Terms &terms) {
  Ints numbers;
  for (const Operand &term : terms)
    if (term.isWeak())
      numbers.push_back(term.weakValue().item<int64_t>());
  if (numbers.size() == terms.size())
    return ShapeList(numbers, n.place());
  std::vector<Operand> parts;
  for (const Operand &term : terms)
    parts.push_back(term.isWeak() ? n.at(n.adopt(term.weakValue()))
                                  : n.at(cast(term, DType::Int64)));
  return ShapeList(stack(parts));
}

Terms vectorTerms(OnnxNode &n, size_t i, std::optional<int64_t> length) {
  Variable v = n.in(i);
  Terms terms;
  if (!v.ok())
    return terms;
  if (n.isKnown(i)) {
    for (int64_t number : n.constantInts(i))
      terms.emplace_back(number);
    return terms;
  }
  if (!isInteger(v.dtype())) {
    n.fail(ErrorKind::TypeError,
           "input " + std::to_string(i) + " must be a vector of integers, is " + v.type().brief());
    return terms;
  }
  return elementTerms(n, i, length);
}

Terms elementTerms(OnnxNode &n, size_t i, std::optional<int64_t> length) {
  const int64_t most = std::max<int64_t>(Tensor::kMaxRank, length.value_or(0));
  Variable v = n.in(i);
  Terms terms;
  if (v.ok() && v.rank() == 1 && length)
    v = withLength(n, v, *length, "input " + std::to_string(i) + " has {a} numbers instead of {b}");
  if (!v.ok())
    return terms;
  if (v.rank() != 1 || v.type().extent(0) == kDynamic) {
    n.unsupported("input " + std::to_string(i) + " must be a vector of known length, is " +
                  v.type().brief() +
                  (v.rank() == 1 ? "; declare the shape of the output, whose rank it is" : ""));
    return terms;
  }
  if (v.type().extent(0) > most) {
    n.fail(ErrorKind::ValueError, "input " + std::to_string(i) + " has " +
                                      std::to_string(v.type().extent(0)) + " numbers; at most " +
                                      std::to_string(most) + " make sense");
    return terms;
  }
  for (int64_t k = 0; k < v.type().extent(0); ++k)
    terms.push_back(n.at(subtensor(n.at(v), {Index(k)})));
  return terms;
}

Variable isAmong(OnnxNode &n, const Variable &axes, int axis, int rank) {
  return any(n.at(eq(n.at(countedFromFront(n, axes, rank)), int64_t(axis))));
}

Variable countedAxes(OnnxNode &n, const Variable &axes, int64_t count) {
  if (axes.rank() == 1 && axes.type().extent(0) == kDynamic && count >= 0)
    return withLength(n, axes, count,
                      "there are {a} axes instead of {b}, which the declared shape comes to");
  if (axes.rank() == 1 && axes.type().extent(0) != kDynamic)
    return axes;
  return n.unsupported("an unknown number of computed axes, on which the result's rank depends; "
                       "declare the output's shape");
}

Variable withoutAxes(OnnxNode &n, const Variable &x, const Variable &given) {
  Variable axes = countedAxes(n, given, x.rank() - n.declaredRank(0).value_or(x.rank() + 1));
  if (!axes.ok())
    return axes;
  const int64_t kept = x.rank() - axes.type().extent(0);
  if (kept < 0)
    return n.fail(ErrorKind::AxisError, std::to_string(axes.type().extent(0)) + " axes for rank " +
                                            std::to_string(x.rank()));
  std::vector<Operand> stays;
  for (int k = 0; k < x.rank(); ++k)
    stays.push_back(n.at(logicalNot(n.at(isAmong(n, axes, k, x.rank())))));
  if (kept == 0)
    return reshape(n.at(x), ShapeList(Ints()));
  Variable places = specifyShape(n.at(flatnonzero(n.at(stack(stays)))), {kept});
  return reshape(n.at(x), ShapeList(take(n.at(shape(n.at(x))), places)));
}

Variable scalarOf(OnnxNode &n, const Variable &v) {
  return v.ok() && v.rank() > 0 ? reshape(n.at(v), ShapeList(Ints())) : v;
}

std::vector<int> orderAlong(int axis, int rank) {
  std::vector<int> order(size_t(std::max(rank, axis + 1)), -1);
  order[size_t(axis)] = 0;
  return order;
}

Variable positionsAlong(OnnxNode &n, const Operand &count, int axis, int rank) {
  Variable numbers = arange(Operand(int64_t(0)), count, int64_t(1), DType::Int64);
  return dimshuffle(n.at(numbers), orderAlong(axis, rank));
}

Variable gatherAlong(OnnxNode &n, const Variable &x, const Variable &along, int axis) {
  Operand extent = extentTerm(n, x, axis);
  Variable positive = where(n.at(lt(n.at(along), 0)), add(n.at(along), extent), along);
  Variable position = mul(n.at(positive), extentProduct(n, x, axis + 1, x.rank()));
  for (int k = 0; k < x.rank(); ++k) {
    if (k == axis)
      continue;
    Variable own = positionsAlong(n, extentTerm(n, along, k), k, x.rank());
    position = add(n.at(position), mul(n.at(own), extentProduct(n, x, k + 1, x.rank())));
  }
  return take(n.at(x), position);
}

} // namespace graphc
