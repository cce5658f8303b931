//===- FourierPlan.cpp ----------------------------------------------------===//
#include "Routines/FourierPlan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>
#include <utility>

#include "Support/Fork.h"

namespace graphc {

FourierRoot fourierRoot(int64_t k, int64_t n) {
  // The angle in eighths of a turn, as k = eighth * n / 8 + rest: what is left for sin and cos is
  // below pi / 4. 8 k does not overflow: arrays are shorter than 2^60.
  int64_t eighth = 8 * k / n;
  double angle = double(8 * k - eighth * n) / double(n) * (std::numbers::pi / 4);
  if (eighth & 1) // from the other end
    angle = double((eighth + 1) * n - 8 * k) / double(n) * (std::numbers::pi / 4);
  double c = std::cos(angle), s = std::sin(angle);
  switch (eighth) {
  case 0:
    return {c, -s};
  case 1:
    return {s, -c};
  case 2:
    return {-s, -c};
  case 3:
    return {-c, -s};
  case 4:
    return {-c, s};
  case 5:
    return {-s, c};
  case 6:
    return {s, c};
  default:
    return {c, s};
  }
}

namespace {

/// Factors up to this one are transformed by their definition.
constexpr int64_t kMaxRadix = 31;

template <class T> struct Complex {
  T re, im;
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator*(T a, Complex b) { return {a * b.re, a * b.im}; }
  /// Times -i.
  Complex turned() const { return {im, -re}; }
};

/// The transform of R elements in place.
template <int R, class T> void butterfly(Complex<T> (&a)[R]) {
  if constexpr (R == 2) {
    a[1] = std::exchange(a[0], a[0] + a[1]) - a[1];
  } else if constexpr (R == 3) {
    constexpr T kSin = T(0.866025403784438646763723170752936183);
    Complex<T> sum = a[1] + a[2], turn = kSin * (a[1] - a[2]).turned();
    Complex<T> middle = a[0] - T(0.5) * sum;
    a[0] = a[0] + sum;
    a[1] = middle + turn;
    a[2] = middle - turn;
  } else if constexpr (R == 4) {
    Complex<T> even = a[0] + a[2], odd = a[0] - a[2];
    Complex<T> sum = a[1] + a[3], turn = (a[1] - a[3]).turned();
    a[0] = even + sum;
    a[1] = odd + turn;
    a[2] = even - sum;
    a[3] = odd - turn;
  } else {
    static_assert(R == 5);
    constexpr T kCos1 = T(0.309016994374947424102293417182819059);
    constexpr T kCos2 = T(-0.809016994374947424102293417182819059);
    constexpr T kSin1 = T(0.951056516295153572116439333379382143);
    constexpr T kSin2 = T(0.587785252292473129168705954639072769);
    Complex<T> s1 = a[1] + a[4], s2 = a[2] + a[3], d1 = a[1] - a[4], d2 = a[2] - a[3];
    Complex<T> m1 = a[0] + kCos1 * s1 + kCos2 * s2, m2 = a[0] + kCos2 * s1 + kCos1 * s2;
    Complex<T> t1 = (kSin1 * d1 + kSin2 * d2).turned(), t2 = (kSin2 * d1 - kSin1 * d2).turned();
    a[0] = a[0] + s1 + s2;
    a[1] = m1 + t1;
    a[2] = m2 + t2;
    a[3] = m2 - t2;
    a[4] = m1 - t1;
  }
}

/// The innermost loop goes over `stride` neighbours, which have one factor: vectors.
template <int R, class T>
void stageOf(int64_t m, int64_t stride, const T *wRe, const T *wIm, const T *__restrict xRe,
             const T *__restrict xIm, T *__restrict yRe, T *__restrict yIm) {
  for (int64_t p = 0; p < m; ++p) {
    Complex<T> w[R];
    for (int j = 1; j < R; ++j)
      w[j] = {wRe[p * (R - 1) + j - 1], wIm[p * (R - 1) + j - 1]};
    const int64_t from = stride * p, to = stride * p * R;
    for (int64_t q = 0; q < stride; ++q) {
      Complex<T> a[R];
      for (int k = 0; k < R; ++k)
        a[k] = {xRe[from + q + stride * m * k], xIm[from + q + stride * m * k]};
      butterfly<R, T>(a);
      for (int j = 0; j < R; ++j) {
        Complex<T> y = j ? w[j] * a[j] : a[j];
        yRe[to + q + stride * j] = y.re;
        yIm[to + q + stride * j] = y.im;
      }
    }
  }
}

std::vector<int64_t> factorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (int64_t radix : {4, 2, 3, 5})
    for (; n % radix == 0; n /= radix)
      factors.push_back(radix);
  for (int64_t radix = 7; n > 1; radix += 2) {
    if (radix * radix > n)
      radix = n;
    for (; n % radix == 0; n /= radix)
      factors.push_back(radix);
  }
  return factors;
}

} // namespace

