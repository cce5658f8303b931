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

/// By step, the steps that it must come after: what writes the memory that it reads, and what reads
/// or writes the memory that it writes. It does not depend on shapes.
class StepOrder {
public:
  StepOrder(const Program &program, const ProgramLayout &layout);

  absl::Span<const int32_t> before(int32_t step) const {
    return absl::MakeConstSpan(all_).subspan(begin_[size_t(step)],
                                             begin_[size_t(step) + 1] - begin_[size_t(step)]);
  }
  /// Whether several steps wait for it. Branches part there and nowhere else.
  bool partsAfter(int32_t step) const { return parts_[size_t(step)]; }
  /// Whether nothing but its results tells when it runs: callbacks are called, and lines printed,
  /// in order.
  bool isUnseen(int32_t step) const { return unseen_[size_t(step)]; }

private:
  std::vector<int32_t> all_;
  std::vector<size_t> begin_ = {0}; // by step, and the end
  std::vector<bool> parts_, unseen_;
};

/// Nanoseconds that a fork must save: a loop of two threads costs one or two thousand.
inline constexpr double kWorthFork = 3000;
/// What is no part of a fork.
inline constexpr double kNeverInFork = -1;

/// The forks of the steps from `firstStep` on, in order. `times` has for each of these an estimate
/// in nanoseconds, which is only to choose well, or kNeverInFork.
std::vector<Fork> findForks(const StepOrder &order, int32_t firstStep,
                            absl::Span<const double> times);

} // namespace graphc
