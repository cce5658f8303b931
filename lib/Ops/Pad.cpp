//===- Pad.cpp - wider arrays ----------------------------------------------===//
#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

#include "Families.h"
#include "Windows.h"

namespace graphc {
namespace {

/// Where position `i` of the padded axis comes from in an axis of extent n.
using Source = Scalar (*)(Emitter &e, Scalar i, Scalar n);

Scalar fromEdge(Emitter &, Scalar i, Scalar n) { return maximum(minimum(i, n - 1.0), 0.0); }
/// Back and forth without repeating the ends: period 2(n - 1), where n = 1 has period 1.
Scalar fromReflection(Emitter &, Scalar i, Scalar n) {
  Scalar period = maximum((n - 1.0) * 2.0, 1.0);
  Scalar k = mod(i, period);
  return minimum(k, period - k);
}
/// Back and forth with the ends repeated: period 2n.
Scalar fromSymmetry(Emitter &, Scalar i, Scalar n) {
  Scalar k = mod(i, n * 2.0);
  return minimum(k, n * 2.0 - 1.0 - k);
}
Scalar fromWrapping(Emitter &, Scalar i, Scalar n) { return mod(i, n); }

Source sourceOf(const std::string &mode) {
  if (mode == "edge")
    return fromEdge;
  if (mode == "reflect")
    return fromReflection;
  if (mode == "symmetric")
    return fromSymmetry;
  return mode == "wrap" ? fromWrapping : nullptr;
}

void requireElements(Emitter &e, Array x, int axis) {
  e.require(e.size(1), Predicate::LessEqual, e.dim(x, axis), ErrorKind::ValueError,
            "axis " + std::to_string(axis) + " is empty, so there is nothing to extend it with");
}

Arrays movedPadEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  DType dtype = e.dtype(x);
  const IntList &widths = attributes.ints("widths");
  Source source = sourceOf(attributes.string("mode"));
  Extents shape = e.shape(x);
  for (int axis = 0; axis < e.rank(x); ++axis) {
    int64_t added = widths[size_t(axis) * 2] + widths[size_t(axis) * 2 + 1];
    if (added && source)
      requireElements(e, x, axis);
    shape[axis] = shape[axis] + added;
  }
  return {e.define(shape, [&](Indices i) {
    Scalars at;
    Scalar inside = e.literal(DType::Bool, 1);
    bool guarded = false;
    auto also = [&](Scalar condition) {
      inside = guarded ? inside && condition : condition;
      guarded = true;
    };
    for (int axis = 0; axis < e.rank(x); ++axis) {
      int64_t front = widths[size_t(axis) * 2], back = widths[size_t(axis) * 2 + 1];
      Scalar position = i[axis] - double(front), extent = e.scalar(e.dim(x, axis));
      if (!front && !back) {
        at.push_back(i[axis]);
      } else if (source) {
        at.push_back(source(e, position, extent));
      } else {
        at.push_back(position);
        if (front)
          also(position >= 0.0);
        if (back)
          also(position < extent);
      }
    }
    if (!guarded)
      return e.load(x, at);
    Scalar fill = in.size() > 1 ? cast(e.load(in[1], {}), dtype) : e.literal(dtype, 0);
    return e.loadIf(inside, x, at, fill);
  })};
}

//===--- values computed from x ---------------------------------------------------===//

/// What stands in front of and behind the elements of a line along an axis.
struct Fill {
  std::function<Scalar(Indices i, Scalar fromStart)> front, back;
};

/// The statistic of each line, in x's dtype: `mode` is "mean", "maximum" or "minimum".
Array statistic(Emitter &e, Array x, int axis, const std::string &mode) {
  DType dtype = e.dtype(x);
  auto same = [](Scalar s) { return s; };
  if (mode == "maximum")
    return reduceMapped(e, isBool(dtype) ? Combine::Or : Combine::Max, x, {axis}, true, same);
  if (mode == "minimum")
    return reduceMapped(e, isBool(dtype) ? Combine::And : Combine::Min, x, {axis}, true, same);
  DType compute = isFloat(dtype) ? computeDType(dtype) : DType::Float64;
  Array sum =
      reduceMapped(e, Combine::Sum, x, {axis}, true, [&](Scalar s) { return cast(s, compute); },
                   {.result = compute, .accumulator = DType::Float64});
  return e.map({sum}, [&](const Scalars &s) {
    Scalar mean = s[0] / cast(e.scalar(e.dim(x, axis)), compute);
    bool rounds = !isFloat(dtype) && !isBool(dtype);
    return cast(rounds ? apply(ScalarOp::RoundEven, {mean}) : mean, dtype);
  });
}

/// x with one axis extended by `fill`, whose front sees the distance from the new start, and whose
/// back that from the old end.
Array extendAxis(Emitter &e, Array x, int axis, int64_t front, int64_t back, const Fill &fill) {
  Extents shape = e.shape(x);
  Extent extent = shape[axis];
  shape[axis] = extent + (front + back);
  return e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar position = i[axis] - double(front), n = e.scalar(extent);
    at[axis] = position;
    Scalar result = e.loadIf(position >= 0.0 && position < n, x, at, e.literal(e.dtype(x), 0));
    if (front)
      result = select(position < 0.0, fill.front(i, i[axis]), result);
    if (back)
      result = select(position >= n, fill.back(i, position - n), result);
    return result;
  });
}

