//===- Rewrite/Uniform.cpp ------------------------------------------------===//
#include "Rewrite/Uniform.h"

#include <algorithm>
#include <cmath>

#include "Ops/Registry.h"
#include "graphc/OpDef.h"

namespace graphc {

/// Larger constants are data, not numbers that somebody wrote.
static constexpr int64_t kMostElements = 1024;

/// Whether all elements of its result are some of its first operand's.
static bool isMovement(const OpDef &op) {
  static const OpDef *const kMovements[] = {findOp("broadcastTo"), findOp("dimshuffle"),
                                            findOp("reshape")};
  return std::ranges::find(kMovements, &op) != std::end(kMovements);
}

bool mayBeUniform(const detail::VariableNode *v) {
  return v->constant || (v->owner && isMovement(v->owner->op.def()));
}

std::optional<double> uniformValue(const detail::VariableNode *v) {
  while (v->owner) {
    if (!isMovement(v->owner->op.def()))
      return std::nullopt;
    // A shape that the run gives may be a wrong one, which must not pass unnoticed.
    for (uint32_t i = 1; i < v->owner->numInputs; ++i)
      if (!v->owner->input(i)->constant)
        return std::nullopt;
    v = v->owner->input(0);
  }
  if (!v->constant)
    return std::nullopt;
  const Tensor &data = detail::asLeaf(v)->data;
  if (isComplex(data.dtype()) || data.numElements() == 0 || data.numElements() > kMostElements)
    return std::nullopt;
  if (data.numElements() == 1 && data.dtype() == DType::Float64)
    return data.item<double>();
  Tensor doubles = data.cast(DType::Float64).contiguous();
  absl::Span<const double> values = doubles.flat<double>();
  if (values.empty()) // no memory
    return std::nullopt;
  if (std::any_of(values.begin(), values.end(), [&](double x) { return x != values[0]; }))
    return std::nullopt;
  // 2^53 and beyond may stand for a neighbour.
  if (!isFloat(data.dtype()) && std::abs(values[0]) >= 9007199254740992.0)
    return std::nullopt;
  return values[0];
}

} // namespace graphc
