//===- RandomProgramsTest.cpp - compiled random programs and the evaluator --===//
//
// What a random program gives, and gradients of that, in the modes of compiled code must be what
// the evaluator gives node by node; with two threads, to the bit what one gives.
// GRAPHC_RANDOM_PROGRAMS=FIRST:COUNT takes other seeds, with + behind it in every mode; with
// GRAPHC_RANDOM_PROGRAMS_TO=FOLDER, the last one and its arguments are written there.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "RandomProgram.h"
#include "RandomSeeds.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc::random {
namespace {

class RandomPrograms : public testing::Test {
protected:
  /// False: the program has no values to compare with.
  bool compare(uint64_t seed, bool everyMode);

private:
  void addGradients();
  absl::StatusOr<std::vector<Tensor>> results(const char *mode, int threads, bool rewrites = true);
  void expectClose(const absl::StatusOr<std::vector<Tensor>> &got, const std::string &how,
                   double looseness);
  int fewestBitsOf(size_t result) const;
  double toleranceOf(size_t result) const;
  std::string textOf(size_t result) const;
  void store(const std::string &folder) const;

  Program program_;
  size_t numValues_ = 0; // gradients stand behind them
  std::vector<Tensor> expected_;
};

void RandomPrograms::addGradients() {
  Variables wrt;
  for (const Variable &v : program_.inputs)
    if (isFloat(v.dtype()))
      wrt.push_back(v);
  numValues_ = program_.outputs.size();
  Variable cost = constant(0.0);
  for (size_t i = 0; i < numValues_; ++i)
    if (const Variable &v = program_.outputs[i]; isFloat(v.dtype()))
      cost = cost + sum(cast(program_.isExact ? v : sin(v), DType::Float64)) * double(i + 1);
  Variables gradients = grad(
      cost, wrt,
      {.disconnectedInputs = DisconnectedInputs::Ignore, .nullGradients = NullGradients::Return});
  for (const Variable &g : gradients) {
    EXPECT_TRUE(g.ok()) << errorText(g.status());
    if (g.ok() && g.type().kind() == Type::Kind::Tensor)
      program_.outputs.push_back(g);
  }
}

absl::StatusOr<std::vector<Tensor>> RandomPrograms::results(const char *mode, int threads,
                                                            bool rewrites) {
  absl::StatusOr<Function> f = function(program_.inputs, program_.outputs,
                                        {.mode = mode,
                                         .rewrites = rewrites,
                                         .onUnusedInput = OnUnusedInput::Ignore,
                                         .threads = threads});
  if (!f.ok())
    return f.status();
  std::vector<Tensor> first;
  for (int call = 0; call < 2; ++call) {
    absl::StatusOr<Results> r = f->call(program_.values);
    if (!r.ok())
      return r.status();
    std::vector<Tensor> all(r->begin(), r->end());
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_TRUE(all[i].identical(first[i])) << mode << ": another call, another result " << i;
    first = std::move(all);
  }
  return first;
}

/// The narrowest float that the result depends on.
int RandomPrograms::fewestBitsOf(size_t result) const {
  int bits = 64;
  auto look = [&](const Variable &v) {
    if (isInexact(v.dtype()))
      bits = std::min(bits, bitWidth(v.dtype()) / (isComplex(v.dtype()) ? 2 : 1));
  };
  look(program_.outputs[result]);
  for (const Apply &node : ioToposort(program_.inputs, {program_.outputs[result]}))
    for (const Variable &input : node.inputs())
      if (input.type().kind() == Type::Kind::Tensor)
        look(input);
  return bits;
}

/// Values of exact programs are integers that no sum rounds, their gradients sums of products of
/// such, which may become large in float32 and halves. In smooth programs float32 numbers go
/// through some tens of operations, each of which multiplies errors by a few units at most.
double RandomPrograms::toleranceOf(size_t result) const {
  if (program_.isExact && result < numValues_)
    return 0;
  const int bits = fewestBitsOf(result);
  return bits == 64 ? (program_.isExact ? 0 : 1e-9) : bits == 32 ? 2e-3 : 0.1;
}

std::string RandomPrograms::textOf(size_t result) const {
  GraphModule module;
  module.inputs = program_.inputs;
  module.outputs = {program_.outputs[result]};
  absl::StatusOr<std::string> text = printGraph(module);
  return text.ok() ? text->substr(0, 4000) : "no text: " + errorText(text.status());
}

void RandomPrograms::store(const std::string &folder) const {
  GraphModule module;
  module.inputs = program_.inputs;
  module.outputs = program_.outputs;
  std::ofstream(folder + "/program.mlir") << printGraph(module).value_or("");
  for (size_t i = 0; i < program_.values.size(); ++i)
    EXPECT_TRUE(saveNpy(folder + "/x" + std::to_string(i) + ".npy", program_.values[i]).ok());
}

void RandomPrograms::expectClose(const absl::StatusOr<std::vector<Tensor>> &got,
                                 const std::string &how, double looseness) {
  if (!got.ok()) {
    ADD_FAILURE() << how << ": " << errorText(got.status());
    return;
  }
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Tensor &a = (*got)[i], &b = expected_[i];
    bool hasType = a.dtype() == b.dtype() && a.shape() == b.shape();
    if (hasType && distance(a, b) <= std::min(toleranceOf(i) * looseness, 0.25))
      continue;
    ADD_FAILURE() << how << ", result " << i << " of " << numValues_ << " and gradients, is off by "
                  << (hasType ? distance(a, b) : INFINITY) << ": " << a
                  << " where the evaluator has " << b << "\n"
                  << textOf(i);
    return;
  }
}

