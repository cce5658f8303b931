//===- ErrorDetailsTest.cpp - what a node that failed was given: F-218 -----===//
#include <gtest/gtest.h>

#include "Calls.h"
#include "Places.h"
#include "graphc/ControlFlow.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

std::string detailsOf(const absl::Status &status) { return withoutLines(errorDetails(status)); }

// F-218
TEST(ErrorDetails, TellWhatTheNodeWasGiven) {
  Variable x = dmatrix("x"), i = lvector("i");
  Variable j = i + 1;
  Variable y = take(x.T(), j, {.axis = 0}) * 2.0;
  for (const char *mode : {"fast_run", "interpreter", "strict", "fast_compile", "nanguard"}) {
    Function f = made(function({x, i}, y, {.mode = mode}));
    absl::Status status =
        f(Tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), Tensor({0, 6}, DType::Int64)).status();
    EXPECT_EQ(errorKind(status), ErrorKind::IndexError) << mode;
    EXPECT_EQ(withoutLines(errorDetails(status)),
              "node 2 of 4: take, at ErrorDetailsTest.cpp\n"
              "  dimshuffle.0: f64[3,2], strides (2, 1), [[1, 4], [2, 5], [3, 6]]; made by "
              "transpose, at ErrorDetailsTest.cpp\n"
              "  add.0: i64[2], strides (1), [1, 7]; made by add, at ErrorDetailsTest.cpp")
        << mode;
  }
}

// Strides are the caller's; many elements are not told; no node, no details.
TEST(ErrorDetails, OfInputs) {
  Variable x = dvector("x"), y = dvector("y");
  Function f = made(function({x, y}, x + y, {.name = "f"}));
  Tensor wide = *Tensor::zeros(DType::Float64, {40});
  absl::Status status = f(*wide.slice(0, 0, 20, 2), Tensor({1.0, 2.0})).status();
  EXPECT_EQ(detailsOf(status), "node 0 of 1: add, at ErrorDetailsTest.cpp\n"
                               "  x: f64[20], strides (2); an input, at ErrorDetailsTest.cpp\n"
                               "  y: f64[2], strides (1), [1, 2]; an input, at "
                               "ErrorDetailsTest.cpp");
  EXPECT_EQ(errorDetails(f(wide).status()), "") << "an argument is missing";
  EXPECT_EQ(errorDetails(absl::OkStatus()), "");
  EXPECT_EQ(errorDetails(f(wide, wide).status()), "");
}

TEST(ErrorDetails, OfTypedCallsSharedVariablesAndSubsets) {
  Variable x = dvector("x");
  SharedVariable w = shared(Tensor({1.0, 2.0}), "w");
  Function f = made(function({x}, {x + w, x * w}, {.updates = {{w, w + 1.0}}}));
  Tensor three({1.0, 2.0, 3.0});
  std::string whole = detailsOf(f(three).status());
  EXPECT_NE(whole.find("\n  w: f64[2], strides (1), [1, 2]; an input"), whole.npos) << whole;
  std::string part = detailsOf(f.call({three}, {}, {.outputSubset = OutputSubset({1})}).status());
  EXPECT_NE(part.find(": mul, at "), part.npos) << part;
  Variable y = dvector("y");
  Function g = made(function({x, y}, x + y));
  auto typed =
      g.bind<absl::Status(View<const double, 1>, View<const double, 1>, View<double, 1>)>();
  ASSERT_TRUE(typed.ok()) << typed.status();
  double in[] = {1, 2, 3}, out[3];
  absl::Status status = (*typed)(View<const double, 1>(in, {3}), View<const double, 1>(in, {2}),
                                 View<double, 1>(out, {3}));
  EXPECT_NE(detailsOf(status).find("y: f64[2]"), std::string::npos) << status;
}

TEST(ErrorDetails, OfConstantsAndCalledGraphs) {
  Variable x = dvector("x");
  OpFromGraph inner({x}, {x + constant(Tensor({1.0, 2.0}))});
  Function f = made(function({x}, inner(exp(x))));
  std::string details = detailsOf(f(Tensor({0.0})).status());
  EXPECT_NE(details.find("f64[2], strides (1), [1, 2]; a constant"), details.npos) << details;
  EXPECT_NE(details.find("made by exp"), details.npos) << details;
}

