//===- OpTolerance.cpp ----------------------------------------------------===//
//
// The evaluator computes in long double and rounds once, so that all but half a unit is the
// compiled code's. With u the rounding of the format in which it computes (halves: float32), an
// operation's result is off by a factor of 1 + u, and a sum of n terms t by c * u * sum(|t|), where
// c is the greatest number of roundings that one term goes through: n, or in float32 the 16 of a
// partial sum (F-012; a product and the addition of it are two roundings, or one). sum(|t|) is the
// same op on the magnitudes of its operands. Terms of order u * u are left out: with at most some
// hundred terms they are below 2^-15 of what is counted.
//
//===----------------------------------------------------------------------===//
#include "OpTolerance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "Eval/Evaluate.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Digits of the significand, and the exponent of the least positive number.
struct Format {
  int digits;
  int least;
};
Format formatOf(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return {11, -24};
  case DType::BFloat16:
    return {8, -133};
  case DType::Float32:
    return {24, -149};
  default:
    return {53, -1074};
  }
}

/// Half the distance between 1 and the next number.
double rounding(DType dtype) { return std::ldexp(1, -formatOf(dtype).digits); }
double leastSubnormal(DType dtype) { return std::ldexp(1, formatOf(dtype).least); }

bool isHalf(DType dtype) { return bitWidth(dtype) == 16; }

class ToleranceOfCall {
public:
  ToleranceOfCall(const OpDef &op, const Variable &output, const Variables &inputs,
                  const std::vector<Tensor> &values)
      : name(op.name), bound(op.maxUlp), output(output), inputs(inputs), values(values),
        dtype(output.dtype()), u(rounding(isHalf(dtype) ? DType::Float32 : dtype)) {}

  Tolerance get() {
    if (name == "logaddexp")
      return ofLargerOperand();
    double ulp = dtype == DType::Float64 ? bound.f64 : bound.f32;
    if (ulp >= 0)
      return ofBound(ulp);
    // Every result is rounded, here and by the evaluator; a half's after its float32 was.
    double rounded = 2 * u + (isHalf(dtype) ? 2 * rounding(dtype) : 0);
    t.rtol = rounded;
    t.atol = leastSubnormal(dtype);
    if (name == "var" || name == "stddev")
      addDeviations();
    else if (name == "prod")
      *t.rtol += terms() * u;
    else if (name == "softmax" || name == "logSoftmax" || name == "logsumexp")
      addExponentials();
    else if (name == "hardSigmoid") // the product is off by u, as the sum is
      addMagnitudes(2);
    else if (name == "pinv")
      addPseudoinverse();
    else if (name == "pool" && mode() == "max")
      return Tolerance();
    else
      addMagnitudes(roundings());
    return t;
  }

private:
  /// The op's promise, which is about the number before it is rounded to a half.
  Tolerance ofBound(double ulp) {
    if (isHalf(dtype) && ulp > 0) {
      t.rtol = 2 * rounding(dtype);
      t.atol = leastSubnormal(dtype);
    } else {
      t.ulp = std::floor(ulp + 0.5);
      t.zeroSigns = ulp == 0;
    }
    return t;
  }

  /// logaddexp's bound counts units of the larger operand, or of what it adds to it, below log 2.
  Tolerance ofLargerOperand() {
    double ulp = dtype == DType::Float64 ? bound.f64 : bound.f32;
    t.rtol = isHalf(dtype) ? 2 * rounding(dtype) : 0x1p-60; // 0 would ask for ULP
    t.atol = leastSubnormal(dtype);
    Variable larger = maximum(abs(inputs[0]), abs(inputs[1]));
    setAtols(larger, values, (ulp + 0.5) * 2 * u, std::log(2.0));
    return t;
  }

  /// scale * (the call on magnitudes).
  void addMagnitudes(double scale) {
    std::vector<Tensor> magnitudes;
    for (const Tensor &value : values) {
      Tensor wide = value.cast(DType::Float64).copy();
      for (double &x : wide.mutableFlat<double>())
        x = std::fabs(x);
      magnitudes.push_back(wide.cast(value.dtype()));
    }
    setAtols(output, magnitudes, scale * u, 0);
  }

