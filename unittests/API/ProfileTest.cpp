//===- ProfileTest.cpp - what profiles count: F-195, F-197, F-209 ---------===//
#include "graphc/Profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "graphc/Config.h"
#include "graphc/ControlFlow.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Tensor ones(std::initializer_list<int64_t> shape, DType dtype = DType::Float64) {
  return *Tensor::full(dtype, shape, Tensor(1.0));
}

std::vector<std::string> opsOf(const Profile::Step &step) {
  std::vector<std::string> ops;
  for (const Profile::Node &node : step.nodes)
    ops.push_back(node.op);
  return ops;
}

/// The figures that do not depend on the clock.
struct Counts {
  int64_t runs, bytesRead, bytesWritten, flops;
  friend bool operator==(const Counts &, const Counts &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Counts &c) {
    return out << "{" << c.runs << ", " << c.bytesRead << ", " << c.bytesWritten << ", " << c.flops
               << "}";
  }
};
template <class Row> Counts countsOf(const Row &row) {
  return {row.runs, row.bytesRead, row.bytesWritten, row.flops};
}

/// Calls a function of these outputs once; its steps.
std::vector<Profile::Step> stepsOf(const Variables &inputs, const Variables &outputs,
                                   std::vector<Tensor> values, std::string mode = "fast_run") {
  auto f = function(inputs, outputs, {.mode = mode, .profile = true});
  EXPECT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(f->call(std::move(values)).ok());
  for (const Profile::Step &step : f->profile()->steps())
    EXPECT_GE(step.seconds, 0);
  return f->profile()->steps();
}

TEST(Profile, CountsAnElementwiseOp) {
  Variable x = dvector("x"), y = dvector("y");
  for (const char *mode : {"fast_run", "interpreter"}) {
    auto steps = stepsOf({x, y}, {x + y}, {ones({1000}), ones({1000})}, mode);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_THAT(opsOf(steps[0]), ElementsAre("add"));
    EXPECT_THAT(steps[0].nodes[0].place.str(), HasSubstr("ProfileTest.cpp:"));
    // Two arrays of 1000 numbers of 8 bytes are read, one is written.
    EXPECT_EQ(countsOf(steps[0]), (Counts{1, 16000, 8000, 1000}));
  }
}

TEST(Profile, CountsProductsOfMatrices) {
  Variable a = dmatrix("a"), b = dmatrix("b");
  for (const char *mode : {"fast_run", "interpreter"}) {
    auto steps = stepsOf({a, b}, {dot(a, b)}, {ones({7, 11}), ones({11, 13})}, mode);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(countsOf(steps[0]), (Counts{1, 8 * (7 * 11 + 11 * 13), 8 * 7 * 13, 2 * 7 * 11 * 13}));
  }
}

// Whichever comes first in their kernel, and though a row is read along one loop of two.
TEST(Profile, CountsTheIterationsOfEachNest) {
  Variable x = dmatrix("x"), y = dmatrix("y"), row = dvector("row");
  for (bool isFirst : {false, true}) {
    Variable scaled = x * row, sums = x + y;
    auto steps = stepsOf({x, y, row}, isFirst ? Variables{scaled, sums} : Variables{sums, scaled},
                         {ones({40, 50}), ones({40, 50}), ones({50})});
    int64_t flops = 0, written = 0;
    for (const auto &step : steps) {
      flops += step.flops;
      written += step.bytesWritten;
    }
    EXPECT_EQ(flops, 2 * 40 * 50);
    EXPECT_EQ(written, 2 * 8 * 40 * 50);
  }
}

TEST(Profile, CountsATermOfASumAsOne) {
  Variable x = dvector("x");
  auto steps = stepsOf({x}, {sum(x)}, {ones({500})});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(countsOf(steps[0]), (Counts{1, 4000, 8, 500}));
}

TEST(Profile, CountsFusedMultiplyAddsAsTwo) {
  Variable x = dvector("x"), y = dvector("y"), z = dvector("z");
  auto steps = stepsOf({x, y, z}, {fma(x, y, z)}, {ones({10}), ones({10}), ones({10})});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(countsOf(steps[0]), (Counts{1, 240, 80, 20}));
}

