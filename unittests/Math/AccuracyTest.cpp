//===- AccuracyTest.cpp - the formulas against libm and mpmath ------------===//
//
// The worst operands are searched for: a coarse sample of all operands, then, where the error was
// greatest, ever denser ones (search below). With GRAPHC_MATH_EXHAUSTIVE=1 in the environment the
// coarse sample is every f32 operand of a function of one operand (minutes for each), and all other
// samples are larger. Always: special values, and the worst operands that were ever found
// (HardOperands.h).
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "Bounds.h"
#include "FormulaRuns.h"
#include "HardOperands.h"

namespace graphc::math {
namespace {

constexpr MathFunction kFunctions[] = {
#define GRAPHC_FUNCTION(id, name, operands) MathFunction::id,
    GRAPHC_MATH_FUNCTIONS(GRAPHC_FUNCTION)
#undef GRAPHC_FUNCTION
};
constexpr Form kForms[] = {Form::FmaAndTables, Form::Fma, Form::Plain};

bool isExhaustive() {
  const char *value = std::getenv("GRAPHC_MATH_EXHAUSTIVE");
  return value && *value == '1';
}

/// Whether the sign of a zero is promised: not where the result is 0 by underflow of something
/// else, and not for 0 x anything.
bool promisesSignOfZero(MathFunction function) {
  return function != MathFunction::Sinc && function != MathFunction::LogNdtr;
}

template <class T> Wider<T> exactValue(MathFunction function, T x, T y) {
  if (function == MathFunction::Nextafter)
    return std::nextafter(x, y);
  if (function == MathFunction::FloorDivide && sizeof(T) == 8)
    return referenceFloorDivide(x, y); // its rounding is part of the definition
  return reference<Wider<T>>(function, x, y);
}

/// What is compared: the worst error, and values that no rounding explains.
template <class T> struct Report {
  /// The error, 0 where it is at most 1/2 or none can be told.
  double check(MathFunction function, T x, T y, T got, Wider<T> exact) {
    T nearest = static_cast<T>(exact);
    if (got == nearest && got != 0) // most values
      return 0;
    if (std::isnan(nearest) && std::isnan(got))
      return 0;
    if (std::isnan(nearest) || std::isnan(got) || std::isinf(nearest) || std::isinf(got))
      return fail(x, y, got, exact);
    if (exact == 0 && got == 0) {
      if (promisesSignOfZero(function) && std::signbit(exact) != std::signbit(got))
        fail(x, y, got, exact);
      return 0;
    }
    Wider<T> scale = std::fabs(exact);
    if (function == MathFunction::LogAddExp) // a sum: relative to its larger part where it cancels
      scale = std::fmax(scale, std::fmax(std::fabs(Wider<T>(x)), std::fabs(Wider<T>(y))));
    double error = static_cast<double>(std::fabs(got - exact) / unitAt<T>(scale));
    if (error > worst)
      worst = error, worstX = x, worstY = y;
    return error;
  }
  double fail(T x, T y, T got, Wider<T> exact) {
    if (failures++ == 0)
      first << "f(" << x << ", " << y << ") = " << got << ", not " << exact;
    return 0;
  }

  double worst = 0;
  T worstX = 0, worstY = 0;
  int64_t failures = 0;
  std::ostringstream first;
};

template <class T> using Pattern = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <class T> T fromPattern(uint64_t pattern) {
  Pattern<T> bits = static_cast<Pattern<T>>(pattern);
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> uint64_t patternOf(T value) {
  Pattern<T> bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Operands, and by how much the worst form is wrong there.
template <class T> struct Found {
  T x, y;
  double error;
};

/// Collects operands and runs them in blocks, by all forms. Of the operands whose patterns have all
/// but the last `regionBits` bits in common it keeps the worst.
template <class T> class Sweep {
public:
  explicit Sweep(MathFunction function) : function(function) {}
  void add(T a, T b) {
    x.push_back(a), y.push_back(b);
    if (x.size() == 4096)
      flush();
  }
  const Report<T> (&finish())[3] {
    while (x.size() % kRunLanes)
      x.push_back(1), y.push_back(1);
    flush();
    return reports;
  }
  /// The worst operands of the `count` worst regions since the last call; from now on the regions
  /// have `bits` bits.
  std::vector<Found<T>> takeWorst(size_t count, int bits) {
    finish();
    std::vector<Found<T>> all;
    for (const auto &[key, found] : regions)
      all.push_back(found);
    std::sort(all.begin(), all.end(), [](const Found<T> &a, const Found<T> &b) {
      if (a.error != b.error)
        return a.error > b.error;
      return std::pair(patternOf(a.x), patternOf(a.y)) < std::pair(patternOf(b.x), patternOf(b.y));
    });
    all.resize(std::min(all.size(), count));
    regions.clear(), regionBits = bits;
    return all;
  }
  int regionBits = 0;

private:
  void flush() {
    const size_t n = x.size();
    exact.resize(n), out.resize(n), errors.assign(n, 0);
    for (size_t i = 0; i < n; ++i)
      exact[i] = exactValue<T>(function, x[i], y[i]);
    for (Form form : kForms) {
      run(function, form, x.data(), y.data(), out.data(), static_cast<int64_t>(n));
      Report<T> &report = reports[static_cast<int>(form)];
      for (size_t i = 0; i < n; ++i)
        errors[i] = std::max(errors[i], report.check(function, x[i], y[i], out[i], exact[i]));
    }
    for (size_t i = 0; i < n; ++i)
      if (errors[i] > 0)
        remember({x[i], y[i], errors[i]});
    x.clear(), y.clear();
  }
  void remember(const Found<T> &found) {
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15; // regions that meet lose one: no harm
    uint64_t key = (patternOf(found.x) >> regionBits) * kMix ^ (patternOf(found.y) >> regionBits);
    auto [it, isNew] = regions.try_emplace(key, found);
    if (!isNew && found.error > it->second.error)
      it->second = found;
  }

  MathFunction function;
  Report<T> reports[3];
  std::vector<T> x, y, out;
  std::vector<Wider<T>> exact;
  std::vector<double> errors;
  std::unordered_map<uint64_t, Found<T>> regions;
};

template <class T> std::vector<T> specialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::quiet_NaN()};
  for (double v : {0.0,
                   0.25,
                   0.5,
                   0.75,
                   1.0,
                   1.5,
                   2.0,
                   2.5,
                   3.0,
                   3.5,
                   5.0,
                   10.0,
                   27.0,
                   38.5,
                   88.0,
                   88.7,
                   89.0,
                   100.0,
                   103.9,
                   104.5,
                   127.9,
                   128.0,
                   149.0,
                   150.0,
                   709.7,
                   710.4,
                   710.5,
                   745.0,
                   745.2,
                   1023.5,
                   1024.0,
                   1074.0,
                   1075.0,
                   1e10,
                   1e16,
                   1e30,
                   0.49999999999999994,
                   4503599627370495.5,
                   4503599627370497.0,
                   9007199254740991.0,
                   8388607.5,
                   131072.0,
                   0x1p30})
    values.push_back(static_cast<T>(v)), values.push_back(static_cast<T>(-v));
  for (T v :
       {Limits::denorm_min(), Limits::min(), std::nextafter(Limits::min(), T(0)), Limits::epsilon(),
        std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2)), Limits::max(), Limits::infinity()})
    values.push_back(v), values.push_back(-v);
  return values;
}

