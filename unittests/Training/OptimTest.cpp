//===- OptimTest.cpp - steps of optimization beside PyTorch's ----------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "Messages.h"
#include "NumbersOfFile.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// The loss and parameters of make_optim.py.
struct Problem {
  SharedVariable w, b;
  Variable loss;
  std::vector<SharedVariable> parameters() const { return {w, b}; }
};

Problem problem(DType dtype = DType::Float64) {
  Tensor x = *Tensor::zeros(DType::Float64, {5, 3}), w = *Tensor::zeros(DType::Float64, {3, 4});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      x.mutableFlat<double>()[size_t(3 * i + j)] = std::sin(1 + 5 * i + j);
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 4; ++k)
      w.mutableFlat<double>()[size_t(4 * j + k)] = std::cos(2 + 3 * j + k) / 2;
  Problem made{
      shared(w.cast(dtype), "w"), shared(Tensor({0.0, 0.1, 0.2, 0.3}).cast(dtype), "b"), {}};
  Variable y = tanh(dot(Constant(x.cast(dtype)), made.w) + made.b);
  made.loss = mean(sqr(y)) + 0.1 * sum(sqr(made.w - 0.3));
  return made;
}

Function stepOf(const Optimizer &optimizer, const Variable &loss, const Variables &inputs = {}) {
  FunctionOptions options;
  options.updates = optimizer.updates;
  absl::StatusOr<Function> f = function(InputList(inputs), loss, options);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : Function();
}

std::vector<double> numbersOf(absl::Span<const SharedVariable> variables) {
  std::vector<double> numbers;
  for (const SharedVariable &variable : variables) {
    Tensor value = variable.get().cast(DType::Float64);
    absl::Span<const double> flat = value.flat<double>();
    numbers.insert(numbers.end(), flat.begin(), flat.end());
  }
  return numbers;
}
std::vector<double> numbersOf(const Problem &p) { return numbersOf(p.parameters()); }

Optimizer optimizerOf(const std::string &name, const Problem &p) {
  if (name == "sgd")
    return sgd(p.loss, p.parameters(), {.rate = 0.1});
  if (name == "momentum")
    return sgd(p.loss, p.parameters(), {.rate = 0.05, .momentum = 0.9});
  if (name == "nesterov")
    return sgd(p.loss, p.parameters(), {.rate = 0.05, .momentum = 0.9, .nesterov = true});
  if (name == "decay")
    return sgd(p.loss, p.parameters(), {.rate = 0.1, .momentum = 0.5, .weightDecay = 0.2});
  if (name == "clipped")
    return sgd(p.loss, p.parameters(), {.rate = 0.3, .maxNorm = 0.1});
  if (name == "adam")
    return adam(p.loss, p.parameters(), {.rate = 0.05});
  if (name == "adam_decay")
    return adam(p.loss, p.parameters(),
                {.rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weightDecay = 0.1});
  return adam(p.loss, p.parameters(), {.rate = 0.05, .weightDecay = 0.1, .decoupledDecay = true});
}

// 20 steps of some 30 roundings each, of numbers below 1; Adam divides by roots of sums of squares,
// which for gradients near 0 turn a rounding of theirs into one of the step: a factor of 1/epsilon
// at most for those below it, 100 in what is met here.
TEST(Optim, StepsAreThoseOfPyTorch) {
  std::map<std::string, std::vector<double>> all = numbersOfFile(GRAPHC_TEST_DATA "/optim.txt");
  EXPECT_EQ(all.size(), 8u);
  for (const auto &[name, expected] : all) {
    SCOPED_TRACE(name);
    for (DType dtype : {DType::Float64, DType::Float32}) {
      double bound = 20 * 30 * 100 * (dtype == DType::Float64 ? 0x1p-53 : 0x1p-24);
      Problem p = problem(dtype);
      Function step = stepOf(optimizerOf(name, p), p.loss);
      for (int i = 0; i < 20; ++i)
        ASSERT_TRUE(step().ok());
      std::vector<double> found = numbersOf(p);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], bound) << i;
    }
  }
}

