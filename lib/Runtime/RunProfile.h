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
  /// Of the steps of bodies of branches and loops, which may run often: sums, by number without the
  /// program's own steps; empty where none ran. See numStepsOf.
  struct Sum {
    int64_t runs = 0;
    Clock::duration time{};
    StepCost cost;
    void add(const Sum &other);
  };
  std::vector<Sum> within;
  MemoryUse memory;
  /// Times that the calling thread asked for an array's memory: for results, and in a first call
  /// for what lies between the steps.
  int64_t allocations = 0;
};

/// Steps of a program are numbered together with those of its bodies: its own, then by step and by
/// body those of each body, likewise. How many there are.
size_t numStepsOf(const Program &program);
/// The number of the first step of a step's body.
size_t firstStepOf(const Program &program, const Program::Step &step, size_t body);

/// The costs of a segment's steps and its memory, under a plan.
struct PlanCost {
  std::vector<StepCost> steps;
  MemoryUse memory;
};
PlanCost costOf(const Program &program, const ProgramLayout &layout, int32_t segment,
                const Plan &plan);

} // namespace graphc
