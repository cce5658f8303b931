//===- ModesTest.cpp - Mode objects, nanguard, what debug finds -----------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "API/DebugRunner.h"
#include "Places.h"
#include "absl/strings/match.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// F-196: what a Mode includes and excludes runs, or does not. log(1 + exp(x)) overflows at 1000
// unless softplus comes in its place.
TEST(Modes, IncludeAndExcludeRewrites) {
  Variable x = dscalar("x");
  Variable y = log(1 + exp(x));
  auto at1000 = [&](Mode mode) {
    absl::StatusOr<Function> f = function({x}, y, {.mode = std::move(mode)});
    EXPECT_TRUE(f.ok()) << f.status();
    return f.ok() ? (*f)(1000.0)->item<double>() : 0;
  };
  EXPECT_EQ(at1000("fast_run"), 1000);
  EXPECT_EQ(at1000(Mode("fast_run").excluding({"stabilize"})), kInf);
  EXPECT_EQ(at1000(Mode("fast_run").requiring({"canonicalize"})), kInf);
  EXPECT_EQ(at1000(Mode("fast_run").excluding({"fast_run"})), kInf);
  EXPECT_EQ(at1000(Mode("fast_run").excluding({"fast_run"}).including({"stabilize"})), kInf)
      << "excluded wins";
  Mode base("fast_run");
  EXPECT_TRUE(base.excluding({"merge"}).excluded().size() == 1 && base.excluded().empty())
      << "a Mode is a value";
  expectMessages({
      {function({x}, y, {.mode = base.including({"stabilise"})}).status(),
       "KeyError: function: mode: no rewrite and no tag is called 'stabilise'; did you mean "
       "'stabilize'?"},
      {function({x}, y, {.mode = "FAST"}).status(),
       "ValueError: function: no mode is called 'FAST'; modes are fast_run, strict, fast_math, "
       "fast_compile, debug, nanguard, monitor, interpreter"},
      {function({x}, y, {.mode = "monitor"}).status(),
       "ValueError: function: mode 'monitor' has no callbacks: Mode::monitor takes them"},
  });
}

// F-196: without fusion every node has a kernel of its own, in called graphs, too; results are the
// same.
TEST(Modes, ExcludeFusion) {
  Variable x = dvector("x"), y = dvector("y");
  OpFromGraph inner({x, y}, {exp(x) * y + 1.0});
  auto kernelsAndResult = [&](const Variable &output, Mode mode) {
    std::string kernels;
    FunctionOptions options{.mode = std::move(mode), .cache = false};
    options.observer = [&](const StageReport &report) {
      if (report.stage == "kernels" && report.isDone)
        kernels = report.size;
    };
    absl::StatusOr<Function> f = function({x, y}, output, options);
    EXPECT_TRUE(f.ok()) << f.status();
    if (f.ok())
      EXPECT_EQ((*(*f)(Tensor({0, 0}), Tensor({2, 3})))[0], Tensor({6, 8}));
    return kernels;
  };
  Mode unfused = Mode("fast_run").excluding({"fusion"});
  Variable flat = (exp(x) * y + 1.0) * 2.0;
  EXPECT_EQ(kernelsAndResult(flat, "fast_run"), "1 kernel in 1 step");
  EXPECT_EQ(kernelsAndResult(flat, unfused), "4 kernels in 4 steps");
  EXPECT_EQ(kernelsAndResult(inner(x, y) * 2.0, "fast_run"), "2 kernels in 2 steps");
  EXPECT_EQ(kernelsAndResult(inner(x, y) * 2.0, unfused), "4 kernels in 4 steps");
  expectMessages({
      {function({x, y}, flat, {.mode = Mode("fast_run").including({"fusion"})}).status(),
       "KeyError: function: mode: no rewrite and no tag is called 'fusion'"},
  });
}

// F-347: the first node, at its place, with what it was given.
TEST(NanGuard, NamesTheFirstNode) {
  Variable x = dvector("x"), y = dvector("y");
  Variable root = sqrt(x);
  root.setName("root");
  absl::StatusOr<Function> f = function({x, y}, {sum(root) * 2 + exp(y)}, {.mode = "nanguard"});
  ASSERT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> well = (*f)(Tensor({1, 4}), Tensor({0, 0}));
  ASSERT_TRUE(well.ok()) << well.status();
  EXPECT_EQ((*well)[0], Tensor({7, 7}));
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({1, -4, -9}), Tensor({0, 0, 0})).status()),
            "NanGuard ModesTest.cpp: sqrt: `root`: element 1 of f64[3] is nan, and 1 more are no "
            "better; its operands are f64[3]");
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({1}), Tensor({1000})).status()),
            "NanGuard ModesTest.cpp: exp: result 0: element 0 of f64[1] is inf; its operands are "
            "f64[1] [1000]");
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({1}), Tensor({50})).status()),
            "NanGuard ModesTest.cpp: exp: result 0: element 0 of f64[1] is "
            "5.184705528587072e+21, beyond 10000000000.0; its operands are f64[1] [50]");
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({kInf}), Tensor({50})).status()),
            "NanGuard ModesTest.cpp: input 0 ('x'): element 0 of f64[1] is inf");
}

