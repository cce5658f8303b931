//===- Making.cpp - arrays from nothing ------------------------------------===//
#include <cmath>
#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

//===--- arange -------------------------------------------------------------------===//

/// The number of an operand, if it is constant.
const Tensor *constantOf(Emitter &e, Array a) {
  const Tensor &data = e.emission().arrays[a.id].constant;
  return data.defined() ? &data : nullptr;
}

/// ceil((stop - start) / step) of numbers, at least 0; -1 where that is NaN or an end
/// is infinite. 64-bit differences do
/// not overflow, and what no array can have is INT64_MAX.
int64_t lengthOf(const Tensor &start, const Tensor &stop, const Tensor &step) {
  if (isFloat(start.dtype()) || isFloat(stop.dtype()) || isFloat(step.dtype())) {
    double distance = stop.item<double>() - start.item<double>();
    double n = std::ceil(distance / step.item<double>());
    if (std::isnan(n) || std::isinf(distance))
      return -1;
    return n >= 0x1p63 ? std::numeric_limits<int64_t>::max() : n > 0 ? int64_t(n) : 0;
  }
  auto wide = [](const Tensor &t) {
    return t.dtype() == DType::UInt64 ? __int128(t.item<uint64_t>()) : __int128(t.item<int64_t>());
  };
  __int128 distance = wide(stop) - wide(start), stride = wide(step);
  if (stride < 0) {
    distance = -distance;
    stride = -stride;
  }
  if (stride == 0 || distance <= 0)
    return 0;
  __int128 n = (distance + stride - 1) / stride;
  return n > std::numeric_limits<int64_t>::max() ? std::numeric_limits<int64_t>::max() : int64_t(n);
}

/// The length as a size, and the requirement that the step is not 0.
Extent arangeLength(Emitter &e, Array start, Array stop, Array step) {
  constexpr std::string_view kStepZero = "the step is 0";
  auto notNaN = [&](Extent length) {
    e.require(e.size(0), Predicate::LessEqual, length, ErrorKind::ValueError,
              "the length cannot be computed: start, stop or step is NaN or infinite");
    return length;
  };
  Extent zero = e.size(0);
  const Tensor *constants[] = {constantOf(e, start), constantOf(e, stop), constantOf(e, step)};
  if (constants[0] && constants[1] && constants[2]) {
    e.require(e.size(constants[2]->item<double>() != 0), Predicate::Equal, e.size(1),
              ErrorKind::ValueError, kStepZero);
    return notNaN(e.size(lengthOf(*constants[0], *constants[1], *constants[2])));
  }
  if (isFloat(e.dtype(start)) || isFloat(e.dtype(stop)) || isFloat(e.dtype(step))) {
    Array nonZero = e.define({}, [&](Indices) {
      return cast(notEqualTo(cast(e.load(step, {}), DType::Float64), 0.0), DType::Int64);
    });
    e.require(e.element(nonZero), Predicate::Equal, e.size(1), ErrorKind::ValueError, kStepZero);
    Array length = e.define({}, [&](Indices) {
      auto number = [&](Array a) { return cast(e.load(a, {}), DType::Float64); };
      Scalar distance = number(stop) - number(start), n = distance / number(step);
      Scalar isNone = isNan(n) || equalTo(abs(distance), std::numeric_limits<double>::infinity());
      return select(isNone, e.index(-1),
                    cast(apply(ScalarOp::Ceil, {maximum(n, 0.0)}), DType::Int64));
    });
    return notNaN(e.element(length));
  }
  // The whole steps between the ends, as a difference of quotients: the distance of the ends may be
  // more than an int64 holds, in which a graph computes with extents (ShapeFeature).
  Extent first = e.element(start), end = e.element(stop), stride = e.element(step);
  e.require(equal(stride, zero), Predicate::Equal, zero, ErrorKind::ValueError, kStepZero);
  Extent backward = less(stride, zero);
  Extent last = end - select(backward, e.size(-1), e.size(1));
  Extent restOfFirst = mod(first, stride), restOfLast = mod(last, stride);
  Extent isShort = select(backward, less(restOfFirst, restOfLast), less(restOfLast, restOfFirst));
  Extent length = floorDiv(last, stride) - floorDiv(first, stride) - isShort + 1;
  return select(select(backward, less(end, first), less(first, end)), length, zero);
}

