//===- EmbeddingTest.cpp - memory and threads of the program's, cancelling ---===//
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <list>
#include <mutex>
#include <thread>

#include "Places.h"
#include "Runtime/ThreadPool.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

//===--- memory ---------------------------------------------------------------===//

/// Counts, fills what it gives with bytes that are no numbers, and may have no more memory.
class CountingAllocator : public Allocator {
public:
  void *allocate(size_t bytes, size_t alignment) override {
    std::lock_guard lock(mutex_);
    if (left-- == 0)
      return nullptr;
    ++count;
    live += bytes;
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    std::memset(memory, 0xFF, bytes);
    return memory;
  }
  void deallocate(void *memory, size_t bytes) override {
    std::lock_guard lock(mutex_);
    live -= bytes;
    std::free(memory);
  }

  int64_t left = -1; ///< how many it gives before it refuses one; never if negative
  int64_t count = 0;
  size_t live = 0;

private:
  std::mutex mutex_;
};

/// The process's, while it lives.
struct LentMemory {
  std::shared_ptr<CountingAllocator> own = std::make_shared<CountingAllocator>();
  LentMemory() { setAllocator(own); }
  ~LentMemory() { setAllocator(nullptr); }
  CountingAllocator *operator->() const { return own.get(); }
};

TEST(Allocator, HasTheArrays) {
  std::weak_ptr<CountingAllocator> first;
  Tensor kept, before = *Tensor::full(DType::Float32, {20}, 1.5);
  {
    LentMemory memory;
    EXPECT_EQ(before.flat<float>()[19], 1.5f);
    before = Tensor();
    EXPECT_EQ(memory->live, 0u);
    first = memory.own;
    Tensor zeros = *Tensor::zeros(DType::Float64, {100});
    EXPECT_EQ(memory->live, 800u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(zeros.data()) % 64, 0u);
    for (double x : zeros.flat<double>())
      EXPECT_EQ(x, 0);
    Tensor small = *Tensor::zeros(DType::Float64, {8});
    EXPECT_EQ(memory->count, 1) << "what is small is no array of its own";
    kept = *Tensor::full(DType::Float32, {20}, 2.5);
    zeros = Tensor();
    EXPECT_EQ(memory->live, 80u);
  }
  Tensor other = *Tensor::zeros(DType::Float64, {100}); // the C library's again
  ASSERT_FALSE(first.expired()) << "kept for its last array";
  EXPECT_EQ(first.lock()->live, 80u);
  EXPECT_EQ(kept.flat<float>()[19], 2.5f);
  kept = Tensor();
  EXPECT_TRUE(first.expired());
}

TEST(Allocator, HasTheMemoryOfCalls) {
  LentMemory memory;
  {
    auto x = dmatrix("x");
    auto f = function({x}, {dot(exp(dot(x, x)), x)});
    ASSERT_TRUE(f.ok()) << f.status();
    size_t before = memory->live;
    Tensor ones = *Tensor::full(DType::Float64, {16, 16}, 1.0);
    absl::StatusOr<Results> r = (*f)(ones);
    ASSERT_TRUE(r.ok()) << r.status();
    // Every element of exp(dot(x, x)) is e^16.
    EXPECT_NEAR((*r)[0].flat<double>()[0], 16 * std::exp(16), 1e-3);
    EXPECT_GE(memory->live - before, 3u * 16 * 16 * 8) << "the argument, the result, and between";
    size_t kept = memory->live;
    f->free();
    EXPECT_LT(memory->live, kept);
    EXPECT_TRUE((*f)(ones).ok());
    // F-215, F-217: and what calls of a subset of outputs keep.
    f->free();
    kept = memory->live;
    ASSERT_TRUE(f->call({ones}, {}, {.outputSubset = OutputSubset{0}}).ok());
    EXPECT_GT(memory->live, kept);
    f->free();
    EXPECT_EQ(memory->live, kept);
  }
  EXPECT_EQ(memory->live, 0u);
}

