//===- main.cpp - which way up is a line of text? -------------------------===//
//
//   graphc-text-direction [--numbers] MODEL.onnx PICTURE...
//
// Runs PP-OCR's text-direction classifier (tools/fetch-model) on pictures of a line of text and
// prints the direction and its probability for each; with --numbers, besides, the sum of the
// numbers that the network gets, weighted by position, and both probabilities. An example of a
// program that embeds graphc.
//
//===----------------------------------------------------------------------===//
#include <cstdio>

#include "TextLine.h"
#include "graphc/graphc.h"

using namespace graphc;

/// Of a line, as the network was trained.
static constexpr int kColumns = 192;

static absl::Status classify(const std::string &modelPath, const std::vector<std::string> &paths,
                             bool printNumbers) {
  auto model = loadOnnx(modelPath);
  if (!model.ok())
    return model.status();
  auto network = function(*model);
  if (!network.ok())
    return network.status();
  std::vector<Picture> pictures;
  for (const std::string &path : paths) {
    auto picture = readPicture(path);
    if (!picture.ok())
      return picture.status();
    pictures.push_back(*std::move(picture));
  }
  auto lines = textLines(pictures, kColumns);
  if (!lines.ok())
    return lines.status();
  auto results = (*network)(*lines);
  if (!results.ok())
    return results.status();
  Tensor probabilities = (*results)[0].contiguous();
  absl::Span<const float> numbers = probabilities.flat<float>(), inputs = lines->flat<float>();
  if (numbers.size() != 2 * paths.size())
    return makeError(ErrorKind::ValueError, modelPath + ": not a network with two classes");
  for (size_t i = 0; i < paths.size(); ++i) {
    bool upsideDown = numbers[2 * i + 1] > numbers[2 * i];
    std::printf("%s: %s degrees, probability %.6f\n", paths[i].c_str(), upsideDown ? "180" : "0",
                numbers[2 * i + upsideDown]);
    if (printNumbers) {
      size_t size = inputs.size() / paths.size();
      absl::Span<const float> input = inputs.subspan(i * size, size);
      double sum = 0;
      for (size_t k = 0; k < size; ++k)
        sum += double(input[k]) * double(k % 101 + 1);
      std::printf("  input sum %.12g, probabilities %.9g %.9g\n", sum, numbers[2 * i],
                  numbers[2 * i + 1]);
    }
  }
  if (std::fflush(stdout) != 0)
    return makeError(ErrorKind::Io, "standard output cannot be written");
  return absl::OkStatus();
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  bool printNumbers = !arguments.empty() && arguments[0] == "--numbers";
  if (printNumbers)
    arguments.erase(arguments.begin());
  if (arguments.size() < 2) {
    std::fprintf(stderr, "usage: %s [--numbers] MODEL.onnx PICTURE...\n", argv[0]);
    return 2;
  }
  absl::Status status =
      classify(arguments[0], {arguments.begin() + 1, arguments.end()}, printNumbers);
  if (status.ok())
    return 0;
  std::optional<Place> place = errorPlace(status);
  std::fprintf(stderr, "%s%serror: %s\n", place ? place->str().c_str() : "", place ? ": " : "",
               std::string(status.message()).c_str());
  return 1;
}
