//===- CallCases.cpp - what a call costs ----------------------------------===//
//
// x + y of numbers and of vectors of three elements, against a plain call of the same thing through
// a pointer that the compiler cannot see through.
//
//===----------------------------------------------------------------------===//
#include <benchmark/benchmark.h>

#include <memory>

#include "Case.h"
#include "HandLoops.h"
#include "Runtime/ThreadPool.h"
#include "Workers.h"
#include "absl/strings/str_format.h"
#include "graphc/graphc.h"

namespace graphc::bench {
namespace {

constexpr double kX = 0.75, kY = 2.5, kSum = 3.25;

double (*const volatile plainAdd)(double, double) = handAdd;
void (*const volatile plainAdd3)(const double *, const double *, double *, int64_t) = handAdd3;

absl::Status checkSum(double found, const char *side) {
  if (found == kSum)
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError, absl::StrFormat("%s gives %g", side, found));
}

/// The last result of each side, for the check.
struct Last {
  double ours = 0, peer = 0;
  absl::Status check() const {
    if (absl::Status s = checkSum(ours, "graphc"); !s.ok())
      return s;
    return checkSum(peer, "the plain call");
  }
};

absl::StatusOr<Function> scalarAdd() {
  Variable x = dscalar("x"), y = dscalar("y");
  return function({x, y}, x + y);
}

Work plainScalars(const std::shared_ptr<Last> &last) {
  return [last](int64_t count) {
    double x = kX, y = kY, sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      benchmark::DoNotOptimize(x);
      sum = plainAdd(x, y);
      benchmark::DoNotOptimize(sum);
    }
    last->peer = sum;
  };
}

/// Beside the least that a call can cost.
Subject beside(Work ours, Work plain, const std::shared_ptr<Last> &last) {
  Subject subject;
  subject.ours = std::move(ours);
  subject.rivals = {rivalOf(kByHand, std::move(plain), /*isPeer=*/false)};
  subject.check = [last] { return last->check(); };
  return subject;
}

absl::StatusOr<Subject> boundScalars(const Settings &) {
  absl::StatusOr<Function> f = scalarAdd();
  if (!f.ok())
    return f.status();
  absl::StatusOr<Bound<double(double, double)>> bound = f->bind<double(double, double)>();
  if (!bound.ok())
    return bound.status();
  auto last = std::make_shared<Last>();
  Work ours = [last, call = *bound](int64_t count) {
    double x = kX, y = kY, sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      benchmark::DoNotOptimize(x);
      sum = call(x, y);
      benchmark::DoNotOptimize(sum);
    }
    last->ours = sum;
  };
  return beside(std::move(ours), plainScalars(last), last);
}

/// Others that add two arrays.
absl::StatusOr<Subject> besideWorkers(Subject subject, const Tensor &x, const Tensor &y,
                                      const Settings &settings) {
  if (!settings.workers)
    return subject;
  auto check = [](const std::string &side, const std::vector<Tensor> &found) {
    Tensor sum = found[0].contiguous();
    return checkSum(static_cast<const double *>(sum.data())[0], side.c_str());
  };
  absl::StatusOr<std::vector<Rival>> others =
      settings.workers->rivals("add", {{"x", x}, {"y", y}}, {}, check);
  if (!others.ok())
    return others.status();
  subject.rivals.insert(subject.rivals.end(), others->begin(), others->end());
  return subject;
}

/// The arguments are given anew at each call: numbers, or Tensors.
template <class Argument>
absl::StatusOr<Subject> generalScalars(Argument x, Argument y, const Settings &settings) {
  absl::StatusOr<Function> f = scalarAdd();
  if (!f.ok())
    return f.status();
  auto last = std::make_shared<Last>();
  Work ours = [last, x, y, call = *f](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      last->ours = call(x, y)->template item<double>();
  };
  return besideWorkers(beside(std::move(ours), plainScalars(last), last), Tensor(kX), Tensor(kY),
                       settings);
}

/// x + y * z of three numbers; y * z is kY.
absl::StatusOr<Subject> seedNumbers(const Settings &) {
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  absl::StatusOr<Function> f = function({x, y, z}, x + y * z);
  if (!f.ok())
    return f.status();
  auto last = std::make_shared<Last>();
  Work ours = [last, call = *f](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      last->ours = call(kX, kY / 2, 2.0)->item<double>();
  };
  return beside(std::move(ours), plainScalars(last), last);
}

struct Vectors {
  double x[3] = {kX, kX, kX}, y[3] = {kY, kY, kY}, o[3] = {}, byHand[3] = {};
};

absl::StatusOr<Function> vectorAdd(int64_t extent) {
  Variable x = tensor(DType::Float64, {extent}, "x"), y = tensor(DType::Float64, {extent}, "y");
  return function({x, y}, x + y);
}

