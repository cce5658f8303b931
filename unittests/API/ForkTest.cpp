//===- ForkTest.cpp - what a forked process can do -----------------------===//
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "API/Container.h"
#include "Messages.h"
#include "Support/Fork.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Runs `body` in a forked process, which must end within a minute. The first text that it gives,
/// or an empty one.
std::string inChild(const std::function<std::string()> &body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::string text = body();
    _exit(write(ends[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  while (ssize_t count = read(ends[0], buffer, sizeof(buffer)))
    text.append(buffer, size_t(std::max<ssize_t>(count, 0)));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    text += "the child ended with status " + std::to_string(status);
  return text;
}

/// "" if `r` is the number.
std::string expect(const absl::StatusOr<Results> &r, double number) {
  if (!r.ok())
    return errorText(r.status());
  double got = (*r)[0].item<double>();
  return got == number ? "" : std::to_string(got) + " instead of " + std::to_string(number);
}

/// Threads that go on until the end of the test.
class Others {
public:
  ~Others() {
    stop = true;
    for (std::thread &thread : threads_)
      thread.join();
  }
  void start(std::function<void()> work) {
    threads_.emplace_back([this, work = std::move(work)] {
      while (!stop)
        work();
    });
  }
  std::atomic<bool> stop = false;

private:
  std::vector<std::thread> threads_;
};

// The child calls, compiles, reads and writes what other threads of its parent were at.
TEST(Fork, WhileOthersCompileAndCall) {
  auto x = dscalar("x"), y = dscalar("y");
  SharedVariable total = shared(0.0, "total");
  Function plain = *function({x, y}, {x * y + 1});
  Function updating = *function({x}, {total}, {.updates = {{total, total + x}}});
  Function interpreted = *function({x}, {x * 2}, {.mode = "interpreter"});
  auto m = dmatrix("m");
  Function parallel = *function({m}, {exp(m).sum()}, {.threads = 2});
  Tensor large = *Tensor::zeros(DType::Float64, {600, 600});
  Others others;
  std::atomic<int> made = 0;
  others.start([&] { (void)function({x}, x * double(++made) + 0.5); });
  others.start([&] { (void)function({x}, exp(x - double(++made)), {.cache = false}); });
  others.start([&] {
    (void)plain(2.0, 3.0);
    (void)plain(Tensor(2.0), Tensor(3.0));
    (void)updating(0.0);
    (void)interpreted(1.0);
    (void)total.set(0.0);
    setLogSink(nullptr);
  });
  others.start([&] { (void)parallel(large); });
  for (int i = 0; i < 12; ++i) {
    std::string wrong = inChild([&]() -> std::string {
      for (int k = 0; k < 3; ++k) {
        for (const std::string &text :
             {expect(plain(2.0, 3.0), 7), expect(plain(Tensor(2.0), Tensor(3.0)), 7),
              expect(interpreted(4.0), 8), expect(parallel(large), 360000)})
          if (!text.empty())
            return text;
        if (absl::Status s = total.set(double(k)); !s.ok())
          return errorText(s);
        if (std::string text = expect(updating(1.5), double(k)); !text.empty())
          return text;
        if (total.get().item<double>() != k + 1.5)
          return "the update is not stored";
      }
      absl::StatusOr<Function> fresh = function({x, y}, {sin(x) * 3 + y * double(i)});
      if (!fresh.ok())
        return errorText(fresh.status());
      if (std::string text = expect((*fresh)(0.0, 2.0), 2.0 * i); !text.empty())
        return text;
      absl::StatusOr<Function> copy = updating.copy();
      if (!copy.ok())
        return errorText(copy.status());
      plain = updating = interpreted = parallel = Function(); // also what others were in
      return "";
    });
    ASSERT_EQ(wrong, "") << i;
  }
  EXPECT_GT(made, 0);
}

TEST(Fork, ChildrenOfChildren) {
  auto x = dscalar("x");
  Function f = *function({x}, {x + 1});
  EXPECT_EQ(inChild([&] {
              return inChild([&]() -> std::string {
                absl::StatusOr<Function> g = function({x}, {x * 17});
                return g.ok() ? expect((*g)(2.0), 34) + expect(f(1.0), 2) : errorText(g.status());
              });
            }),
            "");
}

constexpr char kLost[] =
    "a shared value (f64[?]) was being overwritten by another thread's call when this process was "
    "forked, and is lost here: set it anew";

// Where another thread's call has the turn, the child does not wait for it. What the call computes
// in the value's own memory is refused, and can be set anew.
TEST(Fork, WhileAnotherCallUpdates) {
  for (bool inPlace : {true, false}) {
    SharedVariable s = shared(Tensor({1, 2, 3}), "s");
    Function f = *function({}, {}, {.updates = {{s, s * 2}}});
    Function reader = *function({}, {s.sum()});
    detail::Container *container = detail::containerOf(s).get();
    std::atomic<bool> hasTurn = false, ends = false;
    // A call of f, as the Invoker makes it, that is held up at its kernel.
    std::thread call([&] {
      detail::Access access({{container, true}});
      auto turn = access.begin();
      ASSERT_TRUE(turn.ok());
      Tensor value, memory;
      detail::Access::Update update{container, inPlace};
      ASSERT_TRUE(access.take({&container, 1}, {&value, 1}, {&update, 1}, {&memory, 1}).ok());
      EXPECT_EQ(memory.defined(), inPlace);
      value = Tensor();
      hasTurn = true;
      while (!ends)
        std::this_thread::yield();
      access.store({&update, 1}, {&memory, 1});
    });
    while (!hasTurn)
      std::this_thread::yield();
    EXPECT_EQ(inChild([&]() -> std::string {
                std::string warning;
                setLogSink([&](std::string_view text) { warning = text; });
                if (inPlace) {
                  std::string lost = "RuntimeError: " + std::string(kLost);
                  if (said(reader().status()) != lost || said(f().status()) != lost)
                    return "calls: " + said(reader().status()) + ", " + said(f().status());
                  if (said(f["s"].get().status()) !=
                      "RuntimeError: function[\"s\"]: " + std::string(kLost))
                    return "f[\"s\"]: " + said(f["s"].get().status());
                  if (s.get().defined() || warning != "'s': " + std::string(kLost))
                    return "get: " + warning;
                  if (absl::Status status = s.set(Tensor({1, 2, 3})); !status.ok())
                    return errorText(status);
                }
                if (std::string text = expect(reader(), 6); !text.empty())
                  return text;
                for (int k = 0; k < 2; ++k)
                  if (!f().ok())
                    return errorText(f().status());
                return expect(reader(), 24);
              }),
              "")
        << inPlace;
    ends = true;
    call.join();
    EXPECT_EQ(expect(reader(), 6), "");
    EXPECT_TRUE(f().ok());
    EXPECT_EQ(expect(reader(), 12), "");
  }
}

/// Holds up who asks for much until others let it go.
class Slow : public Allocator {
public:
  void *allocate(size_t bytes, size_t alignment) override {
    if (bytes >= kMuch) {
      isAsked = true;
      while (!goesOn)
        std::this_thread::yield();
    }
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void *memory, size_t) override { std::free(memory); }

  static constexpr size_t kMuch = 1 << 20;
  std::atomic<bool> isAsked = false, goesOn = false;
};

// Where another thread is at a copy of weights (Runtime/KeptOperands.h), the child makes its own.
TEST(Fork, WhileAnotherCallCopiesWeights) {
  Variable x = fmatrix("x");
  Tensor weights = *Tensor::full(DType::Float32, {512, 1024}, Tensor(0.5f));
  Function f = *function({x}, sum(dot(x, constant(weights))), {.specialisations = 0});
  auto slow = std::make_shared<Slow>();
  setAllocator(slow);
  std::thread call([&] {
    EXPECT_EQ(expect(f(*Tensor::full(DType::Float32, {64, 512}, Tensor(1.0f))), 256 * 65536), "");
  });
  while (!slow->isAsked)
    std::this_thread::yield();
  EXPECT_EQ(inChild([&] {
              slow->goesOn = true;
              return expect(f(*Tensor::full(DType::Float32, {32, 512}, Tensor(1.0f))), 256 * 32768);
            }),
            "");
  slow->goesOn = true;
  call.join();
  setAllocator(nullptr);
}

// A fork in a host op: the call goes on in both processes.
TEST(Fork, WithinACall) {
  SharedVariable s = shared(1.0, "s");
  std::string wrong = "the op did not run";
  bool isChild = false;
  OpDef def;
  def.name = "forks";
  def.doc = "Forks.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &request) {
    return absl::StatusOr<std::vector<Type>>(std::vector<Type>{request.type(0)});
  };
  HostFunction forks = [&](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    out[0] = in[0].copy();
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      isChild = true;
      return absl::OkStatus();
    }
    int status = 0;
    wrong = waitpid(child, &status, 0) == child && status == 0 ? "" : "the child failed";
    return absl::OkStatus();
  };
  def.emit = [forks](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(forks, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Op op = *Op::create(std::make_shared<const OpDef>(def));
  Function f = *function({}, {}, {.updates = {{s, op(s) + 1}}});
  bool ok = f().ok() && s.get().item<double>() == 2;
  if (isChild)
    _exit(ok && function({}, {s * 31}).ok() ? 0 : 1);
  EXPECT_TRUE(ok);
  EXPECT_EQ(wrong, "");
}

// A compilation that lasts longer than a fork waits for has the compiler's locks. What was compiled
// runs, the rest is refused.
TEST(Fork, WhileALongCompilationRuns) {
  auto x = dscalar("x");
  auto f = std::make_unique<Function>(*function({x}, {x + 1}));
  std::atomic<bool> begun = false, ends = false;
  std::thread compilation([&] {
    FunctionOptions options;
    options.observer = [&](const StageReport &) {
      begun = true;
      while (!ends)
        std::this_thread::yield();
    };
    EXPECT_TRUE(function({x}, x * 23, options).ok());
  });
  while (!begun)
    std::this_thread::yield();
  constexpr char kRefused[] =
      "RuntimeError: this process was forked while another thread was compiling, so that it cannot "
      "compile; functions that were there can be called: compile before the fork, or load saved "
      "functions with their code";
  EXPECT_EQ(inChild([&]() -> std::string {
              if (std::string text = expect((*f)(1.0), 2); !text.empty())
                return text;
              f.reset();
              if (!function({x}, x * 3, {.mode = "interpreter"}).ok())
                return "the interpreter needs no compiler";
              std::string text = said(function({x}, x * 3).status());
              return text == kRefused ? "" : text;
            }),
            "");
  ends = true;
  compilation.join();
  EXPECT_TRUE(function({x}, x * 3).ok()) << "in the parent nothing has changed";
}

} // namespace
} // namespace graphc
