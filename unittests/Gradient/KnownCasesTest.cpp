//===- KnownCasesTest.cpp - cases with derivatives of FunctionCases.md ----===//
//
// L01 to L06 and L11, by their values; what stops of gradients are forward; and points where
// derivatives are limits, or chosen (docs/Gradients.md, "At kinks and ties"). In all modes,
// compiled too.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "Calls.h"
#include "Messages.h"
#include "SquareOver.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using List = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

/// All elements of all of `outputs`, interpreted and compiled with rewrites the same.
List at(const Variables &outputs, const Variables &inputs, const std::vector<Tensor> &values) {
  List first;
  for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) {
    SCOPED_TRACE(mode);
    FunctionOptions options{.mode = mode};
    options.onUnusedInput = OnUnusedInput::Ignore;
    List now = valuesOf(made(function(inputs, outputs, options)).call(values));
    if (first.empty())
      first = now;
    EXPECT_EQ(now, first);
  }
  return first;
}
List at(const Variable &output, const Variables &inputs, const std::vector<Tensor> &values) {
  return at(Variables{output}, inputs, values);
}

class KnownCases : public ::testing::Test {
protected:
  Variable x = dscalar("x"), y = dscalar("y"), v = dvector("v"), w = dvector("w");
  Variable i = lscalar("i");
  Tensor v12 = Tensor({1.0, 2.0});
};

TEST_F(KnownCases, L01) {
  Variable cost = sum(v * 2);
  EXPECT_EQ(firstLine(grad(cost, w).status()).substr(0, 18), "DisconnectedInput:");
  Variable zeros = grad(cost, w, {.disconnectedInputs = DisconnectedInputs::Ignore});
  EXPECT_EQ(at({zeros}, {v, w}, {v12, Tensor({1.0, 2.0, 3.0})}), (List{0, 0, 0}));
}

TEST_F(KnownCases, L02) {
  EXPECT_EQ(at(grad(2.5 * i, i), {i}, {Tensor(int64_t(3))}), List{2.5});
  EXPECT_EQ(at(grad(i * i, i), {i}, {Tensor(int64_t(3))}), List{0});
  EXPECT_EQ(at(grad(sum(floor(v)), v), {v}, {Tensor({0.5, 1.5, 2.5})}), (List{0, 0, 0}));
  EXPECT_EQ(at(grad(x, x), {x}, {Tensor(7.0)}), List{1});
}

TEST_F(KnownCases, L03) {
  Variable q = 2 * v;
  EXPECT_EQ(at(grad(Replacements{{q, v + 1}}, {v}), {v}, {v12}), (List{4, 6}));
  EXPECT_EQ(at(grad(sum(q * v), v, {.considerConstant = {q}}), {v}, {v12}), (List{2, 4}));
  EXPECT_EQ(at(grad(sum(zeroGrad(v) * v), v), {v}, {v12}), (List{1, 2}));
  EXPECT_EQ(firstLine(grad(sum(disconnectedGrad(v)), v).status()).substr(0, 18),
            "DisconnectedInput:");
  EXPECT_EQ(at(grad(sum(zeroGrad(v)), v), {v}, {v12}), (List{0, 0}));
  EXPECT_EQ(at(grad(sum(sqr(gradScale(v, -2))), v), {v}, {v12}), (List{-4, -8}));
  EXPECT_EQ(at(grad(sum(gradClip(v, -1, 1) * 5), v), {v}, {v12}), (List{1, 1}));
}

TEST_F(KnownCases, L04) {
  Variable t = x * y, u = t * t, two = Constant(2.0), three = Constant(3.0);
  std::vector<Tensor> point = {Tensor(2.0), Tensor(5.0)};
  EXPECT_EQ(at(grad(Replacements{{u, two}, {t, three}}, {x, y}), {x, y}, point), (List{15, 6}));
  EXPECT_EQ(at(grad(u + x, {x, y}, {.knownGrads = {{t, three}}}), {x, y}, point), (List{16, 6}));
}

TEST_F(KnownCases, L05) {
  EXPECT_EQ(at(jacobian(v * sum(v), v), {v}, {v12}), (List{4, 1, 2, 5}));
  EXPECT_EQ(at(hessian(sum(sqr(v)) * v[0], v), {v}, {v12}), (List{6, 4, 4, 2}));
  EXPECT_EQ(at(hessianVectorProduct(sum(v * v * v), v, Constant(v12)), {v}, {v12}), (List{6, 24}));
  EXPECT_EQ(at(pushforward(sqr(v), v, v + 1), {v}, {v12}), (List{4, 12}));
}

