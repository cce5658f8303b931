//===- Pooling.cpp - maxima, sums and averages of windows ------------------===//
//
// Gradients: of sums and averages, poolSpread gives each element what the windows over it have; of
// maxima, poolPositions says where they are, poolScatter puts gradients there and poolGather reads
// there. All are gather-form nests: an element looks at the ceil(window / stride) windows of each
// axis that it may be in.
//
#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Windows.h"

namespace graphc {
namespace {

struct PoolWindows {
  int axes, first; // number of pooled axes, the first of them
  IntList window, stride, padding;
  bool ignoreBorder;
  Extents front, back, counts;

  PoolWindows(Emitter &e, Array x, const Attributes &attributes)
      : PoolWindows(e, e.shape(x), attributes) {}
  /// Of an operand of that shape.
  PoolWindows(Emitter &e, const Extents &shape, const Attributes &attributes)
      : axes(int(attributes.ints("window").size())), first(int(shape.size()) - axes),
        window(attributes.ints("window")), stride(attributes.ints("stride")),
        padding(perAxis(attributes, "padding", 2 * axes, 0)),
        ignoreBorder(attributes.boolean("ignoreBorder")) {
    if (stride.empty())
      stride = window;
    for (int k = 0; k < axes; ++k)
      addAxis(e, shape[size_t(first) + size_t(k)], k);
  }

  /// Elements of a window.
  double size() const {
    double all = 1;
    for (int64_t w : window)
      all *= double(w);
    return all;
  }

private:
  void addAxis(Emitter &e, Extent n, int k) {
    Extent w = e.size(window[k]), s = e.size(stride[k]), none = e.size(0);
    front.push_back(e.size(padding[size_t(k) * 2]));
    if (ignoreBorder) {
      back.push_back(e.size(padding[size_t(k) * 2 + 1]));
      Extent padded = n + front[k] + back[k];
      e.require(w, Predicate::LessEqual, padded, ErrorKind::ShapeError,
                "the window covers {a} elements along axis " + std::to_string(first + k) +
                    " where the padded operand has {b}");
      counts.push_back(windowCount(padded, w, stride[k]));
      return;
    }
    // Every element is in a window, and every window starts inside.
    counts.push_back(stride[k] >= window[k] ? floorDiv(n - 1, s) + 1
                                            : max(none, floorDiv(n - 1 - w, s) + 1) + 1);
    back.push_back(max(none, (counts[k] - 1) * s + w - n));
  }
};

/// Least value of the dtype: it never wins a maximum.
double lowest(DType dtype) {
  if (isFloat(dtype))
    return -std::numeric_limits<double>::infinity();
  return isSignedInt(dtype) ? -std::ldexp(1.0, bitWidth(dtype) - 1) : 0.0;
}

/// How many elements of the operand the window at `i` covers, as a float.
Scalar covered(Emitter &e, const Extents &shape, const PoolWindows &p, Indices i, DType dtype) {
  Scalar product = e.index(1);
  for (int k = 0; k < p.axes; ++k) {
    int axis = p.first + k;
    Scalar begin = i[axis] * double(p.stride[k]) - e.scalar(p.front[k]);
    Scalar end = minimum(begin + double(p.window[k]), e.scalar(shape[size_t(axis)]));
    product = product * (end - maximum(begin, 0.0));
  }
  return cast(product, dtype);
}

/// Of complex numbers each part.
Arrays poolEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  if (isComplex(e.dtype(in[0]))) {
    auto [re, im] = e.parts(in[0]);
    return {e.complex(poolEmission(e, {re}, attributes)[0], poolEmission(e, {im}, attributes)[0])};
  }
  DType result = realDType(e.resultType(0).dtype()), dtype = computeDType(result);
  const std::string &mode = attributes.string("mode");
  bool isMax = mode == "max", isAverage = mode != "max" && mode != "sum";
  PoolWindows p(e, in[0], attributes);
  Array x = castArray(e, in[0], dtype);
  Array padded = padTrailing(e, x, p.front, p.back, isMax ? lowest(dtype) : 0.0);

