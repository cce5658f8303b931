//===- Resizing.cpp - Resize and Upsample ----------------------------------===//
//
// Along one axis after the other: positions in f64, computed as part of the graph (where extents
// are static they are folded to constants), and what lies there (Ops/Pictures.h).
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <limits>
#include <numeric>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Ops/Pictures.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

struct Resizing {
  Interpolation how;
  std::string coordinates;
  bool antialias = false;
  double extrapolated = 0;
};

/// How one axis is resized; extents and scale are 0-d and f64. `scaled` is from * scale, of which
/// `to` is the whole part: ONNX computes positions with the former. `count` is `to` as an integer.
struct AxisResizing {
  int axis = 0;
  Operand count = Operand(int64_t(0));
  Variable from, to, scale, scaled;
  /// Part of the operand that is taken, for tf_crop_and_resize.
  Variable start, stop;
};

Variable real(OnnxNode &n, const Operand &v) {
  if (v.isWeak())
    return n.scalar(v.weakValue().item<double>(), DType::Float64);
  return cast(v, DType::Float64);
}

/// Where the results' positions lie in the operand, f64, by ONNX's coordinate_transformation_mode.
Variable coordinatesOf(OnnxNode &n, const Resizing &r, const AxisResizing &a) {
  Variable i = cast(positionsAlong(n, a.count, 0, 1), DType::Float64);
  Variable centred = (i + 0.5) / a.scale - 0.5, last = a.from - 1.0, steps = a.scaled - 1.0;
  auto ifSeveral = [&](const Variable &v, const Operand &otherwise) {
    return where(gt(a.scaled, 1.0), v, otherwise);
  };
  if (r.coordinates == "half_pixel")
    return centred;
  if (r.coordinates == "half_pixel_symmetric")
    return centred + a.from * 0.5 * (1.0 - a.to / a.scaled);
  if (r.coordinates == "pytorch_half_pixel")
    return ifSeveral(centred, 0.0);
  if (r.coordinates == "align_corners")
    return ifSeveral(i * (last / steps), 0.0);
  if (r.coordinates == "asymmetric")
    return i / a.scale;
  if (r.coordinates == "tf_half_pixel_for_nn")
    return centred + 0.5;
  if (r.coordinates == "tf_crop_and_resize")
    return ifSeveral(a.start * last + i * ((a.stop - a.start) * last) / steps,
                     (a.start + a.stop) * 0.5 * last);
  return n.unsupported("coordinate_transformation_mode '" + r.coordinates + "'");
}

/// Weights of elements at these distances from a point, where several come to one result.
Variable smoothWeights(const Resizing &r, const Variable &distance) {
  Variable d = abs(distance);
  if (r.how.mode == ResizeMode::Linear)
    return maximum(1.0 - d, 0.0);
  Variable beyond = where(lt(d, 2.0), cubicBeyond(d, r.how.cubic), 0.0);
  return where(le(d, 1.0), cubicNearby(d, r.how.cubic), beyond);
}

/// An axis made shorter with as many neighbours as come to one result (antialias): a sum over taps
/// of what is gathered for each result and tap.
Variable smoothedAxis(const Resizing &r, const AxisResizing &a, const Variable &x,
                      const Variable &at) {
  Variable scale = minimum(a.scale, 1.0);
  Variable first = floor((r.how.mode == ResizeMode::Linear ? -1.0 : -2.0) / scale) + 1.0;
  Variable taps = cast(arange(cast(2.0 - first * 2.0, DType::Int64)), DType::Float64);
  // [results, taps]
  Variable tap = expandDims(taps + first, Axis(0)), position = expandDims(at, Axis(1));
  Variable below = floor(position), index = below + tap;
  Variable weight = smoothWeights(r, (tap - (position - below)) * scale);
  if (r.how.excludeOutside)
    weight = where(logicalAnd(ge(index, 0.0), lt(index, a.from)), weight, 0.0);
  ReductionOptions overTaps{.axes = Axis(1), .keepDims = true};
  weight = cast(weight / sum(weight, overTaps), x.dtype());
  Variable parts = take(x, cast(index, DType::Int64), {.axis = a.axis, .mode = TakeMode::Clip});
  std::vector<int> order(size_t(x.rank() + 1), -1);
  order[size_t(a.axis)] = 0;
  order[size_t(a.axis + 1)] = 1;
  return sum(parts * dimshuffle(weight, order), Axis(a.axis + 1));
}

/// The nearest elements as sets before 11 mean them, which say no more: as onnxruntime and ONNX's
/// own tests, those behind where an axis becomes shorter, else those in front, of positions in f32.
Variable nearestBeforeSet11(const AxisResizing &a, const Variable &at) {
  Variable rounded = cast(cast(at, DType::Float32), DType::Float64);
  return where(lt(a.scale, 1.0), ceil(rounded), floor(rounded));
}

