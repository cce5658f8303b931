//===- Program.h - a compiled program as data ---------------------*- C++ -*-===//
//
// A Program is a table of steps (kernels, host calls, copies) over arrays, with the expressions of
// their sizes. It is plain data with symbols instead of code addresses, so that it can be written
// to a file; only callbacks cannot. An Executable (Executable.h) joins it with code and runs
// it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "Support/CopiedOperands.h"
#include "absl/types/span.h"
#include "graphc/DType.h"
#include "graphc/Host.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {

class Type;

struct Program {
  /// An array: where its memory is, and its shape.
  struct Array {
    enum class Storage : uint8_t {
      Input,    // the caller's, row-major; `number` of the input
      Constant, // `number` in `constants`
      Output,   // a fresh tensor of this call; `number` of the output
      Arena,    // the call's arena, while it is alive
      Same,     // that of array `number`, which stands before it: a view, taken over in place, or
                // a part
    };
    Storage storage;
    DType dtype;
    int32_t number = -1;
    Numbers shape; // size numbers
    /// Of a part: how many elements of the other array are before it, a size number; else -1. The
    /// parts of an array follow each other, in the order of their numbers, from its first element
    /// to its last one: they never meet. An array that has parts is no view, and need not be
    /// written but by them.
    int32_t begin = -1;

    bool isPart() const { return begin >= 0; }
  };

  /// A node of the user's graph, for messages: only those that can fail are kept.
  struct Node {
    struct Operand {
      std::string label; // "x", "dot(x, w)"
      DType dtype;
      Numbers shape;
    };
    std::string op;
    Place place;
    std::string result; // name of the variable that it makes, if it has one
    std::vector<Operand> operands;
  };

  /// A requirement on sizes. `message` has `{a}` and `{b}` for the two values. For Fits, `a` is the
  /// bytes of an element of an array of this shape.
  struct SizeCheck {
    Predicate predicate;
    int32_t a, b;
    ErrorKind kind;
    std::string message;
    int32_t node = -1; // in `nodes`
    Numbers shape = {};
  };

  /// What a kernel's element check or a host call says when it fails.
  struct Failure {
    ErrorKind kind;
    std::string message; // `{index}` and `{b}`: the index that is out of range, and the extent
    int32_t node = -1;
    int32_t extent = -1;  // size number
    int32_t indices = -1; // which of the step's arrays holds the index, if one does
  };

  struct Kernel {
    std::string symbol;
    /// Whether begin and end of the outermost loop follow the sizes.
    bool splits = false;
  };

  struct Step {
    enum class Kind : uint8_t {
      Kernel,  // `callee` in `kernels`
      Host,    // `callee` in `hosts`
      Copy,    // the elements of arrays[0] to arrays[1]
      Control, // `callee` in `controls`
    };
    /// Memory that a kernel's code asked for, one buffer each after those of `arrays`. Known when
    /// the kernel has been compiled.
    struct Scratch {
      DType dtype;
      Numbers shape;
      /// If this has an input: no buffer, but a copy of that array, where it is a constant, as
      /// Support/CopiedOperands.h says; null where it is none, or not kept. The shape is that of
      /// one row in memory, or empty where no copy is wanted.
      KeptForm kept = {};
    };
    /// Of a kernel's nest: its iterations, and an estimate of the time of one thread, `nanoseconds`
    /// times the value of `count`.
    struct Work {
      int32_t count;
      float nanoseconds;
    };
    Kind kind;
    int32_t callee = -1;
    int32_t numInputs = 0;
    Numbers arrays; // inputs, then outputs
    Numbers sizes;  // arguments of a kernel: size numbers
    std::vector<Scratch> scratch;
    std::vector<Work> work; // by nest
    int32_t splitSize = -1; // size number of the outermost loop's extent
    Numbers failures;       // numbers in `failures`, by element check; Host, Control: one
  };

