#include "Runtime/ThreadPool.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace graphc {
namespace {

/// Runs a loop and checks that each position is done once, in calls of the promised sizes.
void checkCovers(ThreadPool &pool, int64_t begin, int64_t end, int64_t grain, int threads) {
  std::vector<std::atomic<int>> done(static_cast<size_t>(std::max<int64_t>(end - begin, 0)));
  std::vector<std::atomic<bool>> busy(ThreadPool::kMaxThreads);
  pool.parallelFor(begin, end, grain, threads, [&](int64_t from, int64_t to, int slot) {
    ASSERT_LE(begin, from);
    ASSERT_LT(from, to);
    ASSERT_LE(to, end);
    EXPECT_TRUE(to - from >= grain || to == end);
    ASSERT_GE(slot, 0);
    ASSERT_LT(slot, std::max(threads, 1));
    EXPECT_FALSE(busy[size_t(slot)].exchange(true)); // nobody else has the slot
    for (int64_t i = from; i < to; ++i)
      done[size_t(i - begin)].fetch_add(1, std::memory_order_relaxed);
    busy[size_t(slot)] = false;
  });
  for (size_t i = 0; i < done.size(); ++i)
    ASSERT_EQ(done[i], 1) << i;
}

TEST(ThreadPool, CoversEveryRangeOnce) {
  ThreadPool pool;
  for (int threads : {-1, 0, 1, 2, 3, 7, 16})
    for (int64_t count : {0, 1, 2, 3, 10, 1000, 4097})
      for (int64_t grain : {1, 3, 64, 5000})
        checkCovers(pool, -7, count - 7, grain, threads);
  checkCovers(pool, 5, -5, 1, 4); // an empty range, upside down
}

/// A program's handlers of SIGTERM and the like run on its own threads, those that report crashes
/// on each.
TEST(ThreadPool, WorkersGetNoSignalsButThoseOfFaults) {
  ThreadPool pool;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> workers = 0;
  pool.parallelFor(0, 2, 1, 2, [&](int64_t, int64_t, int) {
    if (std::this_thread::get_id() == caller) {
      for (int i = 0; i < 5000 && !workers; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (int signal : {SIGTERM, SIGINT, SIGUSR1, SIGALRM, SIGCHLD})
      EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT})
      EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
    ++workers;
  });
  EXPECT_GE(workers, 1); // one may do both
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0); // of the caller
}

// Linux may wake a worker on the processor that its caller keeps busy.
TEST(ThreadPool, WokenWorkersAreKeptOffTheCallersProcessor) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  if (CPU_COUNT(&all) < 2)
    GTEST_SKIP() << "one processor";
  ThreadPool pool;
  checkCovers(pool, 0, 1000, 1, 2); // starts the worker, free to go anywhere
  const std::thread::id caller = std::this_thread::get_id();
  int tried = 0;
  for (int processor = 0; processor < CPU_SETSIZE && tried < 4; ++processor) {
    if (!CPU_ISSET(processor, &all))
      continue;
    ++tried;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the worker sleeps by now
    std::atomic<bool> came = false;
    std::atomic<int> mayRunThere = -1;
    pool.parallelFor(0, 2, 1, 2, [&](int64_t, int64_t, int) {
      if (std::this_thread::get_id() != caller) {
        cpu_set_t mine;
        sched_getaffinity(0, sizeof(mine), &mine);
        mayRunThere = CPU_ISSET(processor, &mine);
        came = true;
        return;
      }
      for (int i = 0; i < 2000 && !came; ++i) // leaves the other half to the worker
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_TRUE(came);
    EXPECT_EQ(mayRunThere, 0);
  }
  sched_setaffinity(0, sizeof(all), &all);
}

TEST(ThreadPool, StartsNoMoreThreadsThanWanted) {
  ThreadPool pool;
  EXPECT_EQ(pool.startedWorkers(), 0);
  checkCovers(pool, 0, 1000, 1, 1);
  checkCovers(pool, 0, 1000, 1000, 8); // one grain
  EXPECT_EQ(pool.startedWorkers(), 0);
  checkCovers(pool, 0, 1000, 1, 3);
  EXPECT_EQ(pool.startedWorkers(), 2);
  checkCovers(pool, 0, 2, 1, 8); // two grains
  EXPECT_EQ(pool.startedWorkers(), 2);
  EXPECT_GE(usableThreads(), 1);
  EXPECT_LE(usableThreads(), int(std::max(1u, std::thread::hardware_concurrency())));
}

TEST(ThreadPool, OthersTakePart) {
  ThreadPool pool;
  // Two bodies that wait for each other: done only if both run at once.
  std::atomic<int> arrived{0};
  std::set<int> slots;
  std::mutex mutex;
  pool.parallelFor(0, 2, 1, 2, [&](int64_t, int64_t, int slot) {
    ++arrived;
    while (arrived < 2)
      std::this_thread::yield();
    std::lock_guard lock(mutex);
    slots.insert(slot);
  });
  EXPECT_EQ(slots, (std::set<int>{0, 1}));
}

TEST(ThreadPool, WorkOfAThreadThatIsHeldUpIsStolen) {
  ThreadPool pool;
  // Whoever does position 0 waits until all of the others are done, by others.
  std::atomic<int> done{0};
  pool.parallelFor(0, 100, 1, 2, [&](int64_t from, int64_t to, int) {
    if (from == 0) {
      int others = 100 - int(to);
      while (done < others)
        std::this_thread::yield();
    } else {
      done += int(to - from);
    }
  });
  EXPECT_GE(done, 90);
}

TEST(ThreadPool, LoopsWithinLoopsRunInline) {
  ThreadPool pool;
  std::atomic<int> inner{0};
  pool.parallelFor(0, 64, 1, 4, [&](int64_t from, int64_t to, int) {
    for (int64_t i = from; i < to; ++i) {
      std::thread::id self = std::this_thread::get_id();
      int calls = 0;
      pool.parallelFor(0, 100, 1, 4, [&](int64_t begin, int64_t end, int slot) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        EXPECT_EQ(slot, 0);
        inner += int(end - begin);
        ++calls;
      });
      EXPECT_EQ(calls, 1);
    }
  });
  EXPECT_EQ(inner, 6400);
  checkCovers(pool, 0, 100, 1, 4); // the thread is outside again
  EXPECT_EQ(pool.startedWorkers(), 3);
}

