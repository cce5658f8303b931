//===- Support/Fork.h - locks that a forked process can take ----*- C++ -*-===//
//
// Only the thread that forks goes on in the child. docs/design/14-embedding.md tells what that
// means for what other threads were doing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "absl/status/status.h"

namespace graphc {

namespace detail {
extern std::atomic<uint64_t> forkCount;
} // namespace detail

/// Forks so far on the way to this process.
inline uint64_t forkGeneration() { return detail::forkCount.load(std::memory_order_relaxed); }

/// A mutex that is held for moments only: not while waiting for anything but other such ones. Each
/// fork waits until no other thread has one, so what it guards is whole in the child.
class ShortMutex : public std::mutex {
public:
  ShortMutex();
  ~ShortMutex();

private:
  friend class ShortMutexes;
  ShortMutex *before_ = nullptr, *after_ = nullptr; // in the list of all
  bool isLeft_ = false;                             // a fork could not get it
};

/// A condition of what a ShortMutex guards. In the child nobody waits for it any more. `wait` and
/// `notifyAll` are called with the mutex locked.
class ForkSafeCondition {
public:
  ForkSafeCondition() { new (&room_) std::condition_variable; }
  ForkSafeCondition(const ForkSafeCondition &) = delete;
  ForkSafeCondition &operator=(const ForkSafeCondition &) = delete;
  ~ForkSafeCondition();

  void wait(std::unique_lock<std::mutex> &lock) { here().wait(lock); }
  void notifyAll() { here().notify_all(); }

private:
  /// One from before a fork is left as it is: it may count threads that are not here.
  std::condition_variable &here();
  uint64_t generation_ = forkGeneration();
  alignas(std::condition_variable) char room_[sizeof(std::condition_variable)];
};

/// The thread that forked last on the way to this process; no thread's where none did.
std::thread::id forkingThread();

/// Work in the compiler half, whose libraries have locks of their own: a fork waits until other
/// threads have ended theirs, some seconds at most, and none begins meanwhile. Within another one
/// of the same thread it is part of that.
class CompilerWork {
public:
  CompilerWork();
  ~CompilerWork();
  CompilerWork(const CompilerWork &) = delete;
  CompilerWork &operator=(const CompilerWork &) = delete;
  /// False where a fork has left such work of another thread behind, and its locks with it.
  bool isPossible() const;
  /// RuntimeError that says so.
  absl::Status check() const;

  /// What another thread does for it.
  class Help {
  public:
    Help();
    ~Help();
    Help(const Help &) = delete;
    Help &operator=(const Help &) = delete;
  };
};

} // namespace graphc
