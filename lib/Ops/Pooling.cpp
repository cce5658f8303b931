//===- Pooling.cpp - maxima, sums and averages of windows ------------------===//
#include <limits>

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
      : axes(int(attributes.ints("window").size())), first(e.rank(x) - axes),
        window(attributes.ints("window")), stride(attributes.ints("stride")),
        padding(perAxis(attributes, "padding", 2 * axes, 0)),
        ignoreBorder(attributes.boolean("ignoreBorder")) {
    if (stride.empty())
      stride = window;
    for (int k = 0; k < axes; ++k)
      addAxis(e, e.dim(x, first + k), k);
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
Scalar covered(Emitter &e, Array x, const PoolWindows &p, Indices i, DType dtype) {
  Scalar product = e.index(1);
  for (int k = 0; k < p.axes; ++k) {
    int axis = p.first + k;
    Scalar begin = i[axis] * double(p.stride[k]) - e.scalar(p.front[k]);
    Scalar end = minimum(begin + double(p.window[k]), e.scalar(e.dim(x, axis)));
    product = product * (end - maximum(begin, 0.0));
  }
  return cast(product, dtype);
}

Arrays poolEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
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
  double all = 1;
  for (int64_t w : p.window)
    all *= double(w);
  return {e.define(parallel, [&](Indices i) {
    Scalar sum = e.load(joined, i);
    return cast(mode == "averageExcPad" ? sum / covered(e, x, p, i, dtype) : sum / all, result);
  })};
}

TypesOr poolType(const TypeRequest &request) {
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
  const std::string &mode = a.string("mode");
  bool isAverage = mode == "averageIncPad" || mode == "averageExcPad";
  if (mode != "max" && mode != "sum" && !isAverage)
    return makeError(ErrorKind::ValueError, "mode is \"max\", \"sum\", \"averageIncPad\" or "
                                            "\"averageExcPad\", not \"" +
                                                mode + "\"");
  if (isBool(x.dtype()) && mode != "max")
    return makeError(ErrorKind::TypeError, "bool operands are refused; cast them first");
  bool toFloat = isAverage && !isFloat(x.dtype());
  return inferShapes(request, {toFloat ? DType::Float64 : x.dtype()});
}

} // namespace

std::vector<OpDef> poolingOps() {
  return {
      {.name = "pool",
       .doc = "Maximum, sum or average of windows along the last axes.\n"
              "ignoreBorder: only windows inside the padded operand, else the last may stick out "
              "(no padding then). Padding is smaller than the window and never wins a maximum; "
              "NaN propagates. averageIncPad divides by the window's size, averageExcPad by the "
              "number of real elements. Averages of integers are float64.",
       .operands = {{"x"}},
       .attributes = {{.name = "window", .kind = AttributeKind::Ints, .doc = "extents, per axis"},
                      {.name = "stride",
                       .kind = AttributeKind::Ints,
                       .defaultValue = IntList{},
                       .doc = "per axis; []: the window"},
                      {.name = "padding",
                       .kind = AttributeKind::Ints,
                       .defaultValue = IntList{},
                       .doc = "front and back of each axis; []: 0"},
                      {.name = "mode",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("max"),
                       .doc = "\"max\", \"sum\", \"averageIncPad\", \"averageExcPad\""},
                      {.name = "ignoreBorder", .kind = AttributeKind::Bool, .defaultValue = true}},
       .type = poolType,
       .emit = poolEmission,
       .maxUlp = {-1, -1},
       .golden = {"pool"},
       .section = section(kConvolution),
       .example = "pool([1, 5, 2, 4, 3]) {window = [2]} = [5, 4]"},
  };
}

} // namespace graphc
