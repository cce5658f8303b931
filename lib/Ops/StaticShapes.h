//===- Ops/StaticShapes.h - static shapes from emissions ----------*- C++ -*-===//
//
// An op says once what shape its results have: in its emission. A type rule that needs static
// extents runs the emission on symbolic operands and reads them off (F-024).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Rules.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

/// Emits what Variables are computed by, as far as it is asked for. The same Variable gives the
/// same Array, so it must live as long as this.
class OperandEmitter {
public:
  enum class Follow {
    SmallIntegers, ///< what shape vectors are computed by, a few nodes; other Variables are leaves
    Everything,
  };
  OperandEmitter(Emitter &e, Follow follow) : e_(e), follow_(follow) {}

  /// A constant with its data, what was emitted, or an operand of the Variable's type.
  Array get(const Variable &wanted);

private:
  Array leaf(const Variable &v);
  bool isFollowed(const Variable &v) const;

  Emitter &e_;
  Follow follow_;
  absl::flat_hash_map<void *, Array> arrays_; // by Variable's node
  int numNodes_ = 0;
};

} // namespace graphc
