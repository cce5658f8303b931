//===- Runtime/PoolJob.h - a loop that several threads share -----*- C++ -*-===//
//
// The range is cut into chunks of `grain`, the chunks dealt out to as many slots as threads are
// wanted. A thread that joins takes a slot, works from the front of the slot's chunks, and when
// they are done steals the rear half of another's. A slot is one 64-bit word, so taking and
// stealing are one compare-and-swap. Slots of threads that never come are emptied by the others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "Runtime/ThreadPool.h"

namespace graphc {

/// Chunks [begin, end) that belong to a slot, in a cache line of its own.
struct alignas(64) Slot {
  std::atomic<uint64_t> range{0};

  static uint64_t pack(uint32_t begin, uint32_t end) { return uint64_t(begin) << 32 | end; }
  static uint32_t beginOf(uint64_t range) { return uint32_t(range >> 32); }
  static uint32_t endOf(uint64_t range) { return uint32_t(range); }
};

/// A loop that is running.
class Job {
public:
  Job(int64_t begin, int64_t end, int64_t grain, int threads, ThreadPool::Body body)
      : begin_(begin), end_(end), body_(body) {
    constexpr int64_t kMostChunks = int64_t(1) << 30;
    // In unsigned arithmetic, since end - begin may exceed the signed range.
    uint64_t count = uint64_t(end) - uint64_t(begin);
    grain_ = std::max(uint64_t(std::max<int64_t>(grain, 1)), (count - 1) / kMostChunks + 1);
    chunks_ = uint32_t((count - 1) / grain_ + 1);
    numSlots_ =
        int(std::min<uint32_t>(uint32_t(std::clamp(threads, 1, ThreadPool::kMaxThreads)), chunks_));
    if (numSlots_ == 1)
      return;
    if (numSlots_ > kFewSlots) {
      many_ = std::make_unique<Slot[]>(size_t(numSlots_));
      slots_ = many_.get();
    }
    auto share = [&](int slot) { return uint32_t(uint64_t(chunks_) * unsigned(slot) / numSlots_); };
    for (int i = 0; i < numSlots_; ++i)
      slots_[size_t(i)].range = Slot::pack(share(i), share(i + 1));
  }

  Job(const Job &) = delete; // it points to its own slots
  Job &operator=(const Job &) = delete;

  int numSlots() const { return numSlots_; }

  /// When nobody works any more: throws what a body has thrown.
  void rethrow() const {
    if (thrown_)
      std::rethrow_exception(thrown_);
  }

  /// Works until no slot has chunks left.
  void work(int slot) {
    do {
      uint32_t begin, end;
      while (takeFront(slot, begin, end))
        call(begin, end, slot);
    } while (steal(slot));
  }

private:
  void call(uint32_t begin, uint32_t end, int slot) {
    if (hasThrown_.load(std::memory_order_relaxed)) // what is left is only counted down
      return;
    auto from = int64_t(uint64_t(begin_) + begin * grain_);
    auto to = end == chunks_ ? end_ : int64_t(uint64_t(begin_) + end * grain_);
    try {
      body_(from, to, slot);
    } catch (...) {
      if (!hasThrown_.exchange(true))
        thrown_ = std::current_exception();
    }
  }

  /// An eighth of what is left: few calls, and as much again may be stolen meanwhile.
  bool takeFront(int slot, uint32_t &begin, uint32_t &end) {
    std::atomic<uint64_t> &range = slots_[size_t(slot)].range;
    uint64_t seen = range.load(std::memory_order_relaxed);
    while (true) {
      begin = Slot::beginOf(seen);
      uint32_t left = Slot::endOf(seen) - begin;
      if (left == 0)
        return false;
      end = begin + std::max(left / 8, 1u);
      if (range.compare_exchange_weak(seen, Slot::pack(end, Slot::endOf(seen)),
                                      std::memory_order_relaxed))
        return true;
    }
  }

  /// Moves the rear half of another slot's chunks into `slot`, which is empty. No word of a slot
  /// lies about the chunks that are its own, so one that comes back to a former value does no
  /// harm.
  bool steal(int slot) {
    for (int i = 1; i < numSlots_; ++i) {
      std::atomic<uint64_t> &victim = slots_[size_t((slot + i) % numSlots_)].range;
      uint64_t seen = victim.load(std::memory_order_relaxed);
      while (uint32_t left = Slot::endOf(seen) - Slot::beginOf(seen)) {
        uint32_t middle = Slot::beginOf(seen) + left / 2;
        if (victim.compare_exchange_weak(seen, Slot::pack(Slot::beginOf(seen), middle),
                                         std::memory_order_relaxed)) {
          slots_[size_t(slot)].range.store(Slot::pack(middle, Slot::endOf(seen)),
                                           std::memory_order_relaxed);
          return true;
        }
      }
    }
    return false;
  }

  int64_t begin_, end_;
  uint64_t grain_;
  uint32_t chunks_;
  int numSlots_;
  static constexpr int kFewSlots = 8; ///< so many allocate nothing
  Slot few_[kFewSlots];
  std::unique_ptr<Slot[]> many_;
  Slot *slots_ = few_;
  ThreadPool::Body body_;
  std::atomic<bool> hasThrown_{false};
  std::exception_ptr thrown_; // by whom hasThrown_ was set
};

} // namespace graphc
