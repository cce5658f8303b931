//===- Pictures.cpp - patches, blocks of pixels, resizing -------------------------------===//
#include "Pictures.h"

#include <numeric>

#include "Build.h"
#include "CallScope.h"
#include "Rules.h"
#include "Windows.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

std::string rankText(const Variable &x) { return ", not rank " + std::to_string(x.rank()); }

Variable integer(int64_t value) { return constant(Tensor(value)); }

/// A vector along `axis` of `rank` axes.
Variable along(const Variable &vector, int axis, int rank) {
  std::vector<int> order(size_t(rank), -1);
  order[size_t(axis)] = 0;
  return dimshuffle(vector, order);
}

/// A number for each of some axes: `otherwise` where there are none. Empty: a wrong number of them.
std::vector<int> perAxis(const std::vector<int> &given, size_t axes, int otherwise) {
  if (given.empty())
    return std::vector<int>(axes, otherwise);
  return given.size() == axes ? given : std::vector<int>();
}

bool areLess(const std::vector<int> &numbers, int least) {
  return std::any_of(numbers.begin(), numbers.end(), [&](int n) { return n < least; });
}

Variable reshaped(const Variable &x, const std::vector<Operand> &extents) {
  return reshape(x, stack(extents));
}

} // namespace

//===--- patches ----------------------------------------------------------------------------===//

Variable windowPositions(const Variable &extent, int window, int stride, int dilation) {
  int64_t last = int64_t(window - 1) * dilation;
  Variable count = maximum(intDiv(extent - (last + 1), stride) + 1, 0);
  Variable within = arange(window) * integer(dilation), begin = arange(count) * integer(stride);
  return expandDims(within, Axis(1)) + begin;
}

Variable windowsOf(Variable x, int first, const std::vector<int> &window,
                   const std::vector<int> &stride, const std::vector<int> &dilation) {
  for (size_t k = 0; k < window.size(); ++k) {
    int axis = first + 2 * int(k);
    x = take(x, windowPositions(shape(x, axis), window[k], stride[k], dilation[k]), {.axis = axis});
  }
  return x;
}

Variable im2col(const Operand &operand, const std::vector<int> &window,
                const WindowOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  const int axes = int(window.size());
  auto wrong = [&](ErrorKind kind, const std::string &why) {
    return invalidAt(operand, kind, "im2col", why);
  };
  if (axes == 0 || x.rank() < axes + 1)
    return wrong(ErrorKind::ShapeError, "x must have channels and as many axes as the window, " +
                                            std::to_string(axes) + rankText(x));
  std::vector<int> stride = perAxis(options.stride, window.size(), 1),
                   dilation = perAxis(options.dilation, window.size(), 1);
  if (stride.empty() || dilation.empty() || areLess(window, 1) || areLess(stride, 1) ||
      areLess(dilation, 1))
    return wrong(ErrorKind::ValueError,
                 "window, stride and dilation are positive, a number for each axis of the window");
  IntList pads = options.padding.flat(axes);
  if (options.padding.kind() == Padding::Kind::Half ||
      options.padding.kind() == Padding::Kind::Full) {
    pads.clear();
    for (int k = 0; k < axes; ++k) {
      int64_t reach = int64_t(window[size_t(k)] - 1) * dilation[size_t(k)];
      pads.insert(pads.end(), 2, options.padding.kind() == Padding::Kind::Half ? reach / 2 : reach);
    }
  }
  pads.resize(2 * size_t(axes), 0);
  const int first = x.rank() - axes;
  std::vector<std::pair<int, int>> widths(size_t(x.rank()), {0, 0});
  for (int k = 0; k < axes; ++k)
    widths[size_t(first) + size_t(k)] = {int(pads[2 * size_t(k)]), int(pads[2 * size_t(k) + 1])};
  x = pad(Operand(x, operand.place()), widths);
  x = windowsOf(x, first, window, stride, dilation);
  // Channels and positions in the window, then places: as two axes.
  std::vector<int> order;
  for (int axis = 0; axis < first; ++axis)
    order.push_back(axis);
  for (int part : {0, 1})
    for (int k = 0; k < axes; ++k)
      order.push_back(first + 2 * k + part);
  int64_t taps = std::accumulate(window.begin(), window.end(), int64_t(1), std::multiplies<>());
  std::vector<Operand> extents;
  for (int axis = 0; axis + 1 < first; ++axis)
    extents.push_back(shape(x, axis));
  extents.push_back(shape(x, first - 1) * integer(taps));
  Variable numPlaces = integer(1);
  for (int k = 0; k < axes; ++k)
    numPlaces = numPlaces * shape(x, first + 2 * k + 1);
  extents.push_back(numPlaces);
  return reshaped(transpose(x, order), extents);
}

