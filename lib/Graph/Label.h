//===- Graph/Label.h - what stands for a leaf in texts ----------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Variable.h"

namespace graphc {

/// The value of a small constant on one line as NumPy prints it; dtype and shape of a larger one.
std::string constantLabel(const Variable &v);
/// An operand in a message: a number, or "x: f64[2,3]".
std::string operandLabel(const Operand &operand);
/// The name of a Variable without owner, else a constant's label, else the type in brackets.
std::string leafLabel(const Variable &v);

} // namespace graphc
