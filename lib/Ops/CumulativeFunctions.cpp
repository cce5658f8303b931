//===- CumulativeFunctions.cpp - cumsum, cumprod, linearRecurrence ----------------===//
#include "Build.h"
#include "CallScope.h"
#include "graphc/Arrays.h"

namespace graphc {

static Variable cumulative(std::string_view op, const Operand &x, std::optional<int> axis,
                           const CumulativeOptions &options) {
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (!axis)
    v = flatten(v);
  return build(builtin(op, {{"axis", plainAxis(axis.value_or(0), v)},
                            {"reverse", options.reverse},
                            {"exclusive", options.exclusive}}),
               {Operand(v, x.place())});
}

Variable cumsum(const Operand &x, std::optional<int> axis, CumulativeOptions options) {
  return cumulative("cumsum", x, axis, options);
}
Variable cumprod(const Operand &x, std::optional<int> axis, CumulativeOptions options) {
  return cumulative("cumprod", x, axis, options);
}

Variable linearRecurrence(const Operand &a, const Operand &b, int axis, bool reverse) {
  CallScope scope(a);
  Variable x = asVariable(a), y = asVariable(b);
  if (!x.ok() || !y.ok())
    return x.ok() ? y : x;
  DType dtype = promoteToFloat(promote(x.dtype(), y.dtype()));
  return build(builtin("linearRecurrence",
                       {{"axis", plainAxis(axis, x)}, {"reverse", reverse}, {"shifted", false}}),
               {Operand(cast(x, dtype), a.place()), Operand(cast(y, dtype), b.place())});
}

} // namespace graphc
