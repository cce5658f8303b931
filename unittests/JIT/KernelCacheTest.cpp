//===- unittests/JIT/KernelCacheTest.cpp - each kernel compiled once ------===//
#include "JIT/KernelCache.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "Support/Cancel.h"
#include "TestKernels.h"
#include "absl/strings/str_replace.h"
#include "graphc/Status.h"

namespace graphc::testing {
namespace {

/// out = the number.
std::string constantKernel(int number, const std::string &symbol = "kernel") {
  return absl::StrReplaceAll(R"(
func.func @SYMBOL(%out: memref<i32>) -> i32 attributes {graphc.kernel} {
  %0 = arith.constant NUMBER : i32
  memref.store %0, %out[] : memref<i32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})",
                             {{"NUMBER", std::to_string(number)}, {"SYMBOL", symbol}});
}

int32_t call(const LoadedCode &code, size_t index) {
  int32_t out = -1;
  void *buffers[] = {&out};
  EXPECT_EQ(code.function(index)(buffers, nullptr), 0);
  return out;
}

Hash128 key(int number) { return codeKey("constant " + std::to_string(number), "", "native"); }

absl::StatusOr<CompiledKernel> compileConstant(int number, const std::string &symbol = "kernel") {
  absl::StatusOr<std::string> object = compileText(constantKernel(number, symbol));
  if (!object.ok())
    return object.status();
  return CompiledKernel{symbol, {*std::move(object)}, {}};
}

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = ::testing::TempDir() + "/graphc-kernels-XXXXXX";
    EXPECT_TRUE(mkdtemp(name.data()));
    folder = *CodeFolder::open(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder->path()); }
  CodeFolder *get() { return folder.get(); }

private:
  std::unique_ptr<CodeFolder> folder;
};

TEST(KernelCache, CompilesEachKernelOnce) {
  KernelCache cache;
  std::atomic<int> compiled = 0;
  std::vector<Hash128> keys;
  for (int i = 0; i < 12; ++i)
    keys.push_back(key(i % 6));
  auto compile = [&](size_t i, int) {
    ++compiled;
    return compileConstant(static_cast<int>(i % 6));
  };
  auto kernels = cache.get(keys, nullptr, 2, compile);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  auto code = codeOf(*kernels);
  ASSERT_EQ(code->size(), 12u);
  kernels->clear(); // the code keeps what it needs
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(call(*code, i), i % 6);
  EXPECT_EQ(compiled, 6);
  ASSERT_TRUE(cache.get(keys, nullptr, 2, compile).ok());
  EXPECT_EQ(compiled, 6);
  EXPECT_EQ(cache.counters().compiled, 6);
  EXPECT_EQ(cache.counters().found, 18);
  EXPECT_EQ(cache.counters().read, 0);
}

TEST(KernelCache, ThreadsThatWantTheSameKernel) {
  KernelCache cache;
  std::atomic<int> compiled = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<Hash128> keys;
      for (int i = 0; i < 8; ++i)
        keys.push_back(key((i + 2 * t) % 8));
      auto kernels = cache.get(keys, nullptr, 2, [&](size_t i, int) {
        ++compiled;
        return compileConstant(static_cast<int>((i + 2 * t) % 8));
      });
      ASSERT_TRUE(kernels.ok()) << kernels.status();
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(call(*(*kernels)[i]->code, 0), (i + 2 * t) % 8);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiled, 8);
}

TEST(KernelCache, FolderKeepsObjectsThatCallEachOther) {
  TemporaryFolder folder;
  auto compile = [](size_t, int) -> absl::StatusOr<CompiledKernel> {
    absl::StatusOr<CompiledKernel> kernel = compileConstant(4, "first");
    absl::StatusOr<CompiledKernel> other = compileConstant(5, "second");
    kernel->symbol = "second"; // in the other object
    kernel->objects.push_back(other->objects[0]);
    return kernel;
  };
  auto never = [](size_t, int) -> absl::StatusOr<CompiledKernel> {
    return makeError(ErrorKind::Internal, "compiled again");
  };
  KernelCache writer, reader;
  ASSERT_TRUE(writer.get({key(4)}, folder.get(), 1, compile).ok());
  auto kernels = reader.get({key(4)}, folder.get(), 1, never);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  EXPECT_EQ((*kernels)[0]->objects.size(), 2u);
  EXPECT_EQ(call(*(*kernels)[0]->code, 0), 5);
}

TEST(KernelCache, CompilesOneKernelOnAllThreads) {
  KernelCache cache;
  std::vector<int> given;
  std::mutex mutex;
  auto compile = [&](size_t i, int threads) {
    std::lock_guard lock(mutex);
    given.push_back(threads);
    return compileConstant(80 + int(i));
  };
  ASSERT_TRUE(cache.get({key(80)}, nullptr, 3, compile).ok());
  ASSERT_TRUE(cache.get({key(81), key(82)}, nullptr, 8, compile).ok());
  EXPECT_EQ(given, (std::vector{3, 1, 1}));
}

