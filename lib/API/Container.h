//===- Container.h - a value that calls read and replace ----------*- C++ -*-===//
//
// docs/design/11-function.md tells why there are two locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "API/ConvertValue.h"
#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc::detail {

class Container {
public:
  Container(Type type, ValueRules rules, Tensor value)
      : type(std::move(type)), rules(rules), value(std::move(value)) {}

  const Type type;
  const ValueRules rules;

  /// A handle of the value.
  Tensor peek() const;
  /// Replaces the value when no call is updating it. RuntimeError within such a call itself.
  absl::Status store(Tensor next);
  /// The same of a user's value, which is converted, and copied unless it is borrowed. TypeError
  /// that begins with `label`.
  absl::Status assign(const Tensor &next, bool borrow, const std::string &label);

  /// Gives back the memory that waits for the next value.
  void dropSpare();

  /// The next value, where functions are not told of another one. In `expression`, `self` stands
  /// for the shared variable, so that the two do not keep each other alive.
  struct DefaultUpdate {
    Variable expression, self;
  };
  std::optional<DefaultUpdate> defaultUpdate;

private:
  friend class Access;
  /// Held by a call from its reading to its storing.
  std::shared_mutex turn;
  /// Held while handles are copied and exchanged.
  mutable std::mutex latch;
  Tensor value;
  /// Memory for the next value.
  Tensor spare;
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

  /// The values as they are at one moment; for those that are updated, memory for the next one, if
  /// there is some that nobody else sees.
  void read(absl::Span<Container *const> containers, absl::Span<Tensor> values) const;
  void takeSpares(absl::Span<Container *const> updated, absl::Span<Tensor> spares) const;
  /// All next values at once; `next` gets what was spare.
  void store(absl::Span<Container *const> updated, absl::Span<Tensor> next) const;

private:
  class Latches;
  std::vector<Use> uses_; // by address, distinct
  bool updates_ = false;
};

/// The container of a shared variable; null for others.
std::shared_ptr<Container> containerOf(const Variable &v);

} // namespace graphc::detail
