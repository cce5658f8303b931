//===- Ordering.cpp - TopK, CumSum, ReverseSequence --------------------------===//
//
// Loops join all elements of an axis for each result, so that CumSum and TopK take time quadratic
// in the axis' extent.
//
//===----------------------------------------------------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// Sums over j <= i, or over those that exclusive and reverse say.
Variables cumSum(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.constantInt(1), x.rank());
  if (!n.status().ok())
    return {};
  // Results along `axis`, terms along the one behind it.
  int rank = x.rank() + 1;
  Operand extent = extentTerm(n, x, axis);
  Variable i = positionsAlong(n, extent, axis, rank), j = positionsAlong(n, extent, axis + 1, rank);
  if (n.getBool("reverse", false))
    std::swap(i, j);
  Variable counts = n.getBool("exclusive", false) ? lt(n.at(j), i) : le(n.at(j), i);
  Variable terms = expandDims(n.at(x), Axis(axis));
  Variable chosen = where(n.at(counts), terms, n.scalar(0, x.dtype()));
  return {sum(n.at(chosen), ReductionOptions{.axes = Axis(axis + 1), .dtype = x.dtype()})};
}

Variable isNotANumber(OnnxNode &n, const Variable &x) {
  return isFloat(x.dtype()) ? isnan(n.at(x)) : n.scalar(0, DType::Bool);
}

/// Whether a stands before b where both are not equal; NaN is greater than everything.
Variable precedes(OnnxNode &n, const Variable &a, const Variable &b, bool largest) {
  Variable smaller = largest ? b : a, greater = largest ? a : b;
  Variable nan =
      logicalAnd(n.at(isNotANumber(n, greater)), logicalNot(n.at(isNotANumber(n, smaller))));
  return logicalOr(n.at(lt(n.at(smaller), greater)), nan);
}

/// An element's rank is the number of those before it; of equals the first stands before.
Variables topK(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", -1), x.rank());
  if (!n.status().ok())
    return {};
  Operand count(n.opset() < 10 ? n.getInt("k", 0) : 0);
  if (n.opset() >= 10) {
    Terms terms = vectorTerms(n, 1);
    if (terms.size() != 1)
      return {n.fail(ErrorKind::ValueError, "k must be one number")};
    count = terms[0];
  }
  int64_t known = x.type().extent(axis);
  if (count.isWeak() && known != kDynamic && count.weakValue().item<int64_t>() > known)
    return {n.fail(ErrorKind::ValueError,
                   "k is greater than the axis' extent " + std::to_string(known))};
  bool largest = n.opset() < 11 || n.getBool("largest", true);
  // Ranks along `axis`, those that are compared with along the one behind it.
  int rank = x.rank() + 1;
  Operand extent = extentTerm(n, x, axis);
  Variable own = expandDims(n.at(x), Axis(axis + 1)), other = expandDims(n.at(x), Axis(axis));
  Variable i = positionsAlong(n, extent, axis, rank), j = positionsAlong(n, extent, axis + 1, rank);
  Variable equal = logicalNot(
      n.at(logicalOr(n.at(precedes(n, own, other, largest)), precedes(n, other, own, largest))));
  Variable before =
      logicalOr(n.at(precedes(n, other, own, largest)), logicalAnd(n.at(equal), lt(n.at(j), i)));
  ReductionOptions overOthers{.axes = Axis(axis + 1), .dtype = DType::Int64};
  Variable ranks = sum(n.at(cast(n.at(before), DType::Int64)), overOthers);
  // Result k is where the rank is k.
  Variable k = positionsAlong(n, count, axis, rank);
  Variable hit = eq(n.at(expandDims(n.at(ranks), Axis(axis))), k);
  Variable indices = sum(n.at(where(n.at(hit), j, n.scalar(0, DType::Int64))), overOthers);
  return {gatherAlong(n, x, indices, axis), indices};
}

/// The first `lengths[b]` elements along the time axis in reverse, for each batch b.
Variables reverseSequence(OnnxNode &n) {
  Variable x = n.in(0);
  int batch = n.plainAxis(n.getInt("batch_axis", 1), x.rank());
  int time = n.plainAxis(n.getInt("time_axis", 0), x.rank());
  if (!n.status().ok())
    return {};
  Variable lengths = dimshuffle(n.arg(1), orderAlong(batch, x.rank()));
  Variable t = positionsAlong(n, extentTerm(n, x, time), time, x.rank());
  Variable reversed = sub(n.at(sub(n.at(lengths), 1)), t);
  Variable along = where(n.at(lt(n.at(t), lengths)), reversed, t);
  along = broadcastTo(n.at(cast(n.at(along), DType::Int64)), ShapeList(shape(n.at(x))));
  return {gatherAlong(n, x, along, time)};
}

} // namespace

absl::Span<const Translation> orderingTranslations() {
  static constexpr Translation kTable[] = {
      {"CumSum", cumSum, 11, "axis constant; time quadratic in its extent"},
      {"ReverseSequence", reverseSequence, 10},
      {"TopK", topK, 1, "time quadratic in the axis' extent; NaN is the greatest number"},
  };
  return kTable;
}

} // namespace graphc
