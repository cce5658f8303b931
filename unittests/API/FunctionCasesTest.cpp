//===- FunctionCasesTest.cpp - what is small in sections 5 to 7 of the semantics ---===//
//
// Cases of docs/FunctionCases.md have their numbers; expected values follow from them by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "Calls.h"
#include "Places.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

double number(const absl::StatusOr<Tensor> &t) {
  EXPECT_TRUE(t.ok()) << t.status();
  return t.ok() ? t->item<double>() : 0;
}

// F-152, F-174, F-184, F-190, A06, F05: what the compiler of C++ refuses.
TEST(FunctionCases, KindsAreTypes) {
  static_assert(!std::is_convertible_v<Variable, InputList>);
  static_assert(!std::is_convertible_v<double, OutputList>);
  static_assert(!std::is_convertible_v<const char *, OutputList>);
  static_assert(!std::is_constructible_v<Substitutions::Pair, double, Variable>);
  static_assert(!std::is_convertible_v<const char *, NoDefaultUpdates>);
  static_assert(!std::is_convertible_v<int, NoDefaultUpdates>);
  static_assert(std::is_convertible_v<bool, NoDefaultUpdates>);
}

class FunctionCases : public ::testing::TestWithParam<const char *> {
protected:
  FunctionOptions with(FunctionOptions options = {}) const {
    options.mode = GetParam();
    return options;
  }
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z"), v = dvector("v");
  SharedVariable s = shared(0.0, "s");
};

// F-169, F-170, A04, A05: one output, a list, none, by name; of a copy, too.
TEST_P(FunctionCases, Outputs) {
  Function one = made(function({x}, x + 1, with()));
  EXPECT_EQ(called(one(1)).item<double>(), 2);
  EXPECT_EQ(called(made(one.copy())(1)).item<double>(), 2);
  EXPECT_EQ(std::vector<Tensor>(called(made(function({x}, {x + 1}, with()))(1))),
            std::vector<Tensor>{Tensor(2.0)});
  Function none = made(function({x}, OutputList(), with({.onUnusedInput = OnUnusedInput::Ignore})));
  EXPECT_EQ(called(none(1)).size(), 0u);
  Results both = called(made(function({x}, {{"b", x + 2}, {"a", x + 1}}, with()))(1));
  EXPECT_EQ(both["a"].item<double>(), 2);
  EXPECT_EQ(both["b"].item<double>(), 3);
}

