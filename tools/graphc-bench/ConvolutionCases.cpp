//===- ConvolutionCases.cpp - convolutions with bias and relu -------------===//
//
// conv3x3 has its weights as an input. The layers of ResNet-50 and MobileNet have them as
// constants, as networks do that only answer.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Convolution.h"
#include "HandLoops.h"
#include "Inputs.h"
#include "OneDnn.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

struct Layer {
  Tensor x, w, b;
  Example example;
};

/// Streams 40 to 42; the weights are so small that results are about 1.
Layer layerOf(const std::string &name, const Convolution &c, double weight, bool areConstants) {
  std::vector<int64_t> pictureShape = {c.batch, c.channels, c.side, c.side},
                       weightShape = {c.outputs, c.channels / c.groups, c.window, c.window};
  Layer layer;
  layer.x = makeInput(DType::Float32, pictureShape, -1.0, 1.0, 40);
  layer.w = makeInput(DType::Float32, weightShape, -weight, weight, 41);
  layer.b = makeInput(DType::Float32, {c.outputs}, -0.1, 0.1, 42);
  Variable x = tensor(DType::Float32, pictureShape, "x"),
           w = tensor(DType::Float32, weightShape, "w"),
           b = tensor(DType::Float32, {c.outputs}, "b");
  ConvOptions options;
  int stride = int(c.stride);
  options.stride = {stride, stride};
  options.padding = int(c.padding);
  options.groups = int(c.groups);
  options.filterFlip = false;
  auto graph = [&](const Variable &weights, const Variable &bias) {
    return relu(conv2d(x, weights, options) + dimshuffle(bias, {-1, 0, -1, -1}));
  };
  Example &example = layer.example;
  example.name = name;
  if (areConstants) {
    example.inputs = {x};
    example.values = {layer.x};
    example.constants = {{"w", layer.w}, {"b", layer.b}};
    example.outputs = {graph(constant(layer.w), constant(layer.b))};
  } else {
    example.inputs = {x, w, b};
    example.values = {layer.x, layer.w, layer.b};
    example.outputs = {graph(w, b)};
  }
  example.slack = slackOfSums(double(weightShape[1] * c.window * c.window));
  double side = double(c.outputSide());
  example.cost = {c.flops(), double(layer.x.numBytes() + layer.w.numBytes() + layer.b.numBytes()),
                  double(c.batch * c.outputs) * side * side * sizeof(float)};
  example.formula = "conv";
  example.numbers = {{"stride", c.stride}, {"padding", c.padding}, {"groups", c.groups}};
  return layer;
}

absl::StatusOr<Subject> conv3x3(const Settings &settings) {
  constexpr Convolution kShape = {
      .channels = 64, .side = 56, .outputs = 64, .window = 3, .padding = 1};
  Layer layer = layerOf("conv3x3", kShape, 0.041666666666666664, /*areConstants=*/false);
  int64_t scratchSize = handConvScratch(64, 64, 56, 56);
  auto scratch = std::make_shared<std::vector<float>>(size_t(scratchSize));
  auto byHand = [=, x = layer.x, w = layer.w, b = layer.b](void *const *results) {
    handConv3x3(static_cast<const float *>(x.data()), static_cast<const float *>(w.data()),
                static_cast<const float *>(b.data()), static_cast<float *>(results[0]),
                scratch->data(), 64, 64, 56, 56);
  };
  std::vector<Hand> hands = oneDnnConvolution(kShape, layer.x, layer.w, layer.b, settings);
  if (settings.threads == 1)
    hands.push_back({kByHand, byHand});
  return compare(std::move(layer.example), std::move(hands), settings);
}

absl::StatusOr<Subject> networkLayer(const std::string &name, const Convolution &c,
                                     const Settings &settings) {
  double weight = 1 / double(c.channels / c.groups * c.window * c.window);
  Layer layer = layerOf(name, c, weight, /*areConstants=*/true);
  return compare(std::move(layer.example),
                 oneDnnConvolution(c, layer.x, layer.w, layer.b, settings), settings);
}

/// The gradient with respect to the picture, or to the weights; of the result's gradient,
/// stream 43.
absl::StatusOr<Subject> gradient(const std::string &name, const Convolution &c, bool ofPicture,
                                 const Settings &settings) {
  double weight = 1 / double(c.channels * c.window * c.window);
  std::vector<int64_t> pictureShape = {c.batch, c.channels, c.side, c.side},
                       weightShape = {c.outputs, c.channels, c.window, c.window},
                       resultShape = {c.batch, c.outputs, c.outputSide(), c.outputSide()};
  Tensor x = makeInput(DType::Float32, pictureShape, -1.0, 1.0, 40),
         w = makeInput(DType::Float32, weightShape, -weight, weight, 41),
         g = makeInput(DType::Float32, resultShape, -1.0, 1.0, 43);
  Variable picture = tensor(DType::Float32, pictureShape, "x"),
           weights = tensor(DType::Float32, weightShape, "w"),
           cotangent = tensor(DType::Float32, resultShape, "g");
  ConvOptions options;
  int stride = int(c.stride);
  options.stride = {stride, stride};
  options.padding = int(c.padding);
  options.filterFlip = false;
  Variable result = conv2d(picture, weights, options);
  Example example;
  example.name = name;
  example.inputs = {picture, weights, cotangent}; // of one, the shape alone is read
  example.values = {x, w, g};
  example.outputs = {pullback(result, ofPicture ? picture : weights, cotangent)};
  double read = double(g.numBytes() + (ofPicture ? w : x).numBytes());
  example.cost = {c.flops(), read, double((ofPicture ? x : w).numBytes())};
  example.formula = "convGradient";
  example.slack = 5;
  std::vector<Hand> hands = ofPicture ? oneDnnPictureGradient(c, g, w, settings)
                                      : oneDnnWeightGradient(c, x, g, settings);
  return compare(std::move(example), std::move(hands), settings);
}