TEST(Profile, CountsNoFlopsOfIntegers) {
  Variable x = lvector("x");
  auto steps = stepsOf({x}, {x + x}, {ones({10}, DType::Int64)});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].flops, 0);
  EXPECT_EQ(steps[0].bytesRead, 80) << "x is one array";
}

// Loops that reach a part of an array do not read all of it.
TEST(Profile, CountsWhatIsReached) {
  Variable x = dvector("x"), s = dscalar("s");
  auto steps = stepsOf({x, s}, {x[Slice{0, 10}] * s}, {ones({1000}), Tensor(2.0)});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(countsOf(steps[0]), (Counts{1, 80 + 8, 80, 10}));
}

TEST(Profile, JoinsTheNodesOfAKernel) {
  Variable x = dvector("x"), y = dvector("y");
  auto f = function({x, y}, {exp(x) * y, x + y}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE((*f)(ones({10}), ones({10})).ok());
  Profile profile = *f->profile();
  ASSERT_EQ(profile.steps().size(), 1u) << "one kernel of three nodes";
  auto kinds = profile.opKinds();
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(kinds[0].ops, "add+exp+mul");
  EXPECT_EQ(kinds[0].steps, 1);
  EXPECT_EQ(countsOf(kinds[0]), (Counts{1, 160, 160, 30}));
  EXPECT_EQ(kinds[0].seconds, profile.steps()[0].seconds);
}

// Of loops and branches, the steps of their bodies, summed over all runs; results are the same.
TEST(Profile, TellsOfStepsWithinLoops) {
  Variable x = dvector("x"), h = dvector("h");
  Variable all = scan(
                     [](const Variables &in) {
                       return ifElse(gt(in[0], 0.0), exp(in[1]) * in[0], sqrt(abs(in[1])));
                     },
                     {.sequences = {x}, .outputs = {ScanOutput(h)}})
                     .outputs[0];
  const Tensor given({1.0, -1.0, 0.5, -2.0, -3.0}), start({0.25, 0.5, 0.75});
  for (int threads : {1, 2}) {
    auto plain = function({x, h}, {all}),
         f = function({x, h}, {all}, {.threads = threads, .profile = true});
    ASSERT_TRUE(plain.ok() && f.ok()) << f.status();
    for (int call = 0; call < 2; ++call)
      EXPECT_EQ((*(*f)(given, start))[0], (*(*plain)(given, start))[0]);
    std::map<std::string, int64_t> runs; // by the ops of the innermost steps
    double within = 0, whole = 0;
    for (const Profile::Step &step : f->profile()->steps()) {
      if (step.kernel == "bodies")
        whole += step.seconds;
      if (step.kernel.starts_with("bodies/bodies/")) {
        within += step.seconds;
        for (const Profile::Node &node : step.nodes)
          runs[node.op] += step.runs;
        EXPECT_EQ(step.bytesWritten, step.runs * 24);
      }
    }
    EXPECT_EQ(runs["exp"], 2 * 2) << "of two calls of five steps each";
    EXPECT_EQ(runs["sqrt"], 2 * 3);
    EXPECT_GT(within, 0);
    EXPECT_LE(within, whole);
    double kinds = 0;
    for (const Profile::OpKind &kind : f->profile()->opKinds())
      kinds += kind.seconds;
    EXPECT_LE(kinds, f->profile()->functions()[0].seconds) << "nothing counts twice";
    EXPECT_NE(f->profile()->text().find("bodies/bodies/"), std::string::npos);
  }
}

// Extents are those of each call.
TEST(Profile, AddsUpCalls) {
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  for (int64_t n : {10, 20, 20, 0})
    ASSERT_TRUE((*f)(ones({n})).ok());
  ASSERT_EQ(f->profile()->steps().size(), 1u);
  EXPECT_EQ(countsOf(f->profile()->steps()[0]), (Counts{4, 400, 400, 50}));
  Profile::FunctionSummary summary = f->profile()->functions().at(0);
  EXPECT_EQ(summary.calls, 4);
  EXPECT_GE(summary.seconds, f->profile()->steps()[0].seconds);
  EXPECT_EQ(summary.resultBytes, 160) << "of the largest";
}

TEST(Profile, CountsTypedCalls) {
  Variable x = dscalar("x");
  auto f = function({x}, {x * 2.0}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  auto twice = f->bind<double(double)>();
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ((*twice)(4), 8);
  EXPECT_EQ(f->profile()->functions()[0].calls, 1);
  EXPECT_EQ(countsOf(f->profile()->steps()[0]), (Counts{1, 8, 8, 1}));
}

/// Doubles its operand on the host.
Variable doubled(const Variable &x) {
  OpDef def;
  def.name = "doubled";
  def.doc = "Twice its operand, by a callback.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    HostFunction host = [](absl::Span<const Tensor> from, absl::Span<Tensor> to) {
      for (int64_t i = 0; i < from[0].numElements(); ++i)
        to[0].mutableFlat<double>()[size_t(i)] = 2 * from[0].flat<double>()[size_t(i)];
      return absl::OkStatus();
    };
    return e.hostCall(host, {in[0]}, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  return (*defineOp(def))(x);
}

TEST(Profile, NamesHostCallsAndCopies) {
  Variable x = dvector("x");
  auto steps = stepsOf({x}, {doubled(x), x}, {ones({6})});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kernel, "host call");
  EXPECT_THAT(opsOf(steps[0]), ElementsAre("doubled"));
  EXPECT_EQ(countsOf(steps[0]), (Counts{1, 48, 48, 0}));
  EXPECT_EQ(steps[1].kernel, "copy");
  EXPECT_THAT(opsOf(steps[1]), ElementsAre());
  EXPECT_EQ(countsOf(steps[1]), (Counts{1, 48, 48, 0}));
}

// Three products one after the other, of 8 x 8 numbers: two arrays lie between them. The first
// one's memory is free when the second is computed from it, but not before.
TEST(Profile, TellsMemoryBeforeAndAfterReuse) {
  Variable x = tensor(DType::Float64, {8, 8}), y = x;
  for (int i = 0; i < 5; ++i)
    y = dot(y, x);
  auto f = function({x}, {y}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE((*f)(ones({8, 8})).ok());
  Profile::FunctionSummary summary = f->profile()->functions().at(0);
  EXPECT_EQ(summary.intermediateBytes, 4 * 512);
  EXPECT_EQ(summary.arenaBytes, 2 * 512);
  EXPECT_EQ(summary.resultBytes, 512);
}

// The extent of `arange` is known when a host call has given it: costs are those of each part.
TEST(Profile, CountsExtentsThatAreComputedFirst) {
  Variable x = dvector("x");
  Variable stop = cast(sum(doubled(x)), DType::Int64);
  auto f = function({x}, {cast(arange(stop), DType::Float64) * 0.5}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  auto results = (*f)(ones({6})); // twelve numbers
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ((*results)[0].numElements(), 12);
  std::vector<Profile::Step> steps = f->profile()->steps();
  EXPECT_EQ(countsOf(steps.front()), (Counts{1, 48, 48, 0}));
  EXPECT_EQ(countsOf(steps.back()), (Counts{1, 0, 96, 12}));
  EXPECT_EQ(f->profile()->functions()[0].resultBytes, 96);
}

// Several threads may work on one kernel: it runs once, and counts whole.
TEST(Profile, CountsKernelsOfManyThreadsOnce) {
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.threads = 2, .profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE((*f)(ones({1000000})).ok());
  EXPECT_EQ(countsOf(f->profile()->steps().at(0)), (Counts{1, 8000000, 8000000, 1000000}));
}

TEST(Profile, TellsTheStagesOfCompilation) {
  std::vector<std::string> seen;
  auto observer = [&](const StageReport &report) {
    if (report.isDone)
      seen.push_back(std::string(report.stage));
  };
  Variable x = dscalar("x");
  auto f = function({x}, {x * 2.0}, {.cache = false, .profile = true, .observer = observer});
  ASSERT_TRUE(f.ok()) << f.status();
  std::vector<std::string> stages;
  for (const Profile::Stage &stage : f->profile()->stages()) {
    stages.push_back(stage.stage);
    EXPECT_EQ(stage.function, 0u);
    EXPECT_GT(stage.seconds, 0);
    EXPECT_NE(stage.size, "");
  }
  EXPECT_THAT(stages, ElementsAre("rewritten", "kernels", "code"));
  EXPECT_EQ(seen, stages) << "the user's own observer is told, too";
}

// F-197: none, true, a title, a record.
TEST(Profile, IsWhatTheOptionSays) {
  Variable x = dscalar("x");
  EXPECT_FALSE(function({x}, {x * 2.0})->profile());
  EXPECT_FALSE(function({x}, {x * 2.0}, {.profile = false})->profile());
  EXPECT_EQ(function({x}, {x * 2.0}, {.profile = true})->profile()->title(), "");
  FunctionOptions titled{.profile = "training"};
  auto f = function({x}, {x * 2.0}, titled), g = function({x}, {x * 3.0}, titled);
  EXPECT_EQ(f->profile()->title(), "training");
  EXPECT_EQ(g->profile()->title(), "training");
  EXPECT_FALSE(*f->profile() == *g->profile()) << "each has a record of its own";
  Profile record(std::string("all"));
  EXPECT_EQ(*function({x}, {x * 2.0}, {.profile = record})->profile(), record);
}

// F-197: Config::profile where the option does not say it.
TEST(Profile, IsConfigured) {
  Config before = config(), on = before;
  on.profile = true;
  ASSERT_TRUE(setConfig(on).ok());
  Variable x = dscalar("x");
  EXPECT_TRUE(function({x}, {x * 2.0})->profile());
  EXPECT_FALSE(function({x}, {x * 2.0}, {.profile = false})->profile());
  ASSERT_TRUE(setConfig(before).ok());
}

// F-195: names stand in the profile; those without have a number.
TEST(Profile, AccumulatesFunctions) {
  Profile record("all");
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.name = "forward", .profile = record});
  auto g = function({x}, {sum(x)}, {.profile = record});
  ASSERT_TRUE(f.ok() && g.ok());
  Variable none;
  EXPECT_FALSE(function({x}, {none}, {.name = "wrong", .profile = record}).ok());
  ASSERT_TRUE((*f)(ones({4})).ok());
  ASSERT_TRUE((*f)(ones({4})).ok());
  ASSERT_TRUE((*g)(ones({4})).ok());
  auto functions = record.functions();
  ASSERT_EQ(functions.size(), 2u) << "one that was not made is not there";
  EXPECT_EQ(functions[0].name, "forward");
  EXPECT_EQ(functions[0].calls, 2);
  EXPECT_EQ(functions[1].name, "function 1");
  EXPECT_EQ(functions[1].calls, 1);
  ASSERT_EQ(record.steps().size(), 2u);
  EXPECT_EQ(countsOf(record.steps()[0]), (Counts{2, 64, 64, 8}));
  EXPECT_EQ(countsOf(record.steps()[1]), (Counts{1, 32, 8, 4}));
  EXPECT_THAT(record.text(), StartsWith("profile 'all': 3 calls of 2 functions, "));
}

TEST(Profile, AddsUpThreads) {
  Profile record;
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.profile = record});
  ASSERT_TRUE(f.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE((*f)(ones({100})).ok());
        EXPECT_EQ(record.functions().size(), 1u);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(record.functions()[0].calls, 200);
  EXPECT_EQ(countsOf(record.steps()[0]), (Counts{200, 160000, 160000, 20000}));
}

