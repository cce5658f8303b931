//===- Features.cpp - what classical models begin with ------------------------------===//
#include <cmath>

#include "Import/Scores.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// Along the last axis; of a vector the result has a row of its own.
Variables arrayFeatureExtractor(OnnxNode &n) {
  Variable x = n.in(0), indices = n.in(1);
  if (!n.status().ok())
    return {};
  if (x.rank() == 0)
    return {n.fail(ErrorKind::TypeError, "input 0 must have an axis: " + x.type().brief())};
  Variable flat = flatten(n.at(indices));
  Variable taken = take(n.at(x), flat, {.axis = x.rank() - 1});
  return {x.rank() == 1 ? expandDims(n.at(taken), Axis(0)) : taken};
}

Variables binarizer(OnnxNode &n) {
  Variable x = n.in(0);
  if (!n.status().ok())
    return {};
  return {cast(n.at(gt(n.at(x), n.scalar(n.getFloat("threshold", 0), DType::Float32))), x.dtype())};
}

/// The first `width` columns, with zeros behind those that there are.
Variable ofWidth(OnnxNode &n, const Variable &x, int64_t width) {
  int64_t known = x.type().extent(1);
  if (known == width)
    return x;
  if (known == kDynamic)
    return specifyShape(n.at(x), {kDynamic, width});
  if (known > width)
    return subtensor(n.at(x), {Slice(), Slice(0, width)});
  return pad(n.at(x), {{0, 0}, {0, n.toInt(width - known, "attribute inputdimensions")}});
}

Variables featureVectorizer(OnnxNode &n) {
  Ints widths = n.getInts("inputdimensions").value_or(Ints());
  Variables inputs = n.all();
  if (!n.status().ok())
    return {};
  if (!widths.empty() && widths.size() != inputs.size())
    return {n.fail(ErrorKind::ValueError, std::to_string(widths.size()) + " inputdimensions for " +
                                              std::to_string(inputs.size()) + " inputs")};
  std::vector<Operand> parts;
  for (size_t k = 0; k < inputs.size(); ++k) {
    Variable x = inputs[k];
    if (x.rank() != 1 && x.rank() != 2)
      return {n.fail(ErrorKind::TypeError, "input " + std::to_string(k) +
                                               " must be rows, or one row: " + x.type().brief())};
    Variable rows = x.rank() == 1 ? expandDims(n.at(x), Axis(0)) : x;
    rows = cast(n.at(rows), DType::Float32);
    if (!widths.empty() && widths[k] < 0)
      return {n.fail(ErrorKind::ValueError,
                     "attribute inputdimensions has " + std::to_string(widths[k]))};
    parts.push_back(n.at(widths.empty() ? rows : ofWidth(n, rows, widths[k])));
  }
  return {concatenate(parts, 1)};
}

/// Each feature's number in place of one that stands for a missing one; NaN is such a number, too.
Variables imputer(OnnxNode &n) {
  Variable x = n.in(0);
  if (!n.status().ok())
    return {};
  Variable imputed, isMissing;
  if (isFloat(x.dtype())) {
    std::vector<float> numbers = requireFloats(n, "imputed_value_floats");
    double replaced = n.getFloat("replaced_value_float", 0);
    imputed = n.vector(numbers, x.dtype());
    isMissing = std::isnan(replaced) ? isnan(n.at(x)) : eq(n.at(x), n.scalar(replaced, x.dtype()));
  } else {
    Ints numbers = n.getInts("imputed_value_int64s").value_or(Ints());
    if (numbers.empty())
      return {n.fail(ErrorKind::ValueError, "attribute imputed_value_int64s is missing")};
    imputed = n.vector(numbers, x.dtype());
    isMissing = eq(n.at(x), n.getInt("replaced_value_int64", 0));
  }
  return {where(n.at(isMissing), imputed, x)};
}

/// Rows whose norm is 0 stay as they are.
Variables normalizer(OnnxNode &n) {
  std::string norm = n.getString("norm", "MAX");
  Variable x = n.in(0);
  if (!n.status().ok())
    return {};
  bool isRow = x.rank() == 1;
  Variable rows = rowsOf(n);
  ReductionOptions alongRow{.axes = Axis(-1), .keepDims = true};
  Variable size;
  if (norm == "MAX")
    size = max(n.at(rows), alongRow);
  else if (norm == "L1")
    size = sum(n.at(abs(n.at(rows))), alongRow);
  else if (norm == "L2")
    size = sqrt(n.at(sum(n.at(sqr(n.at(rows))), alongRow)));
  else
    return {n.fail(ErrorKind::ValueError, "attribute norm is '" + norm + "'")};
  Variable divisor = where(n.at(eq(n.at(size), 0.0)), n.scalar(1, DType::Float32), size);
  Variable result = trueDiv(n.at(rows), cast(n.at(divisor), DType::Float32));
  return {isRow ? squeeze(n.at(result), Axis(0)) : result};
}

/// (x - offset) * scale, where each has one number or one for each feature.
Variables scaler(OnnxNode &n) {
  Variable x = n.in(0);
  std::vector<float> offset = requireFloats(n, "offset"), scale = requireFloats(n, "scale");
  if (!n.status().ok())
    return {};
  // Numbers of the inputs' dtype may be beyond float32's precision.
  DType inner =
      x.dtype() == DType::Float64 || isInteger(x.dtype()) ? DType::Float64 : DType::Float32;
  Variable centred = sub(n.at(cast(n.at(x), inner)), n.vector(offset, inner));
  Variable scaled = mul(n.at(centred), n.vector(scale, inner));
  return {cast(n.at(scaled), DType::Float32)};
}

} // namespace

absl::Span<const Translation> featureTranslations() {
  static constexpr Translation kTable[] = {
      {"ArrayFeatureExtractor", arrayFeatureExtractor, 1, "numbers"},
      {"Binarizer", binarizer},
      {"FeatureVectorizer", featureVectorizer},
      {"Imputer", imputer},
      {"Normalizer", normalizer},
      {"Scaler", scaler},
  };
  return kTable;
}

} // namespace graphc
