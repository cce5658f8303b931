//===- SpecialTest.cpp - special functions at the ends of what there is ------------===//
#include "graphc/Special.h"
#include "OpMessages.h"
#include "graphc/graphc.h"

#include <cmath>

namespace graphc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor value(const Variable &v) {
  auto f = function({}, {v});
  EXPECT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> results = f->call(std::vector<Tensor>());
  EXPECT_TRUE(results.ok()) << results.status();
  return (*results)[0];
}
double number(const Variable &v) {
  Tensor result = value(v);
  return result.flat<double>()[0];
}
Variable at(double x) { return constant(Tensor(x)); }

TEST(Special, OrdersOfPolygamma) {
  Variable wrong = polygamma(-1, at(1));
  EXPECT_EQ(wrong.status().message().substr(0, wrong.status().message().find('\n')),
            "polygamma: order is between 0 and 100, not -1");
  EXPECT_EQ(polygamma(101, at(1)).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(polygamma(100, at(1)).ok());
}

// Where Boost would not end, throw, or abort. By hand: limits of the functions.
TEST(Special, ExtremesEnd) {
  EXPECT_EQ(number(iv(at(1e10), at(1e10))), kInf); // e^(0.53 1e10)
  EXPECT_EQ(number(ive(at(1e10), at(1e10))), 0);
  EXPECT_EQ(number(iv(at(1e5), at(0))), 0);
  EXPECT_EQ(number(kv(at(5000), at(1))), kInf);
  EXPECT_EQ(number(kve(at(-1e300), at(5e-324))), kInf);
  EXPECT_TRUE(std::isnan(number(jv(at(100001), at(1)))));
  EXPECT_TRUE(std::isnan(number(kv(at(kInf), at(1)))));
  EXPECT_EQ(number(betainc(at(1e100), at(1e100), at(0.5))), 0.5);
  EXPECT_EQ(number(betainc(at(1e100), at(1e100), at(0.25))), 0);
  EXPECT_EQ(number(betainc(at(1), at(1e100), at(0.25))), 1);
  EXPECT_NEAR(number(betainc(at(1), at(1e100), at(1e-100))), -std::expm1(-1), 1e-15);
  EXPECT_EQ(number(betaincinv(at(1e100), at(1e100), at(0.25))), 0.5);
  // 1 - (1 - x)^b and x^a.
  EXPECT_NEAR(number(betaincinv(at(1), at(1e20), at(0.25))) / -std::log1p(-0.25), 1e-20, 1e-35);
  EXPECT_NEAR(number(1.0 - betaincinv(at(3e15), at(1), at(0.01))) / -std::log(0.01), 1 / 3e15,
              1e-16);
  EXPECT_TRUE(std::isnan(number(betaincinv(at(10), at(5e-324), at(1e-300)))));
  Variable a = at(1e100);
  EXPECT_TRUE(value(grad(gammainc(a, a), Variables{a})[0]).numElements() == 1);
}

// Where Gamma(b) and Gamma(a + b) both have a pole: mpmath's limits.
TEST(Special, BetaAtPolesOfBoth) {
  auto expect = [](double a, double b, double beta, double betaln) {
    for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      EXPECT_EQ(number(graphc::beta(at(x), at(y))), beta) << x << " " << y;
      EXPECT_NEAR(number(graphc::betaln(at(x), at(y))), betaln, 1e-15) << x << " " << y;
    }
  };
  expect(1, -1, -1, 0);
  expect(2, -2, 0.5, -std::log(2));
  expect(2, -3, 1.0 / 6, -std::log(6));
  expect(3, -5, -1.0 / 30, -std::log(30));
  EXPECT_TRUE(std::isnan(number(beta(at(3), at(-2)))));
  EXPECT_EQ(number(betaln(at(3), at(-2))), kInf);
  EXPECT_TRUE(std::isnan(number(beta(at(2), at(-kInf)))));
}

// Gamma(-9.807) of Boost 1.74 in double is wrong in the first digit; here by mpmath.
TEST(Special, GammaBelowZero) {
  EXPECT_NEAR(number(gamma(at(-9.8070588028589647))), 2.387957098401067e-06, 1e-20);
}

