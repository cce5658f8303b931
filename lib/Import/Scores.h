//===- Import/Scores.h - what classical models end with --------------*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// Input 0 as rows of a float dtype: a vector is one row.
Variable rowsOf(OnnxNode &n, DType dtype = DType::Float32);
/// A list that must be there; an error is kept otherwise.
std::vector<float> requireFloats(OnnxNode &n, std::string_view name);

/// Attribute post_transform of scores, one column for each class or target.
Variable postTransformed(OnnxNode &n, const Variable &scores);
/// The one of that name: NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO, PROBIT.
Variable postTransformed(OnnxNode &n, const Variable &scores, std::string_view transform);
/// How the scores of two classes are made of one number s; by LOGISTIC they are the sigmoids of -s
/// and s in any case, and by PROBIT s alone.
enum class TwoScores {
  Complement, ///< 1 - s, s
  Opposite,   ///< -s, s
};
/// Attribute post_transform of the one column of scores that a model of two classes has.
Variable postTransformedPair(OnnxNode &n, const Variable &score, TwoScores how);

/// Labels of classes, which must be integers. An error is kept where there are none.
Ints classLabels(OnnxNode &n, std::string_view ints, std::string_view strings);
/// The label of each row's first greatest score.
Variable labelOfGreatest(OnnxNode &n, const Variable &scores, const Ints &labels);

} // namespace graphc
