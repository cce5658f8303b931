//===- MonitorTest.cpp - mode monitor: F-349 ------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "Calls.h"
#include "Places.h"
#include "Runtime/TestData.h"
#include "graphc/ControlFlow.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

std::string namesOf(absl::Span<const Tensor> tensors) {
  std::string text;
  for (const Tensor &t : tensors)
    text += " " + (t.defined() ? toString(t, {.precision = 3, .inlineList = true}) : "-");
  return text;
}

/// Writes down what it is told.
struct Log {
  std::vector<std::string> lines;
  Mode mode() {
    return Mode::monitor(
        {.before =
             [this](const MonitoredNode &n) {
               EXPECT_TRUE(n.outputs.empty());
               lines.push_back("before " + std::to_string(n.position) + " " +
                               std::string(n.node.op().name()) + namesOf(n.inputs));
               return absl::OkStatus();
             },
         .after =
             [this](const MonitoredNode &n) {
               lines.push_back("after " + std::to_string(n.position) + namesOf(n.outputs));
               return absl::OkStatus();
             }});
  }
};

using Lines = std::vector<std::string>;

// F-349
TEST(Monitor, IsToldOfEveryNode) {
  Variable x = dvector("x");
  Log log;
  Function f = made(function({x}, sum(sqrt(x)), {.mode = log.mode()}));
  EXPECT_EQ(valuesOf(f(Tensor({4.0, 9.0}))), (std::vector<double>{5}));
  EXPECT_EQ(log.lines,
            (Lines{"before 0 sqrt [4, 9]", "after 0 [2, 3]", "before 1 sum [2, 3]", "after 1 5"}));
  // Of the graph after rewriting, and as it is where that is switched off.
  Log rewritten, plain;
  Variable y = log1p(exp(x));
  EXPECT_EQ(valuesOf(made(function({x}, y, {.mode = rewritten.mode()}))(Tensor({1000.0})))[0],
            1000);
  EXPECT_EQ(rewritten.lines, (Lines{"before 0 softplus [1000]", "after 0 [1000]"}));
  EXPECT_TRUE(std::isinf(valuesOf(
      made(function({x}, y, {.mode = plain.mode(), .rewrites = false}))(Tensor({1000.0})))[0]));
  EXPECT_EQ(plain.lines.size(), 4u);
  Log less;
  EXPECT_TRUE(std::isinf(valuesOf(made(
      function({x}, y, {.mode = less.mode().excluding({"stabilize"})}))(Tensor({1000.0})))[0]));
}

// A node that fails is told of before, and not after.
TEST(Monitor, SeesTheNodeThatFails) {
  Variable x = dvector("x"), i = lscalar("i");
  Log log;
  Function f = made(function({x, i}, take(exp(x), i) * 2.0, {.mode = log.mode()}));
  EXPECT_EQ(firstLine(f(Tensor({0.0}), int64_t(7)).status()).substr(0, 10), "IndexError");
  ASSERT_FALSE(log.lines.empty());
  EXPECT_EQ(log.lines.back(), "before 1 take [1] 7");
}

TEST(Monitor, SeesBranchesThatAreTakenAlone) {
  Variable c = lscalar("c"), x = dscalar("x");
  Log log;
  Function f = made(function({c, x}, ifElse(c, exp(x), sin(x)), {.mode = log.mode()}));
  EXPECT_EQ(valuesOf(f(int64_t(1), 0.0)), (std::vector<double>{1}));
  for (const std::string &line : log.lines)
    EXPECT_EQ(line.find("sin"), line.npos) << line;
}

TEST(Monitor, SeesALoopAsOneNode) {
  Variable h = dscalar("h");
  ScanResult s =
      scan([](const Variables &in) { return in[0] * 2.0; }, {.outputs = {h}, .numSteps = 3});
  Log log;
  Function f = made(function({h}, s.last[0], {.mode = log.mode()}));
  EXPECT_EQ(valuesOf(f(1.0)), (std::vector<double>{8}));
  EXPECT_GE(log.lines.size(), 2u);
}

// Each kind of error of a callback's is the call's; what comes later does not run.
TEST(Monitor, CallbacksEndCalls) {
  Variable x = dscalar("x");
  int told = 0;
  auto refuse = [&](const MonitoredNode &) {
    ++told;
    return makeError(ErrorKind::RuntimeError, "enough");
  };
  for (const MonitorOptions &options :
       {MonitorOptions{.before = refuse}, MonitorOptions{.after = refuse}}) {
    Function f = made(function({x}, sum(exp(x)) * x, {.mode = Mode::monitor(options)}));
    told = 0;
    EXPECT_EQ(said(f(1.0).status()), "RuntimeError: enough");
    EXPECT_EQ(told, 1);
  }
  // A call that can fail has a Status.
  Function f = made(function({x}, exp(x), {.mode = Mode::monitor({.after = refuse})}));
  EXPECT_EQ(errorKind(f.bind<double(double)>().status()), ErrorKind::TypeError);
}

