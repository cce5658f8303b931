//===- Trials.cpp --------------------------------------------------------------===//
#include "Trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

} // namespace

std::optional<Trial> makeTrial(const OpCase &c, const std::vector<DType> &dtypes, bool hasExtremes,
                               std::mt19937 &random) {
  Trial run;
  run.inputs = operandsOf(c, dtypes);
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    bool isPosition = int(i) == c.positions;
    DType dtype = run.inputs[i].dtype();
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

} // namespace graphc
