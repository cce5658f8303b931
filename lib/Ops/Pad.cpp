//===- Pad.cpp - wider arrays ----------------------------------------------===//
#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

#include "Build.h"
#include "Derivatives.h"
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

absl::Status checkWidths(const TypeRequest &request) {
  const Type &x = request.type(0);
  const IntList &widths = request.attributes().ints("widths");
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
  return absl::OkStatus();
}

TypesOr padType(const TypeRequest &request) {
  if (absl::Status s = checkWidths(request); !s.ok())
    return s;
  const Attributes &a = request.attributes();
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

//===--- padFold: the gradient where elements are copied ----------------------------===//

/// Along an axis whose n elements were extended by `front` and `back`: each element's sum over its
/// copies in g.
Array foldedEdges(Emitter &e, Array g, int axis, Extent n, int64_t front, int64_t back) {
  Extents lines = e.shape(g), shape = lines;
  lines[size_t(axis)] = e.size(1);
  shape[size_t(axis)] = n;
  auto sumFrom = [&](Extent start, int64_t count) {
    return e.reduce(Combine::Sum, lines, {e.size(count)}, [&](Indices i, Indices r) {
      Scalars at(i.begin(), i.end());
      at[size_t(axis)] = e.scalar(start) + r[0];
      return e.load(g, at);
    });
  };
  Array before, behind;
  if (front)
    before = sumFrom(e.size(0), front);
  if (back)
    behind = sumFrom(n + front, back);
  return e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar own = i[size_t(axis)], none = e.literal(e.dtype(g), 0);
    at[size_t(axis)] = own + double(front);
    Scalar sum = e.load(g, at);
    if (front)
      sum = sum + select(equalTo(own, 0.0), loadKept(e, before, i, {axis}), none);
    if (back)
      sum = sum + select(equalTo(own, e.scalar(n - 1)), loadKept(e, behind, i, {axis}), none);
    return sum;
  });
}

/// The same for the periodic modes: copies of element j stand at j + front, and, where it is
/// mirrored, at the position of its mirror image, each with every distance of whole periods.
Array foldedPeriods(Emitter &e, Array g, int axis, Extent n, int64_t front,
                    const std::string &mode) {
  Extents shape = e.shape(g);
  Extent total = shape[size_t(axis)];
  shape[size_t(axis)] = n;
  Extent period = mode == "wrap" ? n : mode == "reflect" ? max((n - 1) * 2, e.size(1)) : n * 2;
  return e.reduce(Combine::Sum, shape, {ceilDiv(total, period)}, [&](Indices i, Indices r) {
    Scalar own = i[size_t(axis)], length = e.scalar(period), none = e.literal(e.dtype(g), 0);
    auto copyAt = [&](Scalar first, Scalar also) {
      Scalars at(i.begin(), i.end());
      Scalar position = mod(first, length) + r[0] * length;
      at[size_t(axis)] = position;
      return e.loadIf(position < e.scalar(total) && also, g, at, none);
    };
    Scalar sum = copyAt(own + double(front), e.literal(DType::Bool, 1));
    if (mode == "reflect") // the ends are their own images
      return sum + copyAt(double(front) - own, own > 0.0 && own < e.scalar(n - 1));
    return mode == "wrap" ? sum
                          : sum + copyAt(double(front) - 1.0 - own, e.literal(DType::Bool, 1));
  });
}

/// Operands: g, and the shape of x.
Arrays padFoldEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  const IntList &widths = attributes.ints("widths");
  const std::string &mode = attributes.string("mode");
  Array g = castArray(e, in[0], computeDType(result));
  for (int axis = 0; axis < e.rank(g); ++axis) {
    int64_t front = widths[size_t(axis) * 2], back = widths[size_t(axis) * 2 + 1];
    Extent n = e.element(in[1], axis);
    e.requireEqual(e.dim(g, axis), n + (front + back),
                   "the gradient has {a} elements along axis " + std::to_string(axis) +
                       " where the padded operand has {b}");
    if (!front && !back)
      continue;
    e.require(e.size(1), Predicate::LessEqual, n, ErrorKind::ValueError,
              "axis " + std::to_string(axis) + " is empty, so there is nothing to extend it with");
    g = mode == "edge" ? foldedEdges(e, g, axis, n, front, back)
                       : foldedPeriods(e, g, axis, n, front, mode);
  }
  return {g.id == in[0].id ? e.define(e.shape(g), [&](Indices i) { return e.load(g, i); })
                           : castArray(e, g, result)};
}

