//===- Runtime/LiteralText.h - scalar constants as text ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graphc/DType.h"

namespace graphc {

/// The value with these bits: "true", "-3", "0.1" (the fewest digits), "inf", "nan". Where no
/// decimal text gives the bits back, they stand there themselves, "0x7fc00001".
std::string literalText(DType dtype, uint64_t bits);

/// The bits of a number in a float dtype, rounded to it and zero-extended.
uint64_t bitsOfFloat(DType dtype, double value);

/// The bits, zero-extended; nothing for text that is no value of the dtype. A decimal text is
/// rounded to it; one that is too large or too small for it is no value.
std::optional<uint64_t> parseLiteral(DType dtype, std::string_view text);

} // namespace graphc
