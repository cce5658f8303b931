//===- ExportTest.cpp - ops as ONNX, read back ----------------------------------===//
//
// Every op that lib/Export writes, on random operands and golden vectors: the file is read again
// and evaluated. What it may differ by beyond the op itself follows from the compositions that
// stand for ops which ONNX has not: each is of at most kSteps operations, of half a unit to a unit
// each.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "Eval/Evaluate.h"
#include "ExampleText.h"
#include "ExportedModel.h"
#include "GoldenCalls.h"
#include "GoldenTolerance.h"
#include "OpTolerance.h"
#include "Ops/Registry.h"
#include "Trials.h"
#include "WaitingList.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Sorting.h"
#include "graphc/Special.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr double kSteps = 16;

/// Where digits cancel, as docs/Export.md says: of numbers up to that of `scale`.
const std::map<std::string, double> &cancelling() {
  static const auto &ops =
      *new std::map<std::string, double>{{"erfc", 2},
                                         {"ndtr", 1},
                                         {"gelu", 40},
                                         {"fma", 1e10},
                                         {"gammaln", 4},
                                         {"polygamma", 4},
                                         // sums of some numbers up to 10, in an order of their own
                                         {"fft", 4},
                                         {"ifft", 4},
                                         {"rfft", 4},
                                         {"irfft", 4},
                                         {"dft", 4},
                                         {"rdft", 4},
                                         {"irdft", 4},
                                         // by another order of elimination
                                         {"cholesky", 4},
                                         {"solveTriangular", 4},
                                         {"solve", 4},
                                         {"inv", 4},
                                         {"luFactor", 4},
                                         {"slogdet", 4},
                                         {"qr", 4},
                                         {"cofactors", 4000},
                                         {"expm", 4},
                                         {"betaln", 4},
                                         {"svd", 16}, // vectors: over the differences of values
                                         {"svdvals", 4},
                                         {"eigh", 4},
                                         {"eigvalsh", 4},
                                         {"pinv", 4},
                                         {"solveSylvester", 4},
                                         {"gammaincShape", 4},
                                         {"betaincShape", 4},
                                         {"ctcLoss", 4},
                                         {"ctcGradient", 4},
                                         {"ctcGradientAlong", 4},
                                         {"complexRecurrence", 4}};
  return ops;
}

/// Whose results are exponentials, and logarithms of these solved for.
const std::set<std::string> &exponentials() {
  static const auto &ops = *new std::set<std::string>{
      "beta",       "gammainc", "gammaincc", "gammaincinv", "gammainccinv", "betainc",
      "betaincinv", "iv",       "ive",       "kv",          "kve"};
  return ops;
}

/// `op`: null for functions made of ops.
Tolerance widened(const OpDef *op, Tolerance t, DType dtype) {
  t.zeroSigns = false;
  bool isDouble = dtype == DType::Float64, isBrain = dtype == DType::BFloat16;
  double unit = isDouble ? 0x1p-52 : dtype == DType::Float16 ? 0x1p-10 : isBrain ? 0x1p-7 : 0x1p-23;
  t.rtol = t.rtol ? *t.rtol * kSteps : (2 * t.ulp + kSteps) * unit;
  if (op && op->name == "geluTanh") // an exponential of numbers up to 700, off by some units
    *t.rtol += 4 * 700 * unit;
  if (op && exponentials().contains(op->name)) // the same, always in float64
    *t.rtol += 4 * 745 * 0x1p-52;
  // Below the normal numbers, digits are few, and a factor of some hundreds makes them many.
  double subnormal = isDouble ? 0x1p-1064 : dtype == DType::Float16 ? 0x1p-20 : 0x1p-139;
  t.atol = t.atol.value_or(0) * kSteps + subnormal;
  if (op && cancelling().contains(op->name)) {
    *t.atol += cancelling().at(op->name) * kSteps * unit;
    t.atols.clear(); // of the op on its operands' magnitudes, which says nothing of these
  }
  for (double &atol : t.atols)
    atol *= kSteps;
  return t;
}

/// The ops that are not written, with the reasons.
const std::map<std::string, std::vector<std::string>> &notExported() {
  static const auto &list =
      *new std::map<std::string, std::vector<std::string>>(waitingList("not-exported.txt"));
  return list;
}

