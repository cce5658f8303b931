//===- JIT/RuntimeSymbols.h - what generated code may call ------*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/status.h"
#include "llvm/ADT/ArrayRef.h"

namespace graphc {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// The functions of libm and libc that generated code may call. Nothing else of the process is
/// visible to it, so that what runs in the JIT also links as a file that needs libc and libm alone.
llvm::ArrayRef<RuntimeSymbol> runtimeSymbols();

/// Internal where the ELF object needs a symbol that is neither one of runtimeSymbols() nor of
/// `more`: LLVM then expected a library of the compiler's to be there, as it does for what a
/// processor cannot do.
absl::Status checkSymbols(const std::string &object, llvm::ArrayRef<llvm::StringRef> more = {});

} // namespace graphc
