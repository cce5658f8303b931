//===- Switches.h - what --switches switches off ------------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "graphc/FunctionOptions.h"

namespace graphc::bench {

/// An optimization, and the cases that show what it brings.
struct Switch {
  /// As Mode::excluding takes it, kRewrites, or the processor that is made do.
  std::string_view name;
  std::vector<std::string_view> cases;
  /// Code for another processor; null for this one.
  const char *target = nullptr;
  /// With fewer threads it changes nothing.
  int threads = 1;
};

/// All rewrites: FunctionOptions::rewrites.
inline constexpr std::string_view kRewrites = "rewrites";

inline const std::vector<Switch> kSwitches = {
    {kRewrites, {"blackscholes", "mlp_step", "radon"}},
    {"stabilize", {"ew10", "blackscholes"}},
    {"fusion", {"ew10", "ew10cheap", "softmax", "layernorm", "mlp_step", "nbody", "radon"}},
    {"unroll-sums", {"nbody"}},
    {"short-axes", {"nbody"}},
    {"turn-products",
     {"resnet_512x7_2048_1x1_dx", "resnet_1024x14_256_1x1_dx", "resnet_512x7_512_3x3_dx",
      "resnet_64x56_64_3x3_dw", "resnet_128x28_128_3x3_dw"}},
    {"join-scatters", {"radon"}},
    {"scatter-rows", {"radon"}},
    {"join-products", {"encoder", "attention_8x512", "attention_1x4096"}},
    {"block-memory", {"attention_8x512", "attention_8x1024", "attention_1x4096"}},
    {"parts-in-place", {"joined", "network_squeezenet", "network_inception_v1"}},
    {"separate-windows", {"pool3x3"}},
    {"schedule", {"terms", "radon"}},
    {"share-memory", {"steps"}},
    {"side-by-side", {"moments"}},
    {"products", {"gemm_f32_1024x1024x1024", "gemm_f32_2048x2048x2048", "mlp_step"}},
    {"windows", {"conv3x3"}},
    {"line-tiles",
     {"resnet_64x56_64_3x3", "resnet_128x28_128_3x3", "resnet_256x14_256_3x3",
      "resnet_512x7_512_3x3", "resnet_64x56_64_3x3_b8", "resnet_512x7_512_3x3_b8",
      "resnet_512x7_512_3x3_dx", "network_resnet50", "network_squeezenet"}},
    {"line-parts", {"resnet_64x56_64_3x3", "resnet_128x56_128_3x3_s2", "resnet_128x28_128_3x3"}},
    {"strided-lines",
     {"resnet_128x56_128_3x3_s2", "resnet_3x224_64_7x7_s2", "resnet_128x56_128_3x3_s2_b8"}},
    {"fetch-parts",
     {"resnet_64x56_64_3x3", "resnet_128x28_128_3x3", "resnet_128x56_128_3x3_s2_b8",
      "resnet_512x28_1024_1x1_s2_b8", "resnet_128x28_128_3x3_b8"}},
    {"fetch-rows", {"resnet_2048x7_512_1x1", "resnet_512x7_2048_1x1", "network_resnet50"}},
    {"fetch-results",
     {"mobilenet_3x224_32_3x3_s2", "bound_f32_1024x32x1024", "network_squeezenet"}},
    {"fetch-panels",
     {"bound_f32_32x1024x1024", "bound_f32_64x768x3072", "resnet_512x7_2048_1x1_dx"}},
    {"buffer-rows", {"bound_f32_1024x1024x32"}},
    {"row-tiles", {"bound_atb_f32_1024x1024x1024", "resnet_1024x14_512_1x1_dx"}},
    {"square-panels",
     {"bound_batch_abt_f32_96x32x64x32", "bound_abt_f32_100x100x100", "attention_8x128"}},
    {"whole-lines", {"resnet_512x7_2048_1x1", "mobilenet_512x7_1024_1x1"}},
    {"next-rows", {"softmax", "layernorm", "network_squeezenet"}},
    {"pictures", {"resnet_1024x14_2048_1x1_s2_b8", "resnet_512x28_1024_1x1_s2_b8"}},
    {"wide-panels", {"resnet_1024x14_2048_1x1_s2"}},
    {"last-columns", {"resnet_1024x14_2048_1x1_s2", "bound_f32_100x100x100"}},
    {"half-vectors", {"bound_f32_8x8x8"}},
    {"kept-rows", {"resnet_2048x7_512_1x1", "resnet_1024x14_256_1x1"}},
    {"kept-panels", {"dense_4x1024x1024", "dense_16x1024x1024", "dense_64x784x512", "encoder"}},
    {"pairs", {"gemm_bf16_1024x1024x1024", "gemm_bf16_32x1024x1024"}},
    {"tile-registers", {"gemm_bf16_1024x1024x1024", "gemm_bf16_32x1024x1024"}},
    {"fill-panels", {"bound_f32_32x1024x1024", "bound_f32_64x768x3072", "bound_f32_128x768x768"}},
    {"sum-blocks",
     {"gemm_f32_2048x2048x2048", "gemm_f64_1024x1024x1024", "gemm_f64_2048x2048x2048"}},
    {"vectors", {"gemm_f32_1x1024x1024", "gemm_f64_1x1024x1024"}},
    {"short-rows", {"nbody"}},
    {"blocks", {"mobilenet_256x28_256_3x3"}},
    {"dots", {"distances"}},
    {"columns", {"sum_axis0_f32", "sum_axis0_f64"}},
    {"strips", {"blackscholes"}},
    {"pads", {"mobilenet_256x28_256_3x3", "resnet_64x56_64_3x3"}},
    {"scatters", {"radon"}},
    {"common-loads", {"radon", "blackscholes"}},
    {"gathers", {"radon"}},
    {"gather-rows", {"radon"}},
    {"crossed", {"transposed"}},
    {"squares", {"transposed"}},
    {"join-branches", {"nbody"}},
    {"quotients", {"resnet_128x56_128_3x3_s2_dx"}},
    {"outline", {"compile_layer"}},
    {"threads", {"gemm_f64_1024x1024x1024", "sum_all_f32", "dense_128x512x512"}, nullptr, 2},
#ifdef __x86_64__
    {"AVX-512", {"ew10", "softmax", "gemm_f32_512x512x512", "conv3x3"}, "x86-64-v3"},
    {"AVX-512 and AVX2", {"ew10", "softmax", "gemm_f32_512x512x512", "conv3x3"}, "x86-64"},
#endif
};

/// `options` without it.
inline FunctionOptions without(FunctionOptions options, const Switch &one) {
  if (one.target)
    options.target = one.target;
  else if (one.name == kRewrites)
    options.rewrites = false;
  else
    options.mode = options.mode.excluding({one.name});
  return options;
}

/// Whether the case shows, with so many threads, what it brings.
inline bool shows(std::string_view name, const Switch &one, int threads) {
  return threads >= one.threads && std::ranges::find(one.cases, name) != one.cases.end();
}

inline bool isForSwitch(std::string_view name, int threads) {
  return std::ranges::any_of(kSwitches,
                             [&](const Switch &one) { return shows(name, one, threads); });
}

} // namespace graphc::bench
