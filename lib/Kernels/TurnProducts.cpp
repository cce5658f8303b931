//===- TurnProducts.cpp - products along another loop ---------------------===//
//
// Vectors of a product go along its last parallel loop. Where that fills them badly, another one
// becomes the last:
//
//   y[c, p] = sum over k of w[k, c] * g[k, p]                           p < 49, c < 2048
//
// becomes
//
//   t[p, c] = sum over k of g[k, p] * w[k, c]
//   y[c, p] = t[p, c]
//
// and of an operand that does not lie along it, a copy does:
//
//   y[o, c, i, j] = sum over h, w of x[c, h + i, w + j] * g[o, h, w]    i, j < 3; c < 64
//
// becomes
//
//   a[h, w, c] = x[c, h, w]
//   t[o, i, j, c] = sum over h, w of a[h + i, w + j, c] * g[o, h, w]
//   y[o, c, i, j] = t[o, i, j, c]
//
// Where the line would still be short (three channels), it goes through the innermost window
// positions and channels together, which are neighbours in the copy:
//
//   t[o, i, l] = sum over h, w of a[h + i, (w C) + l] * g[o, h, w]       l < 3 C, as (j, c)
//
// The copies are transposed in registers (Transforms/Squares.cpp): a few percent of the time. The
// order of each sum is as before.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"
#include "Support/RowTiles.h"

namespace graphc {
namespace {

/// Rows stand in the place of columns where these are more than a panel and at most so many, ...
constexpr int64_t kPanel = 32, kMostColumns = 200;
/// (so many where the other rows would be copied tile by tile: more columns gain by that) ...
constexpr int64_t kMostBesideTiles = 100;
/// ... rows are so many, and so are the terms of a sum: fewer do not pay for the copy.
constexpr int64_t kLeastRows = 128, kLeastTerms = 256;
/// Lines of columns are short up to here; beside more rows, filling panels with them is a small
/// part of the time. So many elements and more are a line that is not.
constexpr int64_t kShortLine = 8, kFewRows = 200, kLeastLine = 16;

/// A factor of a product: a load, perhaps converted.
struct Factor {
  int32_t load = -1;           // node of the body
  std::vector<Affine> indices; // by axis
  int64_t factorOf(size_t axis, int32_t loop) const { return indices[axis].factors[size_t(loop)]; }
  bool follows(int32_t loop) const {
    return std::ranges::any_of(
        indices, [&](const Affine &index) { return index.factors[size_t(loop)] != 0; });
  }
  /// The axis along which the loop counts, one by one and alone; -1 if there is none.
  int32_t axisOf(int32_t loop) const {
    int32_t found = -1;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      if (factorOf(axis, loop) == 0)
        continue;
      auto isOther = [](int64_t factor) { return factor != 0; };
      if (found >= 0 || factorOf(axis, loop) != 1 ||
          std::ranges::count_if(indices[axis].factors, isOther) != 1)
        return -1;
      found = int32_t(axis);
    }
    return found;
  }
};

/// All from 0 to `count`, `one` at the end.
std::vector<int32_t> movedToEnd(int32_t count, int32_t one) {
  std::vector<int32_t> order;
  for (int32_t i = 0; i < count; ++i)
    if (i != one)
      order.push_back(i);
  order.push_back(one);
  return order;
}

Numbers inOrder(const Numbers &numbers, const std::vector<int32_t> &order) {
  Numbers result;
  for (int32_t place : order)
    result.push_back(numbers[size_t(place)]);
  return result;
}

} // namespace

struct Fusion::Turn {
  int32_t loop = -1;   // that becomes the last parallel one
  int32_t load = -1;   // of the array of which a copy is read; -1: of none
  int32_t axis = -1;   // of that array, which becomes its last
  int32_t joined = -1; // a loop that becomes one with `loop`: neighbours are along both. -1: none
};

/// Whether a map computes the array, or what it is a view of, which is then done where it is read.
bool Fusion::isComputed(int32_t array) const {
  const Emission &e = record_.emission;
  for (int32_t step; (step = e.arrays[size_t(array)].step) >= 0;
       array = e.steps[size_t(step)].inputs[0])
    if (e.steps[size_t(step)].kind != Step::Kind::View)
      return e.steps[size_t(step)].kind == Step::Kind::Loops &&
             e.steps[size_t(step)].nest.combine == Combine::None;
  return false;
}

