//===- ComplexProducts.cpp - products of complex numbers ------------------===//
//
// No loop joins pairs of numbers, so that products along axes are recurrences: r[k] = x[k] r[k -
// 1].
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <numeric>

#include "Build.h"
#include "ComplexNumber.h"
#include "ComplexRules.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

TypesOr recurrenceType(const TypeRequest &request) {
  const Type &first = request.type(0);
  for (size_t i = 0; i < request.size(); ++i)
    if (!isFloat(first.dtype()) || request.type(i).dtype() != first.dtype() ||
        request.type(i).rank() != first.rank())
      return makeError(ErrorKind::TypeError, "operands must be floats of one dtype and rank");
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  return inferShapes(request, {first.dtype(), first.dtype()});
}

Arrays recurrenceEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  int axis = *normalizeAxis(attributes.integer("axis"), e.rank(in[0]));
  for (Array other : {in[1], in[2], in[3]})
    for (int i = 0; i < e.rank(in[0]); ++i)
      e.requireEqual(e.dim(other, i), e.dim(in[0], i),
                     "a part of a has {b} elements along axis " + std::to_string(i) +
                         " and another one, or b, {a}");
  Extents lines = {e.size(1), e.dim(in[0], axis), e.size(1)};
  for (int i = 0; i < e.rank(in[0]); ++i)
    if (i != axis)
      lines[i < axis ? 0 : 2] = lines[i < axis ? 0 : 2] * e.dim(in[0], i);
  DType dtype = e.dtype(in[0]), inner = computeDType(dtype);
  Arrays operands;
  for (Array x : in)
    operands.push_back(e.view(castArray(e, x, inner), lines));
  Arrays made =
      e.routine(kComplexRecurrence, {attributes.boolean("reverse"), attributes.boolean("shifted")},
                operands, {{inner, lines}, {inner, lines}});
  for (Array &part : made)
    part = castArray(e, e.view(part, e.shape(in[0])), dtype);
  return made;
}

/// r[k] = a[k] r[k - 1] + b[k] of complex numbers.
Parts recurrence(const Parts &a, const Parts &b, int64_t axis, bool isReverse, bool isShifted) {
  Op op = builtin("complexRecurrence",
                  {{"axis", axis}, {"reverse", isReverse}, {"shifted", isShifted}});
  Variables parts = op.callAll({a.re, imaginaryOf(a), b.re, imaginaryOf(b)}, Place());
  return {parts[0], parts[1]};
}

/// The products up to each position along an axis of x, or before it.
Parts runningProduct(const Parts &x, int64_t axis, bool isReverse, bool isExclusive) {
  int at = int(axis < 0 ? axis + x.re.rank() : axis);
  // b is 0 but at the first position: x there, or 1.
  Variable n = shape(x.re, at), position = arange(n);
  Variable isStart = eq(position, isReverse ? n - 1 : constant(int64_t(0)));
  for (int k = at + 1; k < x.re.rank(); ++k)
    isStart = expandDims(isStart, Axis(-1));
  Variable one = constant(Tensor(1.0).cast(x.re.dtype()));
  Variable zero = constant(Tensor(0.0).cast(x.re.dtype()));
  Variable im = imaginaryOf(x);
  Parts b{second(x.re, where(isStart, isExclusive ? one : x.re, zero)),
          second(x.re, where(isStart, isExclusive ? zero : im, zero))};
  return recurrence({x.re, im}, b, axis, isReverse, isExclusive);
}

/// Slices along some axes as lines: (axes that stay..., elements of a slice).
struct AsLines {
  std::vector<int> order, inverse;
  Variable extents; // of the array with its axes in that order
  Parts lines;
  int kept;

  AsLines(const Parts &x, const std::vector<int> &axes) {
    const int rank = x.re.rank();
    auto isJoined = [&](int axis) { return std::ranges::count(axes, axis) > 0; };
    for (bool joined : {false, true})
      for (int axis = 0; axis < rank; ++axis)
        if (isJoined(axis) == joined)
          order.push_back(axis);
    kept = rank - int(axes.size());
    inverse.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      inverse[size_t(order[i])] = int(i);
    Variable moved = dimshuffle(x.re, order);
    extents = shape(moved);
    std::vector<Operand> flat;
    for (int axis = 0; axis < kept; ++axis)
      flat.emplace_back(shape(moved, axis));
    Variable n = constant(int64_t(1));
    for (int axis = kept; axis < rank; ++axis)
      n = n * shape(moved, axis);
    flat.emplace_back(n);
    Variable to = stack(flat);
    lines = {reshape(moved, ShapeList(to)),
             reshape(dimshuffle(imaginaryOf(x), order), ShapeList(to))};
  }
  Variable back(const Variable &part) const {
    return dimshuffle(reshape(part, ShapeList(extents)), inverse);
  }
};

