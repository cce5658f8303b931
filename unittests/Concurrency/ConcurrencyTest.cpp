//===- ConcurrencyTest.cpp - libgraphc from many threads, for ThreadSanitizer ---===//
//
// F-219. The preset `tsan` builds libgraphc and this program alone with -fsanitize=thread. It has
// no compiler: functions come, with their code, from files that this program writes when it is
// built without (docs/Testing.md). The code of kernels is not instrumented, all that calls it is.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "API/Specialisations.h"
#include "Runtime/ThreadPool.h"
#include "absl/cleanup/cleanup.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// The functions of these tests, by name.
absl::StatusOr<Function> compiled(const std::string &name) {
  if (name == "network") {
    auto x = dmatrix("x"), w = dmatrix("w");
    return function({x, w}, {{"p", softmax(dot(x, w))}, {"sums", (x * 2 + 1).sum(1)}},
                    {.name = name});
  }
  if (name == "scalar") {
    auto a = dscalar("a"), b = dscalar("b");
    return function({a, b}, {a * b + 1}, {.name = name});
  }
  if (name == "large") {
    auto x = dvector("x");
    return function({x}, {sqrt(x) + 1, x.sum()}, {.name = name});
  }
  if (name == "loops") { // which are branches of a fork
    auto x = dvector("x");
    auto step = [](absl::Span<const Variable> in) { return tanh(in[1] * 0.5 + in[0]); };
    ScanOptions options{.sequences = {x}, .outputs = {0.0}};
    Variable forward = scan(step, options).outputs[0];
    options.goBackwards = true;
    return function({x}, {forward, scan(step, options).outputs[0]}, {.name = name});
  }
  if (name == "counter") { // in place
    auto x = dscalar("x");
    SharedVariable s = shared(*Tensor::zeros(DType::Float64, {200}), "s");
    return function({x}, {}, {.updates = {{s, s + x}}, .name = name});
  }
  if (name == "transfer") {
    auto x = dscalar("x");
    SharedVariable from = shared(1000.0, "from"), to = shared(0.0, "to");
    return function({x}, {from, to}, {.updates = {{from, from - x}, {to, to + x}}, .name = name});
  }
  SharedVariable from = shared(0.0, "from"), to = shared(0.0, "to"); // "reader"
  return function({}, {from + to}, {.name = name});
}

constexpr const char *kNames[] = {"network", "scalar",   "large", "loops",
                                  "counter", "transfer", "reader"};

std::string pathOf(const std::string &folder, const std::string &name) {
  return folder + "/" + name + ".gf";
}

/// From a file where the compiler is not part of this program.
Function functionOf(const std::string &name, std::optional<int> threads = std::nullopt) {
  const char *folder = std::getenv("GRAPHC_TEST_FUNCTIONS_FROM");
  absl::StatusOr<Function> f =
      folder ? loadFunction(pathOf(folder, name), {.trustCode = true, .threads = threads})
             : compiled(name);
  if (f.ok() && !folder && threads) { // as a file's
    std::string path = pathOf(::testing::TempDir(), name);
    EXPECT_TRUE(f->save(path).ok());
    f = loadFunction(path, {.trustCode = true, .threads = threads});
    std::filesystem::remove(path);
  }
  EXPECT_TRUE(f.ok()) << name << ": " << f.status();
  return f.value_or(Function());
}

