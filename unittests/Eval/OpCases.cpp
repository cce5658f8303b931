#include "OpCases.h"

#include "ComplexCases.h"
#include "DrawCases.h"
#include "LinearCases.h"
#include "OrderingCases.h"
#include "SpecialCases.h"

#include <map>

#include "Ops/Build.h"
#include "Ops/Registry.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using V = const Variables &;
using Shapes = std::vector<std::vector<int64_t>>;
using Call = std::function<Variable(const Variables &)>;

/// Rank 8, and 32, the most that is promised.
const std::vector<int64_t> kEight = {2, 1, 3, 1, 2, 2, 1, 2};
std::vector<int64_t> thirtyTwo() {
  std::vector<int64_t> shape(32, 1);
  shape[3] = 2, shape[17] = 3, shape[31] = 2;
  return shape;
}

/// Nothing tells that extents are 1 but the run.
OpCase ofUnknownOnes(Shapes shapes, Call call) {
  OpCase c{std::move(shapes), std::move(call)};
  c.hasUnknownOnes = true;
  return c;
}

Variable chunksJoined(V x) { return build(builtin("joinChunks"), {x[0], x[1]}); }

/// Attributes of elementwise ops beside their defaults.
const std::vector<Attributes> &otherAttributes(const std::string &op) {
  static const auto &table = *new std::map<std::string, std::vector<Attributes>>{
      {"isclose", {{{"rtol", 0.25}, {"atol", 0.5}, {"equalNan", true}}, {{"rtol", 0.0}}}},
      {"elu", {{{"alpha", 0.3}}, {{"alpha", -2.0}}}},
      {"leakyRelu", {{{"alpha", 0.3}}, {{"alpha", -2.0}}}},
      {"hardSigmoid", {{{"slope", 0.7}, {"shift", 0.1}}}},
      {"polygamma", {{{"order", int64_t(1)}}, {{"order", int64_t(4)}}}},
      {"hardTanh", {{{"low", -0.3}, {"high", 2.0}}}},
  };
  static const auto &none = *new std::vector<Attributes>;
  auto found = table.find(op);
  return found == table.end() ? none : found->second;
}

/// Elementwise: any shapes; broadcasting needs extents of 1 that are known.
std::vector<OpCase> elementwise(const OpDef &def) {
  size_t n = def.variadic ? 3 : def.operands.size();
  Op op = *Op::create(def);
  Call call = [op](V x) { return op.call(std::vector<Operand>(x.begin(), x.end()), Place()); };
  std::vector<OpCase> cases;
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{3, 5}, {0, 4}, {}, {37}, kEight})
    cases.push_back({Shapes(n, shape), call});
  cases.push_back({Shapes(n, thirtyTwo()), call, true});
  if (n > 1) {
    Shapes broadcast(n, {4, 1});
    for (size_t i = 1; i < n; ++i)
      broadcast[i] = i % 2 ? std::vector<int64_t>{5} : std::vector<int64_t>{2, 1, 5};
    cases.push_back({broadcast, call});
  }
  const std::vector<Attributes> &others = otherAttributes(def.name);
  if (others.empty() && !def.attributes.empty())
    return {};
  for (const Attributes &attributes : others) {
    Op other = *Op::create(def, attributes);
    cases.push_back({Shapes(n, {19}), [other](V x) {
                       return other.call(std::vector<Operand>(x.begin(), x.end()), Place());
                     }});
  }
  cases.push_back(ofUnknownOnes(Shapes(n, {1, 3, 1}), call));
  return cases;
}

std::vector<OpCase> overAxes(Variable (*call)(const Operand &, const ReductionOptions &),
                             bool mayBeEmpty) {
  auto with = [call](ReductionOptions options) { return [=](V x) { return call(x[0], options); }; };
  std::vector<OpCase> cases = {
      {{{4, 5, 6}}, with({})},
      {{{4, 5, 6}}, with({.axes = Axis(1)})},
      {{{4, 5, 6}}, with({.axes = {0, 2}, .keepDims = true})},
      {{{70}}, with({})},
      {{{3, 40}}, with({.axes = Axis(1)})},
      {{{3, 7}}, with({.axes = Axis(0)}), true},
      {{{0, 3}}, with({.axes = Axis(1)})},
      {{kEight}, with({.axes = {0, 2, 5}})},
      {{thirtyTwo()}, with({.axes = {17, 31}}), true},
      {{{}}, with({})},
  };
  if (mayBeEmpty) {
    cases.push_back({{{3, 0}}, with({.axes = Axis(1)})});
    // Loops that cannot be made one, of which one has no iterations.
    cases.push_back({{{2, 3, 0}}, with({.axes = {0, 2}}), true});
    cases.push_back({{{2, 3, 4, 0}}, with({.axes = {0, 1, 3}, .keepDims = true}), true});
    cases.push_back({{{0, 3, 2}}, with({.axes = {0, 2}})});
  }
  cases.push_back(ofUnknownOnes({{1, 5, 1}}, with({.axes = {0, 1}})));
  return cases;
}

