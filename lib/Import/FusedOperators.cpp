//===- FusedOperators.cpp - com.microsoft: several operators in one -------------===//
//
// What ONNX Runtime's optimizer and exporters for it write. The formulas are those of its
// ContribOperators.md.
//
//===----------------------------------------------------------------------===//
#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

/// x with input i, if it is given, added.
Variable plusInput(OnnxNode &n, const Variable &x, size_t i) {
  if (!n.has(i))
    return x;
  Variables both = broadcastTogether(n, {x, n.in(i)});
  return add(n.at(both[0]), both[1]);
}

Variables exactGelu(OnnxNode &n) { return {gelu(n.at(plusInput(n, n.in(0), 1)))}; }
Variables fastGelu(OnnxNode &n) { return {geluTanh(n.at(plusInput(n, n.in(0), 1)))}; }

Variables quickGelu(OnnxNode &n) {
  Variable x = n.in(0), alpha = n.scalar(n.getFloat("alpha", 1.702), x.dtype());
  return {mul(n.at(x), sigmoid(n.at(mul(n.at(x), alpha))))};
}

/// What `activation` names, with the parameters that stand in `activation_params` in the order of
/// the activation's own attributes, or have names of their own.
Variable activated(OnnxNode &n, const Variable &x) {
  std::string name = n.getString("activation", "");
  std::vector<float> listed = n.getFloats("activation_params").value_or(std::vector<float>());
  auto parameter = [&](size_t i, std::string_view attribute, double otherwise) {
    double value = i < listed.size() ? double(listed[i]) : n.getFloat(attribute, otherwise);
    return n.scalar(value, x.dtype());
  };
  if (name.empty())
    return x;
  if (name == "Relu")
    return relu(n.at(x));
  if (name == "Tanh")
    return tanh(n.at(x));
  if (name == "Sigmoid")
    return sigmoid(n.at(x));
  if (name == "LeakyRelu") {
    Variable slope = parameter(0, "activation_alpha", 0.01);
    return where(n.at(lt(n.at(x), n.scalar(0, x.dtype()))), mul(n.at(x), slope), x);
  }
  if (name == "Clip")
    return clip(n.at(x), parameter(0, "activation_alpha", -3.4028234663852886e38),
                parameter(1, "activation_beta", 3.4028234663852886e38));
  if (name == "HardSigmoid") {
    Variable line = add(n.at(mul(n.at(x), parameter(0, "activation_alpha", 0.2))),
                        parameter(1, "activation_beta", 0.5));
    return clip(n.at(line), n.scalar(0, x.dtype()), n.scalar(1, x.dtype()));
  }
  return n.unsupported("activation '" + name + "'");
}

/// Conv, the input Z of its result's shape added, activated.
Variables fusedConv(OnnxNode &n) {
  Variable y = withBias(n, convolution(n, n.in(0), n.in(1)), 2);
  return {activated(n, n.has(3) ? add(n.at(y), n.in(3)) : y)};
}

/// The first axis of a batch between the two of the matrices: [m, batch, k] as [batch, m, k].
Variable batchFirst(OnnxNode &n, const Variable &x) {
  std::vector<int> order;
  for (int axis = 1; axis + 1 < x.rank(); ++axis)
    order.push_back(axis);
  order.push_back(0);
  order.push_back(x.rank() - 1);
  return transpose(n.at(x), order);
}

Variable swapped(OnnxNode &n, const Variable &x) {
  std::vector<int> order;
  for (int axis = 0; axis < x.rank(); ++axis)
    order.push_back(axis);
  std::swap(order[order.size() - 2], order.back());
  return transpose(n.at(x), order);
}

/// alpha * A' B', of matrices in batches.
Variables fusedMatMul(OnnxNode &n) {
  auto operand = [&](size_t i, std::string_view batch, std::string_view turned) {
    Variable x = n.in(i);
    if (x.ok() && x.rank() > 2 && n.getBool(batch, false))
      x = batchFirst(n, x);
    return x.ok() && x.rank() > 1 && n.getBool(turned, false) ? swapped(n, x) : x;
  };
  Variables in = broadcastTogether(
      n, {operand(0, "transBatchA", "transA"), operand(1, "transBatchB", "transB")}, 2);
  Variable y = matmul(n.at(in[0]), in[1]);
  double alpha = n.getFloat("alpha", 1.0);
  return {alpha == 1.0 ? y : mul(n.at(y), n.scalar(alpha, y.dtype()))};
}