Arrays arangeEmission(Emitter &e, const Arrays &in, const Attributes &) {
  DType dtype = e.resultType(0).dtype();
  DType compute = isFloat(dtype) ? DType::Float64 : dtype;
  Extent length = arangeLength(e, in[0], in[1], in[2]);
  return {e.define({length}, [&](Indices i) {
    auto number = [&](Array a) { return cast(e.load(a, {}), compute); };
    return cast(number(in[0]) + cast(i[0], compute) * number(in[2]), dtype);
  })};
}

TypesOr arangeType(const TypeRequest &request) {
  for (size_t i = 0; i < request.size(); ++i)
    if (request.type(i).rank() != 0)
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(i) +
                                                 " must be a scalar, not " +
                                                 request.type(i).text());
  if (absl::Status s = checkAccepted(request, Accept::NotBool); !s.ok())
    return s;
  const Attributes &a = request.attributes();
  DType dtype = a.isNone("dtype") ? promoteAll(request) : a.dtype("dtype");
  if (isBool(dtype))
    return makeError(ErrorKind::TypeError, "a range of bool is refused; cast one of numbers");
  return inferShapes(request, {dtype});
}

/// Element i is start + i * step: positions are those of the result.
Variable positionsIn(const Variable &result) {
  return cast(arange(shape(result, 0)), result.dtype());
}

/// F-273: the stop says how many there are, and changes none.
Variables arangePullback(const Op &, Inputs, Outputs out, Gradients g) {
  return {sum(g[0]), Variable(Type::disconnected()), sum(g[0] * positionsIn(out[0]))};
}

Variables arangePushforward(const Op &, Inputs, Outputs out, Tangents t) {
  return {sumOverTangents(t, {0, 2}, [&](size_t i) {
    return i == 0 ? second(out[0], t[0]) : t[2] * positionsIn(out[0]);
  })};
}

//===--- eye ------------------------------------------------------------------------===//

Arrays eyeEmission(Emitter &e, const Arrays &in, const Attributes &) {
  DType dtype = e.resultType(0).dtype();
  Extents shape = {e.element(in[0]), e.element(in[1])};
  for (Extent extent : shape)
    e.require(e.size(0), Predicate::LessEqual, extent, ErrorKind::ValueError,
              "the extent {b} is negative");
  Extent diagonal = e.element(in[2]);
  return {e.define(
      shape, [&](Indices i) { return cast(equalTo(i[1] - i[0], e.scalar(diagonal)), dtype); })};
}

TypesOr eyeType(const TypeRequest &request) {
  for (size_t i = 0; i < request.size(); ++i)
    if (absl::Status s = requireIntegers(request, i, 0); !s.ok())
      return s;
  return inferShapes(request, {request.attributes().dtype("dtype")});
}

} // namespace

std::vector<OpDef> makingOps() {
  return {
      {.name = "arange",
       .doc =
           "start, start + step, ... before stop.\n"
           "There are ceil((stop - start) / step) elements, at least 0; element i is start + i * "
           "step, floats computed in float64. Step 0: ValueError.",
       .operands = {{"start"}, {"stop"}, {"step"}},
       .attributes = {optionalAttribute("dtype", AttributeKind::DType,
                                        "none: the operands' promotion")},
       .type = arangeType,
       .emit = arangeEmission,
       .pullback = arangePullback,
       .pushforward = arangePushforward,
       .connection = {{true}, {false}, {true}},
       .maxUlp = {1, 1},
       .golden = {"arange"},
       .section = section(kMaking),
       .example = "arange(0, 5, 2) = [0, 2, 4]"},
      {.name = "eye",
       .doc = "The n x m matrix with 1 where column - row is k, else 0.\nNegative n or m: "
              "ValueError.",
       .operands = {{"n"}, {"m"}, {"k"}},
       .attributes = {{"dtype", AttributeKind::DType, DType::Float64}},
       .literals = Literals::Int64,
       .type = eyeType,
       .emit = eyeEmission,
       .connection = {{false}, {false}, {false}},
       .golden = {"eye"},
       .section = section(kMaking),
       .example = "eye(2, 3, 1) {dtype = i64} = [[0, 1, 0], [0, 0, 1]]"},
  };
}

} // namespace graphc
