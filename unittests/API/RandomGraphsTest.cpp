//===- RandomGraphsTest.cpp - OpFromGraphs against flat graphs -------------===//
//
// Section 8 of docs/Semantics.md at random: what is computed, and every derivative of it, must be
// what the same graph gives without any OpFromGraph, run node by node by the evaluator.
// GRAPHC_RANDOM_GRAPHS=FIRST:COUNT takes other seeds (docs/Testing.md).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "RandomGraph.h"
#include "RandomSeeds.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/Ops.h"

namespace graphc::random {
namespace {

/// A function's interface, and what is to be compared.
struct Built {
  Variables inputs, outputs;
  Substitutions updates;
};

/// The outputs of the recipe, gradients of a cost of them, their tangents, and second derivatives.
Built build(const Recipe &recipe, Build how) {
  Built built;
  Variables floats, results;
  for (const Type &type : recipe.main.inputs) {
    built.inputs.emplace_back(type, "x" + std::to_string(built.inputs.size()));
    if (isFloat(type.dtype()))
      floats.push_back(built.inputs.back());
  }
  Variables wrt = floats;
  wrt.insert(wrt.end(), recipe.shared.begin(), recipe.shared.end());
  built.outputs = build(recipe.main, built.inputs, how);
  Variable cost = constant(0.0);
  for (const Variable &output : built.outputs)
    if (isFloat(output.dtype())) {
      results.push_back(output);
      cost = cost + sum(cast(sin(output + 0.3), DType::Float64)) * (0.3 + double(results.size()));
    }
  auto add = [&](const Variables &more) {
    built.outputs.insert(built.outputs.end(), more.begin(), more.end());
  };
  Variables gradients = grad(cost, wrt, {.disconnectedInputs = DisconnectedInputs::Ignore});
  add({cost});
  add(gradients);
  // Directions: the values themselves.
  add(pushforward(results, wrt, wrt, {.disconnectedInputs = DisconnectedInputs::Ignore}));
  add(pushforward(gradients, wrt, wrt, {.disconnectedInputs = DisconnectedInputs::Ignore}));
  Variable slope = constant(0.0);
  for (size_t i = 0; i < wrt.size(); ++i)
    slope = slope + sum(cast(cos(gradients[i]), DType::Float64)) * double(i + 1);
  add(grad(slope, floats, {.disconnectedInputs = DisconnectedInputs::Ignore}));
  std::vector<Substitutions::Pair> updates;
  for (size_t i = 0; i < recipe.shared.size(); ++i) {
    auto [old, fresh] = recipe.updates[i];
    DType dtype = recipe.shared[i].dtype();
    updates.emplace_back(recipe.shared[i], recipe.shared[i] * Tensor(old).cast(dtype) +
                                               cast(sin(cost), dtype) * Tensor(fresh).cast(dtype));
  }
  built.updates = updates;
  return built;
}

/// All results of two calls, after which shared variables have their values again.
absl::StatusOr<std::vector<Tensor>> calls(const absl::StatusOr<Function> &f,
                                          const std::vector<Tensor> &values,
                                          const std::vector<SharedVariable> &states) {
  if (!f.ok())
    return f.status();
  std::vector<Tensor> before, all;
  for (const SharedVariable &s : states)
    before.push_back(s.get());
  absl::Status status;
  for (int call = 0; call < 2 && status.ok(); ++call) {
    absl::StatusOr<Results> results = f->call(values);
    if (results.ok())
      for (size_t i = 0; i < results->size(); ++i)
        all.push_back((*results)[i]);
    status = results.status();
  }
  for (size_t i = 0; i < states.size(); ++i)
    status.Update(states[i].set(before[i]));
  if (!status.ok())
    return status;
  return all;
}

class RandomGraph {
public:
  explicit RandomGraph(uint64_t seed) : seed_(seed), recipe_(randomRecipe(seed)) {}
  /// False: the flat graph has no values to compare with.
  bool compare(bool everyMode);

private:
  void expectSame(const absl::StatusOr<Function> &f, const std::vector<Tensor> &values,
                  const std::vector<SharedVariable> &states, const std::string &how);
  void throughText(const Built &wrapped);
  void throughFile(const Function &f);

