//===- Bandwidth.cpp - what the machine's memory gives --------------------===//
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "graphc/Profile.h"

namespace graphc {

static double measureBandwidth() {
  constexpr size_t kBytes = size_t(32) << 20; // of each of two arrays
  constexpr auto kTime = std::chrono::milliseconds(20);
  constexpr int kMinPasses = 2;
  std::unique_ptr<char[]> from(new char[kBytes]), to(new char[kBytes]);
  // The pages are there before the clock runs.
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 2, kBytes);
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now(), last = start;
  double best = 0;
  for (int pass = 0; pass < kMinPasses || last - start < kTime; ++pass) {
    std::memcpy(to.get(), from.get(), kBytes);
    // The compiler must not find that nobody reads the copy.
    asm volatile("" : : "r"(to.get()) : "memory");
    Clock::time_point now = Clock::now();
    best = std::max(best, 2 * double(kBytes) / std::chrono::duration<double>(now - last).count());
    last = now;
  }
  return best;
}

double machineBandwidth() {
  static const double bandwidth = measureBandwidth();
  return bandwidth;
}

} // namespace graphc
