//===- Trials.h - ops on random operands ---------------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "OpCases.h"

namespace graphc {

struct Trial {
  std::string text;
  Variables inputs;
  Variable output;
  std::vector<Tensor> values;
};

/// The case on operands of these dtypes; nothing if the op refuses them. Numbers are small, but for
/// a few where `hasExtremes`.
std::optional<Trial> makeTrial(const OpCase &c, const std::vector<DType> &dtypes, bool hasExtremes,
                               std::mt19937 &random);

} // namespace graphc
