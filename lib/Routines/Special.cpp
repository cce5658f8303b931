//===- Special.cpp - special functions, when they are needed --------------------===//
#include "Routines/Special.h"

#include <limits>

#include "Support/SharedLibrary.h"

namespace graphc {

/// NaNs to NaNs, if there is nothing else.
static bool fillsNaN(const RoutineCall &call) {
  for (double x : call.inputs[0].flat<double>())
    if (x == x)
      return false;
  for (double &y : call.outputs[0].mutableFlat<double>())
    y = std::numeric_limits<double>::quiet_NaN();
  return true;
}

template <SpecialFunction kFunction> static absl::Status bySpecial(const RoutineCall &call) {
  // What another way has computed is NaN here: no library for that.
  if (call.inputs.size() == 1 && fillsNaN(call))
    return absl::OkStatus();
  static const absl::StatusOr<void *> entry =
      loadOwnSymbol("libgraphc-special.so", "graphcSpecialEntry");
  if (!entry.ok())
    return entry.status();
  return reinterpret_cast<const SpecialInterface *(*)()>(*entry)()->run(kFunction, call);
}

#define GRAPHC_ROUTINE(id, name, operands)                                                         \
  const Routine k##id = {name, bySpecial<SpecialFunction::id>};
GRAPHC_SPECIAL_FUNCTIONS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE

} // namespace graphc
