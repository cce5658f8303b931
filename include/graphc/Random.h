//===- graphc/Random.h - random numbers -------------------------*- C++ -*-===//
//
// docs/Random.md is the guide, docs/Ops.md lists the distributions. The generator is Philox 4x32-10
// (Salmon, Moraes, Dror, Shaw, SC 2011), version 1 of its use here: for one version of graphc the
// same state gives the same bits in every mode, on any number of threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Import.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"
#include "graphc/Variable.h"

namespace graphc {

struct DrawOptions {
  /// The shape; empty: what the parameters broadcast to. They must broadcast to it (F-340).
  ShapeList size = std::initializer_list<Operand>{};
  /// Of the draw: floatX, or int64 of distributions of integers, by default.
  std::optional<DType> dtype = std::nullopt;
  /// F-341: true makes the draw differentiable by its parameters, the random bits being given.
  /// NotSupported for distributions that have no such form.
  bool reparameterized = false;
};

/// A draw and the state after it.
struct Draw {
  Variable next, value;
};

/// The state of a generator: an int64 vector of two numbers, a key, which follows from the seed,
/// and a position. Equal for equal seeds; `number` tells several generators of one seed apart.
Tensor randomState(int64_t seed, int64_t number = 0);

// Distributions and their parameters, which broadcast; docs/Ops.md describes the op of each:
// randomNormal of normal. A row that one draw is, or needs, lies along the last axis.
#define GRAPHC_DISTRIBUTIONS(ONE, TWO, THREE, FOUR)                                                \
  TWO(uniform, low, high)                                                                          \
  TWO(normal, mean, sd)                                                                            \
  TWO(halfnormal, loc, scale)                                                                      \
  TWO(lognormal, mean, sd)                                                                         \
  TWO(laplace, loc, scale)                                                                         \
  TWO(logistic, loc, scale)                                                                        \
  TWO(gumbel, loc, scale)                                                                          \
  TWO(cauchy, loc, scale)                                                                          \
  TWO(halfcauchy, loc, scale)                                                                      \
  THREE(triangular, left, mode, right)                                                             \
  ONE(exponential, scale)                                                                          \
  TWO(weibull, shape, scale)                                                                       \
  TWO(pareto, shape, scale)                                                                        \
  THREE(truncexpon, b, loc, scale)                                                                 \
  TWO(integers, low, high)                                                                         \
  ONE(bernoulli, p)                                                                                \
  ONE(geometric, p)                                                                                \
  TWO(gamma, shape, scale)                                                                         \
  TWO(invgamma, shape, scale)                                                                      \
  ONE(chisquare, df)                                                                               \
  TWO(beta, a, b)                                                                                  \
  THREE(studentT, df, loc, scale)                                                                  \
  TWO(vonmises, mean, kappa)                                                                       \
  TWO(wald, mean, scale)                                                                           \
  FOUR(truncnormal, mean, sd, low, high)                                                           \
  ONE(poisson, rate)                                                                               \
  TWO(binomial, n, p)                                                                              \
  TWO(negativeBinomial, n, p)                                                                      \
  THREE(hypergeometric, good, bad, draws)                                                          \
  THREE(betabinom, n, a, b)                                                                        \
  ONE(categorical, p)                                                                              \
  TWO(multinomial, n, p)                                                                           \
  ONE(dirichlet, alpha)                                                                            \
  TWO(multivariateNormal, mean, cov)                                                               \
  TWO(permutation, n, count)                                                                       \
  TWO(weightedPermutation, p, count)

/// The explicit form (F-335): `state` in, the next state and the draw out. Drawing twice from the
/// same state gives the same numbers; draws of two distributions from it depend on each other.
namespace random {

#define GRAPHC_DRAW_1(NAME, A)                                                                     \
  Draw NAME(const Variable &state, const Operand &A, const DrawOptions &options = {});
#define GRAPHC_DRAW_2(NAME, A, B)                                                                  \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B,                             \
            const DrawOptions &options = {});
#define GRAPHC_DRAW_3(NAME, A, B, C)                                                               \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B, const Operand &C,           \
            const DrawOptions &options = {});
#define GRAPHC_DRAW_4(NAME, A, B, C, D)                                                            \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B, const Operand &C,           \
            const Operand &D, const DrawOptions &options = {});
GRAPHC_DISTRIBUTIONS(GRAPHC_DRAW_1, GRAPHC_DRAW_2, GRAPHC_DRAW_3, GRAPHC_DRAW_4)
#undef GRAPHC_DRAW_1
#undef GRAPHC_DRAW_2
#undef GRAPHC_DRAW_3
#undef GRAPHC_DRAW_4

} // namespace random

