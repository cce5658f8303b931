//===- DerivativesTest.cpp - every op's derivatives against differences -------===//
//
// At random points of every case of every op (OpCases.cpp), in float64: pushforwards by the ops'
// rules equal differences of the op's values and what two pullbacks give (F-287), pullbacks are
// their transpose; and the same once more for the pullbacks themselves (F-294).
//
// Differences: D(h) = (8 (f(x + ht) - f(x - ht)) - (f(x + 2ht) - f(x - 2ht))) / 12h is off by
// h^4/30 times the fifth derivative, so that D(h) - D(2h) is some 15 times that error and bounds
// it. Points, tangents and h are multiples of powers of 2, so that x + ht is exact. The evaluator
// rounds what an op gives once from long double; kRoundings stands for those of a chain of ops,
// each of them a unit u of the greatest number of the array. They enter D 18 / 12h times.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "Eval/Evaluate.h"
#include "OpCases.h"
#include "Ops/Registry.h"
#include "WaitingList.h"
#include "graphc/Config.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr double kUnit = 0x1p-53, kStep = 0x1p-10, kRoundings = 64;
/// Beyond this, differences do not say much: there is a kink beside the point.
constexpr double kRough = 1e-6;

//===--- points -------------------------------------------------------------------===//

/// Where an operand's elements lie: not nearer to 0 than `fromZero`.
struct Range {
  double low = -2, high = 2, fromZero = 0.03125;
};

/// Of each operand; the last one is of all others, too.
std::vector<Range> domainOf(const std::string &op) {
  const Range positive{0.125, 3}, unit{-0.9, 0.9}, any, divisor{-2, 2, 0.5};
  static const auto &table = *new std::map<std::string, std::vector<Range>>{
      {"sqrt", {positive}},
      {"rsqrt", {positive}},
      {"log", {positive}},
      {"log2", {positive}},
      {"log10", {positive}},
      {"log1p", {{-0.8, 3}}},
      {"log1mexp", {{-3, -0.0625}}},
      {"logit", {{0.0625, 0.9375}}},
      {"xlogy", {any, positive}},
      {"xlog1py", {any, {-0.8, 3}}},
      {"arcsin", {unit}},
      {"arccos", {unit}},
      {"arctanh", {unit}},
      {"arccosh", {{1.125, 4}}},
      {"tan", {{-1.25, 1.25}}},
      {"polygamma", {{0.5, 3}}},
      {"beta", {{0.5, 3}}},
      {"betaln", {{0.5, 3}}},
      {"cbrt", {divisor}},
      {"reciprocal", {divisor}},
      {"trueDiv", {any, divisor}},
      {"intDiv", {any, divisor}},
      {"mod", {any, divisor}},
      {"pow", {positive, any}},
      {"hypot", {divisor}},
      {"arctan2", {divisor}},
  };
  auto found = table.find(op);
  return found == table.end() ? std::vector<Range>{any} : found->second;
}

/// Beside integers and halves, where rounding has its steps.
Tensor randomPoint(const std::vector<int64_t> &shape, const Range &range, std::mt19937 &random) {
  Tensor values = *Tensor::allocate(DType::Float64, shape);
  for (double &x : values.mutableFlat<double>())
    do {
      double unit = random() * 0x1p-32;
      x = std::round((range.low + unit * (range.high - range.low)) * 0x1p20) * 0x1p-20;
    } while (std::fabs(x) < range.fromZero || std::fabs(2 * x - std::round(2 * x)) < 0.03125);
  return values;
}

/// In [-1, 1].
Tensor randomDirection(absl::Span<const int64_t> shape, std::mt19937 &random) {
  Tensor values = *Tensor::allocate(DType::Float64, shape);
  for (double &x : values.mutableFlat<double>())
    x = double(int(random() % 511) - 255) * 0x1p-8;
  return values;
}

Tensor moved(const Tensor &x, const Tensor &direction, double step) {
  Tensor to = x.copy();
  for (int64_t i = 0; i < x.numElements(); ++i)
    to.mutableFlat<double>()[i] += step * direction.flat<double>()[i];
  return to;
}

//===--- arrays of float64 ----------------------------------------------------------===//