// F-148, F-149: the graph stays the user's, and what he does to it later does not count.
TEST_P(FunctionCases, TheGraphIsTheUsers) {
  Variable e = log(exp(x)) + s, given = e * y;
  ASSERT_TRUE(s.setDefaultUpdate(s + 1).ok());
  std::string before = debugPrint(given);
  Function f = made(function({x, y}, given, with({.name = "F"})));
  EXPECT_EQ(debugPrint(given), before);
  x.setName("other");
  ASSERT_TRUE(s.setDefaultUpdate(s + 100).ok());
  EXPECT_EQ(f.inputNames(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(called(f.call({}, {{"x", 2.0}, {"y", 3.0}})).item<double>(), 6);
  EXPECT_EQ(s.get().item<double>(), 1);
  ASSERT_TRUE(s.set(10.0).ok());
  EXPECT_EQ(called(f(2.0, 3.0)).item<double>(), 36) << "a value is read at each call";
}

// F-159, F-164: a default may stand before what has none.
TEST_P(FunctionCases, DefaultsStandAnywhere) {
  Function f = made(function({In(y, {.value = 5.0}), x}, y - x, with()));
  EXPECT_EQ(called(f.call({}, {{"x", 1.0}})).item<double>(), 4);
  EXPECT_EQ(called(f(7.0, 1.0)).item<double>(), 6);
  EXPECT_EQ(said(f(7.0).status()), "TypeError: function: argument 1 ('x') is missing");
}

// F-203: calls keep no handle of an argument, also those that fail; defaults are what they were.
TEST_P(FunctionCases, CallsKeepNothing) {
  Function f =
      made(function({v, In(y, {.value = 5.0})}, v * y + s, with({.updates = {{s, s + 1}}})));
  Function failing = made(function({v}, v.sum(), with({.updates = {{s, s + v[{3}]}}})));
  Tensor mine({1, 2});
  ASSERT_TRUE(f(mine, 2.0).ok());
  EXPECT_TRUE(mine.isUnique());
  EXPECT_EQ(number(f["y"].get()), 5);
  EXPECT_FALSE(failing(mine).ok());
  EXPECT_TRUE(mine.isUnique());
}

// F-166: what is given something else in place of its only use is not used.
TEST_P(FunctionCases, GivensMayLeaveAnInputUnused) {
  Variable sum = x + y;
  EXPECT_EQ(errorKind(function({x, y, z}, sum * z, with({.givens = {{sum, z + 1}}})).status()),
            ErrorKind::UnusedInput);
  Function f =
      made(function({x, y, z}, sum * z,
                    with({.givens = {{sum, z + 1}}, .onUnusedInput = OnUnusedInput::Ignore})));
  EXPECT_EQ(called(f(100, 100, 2)).item<double>(), 6);
}

// F-175, F-182: lists and maps.
TEST_P(FunctionCases, SubstitutionsComeInAnyContainer) {
  SharedVariable t = shared(0.0, "t");
  std::unordered_map<Variable, Variable> updates = {{s, s + x}, {t, t - x}}, givens = {{y, x * 2}};
  Function f = made(function({x}, y, with({.updates = updates, .givens = givens})));
  EXPECT_EQ(called(f(3)).item<double>(), 6);
  EXPECT_EQ(s.get().item<double>(), 3);
  EXPECT_EQ(t.get().item<double>(), -3);
}

// F-184, F-031: a literal has the dtype of what it is given for.
TEST_P(FunctionCases, GivensOfNumbers) {
  Variable q = fscalar("q"), i = lscalar("i");
  Results r = called(made(function({}, {q, i, x}, with({.givens = {{q, 0.1}, {i, 3}, {x, 7}}})))());
  EXPECT_EQ(r[0], Tensor(0.1f));
  EXPECT_EQ(r[1], Tensor(3));
  EXPECT_EQ(r[2], Tensor(7.0));
}

// F-188: one substitution, also where it stands beside others.
TEST_P(FunctionCases, GivensThatReadTheirOwnKey) {
  ASSERT_TRUE(s.set(3.0).ok());
  Function f = made(function({z}, s * 2 + y, with({.givens = {{s, s + 1}, {y, z}}})));
  EXPECT_EQ(called(f(5)).item<double>(), 13);
  EXPECT_EQ(s.get().item<double>(), 3);
}

// F-182: in the updates of inputs, and in default updates.
TEST_P(FunctionCases, GivensInUpdates) {
  ASSERT_TRUE(s.setDefaultUpdate(s + y).ok());
  Function f = made(function({x, In(z, {.value = 0.0, .update = z + y})}, s + 0 * x,
                             with({.givens = {{y, x * 10}}})));
  ASSERT_TRUE(f(2).ok());
  EXPECT_EQ(number(f["z"].get()), 20);
  EXPECT_EQ(s.get().item<double>(), 20);
}

// F-183: rebuilt with another type, a graph fails at the op that does not accept it.
TEST_P(FunctionCases, RebuiltGraphsNameTheOp) {
  Variable m = dmatrix("m"), i = lscalar("i");
  Variable product = dot(m, m) + 1;
  Variable shifted = leftShift(i, 2);
  EXPECT_EQ(said(function({v}, product, with({.givens = {{m, v}}})).status()),
            "TypeError: function: givens: v: f64[?] where f64[?,?] is needed; nothing is cast "
            "implicitly");
  absl::Status status =
      function({x}, shifted, with({.givens = {{i, x}}, .rebuildStrict = false})).status();
  EXPECT_EQ(errorKind(status), ErrorKind::TypeError);
  EXPECT_EQ(errorPlace(status)->str(), shifted.place().str());
  EXPECT_EQ(said(status), "TypeError: function: givens: leftShift: float64 operands are refused: "
                          "it takes integers\n  leftShift(x: f64, 2)");
}

// F-161, F-151: an argument stands for a state; where that call fails, the state is what it was.
TEST_P(FunctionCases, AFailedCallWithAGivenState) {
  Variable total = dvector("total");
  Function f =
      made(function({v, In(total, {.value = Tensor({1, 2}), .update = total + v})}, {}, with()));
  Tensor mine({10, 20});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(errorKind(f(Tensor({1, 1, 1}), mine).status()), ErrorKind::ShapeError);
    EXPECT_EQ(*f["total"].get(), Tensor({1, 2}));
  }
  ASSERT_TRUE(f(Tensor({1, 1})).ok());
  EXPECT_EQ(*f["total"].get(), Tensor({2, 3}));
}

// F-180: what becomes a shared variable's value is no longer the caller's.
TEST_P(FunctionCases, ArgumentsThatAreStored) {
  Variable total = dvector("total");
  SharedVariable w = shared(Tensor({0, 0}), "w"), u = shared(Tensor({0, 0}), "u");
  Function f = made(function({v, In(total, {.value = Tensor({1, 2}), .update = total + v})}, {},
                             with({.updates = {{w, total}, {u, v}}})));
  Tensor mine({10, 20}), step({1, 1});
  ASSERT_TRUE(f(step, mine).ok());
  mine.mutableFlat<double>()[0] = 99;
  step.mutableFlat<double>()[0] = 99;
  EXPECT_EQ(w.get(), Tensor({10, 20}));
  EXPECT_EQ(u.get(), Tensor({1, 1}));
  EXPECT_EQ(*f["total"].get(), Tensor({11, 21}));
  ASSERT_TRUE(f(Tensor({1, 1})).ok());
  EXPECT_EQ(w.get(), Tensor({11, 21}));
}

// F-226: clones read and update the same value.
TEST_P(FunctionCases, ClonesOfASharedVariable) {
  Variable twice = s * 2;
  InputsOutputs cloned = clone({}, {&twice, 1});
  ASSERT_TRUE(s.set(4.0).ok());
  Function f = made(function({}, {cloned.outputs[0], twice}, with({.updates = {{s, s + 1}}})));
  Results r = called(f());
  EXPECT_EQ(r[0].item<double>(), 8);
  EXPECT_EQ(r[1].item<double>(), 8);
  EXPECT_EQ(f.sharedVariables().size(), 1u);
  EXPECT_EQ(s.get().item<double>(), 5);
}

// F-211: all replacements at once; inputs keep their names.
TEST_P(FunctionCases, CopiesSwapAllAtOnce) {
  SharedVariable a = shared(1.0, "a"), b = shared(10.0, "b"), c = shared(100.0, "c");
  Function f = made(function({In(x, {.value = a, .name = "k"})}, x - b,
                             with({.updates = {{a, a + 1}, {b, b * 2}}})));
  Function g = made(f.copy({.swap = {{a, b}, {b, a}}}));
  EXPECT_EQ(called(g()).item<double>(), 9) << "10 - 1";
  EXPECT_EQ(a.get().item<double>(), 2) << "1 * 2";
  EXPECT_EQ(b.get().item<double>(), 11) << "10 + 1";
  EXPECT_EQ(number(g["k"].get()), 11);
  EXPECT_EQ(number(g[x].get()), 11);
  EXPECT_EQ(number(f["k"].get()), 2);
  expectMessages({
      {f.copy({.swap = {{a, b}}}).status(), "ValueError: copy: two updates would meet in 'b'"},
      {f.copy({.swap = {{a, c}, {a, b}}}).status(), "ValueError: copy: 'a' is swapped twice"},
      {f.copy({.swap = {{c, a}}}).status(),
       "ValueError: copy: the function neither reads nor updates 'c'"},
  });
  // Without updates, one may stand for both.
  Function both = made(f.copy({.swap = {{a, b}}, .deleteUpdates = true}));
  EXPECT_EQ(called(both()).item<double>(), 0);
  EXPECT_EQ(both.sharedVariables(), std::vector<SharedVariable>{b});
  EXPECT_EQ(number(both["b"].get()), 11) << "one value, though it stands in for two";
}

// F-217: an output twice, and none.
TEST_P(FunctionCases, OddSubsets) {
  Function f = made(function({v}, {v + 1, v + 2}, with({.updates = {{s, s + 1}}})));
  Results twice = called(f.call({Tensor({1})}, {}, {.outputSubset = OutputSubset{1, 1}}));
  ASSERT_EQ(twice.size(), 2u);
  EXPECT_EQ(twice[0], Tensor({3}));
  EXPECT_EQ(twice[1], Tensor({3}));
  EXPECT_FALSE(twice[0].overlaps(twice[1]));
  std::vector<size_t> nothing;
  EXPECT_EQ(called(f.call({Tensor({1})}, {}, {.outputSubset = OutputSubset(nothing)})).size(), 0u);
  EXPECT_EQ(s.get().item<double>(), 2);
}

INSTANTIATE_TEST_SUITE_P(Modes, FunctionCases,
                         ::testing::Values("interpreter", "fast_run", "debug"),
                         [](const auto &mode) { return std::string(mode.param); });

// F-043, C03: arrays are not looked at element by element.
TEST(Conversions, OfArrays) {
  Variable w = fvector("w");
  Tensor exact({0.5}), shorts({1, 2}, DType::Int16), longs({1}, DType::Int64);
  for (std::optional<bool> allow : {std::optional<bool>(), std::optional(false)}) {
    Function f = made(function({In(w, {.allowDowncast = allow})}, w));
    EXPECT_EQ(errorKind(f(exact).status()), ErrorKind::TypeError);
    EXPECT_EQ(errorKind(f(longs).status()), ErrorKind::TypeError);
    EXPECT_EQ(called(f(shorts))[0], Tensor({1, 2}, DType::Float32));
  }
  Function any = made(function({In(w, {.allowDowncast = true})}, w));
  EXPECT_EQ(called(any(Tensor({0.1})))[0], Tensor({0.1}, DType::Float32));
  EXPECT_EQ(errorKind(any(Tensor({{0.5}})).status()), ErrorKind::TypeError) << "the rank";
}

// F-168: the function's rule is for plain Variables; an In has its own.
TEST(Conversions, OfInsAreTheirOwn) {
  Variable i = bscalar("i"), j = bscalar("j");
  Function f = made(function({i, In(j, {})}, {i, j}, {.allowInputDowncast = true}));
  EXPECT_EQ(called(f(300, 1))[0].item<int>(), 44);
  EXPECT_EQ(errorKind(f(1, 300).status()), ErrorKind::TypeError);
}

// F-044: floats beyond an integer dtype saturate, integers wrap.
TEST(Conversions, OfWhatIsOutOfRange) {
  Variable i = bvector("i");
  Function f = made(function({In(i, {.allowDowncast = true})}, i));
  EXPECT_EQ(called(f(Tensor({300.7, -300.0, 2.9})))[0], Tensor({127, -128, 2}, DType::Int8));
  EXPECT_EQ(called(f(Tensor({300, -129}, DType::Int64)))[0], Tensor({44, 127}, DType::Int8));
}

// F-027, F-221: any dtype and rank; no extent is known unless it is said.
TEST(SharedValues, OfAnyDTypeAndRank) {
  for (int k = 0; k < kNumDTypes; ++k)
    for (int rank = 0; rank < 5; ++rank) {
      std::vector<int64_t> shape(size_t(rank), 1), unknown(size_t(rank), kDynamic);
      Tensor one = *Tensor::full(DType(k), shape, Tensor(1.0).cast(DType(k)));
      Tensor none = *Tensor::zeros(DType(k), shape);
      SharedVariable s = shared(one, "s"), known = shared(one, "known", {.shape = shape});
      EXPECT_EQ(s.type(), Type(DType(k), unknown));
      EXPECT_EQ(known.type(), Type(DType(k), shape));
      EXPECT_TRUE(s.get().identical(one));
      ASSERT_TRUE(s.set(none).ok());
      EXPECT_TRUE(s.get().identical(none));
    }
}

// F-155, F-156: what a Param has where nothing is said.
TEST(Params, HaveDefaults) {
  Variable x = dscalar("x");
  SharedVariable s = shared(0.0, "s");
  Param plain = x, state = In(x, {.value = 0.0, .update = x + 1}), stored = In(x, {.value = s});
  EXPECT_EQ(plain.name(), "x");
  EXPECT_EQ(In(x, {.name = "k"}).name(), "k");
  EXPECT_FALSE(plain.isMutable() || plain.isBorrowed() || plain.isImplicit());
  EXPECT_FALSE(plain.options().strict || plain.options().allowDowncast || plain.options().value);
  EXPECT_TRUE(state.isMutable() && state.isBorrowed() && !state.isImplicit());
  EXPECT_TRUE(stored.isImplicit() && !stored.isMutable());
  EXPECT_FALSE(In(x, {.value = s, .implicit = false}).isImplicit());
  // Implicit or not, a call may give the one and not the other.
  Function given = made(function({In(x, {.value = s, .implicit = false})}, x));
  EXPECT_EQ(called(given(5.0)).item<double>(), 5);
  EXPECT_EQ(called(given()).item<double>(), 0);
}

// F-208, G04: a key of maps, by identity.
TEST(FunctionObject, IsAKey) {
  Variable x = dscalar("x");
  Function f = made(function({x}, x)), g = made(f.copy()), same = f;
  std::unordered_set<Function> both = {f, g, same};
  EXPECT_EQ(both.size(), 2u);
  EXPECT_TRUE(both.contains(same));
  EXPECT_EQ(f.hash(), same.hash());
}

// F-206, B07: beyond the inputs and shared variables there is nothing.
TEST(FunctionObject, HasNoValueBeyondItsInputs) {
  Variable x = dscalar("x");
  Function f = made(function({x}, x, {.name = "F"}));
  EXPECT_FALSE(f[0].get()->defined());
  expectMessages({
      {f[1].get().status(), "TypeError: F[1]: there are 1 input and shared variables"},
      {f[7].set(1.0), "TypeError: F[7]: there are 1 input and shared variables"},
      {f["nope"].set(1.0), "TypeError: F[\"nope\"]: there is no such input; they are 'x'"},
  });
}

// F-220, A10: the graph after rewriting, with next values behind the outputs.
TEST(FunctionObject, ShowsItsGraph) {
  Variable v = dvector("v");
  SharedVariable s = shared(Tensor({1, 2}), "s");
  Variable e = (v + 1).sum() * 1.0;
  FunctionOptions plain{.rewrites = false, .updates = {{s, s + v}}};
  absl::StatusOr<FunctionGraph> built = made(function({v}, e, plain)).graph();
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->numInputs(), 2);
  EXPECT_EQ(built->numOutputs(), 2);
  EXPECT_EQ(built->updateMapping(), (std::map<int, int>{{1, 1}}));
  auto opsOf = [](const FunctionGraph &graph) {
    std::vector<std::string> names;
    absl::StatusOr<std::vector<Apply>> nodes = graph.toposort();
    for (const Apply &node : *nodes)
      names.emplace_back(node.op().name());
    return names;
  };
  EXPECT_EQ(opsOf(*built), (std::vector<std::string>{"add", "sum", "mul", "add"}));
  Function f = made(function({v}, e));
  absl::StatusOr<FunctionGraph> graph = f.graph();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(opsOf(*graph), (std::vector<std::string>{"add", "sum"})) << debugPrint(*graph);
  // A10
  std::vector<Apply> nodes = *graph->toposort();
  EXPECT_EQ(graph->clients(nodes[0].output(0))->front(), (Client{nodes[1], 0}));
  EXPECT_TRUE(graph->clients(nodes[1].output(0))->front().isOutput());
  EXPECT_EQ(called(f(Tensor({1, 2}))).item<double>(), 5) << "it is not the function's own";
  EXPECT_EQ(said(Function().graph().status()), "ValueError: the Function whose graph is wanted was "
                                               "default-constructed or moved from: it is none");
}

} // namespace
} // namespace graphc
