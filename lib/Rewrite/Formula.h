//===- Rewrite/Formula.h - formulas of rules --------------------*- C++ -*-===//
//
//   log(1 + exp(x))      sum(x, axes=p)      transpose(x, axes=compose)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/OpDef.h"
#include "graphc/Rewrite.h"

namespace graphc {

struct Formula {
  enum class Kind {
    Node,     // op, arguments, attributes
    Name,     // a Variable
    Constant, // a name that stands for a constant
    Number,
  };
  struct Attribute {
    std::string name;
    /// A name, if not empty; otherwise the value.
    std::string binding;
    AttributeValue value;
  };

  Kind kind = Kind::Name;
  const OpDef *op = nullptr;
  std::vector<Formula> arguments = {};
  std::vector<Attribute> attributes = {};
  std::string name = {};
  double number = 0;
  bool isInteger = false;

  int depth() const;
};

/// c, d, k, perhaps with one digit.
bool isConstantName(std::string_view name);

/// ValueError with a column for what is no formula, for unknown ops and attributes, and for calls
/// with a number of operands that the op does not take.
absl::StatusOr<Formula> parseFormula(std::string_view text);

} // namespace graphc
