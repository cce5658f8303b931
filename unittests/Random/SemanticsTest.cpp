//===- SemanticsTest.cpp - states, streams and functions ------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "Messages.h"
#include "Ops/Registry.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Random.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

Function made(const absl::StatusOr<Function> &f) {
  EXPECT_TRUE(f.ok()) << f.status();
  return f.value_or(Function());
}

template <class... A> Tensor called(const Function &f, A... arguments) {
  auto r = f(arguments...);
  EXPECT_TRUE(r.ok()) << r.status();
  return r.ok() ? (*r)[0].contiguous() : Tensor(NAN);
}

bool same(const Tensor &a, const Tensor &b) {
  Tensor x = a.contiguous(), y = b.contiguous();
  return x.dtype() == y.dtype() && x.shape() == y.shape() &&
         !std::memcmp(x.data(), y.data(), size_t(x.numBytes()));
}

/// How many elements a generator has drawn.
int64_t positionOf(const SharedVariable &generator) {
  Tensor state = generator.get();
  return state.flat<int64_t>()[1];
}

Tensor stateOf(int64_t key, int64_t position) {
  return *Tensor::fromSpan<int64_t>({key, position}, {2});
}

int numDraws(const Function &f) {
  int count = 0;
  for (const Apply &node : f.graph()->applyNodes())
    if (const OpDef *def = findOp(node.op().name()))
      count += def->section == "Random numbers";
  return count;
}

//===--- the explicit form --------------------------------------------------------------===//

// F-335: equal states give equal numbers, one node of the two; the next state goes on where the
// draw ended.
TEST(Explicit, EqualStatesGiveEqualDraws) {
  Variable state = lvector("state");
  Draw a = random::normal(state, 0.0, 1.0, {.size = {4}}),
       b = random::normal(state, 0.0, 1.0, {.size = {4}}),
       c = random::normal(a.next, 0.0, 1.0, {.size = {2}}),
       all = random::normal(state, 0.0, 1.0, {.size = {6}});
  Function f = made(function({state}, {a.value, b.value, c.value, all.value, c.next}));
  auto r = f(stateOf(5, 100));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE(same((*r)[0], (*r)[1]));
  absl::Span<const double> first = (*r)[0].flat<double>(), rest = (*r)[2].flat<double>();
  std::vector<double> joined(first.begin(), first.end());
  joined.insert(joined.end(), rest.begin(), rest.end());
  EXPECT_EQ(joined,
            std::vector<double>((*r)[3].flat<double>().begin(), (*r)[3].flat<double>().end()));
  EXPECT_TRUE(same((*r)[4], stateOf(5, 106)));
  Function twice = made(function({state}, {a.value, b.value}));
  EXPECT_EQ(numDraws(twice), 1) << debugPrint(*twice.graph());
}

// F-303: a draw from a constant state is not computed while compiling.
TEST(Explicit, DrawsAreNotFolded) {
  Draw d = random::uniform(constant(stateOf(1, 2)), 0.0, 1.0, {.size = {3}});
  Function f = made(function({}, d.value));
  EXPECT_EQ(numDraws(f), 1) << debugPrint(*f.graph());
  EXPECT_TRUE(same(called(f), called(f)));
}

//===--- streams --------------------------------------------------------------------------===//

// F-336: each method call has a generator of its own, whose seed follows from the stream's and from
// its number; each function call advances it.
TEST(Stream, EveryDrawHasItsOwnGenerator) {
  RandomStream stream(42), again(42), other(43);
  DrawOptions o{.size = {5}};
  Variable a = stream.uniform(o), b = stream.uniform(o);
  ASSERT_EQ(stream.generators().size(), 2u);
  EXPECT_TRUE(same(stream.generators()[0].get(), randomState(42, 0)));
  EXPECT_TRUE(same(stream.generators()[1].get(), randomState(42, 1)));
  Function f = made(function({}, {a, b})),
           g = made(function({}, {again.uniform(o), other.uniform(o)}));
  auto first = f(), second = f(), fromEqual = g();
  ASSERT_TRUE(first.ok() && second.ok() && fromEqual.ok());
  EXPECT_FALSE(same((*first)[0], (*first)[1]));
  EXPECT_FALSE(same((*first)[0], (*second)[0]));
  EXPECT_TRUE(same((*first)[0], (*fromEqual)[0]));
  EXPECT_FALSE(same((*first)[0], (*fromEqual)[1]));
  EXPECT_EQ(positionOf(stream.generators()[0]), 10);
  auto updates = stream.stateUpdates();
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_TRUE(updates[1].first == stream.generators()[1]);
  Function next = made(function({}, updates[1].second, {.noDefaultUpdates = true}));
  Tensor after = called(next);
  EXPECT_EQ(positionOf(updates[1].first) + 5, after.flat<int64_t>()[1]);
}

