//===- RunProfile.h - what one call did ---------------------------*- C++ -*-===//
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "Runtime/Plan.h"

namespace graphc {

/// What one run of a step moves and computes; as Profile::Step says.
struct StepCost {
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  int64_t flops = 0;
};

/// As Profile::FunctionSummary says.
struct MemoryUse {
  int64_t intermediateBytes = 0;
  int64_t arenaBytes = 0;
  int64_t scratchBytes = 0;
  int64_t resultBytes = 0;
};

/// What a profiled call fills in.
struct RunProfile {
  using Clock = std::chrono::steady_clock;
  struct StepRun {
    int32_t step; // in the program
    Clock::time_point start, end;
    StepCost cost;
  };
  std::vector<StepRun> steps;
  MemoryUse memory;
  /// Times that the calling thread asked for an array's memory: for results, and in a first call
  /// for what lies between the steps.
  int64_t allocations = 0;
};

/// The costs of a segment's steps and its memory, under a plan.
struct PlanCost {
  std::vector<StepCost> steps;
  MemoryUse memory;
};
PlanCost costOf(const Program &program, const ProgramLayout &layout, int32_t segment,
                const Plan &plan);

} // namespace graphc
