//===- ProgramLayout.h - a program's segments and lifetimes -------*- C++ -*-===//
//
// A program's steps fall into segments: a segment ends where a size is needed that is an element of
// an array computed before (most programs are one segment).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

#include "Runtime/Program.h"
#include "absl/status/statusor.h"

namespace graphc {

/// What does not depend on shapes.
struct ProgramLayout {
  struct Segment {
    int32_t firstStep, endStep;
    /// Elements read before it starts, with what their indices are made of, in order.
    std::vector<int32_t> readSizes;
    /// All sizes that become known with them, in order.
    std::vector<int32_t> sizes;
    std::vector<int32_t> checks;
    /// Outputs whose memory is first written here.
    std::vector<int32_t> outputs;
  };
  std::vector<Segment> segments;
  /// By array: the array whose memory it is, and the segment of the first step that uses that.
  std::vector<int32_t> root, segmentOf;
  /// By step: the arrays that get memory in the arena before it, and those whose memory in it is
  /// free afterwards. An array that a later segment reads keeps its own.
  struct Lifetimes {
    Numbers allocate, release;
  };
  std::vector<Lifetimes> lifetimes;
  /// By output: the array that is first written in its memory, and the one that it is a copy of;
  /// -1 where it is none.
  std::vector<int32_t> outputRoot, outputSource;
  /// Whether no size depends on a call's arguments.
  bool isStatic = false;

  static absl::StatusOr<ProgramLayout> create(const Program &program);
};

} // namespace graphc