/// sum, prod and mean, whose terms may be joined in another dtype (F-012).
std::vector<OpCase> joining(Variable (*call)(const Operand &, const ReductionOptions &)) {
  std::vector<OpCase> cases = overAxes(call, true);
  cases.push_back({{{3, 50}}, [call](V x) {
                     return call(x[0], {.axes = Axis(1), .accDtype = DType::Float64});
                   }});
  return cases;
}

std::vector<OpCase> deviations(Variable (*call)(const Operand &, const ReductionOptions &)) {
  std::vector<OpCase> cases = overAxes(call, true);
  cases.push_back({{{3, 20}}, [call](V x) { return call(x[0], {.axes = Axis(1), .ddof = 1.5}); }});
  return cases;
}

std::vector<OpCase> alongAxes(const std::function<Variable(const Operand &, const Axes &)> &call) {
  auto with = [call](Axes axes) { return [=](V x) { return call(x[0], axes); }; };
  return {{{{4, 33}}, with(Axis(-1))},           {{{4, 5}}, with(Axis(0))},
          {{{2, 3, 4}}, with(Axes{0, 2})},       {{{0, 3}}, with(Axis(1))},
          {{kEight}, with(Axes{2, 7})},          {{thirtyTwo()}, with(Axis(17)), true},
          {{{2, 3, 0}}, with(Axes{0, 2}), true}, {{{2, 0, 4}}, with(Axes{0, 1})},
          {{{3, 9}}, with(Axis(-1)), true},      ofUnknownOnes({{1, 5, 1}}, with(Axis(2)))};
}

Shapes one(std::vector<int64_t> shape) { return {std::move(shape)}; }

/// Conv of 1 to 3 axes with stride, padding, dilation and groups.
std::vector<OpCase>
convolutions(Variable (*conv)(const Operand &, const Operand &, const ConvOptions &), size_t axes) {
  auto shape = [&](int64_t batch, int64_t channels, int64_t extent) {
    std::vector<int64_t> s(axes + 2, extent);
    s[0] = batch, s[1] = channels;
    return s;
  };
  auto with = [conv](ConvOptions options) {
    return [=](V x) { return conv(x[0], x[1], options); };
  };
  std::vector<int> twice(axes, 2);
  return {{{shape(2, 3, 6), shape(4, 3, 3)}, with({})},
          {{shape(1, 4, 7), shape(6, 2, 3)},
           with({.stride = twice, .padding = Padding(1), .groups = 2, .filterFlip = false})},
          {{shape(1, 2, 7), shape(3, 2, 2)},
           with({.padding = Padding::Kind::Full, .dilation = twice}),
           true},
          {{shape(0, 2, 5), shape(3, 2, 2)}, with({})},
          ofUnknownOnes({shape(1, 1, 1), shape(1, 1, 1)}, with({.padding = Padding(1)}))};
}

std::vector<OpCase> pools() {
  std::vector<OpCase> cases;
  for (PoolMode mode :
       {PoolMode::Max, PoolMode::Sum, PoolMode::AverageIncPad, PoolMode::AverageExcPad}) {
    cases.push_back({one({2, 3, 7, 6}), [=](V x) {
                       return pool(x[0], {3, 2},
                                   {.stride = {2, 1}, .padding = Padding{1, 0}, .mode = mode});
                     }});
    cases.push_back(
        {one({2, 7}),
         [=](V x) { return pool(x[0], {3}, {.stride = {2}, .mode = mode, .ignoreBorder = false}); },
         true});
    cases.push_back({one(kEight), [=](V x) {
                       return pool(x[0], {2, 1, 2}, {.stride = {1, 1, 2}, .mode = mode});
                     }});
  }
  for (PoolMode mode : {PoolMode::Max, PoolMode::AverageExcPad})
    cases.push_back(ofUnknownOnes(
        {{1, 1, 6}}, [=](V x) { return pool(x[0], {1, 2}, {.stride = {1, 2}, .mode = mode}); }));
  return cases;
}

