//===- SpecialisationsTest.cpp - code for extents that come often --------===//
#include "API/Specialisations.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "Messages.h"
#include "Runtime/Background.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Numbers of many magnitudes, so that sums in another order are others.
Tensor numbers(DType dtype, std::vector<int64_t> shape) {
  Tensor wide = *Tensor::zeros(DType::Float64, shape);
  uint32_t state = 12345;
  for (double &x : wide.mutableFlat<double>()) {
    state = state * 1664525u + 1013904223u;
    x = (double(state >> 8) / (1 << 24) - 0.4) * (state % 7 + 0.01);
  }
  return wide.cast(dtype);
}

bool sameBits(const Tensor &a, const Tensor &b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), size_t(a.numBytes())) == 0;
}

/// Calls until the count of versions is `wanted`: at least as often as makes extents come often.
bool callUntilMade(const Function &f, const std::vector<Tensor> &arguments, int64_t wanted = 1) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int i = 0; i < Specialisations::kOften || f.counters().specialisations < wanted; ++i) {
    if (!f.call(arguments).ok() || std::chrono::steady_clock::now() > end)
      return false;
    if (i >= Specialisations::kOften)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Calls often, and no more: nothing may come of it.
Function::Counters calledOften(const Function &f, const std::vector<Tensor> &arguments) {
  for (int i = 0; i < 3 * Specialisations::kOften; ++i)
    EXPECT_TRUE(f.call(arguments).ok());
  return f.counters();
}

// The code for one shape gives what the general one gives, to the bit.
TEST(Specialisations, GiveTheSameBits) {
  struct Graph {
    const char *name;
    Variables inputs;
    Variables outputs;
    std::vector<std::vector<std::vector<int64_t>>> shapes; // each of all inputs
    DType dtype = DType::Float32;
  };
  Variable m = fmatrix("m"), n = fmatrix("n"), v = fvector("v"), t = ftensor4("t"),
           w = ftensor4("w"), d = dmatrix("d"),
           h = tensor(DType::Float16, {kDynamic, kDynamic}, "h"),
           p = tensor(DType::BFloat16, {kDynamic, kDynamic, kDynamic}, "p"),
           q = tensor(DType::BFloat16, {kDynamic, kDynamic, kDynamic}, "q"),
           r = tensor(DType::BFloat16, {kDynamic, kDynamic, kDynamic}, "r");
  Variable centred = m - m.mean(1).dimshuffle({0, -1});
  const Graph graphs[] = {
      {"rows",
       {m},
       {softmax(m), m.sum(1), m.sum(0), m.sum(), m.argmax(1), m.max(0)},
       {{{5, 3}}, {{64, 10}}, {{7, 16}}, {{3, 257}}, {{1, 40}}, {{33, 1}}}},
      {"norm",
       {m, v},
       {centred / sqrt(sqr(centred).mean(1).dimshuffle({0, -1}) + 1e-5) * v},
       {{{4, 12}, {12}}, {{9, 100}, {100}}}},
      {"dot",
       {m, n, v},
       {tanh(dot(m, n) + v)},
       {{{3, 3}, {3, 3}, {3}},
        {{17, 5}, {5, 33}, {33}},
        {{64, 70}, {70, 48}, {48}},
        {{1, 100}, {100, 7}, {7}}}},
      {"transposed",
       {m, n},
       {dot(m, n.dimshuffle({1, 0})), m.dimshuffle({1, 0}) * 2},
       {{{6, 50}, {9, 50}}, {{40, 16}, {20, 16}}}},
      {"conv",
       {t, w},
       {conv2d(t, w)},
       {{{1, 3, 9, 9}, {4, 3, 3, 3}}, {{2, 8, 12, 7}, {5, 8, 1, 1}}}},
      {"f64", {d}, {exp(d).sum(1), softmax(d), d.prod(0)}, {{{6, 11}}, {{20, 64}}}, DType::Float64},
      {"f16", {h}, {h.sum(1), exp(h) + h}, {{{6, 11}}, {{3, 70}}}, DType::Float16},
      // One column behind two vectors.
      {"bf16 product",
       {p, q},
       {matmul(p, q)},
       {{{2, 14, 8}, {2, 8, 33}}, {{1, 31, 65}, {1, 65, 33}}, {{3, 64, 48}, {3, 48, 70}}},
       DType::BFloat16},
      {"bf16 attention",
       {p, q, r},
       {attention(p, q, r)},
       {{{2, 14, 33}, {2, 8, 33}, {2, 8, 33}}},
       DType::BFloat16},
  };
  for (int threads : {1, 3})
    for (const Graph &graph : graphs) {
      FunctionOptions general{.threads = threads, .specialisations = 0},
          often{.threads = threads, .specialisations = 8};
      absl::StatusOr<Function> f = function(graph.inputs, graph.outputs, general);
      absl::StatusOr<Function> g = function(graph.inputs, graph.outputs, often);
      ASSERT_TRUE(f.ok() && g.ok()) << graph.name << f.status() << g.status();
      int64_t made = 0;
      for (const auto &shapes : graph.shapes) {
        std::vector<Tensor> arguments;
        for (const auto &shape : shapes)
          arguments.push_back(numbers(graph.dtype, shape));
        ASSERT_TRUE(callUntilMade(*g, arguments, ++made)) << graph.name << ", " << made;
        int64_t before = g->counters().specialisedCalls;
        std::vector<Tensor> expected = *f->call(arguments), got = *g->call(arguments);
        EXPECT_EQ(g->counters().specialisedCalls, before + 1) << graph.name;
        for (size_t k = 0; k < expected.size(); ++k)
          EXPECT_TRUE(sameBits(got[k], expected[k]))
              << graph.name << ", output " << k << ", shapes " << made << ", threads " << threads;
      }
      EXPECT_EQ(f->counters().specialisations, 0);
    }
}

TEST(Specialisations, AreBoundedInNumber) {
  Variable x = dmatrix("x");
  Function f = *function({x}, {exp(x).sum(1)}, {.specialisations = 2});
  auto shaped = [](int64_t n) { return std::vector{numbers(DType::Float64, {n, 4})}; };
  ASSERT_TRUE(callUntilMade(f, shaped(5), 1));
  ASSERT_TRUE(callUntilMade(f, shaped(6), 2));
  int64_t calls = f.counters().specialisedCalls;
  EXPECT_EQ(calledOften(f, shaped(7)).specialisations, 2);
  EXPECT_EQ(f.counters().specialisedCalls, calls) << "the third has the general code";
  ASSERT_TRUE(f.call(shaped(5)).ok() && f.call(shaped(6)).ok());
  EXPECT_EQ(f.counters().specialisedCalls, calls + 2);
  // Counts are of both kinds of code; a copy begins anew.
  EXPECT_EQ(f.counters().calls, f.counters().kernelRuns);
  Function copy = *f.copy();
  EXPECT_EQ(copy.counters().specialisations, 0);
  EXPECT_TRUE(callUntilMade(copy, shaped(8), 1));
}

// A shape that comes now and then among others is not often; nor are calls that fail.
TEST(Specialisations, AreForWhatComesOften) {
  Variable x = dvector("x"), y = dvector("y");
  Function f = *function({x, y}, {x * y + 1});
  for (int i = 0; i < 40 * Specialisations::kOften; ++i)
    ASSERT_TRUE(
        f(numbers(DType::Float64, {10 + i % 4000}), numbers(DType::Float64, {10 + i % 4000})).ok());
  Tensor two({1, 2}), three({1, 2, 3});
  for (int i = 0; i < 2 * Specialisations::kOften; ++i)
    ASSERT_FALSE(f(two, three).ok());
  for (int i = 0; i + 1 < Specialisations::kOften; ++i)
    ASSERT_TRUE(f(two, two).ok());
  EXPECT_EQ(f.counters().specialisations, 0);
  EXPECT_TRUE(callUntilMade(f, {two, two}));
}

// Kernels of static graphs have extents as arguments, too: what they compute from these before
// their loops is a part of a short call. Typed calls are counted, too; that they find versions is
// seen in the next test.
TEST(Specialisations, OfStaticGraphsWithShortCalls) {
  auto product = [](int64_t m, int64_t k, int64_t n) {
    Variable x = tensor(DType::Float32, {m, k}, "x"), y = tensor(DType::Float32, {k, n}, "y");
    return *function({x, y}, {dot(x, y)});
  };
  Function f = product(17, 33, 65);
  Tensor a = numbers(DType::Float32, {17, 33}), b = numbers(DType::Float32, {33, 65});
  Tensor general = (*f(a, b))[0], typed = *Tensor::zeros(DType::Float32, {17, 65});
  using In = View<const float, 2>;
  auto bound = *f.bind<absl::Status(In, In, View<float, 2>)>();
  auto call = [&](const auto &callee) {
    typed = *Tensor::zeros(DType::Float32, {17, 65});
    return callee(std::as_const(a).view<float, 2>(), std::as_const(b).view<float, 2>(),
                  typed.view<float, 2>());
  };
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int i = 0; f.counters().specialisations == 0; ++i) {
    ASSERT_TRUE(call(bound).ok() && std::chrono::steady_clock::now() < end);
    EXPECT_TRUE(i < Specialisations::kOften - 1 || sameBits(typed, general));
    if (i >= Specialisations::kOften)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(f.counters().specialisations, 1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(call(bound).ok());
    EXPECT_TRUE(sameBits(typed, general));
  }
  EXPECT_TRUE(sameBits((*f(a, b))[0], general));
  EXPECT_EQ(calledOften(product(256, 256, 256),
                        {numbers(DType::Float32, {256, 256}), numbers(DType::Float32, {256, 256})})
                .specialisations,
            0)
      << "long";
  // Several kernels, each of which is short.
  Variable x = tensor(DType::Float32, {17, 33}, "x"), w = tensor(DType::Float32, {33, 33}, "w"),
           v = x;
  for (int i = 0; i < 12; ++i)
    v = tanh(dot(v, w)) - x;
  Function chain = *function({x, w}, {v});
  EXPECT_GT(chain.counters().kernels, 0);
  EXPECT_TRUE(callUntilMade(chain, {a, numbers(DType::Float32, {33, 33})}));
  // It has its owner, as it is and moved.
  f = product(2, 3, 4);
  auto moved = std::move(bound);
  ASSERT_TRUE(call(moved).ok());
  EXPECT_TRUE(sameBits(typed, general));
  EXPECT_FALSE(call(bound).ok());
}

// Typed calls of extents that the function does not know find its versions by themselves.
TEST(Specialisations, OfTypedCalls) {
  Variable x = fmatrix("x"), v = fvector("v");
  Function f = *function({x, v}, {tanh(x + v) * 2.0f});
  using Matrix = View<const float, 2>;
  auto bound = *f.bind<absl::Status(Matrix, View<const float, 1>, View<float, 2>)>();
  auto callsOf = [&](int64_t rows, int64_t columns) {
    Tensor a = numbers(DType::Float32, {rows, columns}), b = numbers(DType::Float32, {columns});
    Tensor wanted = (*f(a, b))[0], typed = *Tensor::zeros(DType::Float32, {rows, columns});
    return [=](auto &callee) mutable {
      typed = *Tensor::zeros(DType::Float32, wanted.shape());
      return callee(std::as_const(a).view<float, 2>(), std::as_const(b).view<float, 1>(),
                    typed.view<float, 2>())
                 .ok() &&
             sameBits(typed, wanted);
    };
  };
  auto first = callsOf(7, 33), second = callsOf(5, 20), third = callsOf(33, 7);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int64_t wanted : {1, 2})
    while (f.counters().specialisations < wanted) {
      ASSERT_TRUE((wanted == 1 ? first(bound) : second(bound)));
      ASSERT_TRUE(std::chrono::steady_clock::now() < end);
    }
  // The first typed call of each finds the version, and the others call its code: these are no
  // longer counted.
  const int64_t calls = f.counters().calls;
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(first(bound) && second(bound));
  EXPECT_LE(f.counters().calls, calls + 2);
  EXPECT_TRUE(third(bound)) << "general code";
  // Views that are not as code wants them, and memory that overlaps, go the general way.
  Tensor a = numbers(DType::Float32, {33, 7}), b = numbers(DType::Float32, {33});
  Tensor wanted = (*f(*a.transpose({1, 0}), b))[0],
         strided = *Tensor::zeros(DType::Float32, {7, 33});
  Tensor turned = *a.transpose({1, 0});
  ASSERT_TRUE(bound(std::as_const(turned).view<float, 2>(), std::as_const(b).view<float, 1>(),
                    strided.view<float, 2>())
                  .ok());
  EXPECT_TRUE(sameBits(strided, wanted));
  Tensor same = numbers(DType::Float32, {7, 33});
  wanted = (*f(same, b))[0];
  ASSERT_TRUE(bound(std::as_const(same).view<float, 2>(), std::as_const(b).view<float, 1>(),
                    same.view<float, 2>())
                  .ok());
  EXPECT_TRUE(sameBits(same, wanted));
}

