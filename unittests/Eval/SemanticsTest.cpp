//===- SemanticsTest.cpp - requirements that concern values ------------------===//
//
// Expected numbers follow from docs/Semantics.md and IEEE 754 by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// The value of a graph of constants.
Tensor valueOf(const Variable &v) {
  auto values = evaluate({v}, {}, {});
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? (*values)[0] : Tensor();
}
absl::Status errorOf(const Variable &v, const Variables &inputs = {},
                     const std::vector<Tensor> &values = {}) {
  return evaluate({v}, inputs, values).status();
}

// F-020
TEST(RunTimeShapes, ALengthOfOneDoesNotBroadcastByItself) {
  auto x = dvector("x"), y = dvector("y");
  absl::Status error = errorOf(x + y, {x, y}, {Tensor({1, 2, 3}), Tensor({1})});
  EXPECT_EQ(errorKind(error), ErrorKind::ShapeError);
  EXPECT_EQ(error.message(), "add: extents differ along axis 0: 3 and 1 (an extent broadcasts only "
                             "where its type says 1: declare it so, or use specifyShape)\n"
                             "  add(f64[3], f64[1])");
  ASSERT_TRUE(errorPlace(error));
  EXPECT_NE(errorPlace(error)->str().find("SemanticsTest.cpp"), std::string::npos);
}

// What only the library itself can ask for: callers of `function` are refused before.
TEST(Evaluator, RefusesWhatItCannotCompute) {
  auto x = dscalar("x"), v = dvector("v");
  OpDef def;
  def.name = "silent";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) { return std::vector<Type>{r.type(0)}; };
  Variable silent = (*Op::create(std::make_shared<const OpDef>(def)))(x);
  EvaluationBudget budget{10};
  EXPECT_EQ(said(errorOf(silent, {x}, {1.0})),
            "MethodNotDefined: silent: the op does not say what it computes");
  EXPECT_EQ(said(errorOf(x + 1)),
            "MissingInput: the graph needs an input that has no value: x: f64");
  EXPECT_EQ(said(errorOf(x)), "MissingInput: the graph needs an input that has no value: x: f64");
  // The first one from the left, whatever is computed first.
  EXPECT_EQ(said(errorOf(v + exp(x))),
            "MissingInput: the graph needs an input that has no value: v: f64[?]");
  EXPECT_EQ(said(errorOf(x, {x})), "ValueError: there are 1 input and 0 values");
  EXPECT_EQ(said(errorOf(x, {x}, {Tensor()})), "TypeError: input 0: expected f64, got nothing");
  EXPECT_EQ(said(errorOf(x, {x}, {Tensor({1.0})})), "TypeError: input 0: expected f64, got f64[1]");
  EXPECT_EQ(
      said(evaluate({sum(exp(v))}, {v}, {*Tensor::zeros(DType::Float64, {11})}, &budget).status()),
      "NotSupported: exp: needs more than 10 iterations\n  exp(f64[11])");
}

// As bodies of loops are run: each time with values, extents and a branch of its own.
TEST(Evaluator, RunsAGraphAgain) {
  auto x = dvector("x"), y = dvector("y");
  auto chooses = bscalar("chooses");
  Variable next = x + 1.0;
  GraphEval lazy({ifElse(chooses, sum(next * next), sum(exp(x))), next}, {x, chooses});
  std::vector<std::string> ran;
  NodeWatch watch;
  watch.before = [&](const Apply &node, absl::Span<const Tensor>) {
    ran.emplace_back(node.op().name());
    return absl::OkStatus();
  };
  Tensor yes = Tensor(1.0).cast(DType::Int8), no = Tensor(0.0).cast(DType::Int8);
  for (int again = 0; again < 2; ++again) {
    TensorsOr squares = lazy.run({Tensor({1.0, 2.0}), yes});
    ASSERT_TRUE(squares.ok()) << squares.status();
    EXPECT_EQ((*squares)[0].item<double>(), 13);
    EXPECT_TRUE((*squares)[1] == Tensor({2.0, 3.0}));
    EXPECT_EQ(said(lazy.run({Tensor({1}, DType::Int32), yes}).status()),
              "TypeError: input 0: expected f64[?], got i32[1]");
    ran.clear();
    TensorsOr exps = lazy.run({Tensor({0.0, 0.0, 0.0}), no}, nullptr, watch);
    ASSERT_TRUE(exps.ok()) << exps.status();
    EXPECT_EQ((*exps)[0].item<double>(), 3);
    EXPECT_EQ(ran, (std::vector<std::string>{"exp", "sum", "add"}));
  }
  GraphEval both({x * y, x + y}, {x, y});
  EXPECT_EQ(errorKind(both.run({Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})}).status()),
            ErrorKind::ShapeError);
  TensorsOr results = both.run({Tensor({2.0, 3.0}), Tensor({4.0, 5.0})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE((*results)[0] == Tensor({8.0, 15.0}) && (*results)[1] == Tensor({6.0, 8.0}));
  GraphEval open({x + y}, {x});
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(said(open.run({Tensor({1.0})}).status()),
              "MissingInput: the graph needs an input that has no value: y: f64[?]");
}

// F-023
TEST(RunTimeShapes, EmptyAxesFollowTheSameRule) {
  auto x = dvector("x"), y = dvector("y");
  EXPECT_EQ(
      errorKind(errorOf(x + y, {x, y}, {Tensor::zeros(DType::Float64, {0}).value(), Tensor({1})})),
      ErrorKind::ShapeError);
  Tensor empty = valueOf(constant(Tensor::zeros(DType::Float64, {0}).value()) + Tensor({1}));
  EXPECT_EQ(empty.shape(), (std::vector<int64_t>{0}));
}

// F-025
TEST(RunTimeShapes, ClaimedExtentsAreChecked) {
  auto x = dvector("x");
  Variable claimed = specifyShape(x, {3});
  EXPECT_EQ(errorKind(errorOf(claimed, {x}, {Tensor({1, 2})})), ErrorKind::ShapeError);
  EXPECT_TRUE(errorOf(claimed, {x}, {Tensor({1, 2, 3})}).ok());
}

// F-026
TEST(RunTimeShapes, InputsMayHaveAnyStrides) {
  auto x = dmatrix("x");
  Tensor wide = Tensor({{1, 2, 3}, {4, 5, 6}}).transpose({1, 0}).value();
  Tensor backward = wide.slice(0, 2, 3, -1).value();
  auto values = evaluate({x * 1.0, sum(x, Axis(0))}, {x}, {backward});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0], Tensor({{3, 6}, {2, 5}, {1, 4}}));
  EXPECT_EQ((*values)[1], Tensor({6, 15}));
}

