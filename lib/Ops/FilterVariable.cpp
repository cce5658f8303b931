//===- Ops/FilterVariable.cpp - conversion to a type ----------------------===//
//
// Declared with Variables, since graphs need it; it stands here because narrowing is an op.
//
//===----------------------------------------------------------------------===//
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {

/// Whether a value of one type may be one of the other: what both know agrees.
static bool compatible(const Type &a, const Type &b) {
  if (!a.isTensor() || !b.isTensor() || a.dtype() != b.dtype() || a.rank() != b.rank())
    return false;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (a.extent(axis) != kDynamic && b.extent(axis) != kDynamic &&
        a.extent(axis) != b.extent(axis))
      return false;
  return true;
}

Variable filterVariable(const Type &type, const Variable &v) {
  if (!v.ok() || type.isSuperOf(v.type()))
    return v;
  if (compatible(type, v.type()))
    return specifyShape(Operand(v, v.place()), {type.shape().begin(), type.shape().end()});
  std::string name(v.name());
  return Variable::invalid(makeError(ErrorKind::TypeError,
                                     (name.empty() ? "a Variable of type " : name + ": ") +
                                         v.type().brief() + " where " + type.brief() +
                                         " is needed; nothing is cast implicitly",
                                     v.place()));
}

} // namespace graphc