Work plainVectors(const std::shared_ptr<Vectors> &v, const std::shared_ptr<Last> &last) {
  return [v, last](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      plainAdd3(v->x, v->y, v->byHand, 3);
      benchmark::ClobberMemory();
    }
    last->peer = v->byHand[2];
  };
}

absl::StatusOr<Subject> boundVectors(int64_t extent) {
  absl::StatusOr<Function> f = vectorAdd(extent);
  if (!f.ok())
    return f.status();
  auto bound =
      f->bind<absl::Status(View<const double, 1>, View<const double, 1>, View<double, 1>)>();
  if (!bound.ok())
    return bound.status();
  auto v = std::make_shared<Vectors>();
  auto last = std::make_shared<Last>();
  Work ours = [v, last, call = *bound](int64_t count) {
    bool good = true;
    for (int64_t i = 0; i < count; ++i) {
      good &= call({v->x, {3}}, {v->y, {3}}, {v->o, {3}}).ok();
      benchmark::ClobberMemory();
    }
    last->ours = good ? v->o[2] : 0;
  };
  return beside(std::move(ours), plainVectors(v, last), last);
}

absl::StatusOr<Subject> generalVectors(const Settings &settings) {
  absl::StatusOr<Function> f = vectorAdd(kDynamic);
  if (!f.ok())
    return f.status();
  auto v = std::make_shared<Vectors>();
  auto last = std::make_shared<Last>();
  Tensor x({kX, kX, kX}), y({kY, kY, kY});
  Work ours = [last, x, y, call = *f](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      absl::StatusOr<Results> results = call(x, y);
      last->ours = results.ok() ? (*results)[0].flat<double>()[2] : 0;
    }
  };
  return besideWorkers(beside(std::move(ours), plainVectors(v, last), last), x, y, settings);
}

/// A loop of two iterations that do next to nothing, each for a thread, one loop after the other.
absl::StatusOr<Subject> loopForThreads(const Settings &) {
  struct alignas(128) Count {
    int64_t value = 0;
  };
  struct Counts {
    Count ours[2], plain[2];
    int64_t wanted = 0;
  };
  auto counts = std::make_shared<Counts>();
  Subject subject;
  subject.ours = [counts](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      ThreadPool::shared().parallelFor(0, 2, 1, 2, [&](int64_t begin, int64_t end, int) {
        for (int64_t k = begin; k < end; ++k)
          ++counts->ours[k].value;
      });
    counts->wanted += count;
  };
  auto plain = [counts](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      for (Count &one : counts->plain) {
        ++one.value;
        benchmark::DoNotOptimize(one.value);
      }
  };
  subject.rivals.push_back(rivalOf(kByHand, plain, /*isPeer=*/false));
  subject.check = [counts] {
    bool isRight =
        counts->ours[0].value == counts->wanted && counts->ours[1].value == counts->wanted;
    return isRight ? absl::OkStatus()
                   : makeError(ErrorKind::ValueError, "iterations were left out or done twice");
  };
  return subject;
}

} // namespace

void addCalls(std::vector<Case> &cases) {
  cases.push_back({"call_bind",
                   "x + y bound as double(double, double)",
                   {.extraNanoseconds = 15},
                   boundScalars});
  cases.push_back(
      {"call_bind_vec3", "x + y of vectors of 3, static, bound to views", {}, [](const Settings &) {
         return boundVectors(3);
       }});
  cases.push_back(
      {"call_bind_vec3_dynamic", "the same, extents known at the call", {}, [](const Settings &) {
         return boundVectors(kDynamic);
       }});
  // Beside the plain call's 2 ns: 120 and 200 ns in all.
  constexpr double kNumbers = 118, kTensors = 198;
  cases.push_back({"call_seed",
                   "f(x, y, z) = x + y*z of numbers",
                   {.extraNanoseconds = kNumbers},
                   seedNumbers});
  cases.push_back({"call_scalar",
                   "f(x, y) of numbers",
                   {},
                   [](const Settings &s) { return generalScalars(kX, kY, s); },
                   &groups::kCalls});
  cases.push_back({"call_scalar_tensors",
                   "f(x, y) of Tensors with one number",
                   {},
                   [](const Settings &s) { return generalScalars(Tensor(kX), Tensor(kY), s); },
                   &groups::kCalls});
  cases.push_back({"call_vec3",
                   "f(x, y) of Tensors of 3, extents known at the call",
                   {.extraNanoseconds = kTensors},
                   generalVectors,
                   &groups::kCalls});
  cases.push_back({"loop_for_threads",
                   "a loop of nothing on two threads, one after the other",
                   {.extraNanoseconds = 1000},
                   loopForThreads});
}

} // namespace graphc::bench