std::vector<OpCase> pads() {
  std::vector<OpCase> cases;
  for (int mode = 0; mode <= int(PadMode::Minimum); ++mode) {
    PadOptions options = {.mode = PadMode(mode)};
    cases.push_back({one({3, 4}), [=](V x) { return pad(x[0], {{2, 5}, {0, 1}}, options); }});
    cases.push_back(
        {one({2, 1, 3}), [=](V x) { return pad(x[0], {{0, 0}, {1, 1}, {4, 0}}, options); }, true});
  }
  cases.push_back({one(kEight), [](V x) {
                     std::vector<std::pair<int, int>> widths(8);
                     widths[0] = {1, 0}, widths[6] = {2, 1};
                     return pad(x[0], widths);
                   }});
  cases.push_back({one({0, 2}), [](V x) { return pad(x[0], {{1, 1}, {0, 1}}); }});
  for (PadMode mode : {PadMode::Constant, PadMode::Edge, PadMode::Wrap})
    cases.push_back(
        ofUnknownOnes({{1, 3}}, [=](V x) { return pad(x[0], {{2, 0}, {1, 1}}, {.mode = mode}); }));
  return cases;
}

std::vector<OpCase> casts() {
  std::vector<OpCase> cases;
  for (int dtype = 0; dtype < kNumRealDTypes; ++dtype)
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{67}, {}})
      cases.push_back({one(shape), [=](V x) { return cast(x[0], DType(dtype)); }});
  cases.push_back({one(thirtyTwo()), [](V x) { return cast(x[0], DType::Float32); }, true});
  return cases;
}

//===--- ops of gradients ---------------------------------------------------------===//

/// The op with the attributes of `of`, which it belongs to.
Variable likeCall(std::string_view op, const Variable &of, const Variables &operands) {
  return of.ok() ? callBuiltin(op, attributesOf(of), operands) : of;
}

/// Operands: x, kernel, and the gradient of their convolution.
std::vector<OpCase> convGradients(std::string_view op,
                                  Variable (*conv)(const Operand &, const Operand &,
                                                   const ConvOptions &),
                                  size_t axes) {
  auto shape = [&](int64_t batch, int64_t channels, int64_t extent) {
    std::vector<int64_t> s(axes + 2, extent);
    s[0] = batch, s[1] = channels;
    return s;
  };
  auto with = [=](ConvOptions options) {
    return [=](V x) {
      Variable result = conv(x[0], x[1], options);
      return op == "convInputGradient" ? likeCall(op, result, {x[2], x[1], graphc::shape(x[0])})
                                       : likeCall(op, result, {x[0], x[2], graphc::shape(x[1])});
    };
  };
  std::vector<int> twice(axes, 2);
  return {{{shape(2, 3, 6), shape(4, 3, 3), shape(2, 4, 4)}, with({})},
          {{shape(1, 4, 7), shape(6, 2, 3), shape(1, 6, 4)},
           with({.stride = twice, .padding = Padding(1), .groups = 2, .filterFlip = false})},
          {{shape(1, 2, 7), shape(3, 2, 2), shape(1, 3, 9)},
           with({.padding = Padding::Kind::Full, .dilation = twice}),
           true},
          {{shape(0, 2, 5), shape(3, 2, 2), shape(0, 3, 4)}, with({})},
          ofUnknownOnes({shape(1, 1, 1), shape(1, 1, 1), shape(1, 1, 3)},
                        with({.padding = Padding(1)}))};
}

std::vector<OpCase> convGradients(std::string_view op) {
  std::vector<OpCase> cases = convGradients(op, &conv1d, 1);
  for (const OpCase &c : convGradients(op, &conv2d, 2))
    cases.push_back(c);
  return cases;
}

/// Windows on x; operands: x, and an array like their results, or like x.
using OnWindows = std::function<Variable(const Variable &pooled, V x)>;
std::vector<OpCase> windows(PoolMode mode, bool isLikeX, const OnWindows &call) {
  auto shapes = [&](std::vector<int64_t> x, std::vector<int64_t> result) {
    return Shapes{x, isLikeX ? x : result};
  };
  auto with = [=](std::vector<int> window, PoolOptions options) {
    options.mode = mode;
    return [=](V x) { return call(pool(x[0], window, options), x); };
  };
  return {{shapes({2, 3, 7, 6}, {2, 3, 4, 5}),
           with({3, 2}, {.stride = {2, 1}, .padding = Padding{1, 0}})},
          {shapes({2, 7}, {2, 3}), with({3}, {.stride = {2}, .ignoreBorder = false}), true},
          {shapes(kEight, {2, 1, 3, 1, 2, 1, 1, 1}), with({2, 1, 2}, {.stride = {1, 1, 2}})},
          {shapes({3, 5}, {3, 2}), with({1}, {.stride = {3}})},
          ofUnknownOnes(shapes({1, 1, 6}, {1, 1, 3}), with({1, 2}, {.stride = {1, 2}}))};
}

