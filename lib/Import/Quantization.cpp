//===- Quantization.cpp - integers that stand for real numbers ---------------===//
//
//   real = (integer - zero point) * scale
//
// Products of 8-bit integers are joined in int32, as ONNX has it.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"

namespace graphc {
namespace {

/// The nearest integers, ties to even, cut off at the ends of the dtype.
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
  return cast(n.at(clip(n.at(x), n.scalar(low, x.dtype()), n.scalar(high, x.dtype()))), dtype);
}

/// A parameter for each slice along `axis`, or one for all.
Variable besideAxis(OnnxNode &n, const Variable &x, const Variable &parameter) {
  if (parameter.ok() && parameter.rank() > 1)
    return n.unsupported("quantization in blocks");
  if (parameter.rank() == 0 || parameter.type().numElements() == 1)
    return reshape(n.at(parameter), ShapeList(Ints()));
  return dimshuffle(n.at(parameter),
                    orderAlong(n.plainAxis(n.getInt("axis", 1), x.rank()), x.rank()));
}

Variable quantized(OnnxNode &n, const Variable &x, const Variable &scale, const Variable &zero,
                   DType dtype) {
  Variable rounded = roundHalfToEven(n.at(trueDiv(n.at(x), scale)));
  return saturated(n, add(n.at(rounded), cast(n.at(zero), x.dtype())), dtype);
}

Variables quantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), scale = besideAxis(n, x, n.in(1));
  Variable zero = n.has(2) ? n.in(2) : n.scalar(0, DType::UInt8);
  if (!isFloat(x.dtype()))
    x = cast(n.at(x), DType::Float32);
  return {quantized(n, x, scale, besideAxis(n, x, zero), zero.dtype())};
}

Variables dequantizeLinear(OnnxNode &n) {
  Variable x = n.in(0), scale = besideAxis(n, x, n.in(1));
  Variable wide = cast(n.at(x), scale.dtype());
  if (n.has(2))
    wide = sub(n.at(wide), cast(n.at(besideAxis(n, x, n.in(2))), scale.dtype()));
  return {mul(n.at(wide), scale)};
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
      {"DequantizeLinear", dequantizeLinear, 10, "no blocks"},
      {"DynamicQuantizeLinear", dynamicQuantizeLinear, 11},
      {"MatMulInteger", matMulInteger, 10},
      {"QLinearConv", qLinearConv, 10},
      {"QLinearMatMul", qLinearMatMul, 10},
      {"QuantizeLinear", quantizeLinear, 10, "8 and 16 bits; no blocks"},
  };
  return kTable;
}

} // namespace graphc