TEST(Specialisations, AreOffWhereNobodyWantsThem) {
  Variable x = dvector("x"), s = tensor(DType::Float64, {3}, "s");
  std::vector<Tensor> three = {Tensor({1, 2, 3})};
  for (const char *mode : {"debug", "nanguard", "interpreter", "fast_compile"})
    EXPECT_EQ(calledOften(*function({x}, {x + 1.5}, {.mode = mode}), three).specialisations, 0)
        << mode;
  EXPECT_EQ(calledOften(*function({s}, {s + 1.5}), three).specialisations, 0) << "static";
  EXPECT_EQ(calledOften(*function({x}, {x + 1.5}, {.specialisations = 0}), three).specialisations,
            0);
  Config before = config(), none = before;
  EXPECT_EQ(before.specialisations, 4);
  none.specialisations = 0;
  ASSERT_TRUE(setConfig(none).ok());
  EXPECT_EQ(calledOften(*function({x}, {x + 1.5}), three).specialisations, 0);
  ASSERT_TRUE(setConfig(before).ok());
  for (const char *mode : {"strict", "fast_run", "fast_math"})
    EXPECT_TRUE(callUntilMade(*function({x}, {x + 1.5}, {.mode = mode}), three)) << mode;
}

TEST(Specialisations, RefusesNegativeNumbers) {
  Variable x = dvector("x");
  EXPECT_EQ(said(function({x}, {x + 1}, {.specialisations = -1}).status()),
            "ValueError: function: specialisations must not be negative, but is -1");
  Config negative = config();
  negative.specialisations = -2;
  EXPECT_EQ(said(setConfig(negative)),
            "ValueError: specialisations must not be negative, but is -2");
}