/// Of the mode "max", which the ops of its gradient have no attribute for. The positions are those
/// of magnitudes.
std::vector<OpCase> onMaxima(bool isLikeX,
                             const std::function<Variable(const Attributes &, V x)> &call) {
  return windows(PoolMode::Max, isLikeX, [=](const Variable &pooled, V x) {
    if (!pooled.ok())
      return pooled;
    Attributes all = attributesOf(pooled), attributes;
    for (const auto &[name, value] : all.entries())
      if (name != "mode")
        attributes.set(name, value);
    return call(attributes, x);
  });
}

std::vector<OpCase> spreads() {
  std::vector<OpCase> cases;
  for (PoolMode mode : {PoolMode::Sum, PoolMode::AverageIncPad, PoolMode::AverageExcPad})
    for (OpCase &c : windows(mode, false, [](const Variable &pooled, V x) {
           return likeCall("poolSpread", pooled, {x[1], shape(x[0])});
         }))
      cases.push_back(std::move(c));
  return cases;
}

/// Operands: x, and the gradient of x padded.
std::vector<OpCase> folds() {
  std::vector<OpCase> cases;
  for (PadMode mode : {PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap}) {
    auto with = [=](std::vector<std::pair<int, int>> widths) {
      return [=](V x) {
        return likeCall("padFold", pad(x[0], widths, {.mode = mode}), {x[1], shape(x[0])});
      };
    };
    cases.push_back({{{3, 4}, {10, 5}}, with({{2, 5}, {0, 1}})});
    cases.push_back({{{2, 1, 3}, {2, 3, 7}}, with({{0, 0}, {1, 1}, {4, 0}}), true});
    cases.push_back(ofUnknownOnes({{1, 3}, {3, 5}}, with({{2, 0}, {1, 1}})));
    std::vector<std::pair<int, int>> widths(8);
    widths[0] = {1, 0}, widths[6] = {2, 1};
    cases.push_back({{kEight, {3, 1, 3, 1, 2, 2, 4, 2}}, with(widths)});
    cases.push_back({{{4}, {4}}, with({{0, 0}})});
  }
  return cases;
}

std::map<std::string, std::vector<OpCase>> ofGradients() {
  auto others = [](const Operand &x, const Axes &axes) {
    AttributeValue list = NoneAttr();
    if (axes.list())
      list = *axes.list();
    return callBuiltin("productOfOthers", {{"axes", list}}, {x.variable()});
  };
  std::vector<OpCase> products = alongAxes(others);
  products.push_back({{{2, 20}}, [=](V x) { return others(x[0], Axis(1)); }, true});
  products.push_back({{{40}}, [=](V x) { return others(x[0], Axes()); }});
  return {
      {"productOfOthers", products},
      {"convInputGradient", convGradients("convInputGradient")},
      {"convKernelGradient", convGradients("convKernelGradient")},
      {"poolSpread", spreads()},
      {"poolPositions",
       onMaxima(true,
                [](const Attributes &a, V x) { return callBuiltin("poolPositions", a, {x[0]}); })},
      {"poolScatter", onMaxima(false,
                               [](const Attributes &a, V x) {
                                 Variable positions = callBuiltin("poolPositions", a, {sqr(x[0])});
                                 return callBuiltin("poolScatter", a,
                                                    {x[1], positions, shape(x[0])});
                               })},
      {"poolGather", onMaxima(true,
                              [](const Attributes &a, V x) {
                                Variable positions = callBuiltin("poolPositions", a, {sqr(x[0])});
                                return callBuiltin("poolGather", a, {x[1], positions});
                              })},
      {"padFold", folds()},
  };
}

