//===- Runtime/LoadedCode.h - machine code in this process ------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace graphc {

/// A compiled kernel: see Kernels/Kernel.h for what the arrays hold and what the result means.
using KernelFunction = int32_t (*)(void **buffers, const int64_t *sizes);

/// Code that was loaded, from an object by the JIT or from a shared object by the loader. It is
/// unloaded by the destructor, so whoever calls the functions keeps a shared_ptr to this. Immutable
/// and thread-safe.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  /// In the order of the names that were asked for.
  size_t size() const { return functions.size(); }
  KernelFunction function(size_t index) const { return functions[index]; }

protected:
  explicit LoadedCode(std::vector<KernelFunction> functions) : functions(std::move(functions)) {}

private:
  std::vector<KernelFunction> functions;
};

/// The functions of all `parts`, one part after the other; keeps the parts.
std::shared_ptr<const LoadedCode>
joinCode(absl::Span<const std::shared_ptr<const LoadedCode>> parts);

} // namespace graphc
