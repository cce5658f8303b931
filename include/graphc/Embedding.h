//===- graphc/Embedding.h - what a program lends to graphc ------*- C++ -*-===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace graphc {

/// Where arrays lie. A program that counts, bounds or places memory derives from it. All Tensors
/// of more than 64 bytes are from it, and the memory that calls need between their kernels; graphs
/// and compiled code, and what is small, are from operator new. Must be thread-safe and throw
/// nothing, and must not use graphc.
class Allocator {
public:
  virtual ~Allocator() = default;
  /// `bytes` (more than 0) at a multiple of `alignment`, a power of two; what is in them does not
  /// matter. Null where there is no memory: what wanted it is OutOfMemory then.
  virtual void *allocate(size_t bytes, size_t alignment) = 0;
  /// What `allocate` gave, with the `bytes` that it was asked for. By any thread.
  virtual void deallocate(void *memory, size_t bytes) = 0;
};

/// From now on arrays of the process are from `allocator`; null for the C library's. What is there
/// already goes back to where it came from: an allocator is kept until its last memory is back,
/// which Functions keep for their next call (Function::free) and Tensors until they are gone.
/// Thread-safe.
void setAllocator(std::shared_ptr<Allocator> allocator);

/// Threads that do parts of a call, or of a compilation. A program that has threads derives from
/// it, so that graphc starts none. Must be thread-safe and throw nothing.
class TaskRunner {
public:
  virtual ~TaskRunner() = default;
  /// Calls `task` with each number from 0 to below `count` (at least 2) once, in any order, and
  /// returns when all have returned. The more of them run at once, the faster: the work is dealt
  /// out anew among those that run, so that none waits for another, and the calling thread may do
  /// all one after the other. Called from any thread that calls a function or compiles, also from
  /// several at once, but never from within a task.
  virtual void run(int count, const std::function<void(int number)> &task) = 0;
  /// Has `work` done once, some time after this has returned, or never; by a thread with a stack of
  /// some megabytes. It compiles what a function does often for the extents that it is called with
  /// (FunctionOptions::specialisations), for milliseconds to a second. False, and no work, if the
  /// program does not want that: by default.
  virtual bool runLater(std::function<void()> work) {
    (void)work;
    return false;
  }
};

/// From now on `runner` does what a call or a compilation divides among threads, into at most as
/// many tasks as FunctionOptions::threads says; null for threads of graphc's own. Those that have
/// been started stay, and sleep. A runner is kept until the last call that uses it has ended.
/// Thread-safe.
void setTaskRunner(std::shared_ptr<TaskRunner> runner);

/// A handle with which one thread asks another to stop compiling; copies are the same. Give it to
/// FunctionOptions::cancellation. Thread-safe.
class Cancellation {
public:
  Cancellation() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  /// What is being compiled with it ends with an error (Cancelled), after the pass that is at work:
  /// within about a tenth of a second. What begins later ends at once. A function that is there
  /// stays as it is.
  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool isCancelled() const { return flag_->load(std::memory_order_relaxed); }

private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

} // namespace graphc