std::map<std::string, std::vector<OpCase>> products() {
  Call plainDot = [](V x) { return dot(x[0], x[1]); };
  Call plainMatmul = [](V x) { return matmul(x[0], x[1]); };
  Call plainBatched = [](V x) { return batchedDot(x[0], x[1]); };
  Call plainOuter = [](V x) { return outer(x[0], x[1]); };
  return {
      {"dot",
       {{{{4, 5}, {5, 3}}, plainDot},
        {{{9, 17}, {17, 20}}, plainDot, true},
        {{{19}, {19}}, plainDot},
        {{{2, 3, 4}, {4}}, plainDot},
        {{{}, {2, 3}}, plainDot},
        {{kEight, {2, 3}}, plainDot},
        {{{3, 2}, kEight}, [](V x) { return dot(x[0], moveaxis(x[1], {7}, {6})); }},
        {{{2, 0}, {0, 3}}, plainDot},
        {{{0, 3}, {3, 2}}, plainDot},
        ofUnknownOnes({{1, 1}, {1, 5}}, plainDot),
        ofUnknownOnes({{5, 1}, {1, 1}}, plainDot)}},
      {"matmul",
       {{{{2, 4, 5}, {2, 5, 3}}, plainMatmul},
        {{{3, 1, 2, 4}, {5, 4, 2}}, plainMatmul},
        {{{5}, {2, 5, 3}}, plainMatmul},
        {{{2, 3, 0}, {2, 0, 4}}, plainMatmul},
        {{{2, 1, 1, 1, 1, 1, 2, 3}, {1, 1, 1, 1, 1, 2, 3, 2}}, plainMatmul, true},
        ofUnknownOnes({{1, 1, 4}, {1, 4, 1}}, plainMatmul)}},
      {"batchedDot",
       {{{{3, 2, 4}, {3, 4, 2}}, plainBatched},
        {{{3, 4}, {3, 4}}, plainBatched},
        {{{0, 2, 4}, {0, 4, 2}}, plainBatched},
        ofUnknownOnes({{1, 1, 4}, {1, 4, 1}}, plainBatched)}},
      {"tensordot",
       {{{{2, 3, 4}, {3, 4, 5}}, [](V x) { return tensordot(x[0], x[1], 2); }},
        {{{2, 3, 4}, {4, 2}}, [](V x) { return tensordot(x[0], x[1], {0, 2}, {1, 0}); }},
        {{{2, 0}, {0, 3}}, [](V x) { return tensordot(x[0], x[1], 1); }},
        {{{2, 3, 0}, {2, 0}}, [](V x) { return tensordot(x[0], x[1], {0, 2}, {0, 1}); }, true},
        {{kEight, kEight}, [](V x) { return tensordot(x[0], x[1], {2, 0, 7}, {2, 5, 0}); }}}},
      {"outer",
       {{{{3}, {18}}, plainOuter},
        {{{2, 2}, {3}}, plainOuter},
        {{{0}, {3}}, plainOuter},
        {{kEight, {5}}, plainOuter},
        ofUnknownOnes({{1}, {5}}, plainOuter)}},
      {"conv1d", convolutions(&conv1d, 1)},
      {"conv2d", convolutions(&conv2d, 2)},
      {"conv3d", convolutions(&conv3d, 3)},
      {"pool", pools()},
  };
}

std::map<std::string, std::vector<OpCase>> reductions() {
  return {{"sum", joining(&sum)},
          {"prod", joining(&prod)},
          {"max", overAxes(&max, false)},
          {"min", overAxes(&min, false)},
          {"argmax", overAxes(&argmax, false)},
          {"argmin", overAxes(&argmin, false)},
          {"any", overAxes(&any, true)},
          {"all", overAxes(&all, true)},
          {"reduceAnd", overAxes(&reduceAnd, true)},
          {"reduceOr", overAxes(&reduceOr, true)},
          {"reduceXor", overAxes(&reduceXor, true)},
          {"mean", joining(&mean)},
          {"var", deviations(&var)},
          {"stddev", deviations(&stddev)},
          {"logsumexp", overAxes(&logsumexp, true)},
          {"softmax", alongAxes(&softmax)},
          {"logSoftmax", alongAxes(&logSoftmax)}};
}