  Extents parallel = e.shape(x), taps;
  for (int k = 0; k < p.axes; ++k) {
    parallel[p.first + k] = p.counts[k];
    taps.push_back(e.size(p.window[k]));
  }
  ReduceOptions options;
  options.result = isAverage ? dtype : result;
  options.accumulator = dtype;
  Array joined = e.reduce(
      !isMax          ? Combine::Sum
      : isBool(dtype) ? Combine::Or
                      : Combine::Max,
      parallel, taps,
      [&](Indices i, Indices r) {
        Scalars at(i.begin(), i.end());
        for (int k = 0; k < p.axes; ++k)
          at[p.first + k] = i[p.first + k] * double(p.stride[k]) + r[k];
        return e.load(padded, at);
      },
      options);
  if (!isAverage)
    return {joined};
  double all = p.size();
  return {e.define(parallel, [&](Indices i) {
    Scalar sum = e.load(joined, i);
    return cast(mode == "averageExcPad" ? sum / covered(e, e.shape(x), p, i, dtype) : sum / all,
                result);
  })};
}

//===--- gradients ----------------------------------------------------------------===//

/// The first greatest element of each window, the first NaN: its row-major position among the
/// pooled axes of x. Windows read the nearest element in place of padding: it is one of their own,
/// since padding is smaller than a window, so that padding is never chosen.
Arrays poolPositionsEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  PoolWindows p(e, x, attributes);
  Extents parallel = e.shape(x), taps;
  for (int k = 0; k < p.axes; ++k) {
    parallel[size_t(p.first) + size_t(k)] = p.counts[size_t(k)];
    taps.push_back(e.size(p.window[size_t(k)]));
  }
  auto nearest = [&](Indices i, const Scalars &tap, int k) {
    int axis = p.first + k;
    Scalar at = i[size_t(axis)] * double(p.stride[size_t(k)]) + tap[size_t(k)] -
                e.scalar(p.front[size_t(k)]);
    return maximum(minimum(at, e.scalar(e.dim(x, axis) - 1)), 0.0);
  };
  Array chosen = e.reduce(Combine::ArgMax, parallel, taps, [&](Indices i, Indices r) {
    Scalars at(i.begin(), i.end());
    Scalar hasElements = e.literal(DType::Bool, 1);
    for (int k = 0; k < p.axes; ++k) {
      at[size_t(p.first) + size_t(k)] = nearest(i, Scalars(r.begin(), r.end()), k);
      hasElements = hasElements && e.scalar(e.dim(x, p.first + k)) > 0.0;
    }
    return e.loadIf(hasElements, x, at, e.literal(e.dtype(x), 0));
  });
  return {e.define(parallel, [&](Indices i) {
    Scalars tap(size_t(p.axes));
    Scalar rest = e.load(chosen, i), position = e.index(0);
    for (int k = p.axes; k-- > 0;) {
      tap[size_t(k)] = mod(rest, double(p.window[size_t(k)]));
      rest = intDiv(rest, double(p.window[size_t(k)]));
    }
    for (int k = 0; k < p.axes; ++k)
      position = position * e.scalar(e.dim(x, p.first + k)) + nearest(i, tap, k);
    return position;
  })};
}

/// The shape of x, which an operand has.
Extents shapeFrom(Emitter &e, Array shape) {
  Extents extents;
  for (int64_t axis = 0; axis < *e.constantValue(e.dim(shape, 0)); ++axis) {
    extents.push_back(e.element(shape, axis));
    e.require(e.size(0), Predicate::LessEqual, extents.back(), ErrorKind::ShapeError,
              "the extent {b} along axis " + std::to_string(axis) + " is negative");
  }
  return extents;
}

/// That operand i has the shape of the pool's result.
void requirePooled(Emitter &e, const Arrays &in, size_t i, const Extents &shape,
                   const PoolWindows &p) {
  for (int axis = 0; axis < e.rank(in[i]); ++axis)
    e.requireEqual(e.dim(in[i], axis),
                   axis < p.first ? shape[size_t(axis)] : p.counts[size_t(axis - p.first)],
                   "operand " + std::to_string(i) + " has {a} elements along axis " +
                       std::to_string(axis) + " where the pool has {b}");
}

