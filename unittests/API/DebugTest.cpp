//===- DebugTest.cpp - mode debug and reports of stages -------------------===//
#include <gtest/gtest.h>

#include <random>

#include "API/DebugRunner.h"
#include "Places.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

std::string messageOf(const absl::Status &status) {
  return std::string(status.message().data(), status.message().size());
}

TEST(Debug, AgreesOnWhatIsRight) {
  Variable x = tensor(DType::Float32, {kDynamic, 4}), w = tensor(DType::Float32, {kDynamic, 3});
  Variable h = softmax(dot(x, w), Axes{1});
  auto f = function({x, w}, {{"mean", mean(exp(h))}, {"best", argmax(h, Axis(1))}, {"same", x}},
                    {.mode = "debug"});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a({{1, 2, 3, 4}, {4, -3, 2, 1}}, DType::Float32);
  Tensor c({{1, 0, 2}, {0, 1, -1}}, DType::Float32);
  Tensor b({{1, 0, 2}, {0, 1, -1}, {3, 1, 0}, {0, 0, 1}}, DType::Float32);
  auto results = (*f)(a, b);
  ASSERT_TRUE(results.ok()) << results.status();
  // NumPy: argmax of [[10, 5, 3], [10, -1, 12]] and the input itself.
  EXPECT_EQ((*results)["best"], Tensor({0, 2}, DType::Int64));
  EXPECT_EQ((*results)["same"], a);
  // A failing check is the graph's error, not a difference.
  EXPECT_EQ(errorKind((*f)(a, c).status()), ErrorKind::ShapeError);
}

// Code does not check the indices of a user's op; the evaluator does, before code runs.
TEST(Debug, IndicesAreCheckedFirst) {
  OpDef def;
  def.name = "far";
  def.doc = "Loads far outside its operand.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{
        e.define({e.dim(in[0], 0)}, [&](Indices i) { return e.load(in[0], {i[0] + 0x1p40}); })};
  };
  Variable x = dvector("x");
  absl::StatusOr<Op> op = defineOp(def);
  ASSERT_TRUE(op.ok()) << op.status();
  auto f = function({x}, (*op)(x), {.mode = "debug"});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({1.0, 2.0})).status()),
            "Internal DebugTest.cpp: far: emission: a load outside its array\n  far(f64[2])");
}

// Numbers as code that is wrong would give: one element off by more than exp's bound.
TEST(Debug, NamesTheFirstResultThatDiffers) {
  Variable x = tensor(DType::Float32, {3});
  Variable y = exp(x);
  y.setName("y");
  Tensor zeros({0, 0, 0}, DType::Float32), ones({1, 1, 1}, DType::Float32);
  std::vector<Tensor> operands = {zeros};
  EXPECT_TRUE(checkResult(y.owner(), 0, operands, ones, ones).ok());
  Tensor near({1.0, 1.0 + 0x1p-23, 1.0}, DType::Float32);
  EXPECT_TRUE(checkResult(y.owner(), 0, operands, near, ones).ok()) << "exp is right to 1 ULP";
  absl::Status status =
      checkResult(y.owner(), 0, operands, Tensor({1.0, 1.5, 2.0}, DType::Float32), ones);
  EXPECT_EQ(errorKind(status), ErrorKind::DebugMismatch);
  EXPECT_EQ(messageOf(status), "exp: `y` as compiled differs from the interpreter's: "
                               "element 1 is 1.5 instead of 1.0");
  EXPECT_EQ(errorPlace(status)->str(), y.place().str());
  EXPECT_EQ(messageOf(checkResult(y.owner(), 0, operands, zeros.cast(DType::Float64), ones)),
            "exp: `y` as compiled differs from the interpreter's: "
            "f64[3] instead of f32[3]");
}

// A sum of n terms may be off by n roundings of what the terms' absolute values add up to.
TEST(Debug, SumsHaveTheErrorOfTheirTerms) {
  Variable x = tensor(DType::Float32, {4}), w = tensor(DType::Float32, {4});
  Variable y = dot(x, w);
  std::vector<Tensor> operands = {Tensor({1e6, 1.0, -1e6, 1.0}, DType::Float32),
                                  Tensor({1.0, 1.0, 1.0, 1.0}, DType::Float32)};
  Tensor exact = Tensor(2.0).cast(DType::Float32);
  // 5 roundings of 2e6 are 1.2.
  EXPECT_TRUE(checkResult(y.owner(), 0, operands, Tensor(1.0).cast(DType::Float32), exact).ok());
  EXPECT_FALSE(checkResult(y.owner(), 0, operands, Tensor(4.0).cast(DType::Float32), exact).ok());
}

/// A loop's body may be larger for smaller operands: 1 - tanh(x)^2.
TEST(Debug, LoopsHaveTheErrorOfTheirSteps) {
  Variable h = dvector("h"), w = dmatrix("w");
  ScanResult s = scan([](const Variables &in) { return tanh(dot(in[1], in[0])); },
                      {.outputs = {h}, .nonSequences = {w}, .numSteps = 3});
  Variables g = grad(sum(s.last[0]), {h, w});
  auto f = function({h, w}, {g[0], g[1]}, {.mode = "debug"});
  ASSERT_TRUE(f.ok()) << f.status();
  std::mt19937 bits(7);
  auto numbers = [&](const std::vector<int64_t> &shape) {
    Tensor t = *Tensor::allocate(DType::Float64, shape);
    for (double &x : t.mutableFlat<double>())
      x = 1.6 * double(bits()) / 0x1p32 - 0.8;
    return t;
  };
  for (int k = 0; k < 12; ++k) {
    absl::StatusOr<Results> results = (*f)(numbers({3}), numbers({3, 3}));
    EXPECT_TRUE(results.ok()) << results.status();
  }
}

TEST(Debug, IntegersAreEqual) {
  Variable x = tensor(DType::Int64, {1});
  Variable y = x + x;
  std::vector<Tensor> operands = {Tensor({1}, DType::Int64), Tensor({1}, DType::Int64)};
  absl::Status status =
      checkResult(y.owner(), 0, operands, Tensor({3}, DType::Int64), Tensor({2}, DType::Int64));
  EXPECT_EQ(messageOf(status), "add: result 0 as compiled differs from the interpreter's: "
                               "element 0 is 3 instead of 2");
}

TEST(Stages, AreReportedInOrder) {
  std::vector<std::string> seen;
  auto observer = [&](const StageReport &report) {
    seen.push_back(std::string(report.stage) + (report.isDone ? " done" : ""));
    EXPECT_EQ(report.size.empty(), !report.isDone);
  };
  Variable x = dscalar("x");
  ASSERT_TRUE(function({x}, {x * 2.0}, {.cache = false, .observer = observer}).ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"rewritten", "rewritten done", "kernels",
                                            "kernels done", "code", "code done"}));
}

} // namespace
} // namespace graphc
