//===- graphc/Compiler.h - who can compile graphc's headers -----*- C++ -*-===//
//
// Each header includes it before any other of graphc's, so that a compiler that is too old hears of
// that first. Tested are g++ 12 and clang 22.
//
//===----------------------------------------------------------------------===//
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "graphc needs C++20: compile with -std=c++20 (g++ 12 or later, clang 16 or later)"
#elif defined(__clang__) && !defined(__apple_build_version__)
#if __clang_major__ < 16 // std::source_location and constrained templates are not whole before
#error "graphc needs a newer compiler: clang 16 or later, or g++ 12 or later, with -std=c++20"
#endif
#elif defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ < 12
#error "graphc needs a newer compiler: g++ 12 or later, or clang 16 or later, with -std=c++20"
#endif
#endif