template <class T> T randomOperand(std::mt19937_64 &random) {
  uint64_t pattern = random();
  double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  switch (random() % 4) {
  case 0: // any bits
    return fromPattern<T>(pattern);
  case 1: { // 2^-10 to 2^10
    double magnitude = std::exp2(unit * 20 - 10);
    return static_cast<T>(pattern & 1 ? -magnitude : magnitude);
  }
  case 2:
    return static_cast<T>((unit - 0.5) * 60);
  default:
    return static_cast<T>((unit - 0.5) * (pattern & 1 ? 4 : 1500));
  }
}

/// All operands, coarsely.
template <class T> void coarse(Sweep<T> &s, MathFunction function, std::mt19937_64 &random) {
  const bool binary = mathFunctionOperands(function) == 2;
  for (T a : specialValues<T>())
    for (T b : binary ? specialValues<T>() : std::vector<T>{0})
      s.add(a, b);
  for (const HardOperand &hard : kHardOperands)
    if (hard.function == function)
      s.add(static_cast<T>(hard.x), 0);
  constexpr uint64_t kStep = 9973; // prime, so that all low bits occur
  if (sizeof(T) == 4 && !binary) {
    for (uint64_t pattern = 0; pattern < 1ull << 32; pattern += isExhaustive() ? 1 : kStep)
      s.add(fromPattern<T>(pattern), 0);
    return;
  }
  const int64_t count = isExhaustive() ? 20'000'000 : 50'000;
  for (int64_t i = 0; i < count; ++i) {
    T a = randomOperand<T>(random), b = binary ? randomOperand<T>(random) : T(0);
    if (function == MathFunction::Pow && i % 2) { // results all over the range
      a = std::fabs(randomOperand<T>(random));
      double exponent = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      b = static_cast<T>(exponent * (sizeof(T) == 4 ? 100 : 740) /
                         std::log(static_cast<double>(a)));
    }
    s.add(a, b);
  }
}

