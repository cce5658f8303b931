//===- Ctc.cpp - connectionist temporal classification ------------------------------------===//
//
// A. Graves, S. Fernández, F. Gomez, J. Schmidhuber, "Connectionist Temporal Classification", ICML
// 2006, in logarithms: of the labels with blanks around them, forward sums alpha and backward sums
// beta over all paths through the times.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "Routines/Routines.h"
#include "Runtime/ThreadPool.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// A number and its derivative in a direction.
struct Dual {
  double value, slope = 0;
};
Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }

double logSum(double x, double y) {
  double most = std::max(x, y);
  return most == kNever ? kNever : most + std::log1p(std::exp(-std::fabs(x - y)));
}
Dual logSum(Dual x, Dual y) {
  double sum = logSum(x.value, y.value);
  if (sum == kNever)
    return {sum};
  auto part = [&](Dual d) { return d.value == kNever ? 0 : std::exp(d.value - sum) * d.slope; };
  return {sum, part(x) + part(y)};
}

/// One element of the batch; numbers are doubles, or Duals along `direction`.
template <class Number> struct Sequence {
  const double *logs, *direction; // [time * stride + class]
  int64_t stride;
  int64_t times;
  std::vector<int64_t> labels; // with blanks

  static constexpr Number of(double value) { return Number{value}; }
  Number at(int64_t time, size_t state) const {
    int64_t place = time * stride + labels[state];
    if constexpr (std::is_same_v<Number, Dual>)
      return {logs[place], direction[place]};
    else
      return logs[place];
  }
  /// Whether a path may come to the state from two before.
  bool mayJump(size_t state) const {
    return state >= 2 && labels[state] != labels[0] && labels[state] != labels[state - 2];
  }

  /// By time and state: the logarithm of the sum over all paths up to there.
  std::vector<Number> forward() const {
    const size_t n = labels.size();
    std::vector<Number> alpha(size_t(times) * n, of(kNever));
    for (int64_t t = 0; t < times; ++t)
      for (size_t s = 0; s < n; ++s) {
        Number sum = of(t == 0 && s < 2 ? 0 : kNever);
        if (t > 0) {
          const Number *before = alpha.data() + size_t(t - 1) * n;
          sum = before[s];
          if (s > 0)
            sum = logSum(sum, before[s - 1]);
          if (mayJump(s))
            sum = logSum(sum, before[s - 2]);
        }
        alpha[size_t(t) * n + s] = sum + at(t, s);
      }
    return alpha;
  }
  /// The same of what comes after.
  std::vector<Number> backward() const {
    const size_t n = labels.size();
    std::vector<Number> beta(size_t(times) * n, of(kNever));
    for (int64_t t = times; t-- > 0;)
      for (size_t s = 0; s < n; ++s) {
        Number sum = of(t + 1 == times && s + 2 >= n ? 0 : kNever);
        if (t + 1 < times) {
          const Number *after = beta.data() + size_t(t + 1) * n;
          sum = after[s] + at(t + 1, s);
          if (s + 1 < n)
            sum = logSum(sum, after[s + 1] + at(t + 1, s + 1));
          if (s + 2 < n && mayJump(s + 2))
            sum = logSum(sum, after[s + 2] + at(t + 1, s + 2));
        }
        beta[size_t(t) * n + s] = sum;
      }
    return beta;
  }
  Number logProbability(const std::vector<Number> &alpha) const {
    if (times == 0)
      return of(labels.size() == 1 ? 0 : kNever);
    const Number *last = alpha.data() + size_t(times - 1) * labels.size();
    return labels.size() == 1 ? last[0] : logSum(last[labels.size() - 1], last[labels.size() - 2]);
  }
};