/// The method of that name in make_half_steps.py.
Optimizer halfOptimizerOf(const std::string &name, const Variable &loss, const SharedVariable &p) {
  if (name == "sgd")
    return sgd(loss, {p}, {.rate = 0.1});
  if (name == "momentum")
    return sgd(loss, {p}, {.rate = 0.05, .momentum = 0.9});
  if (name == "nesterov")
    return sgd(loss, {p}, {.rate = 0.05, .momentum = 0.9, .nesterov = true});
  if (name == "decay")
    return sgd(loss, {p}, {.rate = 0.1, .momentum = 0.5, .weightDecay = 0.2});
  if (name == "clipped")
    return sgd(loss, {p}, {.rate = 0.3, .maxNorm = 100});
  if (name == "adam")
    return adam(loss, {p}, {.rate = 0.05});
  if (name == "adam_decay")
    return adam(loss, {p},
                {.rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weightDecay = 0.1});
  if (name == "adam_clipped")
    return adam(loss, {p}, {.rate = 0.05, .maxNorm = 100});
  EXPECT_EQ(name, "adamw");
  return adam(loss, {p}, {.rate = 0.05, .weightDecay = 0.1, .decoupledDecay = true});
}

// The parameters are the very numbers of float64 (the script makes sure that none is near a tie).
// What is remembered has 10 steps of at most 10 roundings, of terms as large as the gradients;
// those of variances are all positive.
TEST(Optim, StepsOfHalfPrecisionAreInFloat32) {
  std::map<std::string, std::vector<double>> all =
      numbersOfFile(GRAPHC_TEST_DATA "/half_steps.txt");
  EXPECT_EQ(all.size(), 18u);
  const std::vector<double> gradient = {1, 0, 0x1p-13, 384, 0x1p-22, 3};
  for (const auto &[key, expected] : all) {
    SCOPED_TRACE(key);
    size_t dash = key.rfind('_');
    DType dtype = key.substr(dash) == "_f16" ? DType::Float16 : DType::BFloat16;
    SharedVariable w = shared(Tensor({0.5, -0.3125, 2.0, 100.0, 1.0, 0.0}).cast(dtype), "w");
    Variable g = tensor(dtype, {6}, "g"), loss = sum(w * g);
    Optimizer optimizer = halfOptimizerOf(key.substr(0, dash), loss, w);
    Function step = stepOf(optimizer, loss, {g});
    for (int t = 0; t < 10; ++t) {
      std::vector<double> now;
      for (double number : gradient)
        now.push_back(t % 2 == 0 ? number : number * -0.25);
      ASSERT_TRUE(step(Tensor::fromSpan(absl::MakeConstSpan(now), {6})->cast(dtype)).ok());
    }
    EXPECT_EQ(w.get().dtype(), dtype);
    std::vector<SharedVariable> values = {w};
    for (const SharedVariable &value : optimizer.state)
      if (value.name() != "w.steps") {
        EXPECT_EQ(value.get().dtype(), DType::Float32) << value.name();
        values.push_back(value);
      }
    std::vector<double> found = numbersOf(values);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(found[i], expected[i]) << i;
    for (size_t i = 6; i < found.size(); ++i) {
      double terms = i < 12 ? gradient[i - 6] : 0;
      EXPECT_NEAR(found[i], expected[i], 100 * 0x1p-24 * std::max(terms, std::abs(expected[i])))
          << i;
    }
  }
}