// What might have effects, or would take long, is not done once more.
TEST(ErrorDetails, AreNotSoughtAtAnyPrice) {
  int calls = 0;
  OpDef def;
  def.name = "counted";
  def.doc = "Counts its calls.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [&](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(
        [&](absl::Span<const Tensor>, absl::Span<Tensor>) {
          ++calls;
          return makeError(ErrorKind::RuntimeError, "no");
        },
        in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Variable x = dvector("x"), y = dvector("y"), i = lvector("i");
  Function f = made(function({x}, (*defineOp(def))(x)));
  EXPECT_EQ(errorDetails(f(Tensor({1.0})).status()), "");
  EXPECT_EQ(calls, 1);
  Function g = made(function({x, y}, exp(x) + y));
  Tensor large = *Tensor::zeros(DType::Float64, {200000});
  absl::Status status = g(large, Tensor({1.0, 2.0})).status();
  EXPECT_EQ(errorKind(status), ErrorKind::ShapeError);
  EXPECT_EQ(errorDetails(status), "");
  // Nor is what prints: a line twice.
  for (const char *mode : {"fast_run", "interpreter"}) {
    Function loud = made(function({x, y, i}, print(x, "x is ") + take(y, i), {.mode = mode}));
    testing::internal::CaptureStdout();
    absl::Status printed =
        loud(Tensor({1.0}), Tensor({1.0, 2.0}), Tensor({7}, DType::Int64)).status();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is [1.]\n") << mode;
    EXPECT_EQ(errorKind(printed), ErrorKind::IndexError) << mode;
    EXPECT_EQ(errorDetails(printed), "") << mode;
  }
  // Ops may have overwritten the arguments.
  Function h = made(function({x, y}, x + y, {.acceptInplace = true}));
  EXPECT_EQ(errorDetails(h(Tensor({1.0}), Tensor({1.0, 2.0})).status()), "");
}

//===--- which check is told ------------------------------------------------------===//

// Of two nodes that fail the first in the graph's order is told; so with several threads.
TEST(ErrorDetails, TheFirstOfTwoNodesIsTold) {
  Variable x = dvector("x"), y = dvector("y"), i = lvector("i"), j = lvector("j");
  Variable first = take(x, i), second = take(y, j);
  first.setName("first");
  second.setName("second");
  Tensor three({1.0, 2.0, 3.0});
  for (int threads : {1, 2})
    for (const Variable &sum : {first + second, second + first}) {
      Function f = made(function({x, y, i, j}, sum, {.threads = threads}));
      int64_t n = 100000;
      Tensor at = *Tensor::zeros(DType::Int64, {n}), late = *Tensor::zeros(DType::Int64, {n});
      at.mutableFlat<int64_t>()[size_t(n - 1)] = 7;
      late.mutableFlat<int64_t>()[0] = 9;
      bool isSwapped = sum.owner().input(0) == second;
      std::string text = said(f(three, three, at, late).status());
      EXPECT_EQ(text.substr(0, text.find(" is out")),
                isSwapped ? "IndexError: take: index 9" : "IndexError: take: index 7");
    }
}

// The two axes of an index are looked at by one kernel: of checks that fail, in whichever element,
// the first axis's is told.
TEST(ErrorDetails, TheFirstOfTwoChecksOfAKernelIsTold) {
  Variable x = dmatrix("x"), i = lvector("i"), j = lvector("j");
  Function f = made(function({x, i, j}, x[{i, j}]));
  Tensor square = *Tensor::zeros(DType::Float64, {3, 3});
  for (size_t bad : {0, 999}) {
    Tensor rows = *Tensor::zeros(DType::Int64, {1000}), columns = rows.copy();
    rows.mutableFlat<int64_t>()[bad] = 7;
    columns.mutableFlat<int64_t>()[999 - bad] = 9;
    std::string text = said(f(square, rows, columns).status());
    EXPECT_NE(text.find("index 7 is out of range for axis 0 with 3 elements"), text.npos) << text;
  }
}

} // namespace
} // namespace graphc