/// Calls `take(element, sequence)` for each element of the batch.
template <class Number, class F> absl::Status forSequences(const RoutineCall &call, F &&take) {
  const Tensor &logs = call.inputs[0];
  const int64_t blank = call.parameters[0], batch = logs.shape()[1], classes = logs.shape()[2];
  const int64_t most = call.inputs[1].shape()[1];
  if (blank < 0 || blank >= classes)
    return makeError(ErrorKind::IndexError, "the blank " + std::to_string(blank) +
                                                " is none of the " + std::to_string(classes) +
                                                " classes");
  absl::Span<const int64_t> labels = call.inputs[1].flat<int64_t>(),
                            times = call.inputs[2].flat<int64_t>(),
                            lengths = call.inputs[3].flat<int64_t>();
  for (int64_t k = 0; k < batch; ++k) {
    auto told = [&](const std::string &what, int64_t value, int64_t limit) {
      return makeError(ErrorKind::ValueError, what + " " + std::to_string(k) + " is " +
                                                  std::to_string(value) + ", not between 0 and " +
                                                  std::to_string(limit));
    };
    if (times[size_t(k)] < 0 || times[size_t(k)] > logs.shape()[0])
      return told("the number of times of element", times[size_t(k)], logs.shape()[0]);
    if (lengths[size_t(k)] < 0 || lengths[size_t(k)] > most)
      return told("the number of labels of element", lengths[size_t(k)], most);
    for (int64_t i = 0; i < lengths[size_t(k)]; ++i)
      if (int64_t label = labels[size_t(k * most + i)];
          label < 0 || label >= classes || label == blank)
        return makeError(ErrorKind::IndexError, "the label " + std::to_string(label) +
                                                    " of element " + std::to_string(k) +
                                                    " is the blank or none of the " +
                                                    std::to_string(classes) + " classes");
  }
  ThreadPool::shared().parallelFor(0, batch, 1, call.threads, [&](int64_t begin, int64_t end, int) {
    for (int64_t k = begin; k < end; ++k) {
      auto from = [&](const Tensor &t) { return t.flat<double>().data() + k * classes; };
      Sequence<Number> s{from(logs),
                         from(call.inputs.size() > 4 ? call.inputs[4] : logs),
                         batch * classes,
                         times[size_t(k)],
                         {}};
      s.labels.assign(size_t(2 * lengths[size_t(k)] + 1), blank);
      for (int64_t i = 0; i < lengths[size_t(k)]; ++i)
        s.labels[size_t(2 * i + 1)] = labels[size_t(k * most + i)];
      take(k, s);
    }
  });
  return absl::OkStatus();
}

absl::Status ctcLoss(const RoutineCall &call) {
  absl::Span<double> losses = call.outputs[0].mutableFlat<double>();
  return forSequences<double>(call, [&](int64_t k, const Sequence<double> &s) {
    losses[size_t(k)] = -s.logProbability(s.forward());
  });
}

double posterior(double logarithm) { return std::exp(logarithm); }
double posterior(Dual logarithm) {
  return logarithm.value == kNever ? 0 : std::exp(logarithm.value) * logarithm.slope;
}
bool isNever(double x) { return x == kNever; }
bool isNever(Dual x) { return x.value == kNever; }
double negative(double x) { return -x; }
Dual negative(Dual x) { return {-x.value, -x.slope}; }

/// The gradient, or, of Duals, its derivative in the direction.
template <class Number> absl::Status gradientOf(const RoutineCall &call) {
  absl::Span<double> gradient = call.outputs[0].mutableFlat<double>();
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const int64_t classes = call.inputs[0].shape()[2];
  return forSequences<Number>(call, [&](int64_t k, const Sequence<Number> &s) {
    std::vector<Number> alpha = s.forward(), beta = s.backward();
    Number all = s.logProbability(alpha);
    if (isNever(all))
      return;
    const size_t n = s.labels.size();
    for (int64_t t = 0; t < s.times; ++t)
      for (size_t i = 0; i < n; ++i)
        gradient[size_t(t * s.stride + k * classes + s.labels[i])] -=
            posterior(alpha[size_t(t) * n + i] + beta[size_t(t) * n + i] + negative(all));
  });
}

} // namespace

const Routine kCtcLoss = {"ctcLoss", ctcLoss};
const Routine kCtcGradient = {"ctcGradient", gradientOf<double>};
const Routine kCtcGradientAlong = {"ctcGradientAlong", gradientOf<Dual>};

} // namespace graphc
