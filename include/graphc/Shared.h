//===- graphc/Shared.h - values that functions share ------------*- C++ -*-===//
#pragma once

#include <optional>
#include <source_location>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "graphc/Tensor.h"
#include "graphc/Variable.h"

namespace graphc {

struct BorrowOptions {
  /// Share memory with the caller instead of copying. What one of the two writes then, the other
  /// may or may not see (F-222).
  bool borrow = false;
};

struct SharedOptions {
  /// F-039: `set` takes values of exactly the dtype.
  bool strict = false;
  /// F-044: `set` casts whatever comes (true), or not even a float64 number to floatX (false).
  std::optional<bool> allowDowncast = std::nullopt;
  bool borrow = false;
  /// Extents that the type knows, kDynamic for others; by default it knows none (F-027).
  std::optional<std::vector<int64_t>> shape = std::nullopt;
};

/// A Variable with a value that all functions that read it share, and that their updates replace.
/// A cheap handle, as every Variable; the value lives as long as a handle or a Function that uses
/// it. `get` and `set` are thread-safe: each sees, or replaces, the value between two calls that
/// update it, never in the middle of one; `get` may wait for one that computes in place. A host op
/// must not `set` what the call that runs it updates (RuntimeError).
class SharedVariable : public Variable {
public:
  /// An Invalid one, without a value: `get` gives an undefined Tensor, `set` its error.
  SharedVariable() = default;
  /// Empty unless `v` is shared.
  static std::optional<SharedVariable> from(const Variable &v);

  /// The value: a copy, unless it is borrowed.
  Tensor get(BorrowOptions options = {}) const;
  /// Replaces the value, which is converted as the argument of a call (F-040 to F-044); another
  /// shape is legal where the type does not know the extent (F-223). TypeError.
  absl::Status set(const Tensor &value, BorrowOptions options = {}) const;

  /// F-189: the next value in functions that read this and are not told of another one. TypeError
  /// unless it has the dtype and rank. The expression is kept as long as this variable; two
  /// variables whose default updates read each other keep each other.
  absl::Status setDefaultUpdate(const Variable &update) const;
  void removeDefaultUpdate() const;
  std::optional<Variable> defaultUpdate() const;

private:
  friend SharedVariable makeShared(Tensor value, std::string_view name,
                                   const SharedOptions &options, Place place);
  explicit SharedVariable(const Variable &v) : Variable(v) {}
};

SharedVariable makeShared(Tensor value, std::string_view name, const SharedOptions &options,
                          Place place);

/// F-221: a shared variable of the value's dtype and rank. The value is copied unless it is
/// borrowed. An Invalid one (ValueError) for an undefined Tensor; TypeError where `options.shape`
/// does not fit.
inline SharedVariable shared(const Tensor &value, std::string_view name = {},
                             const SharedOptions &options = {},
                             std::source_location loc = std::source_location::current()) {
  return makeShared(value, name, options, loc);
}
/// Of a number: 0-d, int64 (or uint64) or floatX, as constants are.
template <Number T>
SharedVariable shared(T value, std::string_view name = {}, const SharedOptions &options = {},
                      std::source_location loc = std::source_location::current()) {
  return makeShared(constant(value, loc).data(), name, options, loc);
}
/// The value is one Variable's, to be shared by giving it to functions.
SharedVariable shared(const Variable &, std::string_view name = {},
                      const SharedOptions &options = {}) = delete;

} // namespace graphc