Variable images2neibs(const Operand &operand, const std::vector<int> &window,
                      const NeighbourOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  auto wrong = [&](ErrorKind kind, const std::string &why) {
    return invalidAt(operand, kind, "images2neibs", why);
  };
  if (x.rank() != 4 || window.size() != 2)
    return wrong(ErrorKind::ShapeError,
                 "x must have rank 4, and the window two axes" + rankText(x));
  std::vector<int> step = options.step.empty() ? window : perAxis(options.step, 2, 1);
  if (step.empty() || areLess(window, 1) || areLess(step, 1))
    return wrong(ErrorKind::ValueError, "window and step are positive, a number for each axis");
  for (int k = 0; k < 2; ++k) {
    int axis = 2 + 2 * k;
    Variable extent = shape(x, axis), count;
    int size = window[size_t(k)], each = step[size_t(k)];
    if (options.mode == NeighbourMode::WrapCentered)
      count = intDiv(extent + integer(each - 1), integer(each));
    else
      count = maximum(intDiv(extent - integer(size), integer(each)) + 1, 0);
    if (options.mode == NeighbourMode::Valid)
      x = assertTrue(x, graphc::eq((count - 1) * integer(each) + integer(size), extent),
                     "images2neibs: windows do not end where the picture does",
                     ErrorKind::ShapeError);
    Variable begin = arange(count) * integer(each);
    if (options.mode == NeighbourMode::WrapCentered)
      begin = begin - integer(size / 2);
    Variable places = expandDims(begin, Axis(1)) + arange(size);
    x = take(
        x, places,
        {.axis = axis,
         .mode = options.mode == NeighbourMode::WrapCentered ? TakeMode::Wrap : TakeMode::Raise});
  }
  // (batch, channels, place, in window, place, in window): places first.
  x = transpose(x, {0, 1, 2, 4, 3, 5});
  Variable rows = shape(x, 0) * shape(x, 1) * shape(x, 2) * shape(x, 3);
  return reshaped(x, {rows, integer(int64_t(window[0]) * window[1])});
}

//===--- blocks of pixels -------------------------------------------------------------------===//

namespace {

/// A mistake of x (batch, channels, height, width) or of the block.
std::optional<Variable> mistakeOfBlocks(std::string_view name, const Operand &operand,
                                        const Variable &x, int block) {
  if (!x.ok())
    return x;
  if (x.rank() != 4)
    return invalidAt(operand, ErrorKind::ShapeError, name,
                     "x must be (batch, channels, height, width)" + rankText(x));
  if (block < 1)
    return invalidAt(operand, ErrorKind::ValueError, name,
                     "a block has " + std::to_string(block) + " pixels along an axis");
  return std::nullopt;
}

} // namespace

Variable depthToSpace(const Operand &operand, int block, BlockOrder blocks) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (std::optional<Variable> mistake = mistakeOfBlocks("depthToSpace", operand, x, block))
    return *mistake;
  // reshape finds the channels: it tells those that cannot be divided.
  Variable batch = shape(x, 0), height = shape(x, 2), width = shape(x, 3), b = integer(block),
           channels = intDiv(shape(x, 1), integer(int64_t(block) * block));
  bool isFirst = blocks == BlockOrder::BlocksFirst;
  Variable apart = isFirst ? reshaped(x, {batch, b, b, channels, height, width})
                           : reshaped(x, {batch, channels, b, b, height, width});
  Variable order =
      isFirst ? transpose(apart, {0, 3, 4, 1, 5, 2}) : transpose(apart, {0, 1, 4, 2, 5, 3});
  return reshaped(order, {batch, channels, height * b, width * b});
}

Variable spaceToDepth(const Operand &operand, int block, BlockOrder blocks) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (std::optional<Variable> mistake = mistakeOfBlocks("spaceToDepth", operand, x, block))
    return *mistake;
  Variable batch = shape(x, 0), channels = shape(x, 1), b = integer(block);
  Variable height = intDiv(shape(x, 2), b), width = intDiv(shape(x, 3), b);
  Variable apart = reshaped(x, {batch, channels, height, b, width, b});
  Variable order = blocks == BlockOrder::BlocksFirst ? transpose(apart, {0, 3, 5, 1, 2, 4})
                                                     : transpose(apart, {0, 1, 3, 5, 2, 4});
  return reshaped(order, {batch, channels * integer(int64_t(block) * block), height, width});
}

//===--- resizing ---------------------------------------------------------------------------===//

Variables linearWeights(const Variable &f) { return {1.0 - f, f}; }

Variable cubicNearby(const Variable &t, double a) { return ((a + 2) * t - (a + 3)) * sqr(t) + 1.0; }

Variable cubicBeyond(const Variable &t, double a) {
  return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
}

Variables cubicWeights(const Variable &f, double a) {
  Variable rest = 1.0 - f;
  return {cubicBeyond(f + 1.0, a), cubicNearby(f, a), cubicNearby(rest, a),
          cubicBeyond(rest + 1.0, a)};
}

