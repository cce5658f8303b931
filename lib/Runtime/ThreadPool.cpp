//===- Runtime/ThreadPool.cpp - loops on several threads ------------------===//
//
// A caller shows its job on a board and works; workers that spin see it and take seats there. As
// long as they are awake nobody takes a lock: two threads that meet at a mutex at the end of a loop
// wait for each other's sleep, and a loop took 3 to 5 us (now 0.3, EPYC 9005).
//
//===----------------------------------------------------------------------===//
#include "Runtime/ThreadPool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "Runtime/BlockedSignals.h"
#include "Runtime/PoolJob.h"
#include "Support/Fork.h"
#include "Support/LentObject.h"

namespace graphc {
namespace {

/// About what it costs to wake a thread.
constexpr std::chrono::microseconds kSpinTime{50};

/// Set while the thread runs a body: loops within run inline.
thread_local bool insideBody = false;
thread_local int64_t numWanting = 0;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits at most kSpinTime for `done()`.
template <class F> bool spinUntil(F done) {
  auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

/// Where a caller shows its job. The word is the seats that are free (the lower half), and the
/// workers that have taken one and are not done; 0 where no caller is. A worker takes a seat by
/// one compare-and-swap, before it looks at the job: who has succeeded is awaited by the caller.
struct alignas(128) Board { // two lines, as processors fetch them
  static constexpr uint64_t kSeat = 1, kSeats = 0xFFFF, kWorker = 0x10000, kWorkers = 0xFFFF0000,
                            kTaken = uint64_t(1) << 32, kAsleep = uint64_t(1) << 33;
  std::atomic<uint64_t> word{0};
  Job *job = nullptr; // of who has taken it
  int numSlots = 0;
};

} // namespace

struct ThreadPool::State {
  const uint64_t generation = forkGeneration(); // threads do not survive a fork
  /// Callers beyond so many at once work alone.
  static constexpr int kBoards = 32;
  Board boards[kBoards];
  /// Changes with each new job: what spinning workers look at.
  alignas(128) std::atomic<uint64_t> published{0};
  alignas(128) std::atomic<int> sleepers{0};
  std::atomic<int> numThreads{0};
  std::atomic<bool> stopping{false};

  // What nobody needs who finds others awake.
  std::mutex mutex;
  std::condition_variable wake, left;
  struct Worker {
    pthread_t thread;
    int avoids = -1; // that processor; -1: none
  };
  std::vector<Worker> threads;
  cpu_set_t allowed; // to the thread that started the first worker