/// A program that uses graphc in many ways; the values that it gets, if nothing fails.
class Program {
public:
  /// What fails, or OK.
  absl::Status run(const char *mode) {
    Variable x = tensor(DType::Float64, {kDynamic, 20}, "x");
    SharedVariable w = shared(*filled(0.25), "w");
    if (!w.ok())
      return w.status();
    Variable table = constant(*filled(2.0));
    Variable y = dot(exp(x * 0.125), w) + (table * 2 + table);
    FunctionOptions options;
    options.mode = mode;
    options.updates = {{w, w * 0.5}};
    absl::StatusOr<Function> f = function({x}, {{"y", y}, {"sums", y.sum(0)}}, options);
    if (!f.ok())
      return f.status();
    absl::StatusOr<Tensor> columns = filled(8.0)->transpose({1, 0}); // which a call copies
    if (!columns.ok())
      return columns.status();
    absl::StatusOr<Results> r = (*f)(*columns);
    if (!r.ok())
      return r.status();
    Tensor sums = (*r)["sums"];
    EXPECT_NEAR(sums.flat<double>()[7], 20 * (20 * std::exp(1.0) * 0.25 + 6), 1e-10) << mode;
    absl::StatusOr<Tensor> half = (*f)["w"].get();
    if (!half.ok())
      return half.status();
    EXPECT_EQ(half->flat<double>()[399], 0.125) << mode;
    if (absl::Status s = w.set(*half); !s.ok())
      return s;
    absl::StatusOr<Tensor> narrow = Tensor::full(DType::Float32, {20, 20}, 8.0f);
    if (!narrow.ok())
      return narrow.status();
    r = (*f)(*narrow); // which is converted
    if (!r.ok())
      return r.status();
    EXPECT_NEAR((*r)["y"].flat<double>()[0], 20 * std::exp(1.0) * 0.125 + 6, 1e-10) << mode;
    std::string path = ::testing::TempDir() + "/embedding.npz";
    if (absl::Status s = saveNpz(path, {{"y", (*r)["y"]}}); !s.ok())
      return s;
    absl::StatusOr<std::map<std::string, Tensor>> read = loadNpz(path);
    std::filesystem::remove(path);
    return read.status();
  }

private:
  /// Where there is no memory for it, the values are elsewhere.
  absl::StatusOr<Tensor> filled(double value) {
    std::vector<double> &values = memory_.emplace_back(400, value);
    return Tensor::borrow(DType::Float64, values.data(), {20, 20});
  }
  std::list<std::vector<double>> memory_;
};

// Whichever array there is no memory for: the program is told so, or does without.
TEST(Allocator, EachMayBeRefused) {
  for (const char *mode : {"fast_run", "interpreter", "nanguard", "debug", "strict"}) {
    ASSERT_TRUE(Program().run(mode).ok()) << mode;
    int refused = 0;
    for (int64_t n = 0;; ++n) {
      LentMemory memory;
      memory->left = n;
      absl::Status status = Program().run(mode);
      bool isLast = memory->left >= 0;
      memory->left = -1;
      if (!status.ok()) {
        EXPECT_EQ(errorKind(status), ErrorKind::OutOfMemory) << mode << " " << n << ": " << status;
        EXPECT_NE(status.message().find("no memory"), absl::string_view::npos) << status;
        ++refused;
      }
      if (isLast) {
        EXPECT_TRUE(status.ok()) << status;
        break;
      }
    }
    EXPECT_GE(refused, 8) << mode;
  }
}

