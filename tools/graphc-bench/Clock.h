//===- Clock.h - time of phases -----------------------------------*- C++ -*-===//
#pragma once

#include <chrono>

namespace graphc::bench {

class Clock {
public:
  /// Seconds since it was made or asked last.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace graphc::bench
