//===- OpTolerance.h - how far a compiled op may be from the evaluator -------===//
#pragma once

#include "Closeness.h"
#include "graphc/OpDef.h"

namespace graphc {

/// What may stand between the results that compiled code and the evaluator have for `output`, a
/// call of `op` on inputs with these values: nothing where the op is exact, else what follows from
/// the registry's bound or from the number of terms and the way they are joined.
Tolerance toleranceOf(const OpDef &op, const Variable &output, const Variables &inputs,
                      const std::vector<Tensor> &values);

} // namespace graphc
