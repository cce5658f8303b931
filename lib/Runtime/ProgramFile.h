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

/// A program and its code, a shared object, as bytes. For this build of graphc: they have no
/// version of their own.
struct ProgramImage {
  std::string program;
  std::string code;
};

/// What an image holds, ready to run. The code is run with the rights of the process, so the image
/// must come from somebody who has them. Io where it cannot be loaded, ValueError where it is none.
absl::StatusOr<std::shared_ptr<const Executable>> loadImage(const ProgramImage &image);

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
