//===- Examples.h - measurements that nobody measured -------------*- C++ -*-===//
#pragma once

#include "Report.h"

namespace graphc::bench {

inline Median around(double value) { return {value, value * 0.99, value * 1.01}; }

inline Beside besideOf(const char *name, double nanoseconds, double ratio) {
  return {
      name, {around(nanoseconds), nanoseconds}, around(ratio), around(nanoseconds * (ratio - 1))};
}

/// Bandwidths of 100, 50 and 10 GB/s, half of it where there is writing; 100, 50 and 200
/// GFLOP/s.
inline Machine exampleMachine() {
  Machine machine;
  machine.f32 = 100e9;
  machine.f64 = 50e9;
  machine.bf16 = 200e9;
  machine.bandwidths = {
      {"cache", 1e6, 100e9, 50e9}, {"12 MiB", 12e6, 50e9, 25e9}, {"memory", 64e6, 10e9, 5e9}};
  return machine;
}

/// "sum" takes 1.02 of a loop by hand and 0.5 of NumPy; "nodes" is a large graph.
inline Report exampleReport() {
  Report report;
  report.machine = exampleMachine();
  Measurement sum;
  sum.name = "sum";
  sum.about = "a sum";
  sum.target.ratio = 1.05;
  sum.rounds = 21;
  sum.count = 2;
  sum.ours = {around(1020), 1000};
  sum.rivals = {besideOf("C++", 1000, 1.02), besideOf("NumPy", 2040, 0.5)};
  sum.compileSeconds = 0.004;
  sum.limit = Limit{"memory", 0.95, true};
  sum.cost = {1000, 4000, 0};
  Measurement nodes;
  nodes.name = "nodes";
  nodes.nodes = 1000;
  nodes.perNode = {{"build", 400}, {"run", 2}};
  report.measurements = {sum, nodes};
  return report;
}

} // namespace graphc::bench
