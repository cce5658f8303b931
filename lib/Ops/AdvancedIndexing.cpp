//===- AdvancedIndexing.cpp - x at arrays of positions and masks ----------------===//
//
// Slices are applied first. Then the axes that arrays index come to the front as one, ravelIndex
// makes of the arrays positions along it, and take, incTake and setTake do the rest: so the
// derivatives are theirs. A single array needs no axis moved.
//
//===----------------------------------------------------------------------===//
#include "AdvancedIndexing.h"

#include <algorithm>
#include <numeric>

#include "Build.h"
#include "Indexing.h"
#include "Rules.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

bool isArray(const Index &index) {
  if (index.kind() != Index::Kind::Position || index.slice().start.isWeak())
    return false;
  const Variable &v = index.slice().start.variable();
  return v.ok() && (v.rank() > 0 || isBool(v.dtype()));
}

std::vector<int> inverse(const std::vector<int> &order) {
  std::vector<int> result(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    result[size_t(order[k])] = int(k);
  return result;
}

/// What NumPy makes of an index.
class ArrayIndex {
public:
  ArrayIndex(const Operand &x, const std::vector<Index> &indices)
      : x_(asVariable(x)), place_(x.place()) {
    status_ = x_.status();
    if (status_.ok())
      status_ = split(indices);
    if (!status_.ok())
      return;
    sliced_ = isSliced_ ? subtensor(Operand(x_, x.place()), slices_) : x_;
    status_ = sliced_.status();
    if (!status_.ok())
      return;
    order();
    if (!isSingle())
      flat_ = flat();
  }

  const absl::Status &status() const { return status_; }
  const Variable &x() const { return x_; }

  Variable taken() const {
    if (isSingle())
      return take(sliced_, arrays_[0], {.axis = axes_[0]});
    Variable front = take(inFront(), flat_, {.axis = 0});
    return dimshuffle(front, arrayAxesBack(front.rank()));
  }

  /// y broadcasts to what `taken` gives.
  Variable changed(const Operand &y, bool adds) const {
    auto change = [&](const Variable &x, const Variable &indices, const Variable &y) {
      TakeOptions options{.axis = isSingle() ? axes_[0] : 0};
      return adds ? incTake(x, indices, y, options) : setTake(x, indices, y, options);
    };
    Variable whole = setSubtensor(zerosTaken(), {ellipsis}, y);
    Variable result;
    if (isSingle()) {
      result = change(sliced_, arrays_[0], whole);
    } else {
      Variable front = inFront();
      result = change(front, flat_, dimshuffle(whole, inverse(arrayAxesBack(whole.rank()))));
      Variable apart = dimshuffle(sliced_, order_);
      result = dimshuffle(reshape(result, shape(apart)), inverse(order_));
    }
    return isSliced_ ? setSubtensor(x_, slices_, result) : result;
  }

private:
  /// Entries as slices of x, and arrays by the axis of what these give.
  absl::Status split(const std::vector<Index> &indices) {
    int used = 0, ellipses = 0;
    for (const Index &index : indices) {
      ellipses += index.kind() == Index::Kind::Ellipsis;
      bool isMask = isArray(index) && isBool(index.slice().start.variable().dtype());
      if (isMask && index.slice().start.variable().rank() == 0)
        return makeError(ErrorKind::TypeError, "a mask is no scalar; use ifElse or where");
      if (isArray(index) && isFloat(index.slice().start.variable().dtype()))
        return makeError(ErrorKind::TypeError,
                         "indices are integers or masks, not " +
                             std::string(dtypeName(index.slice().start.variable().dtype())));
      if (index.kind() == Index::Kind::Position || index.kind() == Index::Kind::Slice)
        used += isMask ? index.slice().start.variable().rank() : 1;
    }
    if (ellipses > 1)
      return makeError(ErrorKind::ValueError, "an index has one ellipsis at most");
    if (used > x_.rank())
      return makeError(ErrorKind::IndexError, std::to_string(used) + " indices for " +
                                                  std::to_string(x_.rank()) + " axes");
    int axis = 0, result = 0; // of x, and of what slices give
    bool isApart = false;     // something was between arrays
    for (const Index &index : indices) {
      switch (index.kind()) {
      case Index::Kind::Ellipsis:
        for (int k = used; k < x_.rank(); ++k, ++axis, ++result)
          slices_.push_back(Slice());
        isApart = !arrays_.empty();
        break;
      case Index::Kind::NewAxis:
        slices_.push_back(index);
        isSliced_ = true;
        isApart = !arrays_.empty();
        ++result;
        break;
      case Index::Kind::Slice:
        slices_.push_back(index);
        isSliced_ = true;
        isApart = !arrays_.empty();
        ++axis, ++result;
        break;
      case Index::Kind::Position: {
        isScattered_ |= isApart;
        Variable v = asVariable(index.slice().start);
        Variables each = {v};
        if (isBool(v.dtype())) {
          std::vector<Operand> extents;
          for (int k = 0; k < v.rank(); ++k)
            extents.push_back(shape(x_, axis + k));
          Variable all = build(builtin("nonzero"), {Operand(v, index.place()), stack(extents)});
          if (!all.ok())
            return all.status();
          each.clear();
          for (int k = 0; k < v.rank(); ++k)
            each.push_back(all[{k}]);
        }
        for (const Variable &array : each) {
          if (!array.ok())
            return array.status();
          slices_.push_back(Slice());
          arrays_.push_back(array);
          names_.push_back(axis++);
          axes_.push_back(result++);
        }
        break;
      }
      }
    }
    return absl::OkStatus();
  }

  /// The axes of what slices give, those of arrays first.
  void order() {
    order_ = axes_;
    for (int axis = 0; axis < sliced_.rank(); ++axis)
      if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end())
        order_.push_back(axis);
  }

  bool isSingle() const { return arrays_.size() == 1; }

  /// What slices give with the axes of arrays as one, in front.
  Variable inFront() const {
    Variable front = dimshuffle(sliced_, order_);
    std::vector<Operand> extents;
    Variable all = constant(Tensor(int64_t(1)));
    for (int axis = 0; axis < front.rank(); ++axis)
      if (size_t(axis) < axes_.size())
        all = all * shape(front, axis);
      else
        extents.push_back(shape(front, axis));
    extents.insert(extents.begin(), Operand(all));
    return reshape(front, stack(extents));
  }

  Variable flat() const {
    std::vector<Operand> extents, operands;
    for (int axis : axes_)
      extents.push_back(shape(sliced_, axis));
    operands.emplace_back(stack(extents), place_);
    operands.insert(operands.end(), arrays_.begin(), arrays_.end());
    return build(builtin("ravelIndex", {{"axes", names_}}), operands);
  }

  /// Moves the arrays' axes from the front of what was taken to where the arrays stood.
  std::vector<int> arrayAxesBack(int rank) const {
    int others = sliced_.rank() - int(axes_.size()), own = rank - others;
    std::vector<int> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    if (!isScattered_)
      std::rotate(order.begin(), order.begin() + own, order.begin() + own + axes_[0]);
    return order;
  }

  /// Of the shape of what is taken, of which nothing is computed.
  Variable zerosTaken() const {
    const Variable &positions = isSingle() ? arrays_[0] : flat_;
    std::vector<Operand> extents;
    for (int axis : order_)
      if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end())
        extents.push_back(shape(sliced_, axis));
    std::vector<Operand> own;
    for (int axis = 0; axis < positions.rank(); ++axis)
      own.push_back(shape(positions, axis));
    extents.insert(extents.begin() + (isScattered_ ? 0 : axes_[0]), own.begin(), own.end());
    return zeros(extents.empty() ? ShapeList(std::vector<int64_t>{}) : ShapeList(stack(extents)),
                 x_.dtype());
  }

  Variable x_, sliced_, flat_; // flat_: the positions, where there are several arrays
  Place place_;
  absl::Status status_;
  std::vector<Index> slices_;
  bool isSliced_ = false, isScattered_ = false;
  Variables arrays_;
  std::vector<int> axes_; // of what slices give
  IntList names_;         // x's
  std::vector<int> order_;
};

