//===- OpMessages.h - mistakes and what ops say of them -------------------------===//
#pragma once

#include <gtest/gtest.h>

#include "Messages.h"
#include "Ops/Registry.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {

inline constexpr DType kBool = DType::Bool, kF32 = DType::Float32, kF64 = DType::Float64;
inline constexpr DType kI64 = DType::Int64;

inline Variable of(DType dtype, std::initializer_list<int64_t> shape = {},
                   std::source_location loc = std::source_location::current()) {
  return tensor(dtype, shape, {}, loc);
}
/// Float64 of a shape.
inline Variable f64(std::initializer_list<int64_t> shape,
                    std::source_location loc = std::source_location::current()) {
  return tensor(DType::Float64, shape, {}, loc);
}

/// An op as text and other readers make it: with any attributes.
inline Variable node(std::string_view name, const Attributes &attributes,
                     std::vector<Operand> operands,
                     std::source_location loc = std::source_location::current()) {
  return Op::create(*findOp(name), attributes)->call(operands, loc);
}

/// A mistake, and the message that it carries.
struct Case {
  Variable v;
  std::string message;
};

inline void expectMessages(std::vector<Case> cases,
                           std::source_location loc = std::source_location::current()) {
  for (const Case &c : cases) {
    EXPECT_EQ(said(c.v.status()), c.message);
    std::optional<Place> place = errorPlace(c.v.status());
    EXPECT_TRUE(place && place->str().starts_with(loc.file_name())) << c.message;
  }
}

} // namespace graphc
