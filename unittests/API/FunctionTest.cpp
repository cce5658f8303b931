//===- FunctionTest.cpp - compiling and calling through the public API ----===//
#include "graphc/Function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Messages.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

std::vector<std::string> modes() { return {"fast_run", "fast_compile", "interpreter"}; }

std::string messageOf(const absl::Status &status) {
  return std::string(status.message().data(), status.message().size());
}

// A01, A02 of the specification's cases: the seed example in four statements.
TEST(Function, SeedExample) {
  for (const std::string &mode : modes()) {
    auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
    Variable e = x + y * z;
    auto f = function({x, y, z}, {e}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ((*f)(2.0, 3.0, 4.0)->item<double>(), 14) << mode;
  }
}

TEST(Function, ArraysOfAnyExtent) {
  for (const std::string &mode : modes()) {
    auto x = fmatrix("x"), w = fmatrix("w");
    auto f = function({x, w}, {dot(x, w), sum(x)}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({{1, 2}, {3, 4}}, DType::Float32), Tensor({{5}, {6}}, DType::Float32));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({{17}, {39}}, DType::Float32)) << mode;
    EXPECT_EQ((*r)[1].item<float>(), 10) << mode;
    r = (*f)(*Tensor::zeros(DType::Float32, {0, 3}), *Tensor::zeros(DType::Float32, {3, 2}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0].shape(), (absl::Span<const int64_t>{0, 2})) << mode;
    EXPECT_EQ((*r)[1].item<float>(), 0) << mode;
  }
}

TEST(Function, NamedOutputsAndArguments) {
  auto x = dscalar("x"), y = dscalar("y");
  auto f = function({x, y}, {{"difference", x - y}, {"product", x * y}});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = f->call({5.0}, {{"y", 3.0}});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)["difference"].item<double>(), 2);
  EXPECT_EQ((*r)["product"].item<double>(), 15);
  EXPECT_EQ(r->at("product")->item<double>(), 15);
  EXPECT_EQ(said(r->at("quotient").status()),
            "KeyError: Results: no output is called 'quotient'; they are 'difference', 'product'");
  auto unnamed = *function({x}, {x + 1});
  EXPECT_EQ(said(unnamed(1)->at("q").status()),
            "KeyError: Results: no output is called 'q'; none has a name");
  // A mistake that an expression cannot tell is a warning, and an undefined Tensor.
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  EXPECT_FALSE((*r)["quotient"].defined());
  EXPECT_FALSE((*r)[2].defined());
  EXPECT_EQ(r->item<double>(), 0);
  setLogSink({});
  EXPECT_THAT(warnings, testing::ElementsAre("Results: no output is called 'quotient'; they are "
                                             "'difference', 'product'",
                                             "Results: there is no output 2 of 2",
                                             "Results: item() is for one output, but there are 2",
                                             "Tensor::item of an undefined Tensor"));
}

// F-042, F-045, B04, B06: what stands in the error of a bad call.
TEST(Function, BadArguments) {
  auto x = fvector("x"), n = Variable(TensorType(DType::Int32, {}));
  auto f = function({x, n}, {x * 2, n + 1}, {.name = "F"});
  ASSERT_TRUE(f.ok()) << f.status();
  auto problem = [&](const absl::StatusOr<Results> &r) {
    EXPECT_EQ(errorKind(r.status()), ErrorKind::TypeError);
    return messageOf(r.status());
  };
  EXPECT_EQ(problem((*f)(Tensor({0.5}), 1)),
            "F: argument 0 ('x') wants f32[?] but got f64[1]: a cast to float32 could lose "
            "values; cast the value");
  EXPECT_EQ(problem((*f)(Tensor({{1}}, DType::Float32), 1)),
            "F: argument 0 ('x') wants f32[?] but got f32[1,1]");
  EXPECT_EQ(problem((*f)(Tensor({1}, DType::Float32), 1.5)),
            "F: argument 1 wants i32 but got f64: a cast to int32 could lose values; cast the "
            "value");
  EXPECT_EQ(problem((*f)(Tensor({1}, DType::Float32))), "F: argument 1 is missing");
  EXPECT_EQ(problem((*f)(1, 2, 3)), "F: takes 2 arguments but got 3; its inputs are 'x' and 1 "
                                    "without a name");
  EXPECT_EQ(problem(f->call({}, {{"zz", 1.0}})),
            "F: no input is called 'zz'; its inputs are 'x' and 1 without a name");
  EXPECT_EQ(problem(f->call({Tensor({1}, DType::Float32)}, {{"x", 1.0}})),
            "F: argument 0 ('x') is given twice");
  EXPECT_TRUE((*f)(Tensor({1}, DType::Float32), 1.0).ok()) << "F-042: exactly integral";
}