std::optional<Fusion::Turn> Fusion::turnOf(const Nest &nest) const {
  if (nest.combine != Combine::Sum || nest.numParallel < 2)
    return std::nullopt;
  const ScalarNode &root = nest.body[size_t(nest.root)];
  if (root.op != ScalarOp::Mul)
    return std::nullopt;
  const uint64_t units = unitLoops(nest);
  const auto affine = affineNodes(nest, [&](int32_t size) { return sizes_.constantValue(size); });
  auto isLoop = [&](int32_t loop) { return !(units >> loop & 1); };
  auto factorOf = [&](int32_t node) {
    Factor factor;
    while (nest.body[size_t(node)].op == ScalarOp::Cast)
      node = nest.body[size_t(node)].args[0];
    const ScalarNode &load = nest.body[size_t(node)];
    if (load.op != ScalarOp::Load || load.args[0] >= 0)
      return factor;
    size_t rank = record_.emission.arrays[size_t(load.loadArray())].shape.size();
    for (size_t axis = 0; axis < rank; ++axis) {
      std::optional<Affine> index = affine[size_t(nest.indices[load.loadFirstIndex() + axis])];
      if (!index)
        return factor;
      for (size_t loop = 0; loop < index->factors.size(); ++loop)
        if (!isLoop(int32_t(loop)))
          index->factors[loop] = 0;
      factor.indices.push_back(*std::move(index));
    }
    factor.load = node;
    return factor;
  };
  Factor left = factorOf(root.args[0]), right = factorOf(root.args[1]);
  int32_t last = nest.numParallel - 1;
  while (last > 0 && !isLoop(last))
    --last;
  if (left.load < 0 || right.load < 0 || left.follows(last) == right.follows(last))
    return std::nullopt;
  if (left.follows(last))
    std::swap(left, right);
  auto extentOf = [&](int32_t loop) {
    return sizes_.constantValue(nest.extents[size_t(loop)]).value_or(0);
  };
  auto lastAxisOf = [&](const Factor &factor) {
    for (size_t axis = factor.indices.size(); axis-- > 0;)
      if (std::ranges::any_of(factor.indices[axis].factors, [](int64_t f) { return f != 0; }))
        return int32_t(axis);
    return int32_t(-1);
  };

  // Columns are all loops at the end that only the right factor follows.
  int32_t first = last;
  int64_t numColumns = extentOf(last);
  while (first > 0 &&
         (!isLoop(first - 1) || (right.follows(first - 1) && !left.follows(first - 1))))
    if (isLoop(--first))
      numColumns *= extentOf(first);
  int64_t numTerms = 1, numRows = 1;
  for (int32_t loop = nest.numParallel; loop < int32_t(nest.extents.size()); ++loop)
    numTerms *= extentOf(loop);
  for (int32_t loop = 0; loop < first; ++loop)
    if (isLoop(loop) && left.follows(loop) && !right.follows(loop))
      numRows *= extentOf(loop);

  // Rows of the left factor that stand together.
  const ScalarNode &load = nest.body[size_t(left.load)];
  const FusionOptions &options = record_.options;
  const bool copiesTiles =
      !options.hasMaskRegisters && options.optimizations.has(Optimization::RowTiles) &&
      load.dtype == root.dtype && !isComputed(load.loadArray()) &&
      numRows * numTerms * numColumns * byteSize(load.dtype) >= kCopiedTilesWork;
  const int64_t most = copiesTiles ? kMostBesideTiles : kMostColumns;
  bool fillsBadly = numColumns > kPanel && numColumns <= most && numColumns % kPanel != 0;
  for (int32_t row = first - 1; row >= 0 && fillsBadly && numTerms >= kLeastTerms; --row) {
    int32_t axis = left.axisOf(row);
    if (isLoop(row) && !right.follows(row) && axis >= 0 && axis == lastAxisOf(left) &&
        extentOf(row) >= kLeastRows && right.axisOf(last) >= 0)
      return Turn{row};
  }
  // A short line of columns along what is summed, too; longer ones are further outside.
  int32_t inner = lastAxisOf(right);
  bool isWindow = false;
  for (int32_t loop = nest.numParallel; inner >= 0 && loop < int32_t(nest.extents.size()); ++loop)
    isWindow |= isLoop(loop) && right.factorOf(size_t(inner), loop) != 0;
  if (!isWindow || right.factorOf(size_t(inner), last) == 0 || extentOf(last) > kShortLine ||
      numRows < 1 || numRows > kFewRows)
    return std::nullopt;
  for (int32_t loop = last - 1; loop >= first; --loop)
    if (int32_t axis = right.axisOf(loop); isLoop(loop) && axis >= 0) {
      Turn turn{loop, right.load, axis};
      if (extentOf(loop) >= kLeastLine)
        return turn;
      turn.joined = last;
      size_t rank = right.indices.size();
      const ArrayInfo &array =
          record_.emission.arrays[size_t(nest.body[size_t(right.load)].loadArray())];
      const bool isWhole = right.indices[size_t(axis)].constant == 0 &&
                           sizes_.constantValue(array.shape[size_t(axis)]) == extentOf(loop);
      if (isWhole && extentOf(loop) * extentOf(last) >= kLeastLine &&
          right.factorOf(size_t(inner), last) == 1 &&
          movedToEnd(int32_t(rank), axis)[rank - 2] == inner)
        return turn;
    }
  return std::nullopt;
}

