//===- Ops/Build.h - nodes of built-in ops ---------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "Registry.h"
#include "graphc/Ops.h"

namespace graphc {

/// The built-in op with these attributes, which must be of the kinds that it declares.
Op builtin(std::string_view name, const Attributes &attributes = {});

/// The op of a distribution, "randomNormal" of "normal": functions of mathematics have some of the
/// names, too.
std::string drawOpName(std::string_view distribution);

/// A node at the place of its first operand.
Variable build(const Op &op, absl::Span<const Operand> operands);

/// The operand as a Variable; a number becomes a constant on its own (F-029).
Variable asVariable(const Operand &x);

/// An Invalid Variable: "<what>: <why>", and a second line with the operand.
Variable invalidAt(const Operand &x, ErrorKind kind, std::string_view what, std::string_view why);
/// The same for an error that a helper found.
Variable invalidAt(const Operand &x, std::string_view what, const absl::Status &why);

/// Axes without negative numbers, so that equal ops are equal; numbers out of range stay, for the
/// type rule to refuse.
AttributeValue axesAttribute(const Axes &axes, const Variable &x);
int64_t plainAxis(int axis, const Variable &x);

} // namespace graphc
