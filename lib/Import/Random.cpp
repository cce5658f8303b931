//===- Random.cpp - operators that draw --------------------------------------===//
//
// Their generators' states are constants, named after the node's output: a graph draws the same
// numbers in each call until `shareGenerators` (graphc/Random.h) makes shared variables of them.
//
//===----------------------------------------------------------------------===//
#include <bit>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Ops/Build.h"
#include "Support/Hash.h"
#include "Support/Philox.h"

namespace graphc {
namespace {

/// A draw of the shape. Nodes with one seed, or none, have states of their own.
Variable drawn(OnnxNode &n, std::string_view distribution, DType dtype, const Variable &size,
               const Variables &parameters) {
  double seed = n.op() == "Dropout" ? double(n.getInt("seed", 0)) : n.getFloat("seed", 0);
  Tensor state = *Tensor::zeros(DType::Int64, {2});
  state.mutableFlat<int64_t>()[0] =
      int64_t(philox::derivedKey(std::bit_cast<uint64_t>(seed), hashString(n.outputName(0))));
  std::vector<Operand> operands = {
      n.at(Constant::adopt(state, std::string(n.outputName(0)) + ".state", n.place())), n.at(size)};
  for (const Variable &parameter : parameters)
    operands.push_back(n.at(parameter));
  return build(builtin(drawOpName(distribution), {{"dtype", dtype}}), operands);
}

/// The attributes' shape.
Variable sizeOf(OnnxNode &n) {
  std::optional<Ints> shape = n.getInts("shape");
  if (!shape)
    return n.fail(ErrorKind::ValueError, "attribute shape must be given");
  return ShapeList(*shape, n.place()).operand().variable();
}

Variable drawOfTwo(OnnxNode &n, std::string_view distribution, DType dtype, const Variable &size,
                   Variable first, Variable second) {
  if (!isFloat(dtype))
    return n.fail(ErrorKind::TypeError,
                  "the dtype must be one of floats, not " + std::string(dtypeName(dtype)));
  return drawn(n, distribution, dtype, size, {first, second});
}

Variable normalOf(OnnxNode &n, DType dtype, const Variable &size) {
  return drawOfTwo(n, "normal", dtype, size, n.scalar(n.getFloat("mean", 0), DType::Float64),
                   n.scalar(n.getFloat("scale", 1), DType::Float64));
}

Variable uniformOf(OnnxNode &n, DType dtype, const Variable &size) {
  return drawOfTwo(n, "uniform", dtype, size, n.scalar(n.getFloat("low", 0), DType::Float64),
                   n.scalar(n.getFloat("high", 1), DType::Float64));
}

Variables randomNormal(OnnxNode &n) {
  return {normalOf(n, n.getDType("dtype").value_or(DType::Float32), sizeOf(n))};
}
Variables randomNormalLike(OnnxNode &n) {
  Variable x = n.in(0);
  return {normalOf(n, n.getDType("dtype").value_or(x.dtype()), shape(n.at(x)))};
}
Variables randomUniform(OnnxNode &n) {
  return {uniformOf(n, n.getDType("dtype").value_or(DType::Float32), sizeOf(n))};
}
Variables randomUniformLike(OnnxNode &n) {
  Variable x = n.in(0);
  return {uniformOf(n, n.getDType("dtype").value_or(x.dtype()), shape(n.at(x)))};
}

Variables bernoulli(OnnxNode &n) {
  Variable p = n.in(0);
  Variable draw = drawn(n, "bernoulli", DType::Int64, shape(n.at(p)), {p});
  return {cast(n.at(draw), n.getDType("dtype").value_or(p.dtype()))};
}

/// Rows of positions, of logarithms of probabilities that need not add up to 1.
Variables multinomial(OnnxNode &n) {
  Variable logits = n.in(0);
  if (!logits.ok() || logits.rank() != 2)
    return {n.fail(ErrorKind::TypeError, "the operand must be a matrix: " + logits.type().brief())};
  Variable p = softmax(n.at(cast(n.at(logits), DType::Float64)), Axis(1));
  ShapeList size({n.at(shape(n.at(logits), 0)), Operand(n.getInt("sample_size", 1), n.place())});
  Variable draw = drawn(n, "categorical", DType::Int64, size.operand().variable(),
                        {expandDims(n.at(p), Axis(1))});
  return {cast(n.at(draw), n.getDType("dtype").value_or(DType::Int32))};
}

} // namespace

Variable keptByDropout(OnnxNode &n, const Variable &x, const Variable &ratio) {
  Variable kept = sub(n.at(n.scalar(1, DType::Float64)), cast(n.at(ratio), DType::Float64));
  return cast(n.at(drawn(n, "bernoulli", DType::Int64, shape(n.at(x)), {kept})), DType::Bool);
}

absl::Span<const Translation> randomTranslations() {
  static constexpr Translation kTable[] = {
      {"Bernoulli", bernoulli, 15},     {"Multinomial", multinomial, 7},
      {"RandomNormal", randomNormal},   {"RandomNormalLike", randomNormalLike},
      {"RandomUniform", randomUniform}, {"RandomUniformLike", randomUniformLike},
  };
  return kTable;
}

} // namespace graphc