// Of float32 the state is what it was, and a checkpoint keeps that of float16 in float32.
TEST(Optim, CheckpointsOfHalfPrecisionHaveFloat32) {
  std::string path = ::testing::TempDir() + "/graphc-optim-half.npz";
  auto make = [](std::vector<SharedVariable> &all) {
    SharedVariable w = shared(Tensor({0.5, 2.0}).cast(DType::Float16), "w");
    Variable loss = sum(sqr(w));
    Optimizer optimizer = adam(loss, {w}, {.rate = 0.01});
    all = {w};
    all.insert(all.end(), optimizer.state.begin(), optimizer.state.end());
    return stepOf(optimizer, loss);
  };
  std::vector<SharedVariable> whole, later;
  Function steps = make(whole), after = make(later);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(steps().ok());
  ASSERT_TRUE(saveCheckpoint(path, whole).ok());
  absl::StatusOr<std::map<std::string, Tensor>> file = loadNpz(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->at("w").dtype(), DType::Float16);
  EXPECT_EQ(file->at("w.variance").dtype(), DType::Float32);
  ASSERT_TRUE(loadCheckpoint(path, later).ok());
  ASSERT_TRUE(steps().ok() && after().ok());
  EXPECT_EQ(numbersOf(later), numbersOf(whole));
}

// A rate that a call gives, and a gradient of nothing.
TEST(Optim, RatesAreVariablesToo) {
  Problem p = problem(), byNumber = problem();
  Variable rate = dscalar("rate");
  Function step = stepOf(sgd(p.loss, p.parameters(), {.rate = rate}), p.loss, {rate});
  Function same = stepOf(sgd(byNumber.loss, byNumber.parameters(), {.rate = 0.25}), byNumber.loss);
  ASSERT_TRUE(step(0.25).ok() && same().ok());
  EXPECT_EQ(numbersOf(p), numbersOf(byNumber));
  std::vector<double> before = numbersOf(p);
  ASSERT_TRUE(step(0.0).ok());
  EXPECT_EQ(numbersOf(p), before);

  SharedVariable still = shared(Tensor({1.0, 2.0}), "still");
  Variable flat = sum(still * 0.0);
  Function stay = stepOf(sgd(flat, {still}, {.maxNorm = 1.0}), flat);
  ASSERT_TRUE(stay().ok());
  EXPECT_EQ(still.get(), Tensor({1.0, 2.0}));
}

TEST(Optim, RefusesWhatHasNoGradient) {
  Problem p = problem();
  SharedVariable count = shared(Tensor({1, 2}, DType::Int64), "count"),
                 other = shared(Tensor({1.0}), "other");
  auto make = [&](const Optimizer &optimizer) {
    FunctionOptions options;
    options.updates = optimizer.updates;
    return function({}, p.loss, options).status();
  };
  expectMessages({
      {make(sgd(p.loss, {p.w, count})),
       "TypeError: parameter 'count' is i64[?]; only floats have gradients: leave it out, or "
       "share a value of floats"},
  });
  EXPECT_EQ(errorKind(make(adam(p.loss, {p.w, other}))), ErrorKind::DisconnectedInput);
  EXPECT_EQ(errorKind(make(sgd(p.w, {p.w}))), ErrorKind::TypeError); // no number
}

//===--- weights of graphs ------------------------------------------------------------===//

TEST(ShareWeights, MakesNamedConstantsVariables) {
  Variable x = dvector("x");
  Constant w(Tensor({2.0, 3.0}), "w"), unnamed(Tensor({1.0, 1.0})), number(Tensor(4.0), "number");
  GraphModule module;
  module.inputs = {x};
  module.outputs = {x * w + unnamed * number};
  Variable before = module.outputs[0];
  absl::StatusOr<std::vector<SharedVariable>> weights = shareWeights(module);
  ASSERT_TRUE(weights.ok()) << weights.status();
  ASSERT_EQ(weights->size(), 1u);
  EXPECT_EQ((*weights)[0].name(), "w");
  EXPECT_EQ((*weights)[0].get(), Tensor({2.0, 3.0}));
  absl::StatusOr<Function> f = function(module), old = function({x}, before);
  ASSERT_TRUE(f.ok() && old.ok()) << f.status() << old.status();
  ASSERT_TRUE((*weights)[0].set(Tensor({10.0, 20.0})).ok());
  EXPECT_EQ((*(*f)(Tensor({1.0, 1.0})))[0], Tensor({14.0, 24.0}));
  EXPECT_EQ((*(*old)(Tensor({1.0, 1.0})))[0], Tensor({6.0, 7.0}));
  // By choice: numbers, too.
  module.outputs = {before};
  weights = shareWeights(module, [](const Variable &v) { return v.name() == "number"; });
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ((*weights)[0].get(), Tensor(4.0));
  // Two of one name could not be told apart in a checkpoint.
  module.outputs = {x * w + Constant(Tensor({5.0, 6.0}), "w")};
  expectMessages({{shareWeights(module).status(),
                   "ValueError: shareWeights: two constants have the name 'w'; give them names of "
                   "their own, or choose one of them"}});
}

