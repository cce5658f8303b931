//===- JIT/CompileInParts.h - compiling on several threads ------*- C++ -*-===//
#pragma once

#include "Runtime/ThreadPool.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"

namespace graphc {

/// Calls `compile(i)` for each i in [0, count) on at most `threads` threads of the pool, the
/// calling one among them, and returns when all have returned. What may cancel the calling thread's
/// work cancels theirs. Within its CompilerWork a fork waits for them, too.
template <typename Compile> void compileInParts(size_t count, int threads, Compile compile) {
  const std::optional<Cancellation> &cancellation = CancelScope::current();
  ThreadPool::shared().parallelFor(0, int64_t(count), /*grain=*/1, threads,
                                   [&](int64_t begin, int64_t end, int) {
                                     CancelScope scope(cancellation);
                                     CompilerWork::Help help;
                                     for (int64_t i = begin; i < end; ++i)
                                       compile(size_t(i));
                                   });
}

} // namespace graphc