// 0^0 is flat in x and in y there; products of others by division would be 0/0.
TEST_F(KnownCases, L06) {
  EXPECT_EQ(at(grad(pow(x, y), {x, y}), {x, y}, {Tensor(0.0), Tensor(0.0)}), (List{0, 0}));
  EXPECT_EQ(at(grad(prod(v), v), {v}, {Tensor({0.0, 2.0, 3.0})}), (List{6, 0, 0}));
  EXPECT_EQ(at(grad(prod(v), v), {v}, {Tensor({0.0, 2.0, 0.0})}), (List{0, 0, 0}));
  EXPECT_EQ(at(pushforward(prod(v), v, Constant(Tensor({1.0, 0.0, 2.0}))), {v},
               {Tensor({2.0, 3.0, 4.0})}),
            List{24});
  // d2(abc): 0, c, b; c, 0, a; b, a, 0.
  EXPECT_EQ(at(hessian(prod(v), v), {v}, {Tensor({0.0, 2.0, 3.0})}),
            (List{0, 3, 2, 3, 0, 0, 2, 0, 0}));
}

// What overflows on its way does not where it is rewritten; each by hand, as it may be written.
TEST_F(KnownCases, L11) {
  EXPECT_EQ(at(grad(log(1 + exp(x)), x), {x}, {Tensor(0.0)}), List{0.5});

  auto values = [](const Variable &output, const Variable &input, const Tensor &value,
                   bool rewrites) {
    return valuesOf(made(function({input}, output, {.rewrites = rewrites}))(value));
  };
  Variable m = dmatrix("m"), logSum = log(sum(exp(v)));
  EXPECT_EQ(values(logSum, v, Tensor({1000.0, 1000.0}), true), List{1000.6931471805599});
  EXPECT_EQ(values(logSum, v, Tensor({1000.0, 1000.0}), false), List{kInf});

  const Tensor row({1000.0, 0.0}), both({{1000.0, 0.0}, {0.0, 1000.0}}),
      corner({{1000.0, 0.0}, {0.0, 0.0}});
  struct {
    const char *label;
    Variable input;
    ReductionOptions over;
    Tensor value;
    List logs;
  } cases[] = {
      {"all of a vector", v, {}, row, {0, -1000}},
      {"kept", v, {.keepDims = true}, row, {0, -1000}},
      {"its axis", v, {.axes = Axis(0)}, row, {0, -1000}},
      {"its axis, kept", v, {.axes = Axis(0), .keepDims = true}, row, {0, -1000}},
      {"all of a matrix", m, {}, corner, {0, -1000, -1000, -1000}},
      {"kept", m, {.keepDims = true}, corner, {0, -1000, -1000, -1000}},
      {"columns", m, {.axes = Axis(0)}, both, {0, -1000, -1000, 0}},
      {"rows", m, {.axes = Axis(1), .keepDims = true}, both, {0, -1000, -1000, 0}},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.label);
    Variable logs = log(exp(c.input) / sum(exp(c.input), c.over));
    EXPECT_EQ(values(logs, c.input, c.value, true), c.logs);
    EXPECT_EQ(values(c.input - log(sum(exp(c.input), c.over)), c.input, c.value, true), c.logs);
    List plain = values(logs, c.input, c.value, false);
    EXPECT_TRUE(std::isnan(plain[0]));
    EXPECT_EQ(plain[1], -kInf);
  }
}

// F-285: derivatives of an op that overwrites its operand read what was there. (3v)^2: 18 v.
TEST_F(KnownCases, OpsThatDestroyOperands) {
  OpDef def = squareOver("squareOver");
  // It reads what is overwritten and what overwrites it: 2 t x.
  def.pushforward = [](const Op &, Inputs in, Outputs out, Tangents t) {
    return Variables{2 * t[0] * out[0] / in[0]};
  };
  Op square = *defineOp(def);
  Variable o = square(v * 3), tangent = pushforward(o, v, Constant(Tensor({1.0, -1.0})));
  for (const char *mode : {"interpreter", "fast_run", "fast_compile", "debug"}) {
    SCOPED_TRACE(mode);
    Function f =
        made(function({v}, {o, grad(sum(o), v), tangent}, {.mode = mode, .acceptInplace = true}));
    EXPECT_EQ(valuesOf(f(v12)), (List{9, 36, 18, 36, 18, -36}));
  }
}