// What rewriting keeps from overflowing is no error.
TEST(NanGuard, LooksAtRewrittenGraphs) {
  Variable x = dscalar("x");
  absl::StatusOr<Function> f = function({x}, log(1 + exp(x)), {.mode = "nanguard"});
  ASSERT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> r = (*f)(1000.0);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->item<double>(), 1000);
}

// Rules compute functions of all elements that some are taken of; here only of these.
TEST(NanGuard, LooksAtNothingThatIsNotTaken) {
  Variable scales = tensor(DType::Float64, {3}, "scales");
  Variable groups = tensor(DType::Int64, {8}, "groups");
  Variable taken = take(scales, groups);
  Variable logarithms = log(taken);
  auto call = [&](const Mode &mode, std::vector<int64_t> at) {
    absl::StatusOr<Function> f = function({scales, groups}, logarithms, {.mode = mode});
    EXPECT_TRUE(f.ok()) << f.status();
    Tensor places = *Tensor::zeros(DType::Int64, {8});
    std::ranges::copy(at, places.mutableFlat<int64_t>().begin());
    return (*f)(Tensor({1.0, -1.0, 1.0}), places);
  };
  for (const char *mode : {"nanguard", "fast_run"}) {
    absl::StatusOr<Results> results = call(mode, {0, 2, -1, 0, 2, 0, 0, 2});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0], *Tensor::zeros(DType::Float64, {8}));
  }
  EXPECT_EQ(errorKind(call("nanguard", {0, 1}).status()), ErrorKind::NanGuard);
  bool hasNan = false;
  Mode monitor = Mode::monitor({.after = [&](const MonitoredNode &node) {
    for (const Tensor &t : node.outputs)
      for (double v : t.flat<double>())
        hasNan |= std::isnan(v);
    return absl::OkStatus();
  }});
  ASSERT_TRUE(call(monitor, {0, 2}).ok());
  EXPECT_FALSE(hasNan);
  ASSERT_TRUE(call(monitor, {0, 1}).ok());
  EXPECT_TRUE(hasNan);
  // An index out of range is told of where it was.
  absl::Status outOfRange = call("fast_run", {0, 3}).status();
  EXPECT_TRUE(absl::StartsWith(outOfRange.message(),
                               "take: index 3 is out of range for axis 0 with 3 elements"))
      << outOfRange;
  ASSERT_TRUE(errorPlace(outOfRange));
  EXPECT_EQ(errorPlace(outOfRange)->str(), taken.owner().place().str());
}

TEST(NanGuard, LooksForWhatItIsTold) {
  Variable x = dscalar("x");
  auto call = [&](NanGuardOptions options, double value) {
    absl::StatusOr<Function> f = function({x}, {sqrt(x), x * x}, {.mode = Mode::nanGuard(options)});
    EXPECT_TRUE(f.ok()) << f.status();
    return errorKind((*f)(value).status());
  };
  EXPECT_EQ(call({}, -1), ErrorKind::NanGuard);
  EXPECT_EQ(call({.nan = false}, -1), ErrorKind::None);
  EXPECT_EQ(call({}, 1e6), ErrorKind::NanGuard);
  EXPECT_EQ(call({.big = 1e13}, 1e6), ErrorKind::None);
  EXPECT_EQ(call({.big = kInf}, 1e300), ErrorKind::NanGuard);
  EXPECT_EQ(call({.inf = false, .big = kInf}, 1e300), ErrorKind::None);
}

//===--- F-345: what debug finds beside wrong values -----------------------------===//

Op hostOp(std::string name, HostFunction host) {
  OpDef def;
  def.name = std::move(name);
  def.doc = "A callback on the host.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [host = std::move(host)](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  return *defineOp(def);
}

std::string debugError(HostFunction host) {
  Variable x = dvector("x");
  absl::StatusOr<Function> f =
      function({x}, hostOp("suspect", std::move(host))(x), {.mode = "debug"});
  EXPECT_TRUE(f.ok()) << f.status();
  return wholeWithoutLines((*f)(Tensor({1, 2, 3})).status());
}