std::vector<Parts> productOf(const ComplexRequest &r) {
  const Attributes &attributes = r.op.attributes();
  DType dtype = realDType(r.results[0].dtype());
  Parts x{inDType(r.in[0].re, dtype), inDType(imaginaryOf(r.in[0]), dtype)};
  std::vector<int> axes = axesOf(attributes, x.re.rank());
  AsLines slices(x, axes);
  // A 1 behind each line, before which all elements are: no elements give 1.
  auto longer = [&](const Variable &part, double last) {
    std::vector<int64_t> widths(size_t(2 * part.rank()), 0);
    widths.back() = 1;
    return build(builtin("pad", {{"widths", widths}, {"mode", std::string("constant")}}),
                 {part, constant(Tensor(last).cast(dtype))});
  };
  Parts running = runningProduct({longer(slices.lines.re, 1), longer(*slices.lines.im, 0)},
                                 slices.kept, false, true);
  std::vector<Index> last(size_t(slices.kept), Index(Slice()));
  last.emplace_back(-1);
  auto result = [&](const Variable &part) {
    Variable value = subtensor(part, last);
    std::ranges::sort(axes);
    for (int axis : axes)
      if (attributes.boolean("keepDims"))
        value = expandDims(value, Axis(axis));
    return value;
  };
  return {{result(running.re), result(*running.im)}};
}

std::vector<Parts> productOfOthersOf(const ComplexRequest &r) {
  AsLines slices(r.in[0], axesOf(r.op.attributes(), r.in[0].re.rank()));
  Parts others = runningProduct(slices.lines, slices.kept, false, true) *
                 runningProduct(slices.lines, slices.kept, true, true);
  return {{slices.back(others.re), slices.back(*others.im)}};
}

std::vector<Parts> cumulativeProductOf(const ComplexRequest &r) {
  const Attributes &a = r.op.attributes();
  return {runningProduct(r.in[0], a.integer("axis"), a.boolean("reverse"), a.boolean("exclusive"))};
}

std::vector<Parts> linearRecurrenceOf(const ComplexRequest &r) {
  const Attributes &a = r.op.attributes();
  return {
      recurrence(r.in[0], r.in[1], a.integer("axis"), a.boolean("reverse"), a.boolean("shifted"))};
}

} // namespace

std::vector<NamedComplexRule> complexProductRules() {
  auto holomorphic = [](std::string name, auto parts) {
    return NamedComplexRule{std::move(name),
                            {.parts = parts, .derivatives = ComplexDerivatives::Holomorphic}};
  };
  return {holomorphic("prod", productOf), holomorphic("productOfOthers", productOfOthersOf),
          holomorphic("cumprod", cumulativeProductOf),
          holomorphic("linearRecurrence", linearRecurrenceOf)};
}

std::vector<OpDef> complexProductOps() {
  return {withoutDerivative(
      {.name = "complexRecurrence",
       .doc = "Both parts of r[k] = a[k] r[k - 1] + b[k] of complex numbers along an axis, where r "
              "before the first position is 0.\nFloats of one dtype and shape; joined in float64.",
       .operands = {{"aRe"}, {"aIm"}, {"bRe"}, {"bIm"}},
       .numResults = 2,
       .attributes =
           {{.name = "axis", .kind = AttributeKind::Int, .doc = "from the end if negative"},
            {.name = "reverse",
             .kind = AttributeKind::Bool,
             .defaultValue = false,
             .doc = "whether it begins at the last position"},
            {.name = "shifted",
             .kind = AttributeKind::Bool,
             .defaultValue = false,
             .doc = "whether a[k - 1] is in the place of a[k]"}},
       .type = recurrenceType,
       .emit = recurrenceEmission,
       .maxUlp = {-1, -1},
       .golden = {"complex_recurrence"},
       .section = section(kDerivatives),
       .example =
           "complexRecurrence([1., 0.], [0., 1.], [2., 0.], [0., 0.]) {axis = 0} = [2., 0.]"},
      "ops on complex numbers, of which it is a part, have derivatives of their own")};
}

} // namespace graphc