/// The regions of the coarse sample have an eighth (f32) or a quarter (f64) of an octave. The worst
/// are sampled, then the worst parts of what came out, a sixteenth as long, and once more.
template <class T> void search(Sweep<T> &s, MathFunction function) {
  const bool binary = mathFunctionOperands(function) == 2;
  std::mt19937_64 random(42);
  int bits = sizeof(T) == 4 ? 20 : 50;
  s.regionBits = bits;
  coarse(s, function, random);
  const size_t regions = isExhaustive() ? 256 : 24;
  const int samples = isExhaustive() ? 20'000 : 1500;
  for (int round = 0; round < 3; ++round, bits -= 4) {
    const uint64_t within = (uint64_t(1) << bits) - 1;
    auto near = [&](T value) {
      return fromPattern<T>((patternOf(value) & ~within) | (random() & within));
    };
    for (const Found<T> &found : s.takeWorst(regions, bits - 4))
      for (int i = 0; i < samples; ++i)
        s.add(near(found.x), binary ? near(found.y) : T(0));
  }
}

class Accuracy : public ::testing::TestWithParam<MathFunction> {
protected:
  void SetUp() override {
    if (!canRun())
      GTEST_SKIP() << "the formulas are compiled for AVX2 and FMA here";
  }
  template <class T> void expectBound() {
    MathFunction function = GetParam();
    Sweep<T> all(function);
    search(all, function);
    const auto &reports = all.finish();
    for (Form form : kForms) {
      const Report<T> &report = reports[static_cast<int>(form)];
      const char *name = kFormNames[static_cast<int>(form)];
      EXPECT_EQ(report.failures, 0) << report.first.str() << " (" << name << ")";
      EXPECT_LE(report.worst, limit<T>(function))
          << name << " at " << report.worstX << ", " << report.worstY;
      if (isExhaustive())
        std::printf("%-26s f%d %-15s %9.4f ulp at %.9g %.9g\n", mathFunctionName(function).data(),
                    static_cast<int>(sizeof(T)) * 8, name, report.worst,
                    static_cast<double>(report.worstX), static_cast<double>(report.worstY));
    }
  }
};

TEST_P(Accuracy, Single) { expectBound<float>(); }
TEST_P(Accuracy, Double) { expectBound<double>(); }

INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, ::testing::ValuesIn(kFunctions),
                         [](const auto &info) {
                           return std::string(mathFunctionName(info.param));
                         });

/// Values computed by mpmath: independent of libm.
TEST(Vectors, MpMath) {
  if (!canRun())
    GTEST_SKIP();
  std::ifstream file(GRAPHC_TEST_DATA "/Vectors.txt");
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    if (line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string name, type, xs, ys, rs;
    words >> name >> type >> xs >> ys >> rs;
    double x = std::strtod(xs.c_str(), nullptr), y = std::strtod(ys.c_str(), nullptr);
    double expected = std::strtod(rs.c_str(), nullptr);
    for (MathFunction function : kFunctions) {
      if (mathFunctionName(function) != name)
        continue;
      ++count;
      auto check = [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> a(kRunLanes, T(x)), b(kRunLanes, T(y)), out(kRunLanes);
        for (Form form : kForms) {
          run(function, form, a.data(), b.data(), out.data(), kRunLanes);
          Wider<T> scale = std::fabs(expected);
          if (function == MathFunction::LogAddExp)
            scale = std::fmax(scale, std::fmax(std::fabs(x), std::fabs(y)));
          // The expected value is itself rounded: half a unit more.
          EXPECT_LE(std::fabs(Wider<T>(out[0]) - Wider<T>(expected)) / unitAt<T>(scale),
                    limit<T>(function) + 0.5)
              << line << " (" << kFormNames[int(form)] << ") gave " << out[0];
        }
      };
      type == "f32" ? check(float()) : check(double());
    }
  }
  EXPECT_GT(count, 1000);
}

} // namespace
} // namespace graphc::math
