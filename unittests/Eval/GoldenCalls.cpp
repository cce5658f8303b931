#include "GoldenCalls.h"

#include "GoldenCallTable.h"
#include "OpCases.h"
#include "Ops/Registry.h"
#include "graphc/Arrays.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

using Json = nlohmann::json;

//===--- attributes -----------------------------------------------------------===//

std::vector<int> ints(const Json &value) {
  return value.is_array() ? value.get<std::vector<int>>() : std::vector<int>{value.get<int>()};
}
/// null, a number or a list.
Axes axes(const Json &value) { return value.is_null() ? Axes() : Axes(ints(value)); }
std::vector<int64_t> extents(const Json &value) { return value.get<std::vector<int64_t>>(); }
DType dtypeOf(const Json &attrs) {
  return parseDType(attrs["dtype"].get<std::string>()).value_or(DType::Float64);
}

ReductionOptions reduction(const Json &attrs) {
  ReductionOptions options;
  options.axes = axes(attrs["axis"]);
  options.keepDims = attrs.value("keepdims", false);
  options.ddof = attrs.value("ddof", 0);
  if (attrs.contains("acc_dtype"))
    options.accDtype = parseDType(attrs["acc_dtype"].get<std::string>());
  return options;
}

ConvOptions convolution(const Json &attrs) {
  ConvOptions options;
  options.stride = ints(attrs["stride"]);
  options.dilation = ints(attrs["dilation"]);
  options.groups = attrs["groups"].get<int>();
  options.filterFlip = attrs["filter_flip"].get<bool>();
  if (attrs["padding"].is_string())
    options.padding = attrs["padding"] == "full" ? Padding::Kind::Full : Padding::Kind::Half;
  else
    options.padding = Padding(attrs["padding"].get<std::vector<std::pair<int, int>>>());
  return options;
}

PoolOptions pooling(const Json &attrs) {
  static const std::map<std::string, PoolMode> modes = {
      {"max", PoolMode::Max},
      {"sum", PoolMode::Sum},
      {"average_inc_pad", PoolMode::AverageIncPad},
      {"average_exc_pad", PoolMode::AverageExcPad}};
  PoolOptions options;
  options.stride = ints(attrs["stride"]);
  std::vector<std::pair<int, int>> padding;
  for (int both : ints(attrs["padding"]))
    padding.emplace_back(both, both);
  options.padding = Padding(padding);
  options.mode = modes.at(attrs["mode"].get<std::string>());
  options.ignoreBorder = attrs["ignore_border"].get<bool>();
  return options;
}

PadOptions padding(const Json &attrs) {
  static const std::map<std::string, PadMode> modes = {
      {"constant", PadMode::Constant}, {"edge", PadMode::Edge},
      {"reflect", PadMode::Reflect},   {"symmetric", PadMode::Symmetric},
      {"wrap", PadMode::Wrap},         {"linear_ramp", PadMode::LinearRamp},
      {"mean", PadMode::Mean},         {"maximum", PadMode::Maximum},
      {"minimum", PadMode::Minimum}};
  PadOptions options;
  options.mode = modes.at(attrs["mode"].get<std::string>());
  if (attrs.contains("constant_value"))
    options.value = Operand(attrs["constant_value"].get<double>());
  return options;
}

Operand bound(const Json &value) {
  return value.is_null() ? Operand(kEnd) : Operand(value.get<int64_t>());
}

std::vector<Index> index(const Json &entries) {
  std::vector<Index> result;
  for (const Json &entry : entries) {
    if (entry == "newaxis")
      result.push_back(newaxis);
    else if (entry == "ellipsis")
      result.push_back(ellipsis);
    else if (entry.contains("int"))
      result.push_back(entry["int"].get<int64_t>());
    else if (!entry.contains("slice"))
      result.push_back(
          constant(goldenTensor(entry.contains("mask") ? entry["mask"] : entry["array"])));
    else if (const Json &s = entry["slice"]; s[2].is_null())
      result.push_back(Slice(bound(s[0]), bound(s[1])));
    else
      result.push_back(Slice(bound(s[0]), bound(s[1]), s[2].get<int64_t>()));
  }
  return result;
}

Attributes without(const Attributes &all, std::string_view name) {
  Attributes result;
  for (const auto &[key, value] : all.entries())
    if (key != name)
      result.set(key, value);
  return result;
}