struct ChoiceOptions {
  ShapeList size = std::initializer_list<Operand>{};
  /// Whether one element may be chosen several times.
  bool replace = true;
  /// Probabilities of the elements, a vector of as many, of sum 1 to 1e-6; all equal by default.
  std::optional<Operand> p = std::nullopt;
};

/// Draws that advance by themselves (F-336): each call of a method makes a shared variable, the
/// state of a generator of its own, whose default update is the state after the draw. All functions
/// that read a draw share and advance its state; FunctionOptions::noDefaultUpdates keeps it.
///
/// Within the step of a loop (scan, whileLoop and its condition, map, foldl, ...) each step draws
/// anew: the state is one of the loop, is among ScanResult::updates, and its default update is the
/// state after the last step. A draw that is made before the loop is one for all steps.
///
/// A cheap handle: copies are the same stream. Methods must not be called from several threads at
/// once; draws and functions of them may.
class RandomStream {
public:
  explicit RandomStream(int64_t seed = 0);

  /// The uniform and the standard normal variable: on [0, 1), of mean 0 and standard deviation 1.
  Variable uniform(const DrawOptions &options,
                   std::source_location loc = std::source_location::current());
  Variable normal(const DrawOptions &options,
                  std::source_location loc = std::source_location::current());

#define GRAPHC_DRAW_1(NAME, A) Variable NAME(const Operand &A, const DrawOptions &options = {});
#define GRAPHC_DRAW_2(NAME, A, B)                                                                  \
  Variable NAME(const Operand &A, const Operand &B, const DrawOptions &options = {});
#define GRAPHC_DRAW_3(NAME, A, B, C)                                                               \
  Variable NAME(const Operand &A, const Operand &B, const Operand &C,                              \
                const DrawOptions &options = {});
#define GRAPHC_DRAW_4(NAME, A, B, C, D)                                                            \
  Variable NAME(const Operand &A, const Operand &B, const Operand &C, const Operand &D,            \
                const DrawOptions &options = {});
  GRAPHC_DISTRIBUTIONS(GRAPHC_DRAW_1, GRAPHC_DRAW_2, GRAPHC_DRAW_3, GRAPHC_DRAW_4)
#undef GRAPHC_DRAW_1
#undef GRAPHC_DRAW_2
#undef GRAPHC_DRAW_3
#undef GRAPHC_DRAW_4

  /// An int64 permutation of 0 to n - 1; of an array, its slices along the first axis in random
  /// order.
  Variable permutation(const Operand &nOrArray);
  /// The slices of an array along the first axis in random order.
  Variable shuffle(const Operand &x);
  /// Elements of an array of rank 1 or more, slices along its first axis, or numbers 0 to a - 1.
  /// ValueError for p that are not as many as elements, at once where both numbers are known; at
  /// the call, too, for more than there are without replacement, and for p that are not
  /// probabilities.
  Variable choice(const Operand &a, const ChoiceOptions &options = {});

  /// x / (1 - p) where a draw that is 0 with probability p is not, else 0: x itself for p = 0,
  /// zeros for p = 1. ValueError outside [0, 1].
  Variable dropout(const Operand &x, double p);

  /// A stream whose generators are independent of this one's: its seed follows from this one's and
  /// from how many have been split off.
  RandomStream split();

  /// F-339: all generators made so far begin anew, in the order in which they were made, as those
  /// of a new stream with the seed; so will later ones.
  absl::Status seed(int64_t seed);
  /// The states of all generators made so far, and to what the functions that use them advance
  /// them. Their names, "random.SEED.NUMBER" of the stream's first seed, are those of the next
  /// process that draws the same, so that a checkpoint has them (Optim.h).
  std::vector<SharedVariable> generators() const;
  std::vector<std::pair<SharedVariable, Variable>> stateUpdates() const;

  /// For explicit forms and ops of the user's: a new generator of the stream, without an update.
  SharedVariable newGenerator(Place place = std::source_location::current());

private:
  struct State;
  Variable advanced(const SharedVariable &generator, const Draw &draw);
  std::shared_ptr<State> state_;
};

//===--- networks of files ----------------------------------------------------------===//

/// Makes shared variables of the constant states from which a graph draws, as imported networks
/// have them, with the states after the draws as default updates: `module` then has outputs of a
/// graph that reads them, and draws anew in each call. In the order in which the outputs depend on
/// them. Error: that of the graph. The Variables that were the outputs stay as they are.
absl::StatusOr<std::vector<SharedVariable>> shareGenerators(GraphModule &module);

} // namespace graphc
