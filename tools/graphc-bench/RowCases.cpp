//===- RowCases.cpp - sums, softmax and layer norm of matrices ------------===//
#include <atomic>

#include "Compare.h"
#include "HandLoops.h"
#include "Inputs.h"

namespace graphc::bench {
namespace {

constexpr int64_t kRows = 4096;

enum class Over { Columns, Rows, All };

template <class T> absl::StatusOr<Subject> sumOf(Over over, const Settings &settings) {
  constexpr int64_t kColumns = 4096;
  DType dtype = DTypeOf<T>::value;
  Tensor x = makeInput(dtype, {kRows, kColumns}, 0.0, 1.0, 54);
  Variable v = tensor(dtype, {kDynamic, kDynamic}, "x");
  const T *data = static_cast<const T *>(x.data());
  switch (over) {
  case Over::Columns:
    return compare(
        {"sum_axis0", {v}, sum(v, Axis(0)), {x}},
        [=, keep = x](void *memory) {
          onThreads(kColumns, settings, [&](int64_t begin, int64_t end) {
            handSumAxis0(data, static_cast<T *>(memory), kRows, kColumns, begin, end);
          });
        },
        settings);
  case Over::Rows:
    return compare(
        {"sum_axis1", {v}, sum(v, Axis(1)), {x}},
        [=, keep = x](void *memory) {
          onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
            handSumAxis1(data, static_cast<T *>(memory), kColumns, begin, end);
          });
        },
        settings);
  case Over::All:
    break;
  }
  return compare(
      {"sum_all", {v}, sum(v), {x}},
      [=, keep = x](void *memory) {
        std::atomic<double> total{0};
        onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
          total += handSumAll(data, kColumns, begin, end);
        });
        *static_cast<T *>(memory) = T(total.load());
      },
      settings);
}

constexpr int64_t kRowLength = 1024;

absl::StatusOr<Subject> softmaxOf(const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kRows, kRowLength}, -4.0, 4.0, 3);
  Variable v = fmatrix("x");
  auto peer = [=](void *memory) {
    onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
      handSoftmax(static_cast<const float *>(x.data()), static_cast<float *>(memory), kRowLength,
                  begin, end);
    });
  };
  return compare({"softmax", {v}, softmax(v), {x}}, peer, settings);
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
  auto peer = [=](void *memory) {
    onThreads(kRows, settings, [&](int64_t begin, int64_t end) {
      handLayerNorm(static_cast<const float *>(x.data()), static_cast<const float *>(g.data()),
                    static_cast<const float *>(b.data()), static_cast<float *>(memory), kRowLength,
                    begin, end);
    });
  };
  return compare({"layernorm", {vx, vg, vb}, result, {x, g, b}}, peer, settings);
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
                     [s](const Settings &t) { return sumOf<float>(s.over, t); }});
    cases.push_back({std::string(s.name) + "_f64",
                     std::string(s.about) + "f64",
                     {.ratio = 1.05},
                     [s](const Settings &t) { return sumOf<double>(s.over, t); }});
  }
  cases.push_back({"softmax", "softmax of rows, 4096x1024 f32", {.ratio = 1.05}, softmaxOf});
  cases.push_back({"layernorm", "layer norm of rows, 4096x1024 f32", {.ratio = 1.05}, layerNormOf});
}

} // namespace graphc::bench
