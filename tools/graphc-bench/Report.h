//===- Report.h - a table and JSON --------------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Measure.h"

namespace graphc::bench {

/// The measurements in columns; time per node of large graphs in a table of its own.
std::string tableOf(const std::vector<Measurement> &measurements);
/// The same with everything known, and what machine it was: see docs/Benchmarks.md.
std::string jsonOf(const std::vector<Measurement> &measurements, const Settings &settings);

} // namespace graphc::bench
