//===- StageText.h - stages below the graph as text ---------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "JIT/ObjectCompiler.h"
#include "Kernels/Kernel.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// The kernels as linalg on tensors, one function each: the text of `--emit=linalg`.
absl::StatusOr<std::string> linalgText(absl::Span<const Kernel> kernels);
/// From the text of stage `from` ("linalg", "loops" or "llvm") to that stage or a later one. A text
/// that graphc has not just made itself may hold anything: if the compiler's options say that it is
/// not trusted, it is checked, and what graphc could not have written is a ValueError with its
/// place.
absl::StatusOr<std::string> translateText(std::string_view text, std::string_view name,
                                          std::string_view from, std::string_view to,
                                          const ObjectCompiler &compiler);

} // namespace graphc