double greatest(const Tensor &x) {
  double most = 0;
  for (double element : x.flat<double>())
    if (std::isfinite(element))
      most = std::max(most, std::fabs(element));
  return most;
}

/// The sum of products, and that of their magnitudes.
struct Product {
  double sum = 0, magnitude = 0;
  void add(const Tensor &x, const Tensor &y) {
    for (int64_t i = 0; i < x.numElements(); ++i) {
      double term = x.flat<double>()[i] * y.flat<double>()[i];
      sum += term, magnitude += std::fabs(term);
    }
  }
};

//===--- one function -------------------------------------------------------------===//

/// How many numbers there were, and how many of them differences know nothing of: these are not
/// compared.
struct Tally {
  int numbers = 0, rough = 0;
  bool isRough(double bound, double difference) {
    bool rough =
        !std::isfinite(difference) || !(bound <= kRough * std::max(1.0, std::fabs(difference)));
    ++numbers;
    this->rough += rough;
    return rough;
  }
};

struct Function {
  Variables outputs, inputs;
  std::vector<Tensor> values;
  /// Which of the inputs it is differentiated by.
  std::vector<size_t> wrt;

  std::vector<Tensor> at(const Variables &what, const std::vector<Tensor> &values) const {
    TensorsOr results = evaluate(what, inputs, values);
    EXPECT_TRUE(results.ok()) << results.status();
    if (!results.ok())
      return {};
    for (Tensor &result : *results)
      result = result.contiguous();
    return *std::move(results);
  }
};

/// The derivatives of a function along a direction by differences, with bounds of their errors.
struct Differences {
  std::vector<Tensor> values, bounds;

  Differences(const Function &f, const std::vector<Tensor> &direction) {
    auto change = [&](double step) {
      auto valuesAt = [&](double by) {
        std::vector<Tensor> to = f.values;
        for (size_t k = 0; k < f.wrt.size(); ++k)
          to[f.wrt[k]] = moved(to[f.wrt[k]], direction[k], by);
        return f.at(f.outputs, to);
      };
      std::vector<Tensor> above = valuesAt(step), below = valuesAt(-step);
      for (size_t o = 0; o < std::min(above.size(), below.size()); ++o)
        above[o] = moved(above[o], below[o], -1);
      return above;
    };
    std::vector<Tensor> once = change(kStep), twice = change(2 * kStep), more = change(4 * kStep);
    std::vector<Tensor> here = f.at(f.outputs, f.values);
    if (here.empty() || once.empty() || twice.empty() || more.empty())
      return;
    for (size_t o = 0; o < f.outputs.size(); ++o) {
      Tensor value = once[o].copy(), bound = once[o].copy();
      double rounding = kRoundings * kUnit * greatest(here[o]) * 18 / (12 * kStep);
      for (int64_t i = 0; i < value.numElements(); ++i) {
        auto element = [&](const Tensor &x) { return x.flat<double>()[i]; };
        double fine = (8 * element(once[o]) - element(twice[o])) / (12 * kStep);
        double coarse = (8 * element(twice[o]) - element(more[o])) / (24 * kStep);
        value.mutableFlat<double>()[i] = fine;
        bound.mutableFlat<double>()[i] = std::fabs(fine - coarse) + rounding;
      }
      values.push_back(value);
      bounds.push_back(bound);
    }
  }
};

/// Whether the error says that an op of the list has no rules yet.
bool waits(const absl::Status &status) {
  for (const auto &[op, words] : waitingList("derivatives-waiting.txt"))
    if (status.message().find("the op " + op + " has no pullback") != absl::string_view::npos)
      return true;
  return false;
}

/// Each of them is a tensor; false, and a test failure but where it waits, if not.
bool areThere(const Variables &derivatives) {
  for (const Variable &v : derivatives)
    if (!v.ok()) {
      EXPECT_TRUE(waits(v.status())) << v.status();
      return false;
    }
  return true;
}

