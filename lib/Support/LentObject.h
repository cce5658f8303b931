//===- Support/LentObject.h - what the program may replace ------*- C++ -*-===//
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "Support/Fork.h"

namespace graphc {

/// An object that the program lends to the whole process, or none. Who uses it keeps it alive, so
/// that it may be replaced at any time. Where there is none, asking is one load. Thread-safe.
template <class T> class LentObject {
public:
  void set(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    isThere_.store(object != nullptr, std::memory_order_relaxed);
    object_.swap(object); // the old one goes after the lock
  }
  bool isThere() const { return isThere_.load(std::memory_order_relaxed); }
  std::shared_ptr<T> get() {
    if (!isThere())
      return nullptr;
    std::lock_guard lock(mutex_);
    return object_;
  }

private:
  std::atomic<bool> isThere_ = false;
  ShortMutex mutex_;
  std::shared_ptr<T> object_;
};

} // namespace graphc