// Checks of elements, sizes that are elements, shared variables and borrowed results.
TEST(Specialisations, KeepWhatCallsDo) {
  Variable x = dmatrix("x"), i = lvector("i"), n = lscalar("n");
  SharedVariable sum = shared(*Tensor::zeros(DType::Float64, {5}), "sum");
  auto make = [&](int most) {
    return *function({x, i, n}, {{"rows", take(x, i, {.axis = 0})}, {"ones", full({n}, x.sum())}},
                     {.updates = {{sum, sum + x.sum(0)}}, .specialisations = most});
  };
  Function f = make(1), general = make(0);
  std::vector<Tensor> arguments = {numbers(DType::Float64, {4, 5}), Tensor({3, 0}, DType::Int64),
                                   Tensor(int64_t(3))};
  ASSERT_TRUE(callUntilMade(f, arguments));
  for (int64_t count : {2, 6}) { // no extent of an input
    arguments[2] = Tensor(count);
    int64_t before = f.counters().specialisedCalls;
    std::vector<Tensor> got = *f.call(arguments), expected = *general.call(arguments);
    EXPECT_EQ(f.counters().specialisedCalls, before + 1);
    for (size_t k = 0; k < 2; ++k)
      EXPECT_TRUE(sameBits(got[k], expected[k])) << k;
  }
  ASSERT_TRUE(sum.set(*Tensor::zeros(DType::Float64, {5})).ok());
  ASSERT_TRUE(f.call(arguments).ok());
  Tensor once = sum.get();
  ASSERT_TRUE(sum.set(*Tensor::zeros(DType::Float64, {5})).ok());
  ASSERT_TRUE(general.call(arguments).ok());
  EXPECT_TRUE(sameBits(once, sum.get()));
  arguments[1] = Tensor({3, 4}, DType::Int64);
  EXPECT_EQ(said(f.call(arguments).status()), said(general.call(arguments).status()));
  EXPECT_EQ(errorKind(f.call(arguments).status()), ErrorKind::IndexError);
  f.free();
  arguments[1] = Tensor({3, 0}, DType::Int64);
  EXPECT_TRUE(f.call(arguments).ok());
}

