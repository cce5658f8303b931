//===- Runtime/ProgramFile.h - Programs as bytes ----------------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "Runtime/CodeFolder.h"
#include "Runtime/Executable.h"
#include "Support/Hash.h"

namespace graphc {

/// The program that was stored in `folder` as a Library with the bytes of programToBytes beside it,
/// ready to run; null if there is none.
std::shared_ptr<const Executable> loadProgram(const CodeFolder &folder, const Hash128 &key);

/// For a cache of this build of graphc: the bytes have no version of their own. Nothing for a
/// Program with host callbacks.
std::optional<std::string> programToBytes(const Program &program);

/// Nothing for bytes that are no Program; whether the Program is well-formed is seen by
/// Executable::create.
std::optional<Program> programFromBytes(std::string_view bytes);

} // namespace graphc