/// If an array is a map's that only moves elements (padding), and the axis is one of its load's,
/// too: how that map is turned so that the axis becomes the last one.
std::optional<Fusion::Turn> Fusion::turnOfMap(int32_t array, int32_t axis) const {
  const Emission &e = record_.emission;
  int32_t number = e.arrays[size_t(array)].step;
  if (number < 0 || e.steps[size_t(number)].kind != Step::Kind::Loops)
    return std::nullopt;
  const Nest &nest = e.steps[size_t(number)].nest;
  if (nest.combine != Combine::None)
    return std::nullopt;
  Turn turn{axis};
  for (size_t id = 0; id < nest.body.size(); ++id) {
    if (nest.body[id].op != ScalarOp::Load)
      continue;
    if (turn.load >= 0)
      return std::nullopt;
    turn.load = int32_t(id);
  }
  if (turn.load < 0 || turn.load != nest.root) // what computes would do so twice
    return std::nullopt;
  const ScalarNode &load = nest.body[size_t(turn.load)];
  auto rank = int32_t(e.arrays[size_t(load.loadArray())].shape.size());
  for (int32_t i = 0; i < rank; ++i) {
    const ScalarNode &index = nest.body[size_t(nest.indices[load.loadFirstIndex() + i])];
    if (index.op == ScalarOp::Index && int32_t(index.payload) == axis)
      turn.axis = i;
  }
  return turn.axis >= 0 ? std::optional(turn) : std::nullopt;
}

int32_t Fusion::addArray(DType dtype, Numbers shape) {
  ArrayInfo info;
  info.dtype = dtype;
  info.shape = std::move(shape);
  record_.emission.arrays.push_back(std::move(info));
  return int32_t(record_.emission.arrays.size()) - 1;
}

/// result[i, j, …] = from[i, j, … in that order]
Nest Fusion::permutation(int32_t from, const Numbers &extents, const std::vector<int32_t> &order,
                         int32_t result) {
  Nest copy;
  copy.extents = extents;
  copy.numParallel = int32_t(extents.size());
  copy.result = result;
  Numbers indices;
  builder_.start(copy.extents);
  for (int32_t loop : order)
    indices.push_back(builder_.index(loop));
  copy.root = builder_.load(record_.emission.arrays[size_t(from)].dtype, from, indices);
  int32_t *root = &copy.root;
  builder_.finish({&root, 1}, copy.body, copy.indices);
  return copy;
}

