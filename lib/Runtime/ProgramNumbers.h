//===- ProgramNumbers.h - a program's numbers, each in its table --*- C++ -*-===//
#pragma once

#include "Runtime/Program.h"
#include "absl/status/status.h"

namespace graphc {

/// Calls `f` for each size that a step needs.
template <class F> void sizesOfStep(const Program &program, const Program::Step &step, F f) {
  for (int32_t s : step.sizes)
    f(s);
  for (int32_t a : step.arrays) {
    for (int32_t s : program.arrays[a].shape)
      f(s);
    forEachBegin(program, a, f);
    if (int32_t whole = rootOf(program, a); ownerOf(program, a) != whole) // gets memory with a part
      for (int32_t s : program.arrays[whole].shape)
        f(s);
  }
  for (const Program::Step::Scratch &scratch : step.scratch)
    for (int32_t s : scratch.shape)
      f(s);
  for (const Program::Step::Work &work : step.work)
    f(work.count);
  if (step.splitSize >= 0)
    f(step.splitSize);
}

/// Calls `f` for each size that a check needs.
template <class F> void sizesOfCheck(const Program::SizeCheck &check, F f) {
  for (int32_t s : check.shape)
    f(s);
  if (check.predicate == Predicate::Fits)
    return;
  f(check.a);
  f(check.b);
}

/// "malformed program: a size".
absl::Status malformed(const char *what);

/// Whether the arrays of a step of the host have the axes in front that levels name.
bool hasLevels(const Program &program, const Program::Step &step, int32_t numLevels,
               absl::Span<const uint32_t> levels);
/// Whether the step's arrays are what its bodies need; their shapes are looked at when it runs.
bool isWellFormed(const Program &program, const Program::Step &step,
                  const Program::Control &control);

/// Internal, or OK where every number is within its table and operands come before users.
absl::Status checkNumbers(const Program &program);

} // namespace graphc
