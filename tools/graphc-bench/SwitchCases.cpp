//===- SwitchCases.cpp - what single optimizations are for ----------------===//
#include "Compare.h"
#include "Inputs.h"

namespace graphc::bench {
namespace {

constexpr int64_t kSide = 2048;
constexpr double kEntries = double(kSide * kSide), kBytes = kEntries * sizeof(float);

/// Two sums of what passes by once.
absl::StatusOr<Subject> moments(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kSide, kSide}, 0.0, 1.0, 120);
  Variable v = fmatrix("x");
  Example example{"moments", {v}, {sum(v), sum(sqr(v))}, {x}};
  example.results = {"sum", "squares"};
  example.cost = {3 * kEntries, kBytes, 0};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// Steps that each need the whole of the one before.
absl::StatusOr<Subject> steps(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kSide, kSide}, -1.0, 1.0, 120);
  Variable v = fmatrix("x"), t = v;
  for (int i = 0; i < 4; ++i)
    t = sqrt(abs(t + mean(t)) + 0.5f);
  Example example{"steps", {v}, {t}, {x}};
  example.cost = {12 * kEntries, 8 * kBytes, 4 * kBytes};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// Products of narrow matrices, one behind the other.
absl::StatusOr<Subject> joined(const Settings &settings) {
  constexpr int64_t kInner = 8, kRows = 512;
  constexpr double kEach = kRows * kRows, kBytesEach = kEach * sizeof(float);
  Tensor x = makeInput(DType::Float32, {kRows, kInner}, -1.0, 1.0, 120);
  Tensor y = makeInput(DType::Float32, {kInner, kRows}, -1.0, 1.0, 121);
  Tensor z = makeInput(DType::Float32, {kInner, kRows}, -1.0, 1.0, 122);
  Variable vx = fmatrix("x"), vy = fmatrix("y"), vz = fmatrix("z");
  Variable both = concatenate({relu(dot(vx, vy)), relu(dot(vx, vz))}, 0);
  Example example{"joined", {vx, vy, vz}, {both}, {x, y, z}};
  example.cost = {2 * kEach * (2 * kInner + 1), double(x.numBytes() + y.numBytes() + z.numBytes()),
                  2 * kBytesEach};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// Many products of narrow matrices, added up.
absl::StatusOr<Subject> terms(const Settings &settings) {
  constexpr int64_t kInner = 4, kOuter = 128;
  constexpr int kTerms = 400;
  constexpr double kEach = kOuter * kOuter, kBytesEach = kEach * sizeof(float);
  Tensor x = makeInput(DType::Float32, {kOuter, kInner}, -1.0, 1.0, 120);
  Tensor y = makeInput(DType::Float32, {kInner, kOuter}, -1.0, 1.0, 121);
  Variable vx = fmatrix("x"), vy = fmatrix("y"), total = dot(vx, vy);
  for (int k = 2; k <= kTerms; ++k)
    total = total + dot(vx, vy * float(k));
  Example example{"terms", {vx, vy}, {total}, {x, y}};
  example.cost = {kTerms * kEach * (2 * kInner + 1), kTerms * kBytesEach, kTerms * kBytesEach};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// The greatest difference of a coordinate, for all pairs of points.
absl::StatusOr<Subject> distances(const Settings &settings) {
  constexpr int64_t kPoints = 512, kCoordinates = 64;
  Tensor x = makeInput(DType::Float32, {kPoints, kCoordinates}, -1.0, 1.0, 120);
  Tensor y = makeInput(DType::Float32, {kPoints, kCoordinates}, -1.0, 1.0, 121);
  Variable vx = fmatrix("x"), vy = fmatrix("y");
  Variable difference = dimshuffle(vx, {0, -1, 1}) - dimshuffle(vy, {-1, 0, 1});
  Example example{"distances", {vx, vy}, {max(abs(difference), Axis(-1))}, {x, y}};
  example.cost = {3.0 * kPoints * kPoints * kCoordinates, double(x.numBytes() + y.numBytes()),
                  4.0 * kPoints * kPoints};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

absl::StatusOr<Subject> transposed(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kSide, kSide}, -1.0, 1.0, 120);
  Tensor y = makeInput(DType::Float32, {kSide, kSide}, -1.0, 1.0, 121);
  Variable vx = fmatrix("x"), vy = fmatrix("y");
  Example example{"transposed", {vx, vy}, {vx.T() + vy}, {x, y}};
  example.cost = {kEntries, 2 * kBytes, kBytes};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

/// Windows of 3 x 3 elements.
absl::StatusOr<Subject> pool3x3(const Settings &settings) {
  constexpr int64_t kChannels = 64, kSize = 112;
  constexpr int kStride = 2;
  Tensor x = makeInput(DType::Float32, {1, kChannels, kSize, kSize}, -1.0, 1.0, 120);
  Variable v = tensor(DType::Float32, {1, kChannels, kSize, kSize}, "x");
  PoolOptions options;
  options.stride = {kStride, kStride};
  options.padding = 1;
  Example example{"pool3x3", {v}, {pool(v, {3, 3}, options)}, {x}};
  double results = double(x.numElements()) / (kStride * kStride);
  example.cost = {9 * results, double(x.numBytes()), results * sizeof(float)};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

} // namespace

void addSwitches(std::vector<Case> &cases) {
  cases.push_back({"moments", "sum and sum of squares, 2048x2048 f32", {}, moments});
  cases.push_back({"steps", "sqrt(|x + mean(x)| + 0.5), 4 times, 2048x2048 f32", {}, steps});
  cases.push_back(
      {"joined", "two products of 512x8 and 8x512 f32, one behind the other", {}, joined});
  cases.push_back({"terms", "sum of 400 products of 128x4 and 4x128 f32", {}, terms});
  cases.push_back(
      {"distances", "Chebyshev distances of 512 and 512 points f32[64]", {}, distances});
  cases.push_back(
      {"pool3x3", "greatest of 3x3, stride 2, 64 channels of 112x112 f32", {}, pool3x3});
  cases.push_back({"transposed", "x^T + y, 2048x2048 f32", {}, transposed});
}

} // namespace graphc::bench
