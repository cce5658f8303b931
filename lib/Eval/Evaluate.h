//===- Eval/Evaluate.h - the reference evaluator -----------------------*- C++ -*-===//
//
// Runs emissions with plain loops. It is what compiled code is compared with, what constants are
// folded by, and slow: some hundred nanoseconds for each element of each scalar operation.
// Sums are joined in long double and rounded once to their accumulator's dtype.
// Everything here is thread-safe but for a GraphEval, which one thread at a time runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Emit.h"
#include "graphc/OpDef.h"

namespace graphc {

using TensorsOr = absl::StatusOr<std::vector<Tensor>>;

/// Makes the error of a failed check one for users, given the number of the emission's node.
using ErrorContext = std::function<absl::Status(const absl::Status &error, int32_t node)>;

/// How many iterations of loops an evaluation may make; what it made is subtracted. NotSupported
/// where they do not suffice, before memory is asked for. For graphs from files, of a few bytes of
/// which some ask for gigabytes.
struct EvaluationBudget {
  int64_t iterations;
};

/// The arrays `results` of an emission whose operands have these values, of the arrays' dtypes and
/// ranks: loops that they do not need, and that check nothing, do not run. Results may share memory
/// with values. Errors: those of the emission's checks and host callbacks, OutOfMemory.
TensorsOr evaluate(const Emission &emission, absl::Span<const Array> operands,
                   absl::Span<const Tensor> values, absl::Span<const Array> results,
                   const ErrorContext &context = {}, EvaluationBudget *budget = nullptr,
                   int64_t *flops = nullptr);

// What follows makes graphs and emissions in Abseil's hash tables, which do not survive that there
// is no memory for them to grow: where these throw, the program ends. Arrays and routines for which
// there is no memory are OutOfMemory.

/// The outputs of a node for these values of its inputs; undefined Tensors for those that are not
/// needed (all are where the list is empty). Errors are at the node's place. Its operations on
/// floats are added to `flops`.
TensorsOr evaluate(const Apply &node, absl::Span<const Tensor> inputs,
                   EvaluationBudget *budget = nullptr, int64_t *flops = nullptr,
                   const std::vector<bool> &isNeeded = {}) noexcept;

/// The results of an op for constant operands.
TensorsOr evaluate(const Op &op, absl::Span<const Tensor> inputs) noexcept;

/// A node of a graph that was evaluated.
struct NodeRun {
  const Apply &node;
  std::chrono::steady_clock::time_point start, end;
  absl::Span<const Tensor> inputs, outputs; // undefined ones are needed by nobody
  int64_t flops;                            // as flopsOf counts them
};
/// Who is told of nodes; of ifElses that run by branches, not of themselves. An error ends the
/// evaluation.
struct NodeWatch {
  std::function<absl::Status(const Apply &node, absl::Span<const Tensor> inputs)> before = {};
  std::function<absl::Status(const NodeRun &)> after = {};
};

/// A graph, made ready to be evaluated many times, as bodies of loops are: the order of its nodes
/// and what they emit are found once.
class GraphEval {
public:
  /// `isKept`: what nodes emit, for later runs. Of large graphs that is much memory.
  GraphEval(Variables outputs, Variables inputs, bool isKept = true) noexcept;
  ~GraphEval();

  /// The outputs; of ifElses only the branch taken is evaluated. Without these, values are dropped
  /// after their last use. TypeError or ShapeError where a value is not of its input's type;
  /// MissingInput for an input that has no value.
  TensorsOr run(absl::Span<const Tensor> values, EvaluationBudget *budget = nullptr,
                const NodeWatch &watch = {}) noexcept;

private:
  struct Plan;
  class Run;
  std::unique_ptr<Plan> plan_;
};

/// The outputs of a graph, evaluated once.
TensorsOr evaluate(absl::Span<const Variable> outputs, absl::Span<const Variable> inputs,
                   absl::Span<const Tensor> values, EvaluationBudget *budget = nullptr,
                   const NodeWatch &watch = {}) noexcept;

} // namespace graphc