// Draws and their states have the user's places.
TEST(Stream, HasTheUsersPlaces) {
  RandomStream stream(42);
  Variable draws[] = {stream.normal(0.0, 1.0), stream.uniform({.size = {2}}), stream.poisson(2)};
  stream.newGenerator();
  for (const Variable &draw : draws)
    EXPECT_THAT(draw.place().str(), testing::HasSubstr("SemanticsTest.cpp"));
  for (const SharedVariable &generator : stream.generators())
    EXPECT_THAT(generator.place().str(), testing::HasSubstr("SemanticsTest.cpp"));
}

// F-337
TEST(Stream, OneVariableIsOneDraw) {
  RandomStream stream(1);
  Variable u = stream.uniform({.size = {100}}), v = stream.uniform({.size = {100}});
  Function f = made(function({}, {u - u, u - v, abs(u - v).max()}));
  auto r = f();
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE(same((*r)[0], *Tensor::zeros(DType::Float64, {100})));
  EXPECT_GT((*r)[2].item<double>(), 0.5);
}

// F-338: without default updates calls repeat; functions share a draw's state.
TEST(Stream, FunctionsShareStates) {
  for (const char *mode : {"interpreter", "fast_compile", "fast_run"}) {
    RandomStream stream(1);
    Variable u = stream.uniform({.size = {3}});
    Function f = made(function({}, u, {.mode = mode})),
             g = made(function({}, u * 1, {.mode = mode}));
    Function still = made(function({}, u, {.mode = mode, .noDefaultUpdates = true}));
    Tensor before = called(still);
    EXPECT_TRUE(same(before, called(still)));
    EXPECT_TRUE(same(before, called(f)));
    Tensor second = called(still);
    EXPECT_FALSE(same(before, second));
    EXPECT_TRUE(same(second, called(g)));
    EXPECT_EQ(positionOf(stream.generators()[0]), 6);
  }
}

// F-339: a seed counts what is split off anew, too.
TEST(Stream, SeedsWhatIsSplitOff) {
  auto drawnBySplit = [](RandomStream &stream) {
    return (*made(function({}, {stream.split().uniform({.size = {4}})}))())[0];
  };
  RandomStream stream(3), fresh(8);
  Tensor first = drawnBySplit(stream);
  EXPECT_FALSE(same(first, drawnBySplit(stream)));
  ASSERT_TRUE(stream.seed(8).ok());
  EXPECT_TRUE(same(drawnBySplit(stream), drawnBySplit(fresh)));
}

// F-339: seeds, states, copies.
TEST(Stream, SeedsStatesAndCopies) {
  RandomStream stream(1);
  Variable u = stream.uniform({.size = {3}}), n = stream.normal({.size = {2}});
  Function f = made(function({}, {u, n}));
  auto first = f(), second = f();
  ASSERT_TRUE(stream.seed(1).ok());
  auto again = f();
  EXPECT_TRUE(same((*first)[0], (*again)[0]) && same((*first)[1], (*again)[1]));

  SharedVariable generator = stream.generators()[0];
  Tensor state = generator.get();
  Tensor next = (*f())[0];
  EXPECT_TRUE(same(next, (*second)[0]));
  ASSERT_TRUE(generator.set(state).ok());
  EXPECT_TRUE(same(next, (*f())[0]));

  ASSERT_TRUE(stream.seed(7).ok());
  EXPECT_TRUE(same(stream.generators()[1].get(), randomState(7, 1)));
  // What is made later is of the new seed, too.
  EXPECT_TRUE(same(stream.newGenerator().get(), randomState(7, 2)));

  // A copy goes on with the same state, or with another one.
  ASSERT_TRUE(stream.seed(1).ok());
  Function copy = made(f.copy());
  EXPECT_TRUE(same((*copy())[0], (*first)[0]));
  EXPECT_TRUE(same((*f())[0], (*second)[0]));
  SharedVariable own = shared(randomState(1, 0), "own", {.shape = {{2}}});
  Function swapped = made(f.copy({.swap = {{generator, own}}}));
  EXPECT_TRUE(same((*swapped())[0], (*first)[0]));
  EXPECT_EQ(positionOf(own), 3);
  EXPECT_EQ(positionOf(generator), 6);
}

