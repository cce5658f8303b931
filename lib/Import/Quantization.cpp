//===- Quantization.cpp - integers that stand for real numbers ---------------===//
//
//   real = (integer - zero point) * scale
//
// Products of 8-bit integers are joined in int32, as ONNX has it.
//
//===----------------------------------------------------------------------===//
#include "Import/Quantization.h"

#include "Import/Broadcast.h"
#include "Import/NarrowTypes.h"
#include "Import/ShapeTerms.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "Import/Window.h"
#include "graphc/Neural.h"

namespace graphc {

Variable quantizedTo(OnnxNode &n, const Variable &x, const Variable &scale, const Variable &zero,
                     int axis) {
  if (!zero.ok())
    return zero;
  if (!isInteger(zero.dtype()) || byteSize(zero.dtype()) > 2)
    return n.unsupported("quantizing to " + std::string(dtypeName(zero.dtype())));
  return quantize(x, scale, zero, axis);
}

namespace {

/// A vector of parameters as that of x's slices along an axis. Of an open length it may also be one
/// for all, which it must be where x has no such axis.
Variable asVectorAlong(OnnxNode &n, const Variable &vector, const Variable &x, int axis) {
  const bool hasAxis = axis >= -x.rank() && axis < x.rank();
  if (vector.type().extent(0) == kDynamic && !hasAxis)
    return scalarOf(n, vector);
  return hasAxis ? stretchedAlong(n, vector, x, axis < 0 ? axis + x.rank() : axis) : vector;
}

/// A parameter of x, one or a vector for the slices along an axis, of x's rank in the second case.
Variable besideAxis(OnnxNode &n, const Variable &parameter, const Variable &x, int axis) {
  if (!parameter.ok() || !x.ok())
    return parameter;
  if (parameter.type().numElements() == 1)
    return scalarOf(n, parameter);
  Variable vector = parameter.rank() == 1 ? asVectorAlong(n, parameter, x, axis) : parameter;
  return vector.rank() == 1
             ? dimshuffle(n.at(vector), orderAlong(n.plainAxis(axis, x.rank()), x.rank()))
             : vector;
}

/// A parameter for each slice along `axis`, for each block of slices, or one for all: as quantize
/// and dequantize take it.
Variable parameterOf(OnnxNode &n, size_t i, const Variable &x) {
  Variable parameter = n.in(i);
  int64_t block = n.getInt("block_size", 0);
  if (!parameter.ok() || !x.ok() || parameter.rank() == 0)
    return parameter;
  if (parameter.type().numElements() == 1)
    return scalarOf(n, parameter);
  if (block == 0 && parameter.rank() == 1)
    return asVectorAlong(n, parameter, x, n.getSmallInt("axis", 1));
  int axis = n.plainAxis(n.getInt("axis", 1), x.rank());
  if (!n.status().ok())
    return parameter;
  if (block < 1 || parameter.rank() != x.rank())
    return n.fail(ErrorKind::ValueError, "block_size is " + std::to_string(block) +
                                             " for a parameter of " + parameter.type().brief());
  return take(parameter, intDiv(arange(shape(x, axis)), block), {.axis = axis});
}

/// The element type of the result: that of the zero point, or an attribute's.
int quantizedType(OnnxNode &n) {
  int asked = n.getSmallInt("output_dtype", 0);
  int given = n.has(2) ? n.narrowType(2) : 0;
  if (given == 0 && n.has(2))
    return 0; // the dtype of the zero point
  if (given != 0 && asked != 0 && asked != given)
    n.fail(ErrorKind::ValueError, "output_dtype is " + onnxDTypeName(asked) +
                                      ", but the zero point of " + onnxDTypeName(given));
  return given != 0 ? given : asked;
}

Variables quantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), scale = parameterOf(n, 1, x);
  const int axis = n.getSmallInt("axis", 1), type = quantizedType(n);
  if (!isFloat(x.dtype()))
    x = cast(x, DType::Float32);
  if (std::optional<DType> precision = n.getDType("precision")) {
    x = cast(x, *precision);
    scale = cast(scale, *precision);
  }
  if (isNarrow(type))
    n.giveNarrow(0, type);
  const bool isNarrowFloat = isNarrow(type) && isFloat(*narrowStorage(type));
  DType otherwise =
      isNarrow(type) ? *narrowStorage(type) : n.getDType("output_dtype").value_or(DType::UInt8);
  Variable zero = n.has(2) ? parameterOf(n, 2, x) : n.scalar(0, otherwise);
  if (!isNarrowFloat) {
    Variable whole = quantizedTo(n, x, scale, zero, axis);
    if (!isNarrow(type))
      return {whole};
    auto [low, high] = narrowRange(type);
    return {clip(whole, low, high)};
  }
  auto beside = [&](const Variable &v) {
    return v.rank() == 1 ? dimshuffle(v, orderAlong(n.plainAxis(axis, x.rank()), x.rank())) : v;
  };
  Variable quotient = x / beside(scale);
  Variable moved = quotient + cast(beside(zero), quotient.dtype());
  return {narrowed(n, moved, type, n.getBool("saturate", true))};
}

