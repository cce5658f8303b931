//===- RowCases.cpp - sums, softmax and layer norm of matrices ------------===//
#include <atomic>

#include "Compare.h"
#include "HandLoops.h"
#include "Inputs.h"
#include "OneDnn.h"

namespace graphc::bench {
namespace {

constexpr int64_t kRows = 4096;

enum class Over { Columns, Rows, All };

template <class T>
void sumByHand(Over over, const T *x, T *to, int64_t columns, const Settings &settings) {
  std::atomic<double> total{0};
  auto part = [&](int64_t begin, int64_t end) {
    if (over == Over::Columns)
      handSumAxis0(x, to, kRows, columns, begin, end);
    else if (over == Over::Rows)
      handSumAxis1(x, to, columns, begin, end);
    else
      total += handSumAll(x, columns, begin, end);
  };
  onThreads(over == Over::Columns ? columns : kRows, settings, part);
  if (over == Over::All)
    *to = T(total.load());
}

template <class T>
absl::StatusOr<Subject> sumOf(const char *name, Over over, const Settings &settings) {
  constexpr int64_t kColumns = 4096;
  DType dtype = DTypeOf<T>::value;
  Tensor x = makeInput(dtype, {kRows, kColumns}, 0.0, 1.0, 54);
  Variable v = tensor(dtype, {kDynamic, kDynamic}, "x");
  Axes axes = over == Over::All ? Axes() : Axis(over == Over::Columns ? 0 : 1);
  constexpr double kElements = double(kRows * kColumns);
  Example example{name, {v}, {sum(v, axes)}, {x}};
  example.cost = {kElements, kElements * sizeof(T), 0, dtype};
  auto byHand = [=](void *memory) {
    sumByHand(over, static_cast<const T *>(x.data()), static_cast<T *>(memory), kColumns, settings);
  };
  return compare(std::move(example), byHand, settings);
}

constexpr int64_t kRowLength = 1024;
constexpr double kEntries = double(kRows * kRowLength);

absl::StatusOr<Subject> softmaxOf(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kRows, kRowLength}, -4.0, 4.0, 3);
  Variable v = fmatrix("x");
  auto byHand = [=](void *const *results) {
    onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
      handSoftmax(static_cast<const float *>(x.data()), static_cast<float *>(results[0]),
                  kRowLength, begin, end);
    });
  };
  Example example{"softmax", {v}, {softmax(v)}, {x}};
  example.cost = {5 * kEntries, kEntries * sizeof(float), kEntries * sizeof(float)};
  std::vector<Hand> hands = oneDnnSoftmax(x, settings);
  hands.push_back({kByHand, byHand});
  return compare(std::move(example), std::move(hands), settings);
}

absl::StatusOr<Subject> softmaxAxis0Of(const Settings &settings) {
  constexpr int64_t kFewRows = 256, kColumns = kRows * kRowLength / kFewRows;
  Tensor x = makeInput(DType::Float32, {kFewRows, kColumns}, -4.0, 4.0, 3);
  Variable v = fmatrix("x");
  auto byHand = [=](void *const *results) {
    onThreads(kColumns, settings, [&](int64_t begin, int64_t end) {
      handSoftmaxAxis0(static_cast<const float *>(x.data()), static_cast<float *>(results[0]),
                       kFewRows, kColumns, begin, end);
    });
  };
  Example example{"softmax_axis0", {v}, {softmax(v, Axis(0))}, {x}};
  example.cost = {5 * kEntries, kEntries * sizeof(float), kEntries * sizeof(float)};
  return compare(std::move(example), {{kByHand, byHand}}, settings);
}

absl::StatusOr<Subject> layerNormOf(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kRows, kRowLength}, -4.0, 4.0, 3);
  Tensor g = makeInput(DType::Float32, {kRowLength}, 0.5, 1.5, 4);
  Tensor b = makeInput(DType::Float32, {kRowLength}, -0.5, 0.5, 5);
  Variable vx = fmatrix("x"), vg = fvector("g"), vb = fvector("b");
  ReductionOptions rows;
  rows.axes = Axis(1);
  rows.keepDims = true;
  Variable result = (vx - mean(vx, rows)) / sqrt(var(vx, rows) + 1e-5f) * vg + vb;
  auto byHand = [=](void *const *results) {
    onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
      handLayerNorm(static_cast<const float *>(x.data()), static_cast<const float *>(g.data()),
                    static_cast<const float *>(b.data()), static_cast<float *>(results[0]),
                    kRowLength, begin, end);
    });
  };
  Example example{"layernorm", {vx, vg, vb}, {result}, {x, g, b}};
  example.cost = {7 * kEntries, kEntries * sizeof(float), kEntries * sizeof(float)};
  std::vector<Hand> hands = oneDnnLayerNorm(x, g, b, settings);
  hands.push_back({kByHand, byHand});
  return compare(std::move(example), std::move(hands), settings);
}

} // namespace

void addRows(std::vector<Case> &cases) {
  struct Sum {
    const char *name, *about;
    Over over;
  };
  for (Sum s : {Sum{"sum_axis0", "sum over axis 0, 4096x4096 ", Over::Columns},
                Sum{"sum_axis1", "sum over axis 1, 4096x4096 ", Over::Rows},
                Sum{"sum_all", "sum, 4096x4096 ", Over::All}}) {
    cases.push_back({std::string(s.name) + "_f32",
                     std::string(s.about) + "f32",
                     {.ratio = 1.05},
                     [s](const Settings &t) { return sumOf<float>(s.name, s.over, t); },
                     &groups::kRows});
    cases.push_back({std::string(s.name) + "_f64",
                     std::string(s.about) + "f64",
                     {.ratio = 1.05},
                     [s](const Settings &t) { return sumOf<double>(s.name, s.over, t); },
                     &groups::kRows});
  }
  cases.push_back(
      {"softmax", "softmax of rows, 4096x1024 f32", {.ratio = 1.05}, softmaxOf, &groups::kRows});
  cases.push_back({"softmax_axis0",
                   "softmax of columns, 256x16384 f32",
                   {.ratio = 1.05},
                   softmaxAxis0Of,
                   &groups::kRows});
  cases.push_back({"layernorm",
                   "layer norm of rows, 4096x1024 f32",
                   {.ratio = 1.05},
                   layerNormOf,
                   &groups::kRows});
}

} // namespace graphc::bench