// F-209: a copy is profiled as its own options say.
TEST(Profile, OfCopiesIsTheirOwn) {
  Variable x = dvector("x");
  auto plain = function({x}, {exp(x)}, {.name = "f"});
  Profile record;
  auto profiled = plain->copy({.profile = record});
  ASSERT_TRUE(profiled.ok()) << profiled.status();
  ASSERT_TRUE((*profiled)(ones({4})).ok());
  ASSERT_TRUE((*plain)(ones({4})).ok());
  EXPECT_FALSE(plain->profile());
  ASSERT_EQ(record.functions().size(), 1u);
  EXPECT_EQ(record.functions()[0].name, "f copy");
  EXPECT_EQ(record.functions()[0].calls, 1);
  EXPECT_THAT(opsOf(record.steps().at(0)), ElementsAre("exp"));

  auto silent = profiled->copy();
  ASSERT_TRUE((*silent)(ones({4})).ok());
  EXPECT_FALSE(silent->profile());
  EXPECT_EQ(record.functions()[0].calls, 1);

  auto again = profiled->copy({.name = "g", .profile = record});
  ASSERT_TRUE((*again)(ones({4})).ok());
  ASSERT_EQ(record.functions().size(), 2u);
  EXPECT_EQ(record.functions()[1].name, "g");
  EXPECT_EQ(record.functions()[1].calls, 1);
  EXPECT_THAT(opsOf(record.steps().at(1)), ElementsAre("exp"));
}

