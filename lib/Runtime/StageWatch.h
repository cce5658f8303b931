//===- StageWatch.h - times of stages ---------------------------*- C++ -*-===//
#pragma once

#include <chrono>

#include "Support/Text.h"
#include "graphc/Stage.h"

namespace graphc {

/// Reports a stage's begin, and its end with `done`. A stage that fails does not end.
class StageWatch {
public:
  StageWatch(const StageObserver &observer, std::string_view stage)
      : observer_(observer), stage_(stage) {
    if (observer_)
      observer_({stage});
  }
  StageWatch(StageObserver &&, std::string_view) = delete; // it is referred to
  /// `size()` says what the stage made; called only where somebody listens.
  template <class Size> void done(Size &&size) const {
    if (!observer_)
      return;
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    observer_({stage_, true, time.count(), size()});
  }

private:
  const StageObserver &observer_;
  std::string_view stage_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace graphc