/// Draws are the runtime's own; ops that look at units in the last place, and those whose operands
/// here are beyond what ONNX says (NaN among what is sorted) are compared on golden vectors alone.
bool isDrawn(const OpDef &op) { return op.section == "Random numbers"; }

/// Ops whose extents ONNX, or our reader of it, must know (docs/Export.md).
bool needsExtents(const std::string &name) {
  static const auto &ops = *new std::set<std::string>{
      "conv1d", "conv2d",     "conv3d",      "convInputGradient", "convKernelGradient",
      "pool",   "poolSpread", "poolScatter", "poolPositions"};
  return ops.contains(name);
}

Variables callAllBuiltin(const OpDef &op, const Attributes &attributes, const Variables &operands) {
  absl::StatusOr<Op> made = Op::create(op, attributes);
  EXPECT_TRUE(made.ok()) << made.status();
  return made->callAll(std::vector<Operand>(operands.begin(), operands.end()), Place());
}

std::vector<const OpDef *> opsThat(bool (*isWanted)(const OpDef &op)) {
  std::vector<const OpDef *> ops;
  for (const OpDef *op : allOps())
    if (isWanted(*op))
      ops.push_back(op);
  return ops;
}

class ExportedDraw : public testing::TestWithParam<const OpDef *> {};
/// But for searchsorted: of vectors that are not sorted, as they are here, any position will do.
class Exported : public testing::TestWithParam<const OpDef *> {};

