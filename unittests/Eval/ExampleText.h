//===- ExampleText.h - reading the examples of docs/Ops.md -------------------===//
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphc/OpDef.h"

namespace graphc {

/// "dot([[1, 2], [3, 4]], [1, 1]) {attribute = value} = [3, 7]".
struct Example {
  std::string op;
  std::vector<Tensor> operands;
  Attributes attributes;
  Tensor result;
};

/// Empty for text that is no example of the op. Numbers with a point or exponent, nan and inf make
/// float64, true and false bool, others int64.
std::optional<Example> parseExample(const OpDef &op, std::string_view text);

} // namespace graphc