  /// A branch or a loop: programs that a step runs, on memory of this one.
  struct Control {
    /// Operands of a branch: an int64, which chooses its first body if it is not 0, else its
    /// second one, and the bodies' inputs. Of a loop: the number of steps, an int64; sequences;
    /// initial states; what is the same in all steps. A loop's body has as inputs an element for
    /// each tap of each sequence, a value for each tap of each state, and the last operands; its
    /// outputs are new states, further results, and with `hasUntil` whether the loop ends. Results
    /// of a loop are all values of states and of further results along a first axis (of states
    /// that keep the last value that one alone), and the number of steps that were done, an int64.
    bool isLoop = false;
    /// The one result instead: the extents of the branch's results, or of the further ones of a
    /// loop's first step (zeros without one), one after the other.
    bool givesExtents = false;
    bool hasUntil = false, goesBackwards = false;
    /// Further results stand in the opposite order of the steps; not with `hasUntil`.
    bool stacksBackwards = false;
    /// By sequence, by state: its taps.
    std::vector<std::vector<int32_t>> sequences, states;
    /// By state; where it has 1, `scratch` of the step has room for one value more than its
    /// history, in the states' order.
    std::vector<uint8_t> keepsLast;
    /// As HostCall's: axes in front, for each slice of which it runs.
    int32_t numLevels = 0;
    std::vector<uint32_t> levels;
    /// Their steps name `kernels` of the outermost program; they have none.
    std::vector<Program> bodies;

    // As Runtime/Taps.h says.
    int32_t history(size_t state) const;
    bool hasHistoryAxis(size_t state) const;
    int64_t lead(size_t sequence) const;
    int64_t margin(size_t sequence) const;
  };

  /// What profiles tell of a step beside its time.
  struct Facts {
    /// A node of the graph after rewriting.
    struct Node {
      std::string op;
      Place place;
    };
    /// A kernel's loads of an input in one iteration of a nest. A nest's number is that of its
    /// Work.
    struct Load {
      int32_t input, nest, count;
    };
    std::vector<Node> nodes; // that it computes, in order
    std::vector<Load> loads;
    std::vector<int64_t> flops; // by nest, of one iteration
  };

  struct Input {
    std::string name;
    DType dtype; // of a complex one, the array is that of its parts (Tensor::realView)
    std::vector<int64_t> shape; // kDynamic where unknown
    int32_t array;
  };
  struct Output {
    std::string name;
    int32_t array; // whose storage is Output
    /// The input whose memory a call may give for it, or -1: the step that writes it first reads
    /// each element of the input before it writes there, no later one reads the input, and none
    /// from that one on can fail.
    int32_t over = -1;
    /// Whether callers get the array, whose last axis has the parts, as a complex tensor.
    bool isComplex = false;
  };

  /// Of the function, for messages.
  std::string name;
  /// Sizes: Dim's array is the number of an input, Element's a number in `arrays`.
  std::vector<SizeNode> sizes;
  std::vector<SizeCheck> checks;
  std::vector<Node> nodes;
  std::vector<Failure> failures;
  std::vector<Array> arrays;
  std::vector<Tensor> constants;
  std::vector<Kernel> kernels;
  std::vector<HostCall> hosts;
  std::vector<Control> controls;
  std::vector<Step> steps;
  /// By step, where a profile is wanted; may be shorter than `steps`. Not in files.
  std::vector<Facts> facts;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

/// The extents of an array that are the same in all calls; kDynamic for the others.
std::vector<int64_t> staticShape(const Program &program, const Program::Array &array);

/// The type of an output as callers see it: pairs are complex numbers.
Type typeOf(const Program &program, const Program::Output &output);

/// The number of the array whose memory `array` has, or is in: itself, unless its storage is Same.
int32_t rootOf(const Program &program, int32_t array);
/// The number of the array that it is a view of, or has taken over: itself for parts, too.
int32_t ownerOf(const Program &program, int32_t array);
/// Calls `f` for the size number of each `begin`: the elements in front of `array` in the memory of
/// its root are their sum.
template <class F> void forEachBegin(const Program &program, int32_t array, F f) {
  while (program.arrays[size_t(array)].storage == Program::Array::Storage::Same) {
    const Program::Array &part = program.arrays[size_t(array)];
    if (part.isPart())
      f(part.begin);
    array = part.number;
  }
}
/// That sum, for values of the sizes.
int64_t beginOf(const Program &program, int32_t array, absl::Span<const SizeValue> sizes);

/// The program part of `--emit=kernels`. `labels` are the names of kernels in it; without them it
/// has their symbols.
std::string toString(const Program &program, absl::Span<const std::string> labels = {});

/// "floor_div", ... as that text has it; "" for Constant.
std::string_view sizeOpName(SizeOp op);

} // namespace graphc
