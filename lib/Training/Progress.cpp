//===- Progress.cpp - lines about training -----------------------------------===//
#include <chrono>
#include <ostream>

#include "absl/strings/str_format.h"
#include "graphc/Optim.h"

namespace graphc {

using Clock = std::chrono::steady_clock;

struct TrainingProgress::State {
  std::ostream &out;
  int64_t steps;
  std::chrono::duration<double> interval;
  int64_t done = 0;
  // Since the last line:
  Clock::time_point start = Clock::now();
  int64_t count = 0, examples = 0;
  double losses = 0;

  void print(Clock::time_point now) {
    std::string of = steps > 0 ? absl::StrFormat(" of %d", steps) : "";
    double seconds = std::chrono::duration<double>(now - start).count();
    out << absl::StrFormat("step %d%s: loss %.4g, %.4g examples/s\n", done, of,
                           losses / double(count), double(examples) / std::max(seconds, 1e-9))
        << std::flush;
    start = now;
    count = examples = 0;
    losses = 0;
  }
};

TrainingProgress::TrainingProgress(std::ostream &out, int64_t steps, double seconds)
    : state_(new State{out, steps, std::chrono::duration<double>(seconds)}) {}

TrainingProgress::~TrainingProgress() {
  if (state_->count > 0)
    state_->print(Clock::now());
}

void TrainingProgress::step(double loss, int64_t examples) {
  ++state_->done;
  ++state_->count;
  state_->examples += examples;
  state_->losses += loss;
  Clock::time_point now = Clock::now();
  if (state_->done == state_->steps || now - state_->start >= state_->interval)
    state_->print(now);
}

} // namespace graphc
