//===- Progress.cpp -------------------------------------------------------===//
#include "Progress.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace graphc {
namespace {

/// The line on the terminal, written by a thread of its own.
struct Line {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
  std::string what, stage;
  bool ends = false, isShown = false;

  void clear() {
    if (isShown)
      std::fputs("\r\033[K", stderr);
    isShown = false;
  }
  void run() {
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex);
    for (auto next = start + std::chrono::seconds(1);
         !changed.wait_until(lock, next, [&] { return ends; });
         next += std::chrono::milliseconds(200)) {
      double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      std::fprintf(stderr, "\r\033[K%s%s, %.1f s", what.c_str(),
                   stage.empty() ? "" : (": " + stage).c_str(), seconds);
      isShown = true;
    }
    clear();
  }
};

Line &line() {
  static auto &theLine = *new Line();
  return theLine;
}

} // namespace

Progress::Progress(std::string what) {
  if (!isatty(STDERR_FILENO))
    return;
  Line &l = line();
  l.what = std::move(what);
  l.stage.clear();
  l.ends = false;
  l.thread = std::thread([&l] { l.run(); });
}

Progress::~Progress() {
  Line &l = line();
  if (!l.thread.joinable())
    return;
  {
    std::lock_guard lock(l.mutex);
    l.ends = true;
  }
  l.changed.notify_one();
  l.thread.join();
}

StageObserver stageObserver(bool verbose) {
  return [verbose](const StageReport &report) {
    Line &l = line();
    std::lock_guard lock(l.mutex);
    l.stage = report.stage;
    if (!report.isDone || !verbose)
      return;
    l.clear();
    std::fprintf(stderr, "%-10s %9.2f ms  %s\n", std::string(report.stage).c_str(),
                 report.seconds * 1e3, report.size.c_str());
  };
}

} // namespace graphc
