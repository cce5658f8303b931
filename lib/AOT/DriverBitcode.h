//===- DriverBitcode.h - Driver.c as LLVM bitcode -----------------*- C++ -*-===//
#pragma once

#include <string_view>

namespace graphc {

/// For x86-64 or aarch64. The bytes live as long as the process.
std::string_view driverBitcode(bool forAArch64);

} // namespace graphc