/// Each element's sum of `term(at, inside)` over the windows that it is in: `at` says which, and is
/// to be read only if `inside`.
Array overWindows(Emitter &e, const Extents &shape, const PoolWindows &p, DType result,
                  const std::function<Scalar(Indices i, const Scalars &at, Scalar inside)> &term) {
  Extents windows;
  for (int k = 0; k < p.axes; ++k)
    windows.push_back(
        e.size((p.window[size_t(k)] + p.stride[size_t(k)] - 1) / p.stride[size_t(k)]));
  ReduceOptions options;
  options.result = result;
  options.accumulator = computeDType(result);
  return e.reduce(
      Combine::Sum, shape, windows,
      [&](Indices i, Indices r) {
        Scalars at(i.begin(), i.end());
        Scalar inside;
        for (int k = 0; k < p.axes; ++k) {
          size_t axis = size_t(p.first) + size_t(k);
          double stride = double(p.stride[size_t(k)]), width = double(p.window[size_t(k)]);
          Scalar position = i[axis] + e.scalar(p.front[size_t(k)]);
          Scalar window = (stride == 1 ? position : intDiv(position, stride)) - r[size_t(k)];
          Scalar here = window >= 0.0 && window < e.scalar(p.counts[size_t(k)]) &&
                        position - window * stride < width;
          inside = k ? inside && here : here;
          at[axis] = window;
        }
        return term(i, at, inside);
      },
      options);
}

/// Operands: g, and the shape of x.
Arrays poolSpreadEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  const std::string &mode = attributes.string("mode");
  Extents shape = shapeFrom(e, in[1]);
  PoolWindows p(e, shape, attributes);
  requirePooled(e, in, 0, shape, p);
  Array share = castArray(e, in[0], dtype);
  if (mode != "sum")
    share = e.define(e.shape(share), [&](Indices i) {
      Scalar g = e.load(share, i);
      return mode == "averageExcPad" ? g / covered(e, shape, p, i, dtype) : g / p.size();
    });
  return {overWindows(e, shape, p, result, [&](Indices, const Scalars &at, Scalar inside) {
    return e.loadIf(inside, share, at, e.literal(dtype, 0));
  })};
}

/// Operands: g, positions, and the shape of x.
Arrays poolScatterEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  Extents shape = shapeFrom(e, in[2]);
  PoolWindows p(e, shape, attributes);
  requirePooled(e, in, 0, shape, p);
  requirePooled(e, in, 1, shape, p);
  Array g = castArray(e, in[0], dtype);
  return {overWindows(e, shape, p, result, [&](Indices i, const Scalars &at, Scalar inside) {
    Scalar own = e.index(0), none = e.index(-1);
    for (int axis = p.first; axis < p.first + p.axes; ++axis)
      own = own * e.scalar(shape[size_t(axis)]) + i[size_t(axis)];
    Scalar chosen = e.loadIf(inside, in[1], at, none);
    return e.loadIf(inside && equalTo(chosen, own), g, at, e.literal(dtype, 0));
  })};
}

/// Operands: x, and positions.
Arrays poolGatherEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0], positions = in[1];
  PoolWindows p(e, x, attributes);
  requirePooled(e, in, 1, e.shape(x), p);
  return {e.define(e.shape(positions), [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar rest = e.load(positions, i), isInside = rest >= 0.0;
    for (int axis = p.first + p.axes; axis-- > p.first;) {
      Scalar extent = e.scalar(e.dim(x, axis));
      at[size_t(axis)] = axis == p.first ? rest : mod(rest, extent);
      rest = intDiv(rest, extent);
    }
    isInside = isInside && at[size_t(p.first)] < e.scalar(e.dim(x, p.first));
    return e.loadIf(isInside, x, at, e.literal(e.dtype(x), 0));
  })};
}