TEST(Profile, OfSubsetsStandsBeside) {
  Variable x = dvector("x");
  auto f = function({x}, {exp(x), sum(x)}, {.name = "f", .profile = true});
  ASSERT_TRUE(f.ok());
  ASSERT_TRUE(f->call({ones({4})}, {}, {.outputSubset = {{1}}}).ok());
  auto functions = f->profile()->functions();
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].calls, 0);
  EXPECT_EQ(functions[1].name, "f[1]");
  EXPECT_EQ(functions[1].calls, 1);
  // Subsets of a copy are the copy's.
  Profile record;
  auto copy = f->copy({.profile = record});
  ASSERT_TRUE(copy->call({ones({4})}, {}, {.outputSubset = {{0}}}).ok());
  EXPECT_EQ(record.functions().at(1).name, "f copy[0]");
  EXPECT_EQ(f->profile()->functions().size(), 2u);
}

// Mode debug keeps every result: each node has a kernel of its own.
TEST(Profile, OfModeDebugTellsNodesApart) {
  Variable x = dvector("x");
  auto steps = stepsOf({x}, {exp(x + x) * x}, {ones({4})}, "debug");
  std::vector<std::string> ops;
  for (const Profile::Step &step : steps)
    for (const std::string &op : opsOf(step))
      ops.push_back(op);
  EXPECT_THAT(ops, testing::UnorderedElementsAre("add", "exp", "mul"));
}