TEST(Specialisations, HaveTheStepsOfProfiles) {
  Variable x = dmatrix("x");
  Function f = *function({x}, {exp(x).sum(1), dot(x, x)}, {.profile = true});
  std::vector<Tensor> arguments = {numbers(DType::Float64, {6, 6})};
  ASSERT_TRUE(callUntilMade(f, arguments));
  ASSERT_TRUE(f.call(arguments).ok());
  Function::Counters c = f.counters();
  EXPECT_EQ(c.specialisedCalls, 1);
  EXPECT_NE(f.profile()->text().find(std::to_string(c.calls)), std::string::npos);
}

/// As large as takes long to compile.
Function manyKernels(double factor) {
  Variable x = dmatrix("x"), y = x;
  for (int i = 0; i < 12; ++i)
    y = dot(tanh(y * (factor + i)), x) + y.sum(i % 2);
  return *function({x}, {y}, {.cache = false});
}

// Nobody waits for what is not wanted any more.
TEST(Specialisations, OfFunctionsThatAreGone) {
  std::vector<Tensor> arguments = {numbers(DType::Float64, {6, 6})};
  for (int i = 0; i < 3; ++i) {
    Function f = manyKernels(1.25 + i);
    calledOften(f, arguments);
  }
  Variable x = dvector("x");
  EXPECT_TRUE(callUntilMade(*function({x}, {x + 1.5}), {Tensor({1, 2})}));
}

