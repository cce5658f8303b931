//===- GoldenCallTable.h - functions by family of golden vectors -------------===//
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "graphc/Variable.h"
#include <nlohmann/json.hpp>

namespace graphc {

using GoldenCallTable =
    std::map<std::string, std::function<std::optional<Variables>(const nlohmann::json &attrs,
                                                                 const Variables &in)>>;

/// A family by an expression of its attributes `a` and inputs `in`: one result, or several.
#define GRAPHC_ONE(EXPRESSION)                                                                     \
  [](const nlohmann::json &a, const Variables &in) -> std::optional<Variables> {                   \
    (void)a;                                                                                       \
    return Variables{EXPRESSION};                                                                  \
  }
#define GRAPHC_ALL(EXPRESSION)                                                                     \
  [](const nlohmann::json &a, const Variables &in) -> std::optional<Variables> {                   \
    (void)a;                                                                                       \
    return EXPRESSION;                                                                             \
  }

inline GoldenCallTable::mapped_type
one(std::function<Variable(const nlohmann::json &, const Variables &)> call) {
  return [call](const nlohmann::json &attrs, const Variables &in) -> std::optional<Variables> {
    return Variables{call(attrs, in)};
  };
}

inline std::optional<int> optionalInt(const nlohmann::json &value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<int>());
}

/// Sorting, running sums, positions (GoldenOrderingCalls.cpp).
const GoldenCallTable &orderingCalls();
/// Linear algebra (GoldenLinearCalls.cpp).
const GoldenCallTable &linearCalls();
/// Special functions that are several ops or one of several (GoldenSpecialCalls.cpp).
const GoldenCallTable &specialCalls();
/// Complex numbers (GoldenComplexCalls.cpp).
const GoldenCallTable &complexCalls();

/// Functions that are made of ops, sequences (GoldenCompositeCalls.cpp).
const GoldenCallTable &compositeCalls();

} // namespace graphc