//===--- types --------------------------------------------------------------------===//

/// What is wrong with the windows on x.
absl::Status checkWindows(const TypeRequest &request) {
  const Attributes &a = request.attributes();
  const Type &x = request.type(0);
  int axes = int(a.ints("window").size());
  if (axes == 0 || axes > x.rank())
    return makeError(ErrorKind::ValueError, "the window has " + std::to_string(axes) +
                                                " axes, which must be 1 to the operand's rank " +
                                                std::to_string(x.rank()));
  for (auto [name, count, least] :
       {std::tuple{"window", axes, 1}, {"stride", axes, 1}, {"padding", 2 * axes, 0}})
    if (absl::Status s = checkPerAxis(a, name, count, least); !s.ok())
      return s;
  IntList padding = perAxis(a, "padding", 2 * axes, 0);
  for (int k = 0; k < 2 * axes; ++k) {
    if (padding[k] >= a.ints("window")[k / 2])
      return makeError(ErrorKind::ValueError, "padding " + std::to_string(padding[k]) +
                                                  " must be smaller than the window's extent, " +
                                                  std::to_string(a.ints("window")[k / 2]));
    if (padding[k] && !a.boolean("ignoreBorder"))
      return makeError(ErrorKind::ValueError,
                       "padding needs ignoreBorder = true; use pad where the border counts");
  }
  return absl::OkStatus();
}

TypesOr poolType(const TypeRequest &request) {
  if (absl::Status s = checkWindows(request); !s.ok())
    return s;
  const Attributes &a = request.attributes();
  const Type &x = request.type(0);
  const std::string &mode = a.string("mode");
  bool isAverage = mode == "averageIncPad" || mode == "averageExcPad";
  if (mode != "max" && mode != "sum" && !isAverage)
    return makeError(ErrorKind::ValueError, "mode is \"max\", \"sum\", \"averageIncPad\" or "
                                            "\"averageExcPad\", not \"" +
                                                mode + "\"");
  if (isBool(x.dtype()) && mode != "max")
    return makeError(ErrorKind::TypeError, "bool operands are refused; cast them first");
  if (isComplex(x.dtype()) && mode == "max")
    return makeError(ErrorKind::TypeError,
                     std::string(dtypeName(x.dtype())) +
                         " operands are refused: complex numbers have no maximum; take sums or "
                         "averages, or real, imag, abs or angle of them");
  bool toFloat = isAverage && !isFloat(realDType(x.dtype()));
  return inferShapes(request, {toFloat ? DType::Float64 : x.dtype()});
}

TypesOr poolPositionsType(const TypeRequest &request) {
  if (absl::Status s = checkWindows(request); !s.ok())
    return s;
  return inferShapes(request, {DType::Int64});
}

/// The shape of x is operand `shape`, of the rank of operand 0.
absl::Status checkShape(const TypeRequest &request, size_t shape) {
  if (absl::Status s = requireIntegers(request, shape, 1); !s.ok())
    return s;
  int rank = request.type(0).rank();
  if (request.type(shape).extent(0) != rank)
    return makeError(ErrorKind::TypeError,
                     "the shape must be known to have " + std::to_string(rank) + " extents");
  return absl::OkStatus();
}

absl::Status checkPositions(const TypeRequest &request) {
  int rank = request.type(0).rank();
  if (request.type(1).dtype() == DType::Int64 && request.type(1).rank() == rank)
    return absl::OkStatus();
  return makeError(ErrorKind::TypeError, "positions are an int64 array of rank " +
                                             std::to_string(rank) + ", not " +
                                             request.type(1).text());
}

TypesOr poolSpreadType(const TypeRequest &request) {
  for (const absl::Status &s : {checkWindows(request), checkShape(request, 1)})
    if (!s.ok())
      return s;
  const std::string &mode = request.attributes().string("mode");
  if (mode != "sum" && mode != "averageIncPad" && mode != "averageExcPad")
    return makeError(ErrorKind::ValueError,
                     "mode is \"sum\", \"averageIncPad\" or \"averageExcPad\", not \"" + mode +
                         "\"");
  if (!isFloat(request.type(0).dtype()))
    return makeError(ErrorKind::TypeError,
                     "a gradient is a float array, not " + request.type(0).text());
  return inferLikeFirst(request);
}