bool isChild = false;

/// The exit status of a child of this process that does `body` and returns.
int statusOfChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (child == 0) {
    isChild = true;
    alarm(60);
    bool good = body();
    exit(good ? 0 : 1); // with what happens at the end of a process
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// The end of a process cancels what is being compiled, and waits for that.
TEST(Specialisations, AtTheEndOfAProcess) {
  std::vector<Tensor> arguments = {numbers(DType::Float64, {6, 6})};
  Function f = manyKernels(0.75);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(statusOfChild([&] {
                calledOften(f, arguments);
                std::this_thread::sleep_for(std::chrono::milliseconds(7 * i));
                return startedBackgroundThreads() == 1;
              }),
              0)
        << i;
}

// What is in the making when a process forks is made by the parent, and by the child for itself.
TEST(Specialisations, InForkedProcesses) {
  std::vector<Tensor> arguments = {numbers(DType::Float64, {6, 6})};
  Function f = manyKernels(0.5);
  calledOften(f, arguments);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(statusOfChild(
                  [&] { return startedBackgroundThreads() == 0 && callUntilMade(f, arguments); }),
              0)
        << i;
  EXPECT_TRUE(callUntilMade(f, arguments));
  EXPECT_EQ(statusOfChild([&] {
              int64_t before = f.counters().specialisedCalls;
              return f.call(arguments).ok() && f.counters().specialisedCalls == before + 1 &&
                     startedBackgroundThreads() == 0;
            }),
            0);
}

/// Does it when it is told to, or refuses.
class Later : public TaskRunner {
public:
  void run(int count, const std::function<void(int)> &task) override {
    for (int number = 0; number < count; ++number)
      task(number);
  }
  bool runLater(std::function<void()> work) override {
    ++asked;
    if (accepts)
      works.push_back(std::move(work));
    return accepts;
  }
  bool accepts = true;
  int asked = 0;
  std::vector<std::function<void()>> works;
};

// A program with threads of its own gets no other ones.
TEST(Specialisations, OnTheProgramsThreads) {
  auto body = [] {
    auto own = std::make_shared<Later>();
    setTaskRunner(own);
    Variable x = dvector("x");
    std::vector<Tensor> two = {Tensor({1, 2})}, three = {Tensor({1, 2, 3})};
    Function f = *function({x}, {exp(x) + 1.5});
    own->accepts = false;
    if (calledOften(f, two).specialisations != 0 || own->asked != 1)
      return false;
    own->accepts = true;
    if (calledOften(f, three).specialisations != 0 || own->works.size() != 1)
      return false;
    own->works[0]();
    if (!f.call(three).ok() || f.counters().specialisedCalls != 1)
      return false;
    Function gone = *function({x}, {exp(x) + 2.5});
    calledOften(gone, three);
    gone = Function();
    own->works[1](); // nobody's any more
    setTaskRunner(nullptr);
    return startedBackgroundThreads() == 0;
  };
  EXPECT_EQ(statusOfChild(body), 0);
}

#if __has_feature(address_sanitizer)
/// What stands on the stacks of threads that a child has not is no leak of its.
extern "C" int __lsan_is_turned_off() { return isChild; }
#endif

} // namespace
} // namespace graphc
