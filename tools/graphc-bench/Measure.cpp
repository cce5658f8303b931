//===- Measure.cpp --------------------------------------------------------===//
//
// A repetition runs one side right after the other, in an order that alternates (AB BA AB ...), so
// that slow changes of the machine (clock, neighbours, memory) meet both alike. Each repetition
// gives one ratio; the median of the ratios is what counts, not the ratio of two medians.
//
//===----------------------------------------------------------------------===//
#include "Measure.h"

#include <algorithm>
#include <chrono>

namespace graphc::bench {
namespace {

constexpr int64_t kLeastPairs = 21, kMostPairs = 401, kQuickPairs = 3;
/// A repetition lasts at least this long, so that reading the clock does not count.
constexpr double kLeastNanoseconds = 300e3;

double nanoseconds(const Work &work, int64_t count) {
  auto begin = std::chrono::steady_clock::now();
  work(count);
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

/// Pieces of work for a repetition that is long enough.
int64_t countFor(const Work &work) {
  int64_t count = 1;
  for (double time; (time = nanoseconds(work, count)) < kLeastNanoseconds;)
    count = std::max(count * 2, int64_t(double(count) * kLeastNanoseconds / (time + 1) * 0.7));
  return count;
}

Side sideOf(const std::vector<double> &times) {
  return {medianOf(times), *std::min_element(times.begin(), times.end())};
}

void measurePairs(const Subject &subject, const Settings &settings, Measurement &result) {
  result.count = settings.quick ? 1 : countFor(subject.ours);
  double once = nanoseconds(subject.ours, result.count);
  if (subject.peer)
    once += nanoseconds(subject.peer, result.count);
  result.pairs = std::clamp(int64_t(settings.seconds * 1e9 / once), kLeastPairs, kMostPairs);
  if (settings.quick)
    result.pairs = kQuickPairs;

  std::vector<double> ours, peer, ratio, extra;
  auto runOurs = [&] {
    ours.push_back(nanoseconds(subject.ours, result.count) / double(result.count));
  };
  auto runPeer = [&] {
    peer.push_back(nanoseconds(subject.peer, result.count) / double(result.count));
  };
  for (int64_t pair = 0; pair < result.pairs; ++pair) {
    if (!subject.peer) {
      runOurs();
      continue;
    }
    if (pair % 2) {
      runPeer();
      runOurs();
    } else {
      runOurs();
      runPeer();
    }
    ratio.push_back(ours.back() / peer.back());
    extra.push_back(ours.back() - peer.back());
  }
  result.ours = sideOf(ours);
  if (!subject.peer)
    return;
  result.peer = sideOf(peer);
  result.ratio = medianOf(std::move(ratio));
  result.extra = medianOf(std::move(extra));
}

} // namespace

absl::StatusOr<Measurement> measure(const Case &which, const Settings &settings) {
  Measurement result;
  result.name = which.name;
  result.about = which.about;
  result.target = which.target;
  absl::StatusOr<Subject> subject = which.prepare(settings);
  if (!subject.ok())
    return subject.status();
  if (subject->phases) {
    absl::StatusOr<Phases> phases = subject->phases();
    if (!phases.ok())
      return phases.status();
    result.nodes = subject->nodes;
    for (const auto &[name, seconds] : *phases)
      result.perNode.emplace_back(name, seconds * 1e9 / double(subject->nodes));
    return result;
  }
  // Warm, and checked before anything is timed: a fast wrong answer is no answer.
  for (const Work *work : {&subject->ours, &subject->peer})
    if (*work)
      (*work)(settings.quick ? 1 : 3);
  if (subject->check)
    if (absl::Status status = subject->check(); !status.ok())
      return status;
  measurePairs(*subject, settings, result);
  if (subject->check)
    if (absl::Status status = subject->check(); !status.ok())
      return status;
  return result;
}

std::optional<bool> Measurement::reached() const {
  if (target.ratio && ratio)
    return ratio->value <= *target.ratio;
  if (target.extraNanoseconds && extra)
    return extra->value <=
           *target.extraNanoseconds + (peer ? target.extraOfPeer * peer->time.value : 0);
  if (target.milliseconds)
    return ours.time.value <= *target.milliseconds * 1e6;
  return std::nullopt;
}

} // namespace graphc::bench
