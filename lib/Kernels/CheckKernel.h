//===- CheckKernel.h - what every kernel holds ---------------------*- C++ -*-===//
#pragma once

#include "Kernels/Kernel.h"
#include "absl/status/status.h"

namespace graphc {

/// Internal, with the nest and what is wrong, for a kernel that code cannot be made of: a number
/// beyond its table, a counter of a loop that the nest lacks, an operand behind its user, a node
/// that nothing reads, a load of what is not stored yet or with too few indices, a result that is
/// not of the loops' shape, is an input's, or is stored twice or never.
absl::Status checkKernel(const Kernel &kernel);

} // namespace graphc
