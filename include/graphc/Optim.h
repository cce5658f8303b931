//===- graphc/Optim.h - training: parameters, steps, checkpoints -*- C++ -*-===//
//
// A method of optimization is a list of updates of shared variables, which a function makes when it
// is called (FunctionOptions::updates): the parameters, and what the method remembers of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Import.h"
#include "graphc/Shared.h"
#include "graphc/Variable.h"

namespace graphc {

/// What a method changes at each step.
struct Optimizer {
  /// For FunctionOptions::updates: each parameter, and each variable of `state`. A mistake (a loss
  /// of another rank than 0, a parameter that is no float or that the loss does not depend on) is
  /// carried by the expressions, as elsewhere, and `function` returns it.
  std::vector<std::pair<Variable, Variable>> updates;
  /// What the method remembers, zeros at first, named after the parameter ("w.velocity"; adam's
  /// count of steps after the first one, "w.steps"): float64 for parameters of float64, else
  /// float32. A checkpoint needs it besides the parameters.
  std::vector<SharedVariable> state;
};

/// Of `sgd`, which steps against the gradient g of a parameter p:
///
///   g += weightDecay * p
///   v' = momentum * v + g
///   p' = p - rate * (nesterov ? g + momentum * v' : v')
///
/// (Polyak 1964; Nesterov's form as Sutskever et al., "On the importance of initialization and
/// momentum in deep learning", 2013, write it).
struct SgdOptions {
  /// A number, or a Variable of rank 0: an input of the step, or a shared one that follows a plan.
  Operand rate = 0.01;
  double momentum = 0; ///< without it there is no state
  bool nesterov = false;
  double weightDecay = 0;
  /// Gradients are scaled down so that the root of the sum of all their squares is at most that; 0
  /// leaves them. Before weightDecay.
  double maxNorm = 0;
};
/// One step for `parameters`, of any shape and in their own dtypes. For those of less precision
/// than float32 (float16, bfloat16) gradients are cast to float32; decay, norm, state and step are
/// computed in it, and the new parameter is rounded once, at the end. Two things stay those of the
/// dtype: gradients that leave its range within the loss (loss scaling is not done), and steps
/// below half a unit in the last place of the parameter, which are lost. Who wants neither has
/// parameters of float32 and computes the loss with casts of them.
Optimizer sgd(const Variable &loss, absl::Span<const SharedVariable> parameters,
              const SgdOptions &options = {},
              std::source_location loc = std::source_location::current());

/// Of `adam` (Kingma and Ba, "Adam: a method for stochastic optimization", 2015), step number t:
///
///   m' = beta1 * m + (1 - beta1) * g,  v' = beta2 * v + (1 - beta2) * g^2
///   p' = p - rate / (1 - beta1^t) * m' / (sqrt(v') / sqrt(1 - beta2^t) + epsilon)
struct AdamOptions {
  Operand rate = 0.001; ///< as SgdOptions::rate
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weightDecay = 0;
  /// Decay takes rate * weightDecay of the parameter itself, before the step, instead of becoming a
  /// part of the gradient (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019).
  bool decoupledDecay = false;
  double maxNorm = 0; ///< as SgdOptions::maxNorm
};
/// The same by Adam, with float32 where sgd has it; `state` ends with the number of steps, an int64
/// of rank 0.
Optimizer adam(const Variable &loss, absl::Span<const SharedVariable> parameters,
               const AdamOptions &options = {},
               std::source_location loc = std::source_location::current());

//===--- networks of files ----------------------------------------------------------===//

/// Whether a Variable is what imported networks have as weights: a Constant of floats with a name
/// and at least one axis.
bool isWeight(const Variable &v);

/// Makes shared variables of the weights in a graph's outputs, with their values, names and
/// extents: `module` then has outputs of a graph that reads them, and the same inputs. `which` says
/// which ones, isWeight by default. In the order in which the outputs depend on them. ValueError
/// where two have one name. The Variables that were the outputs stay as they are.
absl::StatusOr<std::vector<SharedVariable>>
shareWeights(GraphModule &module, const std::function<bool(const Variable &)> &which = isWeight);

//===--- checkpoints ----------------------------------------------------------------===//

/// Writes the values to an NPZ file, by name, bfloat16 as float32; an older file is replaced as a
/// whole. ValueError for variables without a name, or two of one name; Io.
absl::Status saveCheckpoint(const std::string &path, absl::Span<const SharedVariable> values);
/// Sets the variables to what the file has under their names. All or none: KeyError for a name that
/// is not there, TypeError or ShapeError where dtype or shape are not those that it would be
/// saved with now; Io. Other entries of the file are nobody's concern.
absl::Status loadCheckpoint(const std::string &path, absl::Span<const SharedVariable> values);

//===--- progress -------------------------------------------------------------------===//

/// Tells how training goes, a line at a time:
///
///   step 300 of 1000: loss 0.0421, 5120 examples/s
///
/// with the mean loss and the throughput since the line before. Not thread-safe.
class TrainingProgress {
public:
  /// Lines go to `out`, which must live as long; the first after `seconds`, the last with the last
  /// step. `steps`: how many there will be; 0 where nobody knows.
  explicit TrainingProgress(std::ostream &out, int64_t steps = 0, double seconds = 1);
  ~TrainingProgress();
  TrainingProgress(const TrainingProgress &) = delete;
  TrainingProgress &operator=(const TrainingProgress &) = delete;
  /// One step has been made, with `examples` examples.
  void step(double loss, int64_t examples = 1);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace graphc