TEST(Profile, OfTheInterpreterTellsNodesApart) {
  Variable x = dvector("x");
  auto f = function({x}, {exp(x + x), x}, {.mode = "interpreter", .profile = true});
  ASSERT_TRUE((*f)(ones({4})).ok());
  Profile record = *f->profile();
  ASSERT_EQ(record.steps().size(), 2u);
  EXPECT_THAT(opsOf(record.steps()[0]), ElementsAre("add"));
  EXPECT_THAT(opsOf(record.steps()[1]), ElementsAre("exp"));
  EXPECT_EQ(countsOf(record.steps()[0]), (Counts{1, 64, 32, 4}));
  EXPECT_EQ(record.functions()[0].intermediateBytes, 32);
  EXPECT_EQ(record.functions()[0].resultBytes, 64);
  EXPECT_EQ((*f->copy())(ones({4})).status(), absl::OkStatus());
  EXPECT_EQ(record.functions()[0].calls, 1);
}

// A call that fails has run what it ran.
TEST(Profile, CountsCallsThatFail) {
  Variable x = dvector("x"), i = lscalar("i");
  auto f = function({x, i}, {take(x, i)}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_FALSE((*f)(ones({4}), 9).ok());
  EXPECT_EQ(f->profile()->functions()[0].calls, 1);
  EXPECT_EQ(f->profile()->steps().at(0).runs, 0);
}

// F-348: the first call of each function, also of a copy, is not counted, nor traced.
TEST(Profile, MayIgnoreFirstCalls) {
  Profile record("warm", {.ignoreFirstCall = true});
  EXPECT_TRUE(record.settings().ignoreFirstCall);
  EXPECT_FALSE(Profile().settings().ignoreFirstCall);
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.name = "f", .profile = record});
  ASSERT_TRUE(f.ok()) << f.status();
  auto g = f->copy({.name = "g", .profile = record});
  ASSERT_TRUE(g.ok()) << g.status();
  ASSERT_TRUE((*f)(ones({1000})).ok());
  EXPECT_EQ(record.functions().at(0).calls, 0);
  EXPECT_EQ(record.functions().at(0).seconds, 0);
  EXPECT_THAT(record.text(), StartsWith("profile 'warm': 0 calls of 2 functions"));
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE((*f)(ones({4})).ok());
    ASSERT_TRUE((*g)(ones({4})).ok());
  }
  EXPECT_EQ(record.functions()[0].calls, 3);
  EXPECT_EQ(record.functions()[1].calls, 2) << "copies have a first call of their own";
  EXPECT_EQ(record.functions()[0].resultBytes, 32) << "not those of the first call";
  EXPECT_EQ(countsOf(record.steps()[0]), (Counts{3, 96, 96, 12}));
}

