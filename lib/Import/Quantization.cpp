//===- Quantization.cpp - integers that stand for real numbers ---------------===//
//
//   real = (integer - zero point) * scale
//
// Products of 8-bit integers are joined in int32, as ONNX has it.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Import/NarrowTypes.h"
#include "Import/ShapeTerms.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "Import/Window.h"

namespace graphc {
namespace {

/// Numbers from `low` to `high`, cut off there.
Variable cutOff(OnnxNode &n, const Variable &x, double low, double high) {
  return clip(n.at(x), n.scalar(low, x.dtype()), n.scalar(high, x.dtype()));
}

/// Whole numbers cut off at the ends of the dtype.
Variable saturated(OnnxNode &n, const Variable &x, DType dtype) {
  double low = 0, high = 0;
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      low = double(std::numeric_limits<T>::lowest());
      high = double(std::numeric_limits<T>::max());
    }
  });
  if (!isInteger(dtype) || byteSize(dtype) > 2)
    return n.unsupported("quantizing to " + std::string(dtypeName(dtype)));
  return cast(n.at(cutOff(n, x, low, high)), dtype);
}

/// A parameter for each slice along `axis`, for each block of slices, or one for all.
Variable besideAxis(OnnxNode &n, const Variable &x, const Variable &parameter) {
  if (!parameter.ok() || !x.ok())
    return parameter;
  int64_t block = n.getInt("block_size", 0);
  if (parameter.rank() == 0 || parameter.type().numElements() == 1)
    return reshape(n.at(parameter), ShapeList(Ints()));
  int axis = n.plainAxis(n.getInt("axis", 1), x.rank());
  if (!n.status().ok())
    return parameter;
  if (block == 0 && parameter.rank() == 1)
    return dimshuffle(n.at(parameter), orderAlong(axis, x.rank()));
  if (block < 1 || parameter.rank() != x.rank())
    return n.fail(ErrorKind::ValueError, "block_size is " + std::to_string(block) +
                                             " for a parameter of " + parameter.type().brief());
  Variable positions = arange(extentTerm(n, x, axis));
  return take(n.at(parameter), intDiv(n.at(positions), block), {.axis = axis});
}

Variable quantized(OnnxNode &n, const Variable &x, const Variable &scale, const Variable &zero,
                   DType dtype) {
  Variable rounded = roundHalfToEven(n.at(trueDiv(n.at(x), scale)));
  return saturated(n, add(n.at(rounded), cast(n.at(zero), rounded.dtype())), dtype);
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
  Variable x = n.in(0), scale = besideAxis(n, x, n.in(1));
  int type = quantizedType(n);
  if (!isFloat(x.dtype()))
    x = cast(n.at(x), DType::Float32);
  if (std::optional<DType> precision = n.getDType("precision")) {
    x = cast(n.at(x), *precision);
    scale = cast(n.at(scale), *precision);
  }
  if (!isNarrow(type)) {
    std::optional<DType> asked = n.getDType("output_dtype");
    Variable zero = n.has(2) ? n.in(2) : n.scalar(0, asked.value_or(DType::UInt8));
    return {quantized(n, x, scale, besideAxis(n, x, zero), zero.dtype())};
  }
  n.giveNarrow(0, type);
  Variable quotient = trueDiv(n.at(x), scale);
  Variable zero = n.has(2) ? cast(n.at(besideAxis(n, x, n.in(2))), quotient.dtype())
                           : n.scalar(0, quotient.dtype());
  if (narrowStorage(type) == DType::Float16)
    return {narrowed(n, add(n.at(quotient), zero), type, n.getBool("saturate", true))};
  auto [low, high] = narrowRange(type);
  Variable whole = add(n.at(roundHalfToEven(n.at(quotient))), zero);
  return {cast(n.at(cutOff(n, whole, low, high)), *narrowStorage(type))};
}

/// Differences of integers are integers, products are in float32 at least.
Variables dequantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), scale = besideAxis(n, x, n.in(1));
  DType result = n.getDType("output_dtype").value_or(scale.dtype());
  DType wide = byteSize(scale.dtype()) < 4 ? DType::Float32 : scale.dtype();
  DType whole = isInteger(x.dtype()) ? DType::Int32 : wide;
  Variable value = cast(n.at(x), whole);
  if (n.has(2))
    value = sub(n.at(value), cast(n.at(besideAxis(n, x, n.in(2))), whole));
  return {cast(n.at(mul(n.at(cast(n.at(value), wide)), cast(n.at(scale), wide))), result)};
}

/// Scale and zero point from the operand's range, which is made to have 0 in it.
Variables dynamicQuantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), none = n.scalar(0, x.dtype());
  Variable low = minimum(n.at(min(n.at(x))), none), high = maximum(n.at(max(n.at(x))), none);
  Variable scale = trueDiv(n.at(sub(n.at(high), low)), n.scalar(255, x.dtype()));
  Variable zero = roundHalfToEven(n.at(trueDiv(n.at(sub(n.at(none), low)), scale)));
  zero = saturated(n, zero, DType::UInt8);
  return {quantized(n, x, scale, zero, DType::UInt8), scale, zero};
}

/// Input i less the zero point of input z, in int32. The zero point may be one for each slice
/// along an axis.
Variable centred(OnnxNode &n, size_t i, size_t z, int axis) {
  Variable wide = cast(n.arg(i), DType::Int32);
  if (!n.has(z))
    return wide;
  Variable zero = cast(n.arg(z), DType::Int32);
  if (zero.rank() == 1)
    zero = zero.type().numElements() == 1
               ? reshape(n.at(zero), ShapeList(Ints()))
               : dimshuffle(n.at(zero), orderAlong(n.plainAxis(axis, wide.rank()), wide.rank()));
  return sub(n.at(wide), zero);
}

Variables matMulInteger(OnnxNode &n) {
  return {matmul(n.at(centred(n, 0, 2, -2)), centred(n, 1, 3, -1))};
}

Variables convInteger(OnnxNode &n) {
  return {convolution(n, centred(n, 0, 2, 1), centred(n, 1, 3, 0))};
}

/// The int32 result of a product of two quantized operands, quantized: inputs are x, its scale and
/// zero point, y and its two, and the two of the result. `axis`: that of y's scales in the result.
Variable requantized(OnnxNode &n, const Variable &product, int axis) {
  auto scaleOf = [&](size_t i) {
    Variable scale = n.in(i);
    if (scale.rank() == 0 || scale.type().numElements() == 1)
      return reshape(n.at(scale), ShapeList(Ints()));
    return dimshuffle(n.at(scale), orderAlong(n.plainAxis(axis, product.rank()), product.rank()));
  };
  Variable factor = trueDiv(n.at(mul(n.at(scaleOf(1)), scaleOf(4))), scaleOf(6));
  Variable rounded = roundHalfToEven(n.at(mul(n.at(cast(n.at(product), DType::Float32)), factor)));
  Variable zero = reshape(n.arg(7), ShapeList(Ints()));
  return saturated(n, add(n.at(rounded), cast(n.at(zero), DType::Float32)), zero.dtype());
}

Variables qLinearMatMul(OnnxNode &n) {
  return {requantized(n, matmul(n.at(centred(n, 0, 2, -2)), centred(n, 3, 5, -1)), -1)};
}

Variables qLinearConv(OnnxNode &n) {
  Variable y = convolution(n, centred(n, 0, 2, 1), centred(n, 3, 5, 0));
  return {requantized(n, withBias(n, y, 8), 1)};
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
