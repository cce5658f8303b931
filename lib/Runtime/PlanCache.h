//===- PlanCache.h - plans of the shapes that were seen -----------*- C++ -*-===//
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "Runtime/Executable.h"
#include "Runtime/Frame.h"
#include "Runtime/RunProfile.h"
#include "Support/Fork.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"

namespace graphc {

/// A plan in the cache, with frames that wait for their next call.
struct CachedPlan {
  std::vector<int64_t> key;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<Frame>> frames;
  /// Of a program of a few kernels that need at most 1 MB besides.
  std::optional<DirectCall> direct;
  /// Where a profile asked for it.
  std::optional<PlanCost> cost;
  /// By fork of the plan: how it runs.
  enum class ForkRuns : uint8_t { NotYet, Once, InOrder, SideBySide };
  std::vector<std::atomic<ForkRuns>> forks;
};

/// A frame in use.
struct Lease {
  std::shared_ptr<CachedPlan> cached;
  std::unique_ptr<Frame> frame;
  const Plan &plan() const { return *cached->plan; }
};

/// The plans of a program. Thread-safe.
class PlanCache {
public:
  PlanCache(const Executable::Joined &joined, RunCounters &counters)
      : joined_(joined), counters_(counters) {}

  using FillSizes = absl::FunctionRef<void(std::vector<SizeValue> &)>;
  /// The plan for `key` and a frame of it. Where it must be made, `fill` gives the values of Dims,
  /// Elements and what earlier segments know; it has forks if the call that makes it wants several
  /// threads, as calls of a function do; bodies that a branch of a fork runs first have none.
  /// Errors: those of checks; OutOfMemory.
  absl::StatusOr<Lease> lease(int32_t segment, absl::Span<const int64_t> key, int threads,
                              FillSizes fill);
  void giveBack(Lease lease) noexcept;
  /// With what is known of it; counted, but not in the cache.
  std::shared_ptr<CachedPlan> cachedOf(std::shared_ptr<const Plan> plan,
                                       absl::Span<const int64_t> key) const;
  /// The plan that was used last, if it is that of `key` and one call.
  std::shared_ptr<const CachedPlan> directOf(absl::Span<const int64_t> key) const;
  const PlanCost &costOf(int32_t segment, const Lease &lease);
  /// Frees the frames that nobody has.
  void free();

private:
  const Executable::Joined &joined_;
  RunCounters &counters_;

  mutable ShortMutex mutex_;
  using Key = std::vector<int64_t>;
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(absl::Span<const int64_t> key) const { return absl::HashOf(key); }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(absl::Span<const int64_t> a, absl::Span<const int64_t> b) const {
      return a == b;
    }
  };
  std::unordered_map<Key, std::shared_ptr<CachedPlan>, KeyHash, KeyEqual> plans_;
  std::shared_ptr<CachedPlan> last_; // of a static program; else the one used last
};

} // namespace graphc