Variable resizedAxis(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &x) {
  Variable at = coordinatesOf(n, r, a);
  if (n.opset() < 11 && r.how.mode == ResizeMode::Nearest)
    at = nearestBeforeSet11(a, at);
  const bool smooths = r.antialias && r.how.mode != ResizeMode::Nearest;
  Variable result = smooths ? smoothedAxis(r, a, x, at) : interpolated(x, a.axis, at, r.how);
  if (r.coordinates != "tf_crop_and_resize")
    return result;
  Variable outside = logicalOr(lt(at, 0.0), gt(at, a.from - 1.0));
  return where(dimshuffle(outside, orderAlong(a.axis, x.rank())),
               n.scalar(r.extrapolated, x.dtype()), result);
}

/// Numbers for some axes: constants, or elements of an input vector.
using Numbers = std::vector<Variable>;

Numbers constantNumbers(OnnxNode &n, const Tensor &values) {
  Tensor wide = values.cast(DType::Float64).contiguous();
  Numbers numbers;
  for (double number : wide.flat<double>())
    numbers.push_back(n.scalar(number, DType::Float64));
  return numbers;
}

/// `length`: of them, where the input's type does not say so.
Numbers numbersOf(OnnxNode &n, size_t i, int64_t length) {
  Variable v = n.in(i);
  if (std::optional<Constant> c = Constant::from(v))
    return constantNumbers(n, c->data());
  Numbers numbers;
  for (const Operand &term : elementTerms(n, i, length))
    numbers.push_back(real(n, term));
  return numbers;
}

std::optional<double> known(const Variable &number) {
  std::optional<Constant> c = Constant::from(number);
  return c ? std::optional(c->data().item<double>()) : std::nullopt;
}

/// The extent of the result: a number where that can be known, so that its type has it.
Operand resultExtent(OnnxNode &n, const Operand &extent, const Variable &number, bool isSize) {
  std::optional<double> value = known(number);
  bool isKnown = value && (isSize || extent.isWeak());
  double size = value.value_or(0);
  if (isKnown && !isSize)
    size = std::floor(extent.weakValue().item<double>() * size);
  if (!(size >= 0 && size <= 0x1p31))
    n.fail(ErrorKind::ValueError, "a size or scale is " + std::to_string(size));
  else if (isKnown)
    return Operand(int64_t(size));
  else if (value && size == std::floor(size))
    return n.at(mul(extent, int64_t(size)));
  Variable exact = isSize ? number : floor(n.at(mul(n.at(real(n, extent)), number)));
  return n.at(cast(n.at(exact), DType::Int64));
}

/// The nearest integer to an extent times the scale that all axes have: a number if it is known.
Operand commonExtent(OnnxNode &n, const Variable &scale, const Variable &extent) {
  Variable whole = cast(floor(scale * extent + 0.5), DType::Int64);
  std::optional<double> number = n.numberOf(whole);
  if (number && !(*number >= 0 && *number <= 0x1p31))
    n.fail(ErrorKind::ValueError, "a size or scale is " + std::to_string(*number));
  else if (number)
    return Operand(int64_t(*number));
  return n.at(whole);
}

/// Whether the optional input is there and not the empty tensor that stands for its absence.
bool given(OnnxNode &n, size_t i) {
  return n.has(i) && n.in(i).ok() && n.in(i).type().numElements() != 0;
}

bool mayBeEmpty(OnnxNode &n, size_t i) {
  return n.in(i).rank() == 1 && n.in(i).type().extent(0) == kDynamic;
}

/// Numbers cut off at the ends of an integer dtype.
Variable withinDType(OnnxNode &n, const Variable &x, DType dtype) {
  double low = 0, high = 0;
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      low = double(std::numeric_limits<T>::lowest());
      high = double(std::numeric_limits<T>::max());
    }
  });
  return clip(n.at(x), n.scalar(low, x.dtype()), n.scalar(high, x.dtype()));
}

