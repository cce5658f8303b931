//===- Unroll.cpp - reductions over few elements --------------------------===//
//
// The squares of three coordinates are summed for each point:
//
//   for (i < n, k < 3)                          for (i < n)
//     y[i] = sum(k) sqr(x[i, k])          ->      y[i] = sqr(x[i, 0]) + sqr(x[i, 1]) + sqr(x[i, 2])
//
// The loop over k would have a vector to itself, of three lanes. Without it the points are a map,
// which fuses with what reads it and whose vectors are full.
//
//===----------------------------------------------------------------------===//
#include "Kernels/FusionState.h"

namespace graphc {

/// More is for loops.
constexpr int64_t kMostCopies = 4;
/// Scalar operations in all copies.
constexpr int64_t kMostCopied = 16;

int Fusion::copiesOf(const Nest &nest) const {
  if (!uses(Optimization::UnrollSums) || nest.combine == Combine::None || isArg(nest.combine))
    return 1;
  bool isMapped = false;
  for (int32_t d = 0; d < nest.numParallel; ++d)
    isMapped |= !isUnit(nest.extents[size_t(d)]);
  int64_t copies = 1, ops = 0;
  for (size_t d = size_t(nest.numParallel); d < nest.extents.size(); ++d) {
    const SizeNode &extent = sizes_.nodes()[size_t(nest.extents[d])];
    if (extent.op != SizeOp::Constant || extent.value < 1 || extent.value > kMostCopies)
      return 1;
    copies *= extent.value;
    if (copies > kMostCopies)
      return 1;
  }
  for (const ScalarNode &n : nest.body)
    ops += n.op > ScalarOp::Load;
  bool isFew = isMapped && copies * (ops + 1) <= kMostCopied;
  return isFew && !isProduct(nest) ? int(copies) : 1; // products have ways of their own
}

int32_t Fusion::joinTerms(const Nest &nest, absl::Span<const int32_t> terms) {
  DType result = record_.emission.arrays[size_t(nest.result)].dtype;
  auto cast = [&](int32_t value, DType to) {
    return builder_.nodes()[size_t(value)].dtype == to
               ? value
               : builder_.add({ScalarOp::Cast, to, {value, -1, -1}, 0});
  };
  if (isArg(nest.combine)) // of one
    return cast(builder_.constant(DType::Int64, 0), result);
  DType joined =
      hasAccumulator(nest.combine) ? nest.accumulator : builder_.nodes()[size_t(terms[0])].dtype;
  int32_t value = cast(terms[0], joined);
  for (int32_t term : terms.subspan(1))
    value = builder_.add({joinOp(nest.combine), joined, {value, cast(term, joined), -1}, 0});
  if (nest.combine == Combine::Sum && isFloat(joined)) // sums start at 0: -0.0 gives 0.0
    value = builder_.add({ScalarOp::Add, joined, {value, builder_.constant(joined, 0), -1}, 0});
  return cast(value, result);
}

} // namespace graphc
