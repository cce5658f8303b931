//===- TextLine.cpp - lines of text as PP-OCR's networks take them ----------===//
#include "TextLine.h"

using namespace graphc;

int lineColumns(const Picture &picture) {
  return int((int64_t(kLineRows) * picture.columns + picture.rows - 1) / picture.rows);
}

absl::StatusOr<Tensor> textLines(absl::Span<const Picture> pictures, int columns) {
  constexpr float kHalf[] = {0.5f, 0.5f, 0.5f};
  auto batch = Tensor::zeros(DType::Float32,
                             {int64_t(pictures.size()), Picture::kChannels, kLineRows, columns});
  if (!batch.ok())
    return batch.status();
  float *next = batch->mutableFlat<float>().data();
  for (const Picture &picture : pictures) {
    Picture line = resized(picture, kLineRows, std::min(columns, lineColumns(picture)));
    normalize(line, kHalf, kHalf, columns, next);
    next += Picture::kChannels * kLineRows * columns;
  }
  return batch;
}
