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
  EXPECT_TRUE(std::isnan(number(iv(at(1e10), at(1e10)))));
  EXPECT_TRUE(std::isnan(number(jv(at(100001), at(1)))));
  EXPECT_TRUE(std::isnan(number(kv(at(kInf), at(1)))));
  EXPECT_EQ(number(betainc(at(1e100), at(1e100), at(0.5))), 0.5);
  EXPECT_EQ(number(betainc(at(1e100), at(1e100), at(0.25))), 0);
  EXPECT_EQ(number(betainc(at(1), at(1e100), at(0.25))), 1);
  EXPECT_EQ(number(betaincinv(at(1e100), at(1e100), at(0.25))), 0.5);
  EXPECT_TRUE(std::isnan(number(betaincinv(at(10), at(5e-324), at(1e-300)))));
  Variable a = at(1e100);
  EXPECT_TRUE(value(grad(gammainc(a, a), Variables{a})[0]).numElements() == 1);
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

} // namespace
} // namespace graphc