/// `work(number)` on so many threads at once.
void onThreads(int count, const std::function<void(int)> &work) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < count; ++number)
    threads.emplace_back([&, number] {
      ++ready;
      while (ready < count)
        std::this_thread::yield();
      work(number);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// What the instrumented program reads; nothing elsewhere.
TEST(Concurrency, SavesItsFunctions) {
  const char *folder = std::getenv("GRAPHC_TEST_FUNCTIONS_TO");
  for (const char *name : kNames)
    if (absl::StatusOr<Function> f = functionOf(name); folder) {
      absl::Status saved = f->save(pathOf(folder, name));
      EXPECT_TRUE(saved.ok()) << saved;
    }
}

/// Whether the rows of `p` are softmax(x w), with all elements of x and w these numbers.
bool isRight(const Results &r, int64_t rows, int64_t columns, double x) {
  bool right = r[0].numElements() == rows * columns && r[1].numElements() == rows;
  for (double p : r[0].flat<double>())
    right &= std::abs(p - 1.0 / double(columns)) < 1e-15;
  for (double sum : r[1].flat<double>())
    right &= sum == 5 * (x * 2 + 1);
  return right;
}

TEST(Concurrency, CallsOfOneFunction) {
  Function f = functionOf("network"), g = functionOf("scalar");
  std::atomic<int> wrong = 0;
  onThreads(8, [&](int number) {
    Function copy = f;
    for (int k = 0; k < 40; ++k) {
      int64_t rows = 1 + (k + number) % 5, columns = 1 + k % 3; // shapes that others have, too
      double value = number;
      Tensor x = *Tensor::full(DType::Float64, {rows, 5}, value);
      Tensor w = *Tensor::full(DType::Float64, {5, columns}, 0.5);
      absl::StatusOr<Results> r = k % 2 ? copy(x, w) : copy.call({x}, {{"w", w}});
      wrong += !r.ok() || !isRight(*r, rows, columns, value);
      r = k % 2 ? g(value, double(k)) : g(Tensor(value), Tensor(double(k)));
      wrong += !r.ok() || (*r)[0].item<double>() != value * k + 1;
      wrong += f(x, Tensor(1.0)).ok() || f(x, x).ok() != (rows == 5); // errors
      if (k % 10 == 9)
        f.free();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(f.counters().calls, 8 * 40);
}

TEST(Concurrency, CallsThatDivideTheirWork) {
  Function f = functionOf("large", 3);
  int64_t n = 1 << 17;
  Tensor x = *Tensor::full(DType::Float64, {n}, 4.0);
  std::atomic<int> wrong = 0;
  onThreads(3, [&](int) {
    for (int k = 0; k < 10; ++k) {
      absl::StatusOr<Results> r = f(x);
      bool right = r.ok() && (*r)[1].item<double>() == double(4 * n);
      for (int64_t i = 0; right && i < n; i += 977)
        right = (*r)[0].flat<double>()[size_t(i)] == 3;
      wrong += !right;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(ThreadPool::shared().startedWorkers(), 0);
}

// Steps of one call side by side, of several calls at once.
TEST(Concurrency, CallsWithForks) {
  Function f = functionOf("loops", 2);
  constexpr int64_t n = 2048;
  Tensor x = *Tensor::full(DType::Float64, {n}, 0.25);
  std::vector<double> expected(n); // tanh's ULPs, 6e-17 here, twice at most by the recurrence
  for (double state = 0; double &value : expected)
    state = value = std::tanh(state * 0.5 + 0.25);
  std::atomic<int> wrong = 0;
  onThreads(4, [&](int) {
    for (int k = 0; k < 10; ++k) {
      absl::StatusOr<Results> r = f(x);
      for (size_t result : {0, 1})
        for (int64_t i = 0; r.ok() && i < n; i += 97)
          wrong +=
              !(std::abs((*r)[result].flat<double>()[size_t(i)] - expected[size_t(i)]) <= 1e-15);
      wrong += !r.ok();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(f.counters().forks, 0);
}

// Calls that update one variable, in place and not, and others that read and write it meanwhile: a
// value is always whole, and no update is lost.
TEST(Concurrency, UpdatesAndReaders) {
  Function f = functionOf("counter");
  StoredValue s = f["s"];
  std::atomic<int> wrong = 0, running = 4;
  onThreads(7, [&](int number) {
    if (number < 4) {
      for (int k = 0; k < 60; ++k)
        wrong += !f(double(number)).ok();
      --running;
      return;
    }
    Tensor held; // a value that is in use is not overwritten
    while (running > 0) {
      absl::StatusOr<Tensor> value = s.get({.borrow = number != 4});
      wrong += !value.ok();
      for (double x : value->flat<double>())
        wrong += x != value->flat<double>()[0];
      if (number == 6)
        held = *value;
    }
  });
  EXPECT_EQ(wrong, 0);
  Tensor sum = *s.get();
  EXPECT_EQ(sum.flat<double>()[199], 60 * (0 + 1 + 2 + 3));
  onThreads(4, [&](int number) {
    for (int k = 0; k < 40; ++k)
      if (number == 0)
        wrong += !s.set(*Tensor::full(DType::Float64, {200}, double(k))).ok();
      else if (number == 1)
        wrong += !f.copy({.deleteUpdates = k % 2 == 0}).ok();
      else
        wrong += !f(1.0).ok();
  });
  EXPECT_EQ(wrong, 0);
}

// Two variables that each call changes together, and one picture of both for who reads.
TEST(Concurrency, VariablesThatGoTogether) {
  Function transfer = functionOf("transfer"), reader = functionOf("reader");
  std::vector<SharedVariable> own = transfer.sharedVariables(), old = reader.sharedVariables();
  ASSERT_EQ(own.size(), 2u);
  ASSERT_EQ(old.size(), 2u);
  absl::StatusOr<Function> both = reader.copy({.swap = {{old[0], own[0]}, {old[1], own[1]}}});
  ASSERT_TRUE(both.ok()) << both.status();
  std::atomic<int> wrong = 0, running = 3;
  onThreads(6, [&](int number) {
    if (number < 3) {
      for (int k = 0; k < 80; ++k) {
        absl::StatusOr<Results> r = transfer(double(number) - 0.5);
        wrong += !r.ok() || (*r)[0].item<double>() + (*r)[1].item<double>() != 1000;
      }
      --running;
    } else {
      while (running > 0) {
        absl::StatusOr<Results> r = (*both)();
        wrong += !r.ok() || (*r)[0].item<double>() != 1000;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ((*transfer["to"].get()).item<double>(), 80 * (-0.5 + 0.5 + 1.5));
}

TEST(Concurrency, TypedCalls) {
  Function f = functionOf("scalar"), g = functionOf("network");
  auto plain = f.bind<double(double, double)>();
  auto views = g.bind<absl::Status(View<const double, 2>, View<const double, 2>, View<double, 2>,
                                   View<double, 1>)>();
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(views.ok()) << views.status();
  std::atomic<int> wrong = 0;
  onThreads(6, [&](int number) {
    for (int k = 0; k < 60; ++k) {
      wrong += (*plain)(number, k) != number * k + 1;
      int64_t rows = 1 + k % 4;
      double x[4][5] = {}, w[5][2] = {}, p[4][2], sums[4];
      absl::Status s = (*views)({&x[0][0], {rows, 5}}, {&w[0][0], {5, 2}}, {&p[0][0], {rows, 2}},
                                {sums, {rows}});
      wrong += !s.ok() || p[rows - 1][1] != 0.5 || sums[rows - 1] != 5;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// Each thread its own graph, of Variables that all have in common: building, printing, rewriting,
// and the evaluator.
TEST(Concurrency, GraphsAndTheEvaluator) {
  auto x = dvector("x"), y = dvector("y");
  Constant two = constant(2.0);
  SharedVariable s = shared(Tensor({1, 2, 3}), "s");
  OpFromGraph square({x}, {x * x});
  std::atomic<int> wrong = 0;
  onThreads(8, [&](int number) {
    for (int k = 0; k < 6; ++k) {
      Variable e = (x * two + y) / (x + 0.0 + double(number)) + s * (k + 1) + square(x);
      Variable mistake =
          dot(x, dmatrix("m" + std::to_string(k))) + dvector("v") * Variable(x).sum();
      (void)mistake.status();
      absl::StatusOr<FunctionGraph> graph = FunctionGraph::create({x, y, s}, {e, log(exp(e))});
      wrong += !graph.ok() || !rewrite(*graph).ok();
      wrong += pp(graph->output(0)).empty() || debugPrint(*graph).empty();
      auto f = function({x, y}, {e}, {.mode = "interpreter"});
      wrong += !f.ok();
      absl::StatusOr<Results> r = (*f)(Tensor({1, 1, 1}), Tensor({4, 5, 6}));
      for (int i = 0; i < 3; ++i)
        wrong +=
            !r.ok() || std::abs((*r)[0].flat<double>()[size_t(i)] -
                                (double(6 + i) / (1 + number) + (i + 1) * (k + 1) + 1)) > 1e-14;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// One interpreted function, and its updates.
TEST(Concurrency, InterpretedCalls) {
  auto x = dvector("x");
  SharedVariable s = shared(*Tensor::zeros(DType::Float64, {20}), "s");
  auto f = function({x}, {exp(x).sum()}, {.mode = "interpreter", .updates = {{s, s + x}}});
  ASSERT_TRUE(f.ok()) << f.status();
  std::atomic<int> wrong = 0;
  onThreads(6, [&](int number) {
    for (int k = 0; k < 25; ++k) {
      absl::StatusOr<Results> r = (*f)(*Tensor::full(DType::Float64, {20}, double(number)));
      wrong += !r.ok();
      Tensor value = s.get();
      for (double element : value.flat<double>())
        wrong += element != value.flat<double>()[0] || element != std::floor(element);
    }
  });
  EXPECT_EQ(wrong, 0);
  Tensor sum = s.get();
  EXPECT_EQ(sum.flat<double>()[19], 25 * 15);
}

TEST(Concurrency, FilesAreLoadedAndWritten) {
  std::string folder = ::testing::TempDir();
  Function f = functionOf("network", 1), counter = functionOf("counter");
  const char *from = std::getenv("GRAPHC_TEST_FUNCTIONS_FROM");
  std::string path = pathOf(from ? from : folder, "network");
  if (!from)
    ASSERT_TRUE(f.save(path).ok());
  std::atomic<int> wrong = 0;
  onThreads(5, [&](int number) {
    for (int k = 0; k < 6; ++k) {
      absl::StatusOr<Function> loaded = loadFunction(path, {.trustCode = true});
      wrong += !loaded.ok();
      Tensor x = *Tensor::full(DType::Float64, {2, 5}, 1.0);
      Tensor w = *Tensor::full(DType::Float64, {5, 2}, 1.0);
      absl::StatusOr<Results> r = (*loaded)(x, w);
      wrong += !r.ok() || !isRight(*r, 2, 2, 1);
      std::string own = folder + "/values" + std::to_string(number) + ".npz";
      wrong += !saveNpz(own, {{"p", (*r)["p"]}}).ok() || !loadNpz(own).ok();
      std::filesystem::remove(own);
    }
  });
  if (!from)
    std::filesystem::remove(path);
  EXPECT_EQ(wrong, 0);
}

// What holds for the whole process changes while functions are called.
TEST(Concurrency, SettingsOfTheProcess) {
  class Aligned : public Allocator {
    void *allocate(size_t bytes, size_t alignment) override {
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    }
    void deallocate(void *memory, size_t) override { std::free(memory); }
  };
  class InTurn : public TaskRunner {
    void run(int count, const std::function<void(int)> &task) override {
      for (int number = 0; number < count; ++number)
        task(number);
    }
  };
  Config before = config();
  absl::Cleanup restore = [&] {
    setLogSink(nullptr);
    setAllocator(nullptr);
    setTaskRunner(nullptr);
    (void)setConfig(before);
  };
  Function f = functionOf("large", 2);
  Profile profile("all");
  std::atomic<int> wrong = 0, warnings = 0;
  std::atomic<bool> ends = false;
  onThreads(6, [&](int number) {
    if (number >= 3) {
      auto x = dvector("x");
      auto g = function({x}, {x * double(number)}, {.mode = "interpreter", .profile = profile});
      for (int k = 0; k < 12; ++k) {
        absl::StatusOr<Results> r = f(*Tensor::full(DType::Float64, {1 << 15}, 4.0));
        wrong += !r.ok() || (*r)[1].item<double>() != 4 << 15;
        wrong += !(*g)(Tensor({1, 2})).ok();
        (void)Tensor({1, 2}).item<double>(); // which warns
      }
      ends = true;
      return;
    }
    for (int k = 0; !ends; ++k) {
      bool own = k % 2;
      if (number == 0) {
        setAllocator(own ? std::make_shared<Aligned>() : nullptr);
        setTaskRunner(own ? std::make_shared<InTurn>() : nullptr);
      } else if (number == 1) {
        setLogSink([&](std::string_view) { ++warnings; });
        Config changed = config();
        changed.floatX = own ? DType::Float32 : DType::Float64;
        wrong += !setConfig(changed).ok();
      } else {
        wrong += profile.text().empty();
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

/// Versions of a program that does nothing.
class Copying : public Specialiser {
public:
  std::shared_ptr<const Executable> general = [] {
    Program program;
    program.inputs.push_back({"x", DType::Float64, {kDynamic}, 0});
    program.arrays.push_back({Program::Array::Storage::Input, DType::Float64, 0, {0}});
    program.sizes.push_back({SizeOp::Dim, 0, 0, -1, 0});
    return *Executable::create(std::move(program), nullptr);
  }();
  mutable std::atomic<int> made = 0;

  absl::StatusOr<std::shared_ptr<const Executable>> make(absl::Span<const int64_t>,
                                                         int) const override {
    ++made;
    return general->clone();
  }
};

// Calls count, begin and find versions that the background makes; some are gone before.
TEST(Concurrency, Specialisations) {
  auto copying = std::make_shared<Copying>();
  Specialisations all(copying, 3, 1);
  std::atomic<int> found = 0;
  onThreads(5, [&](int number) {
    for (int k = 0; k < 4000 && (number > 0 || all.made().size() < 3); ++k) {
      Tensor x[] = {*Tensor::zeros(DType::Float64, {1 + (k + number) % 4})};
      const Executable *own = all.find(x[0].shape());
      found += own != nullptr;
      EXPECT_TRUE((own ? *own : *copying->general).run(x, {}).ok());
      if (!own)
        all.count(x[0].shape());
      if (k % 100 == 99) {
        std::unique_ptr<const Specialisations> other = all.forCopy();
        for (int often = 0; often < Specialisations::kOften; ++often)
          other->count(x[0].shape());
      }
    }
  });
  EXPECT_GT(copying->made, 0);
}

} // namespace
} // namespace graphc
