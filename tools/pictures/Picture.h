//===- Picture.h - pictures as the examples' networks take them ----*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

/// Red, green and blue of each pixel, row by row.
struct Picture {
  static constexpr int kChannels = 3;

  Picture() = default;
  Picture(int rows, int columns)
      : rows(rows), columns(columns), bytes(size_t(rows) * size_t(columns) * kChannels) {}

  uint8_t *pixel(int64_t row, int64_t column) {
    return &bytes[size_t((row * columns + column) * kChannels)];
  }
  /// Edges repeat without end.
  int64_t at(int64_t row, int64_t column, int channel) const {
    row = std::clamp<int64_t>(row, 0, rows - 1);
    column = std::clamp<int64_t>(column, 0, columns - 1);
    return bytes[size_t((row * columns + column) * kChannels + channel)];
  }

  int rows = 0, columns = 0;
  std::vector<uint8_t> bytes;
};

/// Decodes a file: PNG, JPEG, BMP, … Io where it cannot be read or decoded.
absl::StatusOr<Picture> readPicture(const std::string &path);

/// Bilinear, as cv2.resize's default: pixel centres at i + 0.5, edges repeated, rounded to whole
/// numbers, halves up.
Picture resized(const Picture &picture, int rows, int columns);

/// Turned by 180 degrees, or by a quarter against the clock.
Picture upsideDown(Picture picture);
Picture quarterTurned(const Picture &picture);

/// Writes (x / 255 - mean) / deviation for the colours in the order blue, green, red to planes of
/// float32, {3, rows, width}, of which the picture's columns are the first.
void normalize(const Picture &picture, absl::Span<const float> mean,
               absl::Span<const float> deviation, int width, float *planes);
