//===- Specialisations.cpp - code for extents that come often -------------===//
#include "API/Specialisations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "Runtime/Background.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"

namespace graphc {
namespace {

/// For one list of extents. Slots are filled one after the other and stay.
struct Version {
  std::vector<int64_t> extents;
  std::shared_ptr<const Executable> kept;
  std::atomic<const Executable *> ready = nullptr;
  /// Forks before the process in which it was begun: of a parent's nothing comes.
  std::atomic<uint64_t> generation = 0;
};

/// How often lists of extents came, by hash: in each row those that are more than a fifth of it
/// stay (after Misra and Gries). Counts that threads lose to each other only make it take longer.
class Counts {
public:
  /// Whether this makes it `often`.
  bool add(uint64_t hash, uint64_t often) {
    Row &row = rows_[hash % rows_.size()];
    uint64_t tag = hash & ~kCount;
    std::atomic<uint64_t> *free = nullptr;
    for (std::atomic<uint64_t> &place : row) {
      uint64_t seen = place.load(std::memory_order_relaxed);
      if ((seen & kCount) == 0) {
        free = &place;
      } else if ((seen & ~kCount) == tag) {
        bool isOften = (seen & kCount) + 1 >= often;
        place.store(isOften ? 0 : seen + 1, std::memory_order_relaxed);
        return isOften;
      }
    }
    if (free) {
      free->store(tag | 1, std::memory_order_relaxed);
      return false;
    }
    for (std::atomic<uint64_t> &place : row)
      if (uint64_t seen = place.load(std::memory_order_relaxed); seen & kCount)
        place.store(seen - 1, std::memory_order_relaxed);
    return false;
  }

private:
  static constexpr uint64_t kCount = 0xFFFF;
  using Row = std::array<std::atomic<uint64_t>, 4>;
  std::array<Row, 16> rows_ = {};
};

/// The same in every run, so that what is made is.
uint64_t hashOf(absl::Span<const int64_t> extents) {
  uint64_t hash = 0;
  for (int64_t extent : extents) {
    hash = (hash + uint64_t(extent) + 1) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

} // namespace

struct Specialisations::State {
  std::shared_ptr<const Specialiser> specialiser;
  int threads;
  Cancellation unwanted;
  Counts counts;
  std::vector<Version> versions; // never moved
  std::atomic<size_t> used = 0;
  ShortMutex mutex; // of who fills in a version
  State(std::shared_ptr<const Specialiser> by, int most, int threads)
      : specialiser(std::move(by)), threads(threads), versions(size_t(most)) {}

  Version *find(absl::Span<const int64_t> extents) {
    for (size_t i = 0, count = used.load(std::memory_order_acquire); i < count; ++i)
      if (extents == absl::MakeConstSpan(versions[i].extents))
        return &versions[i];
    return nullptr;
  }
  bool isOpen() const { return used.load(std::memory_order_relaxed) < versions.size(); }

  /// The version that is to be made now; null where another thread is at it.
  Version *begin(absl::Span<const int64_t> extents) {
    std::lock_guard lock(mutex);
    Version *version = find(extents);
    if (version && version->generation == forkGeneration())
      return nullptr;
    if (!version) {
      size_t number = used.load(std::memory_order_relaxed);
      if (number == versions.size())
        return nullptr;
      version = &versions[number];
      version->extents.assign(extents.begin(), extents.end());
    }
    version->generation = forkGeneration();
    used.store(std::max(used.load(), size_t(version - versions.data()) + 1),
               std::memory_order_release);
    return version;
  }
};

Specialisations::Specialisations(std::shared_ptr<const Specialiser> specialiser, int most,
                                 int threads)
    : state_(std::make_shared<State>(std::move(specialiser), most, threads)) {}

Specialisations::~Specialisations() { state_->unwanted.cancel(); }

const Executable *Specialisations::find(absl::Span<const int64_t> extents) const {
  Version *version = state_->find(extents);
  return version ? version->ready.load(std::memory_order_acquire) : nullptr;
}

void Specialisations::count(absl::Span<const int64_t> extents) const {
  Version *known = state_->find(extents);
  if (known ? known->generation.load(std::memory_order_relaxed) == forkGeneration()
            : !state_->isOpen())
    return;
  if (!state_->counts.add(hashOf(extents), kOften))
    return;
  Version *version = state_->begin(extents);
  if (!version)
    return;
  auto make = [weak = std::weak_ptr(state_), specialiser = state_->specialiser,
               extents = version->extents, threads = state_->threads, unwanted = state_->unwanted,
               version] {
    CancelScope scope(unwanted);
    absl::StatusOr<std::shared_ptr<const Executable>> made = specialiser->make(extents, threads);
    std::shared_ptr<State> state = weak.lock();
    if (!made.ok() || !state) // calls go on as they are
      return;
    version->kept = *std::move(made);
    version->ready.store(version->kept.get(), std::memory_order_release);
  };
  runInBackground(std::move(make), state_->unwanted);
}

std::vector<const Executable *> Specialisations::made() const {
  std::vector<const Executable *> all;
  for (size_t i = 0, count = state_->used.load(std::memory_order_acquire); i < count; ++i)
    if (const Executable *ready = state_->versions[i].ready.load(std::memory_order_acquire))
      all.push_back(ready);
  return all;
}

std::unique_ptr<const Specialisations> Specialisations::forCopy() const {
  return std::make_unique<const Specialisations>(state_->specialiser, int(state_->versions.size()),
                                                 state_->threads);
}

} // namespace graphc
