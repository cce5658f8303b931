//===- PerAxis.cpp ----------------------------------------------------------===//
#include "Import/PerAxis.h"

#include "Graph/CalledAs.h"
#include "Ops/Build.h"
#include "graphc/ControlFlow.h"
#include "graphc/Indexing.h"

namespace graphc {

Variable withLength(OnnxNode &n, const Variable &v, int64_t length, std::string_view message) {
  if (!v.ok() || v.rank() != 1 || v.type().extent(0) != kDynamic)
    return v;
  return asLongAs(n, v, n.vector(Ints(size_t(length), 0)), message);
}

Variable asLongAs(OnnxNode &n, const Variable &v, const Variable &like, std::string_view message) {
  Op op = builtin("specifyShapeLike", {{"message", std::string(message)}});
  return build(calledAs(op, "length"), {n.at(v), n.at(like)});
}

Variable integerVector(OnnxNode &n, size_t i) {
  Variable v = n.in(i);
  if (v.ok() && (v.rank() != 1 || !isInteger(v.dtype())))
    return n.fail(ErrorKind::TypeError, "input " + std::to_string(i) +
                                            " must be a vector of integers, is " +
                                            v.type().brief());
  return cast(n.at(v), DType::Int64);
}

std::optional<int64_t> commonLength(OnnxNode &n, std::initializer_list<size_t> inputs) {
  std::optional<int64_t> length;
  for (size_t i : inputs) {
    if (!n.has(i) || !n.in(i).ok() || n.in(i).rank() != 1 || n.in(i).type().extent(0) == kDynamic)
      continue;
    int64_t own = n.in(i).type().extent(0);
    if (length && *length != own)
      n.fail(ErrorKind::ValueError, "input " + std::to_string(i) + " has " + std::to_string(own) +
                                        " numbers where others have " + std::to_string(*length));
    length = own;
  }
  return length;
}

/// v, whose computation fails where axes are out of range.
static Variable ifInRange(OnnxNode &n, const Variable &v, const Variable &axes, int rank) {
  const int64_t axesOfX = std::max(rank, 1);
  Variable isInRange =
      all(n.at(logicalAnd(n.at(ge(n.at(axes), -axesOfX)), n.at(lt(n.at(axes), axesOfX)))));
  return assertTrue(n.at(v), isInRange, "an axis is out of range for rank " + std::to_string(rank),
                    ErrorKind::AxisError);
}

Variable countedFromFront(OnnxNode &n, const Variable &axes, int rank) {
  Variable given = cast(n.at(axes), DType::Int64);
  return mod(n.at(ifInRange(n, given, given, rank)), int64_t(std::max(rank, 1)));
}

Variable distinctAxes(OnnxNode &n, const Variable &axes, int rank) {
  Variable plain = countedFromFront(n, axes, rank);
  Variable counts = incTake(n.at(n.vector(Ints(size_t(std::max(rank, 1)), 0))), plain,
                            onesLike(n.at(plain)), {.axis = 0});
  return assertTrue(n.at(plain), all(n.at(le(n.at(counts), int64_t(1)))), "an axis is given twice",
                    ErrorKind::AxisError);
}

Terms spreadOver(OnnxNode &n, const Variable &axes, const Variable &values, int64_t otherwise,
                 int rank) {
  Variable all = setTake(n.at(n.vector(Ints(size_t(rank), otherwise))), axes, values, {.axis = 0});
  Terms terms;
  for (int64_t k = 0; k < rank; ++k)
    terms.push_back(n.at(subtensor(n.at(all), {Index(k)})));
  return terms;
}

Variable chosenAlong(OnnxNode &n, size_t i, int rank, const std::function<Variable(int)> &f) {
  Variable axis = cast(n.at(scalarOf(n, i)), DType::Int64);
  if (!axis.ok())
    return axis;
  Variable plain = countedFromFront(n, axis, rank), result = ifInRange(n, f(0), axis, rank);
  for (int k = 1; k < rank && result.ok(); ++k)
    result = ifElse(n.at(eq(n.at(plain), int64_t(k))), f(k), result);
  return result;
}

} // namespace graphc
