//===- Forks.h - steps that may run side by side ------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <vector>

#include "Runtime/Program.h"
#include "absl/types/span.h"

namespace graphc {

struct ProgramLayout;

/// Consecutive steps that fall into branches which need nothing of each other. Memory of the arena
/// that one of them frees is given to no other one before the end.
struct Fork {
  int32_t firstStep = 0, endStep = 0; // in the program
  std::vector<std::vector<int32_t>> branches;
};

/// Nanoseconds that a fork must save: a loop of two threads costs one or two thousand.
inline constexpr double kWorthFork = 3000;
/// What is no part of a fork.
inline constexpr double kNeverInFork = -1;

/// Whether nothing but the step's results tells when it runs: callbacks are called, and lines
/// printed, in order.
bool isUnseen(const Program &program, const Program::Step &step);

/// The forks of the steps from `firstStep` on, in order. `times` has for each of these an estimate
/// in nanoseconds, which is only to choose well, or kNeverInFork.
std::vector<Fork> findForks(const Program &program, const ProgramLayout &layout, int32_t firstStep,
                            absl::Span<const double> times);

} // namespace graphc