Variable prodGradient(const Json &attrs, const Variables &in) {
  ReductionOptions options = reduction(attrs);
  Attributes axes;
  axes.set("axes", *attributesOf(prod(in[0], options)).find("axes"));
  Variable w = in[1];
  if (!options.keepDims) {
    std::vector<int> all;
    for (int axis = 0; axis < in[0].rank(); ++axis)
      all.push_back(axis);
    if (options.axes.list())
      all.assign(options.axes.list()->begin(), options.axes.list()->end());
    for (int &axis : all)
      axis += axis < 0 ? in[0].rank() : 0;
    if (!all.empty())
      w = expandDims(w, Axes(all));
  }
  return w * callBuiltin("productOfOthers", axes, {in[0]});
}

using Convolution = Variable (*)(const Operand &, const Operand &, const ConvOptions &);
Variable convGradient(Convolution conv, size_t i, const Json &attrs, const Variables &in) {
  Attributes attributes = attributesOf(conv(in[0], in[1], convolution(attrs)));
  if (i == 0)
    return callBuiltin("convInputGradient", attributes, {in[2], in[1], shape(in[0])});
  return callBuiltin("convKernelGradient", attributes, {in[0], in[2], shape(in[1])});
}

/// The operand of which the correlation has the shape of in[0].
Variable transposed(const Json &attrs, const Variables &in) {
  std::vector<int> stride = ints(attrs["stride"]), dilation = ints(attrs["dilation"]);
  std::vector<int> padding = ints(attrs["padding"]), more = ints(attrs["output_padding"]);
  Attributes attributes = {{"filterFlip", false}, {"groups", attrs["groups"].get<int64_t>()}};
  attributes.set("stride", IntList(stride.begin(), stride.end()));
  attributes.set("dilation", IntList(dilation.begin(), dilation.end()));
  IntList flat;
  std::vector<Operand> extents = {shape(in[0], 0), shape(in[0], 1)}; // the second does not count
  for (size_t k = 0; k < stride.size(); ++k) {
    flat.insert(flat.end(), 2, padding[k]);
    int axis = int(k) + 2;
    extents.push_back((shape(in[0], axis) - 1) * stride[k] +
                      (shape(in[1], axis) - 1) * dilation[k] + (1 + more[k] - 2 * padding[k]));
  }
  attributes.set("padding", flat);
  return callBuiltin("convInputGradient", attributes, {in[0], in[1], stack(extents)});
}

Variable poolGradient(const Json &attrs, const Variables &in) {
  Attributes all = attributesOf(pool(in[0], ints(attrs["window"]), pooling(attrs)));
  if (all.string("mode") != "max")
    return callBuiltin("poolSpread", all, {in[1], shape(in[0])});
  Attributes windows = without(all, "mode");
  Variable positions = callBuiltin("poolPositions", windows, {in[0]});
  return callBuiltin("poolScatter", windows, {in[1], positions, shape(in[0])});
}

/// Elements of in[0] at the positions of in[1]'s greatest.
Variable poolGather(const Json &attrs, const Variables &in) {
  Attributes windows =
      without(attributesOf(pool(in[1], ints(attrs["window"]), pooling(attrs))), "mode");
  Variable positions = callBuiltin("poolPositions", windows, {in[1]});
  return callBuiltin("poolGather", windows, {in[0], positions});
}

Variable padGradient(const Json &attrs, const Variables &in) {
  Variable padded =
      pad(in[0], attrs["pad_width"].get<std::vector<std::pair<int, int>>>(), padding(attrs));
  return callBuiltin("padFold", attributesOf(padded), {in[1], shape(in[0])});
}

TakeOptions taking(const Json &attrs) {
  static const std::map<std::string, TakeMode> modes = {
      {"raise", TakeMode::Raise}, {"clip", TakeMode::Clip}, {"wrap", TakeMode::Wrap}};
  TakeOptions options;
  if (!attrs["axis"].is_null())
    options.axis = attrs["axis"].get<int>();
  options.mode = modes.at(attrs["mode"].get<std::string>());
  return options;
}

//===--- calls -----------------------------------------------------------------===//

