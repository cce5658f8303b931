//===- Support/Fork.cpp - what happens around a fork ----------------------===//
#include "Support/Fork.h"

#include <pthread.h>
#include <sched.h>

#include <chrono>

#include "graphc/Status.h"

namespace graphc {

std::atomic<uint64_t> detail::forkCount{0};

//===--- short mutexes --------------------------------------------------------===//

/// All of the process, and how a fork takes them. Since it tries, and lets go of all where one is
/// held, they may be nested in any order.
class ShortMutexes {
public:
  static ShortMutexes &all() {
    static auto &instance = *new ShortMutexes;
    return instance;
  }
  void add(ShortMutex &mutex) {
    std::lock_guard lock(list_);
    mutex.after_ = first_;
    if (first_)
      first_->before_ = &mutex;
    first_ = &mutex;
  }
  void remove(ShortMutex &mutex) {
    std::lock_guard lock(list_);
    (mutex.before_ ? mutex.before_->after_ : first_) = mutex.after_;
    if (mutex.after_)
      mutex.after_->before_ = mutex.before_;
  }

  void lockAll() {
    // Who forks in a callback, such as a log sink, may have one itself: no wait would end.
    constexpr std::chrono::seconds kPatience{1};
    auto end = std::chrono::steady_clock::now() + kPatience;
    while (!tryAll()) {
      list_.unlock();
      sched_yield();
      if (std::chrono::steady_clock::now() > end) {
        list_.lock();
        for (ShortMutex *m = first_; m; m = m->after_)
          m->isLeft_ = !m->try_lock();
        return;
      }
    }
  }
  void unlockAll(bool isChild) {
    for (ShortMutex *m = first_; m; m = m->after_) {
      if (!m->isLeft_)
        m->unlock();
      else if (isChild) // who has it is not here
        new (static_cast<std::mutex *>(m)) std::mutex;
      m->isLeft_ = false;
    }
    list_.unlock();
  }

private:
  /// With the list locked. False, and none locked, where one is held.
  bool tryAll() {
    list_.lock();
    ShortMutex *held = first_;
    while (held && held->try_lock())
      held = held->after_;
    if (!held)
      return true;
    for (ShortMutex *m = first_; m != held; m = m->after_)
      m->unlock();
    return false;
  }

  std::mutex list_;
  ShortMutex *first_ = nullptr;
};

ShortMutex::ShortMutex() { ShortMutexes::all().add(*this); }
ShortMutex::~ShortMutex() { ShortMutexes::all().remove(*this); }

ForkSafeCondition::~ForkSafeCondition() {
  if (generation_ == forkGeneration())
    here().~condition_variable();
}

std::condition_variable &ForkSafeCondition::here() {
  if (generation_ != forkGeneration()) {
    new (&room_) std::condition_variable;
    generation_ = forkGeneration();
  }
  return *std::launder(reinterpret_cast<std::condition_variable *>(&room_));
}

//===--- work in the compiler half --------------------------------------------===//

namespace {

struct WorkState {
  std::mutex mutex;
  std::condition_variable changed;
  int active = 0;
  bool isForking = false;
  bool isPossible = true;
};

/// Another one after a fork; never destroyed.
WorkState *&workState() {
  static auto *state = new WorkState;
  return state;
}

thread_local int workDepth = 0;
std::thread::id forker;

int othersAtWork(const WorkState &state) { return state.active - (workDepth > 0); }

void beforeFork() {
  // Longer than a kernel takes; who compiles for longer is left behind.
  constexpr std::chrono::seconds kPatience{5};
  WorkState &state = *workState();
  std::unique_lock lock(state.mutex);
  state.isForking = true;
  state.changed.wait_for(lock, kPatience, [&] { return othersAtWork(state) == 0; });
  lock.release(); // it stays locked
  ShortMutexes::all().lockAll();
}

void afterForkInParent() {
  ShortMutexes::all().unlockAll(/*isChild=*/false);
  workState()->isForking = false;
  workState()->mutex.unlock();
  workState()->changed.notify_all();
}

void afterForkInChild() {
  detail::forkCount.fetch_add(1);
  forker = std::this_thread::get_id();
  ShortMutexes::all().unlockAll(/*isChild=*/true);
  auto *fresh = new WorkState; // others may wait for the old one
  fresh->isPossible = workState()->isPossible && othersAtWork(*workState()) == 0;
  fresh->active = workDepth > 0;
  workState() = fresh;
}

[[maybe_unused]] const int kRegistered =
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);

} // namespace

std::thread::id forkingThread() { return forker; }

CompilerWork::CompilerWork() {
  if (workDepth++ > 0)
    return;
  WorkState &state = *workState();
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return !state.isForking; });
  ++state.active;
}

CompilerWork::~CompilerWork() {
  if (--workDepth > 0)
    return;
  WorkState &state = *workState();
  std::lock_guard lock(state.mutex);
  if (--state.active == 0 || state.isForking)
    state.changed.notify_all();
}

bool CompilerWork::isPossible() const { return workState()->isPossible; }

absl::Status CompilerWork::check() const {
  if (isPossible())
    return absl::OkStatus();
  return makeError(ErrorKind::RuntimeError,
                   "this process was forked while another thread was compiling, so that it cannot "
                   "compile; functions that were there can be called: compile before the fork, or "
                   "load saved functions with their code");
}

CompilerWork::Help::Help() { ++workDepth; }
CompilerWork::Help::~Help() { --workDepth; }

} // namespace graphc