// F-012: 4096 terms that a plain float32 sum would lose one by one.
TEST(Reductions, Float32SumsDoNotLoseSmallTerms) {
  Tensor x = Tensor::full(DType::Float32, {4097}, Tensor(0x1p-25)).value();
  x.mutableFlat<float>()[0] = 1;
  EXPECT_EQ(valueOf(sum(constant(x))).item<float>(), 1 + 0x1p-13f);
}

TEST(Indexing, ErrorsNameTheIndex) {
  auto x = dvector("x");
  auto i = lscalar("i");
  absl::Status error = errorOf(x[5], {x}, {Tensor({1, 2, 3})});
  EXPECT_EQ(errorKind(error), ErrorKind::IndexError);
  EXPECT_EQ(error.message(), "subtensor: index 5 is out of range for axis 0 with 3 elements\n"
                             "  subtensor{index = \"5\"}(f64[3])");
  error = errorOf(x[i], {x, i}, {Tensor({1, 2, 3}), Tensor(-4)});
  EXPECT_EQ(errorKind(error), ErrorKind::IndexError);
  EXPECT_EQ(error.message(), "subtensor: index -4 is out of range for axis 0 with 3 elements\n"
                             "  subtensor{index = \"$0\"}(f64[3], i64)");
  EXPECT_EQ(errorKind(errorOf(x[{Slice(kEnd, kEnd, i)}], {x, i}, {Tensor({1, 2}), Tensor(0)})),
            ErrorKind::ValueError);
}

TEST(Indexing, SymbolicSlicesAreAsStaticOnes) {
  auto x = dvector("x");
  auto a = lscalar("a"), b = lscalar("b"), s = lscalar("s");
  Variable v = x[{Slice(a, b, s)}];
  Tensor data({0, 1, 2, 3, 4});
  for (int64_t start = -7; start <= 7; ++start)
    for (int64_t stop = -7; stop <= 7; ++stop)
      for (int64_t step : {-3, -1, 1, 2, 7}) {
        auto dynamic =
            evaluate({v}, {x, a, b, s}, {data, Tensor(start), Tensor(stop), Tensor(step)});
        ASSERT_TRUE(dynamic.ok()) << dynamic.status();
        // Python's slice.indices, counted out.
        int64_t n = 5, lower = step < 0 ? -1 : 0, upper = step < 0 ? n - 1 : n;
        auto bound = [&](int64_t k) { return std::clamp(k < 0 ? k + n : k, lower, upper); };
        std::vector<double> wanted;
        for (int64_t k = bound(start); step < 0 ? k > bound(stop) : k < bound(stop); k += step)
          wanted.push_back(double(k));
        auto got = (*dynamic)[0].flat<double>();
        EXPECT_EQ(std::vector<double>(got.begin(), got.end()), wanted)
            << start << ":" << stop << ":" << step;
      }
}

TEST(Graphs, NeedAValueForEachInput) {
  auto x = dvector("x"), y = dvector("y");
  absl::Status error = errorOf(x + y, {x}, {Tensor({1})});
  EXPECT_EQ(errorKind(error), ErrorKind::MissingInput);
  EXPECT_EQ(errorKind(errorOf(x + 1, {x}, {Tensor({1}, DType::Float32)})), ErrorKind::TypeError);
}

TEST(Graphs, OutputsMayBeWhatIsGiven) {
  auto x = dvector("x");
  Variable shifted = x + 1, two = constant(2.0);
  // An input that is computed from another one has its own value.
  auto values =
      evaluate({two, x, x, shifted, shifted * two}, {x, shifted}, {Tensor({1}), Tensor({7})});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(*values, (std::vector<Tensor>{Tensor(2.0), Tensor({1}), Tensor({1}), Tensor({7}),
                                          Tensor({14})}));
  EXPECT_EQ(said(errorOf(Variable::invalid(makeError(ErrorKind::ValueError, "no such thing")))),
            "ValueError: no such thing");
}

// F-061: evaluating walks a graph without recursion.
TEST(Graphs, LongChainsNeedNoStack) {
  auto x = dscalar("x");
  Variable v = x;
  for (int k = 0; k < 20'000; ++k)
    v = k % 2 ? v * x : v + x;
  auto values = evaluate({v}, {x}, {Tensor(1.0)});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].item<double>(), 10'001);
}

} // namespace
} // namespace graphc
