//===- Report.h - tables and JSON ---------------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "Measure.h"

namespace graphc::bench {

/// What was measured, and where.
struct Report {
  Settings settings;
  Machine machine;
  /// Other systems by name: the version, or why there is none.
  struct System {
    std::string name, version, missing;
  };
  std::vector<System> systems;
  std::vector<Measurement> measurements;
};

/// The measurements in columns; geometric means of groups, and time per node of large graphs, in
/// tables of their own.
std::string tableOf(const Report &report);
/// The same in Markdown, and what machine and which versions it was: docs/Performance.md.
std::string markdownOf(const Report &report);
/// The same with everything known: see docs/Benchmarks.md.
std::string jsonOf(const Report &report);

/// "12.3 us": three or four digits of a time, which may be negative.
std::string timeText(double nanoseconds);

} // namespace graphc::bench
