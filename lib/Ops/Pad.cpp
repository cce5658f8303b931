//===- Pad.cpp - wider arrays ----------------------------------------------===//
#include "Families.h"
#include "Rules.h"

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

Arrays padEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  DType dtype = e.dtype(x);
  const IntList &widths = attributes.ints("widths");
  Source source = sourceOf(attributes.string("mode"));
  Extents shape = e.shape(x);
  for (int axis = 0; axis < e.rank(x); ++axis) {
    int64_t added = widths[size_t(axis) * 2] + widths[size_t(axis) * 2 + 1];
    if (added && source)
      e.require(e.size(1), Predicate::LessEqual, shape[axis], ErrorKind::ValueError,
                "axis " + std::to_string(axis) +
                    " is empty, so there is nothing to extend it with");
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

TypesOr padType(const TypeRequest &request) {
  const Attributes &a = request.attributes();
  const Type &x = request.type(0);
  const IntList &widths = a.ints("widths");
  if (int(widths.size()) != 2 * x.rank())
    return makeError(ErrorKind::ValueError, "widths must have " + std::to_string(2 * x.rank()) +
                                                " numbers, not " + std::to_string(widths.size()));
  for (int64_t width : widths)
    if (width < 0)
      return makeError(ErrorKind::ValueError, "width " + std::to_string(width) + " is negative");
  const std::string &mode = a.string("mode");
  if (mode != "constant" && !sourceOf(mode))
    return makeError(ErrorKind::ValueError, "mode is \"constant\", \"edge\", \"reflect\", "
                                            "\"symmetric\" or \"wrap\", not \"" +
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
              "repeated. Widths may exceed x. Negative widths, and extending an empty axis by "
              "anything but a constant: ValueError.",
       .operands = {{"x"}, {"value", "a scalar, if given"}},
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