//===--- checkpoints --------------------------------------------------------------------===//

std::string scratch(const std::string &name) {
  return ::testing::TempDir() + "/graphc-optim-" + name;
}

TEST(Checkpoint, GoesOnWhereItWas) {
  std::string path = scratch("adam.npz");
  Problem whole = problem(), first = problem(), second = problem();
  auto all = [](const Problem &p, const Optimizer &o) {
    std::vector<SharedVariable> values = p.parameters();
    values.insert(values.end(), o.state.begin(), o.state.end());
    return values;
  };
  Optimizer ofWhole = optimizerOf("adam", whole), ofFirst = optimizerOf("adam", first),
            ofSecond = optimizerOf("adam", second);
  Function steps = stepOf(ofWhole, whole.loss), before = stepOf(ofFirst, first.loss),
           after = stepOf(ofSecond, second.loss);
  for (int i = 0; i < 7; ++i)
    ASSERT_TRUE(steps().ok());
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(before().ok());
  ASSERT_TRUE(saveCheckpoint(path, all(first, ofFirst)).ok());
  ASSERT_TRUE(loadCheckpoint(path, all(second, ofSecond)).ok());
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(after().ok());
  EXPECT_EQ(numbersOf(second), numbersOf(whole));
  absl::StatusOr<std::map<std::string, Tensor>> file = loadNpz(path);
  ASSERT_TRUE(file.ok());
  std::vector<std::string> names;
  for (const auto &[name, value] : *file)
    names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("b", "b.mean", "b.variance", "w", "w.mean", "w.steps",
                                            "w.variance"));
}

// NPY has no bfloat16.
TEST(Checkpoint, HasBFloat16AsFloat32) {
  std::string path = scratch("bf16.npz");
  SharedVariable w = shared(Tensor({1.5, -3.0}, DType::BFloat16), "w");
  ASSERT_TRUE(saveCheckpoint(path, {w}).ok());
  absl::StatusOr<std::map<std::string, Tensor>> file = loadNpz(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->at("w"), Tensor({1.5, -3.0}, DType::Float32));
  ASSERT_TRUE(w.set(Tensor({0, 0}, DType::BFloat16)).ok());
  absl::Status loaded = loadCheckpoint(path, {w});
  ASSERT_TRUE(loaded.ok()) << loaded;
  EXPECT_EQ(w.get(), Tensor({1.5, -3.0}, DType::BFloat16));
}

// The states of a generator and of a discriminator, say.
TEST(Checkpoint, HasTwoMethods) {
  SharedVariable a = shared(Tensor({1.0, 2.0}), "a"), b = shared(Tensor({3.0}), "b");
  std::vector<SharedVariable> all = {a, b};
  for (const SharedVariable &parameter : {a, b})
    for (const SharedVariable &state : adam(sum(sqr(Variable(parameter))), {parameter}).state)
      all.push_back(state);
  EXPECT_TRUE(saveCheckpoint(scratch("two.npz"), all).ok());
}

