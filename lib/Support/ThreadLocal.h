//===- Support/ThreadLocal.h - variables of threads --------------*- C++ -*-===//
#pragma once

#include <cstddef>

#ifdef __GLIBC__ // others refuse to load such libraries later
/// For thread_local variables of a few bytes that calls look at: one load away, also in a shared
/// library, where others are a call of the dynamic linker's. All of that library's come to lie in
/// memory that each thread has from its start, of which little is left for libraries that are
/// loaded later: large ones have to be pointers.
#define GRAPHC_NEAR [[gnu::tls_model("initial-exec")]]
#else
#define GRAPHC_NEAR
#endif
