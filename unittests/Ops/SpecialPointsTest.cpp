//===- SpecialPointsTest.cpp - special functions at sampled operands ---------------===//
//
// special_points.txt has mpmath's numbers all over the domains that docs/Ops.md tells: there the
// bounds that it tells, those of the registry, hold.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "NumbersOfFile.h"
#include "Ops/Registry.h"
#include "graphc/OpDef.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Lines of one op and, of polygamma, one order.
struct Points {
  std::vector<std::vector<double>> operands;
  std::vector<double> wanted;
};

double unitsOff(double got, double want) {
  if (got == want)
    return 0;
  double unit = std::nextafter(std::fabs(want), HUGE_VAL) - std::fabs(want);
  return std::isfinite(got) && std::isfinite(want) ? std::fabs(got - want) / unit : HUGE_VAL;
}

TEST(SpecialPoints, AreWithinTheBoundsOfTheRegistry) {
  const auto all = numbersOfFile(GRAPHC_TEST_DATA "/special_points.txt");
  EXPECT_EQ(all.size(), 17u);
  for (const auto &[name, numbers] : all) {
    const OpDef *def = findOp(name);
    ASSERT_NE(def, nullptr) << name;
    const bool hasOrder = name == "polygamma";
    const size_t arity = def->operands.size(), length = arity + hasOrder + 1;
    ASSERT_EQ(numbers.size() % length, 0u) << name;
    std::map<int64_t, Points> byOrder;
    for (size_t at = 0; at < numbers.size(); at += length) {
      Points &points = byOrder[hasOrder ? int64_t(numbers[at]) : 0];
      points.operands.resize(arity);
      for (size_t k = 0; k < arity; ++k)
        points.operands[k].push_back(numbers[at + hasOrder + k]);
      points.wanted.push_back(numbers[at + length - 1]);
    }
    for (const auto &[order, points] : byOrder) {
      Variables inputs;
      std::vector<Tensor> values;
      std::vector<Operand> operands;
      for (const std::vector<double> &column : points.operands) {
        inputs.push_back(dvector());
        operands.emplace_back(inputs.back());
        values.push_back(*Tensor::fromSpan<double>(column, {int64_t(column.size())}));
      }
      Variable made = hasOrder ? polygamma(int(order), operands[0])
                               : Op::create(*def)->call(operands, std::source_location::current());
      absl::StatusOr<Function> f = function(inputs, made);
      ASSERT_TRUE(f.ok()) << f.status();
      absl::StatusOr<Results> results = f->call(values);
      ASSERT_TRUE(results.ok()) << results.status();
      double worst = 0;
      size_t where = 0;
      for (size_t i = 0; i < points.wanted.size(); ++i) {
        double off = unitsOff((*results)[0].flat<double>()[i], points.wanted[i]);
        if (!(off <= worst))
          worst = off, where = i;
      }
      std::string at;
      for (const std::vector<double> &column : points.operands)
        at += " " + std::to_string(column[where]);
      // What is expected is rounded, too.
      EXPECT_LE(worst, def->maxUlp.f64 + 0.5) << name << " at" << at;
    }
  }
}

} // namespace
} // namespace graphc
