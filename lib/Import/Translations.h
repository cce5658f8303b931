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

/// Makes the outputs, at least as many as the operator must have: tensors, or values of any kind.
/// Errors are Invalid Variables or kept in the node.
class Translate {
public:
  constexpr Translate(Variables (*tensors)(OnnxNode &node)) : tensors_(tensors) {}
  constexpr Translate(OnnxValues (*values)(OnnxNode &node)) : values_(values) {}
  OnnxValues operator()(OnnxNode &node) const {
    if (values_)
      return values_(node);
    Variables made = tensors_(node);
    return OnnxValues(made.begin(), made.end());
  }

private:
  Variables (*tensors_)(OnnxNode &node) = nullptr;
  OnnxValues (*values_)(OnnxNode &node) = nullptr;
};

/// Versions of ONNX's own domain up to this one are known; Domains.h has those of the others.
inline constexpr int kNewestOpset = 26;

struct Translation {
  std::string_view name;
  Translate translate;
  /// The first version of ONNX's operators that has it.
  int since = 1;
  /// What of it is not supported, for docs/Onnx.md.
  std::string_view limits = {};
  /// The last version that has it.
  int until = kNewestOpset;
};

/// An operator of ONNX's own domain that is refused.
struct Refusal {
  std::string_view name;
  int since;
  /// For messages and docs/Onnx.md.
  std::string_view reason;
};

/// The families.
absl::Span<const Translation> elementwiseTranslations();
absl::Span<const Translation> activationTranslations();
absl::Span<const Translation> reductionTranslations();
absl::Span<const Translation> productTranslations();
absl::Span<const Translation> attentionTranslations();
absl::Span<const Translation> bitTranslations();
absl::Span<const Translation> regionTranslations();
absl::Span<const Translation> spatialTranslations();
absl::Span<const Translation> convolutionTranslations();
absl::Span<const Translation> transposedConvolutionTranslations();
absl::Span<const Translation> poolingTranslations();
absl::Span<const Translation> resizingTranslations();
absl::Span<const Translation> normalizationTranslations();
absl::Span<const Translation> shapeTranslations();
absl::Span<const Translation> indexTranslations();
absl::Span<const Translation> scatteringTranslations();
absl::Span<const Translation> orderingTranslations();
absl::Span<const Translation> controlFlowTranslations();
absl::Span<const Translation> makingTranslations();
absl::Span<const Translation> randomTranslations();
absl::Span<const Translation> recurrentTranslations();
absl::Span<const Translation> lossTranslations();
absl::Span<const Translation> signalTranslations();
absl::Span<const Translation> gridSampleTranslations();
absl::Span<const Translation> quantizationTranslations();
absl::Span<const Translation> sequenceTranslations();
absl::Span<const Translation> ngramTranslations();
// Of ai.onnx.ml.
absl::Span<const Translation> linearModelTranslations();
absl::Span<const Translation> featureTranslations();
absl::Span<const Translation> encoderTranslations();
absl::Span<const Translation> supportVectorTranslations();
absl::Span<const Translation> treeTranslations();
// Of ai.onnx.preview.training.
absl::Span<const Translation> trainingTranslations();
/// com.microsoft.
absl::Span<const Translation> fusedTranslations();
absl::Span<const Translation> quantizedOperatorTranslations();
absl::Span<const Translation> headAttentionTranslations();

/// Scan of set 8, whose operands have a batch in front.
Variables batchedScan(OnnxNode &node);
/// Of the shape of x: whether a node that drops elements keeps each one.
Variable keptByDropout(OnnxNode &node, const Variable &x, const Variable &ratio);

/// The translation of a domain's operator, or null.
const Translation *findTranslation(Domain domain, std::string_view name);
/// The reason not to translate an operator of ONNX's own domain, or null.
const Refusal *findRefusal(std::string_view name);
absl::Span<const Refusal> allRefusals();
/// All of a domain, by name.
std::vector<const Translation *> allTranslations(Domain domain = Domain::Onnx);
/// The last version of its domain that has an operator, as far as they are known.
int lastVersion(Domain domain, const Translation &translation);
/// What to do instead of using an operator that is refused for good: "; ...", or nothing.
std::string remedyFor(Domain domain, std::string_view name);

} // namespace graphc
