//===- Import/Translations.h - ONNX operators as graphs -------------*- C++ -*-===//
//
// One table for all: an operator's name and what makes its outputs of its inputs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>
#include <vector>

#include "Import/OnnxNode.h"

namespace graphc {

/// Makes the outputs, at least as many as the operator must have. Errors are Invalid Variables or
/// kept in the node.
using Translate = Variables (*)(OnnxNode &node);

struct Translation {
  std::string_view name;
  Translate translate;
};

/// The families.
absl::Span<const Translation> elementwiseTranslations();
absl::Span<const Translation> activationTranslations();
absl::Span<const Translation> reductionTranslations();
absl::Span<const Translation> productTranslations();
absl::Span<const Translation> einsumTranslations();
absl::Span<const Translation> convolutionTranslations();
absl::Span<const Translation> transposedConvolutionTranslations();
absl::Span<const Translation> poolingTranslations();
absl::Span<const Translation> resizingTranslations();
absl::Span<const Translation> normalizationTranslations();
absl::Span<const Translation> shapeTranslations();
absl::Span<const Translation> indexTranslations();
absl::Span<const Translation> scatteringTranslations();
absl::Span<const Translation> orderingTranslations();
absl::Span<const Translation> makingTranslations();
absl::Span<const Translation> lossTranslations();
absl::Span<const Translation> quantizationTranslations();

/// The translation of an operator of ONNX's own domain, or null.
const Translation *findTranslation(std::string_view name);
/// All names, sorted.
std::vector<std::string_view> translatedOperators();

} // namespace graphc