  /// Fewer start where the system refuses: loops need none.
  void startWorkers(int wanted) {
    std::lock_guard lock(mutex);
    if (int(threads.size()) >= wanted)
      return;
    threads.reserve(size_t(wanted)); // what is started must be noted
    BlockedSignals blocked;
    if (threads.empty() && sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
      CPU_ZERO(&allowed); // more processors than a set has: they go where they go
    while (int(threads.size()) < wanted) {
      pthread_t thread;
      auto entry = [](void *self) -> void * {
        static_cast<State *>(self)->workerLoop();
        return nullptr;
      };
      if (pthread_create(&thread, nullptr, entry, this) != 0)
        break;
      threads.push_back({thread});
      avoid(threads.back(), sched_getcpu());
    }
    numThreads = int(threads.size());
  }

  /// Under the mutex. Keeps a worker that sleeps off the caller's processor. Linux may wake it
  /// there, behind the caller, although another processor is idle, and it takes milliseconds until
  /// it is moved: a loop of 80 us takes 300 then.
  void avoid(Worker &worker, int processor) {
    if (processor < 0 || worker.avoids == processor || CPU_COUNT(&allowed) < 2)
      return;
    cpu_set_t others = allowed;
    CPU_CLR(processor, &others);
    if (pthread_setaffinity_np(worker.thread, sizeof(others), &others) == 0)
      worker.avoids = processor;
  }

  /// Takes a seat of some job, if there is one, and works until the job has no chunks left.
  bool join() {
    for (Board &board : boards) {
      uint64_t word = board.word.load(std::memory_order_relaxed);
      while (word & Board::kSeats)
        if (board.word.compare_exchange_weak(word, word - Board::kSeat + Board::kWorker,
                                             std::memory_order_acquire)) {
          board.job->work(board.numSlots - int(word & Board::kSeats));
          leave(board);
          return true;
        }
    }
    return false;
  }

  void leave(Board &board) {
    uint64_t before = board.word.fetch_sub(Board::kWorker, std::memory_order_acq_rel);
    if ((before & Board::kAsleep) && (before & Board::kWorkers) == Board::kWorker) {
      std::lock_guard lock(mutex); // the caller is in `wait` then
      left.notify_all();
    }
  }

  void workerLoop() {
    insideBody = true;
    while (!stopping) {
      uint64_t seen = published.load();
      auto hasNews = [&] { return published.load() != seen || stopping; };
      if (join()) {
        // The caller is about to clear its board, and often to show the next job there: a look at
        // once would take the line from it (0.3 us a loop with these pauses, 1.1 without).
        for (int i = 0; i < 16 && !hasNews(); ++i)
          pause();
        continue;
      }
      if (spinUntil(hasNews))
        continue;
      std::unique_lock lock(mutex);
      sleepers.fetch_add(1); // before it looks again: `publish` looks in the other order
      wake.wait(lock, hasNews);
      sleepers.fetch_sub(1);
    }
  }

  /// A board with the job on it and all seats free; null where there is none.
  Board *show(Job &job) {
    for (Board &board : boards) {
      uint64_t free = 0;
      if (board.word.load(std::memory_order_relaxed) != 0 ||
          !board.word.compare_exchange_strong(free, Board::kTaken, std::memory_order_acquire))
        continue;
      board.job = &job;
      board.numSlots = job.numSlots();
      board.word.store(Board::kTaken + uint64_t(job.numSlots() - 1), std::memory_order_release);
      return &board;
    }
    return nullptr;
  }

  void publish(int wanted) {
    published.fetch_add(1);
    wanted = std::min(sleepers.load(), wanted);
    if (wanted <= 0)
      return;
    {
      std::lock_guard lock(mutex);
      auto isTaken = [](const Board &board) { return board.word.load() != 0; };
      if (std::count_if(std::begin(boards), std::end(boards), isTaken) == 1)
        for (int caller = sched_getcpu(); Worker &worker : threads)
          avoid(worker, caller);
    }
    for (; wanted > 0; --wanted)
      wake.notify_one();
  }

  /// Nobody joins any more; those who have are awaited.
  void takeDown(Board &board) {
    uint64_t word = board.word.fetch_and(~Board::kSeats, std::memory_order_acquire);
    auto isLeft = [&] { return !(board.word.load(std::memory_order_acquire) & Board::kWorkers); };
    if ((word & Board::kWorkers) && !spinUntil(isLeft)) {
      std::unique_lock lock(mutex);
      if (board.word.fetch_or(Board::kAsleep, std::memory_order_acquire) & Board::kWorkers)
        left.wait(lock, isLeft);
    }
    board.word.store(0, std::memory_order_release);
  }

  void run(Job &job) {
    const int others = job.numSlots() - 1;
    if (numThreads.load(std::memory_order_relaxed) < others)
      startWorkers(others);
    Board *board = show(job);
    if (board)
      publish(others);
    insideBody = true;
    job.work(0);
    insideBody = false;
    if (board)
      takeDown(*board);
  }
};

static LentObject<TaskRunner> &runners() {
  static auto &lent = *new LentObject<TaskRunner>;
  return lent;
}

int usableThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(CPU_COUNT(&set), 1);
}

ThreadPool &ThreadPool::shared() {
  static auto &pool = *new ThreadPool;
  return pool;
}

ThreadPool::~ThreadPool() {
  State *state = state_.load();
  // A state from before a fork is left as it is: its threads are not here, its mutex may be held.
  if (!state || state->generation != forkGeneration())
    return;
  {
    std::lock_guard lock(state->mutex);
    state->stopping = true;
  }
  state->wake.notify_all();
  for (const State::Worker &worker : state->threads)
    pthread_join(worker.thread, nullptr);
  delete state;
}

ThreadPool::State &ThreadPool::state() {
  State *state = state_.load(std::memory_order_acquire);
  if (state && state->generation == forkGeneration())
    return *state;
  auto *fresh = new State;
  if (state_.compare_exchange_strong(state, fresh))
    return *fresh; // one from before a fork is left behind, see the destructor
  delete fresh;
  return *state;
}

int ThreadPool::startedWorkers() const {
  State *state = state_.load();
  if (!state || state->generation != forkGeneration())
    return 0;
  std::lock_guard lock(state->mutex);
  return int(state->threads.size());
}

void ThreadPool::parallelFor(int64_t begin, int64_t end, int64_t grain, int threads, Body body) {
  if (begin >= end)
    return;
  Job job(begin, end, grain, threads, body);
  numWanting += job.numSlots() > 1;
  if (job.numSlots() == 1 || insideBody) {
    body(begin, end, 0);
    return;
  }
  if (std::shared_ptr<TaskRunner> own = this == &shared() ? lentTaskRunner() : nullptr)
    own->run(job.numSlots(), [&job](int slot) { // one task may do the work of all
      insideBody = true;
      job.work(slot);
      insideBody = false;
    });
  else
    state().run(job);
  job.rethrow();
}

int64_t ThreadPool::loopsForThreads() { return numWanting; }

std::shared_ptr<TaskRunner> lentTaskRunner() { return runners().get(); }
void setTaskRunner(std::shared_ptr<TaskRunner> runner) { runners().set(std::move(runner)); }

} // namespace graphc