Variables fusedGemm(OnnxNode &n) {
  auto operand = [&](size_t i, std::string_view turned) {
    return n.getBool(turned, false) ? transpose(n.arg(i)) : n.in(i);
  };
  auto scaled = [&](const Variable &x, std::string_view name) {
    return mul(n.at(x), n.scalar(n.getFloat(name, 1.0), x.dtype()));
  };
  Variable y = scaled(matmul(n.at(operand(0, "transA")), operand(1, "transB")), "alpha");
  if (n.has(2)) {
    Variables both = broadcastTogether(n, {y, scaled(n.in(2), "beta")});
    y = add(n.at(both[0]), both[1]);
  }
  return {activated(n, y)};
}

struct Normalized {
  Variable value, mean, inverseDeviation;
};

/// Along the last axis: less the mean, unless `byMeanSquare`, over the deviation.
Normalized normalizedLast(OnnxNode &n, const Variable &x, double epsilon, bool byMeanSquare) {
  ReductionOptions last{.axes = Axis(-1), .keepDims = true};
  Variable centre = mean(n.at(x), last);
  Variable centred = byMeanSquare ? x : sub(n.at(x), centre);
  Variable square = mean(n.at(sqr(n.at(centred))), last);
  Variable inverse = rsqrt(n.at(add(n.at(square), n.scalar(epsilon, x.dtype()))));
  return {mul(n.at(centred), inverse), centre, inverse};
}

/// Layer normalization of input + skip + bias, which is the last output.
Variables skipNormalization(OnnxNode &n, bool byMeanSquare) {
  size_t bias = byMeanSquare ? 3 : 4;
  Variables both = broadcastTogether(n, {n.in(0), n.in(1)});
  Variable sum = plusInput(n, add(n.at(both[0]), both[1]), bias);
  Normalized part = normalizedLast(n, sum, n.getFloat("epsilon", 1e-12), byMeanSquare);
  Variable y = mul(n.at(part.value), n.in(2));
  if (!byMeanSquare)
    y = plusInput(n, y, 3);
  return {y, part.mean, part.inverseDeviation, sum};
}
Variables skipLayerNormalization(OnnxNode &n) { return skipNormalization(n, false); }
Variables skipSimplifiedLayerNormalization(OnnxNode &n) { return skipNormalization(n, true); }

/// Rows of tables for words, positions and segments, added and normalized; the number of words of
/// each sentence, by its mask.
Variables embedLayerNormalization(OnnxNode &n) {
  Variable words = n.in(0);
  if (!n.status().ok() || words.rank() != 2)
    return {n.fail(ErrorKind::TypeError, "input_ids must have rank 2: " + words.type().brief())};
  auto rows = [&](size_t table, const Variable &numbers) {
    return take(n.arg(table), numbers, {.axis = 0, .mode = TakeMode::Raise});
  };
  Variable positions = n.has(8) ? n.in(8) : positionsAlong(n, extentTerm(n, words, 1), 1, 2);
  Variable sum = add(n.at(rows(2, words)), rows(3, positions));
  if (n.has(1) && n.has(4))
    sum = add(n.at(sum), rows(4, n.in(1)));
  Normalized part = normalizedLast(n, sum, n.getFloat("epsilon", 1e-12), false);
  Variable y = plusInput(n, mul(n.at(part.value), n.in(5)), 6);
  Variable lengths = n.has(7)
                         ? graphc::sum(n.at(cast(n.arg(7), DType::Int32)), Axis(1))
                         : full(shapeOf(n, {extentTerm(n, words, 0)}), n.scalar(0, DType::Int32));
  return {y, cast(n.at(lengths), DType::Int32), sum};
}

} // namespace

absl::Span<const Translation> fusedTranslations() {
  static constexpr Translation kTable[] = {
      {"BiasGelu", exactGelu},
      {"EmbedLayerNormalization", embedLayerNormalization},
      {"FastGelu", fastGelu},
      {"FusedConv", fusedConv, 1, "as Conv; Relu, Tanh, Sigmoid, LeakyRelu, Clip, HardSigmoid"},
      {"FusedGemm", fusedGemm, 1, "the same activations"},
      {"FusedMatMul", fusedMatMul},
      {"Gelu", exactGelu},
      {"QuickGelu", quickGelu},
      {"SkipLayerNormalization", skipLayerNormalization},
      {"SkipSimplifiedLayerNormalization", skipSimplifiedLayerNormalization},
  };
  return kTable;
}

} // namespace graphc