TypesOr poolScatterType(const TypeRequest &request) {
  for (const absl::Status &s :
       {checkWindows(request), checkPositions(request), checkShape(request, 2)})
    if (!s.ok())
      return s;
  if (!isFloat(request.type(0).dtype()))
    return makeError(ErrorKind::TypeError,
                     "a gradient is a float array, not " + request.type(0).text());
  return inferLikeFirst(request);
}

TypesOr poolGatherType(const TypeRequest &request) {
  for (const absl::Status &s : {checkWindows(request), checkPositions(request)})
    if (!s.ok())
      return s;
  return inferLikeFirst(request);
}

//===--- derivatives --------------------------------------------------------------===//

/// The attributes that say where windows are, which all ops here have.
Attributes windowsOf(const Op &op) {
  Attributes windows;
  for (std::string_view name : {"window", "stride", "padding", "ignoreBorder"})
    windows.set(name, *op.attributes().find(name));
  return windows;
}
Attributes withMode(Attributes windows, const Op &op) {
  windows.set("mode", op.attributes().string("mode"));
  return windows;
}

bool isMax(const Op &op) { return op.attributes().string("mode") == "max"; }
Variable positionsOf(const Op &op, const Variable &x) {
  return build(builtin("poolPositions", windowsOf(op)), {x});
}

Variables poolPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  const Variable &x = in[0];
  if (isMax(op))
    return {build(builtin("poolScatter", windowsOf(op)), {g[0], positionsOf(op, x), shape(x)})};
  return {build(builtin("poolSpread", withMode(windowsOf(op), op)), {g[0], shape(x)})};
}

Variables poolPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  if (!isPresent(t[0]))
    return {t[0]};
  if (isMax(op))
    return {build(builtin("poolGather", windowsOf(op)), {t[0], positionsOf(op, in[0])})};
  return {build(op, {t[0]})};
}

Variables poolSpreadPullback(const Op &op, Inputs, Outputs, Gradients g) {
  return {build(builtin("pool", withMode(windowsOf(op), op)), {g[0]}),
          Variable(Type::disconnected())};
}
Variables poolScatterPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {build(builtin("poolGather", windowsOf(op)), {g[0], in[1]}),
          Variable(Type::disconnected()), Variable(Type::disconnected())};
}
Variables poolGatherPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {build(builtin("poolScatter", windowsOf(op)), {g[0], in[1], shape(in[0])}),
          Variable(Type::disconnected())};
}

//===--- definitions --------------------------------------------------------------===//

std::vector<AttributeSpec> windowAttributes() {
  return {{.name = "window", .kind = AttributeKind::Ints, .doc = "extents, per axis"},
          {.name = "stride",
           .kind = AttributeKind::Ints,
           .defaultValue = IntList{},
           .doc = "per axis; []: the window"},
          {.name = "padding",
           .kind = AttributeKind::Ints,
           .defaultValue = IntList{},
           .doc = "front and back of each axis; []: 0"},
          {.name = "ignoreBorder", .kind = AttributeKind::Bool, .defaultValue = true}};
}

std::vector<AttributeSpec> modeAndWindows(std::string mode, std::string modes) {
  std::vector<AttributeSpec> attributes = windowAttributes();
  attributes.insert(attributes.begin() + 3, {.name = "mode",
                                             .kind = AttributeKind::String,
                                             .defaultValue = std::move(mode),
                                             .doc = std::move(modes)});
  return attributes;
}

/// An op whose type rule and emission know complex operands.
OpDef knowingComplex(OpDef def) {
  def.complex.isNative = true;
  return def;
}

/// An op on windows that gradients are made of.
OpDef partOfGradient(OpDef def) {
  if (def.attributes.empty())
    def.attributes = windowAttributes();
  def.section = section(kDerivatives);
  return def;
}

} // namespace