  uint64_t seed_;
  Recipe recipe_;
  std::vector<Tensor> expected_;
};

void RandomGraph::expectSame(const absl::StatusOr<Function> &f, const std::vector<Tensor> &values,
                             const std::vector<SharedVariable> &states, const std::string &how) {
  SCOPED_TRACE("seed " + std::to_string(seed_) + " " + how);
  absl::StatusOr<std::vector<Tensor>> got = calls(f, values, states);
  ASSERT_TRUE(got.ok()) << errorText(got.status());
  ASSERT_EQ(got->size(), expected_.size());
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Tensor &a = (*got)[i], &b = expected_[i];
    EXPECT_TRUE(a.dtype() == b.dtype() && a.shape() == b.shape())
        << "result " << i << ": " << a << " where the flat graph has " << b;
    if (a.shape() == b.shape())
      EXPECT_LE(distance(a, b), recipe_.isNarrow ? 2e-3 : 1e-9)
          << "result " << i << ": " << a << " where the flat graph has " << b;
  }
}

void RandomGraph::throughText(const Built &wrapped) {
  GraphModule module;
  module.inputs = wrapped.inputs;
  module.inputs.insert(module.inputs.end(), recipe_.shared.begin(), recipe_.shared.end());
  module.outputs = wrapped.outputs;
  std::vector<Tensor> values = recipe_.values;
  for (const SharedVariable &s : recipe_.shared)
    values.push_back(s.get());
  for (bool bytecode : {false, true}) {
    absl::StatusOr<std::string> text = printGraph(module, {.bytecode = bytecode});
    ASSERT_TRUE(text.ok()) << seed_ << errorText(text.status());
    absl::StatusOr<GraphModule> read = parseGraph(*text);
    ASSERT_TRUE(read.ok()) << seed_ << errorText(read.status());
    absl::StatusOr<Function> f =
        function(*read, {.mode = "interpreter", .onUnusedInput = OnUnusedInput::Ignore});
    absl::StatusOr<std::vector<Tensor>> got = calls(f, values, {});
    ASSERT_TRUE(got.ok()) << seed_ << errorText(got.status());
    got->resize(wrapped.outputs.size()); // without updates, the second call is the first
    for (size_t i = 0; i < got->size(); ++i)
      EXPECT_LE(distance((*got)[i], expected_[i]), recipe_.isNarrow ? 2e-3 : 1e-9)
          << seed_ << " text, result " << i;
  }
}

void RandomGraph::throughFile(const Function &f) {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("graphc-random-" + std::to_string(getpid()) + ".gcf"))
                         .string();
  absl::Status saved = f.save(path);
  ASSERT_TRUE(saved.ok()) << seed_ << errorText(saved);
  absl::StatusOr<Function> loaded = loadFunction(path, {.trustCode = true});
  ASSERT_TRUE(loaded.ok()) << seed_ << errorText(loaded.status());
  expectSame(loaded, recipe_.values, loaded->sharedVariables(), "saved and loaded");
  std::filesystem::remove(path);
}

bool RandomGraph::compare(bool everyMode) {
  Built flat = build(recipe_, Build::Flat), wrapped = build(recipe_, Build::Wrapped);
  auto made = [&](const Built &built, const char *mode, bool rewrites) {
    return function(built.inputs, built.outputs,
                    {.mode = mode,
                     .rewrites = rewrites,
                     .updates = built.updates,
                     .onUnusedInput = OnUnusedInput::Ignore});
  };
  absl::StatusOr<std::vector<Tensor>> expected =
      calls(made(flat, "interpreter", false), recipe_.values, recipe_.shared);
  if (!expected.ok()) {
    if (getenv("GRAPHC_RANDOM_GRAPHS"))
      std::cout << seed_ << " " << errorText(expected.status()) << "\n";
    return false;
  }
  expected_ = *std::move(expected);
  expectSame(made(wrapped, "interpreter", false), recipe_.values, recipe_.shared, "evaluated");
  throughText(wrapped);
  const char *const modes[] = {"fast_run", "fast_compile", "strict", "debug"};
  for (size_t i = 0; i < std::size(modes); ++i) {
    if (!everyMode && (seed_ % 16 != 4 * i))
      continue;
    absl::StatusOr<Function> f = made(wrapped, modes[i], true);
    expectSame(f, recipe_.values, recipe_.shared, modes[i]);
    if (f.ok() && (seed_ / 16 + i) % 4 == 0)
      throughFile(*f);
  }
  return true;
}

// F-228, F-239, F-245 to F-263.
TEST(RandomGraphs, WrappedEqualsFlat) {
  compareSeeds("GRAPHC_RANDOM_GRAPHS", 80,
               [](uint64_t seed, bool everyMode) { return RandomGraph(seed).compare(everyMode); });
}

} // namespace
} // namespace graphc::random