// F-348: time in steps, of compilation, and by class of op.
TEST(Profile, SumsUp) {
  Variable x = dmatrix("x"), y = dvector("y");
  auto f = function({x, y}, {dot(x, x), doubled(y)}, {.cache = false, .profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE((*f)(ones({8, 8}), ones({4})).ok());
  Profile profile = *f->profile();
  Profile::FunctionSummary summary = profile.functions().at(0);
  double steps = 0, stages = 0;
  for (const Profile::Step &step : profile.steps())
    steps += step.seconds;
  for (const Profile::Stage &stage : profile.stages())
    stages += stage.seconds;
  EXPECT_DOUBLE_EQ(summary.stepSeconds, steps);
  EXPECT_DOUBLE_EQ(summary.compileSeconds, stages);
  EXPECT_LE(summary.stepSeconds, summary.seconds);
  std::vector<std::string> classes;
  for (const Profile::OpKind &kind : profile.opClasses())
    classes.push_back(kind.ops);
  EXPECT_THAT(classes, testing::UnorderedElementsAre("Products", "user's ops"));
  EXPECT_THAT(profile.json(), HasSubstr(R"("classes":[{"class":")"));
  EXPECT_THAT(profile.text(), HasSubstr("\nclass"));
}

size_t occurrences(const std::string &text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Profile, TracesTheLastCalls) {
  Variable x = dvector("x");
  auto f = function({x}, {exp(x)}, {.name = "f", .profile = true});
  ASSERT_TRUE(f.ok());
  for (size_t i = 0; i < Profile::kTracedCalls + 20; ++i)
    ASSERT_TRUE((*f)(ones({4})).ok());
  std::string trace = f->profile()->chromeTrace();
  EXPECT_EQ(occurrences(trace, "\"cat\":\"call\""), Profile::kTracedCalls);
  EXPECT_EQ(occurrences(trace, "\"cat\":\"step\""), Profile::kTracedCalls);
  EXPECT_EQ(occurrences(trace, "\"cat\":\"compile\""), f->profile()->stages().size());
}

// A record outlives its functions; text of any function name is JSON.
TEST(Profile, IsJsonWhateverNamesHold) {
  Profile record("a \"title\"\n\xff");
  Variable x = dvector("x");
  ASSERT_TRUE((*function({x}, {exp(x)}, {.name = "\\\x01é", .profile = record}))(ones({4})).ok());
  EXPECT_THAT(record.json(), StartsWith(R"({"title":"a \"title\"\n)"
                                        "\xef\xbf\xbd\","));
  EXPECT_THAT(record.json(), HasSubstr(R"("name":"\\\u0001é","calls":1)"));
  EXPECT_THAT(record.json(), HasSubstr(R"("bytes_read":32,"bytes_written":32,"flops":4)"));
  EXPECT_THAT(record.text(), HasSubstr("profile 'a \"title\"\\x0a\xff'"));
}

TEST(Profile, OfNothingIsEmpty) {
  Profile record;
  EXPECT_TRUE(record.functions().empty() && record.steps().empty() && record.stages().empty() &&
              record.opKinds().empty());
  EXPECT_EQ(record.text(), "profile: 0 calls of 0 functions\nstage  seconds  made  function\n");
  Profile moved = std::move(record);
  EXPECT_EQ(moved, record) << "a move copies";
}

TEST(Profile, KnowsTheMachine) {
  double bandwidth = machineBandwidth();
  EXPECT_GT(bandwidth, 0);
  EXPECT_EQ(machineBandwidth(), bandwidth) << "measured once";
}

} // namespace
} // namespace graphc