TypesOr padFoldType(const TypeRequest &request) {
  const Type &g = request.type(0);
  const std::string &mode = request.attributes().string("mode");
  if (!sourceOf(mode))
    return makeError(ErrorKind::ValueError,
                     "mode is \"edge\", \"reflect\", \"symmetric\" or \"wrap\", not \"" + mode +
                         "\"");
  if (!isFloat(g.dtype()))
    return makeError(ErrorKind::TypeError, "a gradient is a float array, not " + g.text());
  if (absl::Status s = checkWidths(request); !s.ok())
    return s;
  if (absl::Status s = requireIntegers(request, 1, 1); !s.ok())
    return s;
  if (request.type(1).extent(0) != g.rank())
    return makeError(ErrorKind::TypeError,
                     "the shape must be known to have " + std::to_string(g.rank()) + " extents");
  return inferLikeFirst(request);
}

Variables padFoldPullback(const Op &op, Inputs, Outputs, Gradients g) {
  return {build(builtin("pad", op.attributes()), {g[0]}), Variable(Type::disconnected())};
}

//===--- derivatives --------------------------------------------------------------===//

Variable zeroLike(const Variable &v) { return constant(Tensor(0.0).cast(v.dtype())); }

/// v, cut to `slice` along an axis.
Variable cut(const Variable &v, int axis, Slice slice) {
  std::vector<Index> index(size_t(axis), Index{Slice{}});
  index.push_back(std::move(slice));
  return subtensor(v, index);
}

/// What was added along one axis by a mode that computes it, and the sums over it.
struct Extended {
  int axis;
  int64_t front, back;
  Variable n; // of x

  Variable core(const Variable &v) const { return cut(v, axis, Slice(front, n + front)); }
  Variable before(const Variable &v) const { return cut(v, axis, Slice(0, front)); }
  Variable behind(const Variable &v) const { return cut(v, axis, Slice(n + front, kEnd)); }
  Variable joined(const Variable &v) const {
    return sum(v, {.axes = Axis(axis), .keepDims = true});
  }
  Variable ofAdded(const Variable &v) const { return joined(before(v)) + joined(behind(v)); }
  /// 0, 1/count, 2/count, ... along the axis of an array like v.
  Variable shares(const Variable &v, int64_t count) const {
    std::vector<int> order(size_t(v.rank()), -1);
    order[size_t(axis)] = 0;
    Variable steps = arange(0, count, 1, DType::Float64) / double(count);
    return dimshuffle(cast(steps, v.dtype()), order);
  }
};

/// The axes that a padding extends, in order, where n is the extent of x.
std::vector<Extended> extendedAxes(const Op &op, const Variable &x) {
  const Attributes &attributes = op.attributes();
  const IntList &widths = attributes.ints("widths");
  std::vector<Extended> axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    int64_t front = widths[size_t(axis) * 2], back = widths[size_t(axis) * 2 + 1];
    if (front || back)
      axes.push_back({axis, front, back, shape(x, axis)});
  }
  return axes;
}

/// Whether an element is the extreme one of its line, as a mode of pad chooses it.
Variable isExtreme(const Variable &x, const std::string &mode, int axis) {
  ReductionOptions line{.axes = Axis(axis), .keepDims = true};
  return eq(x, mode == "maximum" ? max(x, line) : min(x, line));
}

/// x with the first `count` of the axes extended.
Variable partlyPadded(const Op &op, const Variable &x, const std::vector<Extended> &axes,
                      size_t count) {
  if (count == 0)
    return x;
  IntList widths(size_t(x.rank()) * 2, 0);
  for (const Extended &a : absl::MakeConstSpan(axes).first(count)) {
    widths[size_t(a.axis) * 2] = a.front;
    widths[size_t(a.axis) * 2 + 1] = a.back;
  }
  Attributes attributes = op.attributes();
  attributes.set("widths", widths);
  return build(builtin("pad", attributes), {x});
}

