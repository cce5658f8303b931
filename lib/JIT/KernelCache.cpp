//===- JIT/KernelCache.cpp - each kernel compiled once --------------------===//
#include "JIT/KernelCache.h"

#include <chrono>
#include <condition_variable>

#include "JIT/CompileInParts.h"
#include "JIT/Session.h"
#include "Support/Bytes.h"
#include "Support/Cancel.h"
#include "Support/Log.h"
#include "graphc/Status.h"

namespace graphc {

/// A kernel that is there, or that some thread is making.
struct KernelCache::Slot {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  absl::Status status;
  std::shared_ptr<const CachedKernel> kernel;

  void finish(absl::StatusOr<CachedKernel> made) {
    std::lock_guard lock(mutex);
    if (made.ok())
      kernel = std::make_shared<CachedKernel>(*std::move(made));
    else
      status = made.status();
    done = true;
    changed.notify_all();
  }
  absl::StatusOr<std::shared_ptr<const CachedKernel>> wait() {
    std::unique_lock lock(mutex);
    // Nobody is woken when a compilation is cancelled: who can be looks from time to time.
    constexpr std::chrono::milliseconds kLook{10};
    while (!done)
      if (!CancelScope::current())
        changed.wait(lock);
      else if (absl::Status s = checkCancelled(); !s.ok())
        return s;
      else
        changed.wait_for(lock, kLook);
    if (!status.ok())
      return status;
    return kernel;
  }
  bool hasFailed() {
    std::lock_guard lock(mutex);
    return !status.ok();
  }
  /// Whether only the cache has it.
  bool unused() {
    std::lock_guard lock(mutex);
    return done && (!kernel || (kernel.use_count() == 1 && kernel->code.use_count() == 1));
  }
};

KernelCache &KernelCache::shared() {
  // Never destroyed: code may still run while the process ends.
  static KernelCache *const cache = new KernelCache();
  return *cache;
}

namespace {

/// What stands beside the object in a folder.
template <class Bytes, class Kernel> void transferData(Bytes &bytes, Kernel &kernel) {
  bytes.value(kernel.symbol);
  bytes.list(kernel.scratch, [&](auto &scratch) {
    bytes.value(scratch.bytes);
    bytes.value(scratch.sizeArguments);
    bytes.value(scratch.limit);
    bytes.value(scratch.limited);
    transferKeptForm(bytes, scratch.kept);
  });
}

/// The objects' sizes, and what else is known; `code` is one object behind the other.
std::string dataOf(const CompiledKernel &kernel, std::string &code) {
  ByteWriter bytes;
  std::vector<uint64_t> sizes;
  for (const std::string &object : kernel.objects) {
    sizes.push_back(object.size());
    code += object;
  }
  bytes.value(sizes);
  transferData(bytes, kernel);
  return bytes.take();
}

std::optional<CompiledKernel> find(const CodeFolder &folder, const Hash128 &key) {
  std::optional<CodeFolder::Entry> entry = folder.find(key, CodeFolder::Kind::Object);
  if (!entry)
    return std::nullopt;
  CompiledKernel kernel;
  ByteReader bytes(entry->data);
  std::vector<uint64_t> sizes;
  bytes.value(sizes);
  transferData(bytes, kernel);
  std::string_view code = entry->code;
  for (uint64_t size : sizes) {
    if (size > code.size())
      return std::nullopt;
    kernel.objects.emplace_back(code.substr(0, size));
    code.remove_prefix(kernel.objects.back().size());
  }
  if (!bytes.atEnd() || !code.empty())
    return std::nullopt;
  return kernel;
}

absl::StatusOr<CachedKernel> load(CompiledKernel kernel) {
  absl::StatusOr<Session *> session = Session::get();
  if (!session.ok())
    return session.status();
  absl::StatusOr<std::shared_ptr<const LoadedCode>> code =
      (*session)->loadKernels(kernel.objects, {kernel.symbol});
  if (!code.ok())
    return code.status();
  return CachedKernel{std::move(kernel), *std::move(code)};
}

} // namespace

absl::StatusOr<CachedKernel> KernelCache::make(const Hash128 &key, CodeFolder *folder, size_t index,
                                               int threads, Compile compile) {
  if (absl::Status s = checkCancelled(); !s.ok())
    return s;
  auto count = [&](int64_t &counter) {
    std::lock_guard lock(mutex);
    ++counter;
  };
  if (folder)
    if (std::optional<CompiledKernel> found = find(*folder, key)) {
      absl::StatusOr<CachedKernel> kernel = load(*std::move(found));
      if (kernel.ok()) {
        count(counts.read);
        return kernel;
      }
    }

  absl::StatusOr<CompiledKernel> compiled = compile(index, threads);
  if (!compiled.ok())
    return compiled.status();
  absl::StatusOr<CachedKernel> kernel = load(*std::move(compiled));
  if (!kernel.ok())
    return kernel;
  if (folder) {
    std::string code, data = dataOf(*kernel, code);
    if (absl::Status stored = folder->store(key, CodeFolder::Kind::Object, data, code);
        !stored.ok())
      logWarning("a compiled kernel is not kept: " + std::string(stored.message()));
  }
  count(counts.compiled);
  return kernel;
}

absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
KernelCache::get(absl::Span<const Hash128> keys, CodeFolder *folder, int threads, Compile compile) {
  while (true) {
    if (absl::Status s = checkCancelled(); !s.ok())
      return s;
    absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>> kernels =
        tryGet(keys, folder, threads, compile);
    // Another thread was making one of them, and was cancelled: it is this one's to make now.
    if (errorKind(kernels.status()) != ErrorKind::Cancelled || !checkCancelled().ok())
      return kernels;
  }
}

absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
KernelCache::tryGet(absl::Span<const Hash128> keys, CodeFolder *folder, int threads,
                    Compile compile) {
  std::vector<std::shared_ptr<Slot>> wanted;
  std::vector<size_t> mine; // to make
  {
    std::lock_guard lock(mutex);
    for (size_t i = 0; i < keys.size(); ++i) {
      std::shared_ptr<Slot> &slot = slots[keys[i]];
      if (slot) {
        ++counts.found;
      } else {
        slot = std::make_shared<Slot>();
        order.push_back(keys[i]);
        mine.push_back(i);
      }
      wanted.push_back(slot);
    }
  }

  // One's own first, and only then those of other threads, which do the same: nobody waits in a
  // circle.
  const int threadsOfEach = mine.size() == 1 ? threads : 1; // others have a thread each
  compileInParts(mine.size(), threads, [&](size_t i) {
    wanted[mine[i]]->finish(make(keys[mine[i]], folder, mine[i], threadsOfEach, compile));
  });

  std::vector<std::shared_ptr<const CachedKernel>> kernels;
  absl::Status first;
  for (size_t i = 0; i < keys.size(); ++i) {
    absl::StatusOr<std::shared_ptr<const CachedKernel>> kernel = wanted[i]->wait();
    if (kernel.ok()) {
      kernels.push_back(*std::move(kernel));
      continue;
    }
    if (first.ok())
      first = kernel.status();
    if (!wanted[i]->hasFailed())
      continue; // it is still being made, and not wanted here any more
    // A failure is not kept: the next one who asks tries again.
    std::lock_guard lock(mutex);
    if (auto found = slots.find(keys[i]); found != slots.end() && found->second == wanted[i]) {
      slots.erase(found);
      std::erase(order, keys[i]);
    }
  }
  wanted.clear();
  forgetOldest();
  if (!first.ok())
    return first;
  return kernels;
}

void KernelCache::forgetOldest() {
  std::vector<std::shared_ptr<Slot>> forgotten; // freed after the lock
  std::lock_guard lock(mutex);
  for (size_t looked = 0, count = order.size(); slots.size() > maxKernels && looked < count;
       ++looked) {
    Hash128 key = order.front();
    order.pop_front();
    auto found = slots.find(key);
    if (found->second.use_count() == 1 && found->second->unused()) {
      forgotten.push_back(std::move(found->second));
      slots.erase(found);
    } else {
      order.push_back(key);
    }
  }
}

KernelCache::Counters KernelCache::counters() const {
  std::lock_guard lock(mutex);
  return counts;
}

std::shared_ptr<const LoadedCode>
codeOf(absl::Span<const std::shared_ptr<const CachedKernel>> kernels) {
  std::vector<std::shared_ptr<const LoadedCode>> parts;
  for (const std::shared_ptr<const CachedKernel> &kernel : kernels)
    parts.push_back(kernel->code);
  return joinCode(parts);
}

} // namespace graphc