TEST_P(Exported, ComputesTheSameWhenReadAgain) {
  const OpDef &op = *GetParam();
  bool hasExtremes = op.maxUlp.f32 >= 0 && op.maxUlp.f64 >= 0;
  std::mt19937 random(7);
  int number = 0;
  for (OpCase c : casesOf(op.name)) {
    ++number;
    c.isStatic |= needsExtents(op.name);
    for (int dtype = 0; dtype < kNumRealDTypes; ++dtype) {
      bool isMain = DType(dtype) == DType::Float32 || DType(dtype) == DType::Int64;
      if (number > 1 && !isMain && (dtype + number) % 5)
        continue;
      std::vector<DType> dtypes = {DType(dtype), DType((dtype + number / 2) % kNumRealDTypes)};
      std::optional<Trial> trial = makeTrial(c, dtypes, hasExtremes, random);
      if (!trial || (op.name == "pow" && trial->output.dtype() == DType::UInt64))
        continue; // exponents from 2^63 on are not written
      SCOPED_TRACE(std::to_string(number) + ": " + trial->text);
      bool wasWritten = !notExported().contains(op.name);
      TensorsOr results = throughFile({trial->output}, trial->inputs, trial->values);
      if (!wasWritten) {
        EXPECT_EQ(errorKind(results.status()), ErrorKind::NotSupported) << results.status();
        return;
      }
      ASSERT_TRUE(results.ok()) << results.status();
      TensorsOr evaluated = evaluate({trial->output}, trial->inputs, trial->values);
      ASSERT_TRUE(evaluated.ok()) << evaluated.status();
      Tolerance t = widened(&op, toleranceOf(op, trial->output, trial->inputs, trial->values),
                            trial->output.dtype());
      expectClose((*results)[0], (*evaluated)[0], t);
      bool isUsual = isMain || DType(dtype) == DType::Float64 || DType(dtype) == DType::Bool;
      bool isOverflow = op.name == "pow" && isInteger(trial->output.dtype());
      if (isUsual && dtypes[0] == dtypes[1] && !isOverflow)
        leaveModel({trial->output}, trial->inputs, trial->values, *evaluated, {t});
      if (HasFailure())
        return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exported, testing::ValuesIn(opsThat([](const OpDef &op) {
                           return !isDrawn(op) && op.name != "searchsorted";
                         })),
                         [](const auto &info) { return info.param->name; });

/// Of vectors that are sorted, which the cases above are not: NaN stands behind all numbers.
/// NumPy's searchsorted.
TEST(ExportedSearches, FindNaNBehindAllNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (DType dtype : {DType::Float64, DType::Float32}) {
    Variable sorted = tensor(dtype, {kDynamic}, "sorted"),
             values = tensor(dtype, {kDynamic, kDynamic}, "values");
    TensorsOr places = throughFile(
        {searchsorted(sorted, values), searchsorted(sorted, values, {.right = true})},
        {sorted, values},
        {Tensor({0, 1, 1, nan, nan}).cast(dtype), Tensor({{0.5, nan, 1}, {7, -1, 0}}).cast(dtype)});
    ASSERT_TRUE(places.ok()) << places.status();
    EXPECT_EQ((*places)[0], Tensor({{1, 3, 1}, {3, 0, 0}}, DType::Int64));
    EXPECT_EQ((*places)[1], Tensor({{1, 5, 3}, {3, 0, 1}}, DType::Int64));
  }
}

/// Both gamma functions have poles there: mpmath's limits (unittests/Ops/SpecialTest.cpp).
TEST(ExportedBeta, HasLimitsAtPolesOfBoth) {
  Variable a = dvector("a"), b = dvector("b");
  TensorsOr values = throughFile(
      {graphc::beta(a, b), betaln(a, b)}, {a, b},
      {Tensor({1, 2, 2, 3, -5}, DType::Float64), Tensor({-1, -2, -3, -5, 3}, DType::Float64)});
  ASSERT_TRUE(values.ok()) << values.status();
  expectClose((*values)[0], Tensor({-1, 0.5, 1.0 / 6, -1.0 / 30, -1.0 / 30}),
              {.rtol = 1e-14, .atol = 0}); // a few roundings
  expectClose((*values)[1], Tensor({0, -std::log(2), -std::log(6), -std::log(30), -std::log(30)}),
              {.rtol = 1e-14, .atol = 1e-14});
}

//===--- draws ------------------------------------------------------------------------===//

/// Where the numbers below which a quarter, a half and three quarters of them lie.
std::array<double, 3> quartiles(const Tensor &values) {
  Tensor wide = values.cast(DType::Float64).contiguous();
  std::vector<double> sorted(wide.flat<double>().begin(), wide.flat<double>().end());
  std::sort(sorted.begin(), sorted.end());
  size_t n = sorted.size();
  return {sorted[n / 4], sorted[n / 2], sorted[3 * n / 4]};
}

/// Of the numbers at one place of the rows, if draws are rows.
struct Moments {
  double mean, variance, fourth; // the latter two around the mean
};
std::vector<Moments> momentsOf(const Tensor &values) {
  Tensor wide = values.cast(DType::Float64).contiguous();
  const size_t rows = size_t(wide.shape()[0]), columns = wide.numElements() / rows;
  std::vector<Moments> all;
  for (size_t column = 0; column < columns; ++column) {
    auto meanOf = [&](auto &&f) {
      double sum = 0;
      for (size_t row = 0; row < rows; ++row)
        sum += f(wide.flat<double>()[row * columns + column]);
      return sum / double(rows);
    };
    const double mean = meanOf([](double x) { return x; });
    auto square = [&](double x) { return (x - mean) * (x - mean); };
    all.push_back({mean, meanOf(square), meanOf([&](double x) { return square(x) * square(x); })});
  }
  return all;
}

const std::set<std::string> &drawsByLoops() {
  static const auto &ops = *new std::set<std::string>{
      "randomPoisson",        "randomBinomial",  "randomNegativeBinomial",
      "randomHypergeometric", "randomBetabinom", "randomMultinomial"};
  return ops;
}

/// The distribution is the op's; the numbers are the reader's generator's. A quartile of n draws is
/// off by sqrt(3/16 / n) / density, which is about range / sqrt(n), with a range from quarter to
/// quarter: six times that, and the next whole number of integers. Of these also means and
/// variances, which are off by sqrt(variance / n) and sqrt((fourth - variance^2) / n): six times
/// that, of two samples.
TEST_P(ExportedDraw, HasTheSameDistribution) {
  const OpDef &op = *GetParam();
  // Loops within loops take the evaluator some milliseconds a draw.
  const int64_t count = drawsByLoops().contains(op.name) ? 1000 : 20000;
  std::optional<Example> example = parseExample(op, op.example);
  ASSERT_TRUE(example);
  Variables inputs;
  std::vector<Tensor> values = example->operands;
  values[1] = Tensor({count}, DType::Int64);
  for (const Tensor &value : values)
    inputs.push_back(Variable(Type(value.dtype(), value.shape())));
  Variables outputs = callAllBuiltin(op, example->attributes, inputs);
  TensorsOr own = evaluate(outputs, inputs, values), file = throughFile(outputs, inputs, values);
  ASSERT_TRUE(own.ok() && file.ok()) << own.status() << file.status();
  EXPECT_TRUE((*own)[0] == (*file)[0]) << "the next state is the same";
  ASSERT_EQ((*own)[1].dtype(), (*file)[1].dtype());
  ASSERT_EQ((*own)[1].shape(), (*file)[1].shape());
  std::array<double, 3> a = quartiles((*own)[1]), b = quartiles((*file)[1]);
  double allowed = 12 * (a[2] - a[0]) / std::sqrt(double(count)) + isInteger((*own)[1].dtype());
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(a[k], b[k], allowed) << "quartile " << k;
  if (!isInteger((*own)[1].dtype()))
    return;
  std::vector<Moments> ours = momentsOf((*own)[1]), theirs = momentsOf((*file)[1]);
  const double times = 6 * std::sqrt(2 / double(count));
  for (size_t k = 0; k < ours.size(); ++k) {
    const auto &[mean, variance, fourth] = ours[k];
    EXPECT_NEAR(mean, theirs[k].mean, times * std::sqrt(variance)) << "mean " << k;
    EXPECT_NEAR(variance, theirs[k].variance,
                times * std::sqrt(std::max(fourth - variance * variance, 0.0)))
        << "variance " << k;
  }
}

// Where the op refuses parameters, a count in the file is -1: ONNX has no errors, nor has an
// integer a NaN. The last parameters of each are good ones.
TEST(ExportedDraws, OfRefusedParameters) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  struct Case {
    std::string op;
    std::vector<std::vector<double>> parameters; // each of all elements
  };
  const Case cases[] = {
      {"randomPoisson", {{-1, nan, inf, -inf, 4}}},
      {"randomBinomial",
       {{-1, 2.5, nan, inf, 10, 10, 10, 10}, {0.5, 0.5, 0.5, 0.5, -0.1, 1.5, nan, 0.5}}},
      {"randomNegativeBinomial",
       {{0, -1, nan, inf, 3, 3, 3, 3}, {0.5, 0.5, 0.5, 0.5, 0, 1.5, nan, 0.5}}},
      {"randomBetabinom", {{-1, 2.5, nan, 10, 10, 10}, {2, 2, 2, 0, 2, 2}, {3, 3, 3, 3, nan, 3}}},
      {"randomHypergeometric",
       {{-1, 2.5, nan, 5, 5, 5}, {10, 10, 10, inf, 10, 10}, {6, 6, 6, 6, 16, 6}}},
      {"randomBernoulli", {{-0.5, 1.5, nan, 0.5}}},
      {"randomGeometric", {{-0.5, 0, 1.5, nan, 0.5}}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.op);
    std::vector<Tensor> values = {Tensor({1, 0}, DType::Int64),
                                  Tensor::zeros(DType::Int64, {0}).value()};
    const auto count = int64_t(c.parameters[0].size());
    for (const std::vector<double> &each : c.parameters)
      values.push_back(*Tensor::fromSpan<double>(each, {count}));
    Variables inputs;
    for (const Tensor &value : values)
      inputs.push_back(Variable(Type(value.dtype(), value.shape())));
    TensorsOr file = throughFile(callAllBuiltin(*findOp(c.op), {}, inputs), inputs, values);
    ASSERT_TRUE(file.ok()) << file.status();
    absl::Span<const int64_t> drawn = (*file)[1].flat<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(drawn[size_t(i)] == -1, i + 1 < count) << i << ": " << drawn[size_t(i)];
      std::vector<Tensor> one = {values[0], values[1]};
      for (size_t k = 2; k < values.size(); ++k)
        one.push_back(*values[k].slice(0, i, 1, 1));
      Variables alone;
      for (const Tensor &value : one)
        alone.push_back(Variable(Type(value.dtype(), value.shape())));
      EXPECT_EQ(evaluate(callAllBuiltin(*findOp(c.op), {}, alone), alone, one).ok(), i + 1 == count)
          << i << ": as the op";
    }
  }
}