// F-334: promotion of a and b alone, and the branch that is taken alone has a gradient.
TEST_F(KnownCases, Switch) {
  Variable c = bvector("c"), f = fvector("f"), s = where(c, f, v);
  EXPECT_EQ(s.dtype(), DType::Float64);
  EXPECT_EQ(at({s, grad(sum(s * 3), v), grad(sum(s * 3), f)}, {c, f, v},
               {Tensor({1, 0}).cast(DType::Int8), Tensor({5.0, 6.0}).cast(DType::Float32), v12}),
            (List{5, 2, 0, 3, 3, 0}));
}

// F-295 and docs/Gradients.md, "At kinks and ties": where derivatives are infinite, or one-sided.
TEST_F(KnownCases, AtZero) {
  std::vector<Tensor> zero = {Tensor(0.0)}, zeros = {Tensor(0.0), Tensor(0.0)};
  EXPECT_EQ(at(grad(sqrt(x), x), {x}, zero), List{kInf});
  EXPECT_EQ(at(grad(cbrt(x), x), {x}, zero), List{kInf});
  EXPECT_EQ(at(grad(abs(x), x), {x}, zero), List{0});
  EXPECT_EQ(at(grad(relu(x), x), {x}, zero), List{0});
  EXPECT_EQ(at(grad(hypot(x, y), {x, y}), {x, y}, zeros), (List{0, 0}));
  // tanh x = x - x^3 / 3 + ...
  Variable slope = grad(tanh(x), x), second = grad(slope, x), third = grad(second, x);
  EXPECT_EQ(at({slope, second, third}, {x}, zero), (List{1, 0, -2}));
  EXPECT_EQ(at(grad(pow(x, 2), x), {x}, zero), List{0});
  EXPECT_EQ(at(grad(pow(x, 1), x), {x}, zero), List{1});
  EXPECT_EQ(at(grad(pow(x, y), y), {x, y}, {Tensor(0.0), Tensor(2.0)}), List{0});
  EXPECT_EQ(at(grad(leakyRelu(x, 0.25), x), {x}, zero), List{0.25});
  EXPECT_EQ(at(grad(elu(x, 0.25), x), {x}, zero), List{0.25});
  EXPECT_EQ(at(grad(selu(x), x), {x}, zero), List{1.0507009873554805 * 1.6732632423543772});
  EXPECT_EQ(at(grad(stddev(v), v), {v}, {Tensor({2.0, 2.0})}), (List{0, 0}));
  EXPECT_EQ(at(where(isnan(grad(sqrt(sqr(x)), x)), 1.0, 0.0), {x}, zero), List{1});
}

// By hand: limits of the functions and of their derivatives. -0.0 stays, as IEEE 754's product
// does.
TEST_F(KnownCases, ActivationsFarOut) {
  struct {
    const char *name;
    Variable (*function)(const Operand &);
    List values, slopes;
  } cases[] = {
      {"silu", [](const Operand &u) { return silu(u); }, {kInf, 0, 0}, {1, 0, 0.5}},
      {"gelu", [](const Operand &u) { return gelu(u); }, {kInf, 0, 0}, {1, 0, 0.5}},
      {"geluTanh", [](const Operand &u) { return geluTanh(u); }, {kInf, 0, 0}, {1, 0, 0.5}},
      {"mish", [](const Operand &u) { return mish(u); }, {kInf, 0, 0}, {1, 0, 0.6}},
      {"softsign", [](const Operand &u) { return softsign(u); }, {1, -1, 0}, {0, 0, 1}},
  };
  for (const auto &c : cases)
    for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
      SCOPED_TRACE(std::string(c.name) + " " + std::string(dtypeName(dtype)));
      Variable u = tensor(dtype, {kDynamic}), y = c.function(u), slope = grad(sum(y), u);
      Tensor ends = Tensor({kInf, -kInf, -0.0}).cast(dtype);
      List values = at(cast(y, DType::Float64), {u}, {ends});
      EXPECT_EQ(values, c.values);
      EXPECT_TRUE(std::signbit(values[1]) && std::signbit(values[2]));
      List slopes = at(cast(slope, DType::Float64), {u}, {ends});
      for (int i : {0, 1})
        EXPECT_EQ(slopes[size_t(i)], c.slopes[size_t(i)]);
      EXPECT_NEAR(slopes[2], c.slopes[2], 0.01); // halves of 8 bits
      List second = at(cast(grad(sum(slope), u), DType::Float64), {u}, {ends});
      EXPECT_EQ(second[0], 0);
      EXPECT_EQ(second[1], 0);
      // The largest numbers there are, whose squares are none.
      Tensor large = Tensor({6e4, -6e4}).cast(dtype);
      List there = at(cast(slope, DType::Float64), {u}, {large});
      EXPECT_NEAR(there[0], c.slopes[0], 1e-9);
      EXPECT_NEAR(there[1], c.slopes[1], 1e-9);
    }
}