// F-017: a value's rank is looked at first, then its dtype, then every extent that the type knows.
TEST(Function, ValuesAreCheckedByRankDtypeAndExtents) {
  auto r = frow("r");
  auto f = function({r}, {r + 1});
  ASSERT_TRUE(f.ok()) << f.status();
  auto problem = [&](const Tensor &value) { return messageOf((*f)(value).status()); };
  // Each is wrong in what follows, too.
  EXPECT_EQ(problem(Tensor({1, 2})), "function: argument 0 ('r') wants f32[1,?] but got f64[2]");
  EXPECT_EQ(problem(Tensor({{1}, {2}})),
            "function: argument 0 ('r') wants f32[1,?] but got f64[2,1]: a cast to float32 could "
            "lose values; cast the value");
  EXPECT_EQ(problem(Tensor({{1}, {2}}, DType::Float32)),
            "function: argument 0 ('r') wants f32[1,?] but got f32[2,1]: its type says that axis 0 "
            "has extent 1");
  EXPECT_EQ((*(*f)(Tensor({{1, 2}}, DType::Int8)))[0], Tensor({{2, 3}}, DType::Float32));
}

// F-041: a number that an input's dtype holds exactly is taken; a float is narrowed to floatX only.
TEST(Function, HostNumbersAreTakenWhereExact) {
  auto takes = [](DType dtype, const Tensor &value) {
    auto x = tensor(dtype, {});
    return (*function({x}, {x}))(value).ok();
  };
  EXPECT_TRUE(takes(DType::Int8, 127));
  EXPECT_FALSE(takes(DType::Int8, 128));
  EXPECT_TRUE(takes(DType::Float32, 1 << 24));
  EXPECT_FALSE(takes(DType::Float32, (1 << 24) + 1));
  EXPECT_TRUE(takes(DType::UInt64, uint64_t(1) << 63));
  EXPECT_FALSE(takes(DType::UInt8, -1));
  EXPECT_TRUE(takes(DType::Int64, -0x1p63));
  EXPECT_FALSE(takes(DType::Int64, 0x1p63));
  EXPECT_TRUE(takes(DType::UInt64, 0x1p63));
  EXPECT_FALSE(takes(DType::UInt64, 0x1p64));
  EXPECT_FALSE(takes(DType::Float32, INT64_MAX));
  EXPECT_FALSE(takes(DType::BFloat16, UINT64_MAX));
  EXPECT_TRUE(takes(DType::BFloat16, uint64_t(1) << 63));
  EXPECT_TRUE(takes(DType::Float64, 0.1));
  EXPECT_FALSE(takes(DType::Float32, 0.1)) << "floatX is float64";
}

// F-020: a run-time shape error names op, place and shapes, in every mode.
TEST(Function, ShapeErrors) {
  for (const std::string &mode : modes()) {
    auto a = dvector("a"), b = dvector("b");
    auto f = function({a, b}, {a + b}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({1, 2, 3}), Tensor({1, 2})).status();
    EXPECT_EQ(errorKind(status), ErrorKind::ShapeError) << mode;
    EXPECT_NE(messageOf(status).find("3 and 2"), std::string::npos) << mode << status;
    ASSERT_TRUE(errorPlace(status)) << mode;
    EXPECT_NE(std::string(errorPlace(status)->file).find("FunctionTest.cpp"), std::string::npos);
  }
}

