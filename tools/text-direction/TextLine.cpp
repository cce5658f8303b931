//===- TextLine.cpp - pictures as PP-OCR's direction network takes them ---===//
#include "TextLine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <stb_image.h>

using namespace graphc;

namespace {

constexpr int kChannels = 3, kRows = 48, kColumns = 192;

struct Picture {
  std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels{nullptr, stbi_image_free};
  int rows = 0, columns = 0;

  float at(int row, int column, int channel) const {
    row = std::clamp(row, 0, rows - 1);
    column = std::clamp(column, 0, columns - 1);
    return pixels.get()[(size_t(row) * columns + column) * kChannels + channel];
  }
};

/// Where a pixel of the resized picture lies between two of the original's.
struct Place {
  int first;
  float fraction;

  Place(int index, int original, int resized) {
    float exact = (index + 0.5f) * original / resized - 0.5f;
    first = int(std::floor(exact));
    fraction = exact - first;
  }
};

void resizeAndNormalize(const Picture &picture, float *result) {
  int wanted = int(std::ceil(kRows * float(picture.columns) / picture.rows));
  int columns = std::min(kColumns, wanted);
  for (int channel = 0; channel < kChannels; ++channel)
    for (int row = 0; row < kRows; ++row) {
      Place y(row, picture.rows, kRows);
      for (int column = 0; column < columns; ++column) {
        Place x(column, picture.columns, columns);
        int source = kChannels - 1 - channel; // the file has red first
        auto between = [&](int r) {
          return std::lerp(picture.at(r, x.first, source), picture.at(r, x.first + 1, source),
                           x.fraction);
        };
        float value =
            std::floor(std::lerp(between(y.first), between(y.first + 1), y.fraction) + 0.5f);
        result[(channel * kRows + row) * kColumns + column] = (value / 255 - 0.5f) / 0.5f;
      }
    }
}

} // namespace

absl::StatusOr<Tensor> textLines(const std::vector<std::string> &paths) {
  auto batch = Tensor::zeros(DType::Float32, {int64_t(paths.size()), kChannels, kRows, kColumns});
  if (!batch.ok())
    return batch.status();
  float *next = batch->mutableFlat<float>().data();
  for (const std::string &path : paths) {
    Picture picture;
    int channelsInFile = 0;
    picture.pixels.reset(
        stbi_load(path.c_str(), &picture.columns, &picture.rows, &channelsInFile, kChannels));
    if (!picture.pixels)
      return makeError(ErrorKind::Io, path + ": " + stbi_failure_reason());
    resizeAndNormalize(picture, next);
    next += kChannels * kRows * kColumns;
  }
  return batch;
}