// An exception ends the call, too, and nothing else: the function can be called again.
TEST(Monitor, ExceptionsEndCalls) {
  Variable x = dscalar("x");
  std::function<void()> thrower;
  auto callback = [&](const MonitoredNode &) {
    if (thrower)
      thrower();
    return absl::OkStatus();
  };
  for (bool isBefore : {true, false}) {
    MonitorOptions options;
    (isBefore ? options.before : options.after) = callback;
    SharedVariable count = shared(Tensor(1.0), "count");
    Function f = made(
        function({x}, exp(x), {.mode = Mode::monitor(options), .updates = {{count, count + 1.0}}}));
    const std::string who =
        std::string("mode 'monitor': the callback ") + (isBefore ? "before" : "after") + " a node";
    thrower = [] { throw std::runtime_error("enough"); };
    EXPECT_EQ(firstLine(f(1.0).status()), "RuntimeError: " + who + " threw an exception: enough");
    EXPECT_NE(errorPlace(f(1.0).status())->str().find("MonitorTest.cpp"), std::string::npos);
    thrower = [] { throw 7; };
    EXPECT_EQ(firstLine(f(1.0).status()),
              "RuntimeError: " + who + " threw an exception that is no std::exception");
    thrower = [] { throw std::bad_alloc(); };
    EXPECT_EQ(firstLine(f(1.0).status()), "OutOfMemory: " + who + ": no memory for what it needs");
    thrower = {};
    EXPECT_EQ(count.get().item<double>(), 1);
    EXPECT_EQ(valuesOf(f(0.0)), (std::vector<double>{1}));
    EXPECT_EQ(count.get().item<double>(), 2);
  }
}

// So of the host's steps of the program's own ops, in every mode, and of debug's callback.
TEST(Monitor, ExceptionsOfOtherCallbacks) {
  OpDef def;
  def.name = "throwing";
  def.doc = "Throws.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    auto host = [](absl::Span<const Tensor>, absl::Span<Tensor>) -> absl::Status {
      throw std::out_of_range("no");
    };
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Op op = *defineOp(def);
  Variable x = dvector("x");
  for (const char *mode : {"interpreter", "fast_run", "nanguard", "debug"}) {
    std::string text =
        firstLine(made(function({x}, op(x), {.mode = mode}))(Tensor({1.0})).status());
    EXPECT_EQ(text.substr(0, text.find("exception: no") + 13),
              "RuntimeError: throwing: the host's function threw an exception: no")
        << mode;
  }
  RewriteDatabase wrong;
  ASSERT_TRUE(
      wrong.add({.name = "wrong", .pattern = "cos(a)", .replacement = "sin(a)"}, {}, 1).ok());
  DebugOptions options{
      .badOptimization = [](const BadOptimization &) { throw std::runtime_error("seen"); }};
  Function f = made(function({x}, cos(x), {.mode = Mode::debug(options).withRewrites(wrong)}));
  EXPECT_EQ(firstLine(f(Tensor({0.0})).status()),
            "RuntimeError: after the rewrite wrong: DebugOptions::badOptimization threw an "
            "exception: seen");
}

TEST(Monitor, OfManyThreads) {
  Variable x = dscalar("x");
  std::atomic<int> told{0};
  Function f = made(
      function({x}, exp(sin(x)) + x, {.mode = Mode::monitor({.after = [&](const MonitoredNode &) {
                                        ++told;
                                        return absl::OkStatus();
                                      }})}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k)
        EXPECT_TRUE(f(1.0).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(told, 4 * 20 * 3);
}

TEST(Monitor, GoesWithProfilesCopiesAndFiles) {
  Variable x = dscalar("x");
  Log log;
  Function f = made(function({x}, exp(x), {.mode = log.mode(), .profile = true}));
  EXPECT_TRUE((*f.copy())(0.0).ok());
  EXPECT_TRUE(f(0.0).ok());
  EXPECT_EQ(log.lines.size(), 4u);
  EXPECT_EQ(f.profile()->steps().at(0).nodes.at(0).op, "exp");
  TemporaryFile saved("monitor.graphc");
  ASSERT_TRUE(f.save(saved.path()).ok());
  expectMessages({{loadFunction(saved.path()).status(),
                   "ValueError: " + saved.path() +
                       ": function: mode 'monitor' has no callbacks: Mode::monitor takes them "
                       "(rewrites and callbacks of a program's own are in no file: give them in "
                       "LoadOptions::mode)"}});
  EXPECT_TRUE(made(loadFunction(saved.path(), {.mode = log.mode()}))(0.0).ok());
  EXPECT_EQ(log.lines.size(), 6u);
}

} // namespace
} // namespace graphc
