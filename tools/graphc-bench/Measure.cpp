//===- Measure.cpp --------------------------------------------------------===//
//
// A round runs one side right after the other, in an order that alternates (ABC CBA ABC ...), so
// that slow changes of the machine (clock, neighbours, memory) meet all alike. Each round gives one
// ratio for each rival; the median of the ratios is what counts, not the ratio of two medians.
//
//===----------------------------------------------------------------------===//
#include "Measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace graphc::bench {

Rival rivalOf(std::string name, Work work, bool isPeer) {
  return {std::move(name),
          [work = std::move(work)](int64_t count) -> absl::StatusOr<double> {
            auto begin = std::chrono::steady_clock::now();
            work(count);
            std::chrono::duration<double, std::nano> time =
                std::chrono::steady_clock::now() - begin;
            return time.count();
          },
          isPeer};
}

namespace {

constexpr int64_t kLeastRounds = 21, kMostRounds = 401, kQuickRounds = 3;
/// A repetition lasts at least this long, so that reading the clock does not count.
constexpr double kLeastNanoseconds = 300e3;

/// One side, and its times so far.
struct Runner {
  Rival rival;
  int64_t count = 1;
  std::vector<double> times = {};

  absl::StatusOr<double> run() {
    absl::StatusOr<double> time = rival.time(count);
    if (time.ok())
      times.push_back(*time / double(count));
    return time;
  }
  /// Finds a number of pieces of work that is long enough; nanoseconds of a repetition.
  absl::StatusOr<double> prepare(bool quick) {
    absl::StatusOr<double> time = rival.time(count);
    for (; time.ok() && *time < kLeastNanoseconds && !quick; time = rival.time(count))
      count = std::max(count * 2, int64_t(double(count) * kLeastNanoseconds / (*time + 1) * 0.7));
    return time;
  }
};

Side sideOf(const std::vector<double> &times) {
  return {medianOf(times), *std::min_element(times.begin(), times.end())};
}

Beside besideOf(const Runner &ours, const Runner &rival) {
  std::vector<double> ratio, extra;
  for (size_t i = 0; i < ours.times.size(); ++i) {
    ratio.push_back(ours.times[i] / rival.times[i]);
    extra.push_back(ours.times[i] - rival.times[i]);
  }
  return {rival.rival.name, sideOf(rival.times), medianOf(std::move(ratio)),
          medianOf(std::move(extra)), rival.rival.isPeer};
}

absl::Status measureRounds(const Subject &subject, const Settings &settings, Measurement &result) {
  std::vector<Runner> runners = {{rivalOf("graphc", subject.ours)}};
  for (const Rival &rival : subject.rivals)
    runners.push_back({rival});
  double once = 0;
  for (Runner &runner : runners) {
    absl::StatusOr<double> time = runner.prepare(settings.quick);
    if (!time.ok())
      return time.status();
    once += *time;
  }
  result.count = runners[0].count;
  result.rounds = settings.quick ? kQuickRounds
                                 : std::clamp(int64_t(settings.seconds * 1e9 / once), kLeastRounds,
                                              kMostRounds);
  std::vector<Runner *> order;
  for (Runner &runner : runners)
    order.push_back(&runner);
  for (int64_t round = 0; round < result.rounds; ++round) {
    for (Runner *runner : order)
      if (absl::StatusOr<double> time = runner->run(); !time.ok())
        return time.status();
    std::reverse(order.begin(), order.end());
  }
  result.ours = sideOf(runners[0].times);
  for (size_t i = 1; i < runners.size(); ++i)
    result.rivals.push_back(besideOf(runners[0], runners[i]));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<Measurement> measure(const Case &which, const Settings &settings) {
  Measurement result;
  result.name = which.name;
  result.about = which.about;
  result.group = which.group;
  if (!settings.switches) // they are about others
    result.target = which.target;
  Settings mine = settings;
  mine.caseName = which.name;
  mine.seconds *= which.share;
  absl::StatusOr<Subject> subject = which.prepare(mine);
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
  result.cost = subject->cost;
  result.compileSeconds = subject->compileSeconds;
  // Warm, and checked before anything is timed: a fast wrong answer is no answer.
  int64_t warm = settings.quick ? 1 : 3;
  subject->ours(warm);
  for (const Rival &rival : subject->rivals)
    if (absl::StatusOr<double> time = rival.time(warm); !time.ok())
      return time.status();
  if (subject->check)
    if (absl::Status status = subject->check(); !status.ok())
      return status;
  if (absl::Status status = measureRounds(*subject, mine, result); !status.ok())
    return status;
  if (subject->check)
    if (absl::Status status = subject->check(); !status.ok())
      return status;
  return result;
}

const Beside *Measurement::best() const {
  auto best = std::ranges::max_element(rivals, {}, [](const Beside &b) { return b.ratio.value; });
  return best == rivals.end() ? nullptr : &*best;
}

const Beside *Measurement::bestPeer() const {
  auto of = [](const Beside &b) { return b.isPeer ? b.ratio.value : 0; };
  auto best = std::ranges::max_element(rivals, {}, of);
  return best == rivals.end() || !best->isPeer ? nullptr : &*best;
}

std::optional<bool> Measurement::reached() const {
  const Beside *rival = best();
  if (target.ratio && rival)
    return rival->ratio.low <= *target.ratio;
  if (target.extraNanoseconds && rival)
    return rival->extra.low <=
           *target.extraNanoseconds + target.extraOfPeer * rival->side.time.value;
  if (target.milliseconds)
    return ours.time.low <= *target.milliseconds * 1e6;
  return std::nullopt;
}

} // namespace graphc::bench
