//===- EmulatedTiles.h - AMX in software -------------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc::testing {

/// While it lives, this process does AMX's instructions as Intel's manual tells, where the
/// processor raises SIGILL for them, and code for x86-64-v4-amx runs. One at a time.
class EmulatedTiles {
public:
  EmulatedTiles();
  ~EmulatedTiles();
  EmulatedTiles(const EmulatedTiles &) = delete;
  EmulatedTiles &operator=(const EmulatedTiles &) = delete;

  /// Whether code for that target may be run so: the processor has all else that it wants.
  static bool isPossible();
  /// TDPBF16PS and LDTILECFG so far, of all threads.
  static int64_t numProducts();
  static int64_t numConfigurations();
  /// Threads that have tiles which they have not released.
  static int64_t numHeld();
};

} // namespace graphc::testing
