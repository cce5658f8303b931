//===- Ops/FilterVariable.cpp - conversion to a type ----------------------===//
//
// Declared with Variables, since graphs need it; it stands here because narrowing is an op.
//
//===----------------------------------------------------------------------===//
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {

Variable filterVariable(const Type &type, const Variable &v) {
  if (!v.ok() || type.isSuperOf(v.type()))
    return v;
  if (v.type().isSuperOf(type))
    return specifyShape(Operand(v, v.place()), {type.shape().begin(), type.shape().end()});
  std::string name(v.name());
  return Variable::invalid(makeError(ErrorKind::TypeError,
                                     (name.empty() ? "a Variable" : "Variable " + name) +
                                         " of type " + v.type().str() + " where " + type.str() +
                                         " is needed; nothing is cast implicitly",
                                     v.place()));
}

} // namespace graphc
