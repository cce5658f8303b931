//===- Runtime/CpuIdentity.h - which processor this is ----------*- C++ -*-===//
#pragma once

#include <string_view>

#include "Support/Hash.h"
#include "graphc/Status.h"

namespace graphc {

/// A hash of this processor's model and of what it can do, as far as the operating system lets
/// programs use it: equal where code for one runs on the other. Read once; the light library's
/// stand-in for LLVM's detection. Thread-safe.
Hash128 cpuIdentity();

/// What code is made for. `native` is this processor.
inline constexpr std::string_view kTargets[] = {
    "native", "x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-amx", "aarch64"};
/// ValueError for a name that is none of them.
absl::Status checkTarget(std::string_view name);

/// Whether this processor runs code for a target by name, "x86-64-v3"; "native" is any.
bool runsCodeFor(std::string_view target);

/// Whether the processor multiplies bfloat16 in tile registers (AMX), and this process may: a
/// process has to ask Linux for their memory, 8 KB for each thread that uses them. Asked for once.
bool mayUseTileRegisters();

/// For tests that do AMX's instructions themselves, where the processor has none: runsCodeFor says
/// so of that target, and the native one stays as it is.
void pretendTileRegisters(bool are);

} // namespace graphc
