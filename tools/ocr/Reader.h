//===- Reader.h - the text of a picture ------------------------------*- C++ -*-===//
#pragma once

#include "Picture.h"
#include "Rectangles.h"
#include "graphc/graphc.h"

/// A line of text that was found.
struct Line {
  /// Of the picture, in pixels from its upper left corner: where the line begins above, ends above,
  /// ends below and begins below, if it is read from the left.
  std::array<Point, 4> corners;
  std::string text; // UTF-8
  /// The mean of the probabilities of its characters.
  double confidence = 0;
};

struct ReaderFiles {
  std::string detection, direction, recognition; // networks of PP-OCR, ONNX
  std::string characters; // the characters that recognition tells apart, one in each line
};

/// PP-OCR's three networks, each compiled once for pictures of all sizes. Numbers of PaddleOCR's
/// tools/infer/predict_det.py, predict_cls.py and predict_rec.py. Threads may share it.
class Reader {
public:
  static absl::StatusOr<Reader> create(const ReaderFiles &files);
  /// The lines from top to bottom, those of one height from left to right.
  absl::StatusOr<std::vector<Line>> read(const Picture &picture) const;

private:
  absl::StatusOr<std::vector<std::array<Point, 4>>> find(const Picture &picture) const;
  absl::StatusOr<bool> isUpsideDown(const Picture &line) const;
  absl::StatusOr<Line> recognize(const Picture &line) const;

  std::optional<graphc::Function> detection_, direction_, recognition_;
  std::vector<std::string> characters_; // by the number of the class
};
