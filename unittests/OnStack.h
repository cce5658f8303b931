//===- OnStack.h - tests of what must not recurse ---------------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

namespace graphc {

/// Runs `body` in a thread whose stack has that many MiB.
inline void onStack(size_t mebibytes, const std::function<void()> &body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, mebibytes << 20);
  pthread_t thread;
  auto run = [](void *f) -> void * {
    (*static_cast<const std::function<void()> *>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()> *>(&body)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

} // namespace graphc
