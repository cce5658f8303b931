//===- JIT/ScanIR.h - the words of LLVM IR that a file brought --*- C++ -*-===//
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// ValueError, with its place, for text with a word, an intrinsic or metadata that graphc's LLVM IR
/// has not, or with deep brackets or wide types: LLVM's parser believes what it is told of them,
/// and calls itself for brackets. `name` stands for the file. Linear in the text.
absl::Status scanIR(std::string_view text, std::string_view name);

} // namespace graphc
