//===- Routines/FourierPlan.h - transforms of lines ------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace graphc {

/// Fourier transforms of n elements in precision T, without a factor: Stockham's, by factors of n,
/// and Bluestein's where one of them is great. Immutable.
template <class T> class FourierPlan {
public:
  /// The plan of n >= 1; plans that were asked for lately are kept.
  static std::shared_ptr<const FourierPlan> of(int64_t n);
  explicit FourierPlan(int64_t n);

  /// Transforms `lanes` lines side by side, each apart from the others: element k of line l is at
  /// k * lanes + l. `work` has workSize(lanes) elements.
  void forward(int64_t lanes, T *re, T *im, T *work) const;
  void inverse(int64_t lanes, T *re, T *im, T *work) const { forward(lanes, im, re, work); }
  int64_t workSize(int64_t lanes) const;

private:
  /// Of n = radix * m elements: transforms of `radix` of them, m times. Factors w[p * (radix - 1) +
  /// j - 1] = root(p j, n), and roots of order `radix`.
  struct Stage {
    int64_t radix, m;
    std::vector<T> wRe, wIm, rootRe, rootIm;
  };
  void planBluestein();
  void bluestein(int64_t lanes, T *re, T *im, T *work) const;
  void stage(const Stage &s, int64_t stride, const T *xRe, const T *xIm, T *yRe, T *yIm) const;

  int64_t n_;
  std::vector<Stage> stages_;
  /// Bluestein's: the chirp root(k * k, 2 n), the transform of its conjugate, divided by the length
  /// of that, and the plan for it.
  std::vector<T> chirpRe_, chirpIm_, kernelRe_, kernelIm_;
  std::unique_ptr<const FourierPlan> inner_;
};

/// exp(-2 pi i k / n), 0 <= k < n: right to half a unit, and exact where a part is 0 or 1.
struct FourierRoot {
  double re, im;
};
FourierRoot fourierRoot(int64_t k, int64_t n);

} // namespace graphc
