//===- Runtime/Background.h - work that nobody waits for --------*- C++ -*-===//
#pragma once

#include <functional>

#include "graphc/Embedding.h"

namespace graphc {

/// Has `work` done by and by, on the process's one thread for that, which is started when first
/// wanted, or where the program has a TaskRunner, by that. False, and no work, where it does
/// nothing in the background. What has not begun when the process ends or forks is never done (in
/// the child); what has is cancelled by `stop` at the end of the process, which waits for it.
/// Thread-safe.
bool runInBackground(std::function<void()> work, Cancellation stop);

/// Threads that runInBackground has started in this process: 0 or 1.
int startedBackgroundThreads();

} // namespace graphc
