//===- Groups.h - cases that belong together ----------------------*- C++ -*-===//
//
// Each case says which group it is of, and the report has geometric means of them. Bars are ratios
// of times: to be 1.15 times as fast is 1 / 1.15.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace graphc::bench {

struct Bar {
  /// Beside this system; empty: beside the best one of each row.
  std::string peer;
  /// Of the geometric mean of the rows' ratios.
  double mean;
  /// Of each row: it is beyond where all of its interval is.
  std::optional<double> each = std::nullopt;
};

struct Group {
  std::string name;
  std::vector<Bar> bars = {};
};

/// Slower than that, with all of its interval, a row is behind.
inline constexpr double kBehind = 1 / 0.95;

namespace groups {

inline const Group kMathChains{"chains with math", {{"", 1 / 1.15}}};
inline const Group kRows{"sums, rows, cheap chains"};
inline const Group kFunctions{"functions"};
inline const Group kSquares{"square products", {{"OpenBLAS", 1 / 1.05, 1}, {"oneDNN", 1}}};
inline const Group kOtherProducts{"odd and skinny products"};
inline const Group kBoundProducts{"shapes of products, bound", {{"OpenBLAS", 1, 1}}};
inline const Group kBoundOthers{"odd and skinny products, bound", {{"OpenBLAS", 1 / 1.25, 1}}};
inline const Group kDense{"products with constant weights"};
inline const Group kBFloat16{"bf16 products", {{"oneDNN", 1}}};
inline const Group kLinear{"linear algebra, order"};
inline const std::vector<Bar> kConvolutionBars = {{"oneDNN", 1, 1 / 0.9}};
inline const Group kConvolution{"convolution, any weights", kConvolutionBars};
inline const Group kResNet{"ResNet-50's layers", kConvolutionBars};
inline const Group kMobileNet{"MobileNet's layers", kConvolutionBars};
inline const Group kResNetBatch{"ResNet-50's, batch 8", kConvolutionBars};
inline const Group kMobileNetBatch{"MobileNet's, batch 8", kConvolutionBars};
inline const Group kPictureGradients{"gradients of pictures", {{"oneDNN", 1}}};
inline const Group kWeightGradients{"gradients of weights", {{"oneDNN", 1}}};
inline const Group kNetworks{"networks"};
inline const Group kAttention{"attention", {{"PyTorch", 1 / 1.4}}};
inline const Group kModels{"models"};
inline const Group kLoops{"loops"};
inline const Group kCalls{"calls"};
inline const Group kSites{"calls of many sites"};
// Of the report: all rows, but for those that have nothing left to win.
inline const Group kAll{"all", {{"", 1 / 1.15, kBehind}}};
inline const Group kAtLimit{"at the machine's limit"};

} // namespace groups

} // namespace graphc::bench