// F-193, F-338: `givens` may replace a state, whose default update then does not count.
TEST(Stream, GivensReplaceStates) {
  RandomStream stream(1);
  Variable u = stream.uniform({.size = {3}});
  SharedVariable generator = stream.generators()[0];
  Variable state = lvector("state");
  Function f = made(function({state}, u, {.givens = {{generator, specifyShape(state, {2})}}}));
  EXPECT_TRUE(same(called(f, randomState(1)), called(f, randomState(1))));
  EXPECT_EQ(positionOf(generator), 0);
  Function plain = made(function({}, u));
  EXPECT_TRUE(same(called(f, randomState(1)), called(plain)));
}

// A saved function has the state in it.
TEST(Stream, SavedFunctionsGoOn) {
  RandomStream stream(1);
  Function f = made(function({}, stream.normal({.size = {3}})));
  called(f);
  std::string path = testing::TempDir() + "/random-function.graphc";
  ASSERT_TRUE(f.save(path).ok());
  Function loaded = made(loadFunction(path));
  for (int call = 0; call < 2; ++call)
    EXPECT_TRUE(same(called(loaded), called(f)));
  std::filesystem::remove(path);
}

// F-343: the next state is computed in the place of the old one where the function updates it, and
// only there.
TEST(Stream, StatesAreOverwrittenOnlyByTheirUpdate) {
  RandomStream stream(1);
  Variable u = stream.uniform({.size = {3}});
  SharedVariable generator = stream.generators()[0];
  Tensor held = generator.get({.borrow = true});
  Variable next = u.owner().output(0);
  Function reads = made(function({}, {u, next}, {.noDefaultUpdates = true}));
  auto r = reads();
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE(same(held, randomState(1, 0)));
  EXPECT_EQ((*r)[1].flat<int64_t>()[1], 3);
  Function updates = made(function({}, u));
  called(updates);
  EXPECT_TRUE(same(held, randomState(1, 0))) << "somebody holds it";
  EXPECT_EQ(positionOf(generator), 3);
}

//===--- the same bits ------------------------------------------------------------------------===//

/// Every distribution, of a parameter array that broadcasts along the draw.
Variables everyDraw(RandomStream &stream, DType dtype) {
  Variable column = constant(Tensor({{0.25}, {0.5}, {0.75}}));
  DrawOptions o{.size = {3, 1001}, .dtype = dtype}, whole{.size = {3, 1001}};
  return {stream.uniform(0, column, o),        stream.normal(column, 1, o),
          stream.halfnormal(0, column, o),     stream.lognormal(0, column, o),
          stream.laplace(column, 1, o),        stream.logistic(0, column, o),
          stream.gumbel(0, column, o),         stream.cauchy(column, 1, o),
          stream.halfcauchy(0, column, o),     stream.triangular(0, column, 1, o),
          stream.exponential(column, o),       stream.weibull(column, 2, o),
          stream.pareto(3, column, o),         stream.truncexpon(column, 0, 1, o),
          stream.integers(-5, 1000000, whole), stream.bernoulli(column, whole),
          stream.geometric(column, whole)};
}

