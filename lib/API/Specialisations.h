//===- Specialisations.h - code for extents that come often -------*- C++ -*-===//
//
// Calls of a program are counted by their extents. Those that come often get a version of the
// program in which they are constants, made in the background: see
// docs/design/19-specialisation.md. Kernels of static programs have extents as arguments, too; they
// get a version where calls are short.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "Kernels/CompilerInterface.h"
#include "Runtime/Executable.h"
#include "absl/types/span.h"

namespace graphc {

/// The versions of one program. Thread-safe; no call waits for a compilation, or takes a lock while
/// none begins.
class Specialisations {
public:
  /// So many calls with the same extents make them come often, unless too many others come between.
  static constexpr int kOften = 128;

  /// At most `most` (at least 1), for calls with so many `threads`.
  Specialisations(std::shared_ptr<const Specialiser> specialiser, int most, int threads);
  /// What is being made is not wanted any more; this does not wait for it.
  ~Specialisations();
  Specialisations(const Specialisations &) = delete;
  Specialisations &operator=(const Specialisations &) = delete;

  /// The version for arguments of these extents (of all, one after the other), if it is there; else
  /// null.
  const Executable *find(absl::Span<const int64_t> extents) const;
  /// Counts a call of the general program that has succeeded with such arguments.
  void count(absl::Span<const int64_t> extents) const;

  /// Those that are there.
  std::vector<const Executable *> made() const;
  /// The same for another function, without any versions yet.
  std::unique_ptr<const Specialisations> forCopy() const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace graphc
