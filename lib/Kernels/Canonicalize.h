//===- Canonicalize.h - equal kernels are one ---------------------*- C++ -*-===//
//
// A draft is a Kernel whose arrays and sizes still have the numbers of the graph that it was cut
// from. Canonicalizing it collapses dimensions and renumbers everything in the order of use, so
// that two drafts that compute the same become equal Kernels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <vector>

#include "Emit/SizeTable.h"
#include "Kernels/Body.h"
#include "Kernels/Kernel.h"

namespace graphc {

/// Constants up to this are part of a kernel (windows, groups of channels): its code is unrolled
/// for them. Larger ones are arguments, so that kernels of many shapes are one.
inline constexpr int64_t kMaxBakedSize = 16;

struct KernelDraft {
  struct Array {
    int32_t id; // in the graph
    Kernel::Role role;
    DType dtype;
    Numbers shape; // sizes of the graph, without unit axes
  };
  struct Check {
    int32_t nest;
    int32_t condition;
    int32_t failure; // the caller's number
  };
  /// Loads and results are numbers in `arrays`; sizes are the graph's.
  std::vector<Array> arrays;
  std::vector<Nest> nests;
  std::vector<Check> checks;
  int32_t numShared = 0;
};

struct CanonicalKernel {
  Kernel kernel;
  /// The graph's array for each of the kernel's.
  Numbers arrays;
  /// The graph's size for each argument.
  Numbers sizes;
  Numbers failures;
};

/// New sizes (of collapsed dimensions) are added to `sizes`; `builder` reads the same table.
CanonicalKernel canonicalize(KernelDraft draft, SizeTable &sizes, BodyBuilder &builder);

/// Makes one of adjacent dimensions that all nests and arrays run through together.
void collapseDimensions(KernelDraft &draft, SizeTable &sizes, BodyBuilder &builder);

} // namespace graphc
