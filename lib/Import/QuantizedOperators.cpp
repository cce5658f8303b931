//===- QuantizedOperators.cpp - com.microsoft: operators on quantized numbers -----===//
//
// An operand is a quantized array, its scale and its zero point: three inputs. Results are computed
// in float32 and quantized, as ONNX Runtime does it.
//
//===----------------------------------------------------------------------===//
#include "Import/Broadcast.h"
#include "Import/Quantization.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

/// The numbers that inputs i, i + 1 and i + 2 stand for.
Variable realOf(OnnxNode &n, size_t i) {
  Variable wide = cast(n.arg(i), DType::Float32);
  if (n.has(i + 2))
    wide = sub(n.at(wide), cast(n.arg(i + 2), DType::Float32));
  return mul(n.at(wide), n.in(i + 1));
}

/// Quantized by the scale and zero point that are inputs i and i + 1.
Variable quantizedBy(OnnxNode &n, const Variable &x, size_t i, DType otherwise) {
  return quantizedTo(n, x, n.in(i), n.has(i + 1) ? n.in(i + 1) : n.scalar(0, otherwise));
}

/// What ONNX's operator of a name makes of the node's inputs.
OnnxValues asOnnx(std::string_view name, OnnxNode &n) {
  return findTranslation(Domain::Onnx, name)->translate(n);
}
OnnxValues quantizeLinear(OnnxNode &n) { return asOnnx("QuantizeLinear", n); }
OnnxValues dequantizeLinear(OnnxNode &n) { return asOnnx("DequantizeLinear", n); }

using Binary = Variable (*)(const Operand &, const Operand &);

Variables binary(OnnxNode &n, Binary op) {
  Variables both = broadcastTogether(n, {realOf(n, 0), realOf(n, 3)});
  return {quantizedBy(n, op(n.at(both[0]), both[1]), 6, n.in(0).dtype())};
}
Variables qLinearAdd(OnnxNode &n) { return binary(n, add); }
Variables qLinearMul(OnnxNode &n) { return binary(n, mul); }

Variables qLinearSigmoid(OnnxNode &n) {
  return {quantizedBy(n, sigmoid(n.at(realOf(n, 0))), 3, n.in(0).dtype())};
}

Variables qLinearLeakyRelu(OnnxNode &n) {
  Variable x = realOf(n, 0), slope = n.scalar(n.getFloat("alpha", 0.01), DType::Float32);
  Variable y = where(n.at(lt(n.at(x), n.scalar(0, DType::Float32))), mul(n.at(x), slope), x);
  return {quantizedBy(n, y, 3, n.in(0).dtype())};
}

/// The result's scale and zero point come first, then three inputs for each part.
Variables qLinearConcat(OnnxNode &n) {
  std::vector<Operand> parts;
  for (size_t i = 2; i + 1 < n.numInputs(); i += 3)
    parts.push_back(n.at(realOf(n, i)));
  if (!n.status().ok() || parts.empty())
    return {n.fail(ErrorKind::ValueError, "there is nothing to concatenate")};
  int rank = n.in(2).rank(), axis = n.plainAxis(n.requireInt("axis"), rank);
  return {quantizedBy(n, concatenate(parts, axis), 0, n.in(2).dtype())};
}

Variables qLinearGlobalAveragePool(OnnxNode &n) {
  Variable x = realOf(n, 0);
  bool last = n.getBool("channels_last", false);
  std::vector<int> spatial;
  for (int axis = last ? 1 : 2; axis < x.rank() - last; ++axis)
    spatial.push_back(axis);
  Variable y = mean(n.at(x), ReductionOptions{.axes = Axes(spatial), .keepDims = true});
  return {quantizedBy(n, y, 3, n.in(0).dtype())};
}

/// Input i, or where it is not given: no zero point.
Variable zeroPoint(OnnxNode &n, size_t i) { return n.has(i) ? n.in(i) : n.scalar(0, DType::Int8); }

/// A B times both scales, B's one for each column or for all, plus a bias; quantized if the result
/// has a scale.
Variables qGemm(OnnxNode &n) {
  auto operand = [&](size_t i, std::string_view turned) {
    return n.getBool(turned, false) ? transpose(n.arg(i)) : n.in(i);
  };
  Variable sums =
      matmulInteger(operand(0, "transA"), operand(3, "transB"), zeroPoint(n, 2), zeroPoint(n, 5));
  if (n.has(6)) // quantized by the product of the scales
    sums = add(n.at(sums), n.in(6));
  Variable scale = mul(n.arg(1), n.in(4));
  scale = mul(n.at(scale), n.scalar(n.getFloat("alpha", 1.0), DType::Float32));
  Variable y = mul(n.at(cast(n.at(sums), DType::Float32)), scale);
  return {n.has(7) ? quantizedBy(n, y, 7, n.in(0).dtype()) : y};
}

Variable withBiasOf(OnnxNode &n, const Variable &y, size_t i) {
  return n.has(i) ? add(n.at(y), n.in(i)) : y;
}