template <class T> FourierPlan<T>::FourierPlan(int64_t n) : n_(n) {
  std::vector<int64_t> factors = factorsOf(n);
  if (!factors.empty() && *std::ranges::max_element(factors) > kMaxRadix) {
    planBluestein();
    return;
  }
  for (int64_t length = n; int64_t radix : factors) {
    Stage &s = stages_.emplace_back(Stage{radix, length / radix, {}, {}, {}, {}});
    for (int64_t p = 0; p < s.m; ++p)
      for (int64_t j = 1; j < radix; ++j) {
        FourierRoot w = fourierRoot(p * j, length);
        s.wRe.push_back(T(w.re));
        s.wIm.push_back(T(w.im));
      }
    for (int64_t k = 0; radix > 5 && k < radix; ++k) {
      s.rootRe.push_back(T(fourierRoot(k, radix).re));
      s.rootIm.push_back(T(fourierRoot(k, radix).im));
    }
    length = s.m;
  }
}

template <class T>
void FourierPlan<T>::stage(const Stage &s, int64_t stride, const T *xRe, const T *xIm, T *yRe,
                           T *yIm) const {
  const T *wRe = s.wRe.data(), *wIm = s.wIm.data();
  switch (s.radix) {
  case 2:
    return stageOf<2>(s.m, stride, wRe, wIm, xRe, xIm, yRe, yIm);
  case 3:
    return stageOf<3>(s.m, stride, wRe, wIm, xRe, xIm, yRe, yIm);
  case 4:
    return stageOf<4>(s.m, stride, wRe, wIm, xRe, xIm, yRe, yIm);
  case 5:
    return stageOf<5>(s.m, stride, wRe, wIm, xRe, xIm, yRe, yIm);
  default:
    break;
  }
  const int64_t r = s.radix;
  for (int64_t p = 0; p < s.m; ++p)
    for (int64_t j = 0; j < r; ++j) {
      T *outRe = yRe + stride * (r * p + j), *outIm = yIm + stride * (r * p + j);
      Complex<T> w = {1, 0};
      if (j)
        w = {wRe[p * (r - 1) + j - 1], wIm[p * (r - 1) + j - 1]};
      for (int64_t k = 0; k < r; ++k) {
        Complex<T> c = w * Complex<T>{s.rootRe[size_t(j * k % r)], s.rootIm[size_t(j * k % r)]};
        const T *inRe = xRe + stride * (p + s.m * k), *inIm = xIm + stride * (p + s.m * k);
        for (int64_t q = 0; q < stride; ++q) {
          Complex<T> term = c * Complex<T>{inRe[q], inIm[q]};
          outRe[q] = k ? outRe[q] + term.re : term.re;
          outIm[q] = k ? outIm[q] + term.im : term.im;
        }
      }
    }
}

//===--- Bluestein --------------------------------------------------------===//

// j k = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution, whose length may be any that
// is great enough: a power of two.

