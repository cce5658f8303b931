//===- Picture.cpp - pictures as the examples' networks take them -----------===//
#include "Picture.h"

#include <memory>

#include "graphc/Status.h"
#include <stb_image.h>

namespace {

/// Where the middle of a pixel of the resized picture lies between those of two of the original's:
/// `part` of `whole` behind the first. Whole numbers, so that halves are rounded alike everywhere.
struct Between {
  int64_t first, part, whole;

  Between(int64_t index, int64_t original, int64_t resized) : whole(2 * resized) {
    int64_t position = (2 * index + 1) * original - resized;
    first = position < 0 ? -1 : position / whole; // less than one pixel in front at most
    part = position - first * whole;
  }
  /// `whole` times the value between the two.
  int64_t operator()(int64_t a, int64_t b) const { return a * (whole - part) + b * part; }
};

} // namespace

absl::StatusOr<Picture> readPicture(const std::string &path) {
  int rows = 0, columns = 0, channelsInFile = 0;
  std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load(path.c_str(), &columns, &rows, &channelsInFile, Picture::kChannels),
      stbi_image_free);
  if (!pixels)
    return graphc::makeError(graphc::ErrorKind::Io, path + ": " + stbi_failure_reason());
  Picture picture(rows, columns);
  std::copy_n(pixels.get(), picture.bytes.size(), picture.bytes.begin());
  return picture;
}

Picture resized(const Picture &picture, int rows, int columns) {
  Picture result(rows, columns);
  for (int row = 0; row < rows; ++row) {
    Between y(row, picture.rows, rows);
    for (int column = 0; column < columns; ++column) {
      Between x(column, picture.columns, columns);
      for (int channel = 0; channel < Picture::kChannels; ++channel) {
        auto along = [&](int64_t r) {
          return x(picture.at(r, x.first, channel), picture.at(r, x.first + 1, channel));
        };
        int64_t parts = x.whole * y.whole;
        int64_t value = (y(along(y.first), along(y.first + 1)) + parts / 2) / parts;
        result.pixel(row, column)[channel] = uint8_t(value);
      }
    }
  }
  return result;
}

Picture upsideDown(Picture picture) {
  std::reverse(picture.bytes.begin(), picture.bytes.end());
  for (size_t i = 0; i < picture.bytes.size(); i += Picture::kChannels)
    std::swap(picture.bytes[i], picture.bytes[i + 2]); // red first again
  return picture;
}

Picture quarterTurned(const Picture &picture) {
  Picture result(picture.columns, picture.rows);
  for (int row = 0; row < result.rows; ++row)
    for (int column = 0; column < result.columns; ++column)
      for (int channel = 0; channel < Picture::kChannels; ++channel)
        result.pixel(row, column)[channel] =
            uint8_t(picture.at(column, picture.columns - 1 - row, channel));
  return result;
}

void normalize(const Picture &picture, absl::Span<const float> mean,
               absl::Span<const float> deviation, int width, float *planes) {
  for (int channel = 0; channel < Picture::kChannels; ++channel)
    for (int row = 0; row < picture.rows; ++row)
      for (int column = 0; column < picture.columns; ++column) {
        float value = float(picture.at(row, column, Picture::kChannels - 1 - channel)) / 255;
        planes[(channel * picture.rows + row) * width + column] =
            (value - mean[size_t(channel)]) / deviation[size_t(channel)];
      }
}
