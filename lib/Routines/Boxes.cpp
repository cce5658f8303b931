//===- Boxes.cpp - boxes that do not cover each other ------------------------------===//
#include <algorithm>
#include <numeric>
#include <vector>

#include "Routines/Routines.h"

namespace graphc {
namespace {

struct Box {
  float top, left, bottom, right;

  /// Two corners, (y, x) each in any order; or the centre (x, y), width and height.
  Box(const float *four, bool isCentered) {
    if (isCentered) {
      top = four[1] - four[3] / 2, bottom = four[1] + four[3] / 2;
      left = four[0] - four[2] / 2, right = four[0] + four[2] / 2;
    } else {
      top = std::min(four[0], four[2]), bottom = std::max(four[0], four[2]);
      left = std::min(four[1], four[3]), right = std::max(four[1], four[3]);
    }
  }
  float area() const { return (bottom - top) * (right - left); }
};

/// Intersection over union; 0 of boxes without area.
float overlap(const Box &a, const Box &b) {
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0 && width > 0))
    return 0;
  float common = height * width, all = a.area() + b.area() - common;
  return all > 0 ? common / all : 0;
}

absl::Status nonMaxSuppression(const RoutineCall &call) {
  const bool isCentered = call.parameters[0];
  const Tensor &boxes = call.inputs[0], &scores = call.inputs[1];
  const int64_t batches = scores.shape()[0], classes = scores.shape()[1], n = scores.shape()[2];
  const int64_t most = call.inputs[2].flat<int64_t>()[0];
  const float greatestOverlap = call.inputs[3].flat<float>()[0];
  const float leastScore = call.inputs[4].flat<float>()[0];
  absl::Span<int64_t> kept = call.outputs[0].mutableFlat<int64_t>();
  std::fill(kept.begin(), kept.end(), 0);
  size_t next = 0;
  std::vector<int64_t> order;
  std::vector<Box> chosen;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t c = 0; c < classes; ++c) {
      const float *score = scores.flat<float>().data() + (b * classes + c) * n;
      const float *four = boxes.flat<float>().data() + b * n * 4;
      order.clear();
      for (int64_t i = 0; i < n; ++i)
        if (score[i] > leastScore)
          order.push_back(i);
      std::sort(order.begin(), order.end(), [&](int64_t i, int64_t k) {
        return score[i] != score[k] ? score[i] > score[k] : i < k;
      });
      chosen.clear();
      for (int64_t i : order) {
        if (int64_t(chosen.size()) >= most)
          break;
        Box box(four + 4 * i, isCentered);
        if (std::any_of(chosen.begin(), chosen.end(),
                        [&](const Box &other) { return overlap(box, other) > greatestOverlap; }))
          continue;
        chosen.push_back(box);
        for (int64_t position : {b, c, i})
          kept[next++] = position;
      }
    }
  call.outputs[1].mutableFlat<int64_t>()[0] = int64_t(next / 3);
  return absl::OkStatus();
}

} // namespace

const Routine kNonMaxSuppression = {"nonMaxSuppression", nonMaxSuppression};

} // namespace graphc
