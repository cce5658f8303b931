//===- PlanCache.cpp ------------------------------------------------------===//
#include "Runtime/PlanCache.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "Runtime/ExecutableState.h"

namespace graphc {
namespace {

/// Shapes that one function is called with; beyond that many the cache starts anew.
constexpr size_t kMaxPlans = 256;
/// Frames kept for a plan: threads that were in it at once.
constexpr size_t kMaxFrames = 64;

} // namespace

std::shared_ptr<CachedPlan> PlanCache::cachedOf(std::shared_ptr<const Plan> plan,
                                                absl::Span<const int64_t> key) const {
  counters_.plans.fetch_add(1, std::memory_order_relaxed);
  auto cached = std::make_shared<CachedPlan>();
  cached->plan = std::move(plan);
  cached->key.assign(key.begin(), key.end());
  cached->direct = directCallOf(joined_, *cached->plan);
  cached->forks = decltype(CachedPlan::forks)(cached->plan->forks.size());
  return cached;
}

absl::StatusOr<Lease> PlanCache::lease(int32_t segment, absl::Span<const int64_t> key, int threads,
                                       FillSizes fill) {
  const Program &program = joined_.program;
  const bool isStatic = joined_.layout.isStatic;
  Lease result;
  {
    std::lock_guard lock(mutex_);
    if (isStatic || (last_ && key == absl::MakeConstSpan(last_->key)))
      result.cached = last_;
    else if (auto it = plans_.find(key); it != plans_.end())
      result.cached = last_ = it->second;
    if (result.cached && !result.cached->frames.empty()) {
      result.frame = std::move(result.cached->frames.back());
      result.cached->frames.pop_back();
      return result;
    }
  }
  if (!result.cached) {
    std::vector<SizeValue> sizes(program.sizes.size(), 0);
    fill(sizes);
    absl::StatusOr<std::shared_ptr<Plan>> plan =
        Plan::create(program, joined_.layout, segment, std::move(sizes), joined_.kept.get(),
                     threads > 1 ? &joined_.order.get(program, joined_.layout) : nullptr);
    if (!plan.ok())
      return plan.status();
    result.cached = cachedOf(*std::move(plan), key);
    std::lock_guard lock(mutex_);
    if (isStatic) {
      if (last_)
        result.cached = last_;
      last_ = result.cached;
    } else {
      if (plans_.size() >= kMaxPlans)
        plans_.clear();
      auto [it, isNew] = plans_.try_emplace(Key(key.begin(), key.end()), result.cached);
      result.cached = last_ = it->second;
    }
  }
  counters_.arenas.fetch_add(1, std::memory_order_relaxed);
  absl::StatusOr<std::unique_ptr<Frame>> frame = Frame::create(program, result.plan());
  if (!frame.ok())
    return frame.status();
  result.frame = *std::move(frame);
  std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<Frame>> &frames = result.cached->frames;
  frames.reserve(std::min(frames.capacity() + 1, kMaxFrames)); // so that it can be given back
  return result;
}

void PlanCache::giveBack(Lease lease) noexcept {
  std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<Frame>> &frames = lease.cached->frames;
  if (frames.size() < std::min(frames.capacity(), kMaxFrames)) // `lease` made room
    frames.push_back(std::move(lease.frame));
}

std::shared_ptr<const CachedPlan> PlanCache::directOf(absl::Span<const int64_t> key) const {
  std::lock_guard lock(mutex_);
  return last_ && last_->direct && key == absl::MakeConstSpan(last_->key) ? last_ : nullptr;
}

const PlanCost &PlanCache::costOf(int32_t segment, const Lease &lease) {
  CachedPlan &cached = *lease.cached;
  bool isCosted;
  {
    std::lock_guard lock(mutex_);
    isCosted = cached.cost.has_value();
  }
  if (!isCosted) {
    PlanCost cost = graphc::costOf(joined_.program, joined_.layout, segment, *cached.plan);
    std::lock_guard lock(mutex_);
    if (!cached.cost)
      cached.cost = std::move(cost);
  }
  return *cached.cost;
}

void PlanCache::free() {
  std::lock_guard lock(mutex_);
  if (last_)
    last_->frames.clear();
  for (auto &[key, cached] : plans_)
    cached->frames.clear();
}

} // namespace graphc