TEST(Special, ScalarsBroadcast) {
  Variable x = constant(Tensor({{1.0, 2.0}, {3.0, 4.0}}));
  Tensor all = value(jv(0.0, x)), rows = value(jv(constant(Tensor({0.0, 1.0})), x));
  EXPECT_EQ(all.flat<double>()[2], rows.flat<double>()[2]);
  Tensor ofOne = value(j1(x));
  EXPECT_EQ(ofOne.flat<double>()[3], rows.flat<double>()[3]);
  EXPECT_EQ(all.shape(), rows.shape());
}

TEST(Special, NoDerivativeByTheOrder) {
  Variable v = dscalar("v"), x = dscalar("x");
  Variable g = grad(jv(v, x), Variables{v})[0];
  EXPECT_FALSE(g.ok() && g.type().isTensor());
  Variable a = dscalar("a");
  Variable second = grad(grad(gammainc(a, x), Variables{a})[0], Variables{a})[0];
  EXPECT_FALSE(second.ok() && second.type().isTensor());
}

// What is code of loops, beside Boost in long double: within the bounds of docs/Ops.md, at points
// that are dense where functions have zeros and where formulas meet.
TEST(VectorCode, StaysWithinItsBounds) {
  struct Case {
    const char *op, *routine;
    std::vector<int64_t> parameters;
    std::function<double(double u)> at; // of u in (0, 1)
  };
  auto around = [](double centre, double u) { // from 2^-50 to 1 away
    return centre + (u < 0.5 ? -1 : 1) * std::exp2(-50 * std::fabs(2 * u - 1));
  };
  std::vector<Case> cases;
  for (const char *op : {"gammaln", "polygamma"}) {
    std::string name = op;
    std::vector<int64_t> order(name == "polygamma" ? 1 : 0, 0);
    for (double centre : {1.0, 1.4616321449683623, 2.0, 8.0})
      cases.push_back({op, op, order, [=](double u) { return around(centre, u); }});
    cases.push_back({op, op, order, [](double u) { return std::exp2(40 * u - 20); }});
    cases.push_back({op, op, order, [](double u) { return 12 * u; }});
    cases.push_back({op, op, order, [](double u) { return std::exp2(2000 * u - 1000); }});
  }
  for (double end : {0.0, 1.0, -1.0})
    cases.push_back({"erfinv", "erfinv", {}, [=](double u) {
                       double x = end == 0 ? 2 * u - 1 : end * (1 - std::exp2(-53 * u));
                       return x;
                     }});
  cases.push_back({"erfcinv", "erfcinv", {}, [](double u) { return std::exp2(-1060 * u); }});
  cases.push_back({"erfcinv", "erfcinv", {}, [](double u) { return 2 * u; }});
  constexpr int64_t kPoints = 40000;
  for (const Case &c : cases) {
    Tensor x = *Tensor::allocate(DType::Float64, {kPoints}), wanted = x.copy();
    for (int64_t i = 0; i < kPoints; ++i)
      x.mutableFlat<double>()[size_t(i)] = c.at((double(i) + 0.5) / kPoints);
    const Routine *routine = findRoutine(c.routine);
    ASSERT_NE(routine, nullptr);
    ASSERT_TRUE(routine->run({c.parameters, {x}, absl::MakeSpan(&wanted, 1)}).ok());
    const OpDef &def = *findOp(c.op);
    Variable v = dvector();
    for (const char *mode : {"interpreter", "fast_run"}) {
      auto f = function({v}, Op::create(def)->call({v}, std::source_location::current()),
                        {.mode = mode});
      ASSERT_TRUE(f.ok()) << f.status();
      auto r = f->call({x});
      ASSERT_TRUE(r.ok()) << r.status();
      double worst = 0, where = 0;
      for (int64_t i = 0; i < kPoints; ++i) {
        double got = (*r)[0].flat<double>()[size_t(i)], want = wanted.flat<double>()[size_t(i)];
        if (got == want || (std::isnan(got) && std::isnan(want)))
          continue;
        double unit = std::nextafter(std::fabs(want), HUGE_VAL) - std::fabs(want);
        double error = std::fabs(got - want) / unit;
        if (!(error <= worst))
          worst = error, where = x.flat<double>()[size_t(i)];
      }
      // The reference is rounded, too.
      EXPECT_LE(worst, def.maxUlp.f64 + 0.5) << c.op << " " << mode << " at " << where;
    }
  }
}

} // namespace
} // namespace graphc
