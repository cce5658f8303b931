//===- main.cpp - which way up is a line of text? -------------------------===//
//
//   graphc-text-direction MODEL.onnx PICTURE...
//
// Runs PP-OCR's text-direction classifier (tools/fetch-model) on pictures of a line of text and
// prints the direction and its probability for each. An example of a program that embeds graphc.
//
//===----------------------------------------------------------------------===//
#include <cstdio>

#include "TextLine.h"

using namespace graphc;

static absl::Status classify(const std::string &modelPath, const std::vector<std::string> &paths) {
  auto model = loadOnnx(modelPath);
  if (!model.ok())
    return model.status();
  auto network = function(*model);
  if (!network.ok())
    return network.status();
  auto pictures = textLines(paths);
  if (!pictures.ok())
    return pictures.status();
  auto results = (*network)(*pictures);
  if (!results.ok())
    return results.status();
  Tensor probabilities = (*results)[0].contiguous();
  absl::Span<const float> numbers = probabilities.flat<float>();
  if (numbers.size() != 2 * paths.size())
    return makeError(ErrorKind::ValueError, modelPath + ": not a network with two classes");
  for (size_t i = 0; i < paths.size(); ++i) {
    bool upsideDown = numbers[2 * i + 1] > numbers[2 * i];
    std::printf("%s: %s degrees, probability %.6f\n", paths[i].c_str(), upsideDown ? "180" : "0",
                numbers[2 * i + upsideDown]);
  }
  return absl::OkStatus();
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MODEL.onnx PICTURE...\n", argv[0]);
    return 2;
  }
  absl::Status status = classify(argv[1], {argv + 2, argv + argc});
  if (status.ok())
    return 0;
  std::fprintf(stderr, "%s: error: %s\n", argv[0], std::string(status.message()).c_str());
  return 1;
}