/// Along a straight line between the given value (0 by default) outside and the edge of x.
Fill rampFill(Emitter &e, Array x, const Arrays &in, int axis, int64_t front, int64_t back) {
  auto step = [=, &e](Indices i, Scalar edge, Scalar share) {
    DType dtype = e.dtype(x);
    Scalars at(i.begin(), i.end());
    at[axis] = edge;
    Scalar inner = cast(e.load(x, at), DType::Float64);
    Scalar outer = in.size() > 1 ? cast(cast(e.load(in[1], {}), dtype), DType::Float64)
                                 : e.literal(DType::Float64, 0);
    Scalar value = outer + (inner - outer) * share;
    return cast(isFloat(dtype) ? value : apply(ScalarOp::Floor, {value}), dtype);
  };
  return {[=, &e](Indices i, Scalar k) {
            return step(i, e.index(0), cast(k, DType::Float64) / double(front));
          },
          [=, &e](Indices i, Scalar k) {
            Scalar left = double(back - 1) - cast(k, DType::Float64);
            return step(i, e.scalar(e.dim(x, axis) - 1), left / double(back));
          }};
}

Fill statisticFill(Emitter &e, Array x, int axis, const std::string &mode) {
  Array lines = statistic(e, x, axis, mode);
  auto load = [=, &e](Indices i, Scalar) { return loadKept(e, lines, i, {axis}); };
  return {load, load};
}

/// One axis after the other: what an axis is extended with includes what earlier ones were.
Arrays computedPadEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  const IntList &widths = attributes.ints("widths");
  const std::string &mode = attributes.string("mode");
  Array x = in[0];
  for (int axis = 0; axis < e.rank(in[0]); ++axis) {
    int64_t front = widths[size_t(axis) * 2], back = widths[size_t(axis) * 2 + 1];
    if (!front && !back)
      continue;
    requireElements(e, x, axis);
    Fill fill = mode == "linear_ramp" ? rampFill(e, x, in, axis, front, back)
                                      : statisticFill(e, x, axis, mode);
    x = extendAxis(e, x, axis, front, back, fill);
  }
  return {x.id == in[0].id ? e.define(e.shape(x), [&](Indices i) { return e.load(x, i); }) : x};
}

constexpr std::string_view kComputedModes[] = {"linear_ramp", "mean", "maximum", "minimum"};

bool isComputed(const std::string &mode) {
  return std::find(std::begin(kComputedModes), std::end(kComputedModes), mode) !=
         std::end(kComputedModes);
}

Arrays padEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  return isComputed(attributes.string("mode")) ? computedPadEmission(e, in, attributes)
                                               : movedPadEmission(e, in, attributes);
}

TypesOr padType(const TypeRequest &request) {
  const Attributes &a = request.attributes();
  const Type &x = request.type(0);
  const IntList &widths = a.ints("widths");
  if (int(widths.size()) != 2 * x.rank())
    return makeError(ErrorKind::ValueError, "widths must have " + std::to_string(2 * x.rank()) +
                                                " numbers, two for each axis, not " +
                                                std::to_string(widths.size()));
  for (int64_t width : widths)
    if (width < 0)
      return makeError(ErrorKind::ValueError, "width " + std::to_string(width) + " is negative");
    else if (width > kMaxWidth)
      return makeError(ErrorKind::ValueError, "width " + std::to_string(width) +
                                                  " is above the limit of " +
                                                  std::to_string(kMaxWidth));
  const std::string &mode = a.string("mode");
  if (mode != "constant" && !sourceOf(mode) && !isComputed(mode))
    return makeError(ErrorKind::ValueError,
                     "mode is \"constant\", \"edge\", \"reflect\", \"symmetric\", \"wrap\", "
                     "\"linear_ramp\", \"mean\", \"maximum\" or \"minimum\", not \"" +
                         mode + "\"");
  if (request.size() > 2 || (request.size() == 2 && request.type(1).rank() != 0))
    return makeError(ErrorKind::TypeError, "the value to pad with is one scalar");
  return inferLikeFirst(request);
}

} // namespace

std::vector<OpDef> padOps() {
  return {
      {.name = "pad",
       .doc = "x with elements added in front of and behind each axis.\n"
              "constant: the value, cast to x's dtype, 0 if not given. edge: the nearest element. "
              "reflect and symmetric: x mirrored without and with its ends repeated. wrap: x "
              "repeated. linear_ramp: down to the value, in float64, rounded down for integers. "
              "mean, maximum and minimum: of each line; means of integers are rounded to even. "
              "These go axis by axis, and see what earlier axes were extended with. Widths may "
              "exceed x. Negative widths, and extending an empty axis by "
              "anything but a constant: ValueError.",
       .operands = {{"x"}, {"value", "a scalar, if given, of constant and linear_ramp"}},
       .variadic = true,
       .minOperands = 1,
       .attributes = {{.name = "widths",
                       .kind = AttributeKind::Ints,
                       .doc = "front and back of each axis"},
                      {.name = "mode",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("constant")}},
       .type = padType,
       .emit = padEmission,
       .golden = {"pad"},
       .section = section(kShape),
       .example = "pad([1, 2, 3]) {mode = \"reflect\", widths = [2, 1]} = [3, 2, 1, 2, 3, 2]"},
  };
}

} // namespace graphc