// F-342: all modes, numbers of threads, and fusion with what goes before and after.
TEST(SameBits, InAllModesAndForAnyNumberOfThreads) {
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::BFloat16}) {
    SCOPED_TRACE(std::string(dtypeName(dtype)));
    Results wanted;
    struct How {
      Mode mode;
      int threads;
    };
    for (const How &how : {How{"interpreter", 1}, How{"fast_compile", 1}, How{"fast_run", 1},
                           How{"fast_run", 3}, How{"strict", 2}, How{"fast_math", 1},
                           How{Mode("fast_run").excluding({"fusion"}), 1}, How{"debug", 1}}) {
      SCOPED_TRACE(std::string(how.mode.name()));
      RandomStream stream(11);
      Variables draws = everyDraw(stream, dtype);
      Variables outputs;
      for (const Variable &draw : draws)
        outputs.push_back(draw);
      Function f = made(function({}, outputs, {.mode = how.mode, .threads = how.threads}));
      auto r = f();
      ASSERT_TRUE(r.ok()) << r.status();
      if (wanted.size() == 0)
        wanted = *r;
      for (size_t i = 0; i < draws.size(); ++i)
        EXPECT_TRUE(same((*r)[i], wanted[i])) << draws[i].owner().op().name();
    }
  }
}

// A million elements are worth several threads, and a sum reads them as they are made.
TEST(SameBits, OfLargeDraws) {
  std::vector<Tensor> draws;
  for (int threads : {1, 2, 5}) {
    RandomStream stream(3);
    draws.push_back(
        called(made(function({}, stream.normal({.size = {1000, 1003}}), {.threads = threads}))));
  }
  EXPECT_TRUE(same(draws[0], draws[1]));
  EXPECT_TRUE(same(draws[0], draws[2]));
  RandomStream stream(3);
  Variable n = stream.normal({.size = {1000, 1003}});
  Function f = made(function({}, {n.max(), exp(n).sum(), n[{Slice(500, 510)}]}));
  auto r = f();
  ASSERT_TRUE(r.ok()) << r.status();
  Tensor rows = (*r)[2].contiguous();
  absl::Span<const double> all = draws[0].flat<double>();
  EXPECT_EQ((*r)[0].item<double>(), *std::max_element(all.begin(), all.end()));
  EXPECT_TRUE(
      std::equal(all.begin() + 500 * 1003, all.begin() + 510 * 1003, rows.flat<double>().begin()));
}

//===--- shapes and parameters
//------------------------------------------------------------------===//

// F-340
TEST(Shapes, FollowFromSizeOrParameters) {
  RandomStream stream(1);
  Variable row = dvector("row"), n = lscalar("n");
  Variable byParameters = stream.normal(constant(Tensor({{0.0}, {1.0}})), row);
  EXPECT_EQ(byParameters.type().text(), "tensor<2x?xf64>");
  Variable bySize = stream.normal(row, 1.0, {.size = {4, n}});
  EXPECT_EQ(bySize.type(), broadcastTo(0.0, {4, n}).type());
  EXPECT_EQ(stream.normal(row, 1.0, {.size = {4, 3}}).type().text(), "tensor<4x3xf64>");
  EXPECT_EQ(stream.uniform(0, 1).type().rank(), 0);
  EXPECT_EQ(stream.bernoulli(0.5, {.size = {0, 3}}).type().text(), "tensor<0x3xi64>");
  EXPECT_EQ(stream.integers(0, 9, {.size = {2}, .dtype = DType::UInt8}).dtype(), DType::UInt8);
  Function f =
      made(function({row, n}, {byParameters, bySize, stream.bernoulli(0.5, {.size = {0, n}})}));
  auto r = f.call({Tensor({1, 2, 3}), Tensor(int64_t(3))});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].shape(), (absl::Span<const int64_t>{2, 3}));
  EXPECT_EQ((*r)[1].shape(), (absl::Span<const int64_t>{4, 3}));
  EXPECT_EQ((*r)[2].shape(), (absl::Span<const int64_t>{0, 3}));
}

/// The first line of what a call of the draw says, evaluated and compiled.
std::string saidByDraw(const Variable &draw) {
  auto saidIn = [&](const char *mode) {
    auto f = function({}, draw, {.mode = mode});
    return firstLine(f.ok() ? (*f)().status() : f.status());
  };
  std::string evaluated = saidIn("interpreter"), compiled = saidIn("fast_run");
  EXPECT_EQ(evaluated, compiled);
  return compiled;
}

