#include "GoldenCallTable.h"
#include "OpCases.h"
#include "graphc/Arrays.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Neural.h"
#include "graphc/Sorting.h"
#include "graphc/Special.h"

namespace graphc {
namespace {

using Json = nlohmann::json;

std::vector<int> ints(const Json &value) { return value.get<std::vector<int>>(); }
std::vector<Operand> operands(const Variables &in) { return {in.begin(), in.end()}; }

/// A number or "inf", "-inf".
double real(const Json &value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

ReductionOptions bits(const Json &a) {
  ReductionOptions options{.keepDims = a["keepdims"].get<bool>()};
  if (!a["axis"].is_null())
    options.axes = Axis(a["axis"].get<int>());
  return options;
}

Padding padding(const Json &value) {
  std::vector<std::pair<int, int>> pairs;
  for (int width : ints(value))
    pairs.emplace_back(width, width);
  return Padding(pairs);
}

Variable quantileBy(const Json &a, const Variables &in) {
  static const std::map<std::string, QuantileMethod> kMethods = {
      {"linear", QuantileMethod::Linear},
      {"lower", QuantileMethod::Lower},
      {"higher", QuantileMethod::Higher},
      {"midpoint", QuantileMethod::Midpoint},
      {"nearest", QuantileMethod::Nearest}};
  return quantile(in[0], a["q"].get<double>(), a["axis"].get<int>(),
                  kMethods.at(a["method"].get<std::string>()));
}

Variables both(const Histogram &h) { return {h.counts, h.edges}; }
Variables both(const MaxAndArgmax &m) { return {m.max, m.argmax}; }

Variables histogramBy(const Json &a, const Variables &in) {
  HistogramOptions options{.isDensity = a.value("density", false)};
  if (a.contains("range"))
    options.range = {a["range"][0].get<double>(), a["range"][1].get<double>()};
  return both(histogram(in[0], a["bins"].get<int64_t>(), options));
}

Variable neighbours(const Json &a, const Variables &in) {
  std::string mode = a["mode"].get<std::string>();
  return images2neibs(in[0], ints(a["window"]),
                      {.step = ints(a["step"]),
                       .mode = mode == "valid"            ? NeighbourMode::Valid
                               : mode == "ignore_borders" ? NeighbourMode::IgnoreBorders
                                                          : NeighbourMode::WrapCentered});
}

BlockOrder order(const Json &a) {
  return a["order"] == "blocks" ? BlockOrder::BlocksFirst : BlockOrder::ChannelsFirst;
}

Variable resized(const Json &a, const Variables &in) {
  std::string mode = a["mode"].get<std::string>(),
              coordinates = a["coordinates"].get<std::string>();
  return resize(in[0], ShapeList(a["sizes"].get<std::vector<int64_t>>()),
                {.mode = mode == "nearest"  ? ResizeMode::Nearest
                         : mode == "linear" ? ResizeMode::Linear
                                            : ResizeMode::Cubic,
                 .coordinates = coordinates == "half_pixel"      ? ResizeCoordinates::HalfPixel
                                : coordinates == "align_corners" ? ResizeCoordinates::AlignCorners
                                                                 : ResizeCoordinates::Asymmetric});
}

Variable transposedConvolution(const Json &a, const Variables &in) {
  TransposedConvOptions options{.stride = ints(a["stride"]),
                                .dilation = ints(a["dilation"]),
                                .outputPadding = ints(a["output_padding"]),
                                .padding = padding(a["padding"]),
                                .groups = a["groups"].get<int>()};
  switch (in[0].rank()) {
  case 3:
    return conv1dTranspose(in[0], in[1], options);
  case 4:
    return conv2dTranspose(in[0], in[1], options);
  default:
    return conv3dTranspose(in[0], in[1], options);
  }
}

Attributes blank(const Json &a) { return {{"blank", a["blank"].get<int64_t>()}}; }

/// 2F1 of the last operand, the others being numbers.
Variable gaussOf(const Json &a, const Variables &in) {
  auto like = [&](const char *name) {
    return constant(Tensor(a[name].get<double>()).cast(in[0].dtype()));
  };
  return hyp2f1(like("a"), like("b"), like("c"), in[0]);
}

} // namespace

const GoldenCallTable &compositeCalls() {
  static const auto &table = *new GoldenCallTable{
      {"einsum", GRAPHC_ONE(einsum(a["spec"].get<std::string>(), operands(in)))},
      {"inner", GRAPHC_ONE(inner(in[0], in[1]))},
      {"vecdot", GRAPHC_ONE(vecdot(in[0], in[1]))},
      {"matvec", GRAPHC_ONE(matvec(in[0], in[1]))},
      {"vecmat", GRAPHC_ONE(vecmat(in[0], in[1]))},
      {"hstack", GRAPHC_ONE(hstack(operands(in)))},
      {"vstack", GRAPHC_ONE(vstack(operands(in)))},
      {"block", GRAPHC_ONE(block({{in[0], in[1]}, {in[2], in[3]}}))},
      {"block_diag", GRAPHC_ONE(blockDiag(operands(in)))},
      {"logspace", GRAPHC_ONE(logspace(in[0], in[1], a["num"].get<int64_t>(),
                                       a["endpoint"].get<bool>(), a["base"].get<double>()))},
      {"geomspace",
       GRAPHC_ONE(geomspace(in[0], in[1], a["num"].get<int64_t>(), a["endpoint"].get<bool>()))},
      {"indices", GRAPHC_ALL(((void)in, indices({a["extents"][0].get<int64_t>(),
                                                 a["extents"][1].get<int64_t>()},
                                                a["open"].get<bool>())))},
      {"gradient", GRAPHC_ONE(gradient(in[0], a["axis"].get<int>(), a["spacing"].get<double>()))},
      {"vector_norm",
       GRAPHC_ONE(vectorNorm(in[0], real(a["ord"]), {.axes = Axis(a["axis"].get<int>())}))},
      {"max_and_argmax",
       GRAPHC_ALL(both(maxAndArgmax(in[0], {.axes = Axis(a["axis"].get<int>())})))},
      {"reduce_and", GRAPHC_ONE(reduceAnd(in[0], bits(a)))},
      {"reduce_or", GRAPHC_ONE(reduceOr(in[0], bits(a)))},
      {"reduce_xor", GRAPHC_ONE(reduceXor(in[0], bits(a)))},
      {"quantile_method", one(quantileBy)},
      {"histogram", GRAPHC_ALL(histogramBy(a, in))},
      {"histogram_edges", GRAPHC_ONE(histogramOf(in[0], in[1]).counts)},
      {"histogram_weights",
       GRAPHC_ONE(
           cast(histogramOf(in[0], in[1], {.weights = Operand(in[2])}).counts, in[0].dtype()))},
      {"im2col", GRAPHC_ONE(im2col(in[0], ints(a["window"]),
                                   {.stride = ints(a["stride"]),
                                    .dilation = ints(a["dilation"]),
                                    .padding = padding(a["padding"])}))},
      {"images2neibs", one(neighbours)},
      {"depth_to_space", GRAPHC_ONE(depthToSpace(in[0], a["block"].get<int>(), order(a)))},
      {"space_to_depth", GRAPHC_ONE(spaceToDepth(in[0], a["block"].get<int>(), order(a)))},
      {"resize", one(resized)},
      {"upsample", GRAPHC_ONE(upsample(in[0], ints(a["factors"])))},
      {"conv_transpose", one(transposedConvolution)},
      {"quantize", GRAPHC_ONE(quantize(in[0], in[1], in[2], a["axis"].get<int>()))},
      {"dequantize", GRAPHC_ONE(dequantize(in[0], in[1], in[2], a["axis"].get<int>()))},
      {"matmul_integer", GRAPHC_ONE(matmulInteger(in[0], in[1], in[2], in[3]))},
      {"ctc", GRAPHC_ONE(ctcLoss(in[0], in[1], in[2], in[3], a["blank"].get<int64_t>()))},
      {"ctc_gradient", GRAPHC_ONE(callBuiltin("ctcGradient", blank(a), in))},
      {"ctc_gradient_along", GRAPHC_ONE(callBuiltin("ctcGradientAlong", blank(a), in))},
      {"xlogx", GRAPHC_ONE(xlogx(in[0]))},
      {"entr", GRAPHC_ONE(entr(in[0]))},
      {"rel_entr", GRAPHC_ONE(relEntr(in[0], in[1]))},
      {"kl_terms", GRAPHC_ONE(klDiv(in[0], in[1]))},
      {"hyp2f1_of", one(gaussOf)},
  };
  return table;
}

} // namespace graphc