/// Families that are not just the op of that name on its inputs.
const GoldenCallTable &calls() {
  static const auto &table = *new GoldenCallTable{
      {"sum", GRAPHC_ONE(sum(in[0], reduction(a)))},
      {"prod", GRAPHC_ONE(prod(in[0], reduction(a)))},
      {"max", GRAPHC_ONE(max(in[0], reduction(a)))},
      {"min", GRAPHC_ONE(min(in[0], reduction(a)))},
      {"argmax", GRAPHC_ONE(argmax(in[0], reduction(a)))},
      {"argmin", GRAPHC_ONE(argmin(in[0], reduction(a)))},
      {"any", GRAPHC_ONE(any(in[0], reduction(a)))},
      {"all", GRAPHC_ONE(all(in[0], reduction(a)))},
      {"mean", GRAPHC_ONE(mean(in[0], reduction(a)))},
      {"var", GRAPHC_ONE(var(in[0], reduction(a)))},
      {"std", GRAPHC_ONE(stddev(in[0], reduction(a)))},
      {"logsumexp", GRAPHC_ONE(logsumexp(in[0], reduction(a)))},
      {"softmax", GRAPHC_ONE(softmax(in[0], axes(a["axis"])))},
      {"log_softmax", GRAPHC_ONE(logSoftmax(in[0], axes(a["axis"])))},
      {"cast", GRAPHC_ONE(cast(in[0], dtypeOf(a)))},
      {"where1", GRAPHC_ONE(where(in[0], in[1], in[2]))},
      {"zeros_like", GRAPHC_ONE(zerosLike(in[0]))},
      {"ones_like", GRAPHC_ONE(onesLike(in[0]))},
      {"isclose", GRAPHC_ONE(isclose(in[0], in[1], {.equalNan = a.value("equal_nan", false)}))},
      {"elu", GRAPHC_ONE(elu(in[0], a["alpha"].get<double>()))},
      {"leaky_relu", GRAPHC_ONE(leakyRelu(in[0], a["alpha"].get<double>()))},
      {"hard_sigmoid",
       GRAPHC_ONE(hardSigmoid(in[0], a["slope"].get<double>(), a["shift"].get<double>()))},
      {"tensordot", one([](const Json &a, const Variables &in) {
         const Json &axes = a["axes"];
         return axes.is_array() ? tensordot(in[0], in[1], ints(axes[0]), ints(axes[1]))
                                : tensordot(in[0], in[1], axes.get<int>());
       })},
      {"conv1d", GRAPHC_ONE(conv1d(in[0], in[1], convolution(a)))},
      {"conv2d", GRAPHC_ONE(conv2d(in[0], in[1], convolution(a)))},
      {"conv3d", GRAPHC_ONE(conv3d(in[0], in[1], convolution(a)))},
      {"pool", GRAPHC_ONE(pool(in[0], ints(a["window"]), pooling(a)))},
      {"reshape", GRAPHC_ONE(reshape(in[0], extents(a["shape"])))},
      {"broadcast_to", GRAPHC_ONE(broadcastTo(in[0], extents(a["shape"])))},
      {"full", GRAPHC_ONE(full(extents(a["shape"]), in[0]))},
      {"specify_shape", GRAPHC_ONE(specifyShape(in[0], extents(a["shape"])))},
      {"specify_shape_like", GRAPHC_ONE(specifyShapeLike(in[0], in[1]))},
      {"unbroadcast", GRAPHC_ONE(unbroadcast(in[0], Axes(ints(a["axes"]))))},
      {"shape_i", GRAPHC_ONE(shape(in[0], a["axis"].get<int>()))},
      {"dimshuffle", one([](const Json &a, const Variables &in) {
         std::vector<int> order;
         for (const Json &axis : a["order"])
           order.push_back(axis.is_string() ? -1 : axis.get<int>());
         return dimshuffle(in[0], order);
       })},
      {"transpose", one([](const Json &a, const Variables &in) {
         return a["axes"].is_null() ? transpose(in[0]) : transpose(in[0], ints(a["axes"]));
       })},
      {"expand_dims", GRAPHC_ONE(expandDims(in[0], axes(a["axis"])))},
      {"squeeze", GRAPHC_ONE(squeeze(in[0], axes(a["axis"])))},
      {"flatten", GRAPHC_ONE(flatten(in[0], a["ndim"].get<int>()))},
      {"moveaxis", GRAPHC_ONE(moveaxis(in[0], ints(a["source"]), ints(a["destination"])))},
      {"swapaxes", GRAPHC_ONE(swapaxes(in[0], a["axis1"].get<int>(), a["axis2"].get<int>()))},
      {"atleast_2d", GRAPHC_ONE(atleastNd(in[0], 2))},
      {"concatenate", GRAPHC_ONE(concatenate(in, a["axis"].get<int>()))},
      {"stack", GRAPHC_ONE(stack(in, a["axis"].get<int>()))},
      {"split",
       [](const Json &a, const Variables &in)
           -> std::optional<
               Variables> { return split(in[0], extents(a["sizes"]), a["axis"].get<int>()); }},
      {"pad", one([](const Json &a, const Variables &in) {
         return pad(in[0], a["pad_width"].get<std::vector<std::pair<int, int>>>(), padding(a));
       })},
      {"subtensor", GRAPHC_ONE(subtensor(in[0], index(a["index"])))},
      {"take", GRAPHC_ONE(take(in[0], in[1], taking(a)))},
      {"set_subtensor", GRAPHC_ONE(setSubtensor(in[0], index(a["index"]), in[1]))},
      {"inc_subtensor", GRAPHC_ONE(incSubtensor(in[0], index(a["index"]), in[1]))},
      {"prod_gradient0", one(prodGradient)},
      {"conv1d_gradient0", GRAPHC_ONE(convGradient(conv1d, 0, a, in))},
      {"conv1d_gradient1", GRAPHC_ONE(convGradient(conv1d, 1, a, in))},
      {"conv2d_gradient0", GRAPHC_ONE(convGradient(conv2d, 0, a, in))},
      {"conv2d_gradient1", GRAPHC_ONE(convGradient(conv2d, 1, a, in))},
      {"conv3d_gradient0", GRAPHC_ONE(convGradient(conv3d, 0, a, in))},
      {"conv3d_gradient1", GRAPHC_ONE(convGradient(conv3d, 1, a, in))},
      {"conv1d_transpose", one(transposed)},
      {"conv2d_transpose", one(transposed)},
      {"conv3d_transpose", one(transposed)},
      {"pool_gradient0", one(poolGradient)},
      {"pad_gradient0", one(padGradient)},
      {"pool_gather", one(poolGather)},
      {"inc_take", GRAPHC_ONE(incTake(in[0], in[1], in[2], taking(a)))},
      {"take_gradient0", GRAPHC_ONE(incTake(zerosLike(in[0]), in[1], in[2], taking(a)))},
      {"arange", GRAPHC_ONE(arange(in[0], in[1], in[2], dtypeOf(a)))},
      {"flip", GRAPHC_ONE(flip(in[0], axes(a["axis"])))},
      {"roll", GRAPHC_ONE(a["shift"].is_array()
                              ? roll(in[0], extents(a["shift"]), ints(a["axis"]))
                              : roll(in[0], a["shift"].get<int64_t>(), optionalInt(a["axis"])))},
      {"tile", GRAPHC_ONE(tile(in[0], extents(a["reps"])))},
      {"repeat",
       GRAPHC_ONE(a["repeats"].is_array()
                      ? repeat(in[0], extents(a["repeats"]), optionalInt(a["axis"]))
                      : repeat(in[0], a["repeats"].get<int64_t>(), optionalInt(a["axis"])))},
      {"tri", one([](const Json &a, const Variables &) {
         std::optional<Operand> m;
         if (!a["m"].is_null())
           m = Operand(a["m"].get<int64_t>());
         return tri(a["n"].get<int64_t>(), m, a["k"].get<int64_t>(), dtypeOf(a));
       })},
      {"tril", GRAPHC_ONE(tril(in[0], a["k"].get<int64_t>()))},
      {"triu", GRAPHC_ONE(triu(in[0], a["k"].get<int64_t>()))},
      {"diag", GRAPHC_ONE(diag(in[0], a["offset"].get<int>()))},
      {"diagonal", GRAPHC_ONE(diagonal(in[0], a["offset"].get<int>(), a["axis1"].get<int>(),
                                       a["axis2"].get<int>()))},
      {"trace", GRAPHC_ONE(trace(in[0], a["offset"].get<int>()))},
      {"diff", GRAPHC_ONE(diff(in[0], a["n"].get<int>(), a["axis"].get<int>()))},
      {"ptp", GRAPHC_ONE(ptp(in[0], axes(a["axis"])))},
      {"kron", GRAPHC_ONE(kron(in[0], in[1]))},
      {"norm2", GRAPHC_ONE(norm2(in[0], reduction(a)))},
      {"linspace",
       GRAPHC_ONE(linspace(in[0], in[1], a["num"].get<int64_t>(), a["endpoint"].get<bool>()))},
      {"meshgrid",
       [](const Json &a, const Variables &in) -> std::
                                                  optional<Variables> {
                                                    return meshgrid(
                                                        {in.begin(), in.end()},
                                                        a["indexing"].get<std::string>());
                                                  }},
      {"layer_norm", GRAPHC_ONE(layerNorm(in[0], in[1], in[2], a["epsilon"].get<double>()))},
      {"rms_norm", GRAPHC_ONE(rmsNorm(in[0], in[1], a["epsilon"].get<double>()))},
      {"group_norm", GRAPHC_ONE(groupNorm(in[0], a["groups"].get<int>(), in[1], in[2],
                                          a["epsilon"].get<double>()))},
      {"batch_norm_inference", GRAPHC_ONE(batchNormInference(in[0], in[1], in[2], in[3], in[4],
                                                             a["epsilon"].get<double>()))},
      {"batch_norm_train",
       [](const Json &a, const Variables &in) -> std::
                                                  optional<Variables> {
                                                    BatchNorm all =
                                                        batchNormTrain(in[0], in[1], in[2],
                                                                       a["epsilon"].get<double>());
                                                    return Variables{all.result, all.mean,
                                                                     all.inverseStddev};
                                                  }},
      {"binary_crossentropy", GRAPHC_ONE(binaryCrossentropy(in[0], in[1]))},
      {"sigmoid_binary_crossentropy", GRAPHC_ONE(sigmoidBinaryCrossentropy(in[0], in[1]))},
      {"softmax_cross_entropy_with_logits", GRAPHC_ONE(softmaxCrossentropy(in[0], in[1]))},
      {"categorical_crossentropy", GRAPHC_ONE(categoricalCrossentropy(in[0], in[1]))},
      {"mse", GRAPHC_ONE(meanSquaredError(in[0], in[1]))},
      {"huber", GRAPHC_ONE(huber(in[0], a["delta"].get<double>()))},
      {"kl_div", GRAPHC_ONE(klDivergence(in[0], in[1]))},
      {"attention",
       GRAPHC_ONE(attention(in[0], in[1], in[2], {.isCausal = a["causal"].get<bool>()}))},
      {"lstm_cell",
       [](const Json &, const Variables &in) -> std::
                                                 optional<Variables> {
                                                   LstmState next = lstmCell(in[0], in[1], in[2],
                                                                             in[3], in[4], in[5]);
                                                   return Variables{next.h, next.c};
                                                 }},
      {"eye", one([](const Json &a, const Variables &) {
         std::optional<Operand> m;
         if (!a["m"].is_null())
           m = Operand(a["m"].get<int64_t>());
         return eye(a["n"].get<int64_t>(), m, a["k"].get<int64_t>(), dtypeOf(a));
       })},
  };
  return table;
}

} // namespace

