//===- Runtime/ThreadPool.cpp - loops on several threads ------------------===//
//
// A loop's range is cut into chunks of `grain`, the chunks dealt out to as many slots as threads
// are wanted. A thread that joins takes a slot, works from the front of the slot's chunks, and
// when they are done steals the rear half of another's. A slot is one 64-bit word, so taking and
// stealing are one compare-and-swap. Slots of threads that never come are emptied by the others.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ThreadPool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "Runtime/BlockedSignals.h"
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

/// Chunks [begin, end) that belong to a slot, in a cache line of its own.
struct alignas(64) Slot {
  std::atomic<uint64_t> range{0};

  static uint64_t pack(uint32_t begin, uint32_t end) { return uint64_t(begin) << 32 | end; }
  static uint32_t beginOf(uint64_t range) { return uint32_t(range >> 32); }
  static uint32_t endOf(uint64_t range) { return uint32_t(range); }
};

/// A loop that is running.
class Job {
public:
  Job(int64_t begin, int64_t end, int64_t grain, int threads, ThreadPool::Body body)
      : begin_(begin), end_(end), body_(body) {
    constexpr int64_t kMostChunks = int64_t(1) << 30;
    // In unsigned arithmetic, since end - begin may exceed the signed range.
    uint64_t count = uint64_t(end) - uint64_t(begin);
    grain_ = std::max(uint64_t(std::max<int64_t>(grain, 1)), (count - 1) / kMostChunks + 1);
    chunks_ = uint32_t((count - 1) / grain_ + 1);
    numSlots_ =
        int(std::min<uint32_t>(uint32_t(std::clamp(threads, 1, ThreadPool::kMaxThreads)), chunks_));
    if (numSlots_ == 1)
      return;
    slots_ = std::make_unique<Slot[]>(size_t(numSlots_));
    auto share = [&](int slot) { return uint32_t(uint64_t(chunks_) * unsigned(slot) / numSlots_); };
    for (int i = 0; i < numSlots_; ++i)
      slots_[size_t(i)].range = Slot::pack(share(i), share(i + 1));
  }

  int numSlots() const { return numSlots_; }

  /// When nobody works any more: throws what a body has thrown.
  void rethrow() const {
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

  /// Works until no slot has chunks left.
  void work(int slot) {
    do {
      uint32_t begin, end;
      while (takeFront(slot, begin, end))
        call(begin, end, slot);
    } while (steal(slot));
  }

  // What follows belongs to the pool, under its mutex.
  int nextSlot = 1; ///< 0 is the caller's
  std::atomic<int> workers{0};

private:
  void call(uint32_t begin, uint32_t end, int slot) {
    if (hasThrown_.load(std::memory_order_relaxed)) // what is left is only counted down
      return;
    auto from = int64_t(uint64_t(begin_) + begin * grain_);
    auto to = end == chunks_ ? end_ : int64_t(uint64_t(begin_) + end * grain_);
    try {
      body_(from, to, slot);
    } catch (...) {
      if (!hasThrown_.exchange(true))
        thrown_ = std::current_exception();
    }
  }

  /// An eighth of what is left: few calls, and as much again may be stolen meanwhile.
  bool takeFront(int slot, uint32_t &begin, uint32_t &end) {
    std::atomic<uint64_t> &range = slots_[size_t(slot)].range;
    uint64_t seen = range.load(std::memory_order_relaxed);
    while (true) {
      begin = Slot::beginOf(seen);
      uint32_t left = Slot::endOf(seen) - begin;
      if (left == 0)
        return false;
      end = begin + std::max(left / 8, 1u);
      if (range.compare_exchange_weak(seen, Slot::pack(end, Slot::endOf(seen)),
                                      std::memory_order_relaxed))
        return true;
    }
  }

  /// Moves the rear half of another slot's chunks into `slot`, which is empty. No word of a slot
  /// lies about the chunks that are its own, so one that comes back to a former value does no
  /// harm.
  bool steal(int slot) {
    for (int i = 1; i < numSlots_; ++i) {
      std::atomic<uint64_t> &victim = slots_[size_t((slot + i) % numSlots_)].range;
      uint64_t seen = victim.load(std::memory_order_relaxed);
      while (uint32_t left = Slot::endOf(seen) - Slot::beginOf(seen)) {
        uint32_t middle = Slot::beginOf(seen) + left / 2;
        if (victim.compare_exchange_weak(seen, Slot::pack(Slot::beginOf(seen), middle),
                                         std::memory_order_relaxed)) {
          slots_[size_t(slot)].range.store(Slot::pack(middle, Slot::endOf(seen)),
                                           std::memory_order_relaxed);
          return true;
        }
      }
    }
    return false;
  }

  int64_t begin_, end_;
  uint64_t grain_;
  uint32_t chunks_;
  int numSlots_;
  std::unique_ptr<Slot[]> slots_;
  ThreadPool::Body body_;
  std::atomic<bool> hasThrown_{false};
  std::exception_ptr thrown_; // by whom hasThrown_ was set
};

} // namespace

struct ThreadPool::State {
  const uint64_t generation = forkGeneration(); // threads do not survive a fork
  std::mutex mutex;
  std::condition_variable wake, left;
  std::vector<Job *> jobs;
  struct Worker {
    pthread_t thread;
    int avoids = -1; // that processor; -1: none
  };
  std::vector<Worker> threads;
  cpu_set_t allowed; // to the thread that started the first worker
  int sleepers = 0;
  bool stopping = false;
  /// Changes with each new job: what spinning workers look at.
  std::atomic<uint64_t> published{0};

  /// Under the mutex. Fewer start where the system refuses: loops need none.
  void startWorkers(int wanted) {
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

  /// Under the mutex.
  Job *jobWithFreeSlot() const {
    for (Job *job : jobs)
      if (job->nextSlot < job->numSlots())
        return job;
    return nullptr;
  }

  void workerLoop() {
    insideBody = true;
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (Job *job = jobWithFreeSlot()) {
        int slot = job->nextSlot++;
        ++job->workers;
        lock.unlock();
        job->work(slot);
        lock.lock();
        // Under the mutex: the job is gone as soon as its caller sees 0 and gets the mutex.
        if (--job->workers == 0)
          left.notify_all();
        continue;
      }
      uint64_t seen = published.load();
      lock.unlock();
      bool news = spinUntil([&] { return published.load(std::memory_order_relaxed) != seen; });
      lock.lock();
      if (news || published.load() != seen || stopping)
        continue;
      ++sleepers;
      wake.wait(lock, [&] { return published.load() != seen || stopping; });
      --sleepers;
    }
  }

  void run(Job &job) {
    int wanted = 0;
    {
      std::lock_guard lock(mutex);
      startWorkers(job.numSlots() - 1);
      jobs.push_back(&job);
      published.fetch_add(1);
      wanted = std::min(sleepers, job.numSlots() - 1);
      if (wanted > 0 && jobs.size() == 1)
        for (int caller = sched_getcpu(); Worker &worker : threads)
          avoid(worker, caller);
    }
    for (; wanted > 0; --wanted)
      wake.notify_one();
    insideBody = true;
    job.work(0);
    insideBody = false;
    std::unique_lock lock(mutex);
    jobs.erase(std::find(jobs.begin(), jobs.end(), &job)); // nobody joins any more
    if (job.workers == 0)
      return;
    lock.unlock();
    spinUntil([&] { return job.workers.load(std::memory_order_relaxed) == 0; });
    lock.lock();
    left.wait(lock, [&] { return job.workers == 0; });
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
  state->published.fetch_add(1);
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