// What a process draws after it has taken a checkpoint is what the one before would have drawn.
TEST(Checkpoint, HasStatesOfStreams) {
  std::string path = scratch("streams.npz");
  struct Run {
    RandomStream stream{7};
    Function draw = *function({}, {stream.dropout(constant(Tensor({1.0, 1.0, 1.0, 1.0})), 0.5),
                                   stream.normal(0.0, 1.0, {.size = {{4}}})});
    std::vector<double> next() {
      Results results = *draw();
      std::vector<double> numbers;
      for (size_t k : {0, 1})
        for (double number : results[k].flat<double>())
          numbers.push_back(number);
      return numbers;
    }
  } before, after;
  EXPECT_EQ(before.stream.generators()[0].name(), "random.7.0");
  before.next();
  ASSERT_TRUE(saveCheckpoint(path, before.stream.generators()).ok());
  std::vector<double> expected = before.next();
  EXPECT_NE(after.next(), expected);
  ASSERT_TRUE(loadCheckpoint(path, after.stream.generators()).ok());
  EXPECT_EQ(after.next(), expected);
}

TEST(Checkpoint, TakesAllOrNothing) {
  std::string path = scratch("all.npz");
  SharedVariable a = shared(Tensor({1.0, 2.0}), "a"), b = shared(Tensor(3), "b"),
                 unnamed = shared(Tensor(1.0)), otherA = shared(Tensor({9.0, 9.0, 9.0}), "a"),
                 wholeA = shared(Tensor({9, 9}, DType::Int64), "a"), c = shared(Tensor(0.0), "c"),
                 goodA = shared(Tensor({0.0, 0.0}), "a");
  ASSERT_TRUE(saveCheckpoint(path, {a, b}).ok());
  absl::Status wrong[] = {
      loadCheckpoint(path, {goodA, c}), loadCheckpoint(path, {otherA}),
      loadCheckpoint(path, {wholeA}),   loadCheckpoint(scratch("absent.npz"), {a}),
      saveCheckpoint(path, {unnamed}),  saveCheckpoint(path, {a, goodA}),
      loadCheckpoint(path, {a, goodA}),
  };
  expectMessages({
      {wrong[0], "KeyError: " + path + ": there is no value of 'c'"},
      {wrong[1], "ShapeError: " + path + ": the value of 'a' is f64[2], expected f64[3]"},
      {wrong[2], "TypeError: " + path + ": the value of 'a' is f64[2], expected i64[2]"},
      {wrong[4], "ValueError: saveCheckpoint: a shared variable of f64 has no name; "
                 "shared(value, \"name\") gives it one"},
      {wrong[5], "ValueError: saveCheckpoint: two shared variables have the name 'a'"},
      {wrong[6], "ValueError: loadCheckpoint: two shared variables have the name 'a'"},
  });
  EXPECT_EQ(errorKind(wrong[3]), ErrorKind::Io);
  EXPECT_EQ(goodA.get(), Tensor({0.0, 0.0}));
  ASSERT_TRUE(loadCheckpoint(path, {goodA}).ok());
  EXPECT_EQ(goodA.get(), Tensor({1.0, 2.0}));
}

//===--- progress -------------------------------------------------------------------------===//

TEST(Progress, TellsMeansAndTheEnd) {
  std::ostringstream out;
  {
    TrainingProgress progress(out, 3, 1e9);
    progress.step(1.0, 64);
    progress.step(2.0, 64);
    EXPECT_EQ(out.str(), "");
    progress.step(4.5, 64);
  }
  EXPECT_THAT(out.str(), ::testing::MatchesRegex("step 3 of 3: loss 2.5, [0-9.e+]+ examples/s\n"));
  out.str("");
  {
    TrainingProgress progress(out, 0, 0);
    progress.step(1.0);
    progress.step(3.0);
  }
  EXPECT_THAT(out.str(), ::testing::MatchesRegex("step 1: loss 1, [0-9.e+]+ examples/s\n"
                                                 "step 2: loss 3, [0-9.e+]+ examples/s\n"));
  out.str("");
  {
    TrainingProgress progress(out, 10, 1e9);
    progress.step(5.0, 2); // and it breaks off
  }
  EXPECT_THAT(out.str(), ::testing::MatchesRegex("step 1 of 10: loss 5, [0-9.e+]+ examples/s\n"));
}

} // namespace
} // namespace graphc
