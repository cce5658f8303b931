//===- Plan.h - a program for given shapes ------------------------*- C++ -*-===//
//
// For a segment (ProgramLayout.h) and the values that its sizes depend on (extents of inputs,
// elements read), everything else follows once and is kept: all sizes, the arguments of the
// kernels, and where in the segment's arena each array lies. That is a Plan. A Frame is the memory
// of one call under a plan: an arena, and the kernels' pointer tables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "Runtime/Forks.h"
#include "Runtime/KeptOperands.h"
#include "Runtime/ProgramLayout.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"

namespace graphc {

struct Plan {
  /// A pointer that is the same in all calls under this plan, as an offset in the arena; or the
  /// memory of an input, an output or an array of an earlier segment.
  struct Pointer {
    enum class Kind : uint8_t { Arena, Input, Output, Earlier, Constant, Scratch, Kept };
    Kind kind = Kind::Arena;
    int64_t value = 0; // offset, or number of the input, output, array or constant; Kept: address
    int64_t begin = 0; // in bytes, from there on: of parts
  };
  struct StepPlan {
    int64_t firstPointer = 0, firstArgument = 0;
    int32_t numPointers = 0, numArguments = 0;
    bool parallel = false; // worth more than one thread
    int64_t grain = 1;     // least part of the outermost loop for a thread
    /// Each part begins by filling scratch memory that the others do not share (a product's
    /// panels), or reads all of a kept operand: as few parts as there are threads.
    bool copies = false;
    /// It makes no element and checks nothing for these sizes: it is not run, whatever its loops.
    bool isIdle = false;
  };
  std::vector<SizeValue> sizes;
  std::vector<StepPlan> steps;
  /// For calls that use several threads.
  std::vector<Fork> forks;
  std::vector<Pointer> pointers;
  std::vector<int64_t> arguments;
  /// Offset of each array in the arena; -1 for others.
  std::vector<int64_t> offsets;
  int64_t arenaBytes = 0;
  int64_t scratchBytes = 0; // of one thread

  using Shape = absl::InlinedVector<int64_t, 8>;
  /// Of an array whose sizes are known by now.
  Shape shapeOf(const Program::Array &array) const {
    Shape shape(array.shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis] = int64_t(sizes[size_t(array.shape[axis])]);
    return shape;
  }
  int64_t bytesOf(const Program::Array &array) const {
    int64_t bytes = byteSize(array.dtype);
    for (int32_t size : array.shape)
      bytes *= int64_t(sizes[size_t(size)]);
    return bytes;
  }

  /// `sizes` are those of the segments before, with what was read. `kept` has the copies of
  /// constants and lives as long; without it there are none. With the program's
  /// `order` there may be forks, whose branches share no memory of the arena.
  static absl::StatusOr<std::shared_ptr<Plan>> create(const Program &program,
                                                      const ProgramLayout &layout, int32_t segment,
                                                      std::vector<SizeValue> sizes,
                                                      KeptOperands *kept = nullptr,
                                                      const StepOrder *order = nullptr);
};

} // namespace graphc
