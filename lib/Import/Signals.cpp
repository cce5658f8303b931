//===- Signals.cpp - window functions and Fourier transforms ------------------------------===//
#include <cmath>
#include <numbers>

#include "Import/PerAxis.h"
#include "Import/Translations.h"
#include "graphc/ControlFlow.h"
#include "graphc/Fourier.h"

namespace graphc {
namespace {

//===--- window functions ---------------------------------------------------------===//

/// Sum of weights[k] * (-1)^k * cos(2 pi k i / N), where N is the size, or the size less one for a
/// symmetric window.
Variables cosineWindow(OnnxNode &n, const std::vector<double> &weights) {
  DType dtype = n.getDType("output_datatype").value_or(DType::Float32);
  Variable size = cast(n.at(scalarOf(n, 0)), DType::Int64);
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

/// Input i, one number, as an int64 scalar.
Variable lengthOf(OnnxNode &n, size_t i) { return cast(n.at(scalarOf(n, i)), DType::Int64); }

/// The numbers whose real and, if there are two, imaginary parts the last axis has. Transforms are
/// computed in float64, as ONNX's reference does: what cancels is zero up to its rounding.
Variable numbersOf(OnnxNode &n, const Variable &given) {
  Variable x = cast(n.at(given), DType::Float64);
  auto part = [&](const Index &index) { return subtensor(n.at(x), {Index(ellipsis), index}); };
  const int last = x.rank() - 1;
  if (x.type().extent(last) != kDynamic)
    return x.type().extent(last) == 2 ? complex(n.at(part(0)), part(1)) : part(0);
  // A call says whether there are imaginary parts; else they are 0.
  Variable count = shape(n.at(x), last), isComplex = eq(n.at(count), 2);
  x = assertTrue(n.at(x), logicalOr(n.at(eq(n.at(count), 1)), isComplex),
                 "the last axis must have one or two numbers, the parts of a complex one");
  Variable imaginary = part(Index(cast(n.at(isComplex), DType::Int64)));
  imaginary = where(n.at(isComplex), imaginary, n.scalar(0, DType::Float64));
  return complex(n.at(part(0)), imaginary);
}

/// Whether the last axis may have the parts of numbers.
bool mayHaveParts(const Variable &x) {
  int64_t extent = x.type().extent(x.rank() - 1);
  return extent == 1 || extent == 2 || extent == kDynamic;
}

/// Both parts along a last axis, of the dtype.
Variable partsOf(OnnxNode &n, const Variable &z, DType dtype) {
  return cast(n.at(stack({n.at(real(n.at(z))), n.at(imag(n.at(z)))}, z.rank())), dtype);
}

/// The first n/2 + 1 along an axis, of n.
Variable firstHalf(OnnxNode &n, const Variable &z, int axis) {
  Variable count = add(n.at(intDiv(n.at(shape(n.at(z), axis)), 2)), 1);
  return fitAxis(n.at(z), count, axis);
}

/// A transform along an axis; of one side, those of real numbers are computed alone.
Variable transformed(OnnxNode &n, const Variable &z, const FourierOptions &options, bool inverse,
                     bool isOneSided) {
  if (isOneSided && !inverse && !isComplex(z.dtype()))
    return rfft(n.at(z), options);
  Variable all = inverse ? ifft(n.at(z), options) : fft(n.at(z), options);
  return isOneSided && all.ok() ? firstHalf(n, all, options.axis) : all;
}

Variables dft(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || x.rank() < 2 || !mayHaveParts(x))
    return {n.fail(ErrorKind::TypeError,
                   "the last axis must have one or two numbers: " + x.type().brief())};
  constexpr std::string_view kAlongParts =
      "the last axis has the parts of numbers; no transform goes along it";
  const int last = x.rank() - 1;
  Variable numbers = numbersOf(n, x);
  auto along = [&](int axis) {
    FourierOptions options{.axis = axis};
    if (n.has(1))
      options.n.emplace(lengthOf(n, 1));
    return partsOf(
        n,
        transformed(n, numbers, options, n.getBool("inverse", false), n.getBool("onesided", false)),
        x.dtype());
  };
  if (n.opset() >= 20 && n.isComputed(2)) {
    Variable axis = countedFromFront(n, scalarOf(n, 2), x.rank());
    numbers = assertTrue(n.at(numbers), lt(n.at(axis), int64_t(last)), kAlongParts);
    return {chosenAlong(n, 2, x.rank(), [&](int k) { return along(std::min(k, last - 1)); })};
  }
  int64_t given = n.opset() < 20 ? n.getInt("axis", 1) : n.has(2) ? n.constantInt(2) : -2;
  int axis = n.plainAxis(given, x.rank());
  if (n.status().ok() && axis == last)
    return {n.fail(ErrorKind::ValueError, kAlongParts)};
  return {n.status().ok() ? along(axis) : Variable()};
}

/// Transforms of frames of the signal, each `step` elements behind the one before.
Variables stft(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok() || x.rank() < 2 || x.rank() > 3 || (x.rank() == 3 && !mayHaveParts(x)))
    return {n.fail(ErrorKind::TypeError,
                   "the signal must be (batch, length), with a last axis of one or two numbers: " +
                       x.type().brief())};
  if (!n.has(2) && !n.has(3))
    return {n.fail(ErrorKind::ValueError, "neither window nor frame_length is given")};
  Variable signal = x.rank() == 3 ? numbersOf(n, x) : cast(n.at(x), DType::Float64);
  Variable step = lengthOf(n, 1);
  Variable length = n.has(3) ? lengthOf(n, 3) : shape(n.arg(2), 0);
  Variable frames = add(n.at(intDiv(n.at(sub(n.at(shape(n.at(signal), 1)), length)), step)), 1);
  Variable starts = mul(n.at(arange(n.at(frames))), step);
  Variable at = add(n.at(expandDims(n.at(starts), Axis(1))), arange(n.at(length)));
  Variable parts = take(n.at(signal), at, {.axis = 1}); // (batch, frames, length)
  if (n.has(2))
    parts = mul(n.at(parts), cast(n.at(fitAxis(n.arg(2), length)), DType::Float64));
  Variable z = transformed(n, parts, {.axis = 2}, false, n.getBool("onesided", true));
  return {partsOf(n, z, x.dtype())};
}

/// Triangles over the bins of a transform, between edges that are as far apart on the mel scale.
Variables melWeightMatrix(OnnxNode &n) {
  DType dtype = n.getDType("output_datatype").value_or(DType::Float32);
  auto number = [&](size_t i) { return cast(n.at(scalarOf(n, i)), DType::Float64); };
  auto mel = [&](const Variable &hertz) {
    return mul(n.at(log10(n.at(add(n.at(trueDiv(n.at(hertz), 700.0)), 1.0)))), 2595.0);
  };
  Variable bands = lengthOf(n, 0), size = lengthOf(n, 1), rate = number(2);
  Variable low = mel(number(3)), high = mel(number(4));
  Variable count = add(n.at(bands), 2);
  Variable width = trueDiv(n.at(sub(n.at(high), low)), cast(n.at(count), DType::Float64));
  Variable edges =
      add(n.at(mul(n.at(cast(n.at(arange(n.at(count))), DType::Float64)), width)), low);
  Variable hertz = mul(
      n.at(sub(n.at(pow(n.at(n.scalar(10, DType::Float64)), trueDiv(n.at(edges), 2595.0))), 1.0)),
      700.0);
  Variable bins = floor(
      n.at(trueDiv(n.at(mul(n.at(hertz), cast(n.at(add(n.at(size), 1)), DType::Float64))), rate)));
  // (bins of the transform, bands)
  auto edge = [&](int64_t first) {
    Variable part = subtensor(n.at(bins), {Index(Slice(first, n.at(add(n.at(bands), first))))});
    return expandDims(n.at(part), Axis(0));
  };
  Variable lower = edge(0), center = edge(1), upper = edge(2);
  Variable j = cast(n.at(arange(n.at(add(n.at(intDiv(n.at(size), 2)), 1)))), DType::Float64);
  j = expandDims(n.at(j), Axis(1));
  Variable rise = sub(n.at(center), lower), fall = sub(n.at(upper), center);
  // An edge that is its neighbour: its bin alone.
  Variable rising = where(n.at(eq(n.at(rise), 0.0)), eq(n.at(j), center),
                          trueDiv(n.at(sub(n.at(j), lower)), rise));
  Variable isRising = logicalAnd(n.at(ge(n.at(j), lower)), le(n.at(j), center));
  Variable isFalling = logicalAnd(n.at(ge(n.at(j), center)), lt(n.at(j), upper));
  Variable falling = trueDiv(n.at(sub(n.at(upper), j)), where(n.at(isFalling), fall, 1.0));
  return {cast(n.at(where(n.at(isFalling), falling, where(n.at(isRising), rising, 0.0))), dtype)};
}

} // namespace

absl::Span<const Translation> signalTranslations() {
  static constexpr Translation kTable[] = {
      {"BlackmanWindow", blackmanWindow, 17},   {"DFT", dft, 17},
      {"HammingWindow", hammingWindow, 17},     {"HannWindow", hannWindow, 17},
      {"MelWeightMatrix", melWeightMatrix, 17}, {"STFT", stft, 17},
  };
  return kTable;
}

} // namespace graphc