/// The numbers of an array that must be within the bounds.
void expectWithin(const char *what, const Tensor &got, const Tensor &wanted, const Tensor &bounds,
                  double more, Tally &tally) {
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  for (int64_t i = 0; i < got.numElements(); ++i) {
    double x = got.flat<double>()[i], y = wanted.flat<double>()[i];
    double bound = bounds.flat<double>()[i] + more;
    if (tally.isRough(bound, y))
      continue;
    ASSERT_LE(std::fabs(x - y), bound) << what << ", element " << i << ": " << x << ", not " << y;
  }
}

/// `order` derivatives of each other.
void expectDerivatives(const Function &f, int order, std::mt19937 &random, Tally &tally) {
  SCOPED_TRACE(order == 2 ? "the op" : "its pullback");
  std::vector<Tensor> here = f.at(f.outputs, f.values);
  if (here.empty())
    return;
  Function g = f;
  Variables wrt, tangents, cotangents;
  std::vector<Tensor> directions, weights;
  double numTerms = 1;
  for (size_t i : f.wrt) {
    wrt.push_back(f.inputs[i]);
    tangents.push_back(Variable(f.inputs[i].type()));
    directions.push_back(randomDirection(f.values[i].shape(), random));
    numTerms += double(f.values[i].numElements());
  }
  for (size_t o = 0; o < f.outputs.size(); ++o) {
    cotangents.push_back(Variable(f.outputs[o].type()));
    weights.push_back(randomDirection(here[o].shape(), random));
    numTerms += double(here[o].numElements());
    g.wrt.push_back(g.inputs.size());
    g.inputs.push_back(cotangents[o]);
    g.values.push_back(weights[o]);
  }
  PushforwardOptions byRules{.disconnectedInputs = DisconnectedInputs::Ignore};
  PushforwardOptions byPullbacks = byRules;
  byPullbacks.useOpPushforward = false;
  Variables pushed = pushforward(f.outputs, wrt, tangents, byRules);
  Variables pulledTwice = pushforward(f.outputs, wrt, tangents, byPullbacks);
  g.outputs =
      pullback(f.outputs, wrt, cotangents, {.disconnectedInputs = DisconnectedInputs::Ignore});
  if (!areThere(pushed) || !areThere(pulledTwice) || !areThere(g.outputs))
    return;

  Function all = g;
  all.inputs.insert(all.inputs.end(), tangents.begin(), tangents.end());
  all.values.insert(all.values.end(), directions.begin(), directions.end());
  std::vector<Tensor> along = all.at(pushed, all.values), twice = all.at(pulledTwice, all.values),
                      pulled = all.at(g.outputs, all.values);
  Differences differences(f, directions);
  if (along.empty() || twice.empty() || pulled.empty() || differences.values.empty())
    return;

  Product back, forth;
  double bound = 0;
  for (size_t o = 0; o < along.size(); ++o) {
    double rounding = kRoundings * kUnit * greatest(along[o]);
    expectWithin("pushforward", along[o], differences.values[o], differences.bounds[o], rounding,
                 tally);
    Tensor none = *Tensor::zeros(DType::Float64, along[o].shape());
    expectWithin("two pullbacks", twice[o], along[o], none, rounding * numTerms, tally);
    forth.add(differences.values[o], weights[o]);
    Product bounds;
    bounds.add(differences.bounds[o], weights[o]);
    bound += bounds.magnitude;
  }
  for (size_t k = 0; k < pulled.size(); ++k) {
    ASSERT_EQ(pulled[k].shape(), directions[k].shape());
    back.add(pulled[k], directions[k]);
  }
  bound += kRoundings * kUnit * (numTerms + back.magnitude + forth.magnitude);
  if (!tally.isRough(bound, forth.magnitude)) {
    EXPECT_LE(std::fabs(back.sum - forth.sum), bound)
        << "pullback: " << back.sum << ", not " << forth.sum;
  }
  if (order > 1 && !testing::Test::HasFailure())
    expectDerivatives(g, order - 1, random, tally);
}

//===--- all ops --------------------------------------------------------------------===//

class Derivatives : public testing::TestWithParam<const OpDef *> {};

bool isStop(const OpDef &op) { return op.section == "Gradient stops"; }

/// That no result depends on elements.
bool isIndependent(const OpDef &op) {
  for (const std::vector<bool> &outputs : op.connection)
    for (bool isConnected : outputs)
      if (isConnected)
        return false;
  return !op.connection.empty();
}

