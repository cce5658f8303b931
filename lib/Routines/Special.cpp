//===- Special.cpp - special functions, when they are needed --------------------===//
#include "Routines/Special.h"

#include "Support/SharedLibrary.h"

namespace graphc {

template <SpecialFunction kFunction> static absl::Status bySpecial(const RoutineCall &call) {
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