Variables goldenInputs(const GoldenLine &line, GoldenExtents extents) {
  Variables inputs;
  bool noBroadcast = line.attrs.contains("broadcast") && !line.attrs["broadcast"].get<bool>();
  for (const Tensor &value : line.inputs) {
    std::vector<int64_t> shape(value.shape().begin(), value.shape().end());
    if (extents == GoldenExtents::Dynamic || noBroadcast)
      for (int64_t &extent : shape)
        if (extent != 1 || noBroadcast)
          extent = kDynamic;
    inputs.push_back(tensor(value.dtype(), shape));
  }
  return inputs;
}

const OpDef *goldenOp(const std::string &family) {
  for (const OpDef *op : allOps())
    for (const std::string &name : op->golden)
      if (name == family)
        return op;
  return nullptr;
}

std::optional<Variables> callGolden(const GoldenLine &line, const Variables &inputs) {
  for (const GoldenCallTable *table : {&calls(), &orderingCalls(), &linearCalls(), &specialCalls(),
                                       &compositeCalls(), &complexCalls()})
    if (auto call = table->find(line.op); call != table->end())
      return call->second(line.attrs, inputs);
  const OpDef *def = goldenOp(line.op);
  if (!def)
    return std::nullopt;
  std::vector<Operand> operands;
  for (const Variable &input : inputs)
    operands.emplace_back(input);
  auto op = Op::create(*def);
  if (!op.ok())
    return Variables{Variable::invalid(op.status())};
  return Variables{op->call(operands, {})};
}

} // namespace graphc