/// Axes were extended one after the other, so gradients go through them from the last.
Variables computedPullback(const Op &op, Inputs in, const std::string &mode, Variable g) {
  const Variable &x = in[0];
  std::vector<Extended> axes = extendedAxes(op, x);
  Variable ofValue = zeroLike(g);
  for (size_t k = axes.size(); k-- > 0;) {
    const Extended &a = axes[k];
    Variable core = a.core(g);
    if (mode == "mean") {
      core = core + a.ofAdded(g) / cast(a.n, computeDType(g.dtype()));
    } else if (mode == "linear_ramp") {
      // From the value outside to the nearest element: element k of the front takes k / front of
      // the latter, the back the same from its end.
      Variable before = a.before(g), behind = cut(a.behind(g), a.axis, Slice(kEnd, kEnd, -1));
      std::vector<Index> edge(size_t(a.axis), Slice());
      for (auto &[part, count, at] : {std::tuple{before, a.front, 0}, {behind, a.back, -1}}) {
        if (!count)
          continue;
        Variable inner = part * a.shares(part, count);
        ofValue = ofValue + sum(part - inner);
        std::vector<Index> index = edge;
        index.push_back(at);
        core = incSubtensor(core, index, sum(inner, Axis(a.axis)));
      }
    } else {
      Variable before = partlyPadded(op, x, axes, k);
      core = core + where(isExtreme(before, mode, a.axis), a.ofAdded(g), zeroLike(g));
    }
    g = core;
  }
  Variables gradients = {g};
  if (in.size() > 1)
    gradients.push_back(mode == "linear_ramp" ? ofValue : zeroDerivative());
  return gradients;
}

Variables padPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  const std::string mode = op.attributes().string("mode");
  if (isComputed(mode))
    return computedPullback(op, in, mode, g[0]);
  Variables gradients;
  if (mode != "constant") {
    gradients.push_back(build(builtin("padFold", op.attributes()), {g[0], shape(in[0])}));
    if (in.size() > 1)
      gradients.push_back(zeroDerivative());
    return gradients;
  }
  std::vector<Index> inner(size_t(in[0].rank()), Slice());
  for (const Extended &a : extendedAxes(op, in[0]))
    inner[size_t(a.axis)] = Slice(a.front, a.n + a.front);
  gradients.push_back(subtensor(g[0], inner));
  if (in.size() > 1)
    gradients.push_back(sum(setSubtensor(g[0], inner, zeroLike(g[0]))));
  return gradients;
}

/// The tangent of the extreme elements stands where they do.
Variable extremePushforward(const Op &op, const Variable &x, const std::string &mode, Variable t) {
  std::vector<Extended> axes = extendedAxes(op, x);
  for (size_t k = 0; k < axes.size(); ++k) {
    const Extended &a = axes[k];
    Variable before = partlyPadded(op, x, axes, k);
    Variable added = a.joined(where(isExtreme(before, mode, a.axis), t, zeroLike(t)));
    Variables parts;
    auto repeat = [&](int64_t count) {
      std::vector<std::pair<int, int>> widths(size_t(x.rank()));
      widths[size_t(a.axis)].second = int(count - 1);
      if (count)
        parts.push_back(pad(added, widths, {.mode = PadMode::Edge}));
    };
    repeat(a.front);
    parts.push_back(t);
    repeat(a.back);
    t = concatenate(parts, a.axis);
  }
  return t;
}

Variables padPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  const std::string mode = op.attributes().string("mode");
  bool isOfValue = mode == "constant" || mode == "linear_ramp";
  if ((mode == "maximum" || mode == "minimum") && isPresent(t[0]))
    return {extremePushforward(op, in[0], mode, t[0])};
  return linearIn(isOfValue ? in.size() : 1)(op, in, out, t);
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
       .pullback = padPullback,
       .pushforward = padPushforward,
       .golden = {"pad"},
       .section = section(kShape),
       .example = "pad([1, 2, 3]) {mode = \"reflect\", widths = [2, 1]} = [3, 2, 1, 2, 3, 2]"},
      {.name = "padFold",
       .doc = "The gradient of pad in the modes that copy elements: each element's sum over its "
              "copies.\nAttributes as pad's; of the shape of x, all extents count. A gradient of "
              "another shape than pad's result: ShapeError; an empty axis that was extended: "
              "ValueError.",
       .operands = {{"g"}, {"shape", "that of x, of known length"}},
       .attributes = {{.name = "widths",
                       .kind = AttributeKind::Ints,
                       .doc = "front and back of each axis"},
                      {.name = "mode",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("edge"),
                       .doc = "\"edge\", \"reflect\", \"symmetric\", \"wrap\""}},
       .type = padFoldType,
       .emit = padFoldEmission,
       .pullback = padFoldPullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .connection = {{true}, {false}},
       .maxUlp = {-1, -1},
       .golden = {"pad_gradient0"},
       .section = section(kDerivatives),
       .example = "padFold([1.0, 2.0, 3.0, 4.0], [2]) {mode = \"edge\", widths = [2, 0]} = [6.0, "
                  "4.0]"},
  };
}

} // namespace graphc