/// `numbers`: sizes or scales.
Variables resizedBy(OnnxNode &n, const Resizing &r, const Numbers &numbers, bool bySize = false) {
  Variable x = n.in(0);
  Ints axes(size_t(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  axes = n.getInts("axes").value_or(axes);
  std::vector<int> plain = n.plainAxes(axes, x.rank());
  Numbers bounds;
  if (r.coordinates == "tf_crop_and_resize")
    bounds = numbersOf(n, 1, 2 * int64_t(axes.size()));
  if (!n.status().ok())
    return {};
  if (numbers.size() != axes.size() || (!bounds.empty() && bounds.size() != 2 * axes.size()))
    return {n.fail(ErrorKind::ValueError, std::to_string(numbers.size()) + " sizes or scales for " +
                                              std::to_string(axes.size()) + " axes")};
  bool blends = r.how.mode != ResizeMode::Nearest;
  // Integers are blended as floats that have all of them, and cut off behind the point.
  DType wide = !blends                                                  ? x.dtype()
               : byteSize(x.dtype()) < 4 || x.dtype() == DType::Float32 ? DType::Float32
                                                                        : DType::Float64;
  bool narrow = wide != x.dtype();
  Variable result = narrow ? cast(n.at(x), wide) : x;
  const std::string policy = n.getString("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return {
        n.fail(ErrorKind::ValueError, "attribute keep_aspect_ratio_policy is '" + policy + "'")};
  // One scale for all axes, with which they fit into the sizes or cover them.
  Variable common;
  for (size_t k = 0; k < axes.size() && bySize && policy != "stretch"; ++k) {
    Variable own = trueDiv(n.at(real(n, n.at(numbers[k]))), real(n, extentTerm(n, x, plain[k])));
    common = !common.ok()             ? own
             : policy == "not_larger" ? minimum(n.at(common), own)
                                      : maximum(n.at(common), own);
  }
  for (size_t k = 0; k < axes.size(); ++k) {
    if (!bySize && bounds.empty() && known(numbers[k]) == 1.0)
      continue;
    Operand extent = extentTerm(n, x, plain[k]);
    AxisResizing a;
    a.axis = plain[k];
    a.from = real(n, extent);
    if (common.ok()) {
      a.count = commonExtent(n, common, a.from);
      a.scale = common;
    } else {
      a.count = resultExtent(n, extent, numbers[k], bySize);
      a.scale = bySize ? trueDiv(n.at(real(n, a.count)), a.from) : numbers[k];
    }
    a.to = real(n, a.count);
    a.scaled = bySize && !common.ok() ? a.to : mul(n.at(a.from), a.scale);
    if (!bounds.empty()) {
      a.start = bounds[k];
      a.stop = bounds[axes.size() + k];
    }
    result = resizedAxis(n, r, a, result);
  }
  if (!isFloat(x.dtype()) && r.how.mode == ResizeMode::Cubic)
    result = withinDType(n, result, x.dtype()); // cubics overshoot
  return {narrow ? cast(n.at(result), x.dtype()) : result};
}

ResizeMode modeOf(OnnxNode &n, bool mayBeCubic) {
  std::string mode = n.getString("mode", "nearest");
  if (mode == "linear")
    return ResizeMode::Linear;
  if (mode == "cubic" && mayBeCubic)
    return ResizeMode::Cubic;
  if (mode != "nearest")
    n.fail(ErrorKind::ValueError, "attribute mode is '" + mode + "'");
  return ResizeMode::Nearest;
}

Interpolation::Nearest nearestOf(OnnxNode &n) {
  std::string mode = n.getString("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_ceil")
    return Interpolation::Nearest::HalfUp;
  if (mode == "floor")
    return Interpolation::Nearest::Floor;
  if (mode == "ceil")
    return Interpolation::Nearest::Ceil;
  if (mode != "round_prefer_floor")
    n.unsupported("nearest_mode '" + mode + "'");
  return Interpolation::Nearest::HalfDown;
}

Variables resizedOf(OnnxNode &n) {
  const bool isOld = n.opset() < 11;
  Resizing r;
  r.how.mode = modeOf(n, !isOld);
  if (!n.status().ok())
    return {};
  if (isOld) {
    r.coordinates = "asymmetric";
    r.how.nearest = Interpolation::Nearest::Floor;
    return resizedBy(n, r, numbersOf(n, 1, n.in(0).rank()));
  }
  r.antialias = n.getBool("antialias", false);
  r.coordinates = n.getString("coordinate_transformation_mode", "half_pixel");
  r.how.nearest = nearestOf(n);
  r.how.cubic = n.getFloat("cubic_coeff_a", -0.75);
  r.how.excludeOutside = n.getBool("exclude_outside", false);
  r.extrapolated = n.getFloat("extrapolation_value", 0);
  std::optional<Ints> axes = n.getInts("axes");
  const int64_t length = axes ? int64_t(axes->size()) : int64_t(n.in(0).rank());
  auto resized = [&](size_t i) { return resizedBy(n, r, numbersOf(n, i, length), i == 3); };
  // One of the two is empty; which one, a call may have to say.
  if (given(n, 2) && given(n, 3) && mayBeEmpty(n, 3)) {
    Variables bySize = resized(3), byScale = resized(2);
    if (!n.status().ok())
      return {};
    return {ifElse(n.at(gt(n.at(size(n.arg(3))), int64_t(0))), bySize[0], byScale[0])};
  }
  return resized(given(n, 3) ? 3 : 2);
}

/// Scales are an input from set 9 on, an attribute before.
Variables upsampledOf(OnnxNode &n) {
  Resizing r;
  r.how = {modeOf(n, false), Interpolation::Nearest::Floor};
  if (!n.status().ok())
    return {};
  r.coordinates = "asymmetric";
  if (n.opset() >= 9)
    return resizedBy(n, r, numbersOf(n, 1, n.in(0).rank()));
  Numbers numbers;
  for (float scale : n.getFloats("scales").value_or(std::vector<float>()))
    numbers.push_back(n.scalar(scale, DType::Float64));
  return resizedBy(n, r, numbers);
}

} // namespace

absl::Span<const Translation> resizingTranslations() {
  static constexpr Translation kTable[] = {
      {"Resize", resizedOf, 10},
      {"Upsample", upsampledOf, 1, {}, 9},
  };
  return kTable;
}

} // namespace graphc
