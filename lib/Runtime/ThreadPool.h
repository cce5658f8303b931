//===- Runtime/ThreadPool.h - loops on several threads ----------*- C++ -*-===//
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "graphc/Embedding.h"

namespace graphc {

/// The program's own threads, if it lends any.
std::shared_ptr<TaskRunner> lentTaskRunner();

/// How many threads the process may run at once: the processors in its affinity mask.
int usableThreads();

/// Worker threads that wait for loops, spinning for some microseconds before they sleep, so that
/// one parallel loop soon after another costs no system call. Workers are started when a loop
/// first wants them and stay. All members are thread-safe, and may be used after fork().
class ThreadPool {
public:
  /// Does positions [begin, end) of a loop. `slot` is from 0 to below the loop's `threads`, and no
  /// two calls that run at once have the same: it may choose a piece of scratch memory.
  using Body = absl::FunctionRef<void(int64_t begin, int64_t end, int slot)>;

  static constexpr int kMaxThreads = 256;

  ThreadPool() = default;
  /// No loop may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The process's; its loops run in the program's TaskRunner where there is one. Never destroyed,
  /// so that the end of the process waits for nothing.
  static ThreadPool &shared();

  /// Covers [begin, end) by calls of `body` and returns when all have returned; what they wrote is
  /// visible then. The calling thread takes part, others join as they become free, at most
  /// `threads` in all. A call gets at least `grain` positions but where the range ends; more while
  /// much is left. Within a body of a loop that threads share the loop runs in the calling thread,
  /// in a single call, as it does where only one grain or one thread is wanted. What a body throws
  /// (for want of memory) ends the loop: bodies that run are awaited, others are left out, and one
  /// exception is thrown here.
  void parallelFor(int64_t begin, int64_t end, int64_t grain, int threads, Body body);

  /// Loops of the calling thread so far that wanted other threads, within bodies, too.
  static int64_t loopsForThreads();

  /// Worker threads started so far in this process.
  int startedWorkers() const;

private:
  struct State;
  State &state();

  std::atomic<State *> state_{nullptr};
};

} // namespace graphc