std::vector<OpDef> poolingOps() {
  return {
      knowingComplex(
          {.name = "pool",
           .doc =
               "Maximum, sum or average of windows along the last axes.\n"
               "ignoreBorder: only windows inside the padded operand, else the last may stick out "
               "(no padding then). Padding is smaller than the window and never wins a maximum; "
               "NaN propagates. averageIncPad divides by the window's size, averageExcPad by the "
               "number of elements of the operand. Averages of integers are float64. Of complex "
               "numbers there are sums and averages, no maximum.",
           .operands = {{"x"}},
           .attributes =
               modeAndWindows("max", "\"max\", \"sum\", \"averageIncPad\", \"averageExcPad\""),
           .type = poolType,
           .emit = poolEmission,
           .pullback = poolPullback,
           .pushforward = poolPushforward,
           .maxUlp = {-1, -1},
           .golden = {"pool_gather"},
           .section = section(kConvolution),
           .example = "pool([1, 5, 2, 4, 3]) {window = [2]} = [5, 4]"}),
      partOfGradient(
          {.name = "poolSpread",
           .doc = "The gradient of pool in the modes sum and average: each element has the sum of "
                  "what the windows over it give their elements.\nAttributes as pool's. A gradient "
                  "of another shape than pool's result: ShapeError.",
           .operands = {{"g"}, {"shape", "that of x, of known length"}},
           .attributes = modeAndWindows("sum", "\"sum\", \"averageIncPad\", \"averageExcPad\""),
           .type = poolSpreadType,
           .emit = poolSpreadEmission,
           .pullback = poolSpreadPullback,
           .pushforward = sameOpOnTangent(),
           .connection = {{true}, {false}},
           .maxUlp = {-1, -1},
           .golden = {"pool_gradient0"},
           .example = "poolSpread([10.0, 20.0], [3]) {window = [2], stride = [1]} = [10.0, 30.0, "
                      "20.0]"}),
      partOfGradient(
          {.name = "poolPositions",
           .doc = "Where the greatest element of each window is: its row-major position among the "
                  "pooled axes of x.\nThe first of equals, the first NaN, never padding.",
           .operands = {{"x"}},
           .type = poolPositionsType,
           .emit = poolPositionsEmission,
           .golden = {"pool_gradient0"},
           .example = "poolPositions([1, 5, 2, 4, 3]) {window = [2]} = [1, 3]"}),
      partOfGradient(
          {.name = "poolScatter",
           .doc = "The gradient of pool's maxima: each element has the sum over the windows that "
                  "chose it.\nAttributes as pool's; positions as poolPositions gives them. Arrays "
                  "of another shape than pool's result: ShapeError.",
           .operands = {{"g"}, {"positions"}, {"shape", "that of x, of known length"}},
           .type = poolScatterType,
           .emit = poolScatterEmission,
           .pullback = poolScatterPullback,
           .pushforward = sameOpOnTangent(),
           .elements = Elements::Moved,
           .connection = {{true}, {false}, {false}},
           .maxUlp = {-1, -1},
           .golden = {"pool_gradient0"},
           .example = "poolScatter([10.0, 20.0], [1, 1], [3]) {window = [2], stride = [1]} = "
                      "[0.0, 30.0, 0.0]"}),
      partOfGradient(
          {.name = "poolGather",
           .doc = "The elements of x at the positions that poolPositions gave, for each window.\n"
                  "0 for a position outside. Positions of another shape: ShapeError.",
           .operands = {{"x"}, {"positions"}},
           .type = poolGatherType,
           .emit = poolGatherEmission,
           .pullback = poolGatherPullback,
           .pushforward = sameOpOnTangent(),
           .elements = Elements::Moved,
           .connection = {{true}, {false}},
           .golden = {"pool"},
           .example = "poolGather([1, 2, 3], [1, 2]) {window = [2], stride = [1]} = [2, 3]"}),
  };
}

} // namespace graphc