bool RandomPrograms::compare(uint64_t seed, bool everyMode) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  program_ = randomProgram(seed);
  addGradients();
  if (const char *folder = getenv("GRAPHC_RANDOM_PROGRAMS_TO"))
    store(folder);
  std::vector<Tensor> given;
  for (const Tensor &value : program_.values)
    given.push_back(value.copy());
  absl::StatusOr<std::vector<Tensor>> expected = results("interpreter", 1, false);
  if (!expected.ok()) {
    if (getenv("GRAPHC_RANDOM_PROGRAMS"))
      std::cout << seed << " " << errorText(expected.status()) << "\n";
    return false;
  }
  expected_ = *std::move(expected);
  absl::StatusOr<std::vector<Tensor>> one = results("fast_run", 1);
  expectClose(one, "fast_run", 1);
  absl::StatusOr<std::vector<Tensor>> two = results("fast_run", 2);
  EXPECT_EQ(two.ok(), one.ok()) << errorText(two.status());
  for (size_t i = 0; one.ok() && two.ok() && i < two->size(); ++i)
    EXPECT_TRUE((*two)[i].identical((*one)[i]))
        << "two threads: " << (*two)[i] << " is not " << (*one)[i] << "\n"
        << textOf(i);
  const char *const modes[] = {"fast_compile", "strict", "fast_math", "interpreter", "debug"};
  for (size_t i = 0; i < std::size(modes); ++i)
    if (everyMode || seed % std::size(modes) == i)
      expectClose(results(modes[i], 1), modes[i], modes[i] == std::string("fast_math") ? 10 : 1);
  for (size_t i = 0; i < given.size(); ++i)
    EXPECT_TRUE(given[i].identical(program_.values[i])) << "argument " << i << " was changed";
  return true;
}

// F-012, F-019, F-305.
TEST_F(RandomPrograms, CompiledEqualsEvaluated) {
  compareSeeds("GRAPHC_RANDOM_PROGRAMS", 60,
               [&](uint64_t seed, bool everyMode) { return compare(seed, everyMode); });
}

} // namespace
} // namespace graphc::random