template <class T> void FourierPlan<T>::planBluestein() {
  int64_t m = 1;
  while (m < 2 * n_ - 1)
    m *= 2;
  inner_ = std::make_unique<const FourierPlan>(m);
  kernelRe_.assign(size_t(m), T(0));
  kernelIm_.assign(size_t(m), T(0));
  int64_t square = 0; // k^2 mod 2 n
  for (int64_t k = 0; k < n_; ++k) {
    FourierRoot w = fourierRoot(square, 2 * n_);
    chirpRe_.push_back(T(w.re));
    chirpIm_.push_back(T(w.im));
    for (int64_t at : {k, (m - k) % m}) {
      kernelRe_[size_t(at)] = T(w.re / double(m));
      kernelIm_[size_t(at)] = T(-w.im / double(m));
    }
    square = (square + 2 * k + 1) % (2 * n_);
  }
  std::vector<T> work(size_t(inner_->workSize(1)));
  inner_->forward(1, kernelRe_.data(), kernelIm_.data(), work.data());
}

template <class T> void FourierPlan<T>::bluestein(int64_t lanes, T *re, T *im, T *work) const {
  const int64_t m = inner_->n_;
  T *aRe = work, *aIm = work + m * lanes, *rest = work + 2 * m * lanes;
  auto times = [&](int64_t count, const T *fRe, const T *fIm, const T *xRe, const T *xIm, T *yRe,
                   T *yIm) {
    for (int64_t k = 0; k < count; ++k)
      for (int64_t l = k * lanes; l < (k + 1) * lanes; ++l) {
        Complex<T> y = Complex<T>{fRe[k], fIm[k]} * Complex<T>{xRe[l], xIm[l]};
        yRe[l] = y.re;
        yIm[l] = y.im;
      }
  };
  times(n_, chirpRe_.data(), chirpIm_.data(), re, im, aRe, aIm);
  std::fill(aRe + n_ * lanes, aRe + m * lanes, T(0));
  std::fill(aIm + n_ * lanes, aIm + m * lanes, T(0));
  inner_->forward(lanes, aRe, aIm, rest);
  times(m, kernelRe_.data(), kernelIm_.data(), aRe, aIm, aRe, aIm);
  inner_->inverse(lanes, aRe, aIm, rest);
  times(n_, chirpRe_.data(), chirpIm_.data(), aRe, aIm, re, im);
}

//===--- running ----------------------------------------------------------===//

template <class T> int64_t FourierPlan<T>::workSize(int64_t lanes) const {
  return inner_ ? 2 * inner_->n_ * lanes + inner_->workSize(lanes) : 2 * n_ * lanes;
}

template <class T> void FourierPlan<T>::forward(int64_t lanes, T *re, T *im, T *work) const {
  if (inner_)
    return bluestein(lanes, re, im, work);
  T *xRe = re, *xIm = im, *yRe = work, *yIm = work + n_ * lanes;
  int64_t stride = lanes;
  for (const Stage &s : stages_) {
    stage(s, stride, xRe, xIm, yRe, yIm);
    std::swap(xRe, yRe);
    std::swap(xIm, yIm);
    stride *= s.radix;
  }
  if (xRe == re)
    return;
  std::copy_n(xRe, n_ * lanes, re);
  std::copy_n(xIm, n_ * lanes, im);
}

template <class T> std::shared_ptr<const FourierPlan<T>> FourierPlan<T>::of(int64_t n) {
  constexpr size_t kKept = 16;
  static auto &mutex = *new ShortMutex;
  static auto &kept = *new std::list<std::shared_ptr<const FourierPlan>>; // the last used in front
  {
    std::lock_guard lock(mutex);
    for (auto at = kept.begin(); at != kept.end(); ++at)
      if ((*at)->n_ == n) {
        kept.splice(kept.begin(), kept, at);
        return kept.front();
      }
  }
  auto made = std::make_shared<const FourierPlan>(n);
  std::lock_guard lock(mutex);
  kept.push_front(made);
  if (kept.size() > kKept)
    kept.pop_back();
  return made;
}

template class FourierPlan<float>;
template class FourierPlan<double>;

} // namespace graphc
