//===- Ops/Indexing.h - what reading at an index and changing there share -*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Rules.h"
#include "graphc/Ops.h"

namespace graphc {

//===--- subtensor's index ----------------------------------------------------------===//

/// Where one axis of x is read (or changed): start + i * step along an axis of the result, or at
/// one position.
struct IndexSource {
  bool isPosition = false;
  bool isWhole = false; // a slice of all in order
  Extent start, length;
  Extent step;
  /// A position that is only known inside loops: a 0-d array, loaded and checked there.
  Array loaded;
  /// `loaded` is in range and counts from the start.
  bool isChecked = false;
};

/// What an index says of x.
struct IndexRegion {
  std::vector<IndexSource> sources; // for each axis of x
  std::vector<int> axisInResult;    // of each source that is a slice
  Extents shape;
  bool isWhole = true;

  IndexRegion(Emitter &e, const Arrays &in, size_t firstTerm, const Attributes &attributes);
  /// The position along an axis of a loaded index, and whether it is in range, which is checked.
  static std::pair<Scalar, Scalar> loaded(Emitter &e, Array x, int axis, const IndexSource &s);
};

/// A conjunction that starts with nothing.
class IndexGuard {
public:
  void also(Scalar condition) { all_ = any_ ? all_ && condition : condition, any_ = true; }
  bool any() const { return any_; }
  Scalar all() const { return all_; }

private:
  Scalar all_;
  bool any_ = false;
};

/// `first`: the operand at which the index' terms begin.
TypesOr indexedType(const TypeRequest &request, size_t first);

//===--- take's indices -------------------------------------------------------------===//

std::vector<AttributeSpec> takeAttributes();

/// The positions along an axis of `n` elements that the elements of `indices` name.
class TakePositions {
public:
  /// Requires that there is something to take, where the mode is not raise.
  TakePositions(Emitter &e, Array indices, Extent n, int axis, const std::string &mode);
  /// Of the element at `i`, and whether it is in range, which is checked; that is not made (its id
  /// is -1) where it is sure.
  std::pair<Scalar, Scalar> at(Indices i) const;

private:
  Emitter &e_;
  Array indices_;
  Extent n_;
  int axis_;
  const std::string &mode_;
  bool isChecked_;
};

/// What the attribute `mode` of take and its like calls it.
std::string takeModeName(TakeMode mode);
/// ValueError for a mode that is none; "label" is "raise" without negative indices.
absl::Status checkTakeMode(std::string_view mode, bool acceptsLabel);
/// A TypeError if elements of y cannot be x's.
absl::Status checkFits(DType y, DType x);
/// What is wrong with indices and the attributes of take, x being operand 0.
absl::Status checkTaking(const TypeRequest &request, size_t indices);

} // namespace graphc