/// Whether the index is one mask, and y a scalar: that needs no positions.
bool isWhole(const Variable &x, const std::vector<Index> &indices, const Operand &y) {
  if (indices.size() != 1 || !isArray(indices[0]))
    return false;
  const Variable &mask = indices[0].slice().start.variable();
  Variable v = asVariable(y);
  if (!isBool(mask.dtype()) || mask.rank() != x.rank() || !v.ok() || v.rank() != 0)
    return false;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (mask.type().extent(axis) != x.type().extent(axis))
      return false;
  return true;
}

} // namespace

bool hasArrays(const std::vector<Index> &indices) {
  return std::any_of(indices.begin(), indices.end(), isArray);
}

Variable subtensorAtArrays(const Operand &x, const std::vector<Index> &indices) {
  ArrayIndex index(x, indices);
  if (!index.status().ok())
    return index.x().ok() ? invalidAt(x, "subtensor", index.status()) : index.x();
  return index.taken();
}

Variable changedAtArrays(const Operand &x, const std::vector<Index> &indices, const Operand &y,
                         bool adds) {
  std::string_view function = adds ? "incSubtensor" : "setSubtensor";
  ArrayIndex index(x, indices);
  if (!index.status().ok())
    return index.x().ok() ? invalidAt(x, function, index.status()) : index.x();
  DType dtype = index.x().dtype();
  if (Variable v = asVariable(y); !v.ok())
    return v;
  else if (absl::Status s = checkFits(v.dtype(), dtype); !s.ok())
    return invalidAt(x, function, s);
  if (isWhole(index.x(), indices, y)) {
    const Variable &v = index.x(), &mask = indices[0].slice().start.variable();
    Variable other = cast(asVariable(y), dtype);
    return where(mask, adds ? v + other : other, v);
  }
  return index.changed(y, adds);
}

} // namespace graphc
