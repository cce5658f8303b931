//===- EmbeddedFiles.h - what the build compiled for programs -----*- C++ -*-===//
#pragma once

#include <string_view>

namespace graphc {

// The bytes live as long as the process.

/// Driver.c as LLVM bitcode, for x86-64 or aarch64.
std::string_view driverBitcode(bool forAArch64);
/// The folder Main as a relocatable ELF object for this machine's processor. It defines `_start`
/// and needs graphcMain (Main.h).
std::string_view mainObject();

} // namespace graphc