TEST(Allocator, MessagesSayWhatThereIsNoMemoryFor) {
  constexpr const char *kRemedy =
      "; parts of a batch need less, and Function::free gives back what "
      "functions keep for their next calls";
  auto x = dvector("x");
  auto named = function({x}, {{"y", x + 1}});
  auto nameless = function({x}, {exp(x)});
  auto m = dmatrix("m");
  auto between = function({m}, {dot(exp(dot(m, m)), m)});
  auto n = lscalar("n");
  auto huge = function({n}, {{"table", full({n, n}, Tensor(1.0))}});
  auto interpreted = function({n}, {full({n, n}, Tensor(1.0))}, {.mode = "interpreter"});
  for (const auto *f : {&named, &nameless, &between, &huge, &interpreted})
    ASSERT_TRUE(f->ok()) << f->status();
  SharedVariable s = shared(*Tensor::zeros(DType::Float64, {1000}), "s");
  auto reader = function({}, {s.sum()});
  ASSERT_TRUE(reader.ok());

  std::vector<double> values(1000, 1.0);
  Tensor hundred = *Tensor::borrow(DType::Float64, values.data(), {100});
  Tensor strided = *hundred.slice(0, 0, 50, 2);
  Tensor fixed = *Tensor::borrow(DType::Float64, values.data(), {100});
  fixed.freeze();
  Tensor thousand = *Tensor::borrow(DType::Float64, values.data(), {1000});
  Tensor square = *Tensor::borrow(DType::Float64, values.data(), {30, 30});
  int64_t many = int64_t(1) << 25;
  LentMemory memory;
  auto without = [&](auto &&call) {
    memory->left = 0;
    absl::Status status = call();
    memory->left = -1;
    return status;
  };
  expectMessages({
      {without([&] { return Tensor::zeros(DType::Int32, {3, 7}).status(); }),
       "OutOfMemory: no memory for 84 bytes of i32[3,7]"},
      {without([&] { return (*named)(hundred).status(); }),
       std::string("OutOfMemory: result `y`: no memory for 800 bytes of f64[100]") + kRemedy},
      {without([&] { return (*nameless)(hundred).status(); }),
       std::string("OutOfMemory: result 0: no memory for 800 bytes of f64[100]") + kRemedy},
      {without([&] { return (*named)(strided).status(); }),
       "OutOfMemory: input `x`: no memory for 400 bytes of a row-major copy of f64[50]; row-major "
       "ones are not copied"},
      {without([&] { return constant(hundred).status(); }),
       "OutOfMemory: a constant: no memory for 800 bytes of a copy of f64[100]; Constant::adopt "
       "copies no row-major Tensor"},
      {without([&] { return shared(hundred, "t").status(); }),
       "OutOfMemory: shared: no memory for 800 bytes of the value, f64[?]"},
      {without([&] { return s.set(thousand); }),
       "OutOfMemory: 's': no memory for 8000 bytes of the value, f64[?]"},
      {without([&] { return (*reader)["s"].get().status(); }),
       "OutOfMemory: function[\"s\"]: no memory for 8000 bytes of a copy of the value; borrow it"},
      {without([&] { return Tensor(fixed).assign(hundred); }),
       "OutOfMemory: assign: no memory for a copy of what is constant"},
      {without([&] { return toDLPack(fixed).status(); }),
       "OutOfMemory: toDLPack: no memory for a copy of what is constant"},
      {without([&] { return strided.reshape({5, 10}).status(); }),
       "OutOfMemory: reshape: no memory for 400 bytes of a row-major copy of f64[50]"},
  });
  EXPECT_EQ(withoutLines(said(
                without([&] { return function({In(x, {.value = hundred})}, x + 1).status(); }))),
            "OutOfMemory: function: no memory for 800 bytes of the value of input 0 ('x')\n  'x': "
            "f64[?], made at EmbeddingTest.cpp");
  std::string text = said(without([&] { return (*between)(square).status(); }));
  EXPECT_TRUE(text.starts_with("OutOfMemory: no memory for ")) << text;
  EXPECT_TRUE(text.ends_with(std::string(" bytes between the kernels, of which f64[30,30] is the "
                                         "largest array") +
                             kRemedy))
      << text;
  // More than a processor can address.
  setAllocator(nullptr);
  expectMessages({
      {(*huge)(many).status(),
       std::string("OutOfMemory: result `table`: no memory for 9007199254740992 bytes of "
                   "f64[33554432,33554432]") +
           kRemedy},
      {Tensor::zeros(DType::Int8, {int64_t(1) << 61}).status(),
       "OutOfMemory: no memory for 2305843009213693952 bytes of i8[2305843009213693952]"},
  });
  EXPECT_EQ(errorKind((*interpreted)(many).status()), ErrorKind::OutOfMemory);
  EXPECT_TRUE((*named)(hundred).ok()) << "and calls go on";
}

