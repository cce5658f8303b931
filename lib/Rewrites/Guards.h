//===- Rewrites/Guards.h - what rules ask of a match ------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Rewrite.h"

namespace graphc {

// By the dtype of a name.
Condition integer(std::string name);
Condition floating(std::string name);
Condition boolean(std::string name);
Condition notBool(std::string name);
Condition notFloating(std::string name);
/// An integer that may be negative, or a float.
Condition isSigned(std::string name);
/// Whether nothing but the pattern uses it.
Condition usedOnce(std::string name);
/// Of this rank.
Condition rankOf(std::string name, int rank);
/// Whether nothing can fail while it is computed, so that no error is lost where it is not.
Condition neverFails(std::string name);
/// Whether the node itself surely fails in no call that computes its `input`: no error is lost
/// without it. Nothing in computing it can fail, or its shapes were known, and so checked, when it
/// was made.
bool cannotFailFor(const Match &m, const Apply &node, const Variable &input);
/// Whether the node's first result surely has the shape of `v`, and it cannot fail for v.
bool givesShapeOf(const Match &m, const Apply &node, const Variable &v);
/// Whether the root does, for the Variable of this name.
Condition hasShapeOf(std::string name);
/// A constant of one element that is neither 0 nor NaN nor an infinity.
Condition isFiniteNumber(std::string name);
Condition operator&&(Condition a, Condition b);

/// A node at the place of the match.
Variable make(const Match &m, std::string_view op, const Variables &operands,
              const Attributes &attributes = {});
/// The axes of an attribute, counted from the front, sorted; all where it is none.
std::vector<int64_t> axesOf(const AttributeValue &axes, int rank);
/// A bool constant.
TermFunction boolTerm(bool value);

} // namespace graphc