void copyAll(absl::Span<const Tensor> in, absl::Span<Tensor> out) {
  auto from = in[0].flat<double>();
  std::copy(from.begin(), from.end(), out[0].mutableFlat<double>().begin());
}

TEST(Debug, FindsWhatIsNotWritten) {
  EXPECT_EQ(debugError([](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
              out[0].mutableFlat<double>()[0] = in[0].flat<double>()[0];
              return absl::OkStatus();
            }),
            "DebugMismatch ModesTest.cpp: suspect: result 0 has elements that are not written, the "
            "first of which is number 1");
}

TEST(Debug, FindsWhatIsNotTheSameTwice) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  EXPECT_EQ(debugError([calls](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
              copyAll(in, out);
              out[0].mutableFlat<double>()[1] = ++*calls;
              return absl::OkStatus();
            }),
            "DebugMismatch ModesTest.cpp: suspect: result 0 differs from one run to the next");
}

TEST(Debug, FindsWhatOverwritesAnArgument) {
  EXPECT_EQ(debugError([](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
              copyAll(in, out);
              const_cast<double *>(in[0].flat<double>().data())[0] = 7;
              return absl::OkStatus();
            }),
            "DebugMismatch ModesTest.cpp: input 0 ('x') was changed by the call: a host op writes "
            "to its operands");
}

/// Gives one memory for everything.
class Aliasing : public Runner {
public:
  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results, OutputMemory,
                   const Lending *) const override {
    for (Tensor &result : results)
      result = arguments[0];
    return absl::OkStatus();
  }
  bool direct(detail::BoundCall &) const override { return false; }
  bool canFail() const override { return false; }
  Function::Counters counters() const override { return {}; }
  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart>, bool) const override {
    return nullptr;
  }
};

/// |x|, of whatever lies one after the other in memory.
class Careless : public Aliasing {
public:
  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results, OutputMemory,
                   const Lending *) const override {
    auto *from = static_cast<const double *>(arguments[0].data());
    for (Tensor &result : results) {
      result = *Tensor::zeros(DType::Float64, arguments[0].shape());
      for (double &y : result.mutableFlat<double>())
        y = std::fabs(*from++);
      from -= result.numElements();
    }
    return absl::OkStatus();
  }
};

TEST(Debug, FindsWhatDependsOnStrides) { // F-346
  Variable x = dvector("x"), y = abs(x);
  DebugRunner runner({.inputs = {x}, .outputs = {y}, .outputNames = {""}},
                     std::make_unique<Careless>(), std::make_unique<Careless>(), std::nullopt,
                     nullptr);
  Tensor ones({1, -2}), result;
  EXPECT_EQ(wholeWithoutLines(runner.run({&ones, 1}, {&result, 1}, OutputMemory::Fresh, nullptr)),
            "DebugMismatch ModesTest.cpp: abs: result 0 differs where arguments, and memory for "
            "results, are strided");
}

// One op writes down that it ran, the other one reads and wipes it out: the same results at each
// run, as long as the order stays.
TEST(Debug, FindsWhatDependsOnTheOrder) { // F-345
  auto notes = std::make_shared<double>(0);
  auto op = [&](const char *name, bool writes) {
    return hostOp(name, [=](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
      copyAll(in, out);
      out[0].mutableFlat<double>()[0] = writes ? 1 : *notes;
      *notes = writes;
      return absl::OkStatus();
    });
  };
  Variable x = dvector("x");
  absl::StatusOr<Function> f =
      function({x}, {op("earlier", true)(x), op("later", false)(x)}, {.mode = "debug"});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(wholeWithoutLines((*f)(Tensor({1, 2, 3})).status()),
            "DebugMismatch ModesTest.cpp: in another order of nodes: later: result 0 as compiled "
            "differs from the interpreter's: element 0 is 0.0 instead of 1.0");
}

TEST(Debug, FindsResultsThatShareMemory) {
  Variable x = dvector("x"), y = abs(x);
  DebugRunner runner({.inputs = {x}, .outputs = {y}, .outputNames = {""}},
                     std::make_unique<Aliasing>(), std::make_unique<Aliasing>(), std::nullopt,
                     nullptr);
  Tensor ones({1, 1}), result;
  EXPECT_EQ(wholeWithoutLines(runner.run({&ones, 1}, {&result, 1}, OutputMemory::Fresh, nullptr)),
            "DebugMismatch ModesTest.cpp: abs: result 0 shares memory with an argument or another "
            "result");
}

} // namespace
} // namespace graphc