// Rows, and rates beyond all integers, of which draws are the greatest one.
TEST(ExportedDraws, OfRefusedRowsAndOfGreatRates) {
  auto drawn = [](const std::string &op, const std::vector<Tensor> &parameters) {
    std::vector<Tensor> values = {Tensor({1, 0}, DType::Int64), *Tensor::zeros(DType::Int64, {0})};
    values.insert(values.end(), parameters.begin(), parameters.end());
    Variables inputs;
    for (const Tensor &value : values)
      inputs.push_back(Variable(Type(value.dtype(), value.shape())));
    TensorsOr file = throughFile(callAllBuiltin(*findOp(op), {}, inputs), inputs, values);
    EXPECT_TRUE(file.ok()) << file.status();
    return toString((*file)[1], {.inlineList = true});
  };
  Tensor rows({{0.0, 1.0, 0.0}, {0.5, 0.25, 0.0}, {-0.5, 1.5, 0.0}});
  EXPECT_EQ(drawn("randomMultinomial", {Tensor(10.0), rows}),
            "[[0, 10, 0], [-1, -1, -1], [-1, -1, -1]]");
  EXPECT_EQ(drawn("randomMultinomial", {Tensor(2.5), rows}),
            "[[-1, -1, -1], [-1, -1, -1], [-1, -1, -1]]");
  EXPECT_EQ(drawn("randomCategorical", {rows}), "[1, -1, -1]");
  EXPECT_EQ(drawn("randomPoisson", {Tensor({1e30, 1e300})}),
            "[9223372036854775807, 9223372036854775807]");
}

