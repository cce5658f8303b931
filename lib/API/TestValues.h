//===- API/TestValues.h - what `function` does with test values -*- C++ -*-===//
#pragma once

#include <vector>

#include "API/Resolve.h"
#include "graphc/FunctionOptions.h"
#include "graphc/Import.h"
#include "graphc/TestValues.h"

namespace graphc {

/// Where a TestValues lives on this thread and knows all inputs: DebugMismatch where a rewrite of
/// the options' mode would change a shape or dtype.
absl::Status checkTestValues(const GraphModule &module, const std::vector<Slot> &slots,
                             const FunctionOptions &options);

} // namespace graphc
