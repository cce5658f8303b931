//===- TextLine.cpp - pictures as PP-OCR's direction network takes them ---===//
#include "TextLine.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include <stb_image.h>

using namespace graphc;

namespace {

constexpr int kChannels = 3, kRows = 48, kColumns = 192;

struct Picture {
  std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels{nullptr, stbi_image_free};
  int rows = 0, columns = 0;

  int64_t at(int64_t row, int64_t column, int channel) const {
    row = std::clamp<int64_t>(row, 0, rows - 1);
    column = std::clamp<int64_t>(column, 0, columns - 1);
    return pixels.get()[(row * columns + column) * kChannels + channel];
  }
};

/// Where the middle of a pixel of the resized picture lies between those of two of the original's:
/// `part` of `whole` behind the first. Whole numbers, so that halves are rounded alike everywhere.
struct Place {
  int64_t first, part, whole;

  Place(int64_t index, int64_t original, int64_t resized) : whole(2 * resized) {
    int64_t position = (2 * index + 1) * original - resized;
    first = position < 0 ? -1 : position / whole; // less than one pixel in front at most
    part = position - first * whole;
  }
  /// `whole` times the value between the two.
  int64_t between(int64_t a, int64_t b) const { return a * (whole - part) + b * part; }
};

void resizeAndNormalize(const Picture &picture, float *result) {
  int64_t wanted = (int64_t(kRows) * picture.columns + picture.rows - 1) / picture.rows;
  int columns = int(std::min<int64_t>(kColumns, wanted));
  for (int channel = 0; channel < kChannels; ++channel)
    for (int row = 0; row < kRows; ++row) {
      Place y(row, picture.rows, kRows);
      for (int column = 0; column < columns; ++column) {
        Place x(column, picture.columns, columns);
        int source = kChannels - 1 - channel; // the file has red first
        auto along = [&](int64_t r) {
          return x.between(picture.at(r, x.first, source), picture.at(r, x.first + 1, source));
        };
        int64_t parts = x.whole * y.whole;
        int64_t value = (y.between(along(y.first), along(y.first + 1)) + parts / 2) / parts;
        result[(channel * kRows + row) * kColumns + column] = (float(value) / 255 - 0.5f) / 0.5f;
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