// F-340: parameters out of their domain, sizes that do not fit, operands of other types.
TEST(Parameters, OutOfTheirDomain) {
  RandomStream s(1);
  const double nan = std::nan(""), inf = HUGE_VAL;
  Variable one = shared(1.0);
  struct Case {
    Variable draw;
    std::string said;
  };
  const Case cases[] = {
      {s.normal(0, -one),
       "ValueError: randomNormal: the parameter sd must be at least 0 and finite"},
      {s.normal(0, nan * one),
       "ValueError: randomNormal: the parameter sd must be at least 0 and finite"},
      {s.normal(inf * one, 1), "ValueError: randomNormal: the parameter mean must be finite"},
      {s.uniform(2 * one, 1), "ValueError: randomUniform: low must not be above high"},
      {s.uniform(nan * one, 1), "ValueError: randomUniform: low must not be above high"},
      {s.uniform(-1e308 * one, 1e308),
       "ValueError: randomUniform: the range of low and high must be finite"},
      {s.weibull(0 * one, 1),
       "ValueError: randomWeibull: the parameter shape must be positive and finite"},
      {s.triangular(0, 2 * one, 1),
       "ValueError: randomTriangular: the parameters must be in the order left <= mode <= right"},
      {s.bernoulli(1.5 * one),
       "ValueError: randomBernoulli: the parameter p must be a probability, in [0, 1]"},
      {s.bernoulli(nan * one),
       "ValueError: randomBernoulli: the parameter p must be a probability, in [0, 1]"},
      {s.geometric(0 * one),
       "ValueError: randomGeometric: the parameter p must be a probability above 0, in (0, 1]"},
      {s.integers(3, 3), "ValueError: randomIntegers: low must be below high"},
      {s.integers(0, 1000, {.dtype = DType::Int8}),
       "ValueError: randomIntegers: low or high is beyond what the dtype holds"},
      {s.integers(0.5, 2),
       "TypeError: randomIntegers: the parameter low must be of integers, not tensor<f64>"},
      {s.normal(0, 1, {.dtype = DType::Int64}),
       "TypeError: randomNormal: it draws floats, not int64"},
      {s.bernoulli(0.5, {.dtype = DType::Float32}),
       "TypeError: randomBernoulli: it draws integers, not float32"},
      {s.bernoulli(0.5, {.reparameterized = true}),
       "NotSupported: randomBernoulli: the distribution has no reparameterised form"},
      {s.normal(constant(Tensor({{0, 1}})), 1, {.size = {2}}),
       "ShapeError: randomNormal: the parameter mean has rank 2, more than a size of 1 extents"},
      {s.normal(constant(Tensor({0, 1, 2})), 1, {.size = {2}}),
       "ShapeError: randomNormal: a parameter has extent 3 where the size has 2 (an extent "
       "broadcasts "
       "only where its type says 1: declare it so, or use specifyShape)"},
      {s.normal(0, 1, {.size = {-2}}),
       "ValueError: randomNormal: extent -2 along axis 0 of the size is negative"},
      {random::normal(constant(Tensor({1, 2})), 0, 1).value,
       "TypeError: randomNormal: the state must be an int64 vector (key and position), not "
       "tensor<2xf64>"},
      {random::normal(constant(Tensor({1, 2, 3}, DType::Int64)), 0, 1).value,
       "ShapeError: randomNormal: the state has 3 elements: it must have 2, key and position"},
  };
  for (const Case &c : cases)
    EXPECT_EQ(saidByDraw(c.draw), c.said);
}

//===--- gradients
//--------------------------------------------------------------------------------===//