namespace {

Variable nearestTo(const Variable &at, Interpolation::Nearest nearest) {
  switch (nearest) {
  case Interpolation::Nearest::Floor:
    return floor(at);
  case Interpolation::Nearest::Ceil:
    return ceil(at);
  case Interpolation::Nearest::HalfDown:
    return ceil(at - 0.5);
  case Interpolation::Nearest::HalfUp:
    break;
  }
  return floor(at + 0.5);
}

/// Only neighbours that exist keep their weights, which add up to 1 again.
void excludeOutside(const Variables &indices, Variables &weights, const Variable &extent) {
  Variable total;
  for (size_t k = 0; k < indices.size(); ++k) {
    Variable inside = logicalAnd(ge(indices[k], 0.0), lt(indices[k], extent));
    weights[k] = where(inside, weights[k], 0.0);
    total = k == 0 ? weights[k] : total + weights[k];
  }
  for (Variable &weight : weights)
    weight = weight / total;
}

} // namespace

Variable interpolated(const Variable &x, int axis, const Variable &at, const Interpolation &how) {
  auto taken = [&](const Variable &index) {
    return take(x, cast(index, DType::Int64), {.axis = axis, .mode = TakeMode::Clip});
  };
  if (how.mode == ResizeMode::Nearest)
    return taken(nearestTo(at, how.nearest));
  const bool isLinear = how.mode == ResizeMode::Linear;
  Variable below = floor(at), f = at - below;
  Variables weights = isLinear ? linearWeights(f) : cubicWeights(f, how.cubic), indices;
  for (size_t k = 0; k < weights.size(); ++k)
    indices.push_back(below + (double(k) - (isLinear ? 0 : 1)));
  if (how.excludeOutside)
    excludeOutside(indices, weights, cast(shape(x, axis), DType::Float64));
  Variable result;
  for (size_t k = 0; k < weights.size(); ++k) {
    Variable part = taken(indices[k]) * along(cast(weights[k], x.dtype()), axis, x.rank());
    result = k == 0 ? part : result + part;
  }
  return result;
}

namespace {

/// Where the elements of `to` lie in `from`, float64.
Variable positionsOf(const Variable &from, const Variable &to, ResizeCoordinates coordinates) {
  Variable i = cast(arange(to), DType::Float64), size = cast(from, DType::Float64),
           wanted = cast(to, DType::Float64);
  switch (coordinates) {
  case ResizeCoordinates::HalfPixel:
    return (i + 0.5) * (size / wanted) - 0.5;
  case ResizeCoordinates::AlignCorners:
    return where(gt(to, 1), i * ((size - 1.0) / maximum(wanted - 1.0, 1.0)), 0.0);
  case ResizeCoordinates::Asymmetric:
    break;
  }
  return i * (size / wanted);
}

/// The pixel in which a position lies: of pixels' corners, or the nearest one, down at ties.
Interpolation::Nearest nearestBy(ResizeCoordinates coordinates) {
  switch (coordinates) {
  case ResizeCoordinates::HalfPixel:
    return Interpolation::Nearest::HalfUp;
  case ResizeCoordinates::AlignCorners:
    return Interpolation::Nearest::HalfDown;
  case ResizeCoordinates::Asymmetric:
    break;
  }
  return Interpolation::Nearest::Floor;
}

} // namespace

Variable resize(const Operand &operand, const ShapeList &sizes, const ResizeOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand), wanted = asVariable(sizes.operand());
  if (!x.ok() || !wanted.ok())
    return x.ok() ? wanted : x;
  auto wrong = [&](ErrorKind kind, const std::string &why) {
    return invalidAt(operand, kind, "resize", why);
  };
  int64_t axes = wanted.rank() == 1 ? wanted.type().extent(0) : kDynamic;
  if (axes == kDynamic || axes > x.rank())
    return wrong(ErrorKind::ShapeError,
                 "sizes are a vector of known length, of at most as many numbers as x has axes");
  if (options.mode != ResizeMode::Nearest && !isFloat(x.dtype()))
    return wrong(ErrorKind::TypeError,
                 "only floats are interpolated, not " + std::string(dtypeName(x.dtype())));
  DType dtype = x.dtype(), inner = isFloat(dtype) ? computeDType(dtype) : dtype;
  Variable result = cast(x, inner);
  Interpolation how{options.mode, nearestBy(options.coordinates), options.cubic};
  for (int k = 0; k < int(axes); ++k) {
    int axis = x.rank() - int(axes) + k;
    result = interpolated(
        result, axis, positionsOf(shape(result, axis), subtensor(wanted, {k}), options.coordinates),
        how);
  }
  return cast(result, dtype);
}

Variable upsample(const Operand &operand, const std::vector<int> &factors,
                  const ResizeOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  int axes = int(factors.size());
  if (axes > x.rank() || areLess(factors, 1))
    return invalidAt(operand, ErrorKind::ValueError, "upsample",
                     "factors are positive, of at most as many axes as x has");
  if (axes == 0)
    return x;
  std::vector<Operand> sizes;
  for (int k = 0; k < axes; ++k)
    sizes.push_back(shape(x, x.rank() - axes + k) * integer(factors[size_t(k)]));
  return resize(Operand(x, operand.place()), ShapeList(stack(sizes)), options);
}

} // namespace graphc
