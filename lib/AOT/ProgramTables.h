//===- ProgramTables.h - a program as the driver's tables ---------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "AOT/Driver.h"
#include "AOT/Interface.h"
#include "Runtime/Program.h"
#include "absl/status/statusor.h"

namespace graphc {

/// What AotProgram (Driver.h) points to, but for constants and kernels.
struct ProgramTables {
  AotCounts counts = {};
  std::vector<AotSize> sizes;
  std::vector<AotCheck> checks;
  std::vector<AotMessage> messages;
  std::vector<AotPiece> pieces;
  std::vector<AotArray> arrays;
  std::vector<AotScratch> scratch;
  std::vector<AotStep> steps;
  std::vector<AotSegment> segments;
  std::vector<AotInput> inputs;
  std::vector<AotOutput> outputs;
  std::vector<int32_t> numbers;
  std::vector<int64_t> extents;
  std::string text;
  std::vector<AotControl> controls;
  std::vector<AotTaps> taps;
  /// Of branches and loops.
  std::vector<ProgramTables> bodies;

  /// NotSupported for a host callback, naming the op and its place; Internal for a program that is
  /// not well-formed.
  static absl::StatusOr<ProgramTables> create(const Program &program,
                                              const CallInterface &interface);
  /// The same of a branch's or loop's body, which only the driver calls.
  static absl::StatusOr<ProgramTables> ofBody(const Program &body);
};

} // namespace graphc