TEST(ThreadPool, ManyCallersAtOnce) {
  ThreadPool pool;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&pool, caller] {
      for (int i = 0; i < 300; ++i)
        checkCovers(pool, caller, caller + 1 + i, 1 + i % 5, 1 + i % 4);
    });
  for (std::thread &caller : callers)
    caller.join();
}

// More than the pool has boards for: what finds none works alone.
TEST(ThreadPool, MoreCallersThanBoards) {
  ThreadPool pool;
  constexpr int kCallers = 48;
  std::vector<std::atomic<bool>> isInside(kCallers);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      pool.parallelFor(0, 2, 1, 2, [&](int64_t, int64_t, int) {
        isInside[size_t(caller)] = true;
        for (const std::atomic<bool> &other : isInside) // all are in their loops at once
          while (!other)
            std::this_thread::yield();
      });
      for (int i = 0; i < 50; ++i)
        checkCovers(pool, 0, 40, 1, 3);
    });
  for (std::thread &caller : callers)
    caller.join();
  checkCovers(pool, 0, 1000, 1, 4); // and boards are free again
}

// Loops that end before a worker has seen them: it must find no seat, since the job is gone.
TEST(ThreadPool, LateWorkersFindNothing) {
  ThreadPool pool;
  int64_t wrong = 0;
  for (int round = 0; round < 200000; ++round) {
    std::atomic<int> mine[2] = {}; // of this round alone
    pool.parallelFor(0, 2, 1, 2, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i)
        mine[i].fetch_add(1, std::memory_order_relaxed);
    });
    wrong += mine[0] != 1 || mine[1] != 1;
  }
  EXPECT_EQ(wrong, 0);
}

// No two bodies that run at once have one slot, of few threads and of more than a job has room for.
TEST(ThreadPool, SlotsAreOfOneThreadAtATime) {
  ThreadPool pool;
  for (int threads : {2, 3, 8, 9, 20})
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> users(static_cast<size_t>(threads));
      std::atomic<bool> shared = false;
      pool.parallelFor(0, 4 * threads, 1, threads, [&](int64_t, int64_t, int slot) {
        if (slot < 0 || slot >= threads || users[size_t(slot)].fetch_add(1) != 0)
          shared = true;
        std::this_thread::yield();
        --users[size_t(slot)];
      });
      EXPECT_FALSE(shared) << threads << " threads";
    }
}

TEST(ThreadPool, SleepersWake) {
  ThreadPool pool;
  for (int i = 0; i < 20; ++i) {
    checkCovers(pool, 0, 500, 1, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
  }
}

TEST(ThreadPool, HugeRangesDoNotOverflow) {
  ThreadPool pool;
  std::atomic<uint64_t> covered{0};
  std::atomic<int64_t> lowest{INT64_MAX}, highest{INT64_MIN};
  pool.parallelFor(INT64_MIN, INT64_MAX, int64_t(1) << 57, 2, [&](int64_t from, int64_t to, int) {
    covered += uint64_t(to) - uint64_t(from);
    for (int64_t seen = lowest; from < seen && !lowest.compare_exchange_weak(seen, from);) {
    }
    for (int64_t seen = highest; to > seen && !highest.compare_exchange_weak(seen, to);) {
    }
  });
  EXPECT_EQ(covered, UINT64_MAX);
  EXPECT_EQ(lowest, INT64_MIN);
  EXPECT_EQ(highest, INT64_MAX);
}

TEST(ThreadPool, WorksAfterFork) {
  ThreadPool &pool = ThreadPool::shared();
  checkCovers(pool, 0, 1000, 1, 3);
  EXPECT_GE(pool.startedWorkers(), 2);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Without the parent's threads: new ones must come for two bodies to meet.
    alarm(20);
    if (pool.startedWorkers() != 0)
      _exit(2);
    std::atomic<int> arrived{0};
    pool.parallelFor(0, 2, 1, 2, [&](int64_t, int64_t, int) {
      ++arrived;
      while (arrived < 2)
        std::this_thread::yield();
    });
    _exit(pool.startedWorkers() == 1 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  checkCovers(pool, 0, 1000, 1, 3);
}

// A loop's body that throws ends the loop, and the pool goes on.
TEST(ThreadPool, ThrowsWhatABodyThrew) {
  ThreadPool pool;
  for (int threads : {1, 2, 4}) {
    std::atomic<int64_t> done = 0;
    auto body = [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        if (i == 40)
          throw std::bad_alloc();
        ++done;
      }
    };
    EXPECT_THROW(pool.parallelFor(0, 1000, 1, threads, body), std::bad_alloc);
    EXPECT_LT(done, 1000);
    done = 0;
    pool.parallelFor(50, 1050, 1, threads, body);
    EXPECT_EQ(done, 1000);
  }
}

} // namespace
} // namespace graphc
