//===- Signals.cpp - window functions and DFT ------------------------------===//
#include <cmath>
#include <numbers>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

//===--- window functions ---------------------------------------------------------===//

/// Sum of weights[k] * (-1)^k * cos(2 pi k i / N), where N is the size, or the size less one for a
/// symmetric window.
Variables cosineWindow(OnnxNode &n, const std::vector<double> &weights) {
  DType dtype = n.getDType("output_datatype").value_or(DType::Float32);
  Variable size = cast(n.at(reshape(n.arg(0), ShapeList(Ints()))), DType::Int64);
  Variable length = cast(n.at(size), DType::Float64);
  if (!n.getBool("periodic", true))
    length = sub(n.at(length), n.scalar(1, DType::Float64));
  Variable i = cast(n.at(positionsAlong(n, n.at(size), 0, 1)), DType::Float64);
  Variable angle =
      mul(n.at(trueDiv(n.at(i), length)), n.scalar(2 * std::numbers::pi, DType::Float64));
  Variable result = n.scalar(weights[0], DType::Float64);
  for (size_t k = 1; k < weights.size(); ++k) {
    Variable wave = cos(n.at(mul(n.at(angle), n.scalar(double(k), DType::Float64))));
    double weight = k % 2 ? -weights[k] : weights[k];
    result = add(n.at(mul(n.at(wave), n.scalar(weight, DType::Float64))), result);
  }
  return {cast(n.at(result), dtype)};
}

Variables hannWindow(OnnxNode &n) { return cosineWindow(n, {0.5, 0.5}); }
/// ONNX's text gives these fractions.
Variables hammingWindow(OnnxNode &n) { return cosineWindow(n, {25.0 / 46.0, 21.0 / 46.0}); }
Variables blackmanWindow(OnnxNode &n) { return cosineWindow(n, {0.42, 0.5, 0.08}); }

//===--- discrete Fourier transform -------------------------------------------------===//

/// X[k] = sum over t of x[t] e^(-2 pi i t k / N) as two products of matrices; the last axis has the
/// real and, if its extent is 2, the imaginary part.
Variables dft(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || x.rank() < 2 || x.type().extent(x.rank() - 1) > 2)
    return {n.fail(ErrorKind::TypeError,
                   "the last axis must have one or two numbers: " + x.type().brief())};
  int64_t axis = n.opset() < 20 ? n.getInt("axis", 1) : n.has(2) ? n.constantInt(2) : -2;
  int along = n.plainAxis(axis, x.rank());
  if (!n.status().ok() || along == x.rank() - 1 || n.has(1) || n.getBool("onesided", false))
    return {n.unsupported("dft_length, onesided, or the last axis")};
  bool inverse = n.getBool("inverse", false);
  Operand extent = extentTerm(n, x, along);
  // [N, N]; t * k is reduced first, so that the angle is exact to the last bits.
  Variable t = positionsAlong(n, extent, 0, 2), k = positionsAlong(n, extent, 1, 2);
  Variable turns = cast(n.at(mod(n.at(mul(n.at(t), k)), extent)), DType::Float64);
  Variable count = cast(
      extent.isWeak() ? n.at(n.scalar(extent.weakValue().item<double>(), DType::Int64)) : extent,
      DType::Float64);
  Variable angle =
      mul(n.at(trueDiv(n.at(turns), count)), n.scalar(2 * std::numbers::pi, DType::Float64));
  Variable cosine = cast(n.at(cos(n.at(angle))), x.dtype());
  Variable sine = cast(n.at(sin(n.at(angle))), x.dtype());
  if (inverse)
    sine = neg(n.at(sine));
  // Parts with the axis last, then back.
  int last = x.rank() - 2;
  auto part = [&](int64_t index) {
    std::vector<Index> at = {Index(ellipsis), Index(index)};
    return moveaxis(n.at(subtensor(n.at(x), at)), {along}, {last});
  };
  Variable real = part(0);
  Variable outReal = matmul(n.at(real), cosine), outImaginary = neg(n.at(matmul(n.at(real), sine)));
  if (x.type().extent(x.rank() - 1) == 2) {
    Variable imaginary = part(1);
    outReal = add(n.at(outReal), matmul(n.at(imaginary), sine));
    outImaginary = add(n.at(outImaginary), matmul(n.at(imaginary), cosine));
  }
  Variable result = stack({n.at(moveaxis(n.at(outReal), {last}, {along})),
                           n.at(moveaxis(n.at(outImaginary), {last}, {along}))},
                          x.rank() - 1);
  return {inverse ? trueDiv(n.at(result), cast(n.at(count), x.dtype())) : result};
}

} // namespace

absl::Span<const Translation> signalTranslations() {
  static constexpr Translation kTable[] = {
      {"BlackmanWindow", blackmanWindow, 17},
      {"DFT", dft, 17, "no dft_length, not onesided; time quadratic in the axis' extent"},
      {"HammingWindow", hammingWindow, 17},
      {"HannWindow", hannWindow, 17},
  };
  return kTable;
}

} // namespace graphc
