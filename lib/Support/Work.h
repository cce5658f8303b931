//===- Support/Work.h - how much a call has to do ---------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc::detail {

/// Steps, on this thread, of the loops whose length depends on graphs: nodes, uses and operands
/// that were looked at. Tests of cost count them, since time says little.
constinit inline thread_local uint64_t workDone = 0;

} // namespace graphc::detail