std::map<std::string, std::vector<OpCase>> shapes() {
  std::vector<int> backwards;
  for (int axis = 31; axis >= 0; --axis)
    backwards.push_back(axis);
  return {
      {"shape",
       {{one({3, 0}), [](V x) { return shape(x[0]); }},
        {one(kEight), [](V x) { return shape(x[0]); }}}},
      {"shapeI",
       {{one({3, 4}), [](V x) { return shape(x[0], 1); }},
        {one(kEight), [](V x) { return shape(x[0], 2); }}}},
      {"size",
       {{one({3, 4}), [](V x) { return size(x[0]); }},
        {one(kEight), [](V x) { return size(x[0]); }}}},
      {"reshape",
       {{one({3, 4}), [](V x) { return reshape(x[0], {2, -1}); }},
        {one({0, 4}), [](V x) { return reshape(x[0], {4, -1}); }},
        {one(kEight), [](V x) { return reshape(x[0], {-1}); }},
        ofUnknownOnes({{1, 6, 1}}, [](V x) { return reshape(x[0], {1, -1, 2}); })}},
      {"flatten",
       {{one({3, 4, 2}), [](V x) { return flatten(x[0], 2); }},
        {one(kEight), [](V x) { return flatten(x[0], 5); }}}},
      {"dimshuffle",
       {{one({3, 17}), [](V x) { return dimshuffle(x[0], {1, 0}); }},
        {one({3, 4, 2}), [](V x) { return dimshuffle(x[0], {1, -1, 2, 0}); }},
        {one({0, 4}), [](V x) { return dimshuffle(x[0], {1, 0}); }},
        {one(kEight), [](V x) { return dimshuffle(x[0], {7, 0, 6, 1, 5, 2, 4, 3}); }},
        {one(thirtyTwo()), [=](V x) { return dimshuffle(x[0], backwards); }, true},
        ofUnknownOnes({{1, 4, 1}}, [](V x) { return dimshuffle(x[0], {1, -1, 2, 0}); })}},
      {"squeeze",
       {{one({3, 1, 2}), [](V x) { return squeeze(x[0], Axis(1)); }},
        {one(kEight), [](V x) { return squeeze(x[0]); }},
        ofUnknownOnes({{3, 1, 1}}, [](V x) { return squeeze(x[0], Axis(1)); })}},
      {"specifyShape",
       {{one({3, 4}), [](V x) { return specifyShape(x[0], {3, kDynamic}); }},
        {one(kEight),
         [](V x) { return specifyShape(x[0], {2, 1, kDynamic, 1, 2, kDynamic, 1, 2}); }},
        // The way to let such an extent broadcast.
        ofUnknownOnes({{3, 1}, {3, 4}},
                      [](V x) { return specifyShape(x[0], {kDynamic, 1}) + x[1]; })}},
      {"unbroadcast",
       {{one({3, 1, 4}), [](V x) { return unbroadcast(x[0], {0, 1}); }},
        {one(kEight), [](V x) { return unbroadcast(x[0], Axis(-1)); }},
        ofUnknownOnes({{3, 1}}, [](V x) { return unbroadcast(x[0], {}); })}},
      {"specifyShapeLike",
       {{{{3, 4}, {3, 4}}, [](V x) { return specifyShapeLike(x[0], x[1]); }},
        {{kEight, kEight}, [](V x) { return specifyShapeLike(x[0], x[1]); }},
        ofUnknownOnes({{3, 1}, {3, 1}}, [](V x) { return specifyShapeLike(x[0], x[1]); })}},
      {"broadcastTo",
       {{one({3, 1}), [](V x) { return broadcastTo(x[0], {2, 3, 5}); }},
        {one({}), [](V x) { return broadcastTo(x[0], {0, 3}); }},
        ofUnknownOnes({{3, 1}}, [](V x) { return broadcastTo(x[0], {2, 3, 1}); }),
        {one(kEight), [](V x) { return broadcastTo(x[0], {2, 3, 3, 1, 2, 2, 4, 2}); }, true}}},
      {"join",
       {{{{3, 4}, {2, 4}}, [](V x) { return concatenate({x[0], x[1], x[0]}, 0); }},
        {{{3, 4}, {3, 17}}, [](V x) { return concatenate({x[0], x[1]}, 1); }},
        {{{0, 4}, {2, 4}}, [](V x) { return concatenate({x[0], x[1]}, 0); }},
        {{kEight, kEight}, [](V x) { return concatenate({x[0], x[1]}, 4); }},
        {{thirtyTwo(), thirtyTwo()}, [](V x) { return concatenate({x[0], x[1]}, 30); }, true},
        ofUnknownOnes({{1, 4}, {1, 1}}, [](V x) { return concatenate({x[0], x[1]}, 1); })}},
      {"joinChunks",
       {{{{2, 3, 4}, {5, 4}}, chunksJoined},
        {{{2, 3}, {1}}, chunksJoined},
        {{{0, 3, 2}, {2, 2}}, chunksJoined},
        {{{4, 1, 2}, {0, 2}}, chunksJoined},
        {{{4, 1, 1}, {2, 1}}, [](V x) { return chunksJoined(x)[{Slice(-3, kEnd)}]; }},
        {{kEight, {1, 3, 1, 2, 2, 1, 2}}, chunksJoined},
        ofUnknownOnes({{1, 1, 1}, {1, 1}}, chunksJoined)}},
      {"splitPiece",
       {{one({7, 2}), [](V x) { return split(x[0], {2, 0, 5}, 0)[2]; }},
        {one({3, 6}), [](V x) { return split(x[0], {4, 2}, 1)[0]; }},
        {one({3, 20}),
         [](V x) {
           return split(x[0], constant(*Tensor::full(DType::Int64, {20}, Tensor(1))), 20, 1)[3];
         }},
        {one(kEight), [](V x) { return split(x[0], {1, 2}, 2)[1]; }},
        ofUnknownOnes({{1, 3}}, [](V x) { return split(x[0], {0, 1}, 0)[1]; })}},
      {"pad", pads()},
      {"ifElse",
       {{{{}, {3, 4}, {3, 4}}, [](V x) { return ifElse(x[0], x[1], x[2]); }},
        {{{}, {3, 4}, {5, 2}}, [](V x) { return ifElse(x[0], x[1], x[2]); }},
        {{{}, {3, 4}, {5, 2}}, [](V x) { return ifElse(logicalNot(x[0]), x[1], x[2]); }},
        {{{}, {2, 3}, {2, 0}}, [](V x) { return ifElse(x[0], x[1], x[2]); }, true},
        {{{}, {}, {}}, [](V x) { return ifElse(x[0], x[1], x[2]); }},
        {{{}, kEight, kEight}, [](V x) { return ifElse(x[0], x[1], x[2]); }},
        ofUnknownOnes({{}, {1, 3}, {1, 1}}, [](V x) { return ifElse(x[0], x[1], x[2]); })}},
  };
}