// F-167, and what else a function refuses.
TEST(Function, RefusedGraphs) {
  auto x = dscalar("x"), y = dscalar("y");
  auto kind = [](const absl::StatusOr<Function> &f) { return errorKind(f.status()); };
  EXPECT_EQ(kind(function({x}, {x + y})), ErrorKind::MissingInput);
  EXPECT_NE(messageOf(function({x}, {x + y}).status()).find("'y' is no input"), std::string::npos);
  EXPECT_EQ(kind(function({x, y}, {x + 1})), ErrorKind::UnusedInput);
  EXPECT_TRUE(function({x, y}, {x + 1}, {.onUnusedInput = OnUnusedInput::Ignore}).ok());
  EXPECT_EQ(kind(function({x, x}, {x})), ErrorKind::UnusedInput);
  EXPECT_EQ(kind(function({x, constant(1.0)}, {x})), ErrorKind::TypeError);
  EXPECT_EQ(kind(function({x}, {x}, {.mode = "fastest"})), ErrorKind::ValueError);
  EXPECT_EQ(kind(function({x}, {x}, {.target = "z80"})), ErrorKind::ValueError);
  EXPECT_EQ(messageOf(function({x}, {x}, {.threads = -5}).status()),
            "function: threads must not be negative, but is -5");
}

// Whatever runs the function, and before anything is compiled.
TEST(Function, OptionsAreCheckedInEachMode) {
  auto x = dscalar("x");
  for (const char *mode : {"fast_run", "interpreter", "debug", "nanguard"}) {
    EXPECT_EQ(messageOf(function({x}, {x + 1}, {.mode = mode, .threads = -5}).status()),
              "function: threads must not be negative, but is -5");
    std::string of = messageOf(function({x}, {x + 1}, {.mode = mode, .target = "z80"}).status());
    EXPECT_EQ(of.substr(0, of.find(';')), "unknown target 'z80'") << mode;
  }
  std::vector<std::string> stages;
  FunctionOptions watched{.threads = -5, .observer = [&](const StageReport &report) {
                            stages.emplace_back(report.stage);
                          }};
  EXPECT_FALSE(function({x}, {x + 1}, watched).ok());
  EXPECT_TRUE(stages.empty());
}

// A result's extents may be known to the program alone.
TEST(Function, NumbersWhoseResultsHaveOpenExtents) {
  auto x = dscalar("x");
  Variable count = cast(floor(constant(Tensor({3.7}))), DType::Int64);
  Variable y = broadcastTo(x, ShapeList(count));
  ASSERT_EQ(y.type(), Type(DType::Float64, {kDynamic}));
  Function f = *function({x}, y);
  absl::StatusOr<Results> r = f(1.5);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0], Tensor({1.5, 1.5, 1.5}));
}

// A mistake while building travels through other ops to `function`, with its own place.
TEST(Function, MistakesTravel) {
  auto x = dscalar("x");
  Variable bad = dot(tensor(DType::Float64, {2, 3}), tensor(DType::Float64, {4, 5}));
  int line = __LINE__ - 1;
  ASSERT_FALSE(bad.ok());
  Variable worse = exp(bad).T().sum() + x;
  for (const Variable &output : {bad, worse}) {
    absl::Status status = function({x}, {x, output}).status();
    EXPECT_EQ(errorKind(status), ErrorKind::ShapeError);
    EXPECT_EQ(messageOf(status), messageOf(bad.status()));
    ASSERT_TRUE(errorPlace(status));
    EXPECT_EQ(errorPlace(status)->line, line);
  }
  absl::Status asInput = function({worse}, {x}).status();
  EXPECT_EQ(messageOf(asInput), messageOf(bad.status()));
}

// Names are given once. A Variable's own name gives way.
TEST(Function, OutputNames) {
  auto x = dscalar("x"), y = dscalar("y");
  absl::Status status = function({x}, {{"a", x}, {"b", -x}, {"a", x + 1}}).status();
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(messageOf(status), "function: outputs 0 and 2 are both named 'a'");
  auto f = function({x, y}, {x, Out("x", y), x, y});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->outputNames(), (std::vector<std::string>{"", "x", "", "y"}));
  EXPECT_EQ((*(*f)(1, 2))["x"].item<double>(), 2);
}

// Each entry of x[...] knows its place, whatever its kind.
TEST(Function, PlacesOfIndices) {
  auto v = dvector("v");
  auto n = lscalar("n");
  Variables wrong;
  const int first = __LINE__ + 1;
  wrong.push_back(v[{Slice(0, kEnd, n)}]);
  wrong.push_back(v[Slice(0, kEnd, n)]);
  wrong.push_back(v[{newaxis, 9}]);
  wrong.push_back(v[{ellipsis, 9}]);
  wrong.push_back(v[{9, ellipsis}]);
  for (int k = 0; k < 5; ++k) {
    auto f = function({v, n}, {wrong[k]}, {.onUnusedInput = OnUnusedInput::Ignore});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::Status status = (*f)(Tensor({1.0, 2.0}), 0).status();
    ASSERT_TRUE(errorPlace(status)) << k << status;
    EXPECT_EQ(errorPlace(status)->line, first + k);
  }
  Variable two = v[{ellipsis, ellipsis}];
  ASSERT_TRUE(errorPlace(two.status()));
  EXPECT_EQ(errorPlace(two.status())->line, __LINE__ - 2);
}