/// Differences of integers are integers, products are in float32 at least.
Variables dequantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), scale = parameterOf(n, 1, x);
  DType result = n.getDType("output_dtype").value_or(scale.dtype());
  scale = cast(scale, byteSize(scale.dtype()) < 4 ? DType::Float32 : scale.dtype());
  const int axis = n.getSmallInt("axis", 1);
  if (!isInteger(x.dtype())) // a narrow float, whose zero point is 0
    return {cast(cast(x, scale.dtype()) *
                     (scale.rank() == 1
                          ? dimshuffle(scale, orderAlong(n.plainAxis(axis, x.rank()), x.rank()))
                          : scale),
                 result)};
  Variable zero = n.has(2) ? parameterOf(n, 2, x) : n.scalar(0, DType::Int8);
  return {cast(dequantize(x, scale, zero, axis), result)};
}

/// Scale and zero point from the operand's range, which is made to have 0 in it. Of zeros alone
/// ONNX's formulas divide 0 by 0: their scale is 1, as onnxruntime's.
Variables dynamicQuantizeLinear(OnnxNode &n) {
  Variable x = n.in(0);
  Variable low = minimum(min(x), 0), range = maximum(max(x), 0) - low;
  Variable scale = where(eq(range, 0), n.scalar(1, range.dtype()), range / 255);
  Variable zero = quantize(-low, scale, n.scalar(0, DType::UInt8));
  return {quantize(x, scale, zero), scale, zero};
}

/// Input i less the zero point of input z, in int32. The zero point may be one for each slice
/// along an axis.
Variable centred(OnnxNode &n, size_t i, size_t z, int axis) {
  Variable wide = cast(n.arg(i), DType::Int32);
  if (!n.has(z))
    return wide;
  Variable zero = cast(n.arg(z), DType::Int32);
  return sub(n.at(wide), besideAxis(n, zero, wide, axis));
}

/// The product of inputs i and j less their zero points, inputs z and y.
Variable integerProduct(OnnxNode &n, size_t i, size_t z, size_t j, size_t y) {
  Variable x = n.in(i), w = n.in(j);
  auto zero = [&](size_t k, const Variable &of, int axis) {
    Variable v = n.has(k) ? n.in(k) : n.scalar(0, DType::Int8);
    if (v.type().numElements() == 1)
      return scalarOf(n, v);
    return of.ok() && v.rank() == 1 ? asVectorAlong(n, v, of, of.rank() < 2 ? of.rank() : axis) : v;
  };
  return matmulInteger(x, w, zero(z, x, -2), zero(y, w, -1));
}

Variables matMulInteger(OnnxNode &n) { return {integerProduct(n, 0, 2, 1, 3)}; }

Variables convInteger(OnnxNode &n) {
  return {convolution(n, centred(n, 0, 2, 1), centred(n, 1, 3, 0))};
}

/// The int32 result of a product of two quantized operands, quantized: inputs are x, its scale and
/// zero point, y and its two, and the two of the result. The axes are those of x's and of y's
/// scales in the result.
Variable requantized(OnnxNode &n, const Variable &product, int axisOfX, int axisOfY) {
  auto scaleOf = [&](size_t i, int axis) { return besideAxis(n, n.in(i), product, axis); };
  Variable factor =
      trueDiv(n.at(mul(n.at(scaleOf(1, axisOfX)), scaleOf(4, axisOfY))), scaleOf(6, axisOfY));
  Variable one = n.scalar(1, DType::Float32);
  return quantizedTo(n, cast(product, DType::Float32) * factor, one, scalarOf(n, 7));
}

Variables qLinearMatMul(OnnxNode &n) {
  return {requantized(n, integerProduct(n, 0, 2, 3, 5), -2, -1)};
}

Variables qLinearConv(OnnxNode &n) {
  Variable y = convolution(n, centred(n, 0, 2, 1), centred(n, 3, 5, 0));
  return {requantized(n, withBias(n, y, 8), 1, 1)};
}

} // namespace

absl::Span<const Translation> quantizationTranslations() {
  static constexpr Translation kTable[] = {
      {"ConvInteger", convInteger, 10},
      {"DequantizeLinear", dequantizeLinear, 10},
      {"DynamicQuantizeLinear", dynamicQuantizeLinear, 11},
      {"MatMulInteger", matMulInteger, 10},
      {"QLinearConv", qLinearConv, 10},
      {"QLinearMatMul", qLinearMatMul, 10},
      {"QuantizeLinear", quantizeLinear, 10},
  };
  return kTable;
}

} // namespace graphc
