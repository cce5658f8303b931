//===- Resizing.cpp - Resize and Upsample ----------------------------------===//
//
//   y[i] = sum over taps t of x[index(i, t)] * weight(i, t)
//
// along one axis after the other. Indices and weights are computed in f64 from the positions, as
// part of the graph: where extents are static they are folded to constants.
//
//===----------------------------------------------------------------------===//
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "Import/Interpolation.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

struct Resizing {
  std::string mode, coordinates, rounding;
  double cubicA = -0.75;
  bool excludeOutside = false, antialias = false;
  Variable extrapolated;
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

Variable constantReal(OnnxNode &n, double value) { return n.scalar(value, DType::Float64); }

/// Where the results' positions lie in the operand, f64, by ONNX's coordinate_transformation_mode.
Variable coordinatesOf(OnnxNode &n, const Resizing &r, const AxisResizing &a) {
  Variable i = cast(n.at(positionsAlong(n, a.count, 0, 1)), DType::Float64);
  Variable half = constantReal(n, 0.5), one = constantReal(n, 1), zero = constantReal(n, 0);
  Variable centred = sub(n.at(trueDiv(n.at(add(n.at(i), half)), a.scale)), half);
  Variable last = sub(n.at(a.from), one);
  Variable several = gt(n.at(a.scaled), one);
  Variable steps = sub(n.at(a.scaled), one);
  if (r.coordinates == "half_pixel")
    return centred;
  if (r.coordinates == "half_pixel_symmetric") {
    Variable part = trueDiv(n.at(a.to), a.scaled);
    Variable shift = mul(n.at(mul(n.at(a.from), half)), sub(n.at(one), part));
    return add(n.at(centred), shift);
  }
  if (r.coordinates == "pytorch_half_pixel")
    return where(n.at(several), centred, zero);
  if (r.coordinates == "align_corners")
    return where(n.at(several), mul(n.at(i), trueDiv(n.at(last), steps)), zero);
  if (r.coordinates == "asymmetric")
    return trueDiv(n.at(i), a.scale);
  if (r.coordinates == "tf_half_pixel_for_nn")
    return add(n.at(centred), half);
  if (r.coordinates == "tf_crop_and_resize") {
    Variable width = mul(n.at(sub(n.at(a.stop), a.start)), last);
    Variable along = add(n.at(mul(n.at(a.start), last)), trueDiv(n.at(mul(n.at(i), width)), steps));
    Variable middle = mul(n.at(mul(n.at(add(n.at(a.start), a.stop)), half)), last);
    return where(n.at(several), along, middle);
  }
  return n.unsupported("coordinate_transformation_mode '" + r.coordinates + "'");
}

Variable nearestIndex(OnnxNode &n, const Resizing &r, const Variable &at) {
  Variable half = constantReal(n, 0.5);
  if (r.rounding == "round_prefer_floor")
    return ceil(n.at(sub(n.at(at), half)));
  if (r.rounding == "round_prefer_ceil")
    return floor(n.at(add(n.at(at), half)));
  if (r.rounding == "floor")
    return floor(n.at(at));
  if (r.rounding == "ceil")
    return ceil(n.at(at));
  return n.unsupported("nearest_mode '" + r.rounding + "'");
}

struct Taps {
  Variables indices, weights;
};

Taps tapsOf(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &at) {
  if (r.mode == "nearest")
    return {{nearestIndex(n, r, at)}, {}};
  Variable below = floor(n.at(at)), f = sub(n.at(at), below);
  Taps taps;
  taps.weights = r.mode == "linear" ? linearWeights(n, f) : cubicWeights(n, f, r.cubicA);
  for (size_t k = 0; k < taps.weights.size(); ++k)
    taps.indices.push_back(
        add(n.at(below), constantReal(n, double(k) - (r.mode == "linear" ? 0 : 1))));
  if (!r.excludeOutside)
    return taps;
  // Only neighbours that exist count, with weights that add up to 1 again.
  Variable zero = constantReal(n, 0), total = zero;
  for (size_t k = 0; k < taps.indices.size(); ++k) {
    Variable inside =
        logicalAnd(n.at(ge(n.at(taps.indices[k]), zero)), lt(n.at(taps.indices[k]), a.from));
    taps.weights[k] = where(n.at(inside), taps.weights[k], zero);
    total = add(n.at(total), taps.weights[k]);
  }
  for (Variable &weight : taps.weights)
    weight = trueDiv(n.at(weight), total);
  return taps;
}

/// Weights of elements at these distances from a point, where several come to one result.
Variable smoothWeights(OnnxNode &n, const Resizing &r, const Variable &distance) {
  Variable zero = constantReal(n, 0), one = constantReal(n, 1), d = abs(n.at(distance));
  if (r.mode == "linear")
    return maximum(n.at(sub(n.at(one), d)), zero);
  // Keys' cubic, up to 1 and from there to 2.
  const double a = r.cubicA;
  auto horner = [&](const std::array<double, 4> &c) {
    Variable sum = constantReal(n, c[3]);
    for (size_t k = 3; k-- > 0;)
      sum = add(n.at(mul(n.at(sum), d)), constantReal(n, c[k]));
    return sum;
  };
  Variable nearby = horner({1, 0, -(a + 3), a + 2}), beyond = horner({-4 * a, 8 * a, -5 * a, a});
  Variable outer = where(n.at(lt(n.at(d), constantReal(n, 2))), beyond, zero);
  return where(n.at(le(n.at(d), one)), nearby, outer);
}

/// An axis made shorter with as many neighbours as come to one result (antialias): a sum over taps
/// of what is gathered for each result and tap.
Variable smoothedAxis(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &x,
                      const Variable &at) {
  Variable one = constantReal(n, 1), zero = constantReal(n, 0);
  Variable scale = minimum(n.at(a.scale), one);
  Variable reach = constantReal(n, r.mode == "linear" ? -1 : -2);
  Variable first = add(n.at(floor(n.at(trueDiv(n.at(reach), scale)))), one);
  Variable count = sub(n.at(constantReal(n, 2)), mul(n.at(first), constantReal(n, 2)));
  Variable taps = cast(n.at(arange(n.at(cast(n.at(count), DType::Int64)))), DType::Float64);
  // [results, taps]
  Variable tap = dimshuffle(n.at(add(n.at(taps), first)), {-1, 0});
  Variable below = dimshuffle(n.at(floor(n.at(at))), {0, -1});
  Variable rest = sub(n.at(dimshuffle(n.at(at), {0, -1})), below);
  Variable weight = smoothWeights(n, r, mul(n.at(sub(n.at(tap), rest)), scale));
  Variable index = add(n.at(below), tap);
  if (r.excludeOutside) {
    Variable inside = logicalAnd(n.at(ge(n.at(index), zero)), lt(n.at(index), a.from));
    weight = where(n.at(inside), weight, zero);
  }
  ReductionOptions overTaps{.axes = Axis(1), .keepDims = true};
  weight = cast(n.at(trueDiv(n.at(weight), sum(n.at(weight), overTaps))), x.dtype());
  Variable parts =
      take(n.at(x), cast(n.at(index), DType::Int64), {.axis = a.axis, .mode = TakeMode::Clip});
  std::vector<int> order(size_t(x.rank() + 1), -1);
  order[size_t(a.axis)] = 0;
  order[size_t(a.axis + 1)] = 1;
  return sum(n.at(mul(n.at(parts), dimshuffle(n.at(weight), order))), Axis(a.axis + 1));
}

Variable blendedAxis(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &x,
                     const Variable &at) {
  if (r.antialias && r.mode != "nearest")
    return smoothedAxis(n, r, a, x, at);
  Taps taps = tapsOf(n, r, a, at);
  Variable result;
  for (size_t k = 0; k < taps.indices.size(); ++k) {
    TakeOptions options{.axis = a.axis, .mode = TakeMode::Clip};
    Variable part = take(n.at(x), cast(n.at(taps.indices[k]), DType::Int64), options);
    if (!taps.weights.empty()) {
      Variable weight = cast(n.at(taps.weights[k]), x.dtype());
      part = mul(n.at(part), dimshuffle(n.at(weight), orderAlong(a.axis, x.rank())));
    }
    result = k == 0 ? part : add(n.at(result), part);
  }
  return result;
}

Variable resizedAxis(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &x) {
  Variable at = coordinatesOf(n, r, a);
  Variable result = blendedAxis(n, r, a, x, at);
  if (r.coordinates != "tf_crop_and_resize")
    return result;
  Variable outside = logicalOr(n.at(lt(n.at(at), constantReal(n, 0))),
                               gt(n.at(at), sub(n.at(a.from), constantReal(n, 1))));
  Variable mask = dimshuffle(n.at(outside), orderAlong(a.axis, x.rank()));
  return where(n.at(mask), cast(n.at(r.extrapolated), x.dtype()), result);
}

/// Numbers for some axes: constants, or elements of an input vector.
using Numbers = std::vector<Variable>;

Numbers constantNumbers(OnnxNode &n, const Tensor &values) {
  Tensor wide = values.cast(DType::Float64).contiguous();
  Numbers numbers;
  for (double number : wide.flat<double>())
    numbers.push_back(constantReal(n, number));
  return numbers;
}

Numbers numbersOf(OnnxNode &n, size_t i) {
  Variable v = n.in(i);
  if (std::optional<Constant> c = Constant::from(v))
    return constantNumbers(n, c->data());
  Numbers numbers;
  for (const Operand &term : elementTerms(n, i))
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
  Variable exact = add(n.at(mul(n.at(scale), extent)), constantReal(n, 0.5));
  Variable whole = cast(n.at(floor(n.at(exact))), DType::Int64);
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
    bounds = numbersOf(n, 1);
  if (!n.status().ok())
    return {};
  if (numbers.size() != axes.size() || (!bounds.empty() && bounds.size() != 2 * axes.size()))
    return {n.fail(ErrorKind::ValueError, std::to_string(numbers.size()) + " sizes or scales for " +
                                              std::to_string(axes.size()) + " axes")};
  bool blends = r.mode != "nearest";
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
  if (!isFloat(x.dtype()) && r.mode == "cubic")
    result = withinDType(n, result, x.dtype()); // cubics overshoot
  return {narrow ? cast(n.at(result), x.dtype()) : result};
}

bool isKnownMode(const std::string &mode) {
  return mode == "nearest" || mode == "linear" || mode == "cubic";
}

Variables resize(OnnxNode &n) {
  Resizing r;
  r.mode = n.getString("mode", "nearest");
  if (!isKnownMode(r.mode))
    return {n.fail(ErrorKind::ValueError, "attribute mode is '" + r.mode + "'")};
  if (n.opset() < 11) {
    r.coordinates = "asymmetric";
    r.rounding = "floor";
    return resizedBy(n, r, numbersOf(n, 1));
  }
  r.antialias = n.getBool("antialias", false);
  r.coordinates = n.getString("coordinate_transformation_mode", "half_pixel");
  r.rounding = n.getString("nearest_mode", "round_prefer_floor");
  r.cubicA = n.getFloat("cubic_coeff_a", -0.75);
  r.excludeOutside = n.getBool("exclude_outside", false) && r.mode != "nearest";
  r.extrapolated = n.scalar(n.getFloat("extrapolation_value", 0), DType::Float64);
  bool bySize = given(n, 3);
  return resizedBy(n, r, numbersOf(n, bySize ? 3 : 2), bySize);
}

/// Scales are an input from set 9 on, an attribute before.
Variables upsample(OnnxNode &n) {
  Resizing r;
  r.mode = n.getString("mode", "nearest");
  if (r.mode != "nearest" && r.mode != "linear")
    return {n.fail(ErrorKind::ValueError, "attribute mode is '" + r.mode + "'")};
  r.coordinates = "asymmetric";
  r.rounding = "floor";
  if (n.opset() >= 9)
    return resizedBy(n, r, numbersOf(n, 1));
  Numbers numbers;
  for (float scale : n.getFloats("scales").value_or(std::vector<float>()))
    numbers.push_back(constantReal(n, scale));
  return resizedBy(n, r, numbers);
}

} // namespace

absl::Span<const Translation> resizingTranslations() {
  static constexpr Translation kTable[] = {
      {"Resize", resize, 10},
      {"Upsample", upsample, 1, {}, 9},
  };
  return kTable;
}

} // namespace graphc