/// setSubtensor or incSubtensor.
std::vector<OpCase> changes(Variable (*call)(const Operand &, const std::vector<Index> &,
                                             const Operand &)) {
  auto at = [call](std::vector<Index> index) {
    return [=](V x) { return call(x[0], index, x[1]); };
  };
  return {
      {{{7, 9}, {3, 2}}, at({Slice(1, kEnd, 2), Slice(kEnd, 2, -3)})},
      {{{7, 9}, {1, 9}}, at({3, newaxis})},
      {{{7, 9}, {}}, at({ellipsis, -1})},
      {{{7, 0}, {3, 0}}, at({Slice(2, 5)})},
      {{{7, 9}, {9}}, at({Slice(5, 2)})},
      {{{4, 3}, {1, 3}}, at({Slice()})},
      {{{4, 3}, {4, 3}}, at({Slice(), Slice(kEnd, kEnd, -1)})},
      {{kEight, {2, 1, 1, 2, 2, 1, 2}}, at({Slice(), 0, Slice(2, kEnd)})},
      {{{5, 3}, {3}, {}}, [=](V x) { return call(x[0], {x[2]}, x[1]); }, false, 2, 5},
      {{{5, 3}, {}, {}}, [=](V x) { return call(x[0], {Slice(x[2], kEnd)}, x[1]); }, false, 2, 5},
      ofUnknownOnes({{1, 1, 4}, {1, 2}}, at({0, Slice(), Slice(0, kEnd, 2)}))};
}