//===--- threads --------------------------------------------------------------===//

/// Tasks on new threads, or one after the other from the last.
class Tasks : public TaskRunner {
public:
  explicit Tasks(bool atOnce) : atOnce_(atOnce) {}
  void run(int count, const std::function<void(int)> &task) override {
    ++runs;
    most = std::max(most.load(), count);
    if (!atOnce_) {
      for (int number = count; number-- > 0;)
        task(number);
      return;
    }
    std::vector<std::thread> threads;
    for (int number = 0; number < count; ++number)
      threads.emplace_back([&task, number] { task(number); });
    for (std::thread &thread : threads)
      thread.join();
  }
  std::atomic<int> runs = 0, most = 0;

private:
  const bool atOnce_;
};

struct LentThreads {
  std::shared_ptr<Tasks> own;
  explicit LentThreads(bool atOnce) : own(std::make_shared<Tasks>(atOnce)) { setTaskRunner(own); }
  ~LentThreads() { setTaskRunner(nullptr); }
};

TEST(TaskRunner, DoesWhatCallsDivide) {
  auto x = dvector("x");
  auto f = function({x}, {exp(x)}, {.threads = 3});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor large = *Tensor::zeros(DType::Float64, {1 << 20});
  for (size_t i = 0; i < 1 << 20; ++i)
    large.mutableFlat<double>()[i] = double(i) / (1 << 20);
  int started = ThreadPool::shared().startedWorkers();
  for (bool atOnce : {true, false}) {
    LentThreads threads(atOnce);
    absl::StatusOr<Results> r = (*f)(large);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ(threads.own->runs, 1);
    EXPECT_EQ(threads.own->most, 3);
    for (size_t i = 0; i < 1 << 20; i += 1023)
      EXPECT_NEAR((*r)[0].flat<double>()[i], std::exp(double(i) / (1 << 20)), 1e-15 * 4);
  }
  EXPECT_EQ(ThreadPool::shared().startedWorkers(), started);
}

TEST(TaskRunner, DoesWhatCompilationsDivide) {
  if (usableThreads() < 2)
    GTEST_SKIP() << "a compilation has one thread here";
  LentThreads threads(true);
  auto x = dmatrix("x");
  auto f = function({x}, {x.sum(0), exp(x).sum(1), dot(x, x)}, {.cache = false});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_GE(threads.own->runs, 1);
  Tensor sums = (*(*f)(Tensor({{1, 2}, {3, 4}})))[0];
  EXPECT_EQ(sums.flat<double>()[1], 6);
}

//===--- cancelling -----------------------------------------------------------===//

/// A graph of up to 64 kernels, no two of which are equal.
Variable manyKernels(const Variable &x, int count) {
  Variable y = x;
  for (int i = 0; i < count; ++i) {
    for (int bit = 0; bit < 6; ++bit)
      y = i >> bit & 1 ? tanh(y) : sin(y);
    y = dot(y, x) + y.sum(i % 2);
  }
  return y;
}

constexpr char kCancelled[] = "Cancelled: f: the compilation was cancelled";

/// Of a function "f" whose compilation can be cancelled.
FunctionOptions cancelledBy(const Cancellation &cancellation) {
  FunctionOptions options;
  options.name = "f";
  options.cancellation = cancellation;
  return options;
}