INSTANTIATE_TEST_SUITE_P(All, ExportedDraw, testing::ValuesIn(opsThat([](const OpDef &op) {
                           return isDrawn(op) && !notExported().contains(op.name);
                         })),
                         [](const auto &info) { return info.param->name; });

//===--- golden vectors ---------------------------------------------------------------===//

std::vector<std::string> families() {
  std::set<std::string> names;
  for (const GoldenLine &line : goldenLines())
    if (!line.skip)
      names.insert(line.op);
  return {names.begin(), names.end()};
}

class ExportedGolden : public testing::TestWithParam<std::string> {};

TEST_P(ExportedGolden, EqualsTheLine) {
  constexpr int kMostLeft = 6; // for another program, which takes more time
  int left = 0;
  for (const GoldenLine &line : goldenLines())
    for (GoldenExtents extents : {GoldenExtents::Static, GoldenExtents::Dynamic}) {
      if (line.op != GetParam() || line.skip || !line.error.empty())
        continue;
      Variables inputs = goldenInputs(line, extents);
      std::optional<Variables> outputs = callGolden(line, inputs);
      if (!outputs)
        continue;
      auto isOfComplex = [](const Tensor &t) { return isComplex(t.dtype()); };
      if (std::ranges::any_of(line.inputs, isOfComplex) ||
          std::ranges::any_of(line.outputs, isOfComplex))
        continue; // ONNX has no operators on them: ExportFilesTest.cpp
      bool isWritten = true, isOpen = extents == GoldenExtents::Dynamic;
      for (const Apply &node : ioToposort(inputs, *outputs))
        isWritten &= !notExported().contains(std::string(node.op().name())) &&
                     !(isOpen && needsExtents(std::string(node.op().name())));
      if (!isWritten)
        continue;
      SCOPED_TRACE(line.id + " " + line.attrs.dump() +
                   (extents == GoldenExtents::Static ? " static" : " dynamic"));
      TensorsOr results = throughFile(*outputs, inputs, line.inputs);
      ASSERT_TRUE(results.ok()) << results.status();
      const OpDef *op = goldenOp(line.op);
      std::vector<Tolerance> tolerances;
      for (const Tensor &wanted : line.outputs)
        tolerances.push_back(widened(op, toleranceOf(line, op, wanted.dtype()), wanted.dtype()));
      for (size_t k = 0; k < line.outputs.size(); ++k)
        expectClose((*results)[k], line.outputs[k], tolerances[k]);
      if (isOpen && ++left <= kMostLeft)
        leaveModel(*outputs, inputs, line.inputs, line.outputs, tolerances);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ExportedGolden, testing::ValuesIn(families()),
                         [](const auto &info) { return info.param; });

//===--- what is not written ----------------------------------------------------------===//

/// not-exported.txt shrinks; only a new op that ONNX cannot say makes it longer.
TEST(Exporting, LeavesOutWhatTheListSays) {
  constexpr size_t kMost = 7;
  EXPECT_EQ(notExported().size(), kMost)
      << "kMost is their number: lower it; raise it only for a new op that ONNX cannot say";
  for (const auto &[name, reason] : notExported()) {
    EXPECT_TRUE(findOp(name)) << name;
    EXPECT_FALSE(reason.empty()) << name << " needs a reason";
  }
}

} // namespace
} // namespace graphc
