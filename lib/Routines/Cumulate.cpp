//===- Cumulate.cpp - running sums, products and linear recurrences ----------===//
#include <algorithm>
#include <type_traits>

#include "Routines/Routines.h"
#include "Runtime/Element.h"
#include "Runtime/ThreadPool.h"

namespace graphc {
namespace {

/// In which elements of T are joined: float64, or unsigned, which wraps.
template <class T, bool = std::is_integral_v<T> && !std::is_same_v<T, bool>> struct JoinedIn {
  using Type = double;
};
template <class T> struct JoinedIn<T, true> {
  using Type = uint64_t;
};
template <> struct JoinedIn<bool, false> {
  using Type = uint64_t;
};

template <class T> auto widened(Stored<T> value) {
  return typename JoinedIn<T>::Type(loadElement<T>(value));
}
template <class T> Stored<T> narrowed(typename JoinedIn<T>::Type value) {
  if constexpr (std::is_same_v<typename JoinedIn<T>::Type, double>)
    return castElement<T, double>(value);
  else if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return T(value);
}

/// Lines that are joined side by side: neighbours along the inner axis.
constexpr int64_t kLines = 256;
/// Elements that are worth a thread's while.
constexpr int64_t kGrain = int64_t(1) << 14;

/// Calls `line(first, count, step)` for groups of lines: `first` is the offset of the first element
/// in the direction of the recurrence, `step` the distance of the next; `count` lines lie side by
/// side.
template <class F>
void forLines(const RoutineCall &call, const Tensor &x, bool isReverse, F &&line) {
  int64_t outer = x.shape()[0], n = x.shape()[1], inner = x.shape()[2];
  if (x.numElements() == 0)
    return;
  int64_t groups = (inner + kLines - 1) / kLines;
  int64_t grain = std::max<int64_t>(1, kGrain / (n * std::min(inner, kLines)));
  ThreadPool::shared().parallelFor(
      0, outer * groups, grain, call.threads, [&](int64_t begin, int64_t end, int) {
        for (int64_t g = begin; g < end; ++g) {
          int64_t column = g % groups * kLines;
          int64_t first = g / groups * n * inner + column;
          line(isReverse ? first + (n - 1) * inner : first, std::min(kLines, inner - column),
               isReverse ? -inner : inner);
        }
      });
}

template <bool kIsProduct> absl::Status cumulate(const RoutineCall &call) {
  const bool isReverse = call.parameters[0], isExclusive = call.parameters[1];
  const Tensor &x = call.inputs[0];
  return dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Wide = typename JoinedIn<T>::Type;
    const auto *from = static_cast<const Stored<T> *>(x.data());
    auto *to = static_cast<Stored<T> *>(call.outputs[0].data());
    const int64_t n = x.shape()[1];
    forLines(call, x, isReverse, [&](int64_t at, int64_t count, int64_t step) {
      Wide joined[kLines];
      std::fill_n(joined, count, Wide(kIsProduct));
      for (int64_t k = 0; k < n; ++k, at += step)
        for (int64_t c = 0; c < count; ++c) {
          Wide before = joined[c], element = widened<T>(from[at + c]);
          joined[c] = kIsProduct ? before * element : before + element;
          to[at + c] = narrowed<T>(isExclusive ? before : joined[c]);
        }
    });
    return absl::OkStatus();
  });
}

absl::Status linearRecurrence(const RoutineCall &call) {
  const bool isReverse = call.parameters[0], isShifted = call.parameters[1];
  const Tensor &a = call.inputs[0], &b = call.inputs[1];
  return dispatch(a.dtype(), [&](auto zero) -> absl::Status {
    using T = decltype(zero);
    const auto *factor = static_cast<const Stored<T> *>(a.data());
    const auto *term = static_cast<const Stored<T> *>(b.data());
    auto *to = static_cast<Stored<T> *>(call.outputs[0].data());
    const int64_t n = a.shape()[1];
    forLines(call, a, isReverse, [&](int64_t at, int64_t count, int64_t step) {
      double before[kLines] = {}, factorBefore[kLines] = {};
      for (int64_t k = 0; k < n; ++k, at += step)
        for (int64_t c = 0; c < count; ++c) {
          double own = double(loadElement<T>(factor[at + c]));
          double r = double(loadElement<T>(term[at + c]));
          // Nothing stands before the first: an infinite factor there makes no NaN.
          if (k > 0)
            r += (isShifted ? factorBefore[c] : own) * before[c];
          before[c] = r;
          factorBefore[c] = own;
          to[at + c] = castElement<T, double>(r);
        }
    });
    return absl::OkStatus();
  });
}

template <class T> absl::Status complexRecurrence(const RoutineCall &call) {
  const bool isReverse = call.parameters[0], isShifted = call.parameters[1];
  const T *from[4];
  for (size_t i = 0; i < 4; ++i)
    from[i] = static_cast<const T *>(call.inputs[i].data());
  T *re = static_cast<T *>(call.outputs[0].data()), *im = static_cast<T *>(call.outputs[1].data());
  const int64_t n = call.inputs[0].shape()[1];
  forLines(call, call.inputs[0], isReverse, [&](int64_t at, int64_t count, int64_t step) {
    struct Pair {
      double re, im;
    };
    Pair before[kLines] = {}, factorBefore[kLines] = {};
    for (int64_t k = 0; k < n; ++k, at += step)
      for (int64_t c = 0; c < count; ++c) {
        Pair own = {double(from[0][at + c]), double(from[1][at + c])};
        Pair r = {double(from[2][at + c]), double(from[3][at + c])};
        if (k > 0) { // as above
          Pair f = isShifted ? factorBefore[c] : own, p = before[c];
          r = {r.re + (f.re * p.re - f.im * p.im), r.im + (f.re * p.im + f.im * p.re)};
        }
        before[c] = r;
        factorBefore[c] = own;
        re[at + c] = T(r.re);
        im[at + c] = T(r.im);
      }
  });
  return absl::OkStatus();
}

absl::Status complexRecurrenceOf(const RoutineCall &call) {
  return call.inputs[0].dtype() == DType::Float32 ? complexRecurrence<float>(call)
                                                  : complexRecurrence<double>(call);
}

} // namespace

const Routine kComplexRecurrence = {"complexRecurrence", complexRecurrenceOf};
const Routine kCumulativeSum = {"cumulativeSum", cumulate<false>};
const Routine kCumulativeProduct = {"cumulativeProduct", cumulate<true>};
const Routine kLinearRecurrence = {"linearRecurrence", linearRecurrence};

} // namespace graphc
