//===- Container.h - a value that calls read and replace ----------*- C++ -*-===//
//
// docs/design/11-function.md tells why there are two locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "API/ConvertValue.h"
#include "Support/Fork.h"
#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc::detail {

class Container {
public:
  Container(Type type, ValueRules rules, Tensor value)
      : type(std::move(type)), rules(rules), value(std::move(value)) {}

  const Type type;
  const ValueRules rules;

  /// A handle of the value. Waits for a call that is overwriting it; RuntimeError where that was
  /// another thread's when the process was forked.
  absl::StatusOr<Tensor> peek() const;
  /// Replaces the value when no call is updating it. RuntimeError within such a call itself.
  absl::Status store(Tensor next);
  /// The same of a user's value, which is converted, and copied unless it is borrowed. TypeError
  /// that begins with `label`.
  absl::Status assign(const Tensor &next, bool borrow, const std::string &label);

  /// Gives back the memory that waits for the next value, which calls may again compute in place
  /// of the value.
  void free();

  /// The next value, where functions are not told of another one. In `expression`, `self` stands
  /// for the shared variable, so that the two do not keep each other alive.
  struct DefaultUpdate {
    Variable expression, self;
  };
  std::optional<DefaultUpdate> defaultUpdate;

private:
  friend class Access;
  /// Held while handles are copied and exchanged, and turns begin and end.
  mutable ShortMutex latch;
  /// Who has the turn, from reading to storing: one thread that updates, or some that read.
  std::vector<std::thread::id> holders;
  bool isExclusive = false;
  uint64_t holdersGeneration = forkGeneration();
  ForkSafeCondition turnEnds;
  /// Undefined while a call that has the turn computes the next one in its place.
  Tensor value;
  /// Memory for the next value, if it is not computed in place.
  Tensor spare;
  /// Whether somebody has waited for a value that was away: such calls get a spare from then on.
  mutable bool wasMissed = false;
  mutable ForkSafeCondition isBack;
  /// Who took it away, and before which fork.
  std::thread::id taker;
  uint64_t takerGeneration = 0;

  bool isThere() const { return value.defined(); }
  void beginTurn(bool exclusive);
  void endTurn();
  /// With the latch locked. Waits until the value is there; RuntimeError where it never will be.
  absl::Status awaitValue(std::unique_lock<std::mutex> &lock) const;
};

/// What the calls of a function do with containers.
class Access {
public:
  struct Use {
    Container *container;
    bool isUpdated;
  };
  /// The containers must outlive it. One may be named several times.
  explicit Access(std::vector<Use> uses);

  /// While it lives, no other call updates what this one reads, nor reads and updates what this
  /// one updates. Where nothing is updated it holds nothing: `read` is one picture.
  class Turn {
  public:
    Turn(Turn &&other) noexcept : held_(std::exchange(other.held_, 0)) {}
    Turn &operator=(Turn &&) = delete;
    ~Turn();

  private:
    friend class Access;
    explicit Turn(size_t held) : held_(held) {}
    size_t held_; // of the thread's
  };
  /// Waits for it. RuntimeError if an outer call of this thread has what excludes it.
  absl::StatusOr<Turn> begin() const;

  /// The values as they are at one moment. Waits for calls that overwrite any of them; errors are
  /// those of Container::peek.
  absl::Status read(absl::Span<Container *const> containers, absl::Span<Tensor> values) const;
  /// A container whose value is replaced, and whether the next one may be computed in its place.
  struct Update {
    Container *container;
    bool mayReplace;
  };
  /// The same, in a turn where there are updates; and memory for next values, if there is some that
  /// nobody else sees: a spare, or what the value is in. That is taken away then, and undefined
  /// among the values.
  absl::Status take(absl::Span<Container *const> containers, absl::Span<Tensor> values,
                    absl::Span<const Update> updates, absl::Span<Tensor> memory) const;
  /// All next values at once; `next` gets what is not needed any more. Those that are undefined
  /// stay as they are.
  void store(absl::Span<const Update> updates, absl::Span<Tensor> next) const;

private:
  class Latches;
  std::vector<Use> uses_; // by address, distinct
  bool updates_ = false;
};

/// The container of a shared variable; null for others.
std::shared_ptr<Container> containerOf(const Variable &v);

} // namespace graphc::detail
