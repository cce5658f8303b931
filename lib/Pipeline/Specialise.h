//===- Specialise.h - a program for one list of extents -----------*- C++ -*-===//
//
// The steps, arrays and arithmetic of the general program, with constants for the sizes that
// follow from the extents of inputs: in the program, so that a call solves nothing, and in its
// kernels (Transforms/KnownSizes.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <vector>

#include "JIT/KernelCache.h"
#include "JIT/ObjectCompiler.h"
#include "Kernels/CompilerInterface.h"
#include "Kernels/Kernel.h"

namespace graphc {

/// Of a program whose `kernels` have that code; null where all its extents are known and a call
/// takes more than 2 us by estimate. `cache` as in CompileOptions.
std::shared_ptr<const Specialiser>
specialiserOf(std::shared_ptr<const Executable> general, std::vector<Kernel> kernels,
              std::vector<std::shared_ptr<const CachedKernel>> code,
              std::shared_ptr<const ObjectCompiler> compiler, bool cache);

} // namespace graphc