// make_expected.py has the same.
const Convolution kResNet[] = {
    {3, 224, 64, 7, 2, 3},   {64, 56, 64, 1},    {64, 56, 64, 3, 1, 1},   {64, 56, 256, 1},
    {256, 56, 64, 1},        {256, 56, 128, 1},  {128, 56, 128, 3, 2, 1}, {128, 28, 512, 1},
    {256, 56, 512, 1, 2},    {512, 28, 128, 1},  {128, 28, 128, 3, 1, 1}, {512, 28, 256, 1},
    {256, 28, 256, 3, 2, 1}, {256, 14, 1024, 1}, {512, 28, 1024, 1, 2},   {1024, 14, 256, 1},
    {256, 14, 256, 3, 1, 1}, {1024, 14, 512, 1}, {512, 14, 512, 3, 2, 1}, {512, 7, 2048, 1},
    {1024, 14, 2048, 1, 2},  {2048, 7, 512, 1},  {512, 7, 512, 3, 1, 1},
};
const Convolution kMobileNet[] = {
    {3, 224, 32, 3, 2, 1}, {32, 112, 32, 3, 1, 1, 32},
    {32, 112, 64, 1},      {64, 112, 64, 3, 2, 1, 64},
    {64, 56, 128, 1},      {128, 56, 128, 3, 1, 1, 128},
    {128, 56, 128, 1},     {128, 56, 128, 3, 2, 1, 128},
    {128, 28, 256, 1},     {256, 28, 256, 3, 1, 1, 256},
    {256, 28, 256, 1},     {256, 28, 256, 3, 2, 1, 256},
    {256, 14, 512, 1},     {512, 14, 512, 3, 1, 1, 512},
    {512, 14, 512, 1},     {512, 14, 512, 3, 2, 1, 512},
    {512, 7, 1024, 1},     {1024, 7, 1024, 3, 1, 1, 1024},
    {1024, 7, 1024, 1},
};

} // namespace

void addConvolutions(std::vector<Case> &cases) {
  cases.push_back({"conv3x3",
                   "relu(conv 3x3 + b), 64 channels of 56x56",
                   {.ratio = 1.0},
                   conv3x3,
                   &groups::kConvolution});
  auto nameOf = [](const char *network, const Convolution &c) {
    return absl::StrFormat("%s_%dx%d_%d_%dx%d%s", network, c.channels, c.side, c.outputs, c.window,
                           c.window, c.stride > 1 ? absl::StrFormat("_s%d", c.stride) : "");
  };
  auto about = [](const Convolution &c) {
    return absl::StrFormat(
        "%d channels of %dx%d, %d outputs, %dx%d, stride %d, %d groups, batch %d", c.channels,
        c.side, c.side, c.outputs, c.window, c.window, c.stride, c.groups, c.batch);
  };
  auto add = [&](const char *network, Convolution c, int64_t batch, const Group &group) {
    std::string name = nameOf(network, c);
    if (batch > 1)
      name += absl::StrFormat("_b%d", batch);
    c.batch = batch;
    cases.push_back({name,
                     about(c),
                     {.ratio = 1.0},
                     [=](const Settings &s) { return networkLayer(name, c, s); },
                     &group});
  };
  for (int64_t batch : {1, 8}) {
    for (const Convolution &c : kResNet)
      add("resnet", c, batch, batch > 1 ? groups::kResNetBatch : groups::kResNet);
    for (const Convolution &c : kMobileNet)
      add("mobilenet", c, batch, batch > 1 ? groups::kMobileNetBatch : groups::kMobileNet);
  }
  for (bool ofPicture : {true, false})
    for (const Convolution &c : kResNet) {
      std::string name = nameOf("resnet", c) + (ofPicture ? "_dx" : "_dw");
      cases.push_back({name,
                       absl::StrFormat("gradient with respect to the %s: %s",
                                       ofPicture ? "picture" : "weights", about(c)),
                       {.ratio = 1.0},
                       [=](const Settings &s) { return gradient(name, c, ofPicture, s); },
                       ofPicture ? &groups::kPictureGradients : &groups::kWeightGradients});
    }
}

} // namespace graphc::bench