/// Inputs: A, B, their scales, their zero points, a bias.
Variables matMulIntegerToFloat(OnnxNode &n) {
  Variable sums = matmulInteger(n.in(0), n.in(1), zeroPoint(n, 4), zeroPoint(n, 5));
  Variable y = mul(n.at(cast(n.at(sums), DType::Float32)), mul(n.arg(2), n.in(3)));
  return {withBiasOf(n, y, 6)};
}

/// A is float, and quantized to uint8 by its own range. Inputs: A, B, B's scale and zero point, a
/// bias.
Variables dynamicQuantizeMatMul(OnnxNode &n) {
  OnnxValues a = asOnnx("DynamicQuantizeLinear", n);
  if (!n.status().ok())
    return {};
  Variable value = a[0].elements()[0], scale = a[1].elements()[0], zero = a[2].elements()[0];
  Variable sums = matmulInteger(value, n.in(1), zero, zeroPoint(n, 3));
  Variable y = mul(n.at(cast(n.at(sums), DType::Float32)), mul(n.at(scale), n.in(2)));
  return {withBiasOf(n, y, 4)};
}

/// The 4-bit numbers of bytes, low half first, along the last axis, which is twice as long.
Variable nibbles(OnnxNode &n, const Variable &bytes) {
  Variable wide = cast(n.at(bytes), DType::Int32);
  Variable low = bitwiseAnd(n.at(wide), n.scalar(15, DType::Int32));
  Variable high = rightShift(n.at(wide), n.scalar(4, DType::Int32));
  Terms shape;
  for (int axis = 0; axis + 1 < bytes.rank(); ++axis)
    shape.push_back(extentTerm(n, bytes, axis));
  shape.push_back(product(n, extentTerm(n, bytes, bytes.rank() - 1), Operand(int64_t(2))));
  return reshape(n.at(stack({n.at(low), n.at(high)}, bytes.rank())), shapeOf(n, shape));
}

/// A times the transpose of a matrix [N, K] of 4 or 8 bits, of which `block_size` numbers of a row
/// share a scale and a zero point. Inputs: A, B [N, blocks, bytes], scales, zero points (packed as
/// B, or floats), group indices, a bias.
Variables matMulNBits(OnnxNode &n) {
  int64_t rows = n.requireInt("N"), columns = n.requireInt("K"), size = n.requireInt("block_size");
  int64_t bits = n.getInt("bits", 4);
  if (n.has(4))
    return {n.unsupported("g_idx")};
  if (n.getInt("weight_prepacked", 0) != 0)
    return {n.unsupported("attribute weight_prepacked")};
  if (n.status().ok() && (bits != 4 && bits != 8))
    return {n.unsupported(std::to_string(bits) + " bits")};
  if (n.status().ok() && (rows < 1 || columns < 1 || size < 1))
    return {n.fail(ErrorKind::ValueError, "N, K and block_size must be positive")};
  Variable a = n.in(0);
  if (!n.status().ok())
    return {};
  int64_t blocks = (columns + size - 1) / size;
  auto unpacked = [&](const Variable &x) {
    return bits == 4 ? nibbles(n, x) : cast(n.at(x), DType::Int32);
  };
  Variable numbers = cast(n.at(reshape(n.at(unpacked(n.in(1))), {rows, blocks, size})), a.dtype());
  Variable zero = n.scalar(bits == 4 ? 8 : 128, a.dtype());
  if (n.has(3)) {
    Variable given = n.in(3);
    // Packed ones begin a byte for each row.
    if (!isFloat(given.dtype()))
      given = unpacked(reshape(n.at(given), {rows, -1}));
    given = cast(n.at(reshape(n.at(given), {rows, -1})), a.dtype());
    zero = expandDims(n.at(subtensor(n.at(given), {Slice(), Slice(kEnd, blocks)})), Axis(2));
  }
  Variable scales = cast(n.at(reshape(n.arg(2), {rows, blocks, 1})), a.dtype());
  Variable real = mul(n.at(sub(n.at(numbers), zero)), scales);
  Variable matrix =
      subtensor(n.at(reshape(n.at(real), {rows, blocks * size})), {Slice(), Slice(kEnd, columns)});
  return {withBiasOf(n, matmul(n.at(a), transpose(n.at(matrix))), 5)};
}

} // namespace

absl::Span<const Translation> quantizedOperatorTranslations() {
  static constexpr Translation kTable[] = {
      {"DequantizeLinear", dequantizeLinear, 1, "as ONNX's"},
      {"DynamicQuantizeMatMul", dynamicQuantizeMatMul},
      {"MatMulIntegerToFloat", matMulIntegerToFloat},
      {"MatMulNBits", matMulNBits, 1, "4 and 8 bits; no g_idx"},
      {"QGemm", qGemm},
      {"QLinearAdd", qLinearAdd},
      {"QLinearConcat", qLinearConcat},
      {"QLinearGlobalAveragePool", qLinearGlobalAveragePool},
      {"QLinearLeakyRelu", qLinearLeakyRelu},
      {"QLinearMul", qLinearMul},
      {"QLinearSigmoid", qLinearSigmoid},
      {"QuantizeLinear", quantizeLinear, 1, "as ONNX's"},
  };
  return kTable;
}

} // namespace graphc
