//===- Machine.h - what the machine can do ------------------------*- C++ -*-===//
//
// The roofline: a piece of work cannot be done faster than its arithmetic takes at the greatest
// rate measured, nor faster than its bytes take at the greatest bandwidth measured for arrays of
// their size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Case.h"

namespace graphc::bench {

/// What bounds a piece of work, and which share of it is used.
struct Limit {
  /// "f32", "f64", "bf16", or the name of a Bandwidth.
  std::string of;
  double share = 0;
  bool isBandwidth = false;

  /// There is nothing left to win: from 90 % of a bandwidth on.
  bool isReached() const { return isBandwidth && share >= 0.9; }
};

/// Bytes per second of arrays that take `bytes` altogether.
struct Bandwidth {
  std::string name;
  double bytes = 0;
  /// Reading alone; two arrays read and one written.
  double read = 0, mixed = 0;
};

struct Machine {
  int threads = 1;
  /// Operations per second. Of bf16: products that are added up in f32, by AVX512-BF16; f32's rate
  /// where the processor has no such instructions.
  double f32 = 0, f64 = 0, bf16 = 0;
  /// From small arrays to large ones: the cache next to a core, 12 MiB, and memory (64 MiB).
  std::vector<Bandwidth> bandwidths;

  /// Measures for about `seconds` each, on the settings' threads.
  static Machine measured(const Settings &settings);

  /// Takes the greater of each rate: somebody else may have kept the machine busy the first time.
  void raiseTo(const Machine &again);

  /// Nothing where the cost is not known.
  std::optional<Limit> limitOf(const Cost &cost, double nanoseconds) const;
};

} // namespace graphc::bench
