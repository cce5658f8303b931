//===- TextLine.h - lines of text as PP-OCR's networks take them ----*- C++ -*-===//
#pragma once

#include "Picture.h"
#include "graphc/Tensor.h"

/// Numbers of PaddleOCR's tools/infer/predict_cls.py and predict_rec.py (resize_norm_img).
inline constexpr int kLineRows = 48;

/// One row for each picture, float32 {pictures, 3, 48, columns}: resized to 48 rows keeping its
/// ratio, at most `columns` wide; blue, green, red; (x / 255 - 0.5) / 0.5; zeros to the right.
absl::StatusOr<graphc::Tensor> textLines(absl::Span<const Picture> pictures, int columns);
/// The columns that a picture has when it has 48 rows.
int lineColumns(const Picture &picture);
