//===- TextLine.h - pictures as PP-OCR's direction network takes them -*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "graphc/graphc.h"

/// Decodes pictures (PNG, JPEG, BMP, …) and makes the network's input of them: float32, one row
/// per picture, {pictures, 3, 48, 192}. The numbers are those of PaddleOCR's
/// tools/infer/predict_cls.py (resize_norm_img): the picture resized to 48 rows keeping its ratio,
/// at most 192 columns; colours in the order blue, green, red; (x / 255 - 0.5) / 0.5; zeros to
/// the right. Resizing is bilinear as cv2.resize's default: pixel centres at i + 0.5, edges
/// repeated, rounded to whole numbers, halves up. Errors: Io for a file that cannot be read or
/// decoded.
absl::StatusOr<graphc::Tensor> textLines(const std::vector<std::string> &paths);
