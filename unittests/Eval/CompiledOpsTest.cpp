//===- CompiledOpsTest.cpp - every op compiled and evaluated ---------------------===//
//
// Random operands of every dtype that the op takes, with unknown extents, empty arrays, and ranks
// to 32 (OpCases.cpp). The evaluator is the oracle: GoldenTest.cpp compares it, and compiled code,
// with independent numbers.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "Closeness.h"
#include "CompiledRun.h"
#include "OpCases.h"
#include "Ops/Registry.h"

namespace graphc {
namespace {

/// Small numbers, which ops have most to do with, now and then extremes.
double randomNumber(DType dtype, bool hasExtremes, std::mt19937 &random) {
  const double inf = std::numeric_limits<double>::infinity();
  const double extremes[] = {0.0, -0.0, 1.0, -1.0, 0.5, inf, -inf, std::nan(""), 3e38, 1e-40};
  if (hasExtremes && random() % 8 == 0)
    return isFloat(dtype) ? extremes[random() % std::size(extremes)]
                          : (random() % 2 ? 1e19 : -1e19);
  double unit = random() * 0x1p-32;
  return isFloat(dtype) ? (unit - 0.5) * 8
                        : std::floor(isUnsignedInt(dtype) ? unit * 9 : unit * 14 - 5);
}

Tensor randomTensor(DType dtype, const std::vector<int64_t> &shape, bool hasExtremes,
                    std::mt19937 &random) {
  Tensor values = *Tensor::allocate(DType::Float64, shape);
  for (double &x : values.mutableFlat<double>())
    x = randomNumber(dtype, hasExtremes, random);
  return values.cast(dtype);
}

/// What stands between two computations of a result: nothing where the op is exact. Else the
/// registry's bound, once for each side (the evaluator computes in long double: half a unit). Where
/// it has none, sums of some hundred terms of order 10: 2^8 roundings. Halves are results rounded
/// once more, which may fall to either side.
Tolerance toleranceOf(const OpDef &op, DType dtype) {
  Tolerance t;
  if (!isFloat(dtype))
    return t;
  double bound = dtype == DType::Float64 ? op.maxUlp.f64 : op.maxUlp.f32;
  bool isSum = bound < 0 || op.name == "logaddexp"; // its bound is the larger operand's
  double unit = dtype == DType::Float64    ? 0x1p-52
                : dtype == DType::Float32  ? 0x1p-23
                : dtype == DType::BFloat16 ? 0x1p-7
                                           : 0x1p-10;
  if (bitWidth(dtype) == 16 && (isSum || bound > 0)) {
    t.rtol = isSum ? 4 * unit : unit;
    t.atol = isSum ? 16 * unit : dtype == DType::Float16 ? 0x1p-24 : 0x1p-133;
  } else if (isSum) {
    t.rtol = 0x1p8 * unit;
    t.atol = 0x1p8 * 10 * unit;
  } else {
    t.ulp = std::floor(bound + 0.5);
    t.zeroSigns = bound == 0 && op.name != "prod" && op.name != "sum";
  }
  return t;
}

struct Trial {
  std::string text;
  Variables inputs;
  Variable output;
  std::vector<Tensor> values;
};

/// The case on operands of these dtypes; nothing if the op refuses them.
std::optional<Trial> makeTrial(const OpCase &c, const std::vector<DType> &dtypes, bool hasExtremes,
                               std::mt19937 &random) {
  Trial run;
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    bool isPosition = int(i) == c.positions;
    DType dtype = isPosition ? DType::Int64 : dtypes[i % dtypes.size()];
    std::vector<int64_t> shape = c.shapes[i];
    if (!c.isStatic) // an extent of 1 must be known to broadcast
      for (int64_t &extent : shape)
        extent = extent == 1 ? 1 : kDynamic;
    run.inputs.push_back(tensor(dtype, shape));
    Tensor value = randomTensor(dtype, c.shapes[i], hasExtremes && !isPosition, random);
    if (isPosition)
      for (int64_t &position : value.mutableFlat<int64_t>())
        position = int64_t(random() % uint64_t(c.limit));
    run.values.push_back(value);
    run.text += Type(dtype, c.shapes[i]).brief() + " ";
  }
  run.output = c.call(run.inputs);
  if (!run.output.ok()) {
    EXPECT_EQ(errorKind(run.output.status()), ErrorKind::TypeError) << run.output.status();
    return std::nullopt;
  }
  return run;
}

class CompiledOp : public testing::TestWithParam<const OpDef *> {};

TEST_P(CompiledOp, CompiledEqualsEvaluated) {
  const OpDef &op = *GetParam();
  std::vector<OpCase> cases = casesOf(op.name);
  ASSERT_FALSE(cases.empty()) << "OpCases.cpp does not call it";
  std::mt19937 random(7);
  bool hasExtremes = op.maxUlp.f32 >= 0 && op.maxUlp.f64 >= 0; // sums and products of many
  std::vector<Trial> runs;
  int number = 0;
  for (const OpCase &c : cases) {
    bool isFirst = number++ == 0;
    for (int first = 0; first < kNumDTypes; ++first)
      for (int step : {0, 1, 5}) {
        // The first case sees every dtype alone and beside two others; later ones see a third.
        if (isFirst ? step && c.shapes.size() < 2 : step || (first + number) % 3)
          continue;
        std::vector<DType> dtypes = {DType(first), DType((first + step) % kNumDTypes)};
        if (std::optional<Trial> run = makeTrial(c, dtypes, hasExtremes, random))
          runs.push_back(*std::move(run));
      }
  }
  ASSERT_FALSE(runs.empty()) << "it takes no dtype";

  Variables inputs, outputs;
  std::vector<Tensor> values;
  for (const Trial &run : runs) {
    inputs.insert(inputs.end(), run.inputs.begin(), run.inputs.end());
    outputs.push_back(run.output);
    values.insert(values.end(), run.values.begin(), run.values.end());
  }
  TensorsOr compiled = runCompiled(outputs, inputs, values);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  bool isCalled = false;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Trial &run = runs[i];
    SCOPED_TRACE(run.text);
    isCalled |= run.output.owner().op().name() == op.name;
    TensorsOr evaluated = evaluate({run.output}, run.inputs, run.values);
    ASSERT_TRUE(evaluated.ok()) << evaluated.status();
    expectClose((*compiled)[i], (*evaluated)[0], toleranceOf(op, run.output.dtype()));
    if (testing::Test::HasFailure())
      return; // the others are likely to be the same mistake
  }
  EXPECT_TRUE(isCalled);
}

INSTANTIATE_TEST_SUITE_P(All, CompiledOp,
                         testing::ValuesIn(std::vector<const OpDef *>(allOps().begin(),
                                                                      allOps().end())),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace graphc
