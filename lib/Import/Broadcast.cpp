//===- Broadcast.cpp --------------------------------------------------------===//
#include "Import/Broadcast.h"

#include <algorithm>

#include "Import/ShapeTerms.h"

namespace graphc {
namespace {

bool isNumber(const Operand &extent, int64_t number) {
  return extent.isWeak() && extent.weakValue().item<int64_t>() == number;
}

/// `extent` where it is not 1, else `otherwise`.
Operand unlessOne(OnnxNode &n, const Operand &extent, const Operand &otherwise) {
  if (extent.isWeak())
    return isNumber(extent, 1) ? otherwise : extent;
  return n.at(where(n.at(eq(extent, 1)), otherwise, extent));
}

/// x with its unknown extent along an axis as it is, or `wanted` where it is 1.
Variable stretched(OnnxNode &n, const Variable &x, int axis, const Operand &wanted) {
  Operand extent = unlessOne(n, extentTerm(n, x, axis), wanted);
  Variable positions = arange(Operand(int64_t(0)), extent, int64_t(1), DType::Int64);
  return take(n.at(x), positions, {.axis = axis, .mode = TakeMode::Clip});
}

/// Whether one of the extents may be 1 where another is not.
bool mayBroadcast(OnnxNode &n, const std::vector<OperandAxis> &axes) {
  bool isOpen =
      std::ranges::any_of(axes, [](const OperandAxis &a) { return a.extent() == kDynamic; });
  return isOpen && std::any_of(axes.begin() + 1, axes.end(), [&](const OperandAxis &a) {
           return !n.extents().surelyEqual(*axes[0].of, axes[0].number, *a.of, a.number);
         });
}

} // namespace

Extent SymbolicExtents::extentOf(const Variable &v, int axis) {
  kept_.push_back(v);
  return emitter_.dim(operands_.get(v), axis);
}

bool SymbolicExtents::surelyEqual(const Variable &a, int axisA, const Variable &b, int axisB) {
  int64_t extentA = a.type().extent(axisA), extentB = b.type().extent(axisB);
  if (extentA != kDynamic || extentB != kDynamic)
    return extentA == extentB;
  extentOf(a, axisA); // what emitting b requires may be news about a
  Extent other = extentOf(b, axisB);
  return emitter_.dim(operands_.get(a), axisA).id() == other.id() && emitter_.status().ok();
}

bool SymbolicExtents::surelyEqual(const Variable &x, int axis, const Operand &extent) {
  if (extent.isWeak())
    return false;
  Variable number = cast(extent, DType::Int64);
  kept_.push_back(number);
  Extent own = extentOf(x, axis);
  return emitter_.element(operands_.get(number)).id() == own.id() && emitter_.status().ok();
}

std::optional<int64_t> SymbolicExtents::number(const Variable &v) {
  Variable wide = cast(v, DType::Int64);
  kept_.push_back(wide);
  Extent value = emitter_.element(operands_.get(wide));
  return emitter_.status().ok() ? emitter_.constantValue(value) : std::nullopt;
}

void broadcastAxes(OnnxNode &n, std::vector<OperandAxis> axes) {
  std::erase_if(axes, [](const OperandAxis &a) { return a.extent() == 1; });
  if (axes.size() < 2 || !mayBroadcast(n, axes))
    return;
  Operand wanted(int64_t(1));
  for (const OperandAxis &a : axes)
    wanted = unlessOne(n, wanted, extentTerm(n, *a.of, a.number));
  auto known =
      std::ranges::find_if(axes, [](const OperandAxis &a) { return a.extent() != kDynamic; });
  if (known != axes.end())
    wanted = Operand(known->extent());
  for (const OperandAxis &a : axes)
    if (a.extent() == kDynamic)
      *a.of = stretched(n, *a.of, a.number, wanted);
}

Variables broadcastTogether(OnnxNode &n, Variables operands, int numOwn) {
  int rank = 0;
  for (const Variable &v : operands) {
    if (!v.ok())
      return operands;
    rank = std::max(rank, v.rank());
  }
  for (int fromEnd = numOwn; fromEnd < rank; ++fromEnd) {
    std::vector<OperandAxis> axes;
    for (Variable &v : operands)
      if (int axis = v.rank() - 1 - fromEnd; axis >= 0)
        axes.push_back({&v, axis});
    broadcastAxes(n, std::move(axes));
  }
  return operands;
}

Variable broadcastInto(OnnxNode &n, const Variable &v, const Variable &x) {
  if (!v.ok() || !x.ok() || v.rank() > x.rank())
    return v;
  std::vector<Operand> extents;
  for (int axis = x.rank() - v.rank(); axis < x.rank(); ++axis)
    extents.push_back(extentTerm(n, x, axis));
  return expandable(n, v, extents);
}

Variable stretchedAlong(OnnxNode &n, const Variable &vector, const Variable &x, int axis) {
  const bool isOpen = vector.type().extent(0) == kDynamic;
  return isOpen && !n.extents().surelyEqual(vector, 0, x, axis)
             ? stretched(n, vector, 0, extentTerm(n, x, axis))
             : vector;
}

Variable expandable(OnnxNode &n, const Variable &x, std::vector<Operand> &shape) {
  Variable result = x;
  int added = int(shape.size()) - x.rank();
  for (int axis = 0; axis < x.rank(); ++axis) {
    Operand &extent = shape[size_t(added + axis)];
    int64_t own = x.type().extent(axis);
    if (isNumber(extent, 1) || (own != 1 && own != kDynamic && !extent.isWeak())) {
      extent = extentTerm(n, x, axis);
    } else if (own == kDynamic && !n.extents().surelyEqual(x, axis, extent)) {
      extent = unlessOne(n, extent, extentTerm(n, x, axis));
      result = stretched(n, result, axis, extent);
    }
  }
  return result;
}

} // namespace graphc
