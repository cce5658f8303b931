//===- WriteProgram.h - a program as an object or library ---------*- C++ -*-===//
//
// docs/design/05-aot.md says what is in them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

#include "AOT/Interface.h"
#include "AOT/MainTables.h"
#include "JIT/ObjectCompiler.h"
#include "Runtime/Program.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// A relocatable ELF object with the whole program: its kernels, whose objects are `kernels`, its
/// constants, and the driver. Its global symbols are the functions of `interface`, its undefined
/// ones are of libc and libm. Any target that `compiler` makes code for. With `main` it is for
/// linkProgram and has graphcMain (Main.h) instead of the functions.
/// Errors: NotSupported for host callbacks and for constants of 2 GB and more; Internal.
absl::StatusOr<std::string> programObject(const Program &program, const CallInterface &interface,
                                          absl::Span<const std::string> kernels,
                                          const ObjectCompiler &compiler,
                                          const MainTables *main = nullptr);

/// The executable file, its bytes, of such an object and the command line of the folder Main.
/// Errors: as linkExecutable.
absl::StatusOr<std::string> linkProgram(const std::string &object);

} // namespace graphc
