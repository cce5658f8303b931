//===- Resizing.cpp - Resize and Upsample ----------------------------------===//
//
//   y[i] = sum over taps t of x[index(i, t)] * weight(i, t)
//
// along one axis after the other. Indices and weights are computed in f64 from the positions, as
// part of the graph: where extents are static they are folded to constants.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <numeric>

#include "Import/Interpolation.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

struct Resizing {
  std::string mode, coordinates, rounding;
  double cubicA = -0.75;
  bool excludeOutside = false;
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

Variable resizedAxis(OnnxNode &n, const Resizing &r, const AxisResizing &a, const Variable &x) {
  Variable at = coordinatesOf(n, r, a);
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

/// Whether the optional input is there and not the empty tensor that stands for its absence.
bool given(OnnxNode &n, size_t i) {
  return n.has(i) && n.in(i).ok() && n.in(i).type().numElements() != 0;
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
  if (blends && !isFloat(x.dtype()))
    return {n.unsupported("mode '" + r.mode + "' of " + std::string(dtypeName(x.dtype())))};
  bool narrow = blends && byteSize(x.dtype()) < 4;
  Variable result = narrow ? cast(n.at(x), DType::Float32) : x;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (!bySize && bounds.empty() && known(numbers[k]) == 1.0)
      continue;
    Operand extent = extentTerm(n, x, plain[k]);
    AxisResizing a;
    a.axis = plain[k];
    a.count = resultExtent(n, extent, numbers[k], bySize);
    a.from = real(n, extent);
    a.to = real(n, a.count);
    a.scale = bySize ? trueDiv(n.at(a.to), a.from) : numbers[k];
    a.scaled = bySize ? a.to : mul(n.at(a.from), a.scale);
    if (!bounds.empty()) {
      a.start = bounds[k];
      a.stop = bounds[axes.size() + k];
    }
    result = resizedAxis(n, r, a, result);
  }
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
  if (n.getBool("antialias", false))
    return {n.unsupported("antialias")};
  if (std::string policy = n.getString("keep_aspect_ratio_policy", "stretch"); policy != "stretch")
    return {n.unsupported("keep_aspect_ratio_policy '" + policy + "'")};
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
      {"Resize", resize, 10,
       "no antialias; keep_aspect_ratio_policy stretch; linear and cubic of floats"},
      {"Upsample", upsample, 1, "linear of floats", 9},
  };
  return kTable;
}

} // namespace graphc
