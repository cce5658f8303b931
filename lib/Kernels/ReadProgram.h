//===- ReadProgram.h - programs from text -------------------------*- C++ -*-===//
#pragma once

#include <map>
#include <string>
#include <vector>

#include "Kernels/KernelGraph.h"
#include "Support/TextScanner.h"
#include "absl/functional/function_ref.h"

namespace graphc {

/// Reads the text's program, and its constants, into `graph.program`, which has its kernels.
/// `labels` has the kernels' numbers. Mistakes are the scanner's.
void readProgram(TextScanner &text, const std::map<std::string, int32_t> &labels,
                 KernelGraph &graph);

// What kernels and programs have in common.
DType takeDType(TextScanner &text);
/// "[" sizes "]", at most so many.
Numbers takeSizes(TextScanner &text, int64_t most, absl::FunctionRef<int32_t()> takeSize);

} // namespace graphc
