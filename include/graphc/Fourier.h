//===- graphc/Fourier.h - discrete Fourier transforms -----------*- C++ -*-===//
//
// NumPy's conventions: forward transforms have exp(-2 pi i j k / n). Any length is transformed in
// O(n log n), primes too. float32 and complex64 are transformed in their own precision, halves and
// integers as F-009 says. All are linear, and have gradients.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <vector>

#include "graphc/Variable.h"

namespace graphc {

/// Where the factor 1/n stands: with the inverse transform, with none (1/sqrt(n) with both), or
/// with the forward one.
enum class FourierNorm { Backward, Ortho, Forward };

struct FourierOptions {
  /// How many elements are transformed: x is cut, or gets zeros at its end. Of inverse real
  /// transforms the length of the result. None: as many as there are; of inverse real transforms
  /// 2 (m - 1), where m is the extent of the operand.
  std::optional<Operand> n = std::nullopt;
  int axis = -1;
  FourierNorm norm = FourierNorm::Backward;
};

/// Complex, of a real or complex x. ValueError of a call whose length is 0.
Variable fft(const Operand &x, const FourierOptions &options = {});
Variable ifft(const Operand &x, const FourierOptions &options = {});
/// The first n/2 + 1 numbers of the transform of a real x; the others are their conjugates.
Variable rfft(const Operand &x, const FourierOptions &options = {});
/// The real x that has this half of a transform. Imaginary parts of the first number, and of the
/// last where n is even, are not looked at.
Variable irfft(const Operand &x, const FourierOptions &options = {});

struct FourierAxesOptions {
  /// As many lengths as axes; none: as they are.
  std::vector<Operand> lengths = {};
  /// None: all, or the last ones if there are lengths.
  std::vector<int> axes = {};
  FourierNorm norm = FourierNorm::Backward;
};
/// Along several axes, the last one first. An axis that is there twice is transformed twice.
Variable fftn(const Operand &x, const FourierAxesOptions &options = {});
Variable ifftn(const Operand &x, const FourierAxesOptions &options = {});
/// Real along the last axis.
Variable rfftn(const Operand &x, const FourierAxesOptions &options = {});
Variable irfftn(const Operand &x, const FourierAxesOptions &options = {});

/// The frequencies of a transform's numbers: [0, 1, ..., -2, -1] / (n spacing); of rfft the first
/// n/2 + 1, none negative. floatX.
Variable fftfreq(const Operand &n, const Operand &spacing = 1.0);
Variable rfftfreq(const Operand &n, const Operand &spacing = 1.0);
/// Frequency 0 to the middle of these axes (none: all), and back.
Variable fftshift(const Operand &x, std::vector<int> axes = {});
Variable ifftshift(const Operand &x, std::vector<int> axes = {});

/// x along `axis` cut to n elements, or with zeros at its end. The gradient is cut or padded.
Variable fitAxis(const Operand &x, const Operand &n, int axis = -1);

} // namespace graphc
