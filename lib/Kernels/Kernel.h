//===- Kernel.h - fusion groups -----------------------------------*- C++ -*-===//
//
// A Kernel is one function of generated code: a few loop nests over arrays that the caller
// supplies. It knows nothing of the graph that it was cut from (no names, no places), so equal
// groups are one Kernel and are compiled once. KernelGraph.h has what calls them.
//
// C signature of every compiled kernel:
//   int32_t kernel(void **buffers, const int64_t *sizes)
// buffers: inputs, then outputs, as in `Kernel::arrays`, then the scratch memory that the compiled
// code asked for (Program::Step::scratch). Inputs and outputs are aligned to their elements,
// scratch to 64 bytes. Outputs may share memory with inputs as `reusableInputs` says, and not
// otherwise. sizes: `numSizeArguments` values, then, if `splitExtent` >= 0, begin and end of the
// outermost shared loop (begin 0 and end = its extent for a whole run). Several threads may run
// disjoint parts of one call, each with its own scratch. Returns 0, or 1 + the number of the
// element check that failed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphc/Emit.h"

namespace graphc {

struct Kernel {
  /// A size: a constant that the code may rely on, or an argument.
  struct Size {
    bool constant = false;
    int64_t value = 0; // the constant, or the number of the argument
    friend bool operator==(const Size &, const Size &) = default;
  };

  enum class Role : uint8_t {
    Input,  // row-major memory, never written
    Output, // row-major memory, written once
    Local,  // between two nests of this kernel only: registers or scratch, as codegen decides
  };

  struct ArrayDecl {
    Role role;
    DType dtype;
    Numbers shape; // numbers in `sizes`
    friend bool operator==(const ArrayDecl &, const ArrayDecl &) = default;
  };

  struct Check {
    int32_t nest;
    int32_t condition; // Bool node of the nest's body
  };

  /// Readable stem, e.g. "mul_add"; made unique and legal as a symbol by `symbol`.
  std::string name;
  std::vector<Size> sizes;
  int32_t numSizeArguments = 0;
  /// Inputs, then outputs, then locals.
  std::vector<ArrayDecl> arrays;
  /// In order; `Nest::extents`, Size nodes, load arrays and results are numbers in the tables
  /// above. The last axis of an array is contiguous; nests store where their parallel loops say. A
  /// nest may load outputs and locals of earlier nests. Index expressions are simplified;
  /// dimensions that are contiguous in all arrays have been collapsed; loads of axes with constant
  /// extent 1 have a constant 0 index, and such axes are dropped from array shapes.
  std::vector<Nest> nests;
  /// The first `numShared` loops are the same in all nests, and nests exchange values only within
  /// one iteration of them: they may run as one loop around all nests (a row at a time). With a
  /// single nest it is the nest's numParallel. 0 with several nests: they run one after the other.
  /// None has parallel loops then (sums over everything, and what is computed from them).
  /// A contraction (a reduction whose loads leave out some loops) is in a kernel with other nests
  /// as the first one, with numShared its numParallel: what follows is its epilogue. Or there are
  /// two, with rows between them (JoinProducts.cpp), and all share the loops but for the columns.
  /// Scatters (lib/Emit/Scatter.h) to the same places may be several, none of which reads what the
  /// kernel makes.
  int32_t numShared = 0;
  /// Number in `sizes` of the extent of the outermost shared loop if a part of it may be run alone
  /// (threads); -1 otherwise.
  int32_t splitExtent = -1;
  /// Whether its sums of products may have more than kShortSum terms, for which code does more: a
  /// kernel of short ones compiles faster.
  bool hasLongSums = false;
  std::vector<Check> checks;

  /// Of everything but the name.
  uint64_t hash() const;
  /// The same fields as bytes: equal for equal kernels only.
  std::string content() const;
  std::string symbol() const;
};

inline constexpr int64_t kShortSum = 1024;

/// What splitExtent is where threads may share the work.
int32_t splitExtentOf(const Kernel &kernel);

/// For each output the inputs of which it may take over the memory of one: those that are loaded
/// only in the output's own nest, where the output is stored. So each load of an element comes
/// before the store by dependence, and code may treat the buffers as if they were apart. Both have
/// one shape and elements of one size. No two outputs may take over one input.
std::vector<std::vector<int32_t>> reusableInputs(const Kernel &kernel);

/// Readable form of a kernel, as `--emit=kernels` prints it:
///   kernel @mul_add(%0: f32[n0], %1: f32[n0]) -> f32[n0] {
///     %2[i0] = add(%0[i0], mul(%1[i0], 2.0))
///   }
std::string toString(const Kernel &kernel);

} // namespace graphc