std::map<std::string, std::vector<OpCase>> indexing() {
  Call incRows = [](V x) { return incTake(x[0], x[2], x[1], {.axis = 0}); };
  Call incColumns = [](V x) {
    return incTake(x[0], x[2], x[1], {.axis = -1, .mode = TakeMode::Wrap});
  };
  Call takeFlat = [](V x) { return take(x[0], x[1]); };
  Call takeRows = [](V x) { return take(x[0], x[1], {.axis = 0}); };
  Call takeColumns = [](V x) { return take(x[0], x[1], {.axis = -1, .mode = TakeMode::Wrap}); };
  return {
      {"subtensor",
       {{one({7, 9}), [](V x) { return subtensor(x[0], {Slice(1, kEnd, 2), Slice(kEnd, 2, -3)}); }},
        {one({7, 9}), [](V x) { return subtensor(x[0], {3, newaxis}); }},
        {one({7, 9}), [](V x) { return subtensor(x[0], {ellipsis, -1}); }},
        {one({7, 0}), [](V x) { return subtensor(x[0], {Slice(2, 5)}); }},
        {one({7, 9}), [](V x) { return subtensor(x[0], {Slice(5, 2)}); }},
        {one(kEight), [](V x) { return subtensor(x[0], {Slice(), 0, Slice(1, kEnd)}); }},
        {{{5, 3}, {}}, [](V x) { return subtensor(x[0], {x[1]}); }, false, 1, 5},
        {{{5, 3}, {}}, [](V x) { return subtensor(x[0], {Slice(x[1], kEnd)}); }, false, 1, 5},
        ofUnknownOnes({{1, 1, 4}},
                      [](V x) { return subtensor(x[0], {0, Slice(), Slice(0, kEnd, 2)}); })}},
      {"setSubtensor", changes(&setSubtensor)},
      {"incSubtensor", changes(&incSubtensor)},
      {"incTake",
       {{{{5, 3}, {2, 2}, {2, 2}}, [](V x) { return incTake(x[0], x[2], x[1]); }, false, 2, 15},
        {{{5, 3}, {20, 3}, {20}}, incRows, false, 2, 5},
        {{{5, 3}, {5, 4}, {4}}, incColumns, false, 2, 99},
        {{{5, 3}, {0, 3}, {0}}, incRows, false, 2, 5},
        {{kEight, {4, 1, 3, 1, 2, 2, 1, 2}, {4}}, incRows, true, 2, 2},
        {{{1, 1}, {1, 1}, {1}}, incRows, false, 2, 1, true}}},
      {"take",
       {{{{5, 3}, {2, 2}}, takeFlat, false, 1, 15},
        {{{5, 3}, {20}}, takeRows, false, 1, 5},
        {{{5, 3}, {4}}, takeColumns, false, 1, 99},
        {{{5, 3}, {0}}, takeRows, false, 1, 5},
        {{kEight, {4}}, takeRows, false, 1, 2},
        {{kEight, {2, 2}}, takeColumns, false, 1, 9},
        {{{1, 1}, {1}}, takeRows, false, 1, 1, true}}},
      {"arange",
       {{one({}), [](V x) { return arange(cast(x[0], DType::Int8)); }, false, 0, 9},
        {one({}), [](V x) { return arange(1, x[0] + 20, 3); }, false, 0, 9},
        {one({4}), [](V x) { return arange(0.5, 20.0, 0.75, x[0].dtype()); }}}},
      {"eye",
       {{one({}), [](V x) { return eye(x[0], x[0] + 2, -1, DType::Float32); }, false, 0, 5},
        {one({}), [](V x) { return eye(4, 3, 1, x[0].dtype()); }}}},
      {"cast", casts()},
      {"gradClip", {{one({3, 5}), [](V x) { return gradClip(x[0], -0.5, 0.25); }}}},
      {"gradScale", {{one({3, 5}), [](V x) { return gradScale(x[0], 0.75); }}}},
  };
}

} // namespace

Variable callBuiltin(std::string_view op, const Attributes &attributes, const Variables &operands) {
  auto made = Op::create(*findOp(op), attributes);
  if (!made.ok())
    return Variable::invalid(made.status());
  return made->call(std::vector<Operand>(operands.begin(), operands.end()), {});
}

Attributes attributesOf(const Variable &v) {
  return v.ok() && v.hasOwner() ? v.owner().op().attributes() : Attributes();
}

Variables operandsOf(const OpCase &c, const std::vector<DType> &dtypes) {
  Variables operands;
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    std::vector<int64_t> shape = c.shapes[i];
    if (!c.isStatic)
      for (int64_t &extent : shape)
        extent = extent == 1 && !c.hasUnknownOnes ? 1 : kDynamic;
    bool isPosition = int(i) == c.positions;
    operands.push_back(tensor(isPosition ? DType::Int64 : dtypes[i % dtypes.size()], shape));
  }
  return operands;
}

std::vector<OpCase> casesOf(const std::string &op) {
  static const auto &table = *[] {
    auto *all = new std::map<std::string, std::vector<OpCase>>;
    for (auto *part : {&products, &reductions, &shapes, &indexing, &ofGradients, &orderingCases,
                       &linearCases, &specialCases, &complexCases})
      all->merge(part());
    return all;
  }();
  if (auto found = table.find(op); found != table.end())
    return found->second;
  const OpDef *def = findOp(op);
  if (!def)
    return {};
  if (def->section == "Random numbers")
    return drawCases(*def);
  for (const AttributeSpec &attribute : def->attributes)
    if (!attribute.defaultValue)
      return {};
  return elementwise(*def);
}

} // namespace graphc
