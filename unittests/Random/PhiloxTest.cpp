//===- PhiloxTest.cpp - the generator against published numbers ---------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Ops/Build.h"
#include "Ops/Registry.h"
#include "Ops/RoundedMath.h"
#include "Support/Philox.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Random.h"

namespace graphc {
namespace {

using Words = std::array<uint64_t, 4>;

// F-342: the known answers of Random123's kat_vectors for philox4x32 with 10 rounds.
TEST(Philox, HasTheKnownAnswers) {
  philox::HostArithmetic a;
  auto block = [&](Words counter, std::array<uint64_t, 2> key) {
    return philox::block<uint64_t>({counter, key}, a);
  };
  constexpr uint64_t kOnes = 0xFFFFFFFF;
  EXPECT_EQ(block({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(block({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// A line of draws.txt.
struct Line {
  std::string name, dtype;
  std::vector<std::string> parameters, draws;
  int64_t key, position;
};

std::vector<Line> lines() {
  std::ifstream in(std::string(GRAPHC_TEST_DATA) + "/draws.txt");
  EXPECT_TRUE(in.good());
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with("#"))
      continue;
    std::istringstream words(text);
    Line line;
    words >> line.name >> line.dtype >> line.key >> line.position;
    for (std::string word; words >> word && word != "=";)
      line.parameters.push_back(word);
    for (std::string word; words >> word;)
      line.draws.push_back(word);
    lines.push_back(line);
  }
  return lines;
}

// F-342: every distribution that kernels draw, against make_draws.py, which computes with integers
// and 60 digits. Formulas of RoundedMath are some units off, each at most: 8 units of the draw,
// and of what is added to it (loc) as much; what an exponential function makes of an operand x has
// an error of x units more; x is below 40 here.
TEST(Draws, AreWhatTheirFormulasMakeOfTheBits) {
  for (const Line &line : lines()) {
    SCOPED_TRACE(line.name + " " + line.dtype + " " + std::to_string(line.position));
    bool isInteger = line.dtype == "i64", isDouble = line.dtype == "f64";
    DType dtype = isInteger ? DType::Int64 : isDouble ? DType::Float64 : DType::Float32;
    Tensor state = *Tensor::fromSpan<int64_t>({line.key, line.position}, {2});
    std::vector<Tensor> operands = {state, Tensor({8}, DType::Int64)};
    double added = 0;
    for (const std::string &parameter : line.parameters) {
      bool isWhole = line.name == "integers";
      operands.push_back(isWhole ? Tensor(int64_t(std::stoll(parameter)))
                                 : Tensor(std::stod(parameter)));
      added = std::max(added, std::fabs(std::stod(parameter)));
    }
    Op op = *Op::create(*findOp(drawOpName(line.name)), {{"dtype", dtype}});
    auto results = evaluate(op, operands);
    ASSERT_TRUE(results.ok()) << results.status();
    Tensor next = (*results)[0], draws = (*results)[1];
    EXPECT_EQ(next.flat<int64_t>()[0], line.key);
    EXPECT_EQ(next.flat<int64_t>()[1], int64_t(uint64_t(line.position) + 8));
    ASSERT_EQ(draws.dtype(), dtype);
    for (size_t i = 0; i < 8; ++i) {
      if (isInteger) {
        EXPECT_EQ(draws.flat<int64_t>()[i], std::stoll(line.draws[i])) << i;
        continue;
      }
      double wanted = std::stod(line.draws[i]);
      double got = isDouble ? draws.flat<double>()[i] : double(draws.flat<float>()[i]);
      double unit = isDouble ? 0x1p-52 : 0x1p-23;
      // Of the tangent the error is one of the angle, times 1 + tan^2.
      double slope = line.name.ends_with("cauchy") ? 1 + wanted * wanted : 0;
      // Of e^x that of x.
      double power = line.name == "lognormal" || line.name == "weibull" || line.name == "pareto"
                         ? 40 * std::fabs(wanted)
                         : 0;
      EXPECT_NEAR(got, wanted, unit * (8 * (std::fabs(wanted) + added) + slope + power)) << i;
    }
  }
}

/// An op that computes `body` of each element.
Op elementwise(std::function<Scalar(Scalar)> body) {
  OpDef def;
  def.name = "under";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &request) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{request.type(0)};
  };
  def.emit = [body](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    return {e.map({in[0]}, [&](const Scalars &s) { return body(s[0]); })};
  };
  return *defineOp(def);
}

/// In fast_run and in the interpreter: the same bits.
template <class T> std::vector<double> computed(const Op &op, const Tensor &x) {
  Variable v{Type(x.dtype(), {kDynamic})};
  std::vector<double> first;
  for (const char *mode : {"interpreter", "fast_run"}) {
    auto f = function({v}, op(v), {.mode = mode});
    EXPECT_TRUE(f.ok()) << f.status();
    auto r = (*f)(x);
    EXPECT_TRUE(r.ok()) << r.status();
    Tensor result = (*r)[0].contiguous();
    std::vector<double> values(result.flat<T>().begin(), result.flat<T>().end());
    if (first.empty())
      first = values;
    EXPECT_EQ(first, values) << mode;
  }
  return first;
}

template <class T>
void expectClose(const std::function<Scalar(Scalar)> &body, const std::vector<double> &points,
                 long double (*wanted)(long double), double units) {
  std::vector<T> typed(points.begin(), points.end());
  Tensor x = *Tensor::fromSpan<T>(typed, {int64_t(typed.size())});
  std::vector<double> got = computed<T>(elementwise(body), x);
  for (size_t i = 0; i < typed.size(); ++i) {
    double right = double(wanted(typed[i]));
    double least = double(std::numeric_limits<T>::min());
    ASSERT_NEAR(got[i], right,
                units * (std::fabs(right) * double(std::numeric_limits<T>::epsilon()) + least))
        << typed[i];
  }
}

template <class T> void expectRoundedMath() {
  std::vector<double> units, positive, any;
  for (int k = 1; k < 4000; ++k) {
    units.push_back(k / 4000.0);
    units.push_back(std::ldexp(1.0 + k / 4000.0, -1 - k % 64));
    positive.push_back(std::ldexp(1.0 + k / 4000.0, 5 - k % 70));
    any.push_back((k - 2000) / 23.0);
  }
  using std::numbers::pi_v;
  expectClose<T>([](Scalar x) { return rounded::logOfUnit(x, 1.0 - x); }, units,
                 [](long double x) { return std::log(x); }, 4);
  expectClose<T>([](Scalar x) { return rounded::logOfUnit(1.0 - x, x); },
                 {1e-18, 1e-9, 1e-4, 0.01, 0.25}, [](long double x) { return std::log1p(-x); }, 4);
  // Next to 1 the logarithm is small; the points there are few and not near.
  expectClose<T>([](Scalar x) { return rounded::log(x); }, positive,
                 [](long double x) { return std::log(x); }, 4);
  expectClose<T>([](Scalar x) { return rounded::exp(x); }, any,
                 [](long double x) { return T(std::exp(x)) * 1.0L; }, 4);
  expectClose<T>([](Scalar x) { return rounded::expm1(x); }, any,
                 [](long double x) { return T(std::expm1(x)) * 1.0L; }, 4);
  std::vector<double> half;
  for (int k = -500; k <= 500; ++k)
    half.push_back(k / 1000.0);
  expectClose<T>([](Scalar x) { return rounded::sinCosOfQuarter(x).sin; }, half,
                 [](long double x) { return std::sin(pi_v<long double> / 2 * x); }, 4);
  expectClose<T>([](Scalar x) { return rounded::sinCosOfQuarter(x).cos; }, half,
                 [](long double x) { return std::cos(pi_v<long double> / 2 * x); }, 4);
}

// F-342: the functions of draws have the same bits evaluated and compiled, and are right to a few
// units (the sums of their errors, which the comments there bound).
TEST(RoundedMath, IsTheSameInAllModesAndRightInFloat64) { expectRoundedMath<double>(); }
TEST(RoundedMath, IsTheSameInAllModesAndRightInFloat32) { expectRoundedMath<float>(); }

// What `rounded::exp` relies on.
TEST(RoundedMath, PowersOfTwoAreExact) {
  std::vector<double> exponents;
  for (int n = -1100; n <= 1024; ++n)
    exponents.push_back(n);
  auto exp2 = [](Scalar x) { return apply(ScalarOp::Exp2, {x}); };
  Tensor x = *Tensor::fromSpan<double>(exponents, {int64_t(exponents.size())});
  std::vector<double> wide = computed<double>(elementwise(exp2), x),
                      narrow = computed<float>(elementwise(exp2), x.cast(DType::Float32));
  for (size_t i = 0; i < exponents.size(); ++i) {
    EXPECT_EQ(wide[i], std::ldexp(1.0, int(exponents[i])));
    EXPECT_EQ(narrow[i], std::ldexp(1.0f, int(exponents[i])));
  }
}

} // namespace
} // namespace graphc