// F-165.
TEST(Function, UnusedInputsAreWarnedAbout) {
  auto x = dscalar("x"), y = dscalar("y");
  std::vector<std::string> seen;
  setLogSink([&](std::string_view message) { seen.emplace_back(message); });
  auto f = function({x, y}, {x + 1}, {.onUnusedInput = OnUnusedInput::Warn});
  setLogSink({});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_NE(seen[0].find("function: input 1 ('y') is not used by any output; remove it or set "
                         "onUnusedInput"),
            std::string::npos)
      << seen[0];
  EXPECT_EQ((*f)(1.0, 2.0)->item<double>(), 2);
}

// F-154: an intermediate variable as input cuts the graph.
TEST(Function, IntermediateInput) {
  auto x = dscalar("x");
  Variable q = x * 2;
  auto f = function({q}, {q + 1});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ((*f)(10.0)->item<double>(), 11);
}

// F-171, F-172: results share no memory with arguments, constants or one another.
TEST(Function, ResultsAreFresh) {
  for (const std::string &mode : modes()) {
    auto v = dvector("v");
    Variable c = constant(Tensor({7, 8}));
    auto f = function({v}, {v, v, c}, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    Tensor argument({1, 2});
    auto r = (*f)(argument);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_FALSE((*r)[0].overlaps((*r)[1])) << mode;
    EXPECT_FALSE((*r)[0].overlaps(argument)) << mode;
    Tensor third = (*r)[2];
    third.mutableFlat<double>()[0] = 99;
    EXPECT_EQ((*(*f)(argument))[2], Tensor({7, 8})) << mode;
  }
}

TEST(Bind, Numbers) {
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  auto f = function({x, y, z}, {x + y * z});
  ASSERT_TRUE(f.ok()) << f.status();
  auto g = f->bind<double(double, double, double)>();
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ((*g)(2, 3, 4), 14);
  EXPECT_EQ(messageOf(f->bind<double(double, double)>().status()),
            "bind: the signature has 2 inputs, the function 3\n"
            "  the signature: (f64, f64) -> f64\n"
            "  the function: (x: f64, y: f64, z: f64) -> f64");
  EXPECT_EQ(messageOf(f->bind<float(double, double, double)>().status()),
            "bind: output 0 is f64, the signature has f32\n"
            "  the signature: (f64, f64, f64) -> f32\n"
            "  the function: (x: f64, y: f64, z: f64) -> f64");
}

TEST(Bind, ViewsOfTheCallersMemory) {
  auto m = fmatrix("m");
  auto f = function({m}, {m.sum(1)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto g = f->bind<absl::Status(View<const float, 2>, View<float, 1>)>();
  ASSERT_TRUE(g.ok()) << g.status();
  float in[] = {1, 2, 3, 4, 5, 6}, out[2] = {};
  ASSERT_TRUE((*g)({in, {2, 3}}, {out, {2}}).ok());
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[1], 15);
  EXPECT_EQ(errorKind((*g)({in, {2, 3}}, {out, {1}})), ErrorKind::ShapeError);
  auto unsafe = f->bind<void(View<const float, 2>, View<float, 1>)>();
  EXPECT_EQ(errorKind(unsafe.status()), ErrorKind::TypeError) << "shapes can be wrong at run time";
}

TEST(Function, EqualKernelsAreOne) {
  auto x = dmatrix("x"), y = dmatrix("y");
  auto f = function({x, y}, {softmax(x), softmax(y), softmax(x.T())});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_LE(f->counters().kernels, 2) << "one, and perhaps one that reads transposed";
  ASSERT_TRUE((*f)(Tensor({{1, 2, 3}}), Tensor({{1}})).ok());
  ASSERT_TRUE((*f)(Tensor({{4, 5, 6}}), Tensor({{1}})).ok());
  EXPECT_EQ(f->counters().calls, 2);
  EXPECT_EQ(f->counters().plans, 1) << "sizes are solved once for each set of shapes";
}

} // namespace
} // namespace graphc
