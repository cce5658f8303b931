//===- graphc/Scan.h - loops ------------------------------------*- C++ -*-===//
//
// A loop runs a graph, its step, many times: over the elements of sequences, with states that a
// step gets from the steps before it. The step is a function that is called once, on Variables,
// when the loop is made. Everything here is thread-safe, and carries mistakes as Invalid Variables.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "graphc/Shared.h"
#include "graphc/Traversal.h"
#include "graphc/Variable.h"

namespace graphc {

/// F-314: an array of which step t gets the elements t + tap along the first axis, one for each
/// tap; of the least tap below 0 the first one is in step 0.
struct ScanSequence {
  ScanSequence(Operand input, std::vector<int> taps = {0})
      : input(std::move(input)), taps(std::move(taps)) {}
  ScanSequence(const Variable &input, std::vector<int> taps = {0})
      : input(input), taps(std::move(taps)) {}
  Operand input;
  std::vector<int> taps;
};

/// F-316: what the steps before the first one have given. With taps other than -1 alone, which are
/// below 0, it has a first axis of as many values as the least tap says, the oldest first. `none`:
/// no step gets it. A number has the dtype that the step gives.
struct ScanOutput {
  ScanOutput(Operand initial, std::vector<int> taps = {-1})
      : initial(std::move(initial)), taps(std::move(taps)) {}
  ScanOutput(const Variable &initial, std::vector<int> taps = {-1})
      : initial(Operand(initial)), taps(std::move(taps)) {}
  template <Number T> ScanOutput(T initial) : ScanOutput(Operand(initial)) {}
  static ScanOutput none() { return ScanOutput(); }

  std::optional<Operand> initial;
  std::vector<int> taps;

private:
  ScanOutput() = default;
};

/// What a step gives.
struct ScanStep {
  ScanStep(const Variable &output) : outputs{output} {}
  ScanStep(Variables outputs, Replacements updates = {}, std::optional<Variable> until = {})
      : outputs(std::move(outputs)), updates(std::move(updates)), until(std::move(until)) {}
  Variables outputs;
  /// F-321: shared variables and their values in the next step.
  Replacements updates = {};
  /// F-319: a number; the loop ends after the step where it is not 0.
  std::optional<Variable> until = {};
};

/// F-313: its arguments are the elements of the sequences, tap after tap, then the values of the
/// states, then the non-sequences.
using ScanFunction = std::function<ScanStep(const Variables &arguments)>;

/// As many steps as the square root of their number, for the least memory.
constexpr int64_t kSquareRootOfSteps = -1;

struct ScanOptions {
  std::vector<ScanSequence> sequences = {};
  /// One for each output; empty: none of them is a state.
  std::vector<ScanOutput> outputs = {};
  Variables nonSequences = {};
  /// By default as many as the shortest sequence has elements for.
  std::optional<Operand> numSteps = {};
  /// F-320: sequences are read from the last step that they are enough for to the first; results
  /// are in the order of the steps.
  bool goBackwards = false;
  /// F-323: gradients go back through the last so many steps alone; through all where negative.
  int64_t truncateGradient = -1;
  /// F-328: gradients read the states after every so many steps, and run the steps between again,
  /// chunk by chunk, in place of reading all of them: one more run of the steps, for the memory of
  /// a chunk and of the states between chunks. Not together with `until` and truncateGradient
  /// (ValueError). 0: all are read. What reads one value of `outputs` has a gradient as long as the
  /// loop: take the last one from `ScanResult::last`.
  int64_t checkpointEvery = 0;
  /// F-322: Variables that the step reads and that are no arguments are refused.
  bool strict = false;
  /// In messages.
  std::string name = "scan";
};

struct ScanResult {
  /// All values of each output, along a new first axis; the initial ones are not among them.
  Variables outputs;
  /// F-321: the shared variables that the step updates, with their last values, for `function`.
  Replacements updates;
  /// By output: the last value of a state, the initial one after no steps. An Invalid Variable of
  /// what is no state.
  Variables last = {};
};

/// F-312: runs `step`. There must be a sequence or `numSteps` (ValueError). A state keeps dtype and
/// rank (TypeError). What does not depend on sequences and states is computed once, before the
/// loop. At run time: ValueError for more steps than a sequence is enough for, and for a negative
/// number of them; ShapeError for a state whose shape changes; errors of the step, with its number.
ScanResult scan(const ScanFunction &step, const ScanOptions &options,
                std::source_location loc = std::source_location::current());

/// A number, of the values of the states.
using LoopCondition = std::function<Variable(const Variables &states)>;

struct WhileOptions {
  Variables nonSequences = {};
  /// The loop ends after so many steps at the latest (an integer).
  std::optional<Operand> maxSteps = {};
  /// F-323: as of ScanOptions.
  int64_t truncateGradient = -1;
  /// F-322: likewise.
  bool strict = false;
  /// In messages.
  std::string name = "whileLoop";
};

/// Runs `step`, whose arguments are the states and then the non-sequences, as long as `condition`
/// is not 0 (NaN is not 0). It is asked before each step, the first one too: there may be none.
/// The outputs are the values of the states, which begin as `initial`, after the last step, and
/// nothing else is kept; updates of shared variables are the last ones, which the condition sees.
/// Where the step has `until`, the loop ends after the step where that is not 0 as well. Without
/// `maxSteps` a loop may be endless, and calls cannot be cancelled. Gradients count the steps, then
/// run them again with all values of the states kept. Errors: as of scan; TypeError for a condition
/// that is no number.
ScanResult whileLoop(const LoopCondition &condition, const ScanFunction &step,
                     const std::vector<Operand> &initial, const WhileOptions &options = {},
                     std::source_location loc = std::source_location::current());

/// F-326: the function of each element of the sequences.
Variable map(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
             std::source_location loc = std::source_location::current());
/// The last value of a state that starts as `initial`: its step gets an element of each sequence,
/// first to last, and the state; initial itself where there are no elements.
Variable foldl(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
               const Operand &initial, std::source_location loc = std::source_location::current());
/// The same, last element to first.
Variable foldr(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
               const Operand &initial, std::source_location loc = std::source_location::current());
/// foldl.
Variable reduce(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
                const Operand &initial, std::source_location loc = std::source_location::current());

} // namespace graphc
