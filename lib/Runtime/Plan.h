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
#include "absl/status/status.h"
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
    Shape shape;
    for (int32_t size : array.shape)
      shape.push_back(int64_t(sizes[size_t(size)]));
    return shape;
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

/// Element `index` of an integer or Bool array, as a size.
int64_t readInteger(DType dtype, const void *data, int64_t index);

/// A part of a message: text, and then the value of a size unless `size` is kNoSize.
struct MessagePiece {
  static constexpr int32_t kNoSize = -1;
  /// The index that is out of range, as indexText says it, follows instead.
  static constexpr int32_t kIndex = -2;
  std::string text;
  int32_t size = kNoSize;
};
/// What a failed check says, with the place, before its sizes are known. A shape that does not fit
/// has a negative extent, or is too large.
std::vector<MessagePiece> messageOf(const Program &program, const Program::SizeCheck &check,
                                    bool isNegative = false);
std::vector<MessagePiece> messageOf(const Program &program, const Program::Failure &failure);

/// The error of a check that fails for `values`.
absl::Status sizeError(const Program &program, const Program::SizeCheck &check,
                       const std::vector<SizeValue> &values);
absl::Status failureError(const Program &program, const Program::Failure &failure,
                          const std::vector<SizeValue> &values);
/// That of a kernel which returned `result`, with the index that it failed at where it can be read.
absl::Status kernelError(const Program &program, const Program::Step &step, int32_t result,
                         void *const *buffers, const std::vector<SizeValue> &values);
/// The first element that is no index of an axis of that extent: "index 7"; else "an index".
std::string indexText(const void *indices, DType dtype, int64_t count, int64_t extent);

} // namespace graphc