TEST(KernelCache, FolderServesOtherProcesses) {
  TemporaryFolder folder;
  auto compile = [](size_t, int) {
    absl::StatusOr<CompiledKernel> kernel = compileConstant(3, "first");
    kernel->scratch = {{64, {0, 2}}, {8, {}}};
    return kernel;
  };
  auto never = [](size_t, int) -> absl::StatusOr<CompiledKernel> {
    ADD_FAILURE() << "compiled again";
    return makeError(ErrorKind::Internal, "compiled again");
  };
  KernelCache writer, reader;
  ASSERT_TRUE(writer.get({key(3)}, folder.get(), 1, compile).ok());
  auto kernels = reader.get({key(3)}, folder.get(), 1, never);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  EXPECT_EQ((*kernels)[0]->symbol, "first")
      << "the object's own symbol, whatever the second one is called";
  EXPECT_EQ(call(*(*kernels)[0]->code, 0), 3);
  ASSERT_EQ((*kernels)[0]->scratch.size(), 2u);
  EXPECT_EQ((*kernels)[0]->scratch[0].bytes, 64);
  EXPECT_EQ((*kernels)[0]->scratch[0].sizeArguments, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ((*kernels)[0]->scratch[1].bytes, 8);
  EXPECT_EQ(reader.counters().read, 1);

  // A damaged entry is compiled again and replaced.
  std::string path = folder.get()->pathOf(key(3), CodeFolder::Kind::Object);
  std::filesystem::resize_file(path, 100);
  KernelCache repairer, afterwards;
  ASSERT_TRUE(repairer.get({key(3)}, folder.get(), 1, compile).ok());
  EXPECT_EQ(repairer.counters().compiled, 1);
  ASSERT_TRUE(afterwards.get({key(3)}, folder.get(), 1, never).ok());
}

TEST(KernelCache, UnusedKernelsAreForgotten) {
  KernelCache cache(/*maxKernels=*/3);
  auto compile = [](size_t, int) { return compileConstant(1); };
  auto used = cache.get({key(100)}, nullptr, 1, compile);
  ASSERT_TRUE(used.ok());
  auto code = codeOf(*used);
  used->clear();
  for (int i = 101; i < 110; ++i)
    ASSERT_TRUE(cache.get({key(i)}, nullptr, 1, compile).ok());
  EXPECT_EQ(cache.counters().compiled, 10);
  ASSERT_TRUE(cache.get({key(100), key(109)}, nullptr, 1, compile).ok());
  EXPECT_EQ(cache.counters().compiled, 10) << "in use, and the youngest";
  ASSERT_TRUE(cache.get({key(101)}, nullptr, 1, compile).ok());
  EXPECT_EQ(cache.counters().compiled, 11) << "the oldest that nobody uses is gone";
  EXPECT_EQ(call(*code, 0), 1);
}

TEST(KernelCache, ErrorsAreNotKept) {
  KernelCache cache;
  bool fail = true;
  auto compile = [&](size_t i, int) -> absl::StatusOr<CompiledKernel> {
    if (fail && i >= 1)
      return makeError(ErrorKind::NotSupported, "kernel " + std::to_string(i));
    return compileConstant(static_cast<int>(i));
  };
  std::vector<Hash128> keys = {key(0), key(1), key(2)};
  auto failed = cache.get(keys, nullptr, 2, compile);
  EXPECT_EQ(failed.status().message(), "kernel 1") << "the first in order, on however many threads";
  EXPECT_EQ(errorKind(failed.status()), ErrorKind::NotSupported);
  fail = false;
  auto kernels = cache.get(keys, nullptr, 2, compile);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  EXPECT_EQ(call(*(*kernels)[2]->code, 0), 2);
}

/// Waits until `flag` is set.
void await(const std::atomic<bool> &flag) {
  while (!flag)
    std::this_thread::yield();
}

// Who waits for a kernel that another thread does not want any more makes it itself.
TEST(KernelCache, CancelledByAnotherThread) {
  KernelCache cache;
  std::optional<Cancellation> cancellation(std::in_place);
  std::atomic<bool> begun = false, waits = false;
  absl::Status first;
  std::thread thread([&] {
    CancelScope scope(cancellation);
    auto compile = [&](size_t, int) -> absl::StatusOr<CompiledKernel> {
      begun = true;
      await(waits);
      std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the other one is in `get` now
      cancellation->cancel();
      return checkCancelled();
    };
    first = cache.get({key(70)}, nullptr, 1, compile).status();
  });
  await(begun);
  waits = true;
  auto kernels = cache.get({key(70)}, nullptr, 1, [](size_t, int) { return compileConstant(70); });
  thread.join();
  EXPECT_EQ(errorKind(first), ErrorKind::Cancelled);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  EXPECT_EQ(call(*codeOf(*kernels), 0), 70);
  EXPECT_EQ(cache.counters().compiled, 1);
}

// Who does not want it any more does not wait for another thread, whose kernel it stays.
TEST(KernelCache, CancelledWhileAnotherThreadCompiles) {
  KernelCache cache;
  std::optional<Cancellation> cancellation(std::in_place);
  std::atomic<bool> begun = false, goesOn = false;
  absl::Status first;
  std::thread thread([&] {
    auto compile = [&](size_t, int) {
      begun = true;
      await(goesOn);
      return compileConstant(71);
    };
    first = cache.get({key(71)}, nullptr, 1, compile).status();
  });
  await(begun);
  absl::Status second;
  std::thread other([&] {
    CancelScope scope(cancellation);
    auto never = [](size_t, int) -> absl::StatusOr<CompiledKernel> {
      return absl::InternalError("");
    };
    second = cache.get({key(71)}, nullptr, 1, never).status();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cancellation->cancel();
  other.join();
  EXPECT_EQ(errorKind(second), ErrorKind::Cancelled);
  goesOn = true;
  thread.join();
  EXPECT_TRUE(first.ok()) << first;
  auto again = cache.get({key(71)}, nullptr, 1, [](size_t, int) { return compileConstant(0); });
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(call(*codeOf(*again), 0), 71);
  EXPECT_EQ(cache.counters().compiled, 1);
}

} // namespace
} // namespace graphc::testing
