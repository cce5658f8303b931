//===- AttributeReadsTest.cpp - rules that ask for attributes there are not --===//
#include <gtest/gtest.h>

#include <memory>

#include "Calls.h"
#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr const char *kRest = ", which the op does not have: declare it in OpDef::attributes";

/// slope * x, in whose rules a name may be wrong.
struct Names {
  std::string type = "slope", emission = "slope", pullback = "slope", pushforward = "slope";
};
Variable scaled(const Names &names, const Variable &x) {
  OpDef def;
  def.name = "scaled";
  def.doc = "slope * x.";
  def.operands = {{"x"}};
  def.attributes = {{.name = "slope", .kind = AttributeKind::Float}};
  def.type = [=](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    if (r.attributes().real(names.type) < 0)
      return makeError(ErrorKind::ValueError, "the slope is negative");
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [=](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    const double slope = a.real(names.emission);
    return {e.define(e.shape(in[0]), [&](Indices i) { return e.load(in[0], i) * slope; })};
  };
  def.pullback = [=](const Op &op, Inputs, Outputs, Gradients g) -> Variables {
    return {g[0] * op.attributes().real(names.pullback)};
  };
  def.pushforward = [=](const Op &op, Inputs, Outputs, Tangents t) -> Variables {
    return {t[0] * op.attributes().real(names.pushforward)};
  };
  return Op::create(std::make_shared<const OpDef>(std::move(def)), {{"slope", 3.0}}).value()(x);
}

class AttributeReads : public testing::Test {
protected:
  Variable x = dvector("x");
};

TEST_F(AttributeReads, OfTypesAndDerivatives) {
  const std::string op = "scaled{slope = 3.0}";
  expectMessages({
      {scaled({.type = "slop"}, x).status(),
       "Internal: scaled: the type rule asks for an attribute slop that is a float" +
           std::string(kRest) + "\n  " + op + "(x: f64[?])"},
      {grad(sum(scaled({.pullback = "slop"}, x)), x).status(),
       "Internal: the pullback of " + op + " asks for an attribute slop that is a float" + kRest},
      {pushforward(scaled({.pushforward = "slop"}, x), x, x).status(),
       "Internal: the pushforward of " + op + " asks for an attribute slop that is a float" +
           kRest},
  });
}

TEST_F(AttributeReads, OfEmissions) {
  for (const char *mode : {"interpreter", "fast_run", "nanguard", "debug"}) {
    absl::StatusOr<Function> f = function({x}, scaled({.emission = "slop"}, x), {.mode = mode});
    absl::Status status = f.ok() ? (*f)(Tensor({1.0})).status() : f.status();
    std::string text = firstLine(status), rest = "emission: the rule asks for an attribute slop "
                                                 "that is a float" +
                                                 std::string(kRest);
    EXPECT_NE(text.find(rest), text.npos) << mode << ": " << text;
  }
}

// What is right goes on, with the same thread's earlier mistakes forgotten; nobody is warned.
TEST_F(AttributeReads, AreNotKept) {
  static int warnings;
  warnings = 0;
  setLogSink([](std::string_view) { ++warnings; });
  EXPECT_FALSE(scaled({.type = "slop"}, x).ok());
  Variable y = scaled({}, x);
  EXPECT_EQ(valuesOf(made(function({x}, grad(sum(y), x)))(Tensor({1.0}))), std::vector<double>{3});
  EXPECT_EQ(warnings, 0);
  EXPECT_EQ(Attributes().real("slop"), 0);
  EXPECT_EQ(warnings, 1);
  setLogSink({});
}

// The op that asks is named, not the one in whose rule it is made.
TEST_F(AttributeReads, OfOpsThatRulesMake) {
  OpDef def;
  def.name = "wrapping";
  def.doc = "x.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) -> Arrays { return in; };
  def.pullback = [](const Op &, Inputs, Outputs, Gradients g) -> Variables {
    return {scaled({.type = "slop"}, g[0])};
  };
  const std::string text = firstLine(grad(sum((*defineOp(def))(x)), x).status());
  EXPECT_NE(text.find("scaled: the type rule asks"), text.npos) << text;
}

} // namespace
} // namespace graphc
