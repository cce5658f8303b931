//===- graphc/ControlFlow.h - choices and loops -----------------*- C++ -*-===//
#pragma once

#include <string_view>

#include "graphc/Status.h"
#include "graphc/Variable.h"

namespace graphc {

/// F-329 to F-333: `x` where the condition is not 0 (NaN is not 0), else `y`, as a whole; `where`
/// chooses element by element. Lazy: what only the branch that is not taken needs is not computed,
/// and cannot fail, in any mode; what both need, or something else, is computed once. The branches
/// have one rank; the result has their promoted dtype, the extents that both types agree on, and
/// at run time the shape of the branch taken. No gradient flows to the condition, and none, nor a
/// NaN, to the branch that is not taken, whose own gradient is not computed either. Errors
/// (Invalid): TypeError for a condition of another rank than 0 and for branches of different ranks.
/// Thread-safe.
Variable ifElse(const Operand &condition, const Operand &x, const Operand &y);
/// The same for several results at once. ValueError where the lists differ in length.
Variables ifElse(const Operand &condition, const Variables &x, const Variables &y);

/// x; the call fails with `kind` and the message where the 0-d `condition` is 0. Gradients go to x.
/// TypeError for a condition of another rank. It is checked wherever the result is needed.
Variable assertTrue(const Operand &x, const Operand &condition, std::string_view message,
                    ErrorKind kind = ErrorKind::ValueError);

/// x; whenever it is computed, the message and x are written to the standard output, as a line.
/// Gradients go to x. Each Variable prints a line of its own, equal ones too; what no output
/// depends on prints nothing.
Variable print(const Operand &x, std::string_view message = "");
/// The same where the 0-d `condition` is not 0 (TypeError for another rank); then a debugger that
/// watches the process gets SIGTRAP, in the routine that holds x.
Variable breakpoint(const Operand &x, const Operand &condition, std::string_view message = "");

} // namespace graphc
