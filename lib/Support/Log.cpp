//===- Support/Log.cpp - warnings -----------------------------------------===//
#include "Support/Log.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "Support/Fork.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

struct SinkState {
  ShortMutex mutex;
  LogSink sink;
};

SinkState &sinkState() {
  static auto &state = *new SinkState; // never destroyed: threads may log while the process ends
  return state;
}

} // namespace

void setLogSink(LogSink sink) {
  SinkState &state = sinkState();
  std::lock_guard lock(state.mutex);
  // Swapped, so that the old sink's captures are destroyed after the lock is released.
  std::swap(state.sink, sink);
}

void logWarning(std::string_view message) {
  SinkState &state = sinkState();
  std::lock_guard lock(state.mutex);
  if (state.sink)
    state.sink(message);
  else
    std::fprintf(stderr, "graphc: warning: %.*s\n", int(message.size()), message.data());
}

} // namespace graphc