// F-341: by default there is none, which its type says; the state and the size are disconnected.
TEST(Gradients, AreNullByDefault) {
  Variable state = lvector("state"), mean = dscalar("mean"), n = lscalar("n");
  Draw d = random::normal(state, mean, 1.0, {.size = {n}});
  GradOptions quiet{.disconnectedInputs = DisconnectedInputs::Ignore,
                    .nullGradients = NullGradients::Return};
  Variables g = grad(d.value.sum(), Variables{mean}, quiet);
  ASSERT_EQ(g[0].type().kind(), Type::Kind::Null);
  EXPECT_EQ(g[0].type().reason(),
            "it is not implemented: normal draws random numbers; ask for its reparameterised form "
            "(DrawOptions::reparameterized)");
  g = grad(random::geometric(state, mean).value.sum() * 1.0, Variables{mean}, quiet);
  // F-273: integers do not change with the parameter.
  EXPECT_EQ(called(made(function({}, g[0], {.givens = {{mean, 0.5}, {state, randomState(1)}}})))
                .item<double>(),
            0);
  EXPECT_EQ(errorKind(grad(d.value.sum(), Variables{n})[0].status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(errorKind(grad(d.value.sum(), Variables{state})[0].status()),
            ErrorKind::DisconnectedInput);
}

// F-341: reparameterised draws, against differences at the same bits. The functions are smooth in
// the parameters, so that verifyGrad's differences hold.
TEST(Gradients, OfReparameterizedDraws) {
  using V = const Variables &;
  Variable state = constant(randomState(5));
  DrawOptions o{.size = {4, 3}, .dtype = DType::Float64, .reparameterized = true};
  struct Case {
    const char *name;
    std::function<Variable(V)> draw;
  };
#define OF_TWO(NAME)                                                                               \
  {                                                                                                \
    #NAME, [=](V p) { return random::NAME(state, p[0], p[1], o).value; }                           \
  }
  const Case cases[] = {
      OF_TWO(uniform),
      OF_TWO(normal),
      OF_TWO(halfnormal),
      OF_TWO(laplace),
      OF_TWO(logistic),
      OF_TWO(gumbel),
      OF_TWO(cauchy),
      OF_TWO(halfcauchy),
      OF_TWO(lognormal),
      OF_TWO(weibull),
      OF_TWO(pareto),
      {"exponential", [=](V p) { return random::exponential(state, p[1], o).value + p[0]; }}};
#undef OF_TWO
  std::vector<Tensor> point = {Tensor({{0.75}, {1.0}, {0.5}, {1.25}}), Tensor({1.5, 1.75, 2.0})};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.name);
    absl::Status status =
        verifyGrad([&](const Variables &p) { return c.draw({specifyShape(p[0], {4, 1}), p[1]}); },
                   point, {.differences = Differences::Central});
    EXPECT_TRUE(status.ok()) << status;
    // Forward.
    Variable a = Variable(Type(DType::Float64, {4, 1})), b = dvector(), t = Variable(a.type());
    Variables pushed = pushforward(Variables{c.draw({a, b})}, Variables{a}, Variables{t});
    Variable h = constant(0x1p-20);
    Variable difference = (c.draw({a + h * t, b}) - c.draw({a - h * t, b})) / (2.0 * h);
    Function f =
        made(function({a, b, t}, abs(pushed[0] - difference).max() / (1.0 + abs(pushed[0]).max())));
    // Differences: h^2 of the third derivative, and 2^-52 / h of the value.
    EXPECT_LT(called(f, point[0], point[1], Tensor({{1.0}, {-0.5}, {0.25}, {2.0}})).item<double>(),
              1e-6);
  }
}

// A mean over draws, trained: the gradient reaches the parameters through the draw in one kernel.
TEST(Gradients, TrainThroughDraws) {
  RandomStream stream(2);
  SharedVariable mean = shared(3.0, "mean"), sd = shared(2.0, "sd");
  Variable x = stream.normal(mean, sd, {.size = {4096}, .reparameterized = true});
  // E (x - 1)^2 = (mean - 1)^2 + sd^2: least at mean 1, sd 0.
  Variable loss = sqr(x - 1.0).mean();
  Variables g = grad(loss, Variables{mean, sd});
  Function step =
      made(function({}, loss, {.updates = {{mean, mean - 0.1 * g[0]}, {sd, sd - 0.1 * g[1]}}}));
  for (int i = 0; i < 100; ++i)
    called(step);
  EXPECT_NEAR(mean.get().item<double>(), 1, 1e-3);
  EXPECT_NEAR(sd.get().item<double>(), 0, 1e-3);
}

} // namespace
} // namespace graphc