// docs/Gradients.md, "At kinks and ties": which of several derivatives.
TEST_F(KnownCases, AtTies) {
  std::vector<Tensor> ones = {Tensor(1.0), Tensor(1.0)}, tied = {Tensor({2.0, 1.0, 2.0})};
  EXPECT_EQ(at(grad(max(v), v), {v}, tied), (List{1, 0, 1}));
  EXPECT_EQ(at(grad(min(-v), v), {v}, tied), (List{-1, 0, -1}));
  EXPECT_EQ(at(grad(maximum(x, y), {x, y}), {x, y}, ones), (List{1, 0}));
  EXPECT_EQ(at(grad(minimum(x, y), {x, y}), {x, y}, ones), (List{1, 0}));
  Variable pooled = pool(v, {2}, {.stride = {2}});
  EXPECT_EQ(at(grad(sum(pooled), v), {v}, {Tensor({3.0, 3.0, 1.0, 2.0})}), (List{1, 0, 0, 1}));
  EXPECT_EQ(at(grad(clip(x, y, 5.0), {x, y}), {x, y}, ones), (List{1, 0}));
  EXPECT_EQ(at(grad(clip(x, 0.0, y), {x, y}), {x, y}, ones), (List{1, 0}));
  EXPECT_EQ(at(grad(hardTanh(x), x), {x}, {Tensor(1.0)}), List{1});
  EXPECT_EQ(at(grad(hardSigmoid(x), x), {x}, {Tensor(2.5)}), List{0.2});
  EXPECT_EQ(at(grad(floor(x) + sgn(x - 1.0), x), {x}, {Tensor(1.0)}), List{0});
}

/// Forward, by rules and by two pullbacks.
TEST_F(KnownCases, StopsForward) {
  for (bool byRules : {true, false}) {
    PushforwardOptions how{.disconnectedInputs = DisconnectedInputs::Ignore};
    how.useOpPushforward = byRules;
    auto along = [&](const Variable &f) {
      return at(pushforward({f}, {x}, {Variable(Constant(2.0))}, how), {x}, {Tensor(3.0)});
    };
    EXPECT_EQ(along(zeroGrad(x) * x), List{6});
    EXPECT_EQ(along(disconnectedGrad(x) * x), List{6});
    EXPECT_EQ(along(sqr(gradScale(x, -2))), List{-24});
    EXPECT_EQ(along(sqr(gradClip(x, -1, 1))), List{12});
  }
}

/// It looks at several points, of which some are beyond 0.5, where the gradient is wrong.
TEST_F(KnownCases, VerifyGradLooksAtAllPointsWithinBounds) {
  auto offAbove = [](double factor) {
    return [factor](const Variables &in) {
      Variable wrong = gradScale(in[0], factor);
      return where(gt(in[0], 0.5), wrong, in[0]);
    };
  };
  EXPECT_TRUE(verifyGrad(offAbove(2), {Type(DType::Float64, {1})}, 1).ok()); // the first is not
  EXPECT_FALSE(verifyGrad(offAbove(2), {Type(DType::Float64, {1})}, 16).ok());
  EXPECT_TRUE(verifyGrad(offAbove(1.00001), {Type(DType::Float64, {1})}, 16).ok());
  EXPECT_FALSE(verifyGrad(offAbove(1.00001), {Type(DType::Float64, {1})}, 16,
                          {.absoluteBound = 1e-7, .relativeBound = 1e-7})
                   .ok());
}

} // namespace
} // namespace graphc
