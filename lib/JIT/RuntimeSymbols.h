//===- JIT/RuntimeSymbols.h - what generated code may call ------*- C++ -*-===//
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace graphc {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// The functions of libm and libc that generated code may call. Nothing else of the process is
/// visible to it, so that what runs in the JIT also links as a file that needs libc and libm alone.
llvm::ArrayRef<RuntimeSymbol> runtimeSymbols();

} // namespace graphc