/// The cases where floats give floats, of as many digits.
std::vector<OpCase> floatCases(const OpDef &op) {
  std::vector<OpCase> cases;
  for (const OpCase &c : casesOf(op.name)) {
    Variable result = c.call(operandsOf(c, {DType::Float64}));
    if (result.ok() && result.dtype() == DType::Float64 &&
        !(c.positions == 0 && c.shapes.size() == 1))
      cases.push_back(c);
  }
  return cases;
}

Function atRandomPoint(const OpDef &op, const OpCase &c, std::mt19937 &random) {
  Function f{{}, operandsOf(c, {DType::Float64}), {}, {}};
  std::vector<Range> domain = domainOf(op.name);
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    if (int(i) == c.positions) {
      f.values.push_back(*Tensor::zeros(DType::Int64, c.shapes[i]));
      for (int64_t &position : f.values[i].mutableFlat<int64_t>())
        position = int64_t(random() % uint64_t(c.limit));
    } else {
      f.values.push_back(randomPoint(c.shapes[i], domain[std::min(i, domain.size() - 1)], random));
      f.wrt.push_back(i);
    }
  }
  f.outputs = {c.call(f.inputs)};
  return f;
}

/// derivatives-waiting.txt has the ops whose rules are to be written. It can only shrink.
TEST_P(Derivatives, HaveBothRules) {
  const OpDef &op = *GetParam();
  bool isByParts = op.complex.parts && op.complex.makesComplex; // whose ops have the rules
  bool isThere =
      (op.pullback && op.pushforward) || isByParts || isIndependent(op) || floatCases(op).empty();
  bool isListed = waitingList("derivatives-waiting.txt").count(op.name);
  EXPECT_EQ(!isThere, isListed)
      << (isListed ? "it waits no more: change derivatives-waiting.txt"
                   : "floats give floats: it needs a pullback and a pushforward, or must say that "
                     "it has none (withoutDerivative) or that nothing depends on elements "
                     "(independent)");
}

TEST_P(Derivatives, EqualDifferences) {
  const OpDef &op = *GetParam();
  if (isStop(op))
    return; // what they say is not so
  std::mt19937 random(7);
  Tally tally;
  bool isDifferentiated = false;
  for (const OpCase &c : floatCases(op)) {
    Function f = atRandomPoint(op, c, random);
    std::string text;
    for (const Tensor &value : f.values)
      text += Type(value.dtype(), value.shape()).brief() + " ";
    SCOPED_TRACE(text);
    Variables wrt;
    for (size_t i : f.wrt)
      wrt.push_back(f.inputs[i]);
    Variable pulled = pullback(f.outputs, wrt, {Variable(f.outputs[0].type())},
                               {.disconnectedInputs = DisconnectedInputs::Ignore,
                                .nullGradients = NullGradients::Return})[0];
    if (pulled.type().kind() == Type::Kind::Null && !pulled.type().reason().empty() &&
        op.pullback) {
      // withoutDerivative, or F-341: unittests/Random differentiates those that ask for it.
      EXPECT_TRUE(op.name == "nextafter" || op.name == "complexRecurrence" ||
                  op.name == "ctcGradientAlong" || op.section == "Random numbers")
          << pulled.type().reason();
      continue;
    }
    isDifferentiated = true;
    // ctcLoss has no third derivative.
    expectDerivatives(f, op.name == "ctcGradient" ? 1 : 2, random, tally);
    if (HasFailure())
      return; // the others are likely to be the same mistake
  }
  EXPECT_LE(tally.rough * 20, tally.numbers) << "few of the points may be beside kinks";
  if (isDifferentiated && !waitingList("derivatives-waiting.txt").count(op.name))
    EXPECT_GT(tally.numbers, tally.rough) << "nothing was compared";
}

