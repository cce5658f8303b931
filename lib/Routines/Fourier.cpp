//===- Fourier.cpp - Fourier transforms along an axis ---------------------===//
#include <algorithm>
#include <vector>

#include "Routines/FourierPlan.h"
#include "Routines/Routines.h"
#include "Runtime/ThreadPool.h"

namespace graphc {
namespace {

/// An array (outer, extent, inner) as lines along its middle axis.
template <class T> struct Lines {
  T *data;
  int64_t extent, inner;
  T *line(int64_t l) const { return data + l / inner * extent * inner + l % inner; }
};
template <class T> Lines<const T> linesOf(const Tensor &t) {
  return {static_cast<const T *>(t.data()), t.shape()[1], t.shape()[2]};
}
template <class T> Lines<T> linesOf(Tensor &t) {
  return {static_cast<T *>(t.data()), t.shape()[1], t.shape()[2]};
}

/// Some lines in a scratch where element k of line l is at k * lanes + l.
template <class T> struct Block {
  int64_t first, lanes;
  T *re, *im, *work;
};

template <class T, class F> void gather(const Block<T> &b, Lines<const T> x, T *to, F &&place) {
  for (int64_t l = 0; l < b.lanes; ++l) {
    const T *line = x.line(b.first + l);
    for (int64_t k = 0; k < x.extent; ++k)
      *place(to, k, l) = line[k * x.inner];
  }
}

/// Calls `run(block)` for all lines, in blocks that do not depend on the threads.
template <class T, class F>
void forBlocks(const RoutineCall &call, const FourierPlan<T> &plan, int64_t n, int64_t count,
               F &&run) {
  constexpr int64_t kElements = int64_t(1) << 12, kMostLanes = 16; // in a first cache
  const int64_t lanes = std::clamp<int64_t>(kElements / n, 1, kMostLanes);
  const int64_t blocks = (count + lanes - 1) / lanes;
  const int64_t grain = std::max<int64_t>(1, (int64_t(1) << 13) / (n * lanes));
  ThreadPool::shared().parallelFor(
      0, blocks, grain, call.threads, [&](int64_t begin, int64_t end, int) {
        std::vector<T> scratch(size_t(2 * n * lanes + plan.workSize(lanes)));
        T *re = scratch.data(), *im = re + n * lanes, *work = im + n * lanes;
        for (int64_t b = begin; b < end; ++b)
          run(Block<T>{b * lanes, std::min(lanes, count - b * lanes), re, im, work});
      });
}

int64_t numLines(const Tensor &t) { return t.shape()[0] * t.shape()[2]; }

template <class T> void complexTransform(const RoutineCall &call) {
  const bool isInverse = call.parameters[0];
  const Lines<const T> re = linesOf<T>(call.inputs[0]), im = linesOf<T>(call.inputs[1]);
  const Lines<T> outRe = linesOf<T>(call.outputs[0]), outIm = linesOf<T>(call.outputs[1]);
  const int64_t n = re.extent;
  auto plan = FourierPlan<T>::of(n);
  forBlocks<T>(call, *plan, n, numLines(call.inputs[0]), [&](const Block<T> &b) {
    auto place = [&](T *to, int64_t k, int64_t l) { return to + k * b.lanes + l; };
    gather(b, re, b.re, place);
    gather(b, im, b.im, place);
    isInverse ? plan->inverse(b.lanes, b.re, b.im, b.work)
              : plan->forward(b.lanes, b.re, b.im, b.work);
    for (int64_t l = 0; l < b.lanes; ++l) {
      T *toRe = outRe.line(b.first + l), *toIm = outIm.line(b.first + l);
      for (int64_t k = 0; k < n; ++k) {
        toRe[k * re.inner] = b.re[k * b.lanes + l];
        toIm[k * re.inner] = b.im[k * b.lanes + l];
      }
    }
  });
}

// A real line of even length n is one of n/2 complex elements: those at even positions are the real
// parts, those at odd ones the imaginary parts. With z of that line and h = n/2, where z[h] = z[0]:
//   x[k] = (z[k] + conj z[h - k]) / 2 - i root(k, n) (z[k] - conj z[h - k]) / 2,  0 <= k <= h.
// A line of odd length is transformed as a complex one.

template <class T> void realTransform(const RoutineCall &call) {
  const Lines<const T> x = linesOf<T>(call.inputs[0]);
  const Lines<T> outRe = linesOf<T>(call.outputs[0]), outIm = linesOf<T>(call.outputs[1]);
  const int64_t n = x.extent, half = n / 2;
  const bool isEven = n % 2 == 0;
  const int64_t length = isEven ? half : n;
  auto plan = FourierPlan<T>::of(length);
  std::vector<FourierRoot> roots;
  for (int64_t k = 0; isEven && k <= half; ++k)
    roots.push_back(fourierRoot(k, n));
  forBlocks<T>(call, *plan, length, numLines(call.inputs[0]), [&](const Block<T> &b) {
    if (!isEven)
      std::fill_n(b.im, n * b.lanes, T(0));
    gather(b, x, b.re, [&](T *, int64_t k, int64_t l) {
      if (!isEven)
        return b.re + k * b.lanes + l;
      return (k % 2 ? b.im : b.re) + k / 2 * b.lanes + l;
    });
    plan->forward(b.lanes, b.re, b.im, b.work);
    for (int64_t l = 0; l < b.lanes; ++l) {
      T *toRe = outRe.line(b.first + l), *toIm = outIm.line(b.first + l);
      for (int64_t k = 0; k <= half; ++k) {
        T re, im;
        int64_t at = k * b.lanes + l;
        if (!isEven) {
          re = b.re[at];
          im = b.im[at];
        } else {
          at = k % half * b.lanes + l;
          int64_t other = (half - k) % half * b.lanes + l;
          T sumRe = (b.re[at] + b.re[other]) / 2, sumIm = (b.im[at] - b.im[other]) / 2;
          T restRe = (b.re[at] - b.re[other]) / 2, restIm = (b.im[at] + b.im[other]) / 2;
          T wRe = T(roots[size_t(k)].re), wIm = T(roots[size_t(k)].im);
          re = sumRe + (wRe * restIm + wIm * restRe);
          im = sumIm - (wRe * restRe - wIm * restIm);
        }
        toRe[k * outRe.inner] = re;
        toIm[k * outRe.inner] = k == 0 || 2 * k == n ? T(0) : im;
      }
    }
  });
}

template <class T> void realInverse(const RoutineCall &call) {
  const Lines<const T> xRe = linesOf<T>(call.inputs[0]), xIm = linesOf<T>(call.inputs[1]);
  const Lines<T> out = linesOf<T>(call.outputs[0]);
  const int64_t n = out.extent, half = n / 2;
  const bool isEven = n % 2 == 0;
  const int64_t length = isEven ? half : n;
  auto plan = FourierPlan<T>::of(length);
  std::vector<FourierRoot> roots;
  for (int64_t k = 0; isEven && k < half; ++k)
    roots.push_back(fourierRoot(k, n));
  forBlocks<T>(call, *plan, length, numLines(call.outputs[0]), [&](const Block<T> &b) {
    for (int64_t l = 0; l < b.lanes; ++l) {
      const T *re = xRe.line(b.first + l), *im = xIm.line(b.first + l);
      auto imaginary = [&](int64_t k) { return k == 0 || 2 * k == n ? T(0) : im[k * xIm.inner]; };
      for (int64_t k = 0; k < length; ++k) {
        T *toRe = b.re + k * b.lanes + l, *toIm = b.im + k * b.lanes + l;
        if (!isEven) { // the other half is the conjugate
          int64_t at = k <= half ? k : n - k;
          *toRe = re[at * xRe.inner];
          *toIm = k <= half ? imaginary(at) : -imaginary(at);
          continue;
        }
        T aRe = re[k * xRe.inner], aIm = imaginary(k);
        T cRe = re[(half - k) * xRe.inner], cIm = imaginary(half - k);
        T restRe = aRe - cRe, restIm = aIm + cIm;
        T wRe = T(roots[size_t(k)].re), wIm = -T(roots[size_t(k)].im);
        *toRe = (aRe + cRe) - (wRe * restIm + wIm * restRe);
        *toIm = (aIm - cIm) + (wRe * restRe - wIm * restIm);
      }
    }
    plan->inverse(b.lanes, b.re, b.im, b.work);
    for (int64_t l = 0; l < b.lanes; ++l) {
      T *line = out.line(b.first + l);
      for (int64_t k = 0; k < n; ++k)
        line[k * out.inner] =
            !isEven ? b.re[k * b.lanes + l] : (k % 2 ? b.im : b.re)[k / 2 * b.lanes + l];
    }
  });
}

/// The transform for float32 or for float64.
template <void (*single)(const RoutineCall &), void (*twice)(const RoutineCall &)>
absl::Status byPrecision(const RoutineCall &call) {
  if (call.outputs[0].numElements() == 0)
    return absl::OkStatus();
  call.outputs[0].dtype() == DType::Float32 ? single(call) : twice(call);
  return absl::OkStatus();
}

} // namespace

const Routine kComplexFourier = {"complexFourier",
                                 byPrecision<complexTransform<float>, complexTransform<double>>};
const Routine kRealFourier = {"realFourier",
                              byPrecision<realTransform<float>, realTransform<double>>};
const Routine kRealInverseFourier = {"realInverseFourier",
                                     byPrecision<realInverse<float>, realInverse<double>>};

} // namespace graphc
