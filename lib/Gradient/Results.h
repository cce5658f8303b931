//===- Gradient/Results.h - what derivatives give ---------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "graphc/Gradient.h"

namespace graphc {

/// What a Variable is called in messages.
std::string called(const Variable &v);
/// As many Invalid Variables.
Variables failed(size_t count, const absl::Status &status);
/// `given`, of the rank of `of`, whose shape it must have; checked at run time where the types do
/// not say so. `what` it is, for the message; a literal.
Variable checkedLike(const Variable &given, const Variable &of, std::string_view what);
/// What two types of one rank have along an axis, where both are known and differ: " (4 and 2 along
/// axis 0)"; else "".
std::string extentsMistake(const Variable &given, const Variable &of);
/// `given` by a rule of the user's, the `rule` of `op`: as checkedLike. Rules of the library's give
/// what they must, and what an op has overwritten is asked for nothing.
Variable checkedAsOfUser(const Variable &given, const Variable &of, const Op &op,
                         std::string_view rule);
/// pullback, of cotangents that are known to have the types of `f`.
Variables pullbackAsShaped(const Variables &f, const Variables &wrt, const Variables &cotangents,
                           const GradOptions &options, std::source_location loc);
/// Zeros of v's shape, of its gradient's dtype.
Variable zerosFor(const Variable &v);

} // namespace graphc