/// F-294: the gradients of a random combination of the results, as a user verifies his own.
TEST_P(Derivatives, SecondOnesByVerifyGrad) {
  const OpDef &op = *GetParam();
  if (isStop(op) || !op.pullback || op.name.starts_with("ctcGradient"))
    return;
  std::mt19937 random(11);
  // It evaluates the function twice for each element: the small cases, of so many in all.
  constexpr int64_t kEnoughElements = 120;
  int64_t numElements = 0;
  std::vector<OpCase> cases = floatCases(op);
  auto size = [](const OpCase &c) {
    int64_t sum = 0;
    for (const auto &shape : c.shapes)
      sum += Type(DType::Float64, shape).numElements();
    return sum;
  };
  std::ranges::sort(cases, {}, size);
  for (const OpCase &c : cases) {
    if ((numElements += size(c)) > kEnoughElements && &c != &cases.front())
      break;
    Function f = atRandomPoint(op, c, random);
    std::vector<Tensor> here = f.at(f.outputs, f.values), point;
    ASSERT_FALSE(here.empty());
    Constant weights = Constant::adopt(randomDirection(here[0].shape(), random));
    for (size_t i : f.wrt)
      point.push_back(f.values[i]);
    for (size_t k = 0; k < f.wrt.size(); ++k) {
      auto gradient = [&](const Variables &v) -> Variable {
        Variables operands;
        for (const Tensor &value : f.values)
          operands.push_back(Constant::adopt(value));
        for (size_t i = 0; i < f.wrt.size(); ++i)
          operands[f.wrt[i]] = v[i];
        Variable cost = sum(c.call(operands) * weights);
        return grad(cost, {v[k]},
                    {.disconnectedInputs = DisconnectedInputs::Ignore,
                     .nullGradients = NullGradients::Return})[0];
      };
      Variables probe;
      for (const Tensor &value : point)
        probe.push_back(Variable(Type(value.dtype(), value.shape())));
      if (!gradient(probe).type().isTensor())
        continue; // withoutDerivative
      absl::Status status =
          verifyGrad(gradient, point, {.differences = ::graphc::Differences::Central});
      ASSERT_TRUE(status.ok()) << "operand " << k << ": " << status;
    }
  }
}

/// F-270: gradients have the rank and dtype of the operand, floatX where that is no float; tangents
/// those of the result.
TEST_P(Derivatives, HaveTheTypesOfWhatTheyAreOf) {
  const OpDef &op = *GetParam();
  for (const OpCase &c : casesOf(op.name))
    for (int first = 0; first < kNumRealDTypes; ++first)
      for (int step : {0, 1, 5}) {
        Variables operands = operandsOf(c, {DType(first), DType((first + step) % kNumRealDTypes)});
        Variable result = c.call(operands);
        if (!result.ok() || !isFloat(result.dtype()))
          continue;
        Variables tangents;
        for (const Variable &operand : operands)
          tangents.push_back(Variable(
              operand.type().withDType(isFloat(operand.dtype()) ? operand.dtype() : floatX())));
        Variables gradients = pullback({result}, operands, {Variable(result.type())},
                                       {.disconnectedInputs = DisconnectedInputs::Ignore,
                                        .nullGradients = NullGradients::Return});
        Variable tangent = pushforward({result}, operands, tangents,
                                       {.disconnectedInputs = DisconnectedInputs::Ignore,
                                        .nullGradients = NullGradients::Return})[0];
        for (size_t i = 0; i < operands.size(); ++i) {
          ASSERT_TRUE(gradients[i].ok()) << gradients[i].status();
          if (!gradients[i].type().isTensor())
            continue;
          EXPECT_EQ(gradients[i].dtype(), tangents[i].dtype()) << operands[i].type();
          EXPECT_TRUE(gradients[i].type().isSuperOf(Type(tangents[i].dtype(), c.shapes[i])))
              << gradients[i].type() << " of " << operands[i].type();
        }
        ASSERT_TRUE(tangent.ok()) << tangent.status();
        if (tangent.type().isTensor()) {
          EXPECT_EQ(tangent.dtype(), result.dtype());
          EXPECT_EQ(tangent.rank(), result.rank());
        }
      }
}

INSTANTIATE_TEST_SUITE_P(All, Derivatives,
                         testing::ValuesIn(std::vector<const OpDef *>(allOps().begin(),
                                                                      allOps().end())),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace graphc