/// Adds steps that compute the nest of `step` with its loops in another order, to a new array that
/// is returned.
int32_t Fusion::addTurned(const Step &step, const Turn &turn, std::vector<Step> &steps) {
  Emission &e = record_.emission;
  const Nest &nest = step.nest;
  auto add = [&](Step::Kind kind, Numbers inputs, int32_t output) -> Step & {
    Step one;
    one.kind = kind;
    one.node = step.node;
    one.inputs = std::move(inputs);
    one.outputs = {output};
    return steps.emplace_back(std::move(one));
  };
  /// The array with another shape.
  auto addView = [&](int32_t from, Numbers shape) {
    int32_t view = addArray(e.arrays[size_t(from)].dtype, std::move(shape));
    add(Step::Kind::View, {from}, view);
    return view;
  };
  int32_t copied = -1; // with turn.axis as its last one
  std::vector<int32_t> axes;
  if (turn.load >= 0) {
    int32_t from = nest.body[size_t(turn.load)].loadArray();
    axes = movedToEnd(int32_t(e.arrays[size_t(from)].shape.size()), turn.axis);
    // Of a product alone: maps in front of that map are left.
    std::optional<Turn> ofMap;
    if (nest.combine != Combine::None)
      ofMap = turnOfMap(from, turn.axis);
    if (ofMap) {
      const Step map = e.steps[size_t(e.arrays[size_t(from)].step)];
      copied = addTurned(map, *ofMap, steps);
    } else {
      std::vector<int32_t> back(axes.size());
      for (size_t i = 0; i < axes.size(); ++i)
        back[size_t(axes[i])] = int32_t(i);
      Numbers shape = inOrder(e.arrays[size_t(from)].shape, axes);
      copied = addArray(e.arrays[size_t(from)].dtype, shape);
      add(Step::Kind::Loops, {from}, copied).nest = permutation(from, shape, back, copied);
      arrays_[size_t(from)].isHandedOn = true;
    }
  }

  Nest turned;
  std::vector<int32_t> order = movedToEnd(nest.numParallel, turn.loop);
  for (int32_t loop = nest.numParallel; loop < int32_t(nest.extents.size()); ++loop)
    order.push_back(loop);
  std::vector<int32_t> place(order.size());
  turned.numParallel = nest.numParallel;
  Numbers shape = inOrder(nest.extents, order); // of the result, as it is returned
  shape.resize(size_t(nest.numParallel));
  int32_t numChannels = nest.extents[size_t(turn.loop)];
  if (turn.joined >= 0) {
    std::erase(order, turn.joined);
    --turned.numParallel;
  }
  turned.extents = inOrder(nest.extents, order);
  for (size_t loop = 0; loop < order.size(); ++loop)
    place[size_t(order[loop])] = int32_t(loop);
  if (turn.joined >= 0) {
    Numbers whole = e.arrays[size_t(copied)].shape;
    whole.pop_back();
    whole.back() = sizes_.binary(SizeOp::Mul, whole.back(), numChannels);
    copied = addView(copied, std::move(whole));
    int32_t &line = turned.extents[size_t(turned.numParallel) - 1];
    line = sizes_.binary(SizeOp::Mul, nest.extents[size_t(turn.joined)], line);
  }
  turned.combine = nest.combine;
  turned.accumulator = nest.accumulator;
  turned.result =
      addArray(e.arrays[size_t(nest.result)].dtype,
               Numbers(turned.extents.begin(), turned.extents.begin() + turned.numParallel));
  builder_.start(turned.extents);
  auto number = [&](int64_t value) { return builder_.constant(DType::Int64, uint64_t(value)); };
  builder_.copy(
      nest.body, map_,
      [&](int32_t loop) {
        bool isJoined = turn.joined >= 0 && (loop == turn.loop || loop == turn.joined);
        return isJoined ? number(0) : builder_.index(place[size_t(loop)]);
      },
      [&](const ScalarNode &n, int32_t id) {
        Numbers indices;
        size_t rank = e.arrays[size_t(n.loadArray())].shape.size();
        for (size_t axis = 0; axis < rank; ++axis)
          indices.push_back(map_[size_t(nest.indices[n.loadFirstIndex() + axis])]);
        if (id != turn.load)
          return builder_.load(n.dtype, n.loadArray(), indices, n.args[0], n.args[1]);
        indices = inOrder(indices, axes);
        if (turn.joined >= 0) {
          indices.pop_back();
          int32_t begin =
              builder_.add({ScalarOp::Mul,
                            DType::Int64,
                            {indices.back(), number(*sizes_.constantValue(numChannels)), -1}});
          int32_t along = builder_.index(turned.numParallel - 1);
          indices.back() = builder_.add({ScalarOp::Add, DType::Int64, {begin, along, -1}});
        }
        return builder_.load(n.dtype, copied, indices, n.args[0], n.args[1]);
      });
  turned.root = map_[size_t(nest.root)];
  int32_t *root = &turned.root;
  builder_.finish({&root, 1}, turned.body, turned.indices);
  Numbers inputs;
  for (const ScalarNode &n : turned.body)
    if (n.op == ScalarOp::Load && std::ranges::find(inputs, n.loadArray()) == inputs.end())
      inputs.push_back(n.loadArray());
  int32_t result = turned.result;
  add(Step::Kind::Loops, std::move(inputs), result).nest = std::move(turned);
  return turn.joined < 0 ? result : addView(result, std::move(shape));
}

/// Returns steps that come before; the step copies what they compute.
std::vector<Step> Fusion::turn(Step &step, const Turn &turn) {
  std::vector<Step> steps;
  int32_t turned = addTurned(step, turn, steps);
  const Nest &nest = step.nest;
  step.nest =
      permutation(turned, Numbers(nest.extents.begin(), nest.extents.begin() + nest.numParallel),
                  movedToEnd(nest.numParallel, turn.loop), nest.result);
  step.inputs = {turned};
  return steps;
}

void Fusion::turnProducts() {
  Emission &e = record_.emission;
  if (!uses(Optimization::TurnProducts))
    return;
  const std::vector<bool> checked = stepsWithChecks();
  std::vector<std::vector<Step>> earlier(e.steps.size());
  for (size_t s = 0; s < e.steps.size(); ++s)
    if (e.steps[s].kind == Step::Kind::Loops && !checked[s])
      if (std::optional<Turn> found = turnOf(e.steps[s].nest)) {
        earlier[s] = turn(e.steps[s], *found);
        arrays_[size_t(e.steps[s].nest.result)].isHandedOn = true;
      }
  insertSteps(std::move(earlier));
}

} // namespace graphc
