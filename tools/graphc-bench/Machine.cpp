//===- Machine.cpp --------------------------------------------------------===//
#include "Machine.h"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "Clock.h"
#include "Compare.h"
#include "HandPeak.h"

namespace graphc::bench {
namespace {

/// The greatest rate of `work`, which gives its amount: the best of some seconds.
double bestRate(double seconds, const std::function<double()> &work) {
  work(); // pages, caches, clock
  double best = 0;
  Clock whole;
  for (double passed = 0; passed < seconds;) {
    Clock clock;
    double amount = work();
    best = std::max(best, amount / clock.lap());
    passed += whole.lap();
  }
  return best;
}

template <class T>
double flopsOf(double (*run)(int64_t, T *), const Settings &settings, double seconds) {
  return bestRate(seconds, [&] {
    double total = 0;
    std::vector<T> results(size_t(settings.threads) * 64);
    constexpr int64_t kSteps = 50000;
    onThreads(int64_t(settings.threads) * 64, settings, [&](int64_t begin, int64_t) {
      double done = run(kSteps, &results[size_t(begin)]);
      if (begin == 0) // all do the same
        total = done * settings.threads;
    });
    benchmark::DoNotOptimize(results.data());
    return total;
  });
}

Bandwidth bandwidthOf(std::string name, double bytes, const Settings &settings, double seconds) {
  Bandwidth result{std::move(name), bytes, 0, 0};
  // A cache is filled once and gone through often, so that starting threads does not count.
  int64_t times = std::max<int64_t>(1, int64_t(16e6 / bytes));
  int64_t n = int64_t(bytes) / int64_t(sizeof(float));
  std::vector<float> x(size_t(n), 1.0f), sums(size_t(settings.threads) + 64);
  auto parts = [&](int64_t elements, auto &&body) {
    onThreads(elements, settings, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < times; ++i)
        body(begin, end);
    });
  };
  result.read = bestRate(seconds, [&] {
    parts(n, [&](int64_t begin, int64_t end) {
      benchmark::DoNotOptimize(handRead(x.data(), begin, end));
      benchmark::ClobberMemory();
    });
    return bytes * double(times);
  });
  int64_t third = n / 3 / 64 * 64;
  result.mixed = bestRate(seconds, [&] {
    parts(third, [&](int64_t begin, int64_t end) {
      handMixed(x.data(), x.data() + third, x.data() + 2 * third, begin, end);
      benchmark::ClobberMemory();
    });
    return double(third) * 3 * sizeof(float) * double(times);
  });
  return result;
}

} // namespace

Machine Machine::measured(const Settings &settings) {
  double seconds = settings.quick ? 0.002 : 0.3, cache = 1 << 20;
  for (const benchmark::CPUInfo::CacheInfo &level : benchmark::CPUInfo::Get().caches)
    if (level.level == 2)
      cache = double(level.size);
  Machine machine;
  machine.threads = settings.threads;
  machine.f32 = flopsOf(handFlops<float>, settings, seconds);
  machine.f64 = flopsOf(handFlops<double>, settings, seconds);
  machine.bf16 = std::max(machine.f32, flopsOf(handBFloat16Flops, settings, seconds));
  machine.bandwidths = {bandwidthOf("cache", cache / 2 * settings.threads, settings, seconds),
                        bandwidthOf("12 MiB", 12 << 20, settings, seconds),
                        bandwidthOf("memory", 64 << 20, settings, seconds)};
  return machine;
}

void Machine::raiseTo(const Machine &again) {
  f32 = std::max(f32, again.f32);
  f64 = std::max(f64, again.f64);
  bf16 = std::max(bf16, again.bf16);
  for (size_t i = 0; i < bandwidths.size(); ++i) {
    bandwidths[i].read = std::max(bandwidths[i].read, again.bandwidths[i].read);
    bandwidths[i].mixed = std::max(bandwidths[i].mixed, again.bandwidths[i].mixed);
  }
}

std::optional<Limit> Machine::limitOf(const Cost &cost, double nanoseconds) const {
  double bytes = cost.read + cost.written;
  if (cost.flops + bytes == 0 || bandwidths.empty())
    return std::nullopt;
  bool isDouble = cost.dtype == DType::Float64, isBFloat16 = cost.dtype == DType::BFloat16;
  double arithmetic = cost.flops / (isDouble ? f64 : isBFloat16 ? bf16 : f32);
  auto level = std::find_if(bandwidths.begin(), bandwidths.end() - 1,
                            [&](const Bandwidth &b) { return bytes <= b.bytes; });
  double movement = bytes / (cost.written * 4 > cost.read ? level->mixed : level->read);
  double share = std::max(arithmetic, movement) * 1e9 / nanoseconds;
  if (arithmetic > movement)
    return Limit{isDouble ? "f64" : isBFloat16 ? "bf16" : "f32", share, false};
  return Limit{level->name, share, true};
}

} // namespace graphc::bench