TEST(Cancellation, BeforeItBegins) {
  auto x = dmatrix("x");
  Cancellation cancellation, other;
  EXPECT_FALSE(cancellation.isCancelled());
  Cancellation copy = cancellation;
  copy.cancel();
  EXPECT_TRUE(cancellation.isCancelled());
  EXPECT_FALSE(other.isCancelled());
  for (const char *mode : {"fast_run", "interpreter", "debug", "nanguard"}) {
    FunctionOptions options = cancelledBy(cancellation);
    options.mode = mode;
    EXPECT_EQ(said(function({x}, x + 1, options).status()), kCancelled) << mode;
    options.cancellation = other;
    EXPECT_TRUE(function({x}, x + 1, options).ok()) << mode;
  }
  FunctionOptions options;
  options.cancellation = cancellation;
  EXPECT_EQ(said(function({x}, x + 1, options).status()),
            "Cancelled: function: the compilation was cancelled");
}

// Each stage is left where it is, and nothing of it stays: the same graph compiles afterwards.
TEST(Cancellation, InEachStage) {
  for (const char *stage : {"rewritten", "kernels", "code"}) {
    auto x = dmatrix("x");
    Variable y = manyKernels(x, 3);
    Cancellation cancellation;
    FunctionOptions options = cancelledBy(cancellation);
    bool wasSeen = false;
    options.observer = [&](const StageReport &report) {
      if (report.stage == stage && !report.isDone)
        cancellation.cancel();
      wasSeen |= report.stage == stage && report.isDone;
    };
    EXPECT_EQ(said(function({x}, y, options).status()), kCancelled) << stage;
    EXPECT_FALSE(wasSeen) << stage;
    auto f = function({x}, y);
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_TRUE((*f)(Tensor({{0.5, 1}, {0, 1}})).ok());
  }
}

TEST(Cancellation, FromAnotherThread) {
  auto x = dmatrix("x");
  Variable y = manyKernels(x, 60);
  Cancellation cancellation;
  FunctionOptions options = cancelledBy(cancellation);
  options.cache = false;
  std::atomic<bool> compiles = false;
  options.observer = [&](const StageReport &report) { compiles = report.stage == "code"; };
  absl::Status status;
  std::thread thread([&] { status = function({x}, y, options).status(); });
  while (!compiles)
    std::this_thread::yield();
  auto start = std::chrono::steady_clock::now();
  cancellation.cancel();
  thread.join();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(said(status), kCancelled);
  // The kernels that were begun end their pass; all 60 would take some seconds.
  EXPECT_LT(took.count(), 2);
}

TEST(Cancellation, IsNoMatterOfFunctionsThatAreThere) {
  auto x = dvector("x");
  Cancellation cancellation;
  FunctionOptions options;
  options.cancellation = cancellation;
  auto f = function({x}, {x + 1, x * 3}, options);
  ASSERT_TRUE(f.ok()) << f.status();
  std::string path = ::testing::TempDir() + "/cancellation.gf";
  ASSERT_TRUE(f->save(path).ok());
  cancellation.cancel();
  EXPECT_TRUE((*f)(Tensor({1, 2})).ok());
  absl::StatusOr<Results> some = f->call({Tensor({1, 2})}, {}, {.outputSubset = OutputSubset{1}});
  ASSERT_TRUE(some.ok()) << some.status(); // which compiles
  EXPECT_EQ((*some)[0].flat<double>()[1], 6);
  EXPECT_TRUE(f->copy().ok());
  EXPECT_EQ(said(loadFunction(path, {.cancellation = cancellation}).status()),
            "Cancelled: function: the compilation was cancelled");
  EXPECT_TRUE(loadFunction(path, {.cancellation = Cancellation()}).ok());
  // A function that is made meanwhile, in a callback, is not cancelled with the outer one.
  options.name = "f";
  options.cancellation.emplace();
  absl::Status inner;
  options.observer = [&](const StageReport &) {
    options.cancellation->cancel();
    inner = function({x}, x - 7).status();
  };
  EXPECT_EQ(said(function({x}, x * 5, options).status()), kCancelled);
  EXPECT_TRUE(inner.ok()) << inner;
  std::filesystem::remove(path);
}

} // namespace
} // namespace graphc
