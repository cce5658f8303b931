//===- Container.cpp ------------------------------------------------------===//
#include "Container.h"

#include <algorithm>

#include "Graph/Nodes.h"
#include "graphc/Status.h"

namespace graphc::detail {

absl::Status Container::awaitValue(std::unique_lock<std::mutex> &lock) const {
  wasMissed |= !isThere();
  while (!isThere()) {
    if (takerGeneration != forkGeneration() && taker != forkingThread())
      return makeError(ErrorKind::RuntimeError,
                       "a shared value (" + type.brief() +
                           ") was being overwritten by another thread's call when this process was "
                           "forked, and is lost here: set it anew");
    isBack.wait(lock);
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Container::peek() const {
  std::unique_lock<std::mutex> lock(latch);
  if (absl::Status s = awaitValue(lock); !s.ok())
    return s;
  return value;
}

void Container::beginTurn(bool exclusive) {
  std::unique_lock<std::mutex> lock(latch);
  if (holdersGeneration != forkGeneration()) { // calls of threads that are not here have no turn
    std::erase_if(holders, [](std::thread::id id) { return id != forkingThread(); });
    holdersGeneration = forkGeneration();
  }
  while (!holders.empty() && (exclusive || isExclusive))
    turnEnds.wait(lock);
  holders.push_back(std::this_thread::get_id());
  isExclusive = exclusive;
}

void Container::endTurn() {
  std::unique_lock<std::mutex> lock(latch);
  holders.erase(std::find(holders.begin(), holders.end(), std::this_thread::get_id()));
  if (holders.empty())
    turnEnds.notifyAll();
}

void Container::free() {
  std::lock_guard lock(latch);
  spare = Tensor();
  wasMissed = false;
}

absl::Status Container::store(Tensor next) {
  Access access({{this, true}});
  absl::StatusOr<Access::Turn> turn = access.begin();
  if (!turn.ok())
    return turn.status();
  Access::Update update{this, false};
  access.store({&update, 1}, {&next, 1});
  std::lock_guard lock(latch);
  spare = Tensor(); // the old value: the memory of one is enough until a call asks for more
  return absl::OkStatus();
}

absl::Status Container::assign(const Tensor &next, bool borrow, const std::string &label) {
  absl::StatusOr<Tensor> converted = convertValue(next, type, rules);
  if (!converted.ok())
    return makeError(errorKind(converted.status()),
                     label + " " + std::string(converted.status().message()));
  bool isCallers = converted->dtype() == next.dtype();
  if (!isCallers || borrow)
    return store(*std::move(converted));
  Tensor copy = converted->copy();
  if (!copy.defined())
    return makeError(ErrorKind::OutOfMemory, label + ": no memory for " +
                                                 std::to_string(next.numBytes()) +
                                                 " bytes of the value, " + type.brief());
  return store(std::move(copy));
}

//===--- turns ----------------------------------------------------------------===//

/// What this thread's calls hold: a call within a call is told, rather than waiting for itself.
static std::vector<std::pair<Container *, bool>> &heldHere() {
  thread_local std::vector<std::pair<Container *, bool>> held; // exclusively?
  return held;
}

Access::Access(std::vector<Use> uses) : uses_(std::move(uses)) {
  std::sort(uses_.begin(), uses_.end(), [](const Use &a, const Use &b) {
    if (a.container == b.container)
      return a.isUpdated > b.isUpdated;
    return std::less<>()(a.container, b.container);
  });
  auto same = [](const Use &a, const Use &b) { return a.container == b.container; };
  uses_.erase(std::unique(uses_.begin(), uses_.end(), same), uses_.end());
  for (const Use &use : uses_)
    updates_ |= use.isUpdated;
}

absl::StatusOr<Access::Turn> Access::begin() const {
  if (!updates_)
    return Turn(0);
  auto &held = heldHere();
  const size_t outer = held.size();
  held.reserve(outer + uses_.size()); // what has begun must be noted
  auto holds = [&](const Use &use, bool isExclusive) {
    return std::find(held.begin(), held.begin() + ptrdiff_t(outer),
                     std::pair(use.container, isExclusive)) != held.begin() + ptrdiff_t(outer);
  };
  for (const Use &use : uses_)
    if (holds(use, true) || (use.isUpdated && holds(use, false)))
      return makeError(ErrorKind::RuntimeError,
                       "a host op changes a shared value that the call which runs it reads or "
                       "updates; do it after the call");
  Turn turn(0);
  for (const Use &use : uses_) {
    if (holds(use, false)) // what an outer call reads, this one may read, too
      continue;
    use.container->beginTurn(use.isUpdated);
    held.emplace_back(use.container, use.isUpdated);
    ++turn.held_;
  }
  return turn;
}

Access::Turn::~Turn() {
  for (auto &held = heldHere(); held_ > 0; --held_) { // the calls of a thread end in reverse order
    held.back().first->endTurn();
    held.pop_back();
  }
}

//===--- values ---------------------------------------------------------------===//

/// Of all containers, always in one order.
class Access::Latches {
public:
  explicit Latches(const Access &access) : uses_(access.uses_) {
    for (const Use &use : uses_)
      use.container->latch.lock();
  }
  ~Latches() {
    for (const Use &use : uses_)
      use.container->latch.unlock();
  }

private:
  const std::vector<Use> &uses_;
};

absl::Status Access::read(absl::Span<Container *const> containers,
                          absl::Span<Tensor> values) const {
  return take(containers, values, {}, {});
}

absl::Status Access::take(absl::Span<Container *const> containers, absl::Span<Tensor> values,
                          absl::Span<const Update> updates, absl::Span<Tensor> memory) const {
  // In a turn with updates all values are there: only who has it takes one away.
  auto isThere = [](const Use &use) { return use.container->isThere(); };
  while (true) {
    if (Latches locked(*this); std::all_of(uses_.begin(), uses_.end(), isThere)) {
      for (size_t i = 0; i < updates.size(); ++i) {
        Container &c = *updates[i].container;
        if (memory[i] = std::exchange(c.spare, {}); memory[i].isUnique())
          continue;
        bool inPlace = updates[i].mayReplace && !c.wasMissed && c.value.isUnique();
        memory[i] = inPlace ? std::exchange(c.value, {}) : Tensor();
        if (inPlace) {
          c.taker = std::this_thread::get_id();
          c.takerGeneration = forkGeneration();
        }
      }
      for (size_t i = 0; i < containers.size(); ++i)
        values[i] = containers[i]->value;
      return absl::OkStatus();
    }
    for (const Use &use : uses_) {
      std::unique_lock<std::mutex> lock(use.container->latch);
      if (absl::Status s = use.container->awaitValue(lock); !s.ok())
        return s;
    }
  }
}

void Access::store(absl::Span<const Update> updates, absl::Span<Tensor> next) const {
  Latches locked(*this);
  for (size_t i = 0; i < updates.size(); ++i) {
    Container &c = *updates[i].container;
    if (!next[i].defined())
      continue;
    bool wasAway = !c.isThere();
    std::swap(c.value, next[i]);
    std::swap(c.spare, next[i]);
    if (wasAway)
      c.isBack.notifyAll();
  }
}

std::shared_ptr<Container> containerOf(const Variable &v) {
  const VariableNode *node = v.node();
  return node->leaf ? asLeaf(node)->container : nullptr;
}

} // namespace graphc::detail