  void setAtols(const Variable &of, const std::vector<Tensor> &at, double scale, double offset) {
    TensorsOr result = evaluate({of}, inputs, at);
    ASSERT_TRUE(result.ok()) << result.status();
    Tensor magnitudes = (*result)[0].cast(DType::Float64).contiguous();
    for (double magnitude : magnitudes.flat<double>())
      t.atols.push_back(std::isfinite(magnitude) ? scale * (magnitude + offset) : 0);
  }

  /// With d = x - mean: the rounding of the mean, e <= c * u * max |x|, adds e * e, since the d add
  /// up to 0. Each d * d is off by three factors, and the sum and its division by c + 1.
  void addDeviations() {
    double relative = (roundings() + 4) * u, e = roundings() * u * largest();
    bool isRoot = name == "stddev"; // half the relative error, and a rounding
    *t.rtol += isRoot ? relative / 2 + u : relative;
    *t.atol += isRoot ? e : e * e;
  }

  /// With d = x - max, |d| <= D: exp(d) has a factor of exp(u * D), since d was rounded, and one of
  /// its own within 2 u; the sum S of them c more. Its logarithm is off by that, and by 2 u * log
  /// S.
  void addExponentials() {
    double d = 2 * largest(), n = terms(), ofSum = roundings() + d + 2;
    if (name == "softmax") {
      *t.rtol += (ofSum + d + 3) * u;
      return;
    }
    double ofLog = ofSum + 2 * std::log(std::max(n, 1.0));
    *t.atol += (ofLog + (name == "logSoftmax" ? d : 0)) * u;
  }

  /// Sums over k singular values of v u / s, of which each is at most the result's norm.
  void addPseudoinverse() {
    TensorsOr result = evaluate({output}, inputs, values);
    ASSERT_TRUE(result.ok()) << result.status();
    Tensor wide = (*result)[0].cast(DType::Float64).contiguous();
    double squares = 0, k = double(values[0].numElements());
    for (double x : wide.flat<double>())
      squares += x * x;
    *t.atol += (k + 3) * u * k * std::sqrt(squares);
  }

  double largest() const {
    double most = 0;
    for (const Tensor &value : values) {
      Tensor wide = value.cast(DType::Float64).contiguous();
      for (double x : wide.flat<double>())
        most = std::max(most, std::fabs(x));
    }
    return most;
  }

  /// c above. An average divides.
  double roundings() {
    bool divides = name == "mean" || (name == "pool" && mode() != "sum");
    return (dtype == DType::Float32 ? std::min(terms(), 16.0) : terms()) + divides;
  }

  /// Terms of one element of the result, or more.
  double terms() {
    static const auto &kSums = *new std::set<std::string>{
        "sum", "dot", "matmul", "batchedDot", "tensordot", "outer", "conv1d", "conv2d", "conv3d"};
    if (!kSums.count(name))
      return double(values[0].numElements());
    std::vector<Tensor> ones;
    for (const Tensor &value : values) {
      Tensor one = *Tensor::allocate(DType::Float64, value.shape());
      for (double &x : one.mutableFlat<double>())
        x = 1;
      ones.push_back(one.cast(value.dtype()));
    }
    TensorsOr counts = evaluate({output}, inputs, ones);
    if (!counts.ok() || (*counts)[0].numElements() == 0)
      return 0;
    Tensor wide = (*counts)[0].cast(DType::Float64).contiguous();
    absl::Span<const double> counted = wide.flat<double>();
    return *std::max_element(counted.begin(), counted.end());
  }

  std::string mode() const { return output.owner().op().attributes().string("mode"); }

  std::string name;
  MaxUlp bound;
  Variable output;
  const Variables &inputs;
  const std::vector<Tensor> &values;
  DType dtype;
  double u;
  Tolerance t;
};

} // namespace

Tolerance toleranceOf(const OpDef &op, const Variable &output, const Variables &inputs,
                      const std::vector<Tensor> &values) {
  if (!isFloat(output.dtype()))
    return {};
  return ToleranceOfCall(op, output, inputs, values).get();
}

} // namespace graphc
