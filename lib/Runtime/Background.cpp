//===- Runtime/Background.cpp - work that nobody waits for ----------------===//
#include "Runtime/Background.h"

#include <pthread.h>

#include <cstdlib>
#include <deque>
#include <list>
#include <mutex>

#include "Runtime/BlockedSignals.h"
#include "Runtime/ThreadPool.h"
#include "Support/Fork.h"

namespace graphc {
namespace {

struct Work {
  std::function<void()> run;
  Cancellation stop;
};

/// Never destroyed: threads may be in it while the process ends.
class Background {
public:
  static Background &shared() {
    static auto &instance = *new Background;
    return instance;
  }

  bool add(Work work) {
    // Compiled code's libraries are there by now, so that what is registered here comes before
    // their destructors.
    static const int kRegistered = std::atexit([] { shared().end(); });
    (void)kRegistered;
    std::unique_lock lock(mutex_);
    forgetParent();
    if (isEnding_ || (!hasThread_ && !startThread()))
      return false;
    queue_.push_back(std::move(work));
    changed_.notifyAll();
    return true;
  }

  /// On this thread.
  void run(const Work &work) {
    std::list<Cancellation>::iterator mine;
    {
      std::lock_guard lock(mutex_);
      forgetParent();
      if (isEnding_)
        return;
      mine = running_.insert(running_.end(), work.stop);
    }
    work.run();
    std::lock_guard lock(mutex_);
    running_.erase(mine);
    changed_.notifyAll();
  }

  int startedThreads() {
    std::lock_guard lock(mutex_);
    forgetParent();
    return hasThread_;
  }

private:
  /// With the mutex, as all that follows. Threads do not survive a fork.
  void forgetParent() {
    if (generation_ == forkGeneration())
      return;
    generation_ = forkGeneration();
    queue_.clear();
    running_.clear();
    hasThread_ = false;
  }

  bool startThread() {
    BlockedSignals blocked;
    pthread_t thread;
    hasThread_ = pthread_create(
                     &thread, nullptr,
                     [](void *self) -> void * {
                       static_cast<Background *>(self)->loop();
                       return nullptr;
                     },
                     this) == 0;
    if (hasThread_)
      pthread_detach(thread);
    return hasThread_;
  }

  void loop() {
    while (true) {
      Work work;
      {
        std::unique_lock lock(static_cast<std::mutex &>(mutex_));
        while (queue_.empty())
          changed_.wait(lock);
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      run(work);
    }
  }

  /// When the process ends: destructors of libraries would take from running work what it needs.
  void end() {
    std::unique_lock lock(static_cast<std::mutex &>(mutex_));
    forgetParent();
    isEnding_ = true;
    for (const Cancellation &stop : running_)
      stop.cancel();
    while (!running_.empty())
      changed_.wait(lock);
  }

  ShortMutex mutex_;
  ForkSafeCondition changed_;
  uint64_t generation_ = forkGeneration();
  std::deque<Work> queue_;
  std::list<Cancellation> running_;
  bool hasThread_ = false, isEnding_ = false;
};

} // namespace

bool runInBackground(std::function<void()> run, Cancellation stop) {
  Work work{std::move(run), std::move(stop)};
  std::shared_ptr<TaskRunner> own = lentTaskRunner();
  if (!own)
    return Background::shared().add(std::move(work));
  return own->runLater([work = std::move(work)] { Background::shared().run(work); });
}

int startedBackgroundThreads() { return Background::shared().startedThreads(); }

} // namespace graphc
