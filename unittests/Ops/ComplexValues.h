//===- Ops/ComplexValues.h - complex operands and what NumPy makes of them -*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "NumbersOfFile.h"
#include "graphc/graphc.h"

namespace graphc {

/// Sines of squares: those of consecutive numbers would make matrices of rank 2.
inline Tensor wave(std::vector<int64_t> shape, int start) {
  Tensor values = *Tensor::zeros(DType::Float64, shape);
  for (double &value : values.mutableFlat<double>())
    value = std::sin(double(start * start)), ++start;
  return values;
}
/// As the scripts have them that wrote the expected numbers.
inline Variable waves(std::vector<int64_t> shape, int start) {
  return complex(constant(wave(shape, start)), constant(wave(shape, start + 100)));
}

/// Compares results of complex operands of `dtype` with the numbers of a file of this folder, parts
/// in turns, evaluated and compiled.
inline void expectNumbers(const std::map<std::string, Variable> &made, const std::string &file,
                          DType dtype, double roundings) {
  const double bound = roundings * (dtype == DType::Complex64 ? 0x1p-24 : 0x1p-53);
  std::map<std::string, std::vector<double>> wanted = numbersOfFile(GRAPHC_TEST_DATA "/" + file);
  ASSERT_EQ(made.size(), wanted.size());
  for (const auto &[name, numbers] : wanted)
    for (const char *mode : {"interpreter", "fast_run"}) {
      SCOPED_TRACE(name + " " + mode);
      auto result = made.find(name);
      ASSERT_NE(result, made.end());
      ASSERT_TRUE(result->second.ok()) << result->second.status();
      absl::StatusOr<Function> f = function({}, result->second, {.mode = mode});
      ASSERT_TRUE(f.ok()) << f.status();
      absl::StatusOr<Results> r = (*f)();
      ASSERT_TRUE(r.ok()) << r.status();
      bool isReal = !isComplex((*r)[0].dtype());
      EXPECT_EQ((*r)[0].dtype(), isReal ? realDType(dtype) : dtype);
      Tensor values = (*r)[0].realView().cast(DType::Float64).contiguous();
      ASSERT_EQ(size_t(values.numElements()) * (isReal ? 2 : 1), numbers.size());
      for (size_t i = 0; i < numbers.size(); i += isReal ? 2 : 1)
        EXPECT_NEAR(values.flat<double>()[isReal ? i / 2 : i], numbers[i], bound) << i;
    }
}

} // namespace graphc
