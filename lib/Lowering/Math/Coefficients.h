//===- Coefficients.h - written by fit.py; do not edit -----------*- C++ -*-===//
#pragma once

namespace graphc::math {

// clang-format off
/// f32 formulas evaluated in f32.
struct SingleCoefficients {
  static constexpr float exp[] = {
      0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f, 0x1.5555180000000p-5f,
      0x1.120be20000000p-7f, 0x1.6d117c0000000p-10f};
  static constexpr float expm1[] = {
      0x1.0000000000000p-1f, 0x1.5555560000000p-3f, 0x1.5554e80000000p-5f,
      0x1.1110e00000000p-7f, 0x1.6d43b00000000p-10f, 0x1.a1256c0000000p-13f};
  static constexpr float exp2[] = {
      0x1.62e4300000000p-1f, 0x1.ebfbe00000000p-3f, 0x1.c6b08e0000000p-5f,
      0x1.3b2a1a0000000p-7f, 0x1.5d879e0000000p-10f, 0x1.4440a00000000p-13f,
      0x1.00a5e40000000p-16f};
  static constexpr float sin[] = {
      -0x1.5555560000000p-3f, 0x1.11110e0000000p-7f, -0x1.a013a20000000p-13f,
      0x1.6dbbee0000000p-19f};
  static constexpr float cos[] = {
      0x1.5555560000000p-5f, -0x1.6c16c00000000p-10f, 0x1.a015c00000000p-16f,
      -0x1.2522e60000000p-22f};
  static constexpr float log[] = {
      -0x1.0000000000000p-1f, 0x1.5555560000000p-2f, -0x1.0000660000000p-2f,
      0x1.9999360000000p-3f, -0x1.5520e80000000p-3f, 0x1.2442520000000p-3f,
      -0x1.0414f40000000p-3f, 0x1.dfe4540000000p-4f, -0x1.7c984e0000000p-4f,
      0x1.431c5a0000000p-5f};
  static constexpr float ln20 = 0x1.62e4300000000p-1f;
  static constexpr float ln21 = -0x1.05c6100000000p-29f;
  static constexpr float halfPi0 = 0x1.921fb60000000p+0f;
  static constexpr float halfPi1 = -0x1.777a5c0000000p-25f;
  static constexpr float halfPi2 = -0x1.ee59da0000000p-50f;
  static constexpr float twoOverPi = 0x1.45f306dc9c883p-1f;
  static constexpr float invLn20 = 0x1.7154760000000p+0f;
  static constexpr float invLn21 = 0x1.4ae0c00000000p-26f;
  static constexpr float invLn100 = 0x1.bcb7b20000000p-2f;
  static constexpr float invLn101 = -0x1.5b235e0000000p-27f;
  static constexpr float ln2Short0 = 0x1.62e4000000000p-1f;
  static constexpr float ln2Short1 = 0x1.7f7d1c0000000p-20f;
  static constexpr float log10Short0 = 0x1.3440000000000p-2f;
  static constexpr float log10Short1 = 0x1.3509f80000000p-18f;
  static constexpr float erfcxScale = 0x1.4000000000000p-1f;
  static constexpr float erfcx[] = {
      0x1.394bbe0000000p-1f, 0x1.600e000000000p-1f, 0x1.2bb7200000000p-2f,
      -0x1.887e580000000p-3f, -0x1.3e2ea20000000p-3f, 0x1.3de2da0000000p-3f,
      0x1.bc03800000000p-5f, -0x1.3aa3980000000p-3f, 0x1.67e8ea0000000p-5f,
      0x1.98667c0000000p-4f, -0x1.4dbbbc0000000p-4f};
  static constexpr float erfSmallEnd = 0x1.199999999999ap+0f;
  static constexpr float erfSmall[] = {
      0x1.06eba80000000p-3f, -0x1.8127460000000p-2f, 0x1.ce2f1e0000000p-4f,
      -0x1.b82c6e0000000p-6f, 0x1.5653fe0000000p-8f, -0x1.bf95f80000000p-11f,
      0x1.f2ccac0000000p-14f, -0x1.c5e6020000000p-17f, 0x1.0381920000000p-20f};
  static constexpr float sqrtHalf0 = 0x1.6a09e60000000p-1f;
  static constexpr float sqrtHalf1 = 0x1.9fcef40000000p-27f;
  static constexpr float geluLinear0 = 0x1.9884540000000p+0f;
  static constexpr float geluLinear1 = -0x1.8579360000000p-25f;
  static constexpr float geluCubic0 = 0x1.2444f20000000p-4f;
  static constexpr float geluCubic1 = 0x1.49b16a0000000p-29f;
  /// Rows: centre, value high, value low, then the coefficients of t, t^2, ...
  static constexpr float tanhTable[9][32] = {
      {
        0x0.0p+0f, 0x1.6000000000000p-4f, 0x1.a000000000000p-4f, 0x1.e000000000000p-4f,
        0x1.2000000000000p-3f, 0x1.6000000000000p-3f, 0x1.a000000000000p-3f,
        0x1.e000000000000p-3f, 0x1.2000000000000p-2f, 0x1.6000000000000p-2f,
        0x1.a000000000000p-2f, 0x1.e000000000000p-2f, 0x1.2000000000000p-1f,
        0x1.6000000000000p-1f, 0x1.a000000000000p-1f, 0x1.e000000000000p-1f,
        0x1.2000000000000p+0f, 0x1.6000000000000p+0f, 0x1.a000000000000p+0f,
        0x1.e000000000000p+0f, 0x1.2000000000000p+1f, 0x1.6000000000000p+1f,
        0x1.a000000000000p+1f, 0x1.e000000000000p+1f, 0x1.2000000000000p+2f,
        0x1.6000000000000p+2f, 0x1.a000000000000p+2f, 0x1.e000000000000p+2f,
        0x1.2000000000000p+3f, 0x1.6000000000000p+3f, 0x1.a000000000000p+3f,
        0x1.e000000000000p+3f},
      {
        0x0.0p+0f, 0x1.5f22d20000000p-4f, 0x1.9e93560000000p-4f, 0x1.ddd0920000000p-4f,
        0x1.1e1dd00000000p-3f, 0x1.5c93080000000p-3f, 0x1.9a5f1c0000000p-3f,
        0x1.d7665c0000000p-3f, 0x1.18a39a0000000p-2f, 0x1.52c2c60000000p-2f,
        0x1.8a87e20000000p-2f, 0x1.bfae6a0000000p-2f, 0x1.0508700000000p-1f,
        0x1.3157e00000000p-1f, 0x1.5789000000000p-1f, 0x1.77d8380000000p-1f,
        0x1.9e5cb60000000p-1f, 0x1.c278a60000000p-1f, 0x1.d9c6fa0000000p-1f,
        0x1.e8789e0000000p-1f, 0x1.f4bfd60000000p-1f, 0x1.fbd50a0000000p-1f,
        0x1.fe767a0000000p-1f, 0x1.ff6f180000000p-1f, 0x1.ffdfa80000000p-1f,
        0x1.fffba00000000p-1f, 0x1.ffff680000000p-1f, 0x1.ffffec0000000p-1f,
        0x1.fffffe0000000p-1f, 0x1.0000000000000p+0f, 0x1.0000000000000p+0f,
        0x1.0000000000000p+0f},
      {
        0x0.0p+0f, -0x1.2659b00000000p-32f, 0x1.f48db80000000p-30f, 0x1.493e060000000p-29f,
        0x1.57365c0000000p-29f, -0x1.bb0c720000000p-28f, -0x1.899af80000000p-31f,
        0x1.f377060000000p-28f, -0x1.94b7ba0000000p-30f, -0x1.3c4f3e0000000p-27f,
        -0x1.6998780000000p-27f, 0x1.72e49c0000000p-27f, -0x1.a1256a0000000p-26f,
        -0x1.608ea40000000p-29f, -0x1.de5acc0000000p-26f, 0x1.c680b00000000p-26f,
        -0x1.16eca60000000p-27f, -0x1.ab63720000000p-26f, 0x1.fcc3900000000p-26f,
        0x1.9d81bc0000000p-26f, 0x1.85bfa40000000p-26f, -0x1.4614700000000p-27f,
        -0x1.45958c0000000p-26f, -0x1.62ae240000000p-27f, -0x1.bd58d00000000p-26f,
        -0x1.a07c2e0000000p-26f, 0x1.3fb26e0000000p-27f, -0x1.0eb8720000000p-26f,
        0x1.f4b3ae0000000p-26f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        0x1.9fca520000000p-38f, 0x1.fc3cbe0000000p-1f, 0x1.fac13e0000000p-1f,
        0x1.f9085a0000000p-1f, 0x1.f601ca0000000p-1f, 0x1.f12b000000000p-1f,
        0x1.eb715a0000000p-1f, 0x1.e4dfb20000000p-1f, 0x1.d98b360000000p-1f,
        0x1.c7f7240000000p-1f, 0x1.b3ff2e0000000p-1f, 0x1.9e23ae0000000p-1f,
        0x1.7aeae60000000p-1f, 0x1.49e6c00000000p-1f, 0x1.197fce0000000p-1f,
        0x1.d834d20000000p-2f, 0x1.6150020000000p-2f, 0x1.cea7440000000p-3f,
        0x1.265e340000000p-3f, 0x1.6fcfa60000000p-4f, 0x1.64108a0000000p-5f,
        0x1.09a7a80000000p-6f, 0x1.88ef6e0000000p-8f, 0x1.21a7b40000000p-9f,
        0x1.02c03c0000000p-11f, 0x1.1834740000000p-14f, 0x1.2f61b40000000p-17f,
        0x1.48779c0000000p-20f, 0x1.060ca80000000p-24f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.7640080000000p-28f, -0x1.5c8e360000000p-4f, -0x1.9a54160000000p-4f,
        -0x1.d750040000000p-4f, -0x1.18883c0000000p-3f, -0x1.5279fe0000000p-3f,
        -0x1.89e5100000000p-3f, -0x1.be6cb80000000p-3f, -0x1.038f720000000p-2f,
        -0x1.2daf9a0000000p-2f, -0x1.4ff7140000000p-2f, -0x1.6a1d3a0000000p-2f,
        -0x1.825df80000000p-2f, -0x1.897d280000000p-2f, -0x1.79c0e00000000p-2f,
        -0x1.5aa21c0000000p-2f, -0x1.1defac0000000p-2f, -0x1.970e080000000p-3f,
        -0x1.10646e0000000p-3f, -0x1.5ee8920000000p-4f, -0x1.5c3d8e0000000p-5f,
        -0x1.077e0c0000000p-6f, -0x1.87c1660000000p-8f, -0x1.2155b60000000p-9f,
        -0x1.02aeca0000000p-11f, -0x1.1830dc0000000p-14f, -0x1.2f600e0000000p-17f,
        -0x1.4876260000000p-20f, -0x1.05bf4a0000000p-24f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.55551e0000000p-2f, -0x1.4b5ad00000000p-2f, -0x1.4774280000000p-2f,
        -0x1.42f17c0000000p-2f, -0x1.3b134e0000000p-2f, -0x1.2ea3fc0000000p-2f,
        -0x1.202a340000000p-2f, -0x1.0fdf040000000p-2f, -0x1.e91ee60000000p-3f,
        -0x1.98587e0000000p-3f, -0x1.4271f40000000p-3f, -0x1.d71f6a0000000p-4f,
        -0x1.bd0b840000000p-5f, 0x1.d76aa80000000p-7f, 0x1.072cca0000000p-4f,
        0x1.84349c0000000p-4f, 0x1.c68d840000000p-4f, 0x1.97d80c0000000p-4f,
        0x1.33df200000000p-4f, 0x1.a85c1c0000000p-5f, 0x1.bbce5e0000000p-6f,
        0x1.5994740000000p-7f, 0x1.0396400000000p-8f, 0x1.80e7280000000p-10f,
        0x1.5860760000000p-12f, 0x1.7529e60000000p-15f, 0x1.9410440000000p-18f,
        0x1.b57aaa0000000p-21f, 0x1.5680940000000p-25f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.752e980000000p-15f, 0x1.cb9e180000000p-5f, 0x1.0d59460000000p-4f,
        0x1.33cb700000000p-4f, 0x1.6b179e0000000p-4f, 0x1.afb1060000000p-4f,
        0x1.ed90080000000p-4f, 0x1.11f6e80000000p-3f, 0x1.3316e00000000p-3f,
        0x1.50369a0000000p-3f, 0x1.5c35ac0000000p-3f, 0x1.5864ea0000000p-3f,
        0x1.3a4d4a0000000p-3f, 0x1.e982480000000p-4f, 0x1.4716ea0000000p-4f,
        0x1.626a1c0000000p-5f, 0x1.ac41b00000000p-9f, -0x1.5dd5e40000000p-6f,
        -0x1.9d2a820000000p-6f, -0x1.55d6520000000p-6f, -0x1.93cb2e0000000p-7f,
        -0x1.4e3bb60000000p-8f, -0x1.00779c0000000p-9f, -0x1.7f36140000000p-11f,
        -0x1.5838900000000p-13f, -0x1.75504c0000000p-16f, -0x1.9445ce0000000p-19f,
        -0x1.b5b6620000000p-22f, -0x1.59bd820000000p-26f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        0x1.1351e80000000p-3f, 0x1.0038080000000p-3f, 0x1.f3699a0000000p-4f,
        0x1.e473360000000p-4f, 0x1.ca8d1c0000000p-4f, 0x1.a25f920000000p-4f,
        0x1.74a4b20000000p-4f, 0x1.428aca0000000p-4f, 0x1.e3c8d40000000p-5f,
        0x1.05c5660000000p-5f, 0x1.8484a00000000p-8f, -0x1.1920fa0000000p-6f,
        -0x1.642aee0000000p-5f, -0x1.f85e600000000p-5f, -0x1.00b0d40000000p-4f,
        -0x1.b2aa820000000p-5f, -0x1.0675a40000000p-5f, -0x1.37c11c0000000p-7f,
        0x1.6db0200000000p-10f, 0x1.2d87e00000000p-8f, 0x1.04a04e0000000p-8f,
        0x1.f5f54a0000000p-10f, 0x1.93f5960000000p-11f, 0x1.32dca60000000p-12f,
        0x1.1e7bdc0000000p-14f, 0x1.375f560000000p-17f, 0x1.514b2a0000000p-20f,
        0x1.6d35280000000p-23f, 0x1.48f86c0000000p-27f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.9b955e0000000p-7f, -0x1.008bc00000000p-5f, -0x1.2ae2e60000000p-5f,
        -0x1.5327ee0000000p-5f, -0x1.8b0ec00000000p-5f, -0x1.cc38ee0000000p-5f,
        -0x1.00a7880000000p-4f, -0x1.14ae180000000p-4f, -0x1.25e5ac0000000p-4f,
        -0x1.260fa00000000p-4f, -0x1.0f2c560000000p-4f, -0x1.cdca020000000p-5f,
        -0x1.313da80000000p-5f, -0x1.7c5c180000000p-7f, 0x1.da08ca0000000p-8f,
        0x1.162eb00000000p-6f, 0x1.2ed8ea0000000p-6f, 0x1.67766c0000000p-7f,
        0x1.0da2f40000000p-8f, 0x1.5399ac0000000p-11f, -0x1.79ac400000000p-11f,
        -0x1.1df85c0000000p-11f, -0x1.fe41a00000000p-13f, -0x1.90ae260000000p-14f,
        -0x1.7876320000000p-16f, -0x1.9aa9fe0000000p-19f, -0x1.bd11ee0000000p-22f,
        -0x1.e1ef840000000p-25f, -0x1.a54f6a0000000p-29f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f}};
  /// Rows: centre, value high, value low, then the coefficients of t, t^2, ...
  static constexpr float erfTable[9][32] = {
      {
        0x0.0p+0f, 0x1.6000000000000p-4f, 0x1.a000000000000p-4f, 0x1.e000000000000p-4f,
        0x1.2000000000000p-3f, 0x1.6000000000000p-3f, 0x1.a000000000000p-3f,
        0x1.e000000000000p-3f, 0x1.2000000000000p-2f, 0x1.6000000000000p-2f,
        0x1.a000000000000p-2f, 0x1.e000000000000p-2f, 0x1.2000000000000p-1f,
        0x1.6000000000000p-1f, 0x1.a000000000000p-1f, 0x1.e000000000000p-1f,
        0x1.2000000000000p+0f, 0x1.6000000000000p+0f, 0x1.a000000000000p+0f,
        0x1.e000000000000p+0f, 0x1.2000000000000p+1f, 0x1.6000000000000p+1f,
        0x1.a000000000000p+1f, 0x1.e000000000000p+1f, 0x1.2000000000000p+2f,
        0x1.6000000000000p+2f, 0x1.a000000000000p+2f, 0x1.e000000000000p+2f,
        0x1.2000000000000p+3f, 0x1.6000000000000p+3f, 0x1.a000000000000p+3f,
        0x1.e000000000000p+3f},
      {
        0x0.0p+0f, 0x1.8c36be0000000p-4f, 0x1.d3cbf80000000p-4f, 0x1.0d93900000000p-3f,
        0x1.42d7fc0000000p-3f, 0x1.8950100000000p-3f, 0x1.cf076e0000000p-3f,
        0x1.09eed60000000p-2f, 0x1.3c9aa80000000p-2f, 0x1.7e15940000000p-2f,
        0x1.bccfec0000000p-2f, 0x1.f86faa0000000p-2f, 0x1.25b8a80000000p-1f,
        0x1.5692440000000p-1f, 0x1.7fb9c00000000p-1f, 0x1.a1551a0000000p-1f,
        0x1.c6dad20000000p-1f, 0x1.e5768c0000000p-1f, 0x1.f4f6940000000p-1f,
        0x1.fbe61e0000000p-1f, 0x1.ff40480000000p-1f, 0x1.fff2d00000000p-1f,
        0x1.ffff700000000p-1f, 0x1.fffffc0000000p-1f, 0x1.0000000000000p+0f,
        0x1.0000000000000p+0f, 0x1.0000000000000p+0f, 0x1.0000000000000p+0f,
        0x1.0000000000000p+0f, 0x1.0000000000000p+0f, 0x1.0000000000000p+0f,
        0x1.0000000000000p+0f},
      {
        0x0.0p+0f, 0x1.7151a40000000p-29f, -0x1.8f5b4e0000000p-32f, 0x1.7d97940000000p-33f,
        0x1.7b24ac0000000p-30f, 0x1.fb7b800000000p-28f, -0x1.db99ba0000000p-28f,
        0x1.3057280000000p-27f, 0x1.7097dc0000000p-27f, 0x1.3674f80000000p-28f,
        0x1.242adc0000000p-29f, 0x1.2851f40000000p-27f, 0x1.16dbb00000000p-26f,
        -0x1.6a62b20000000p-28f, -0x1.449fe20000000p-27f, 0x1.6aaeb00000000p-29f,
        0x1.053d8c0000000p-26f, 0x1.da51fe0000000p-28f, -0x1.2610a20000000p-27f,
        0x1.de99ee0000000p-26f, -0x1.3f9cca0000000p-26f, -0x1.3eeb0a0000000p-27f,
        -0x1.82606a0000000p-27f, 0x1.78b8f20000000p-28f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        0x1.06eba80000000p-3f, 0x1.1ebd560000000p+0f, 0x1.1de6980000000p+0f,
        0x1.1cecdc0000000p+0f, 0x1.1b35720000000p+0f, 0x1.1874de0000000p+0f,
        0x1.1530680000000p+0f, 0x1.116cd80000000p+0f, 0x1.0ae5500000000p+0f,
        0x1.00abd00000000p+0f, 0x1.e9d5a80000000p-1f, 0x1.cfc41e0000000p-1f,
        0x1.a5074e0000000p-1f, 0x1.681ff20000000p-1f, 0x1.2a8dce0000000p-1f,
        0x1.dfca260000000p-2f, 0x1.45e99c0000000p-2f, 0x1.5ce5960000000p-3f,
        0x1.499d460000000p-4f, 0x1.12ceb20000000p-5f, 0x1.d413ea0000000p-8f,
        0x1.3363160000000p-11f, 0x1.e9c9ba0000000p-16f, 0x1.d975540000000p-21f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.774e9e0000000p-29f, -0x1.8a44560000000p-4f, -0x1.d096b60000000p-4f,
        -0x1.0b1e0e0000000p-3f, -0x1.3e9c200000000p-3f, -0x1.81a0b00000000p-3f,
        -0x1.c26eaa0000000p-3f, -0x1.00560c0000000p-2f, -0x1.2c41fa0000000p-2f,
        -0x1.60ec3c0000000p-2f, -0x1.8dfd9a0000000p-2f, -0x1.b2c7dc0000000p-2f,
        -0x1.d9a8380000000p-2f, -0x1.ef2bee0000000p-2f, -0x1.e526700000000p-2f,
        -0x1.c1cd840000000p-2f, -0x1.6ea6d00000000p-2f, -0x1.dfbbae0000000p-3f,
        -0x1.0bcfca0000000p-3f, -0x1.01a1c80000000p-4f, -0x1.074b440000000p-6f,
        -0x1.a6a5400000000p-10f, -0x1.8de6260000000p-14f, -0x1.bbae260000000p-19f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.81272c0000000p-2f, -0x1.78ac220000000p-2f, -0x1.75563e0000000p-2f,
        -0x1.71774e0000000p-2f, -0x1.6aad460000000p-2f, -0x1.5fd9480000000p-2f,
        -0x1.5316620000000p-2f, -0x1.4483b00000000p-2f, -0x1.2b900a0000000p-2f,
        -0x1.05599c0000000p-2f, -0x1.b588d80000000p-3f, -0x1.5a9dea0000000p-3f,
        -0x1.9c41f60000000p-4f, -0x1.a427240000000p-7f, 0x1.fe070e0000000p-5f,
        0x1.e4c95a0000000p-4f, 0x1.4cb2bc0000000p-3f, 0x1.4375000000000p-3f,
        0x1.d6647e0000000p-4f, 0x1.143e360000000p-4f, 0x1.63f9860000000p-6f,
        0x1.6986060000000p-9f, 0x1.9967d00000000p-13f, 0x1.097a3e0000000p-17f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.75ecb20000000p-16f, 0x1.8853640000000p-5f, 0x1.cd64d80000000p-5f,
        0x1.08ac000000000p-4f, 0x1.3a68d00000000p-4f, 0x1.7a087c0000000p-4f,
        0x1.b60ade0000000p-4f, 0x1.ede5ca0000000p-4f, 0x1.1c6c7e0000000p-3f,
        0x1.451ef40000000p-3f, 0x1.6233860000000p-3f, 0x1.7317940000000p-3f,
        0x1.75beac0000000p-3f, 0x1.53240e0000000p-3f, 0x1.0fa2300000000p-3f,
        0x1.747e3e0000000p-4f, 0x1.ca55e40000000p-6f, -0x1.f3b5060000000p-6f,
        -0x1.974bc00000000p-5f, -0x1.5a32080000000p-5f, -0x1.38b7d20000000p-6f,
        -0x1.ab02960000000p-9f, -0x1.2c32420000000p-12f, -0x1.cf20d60000000p-17f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        0x1.d070900000000p-4f, 0x1.bd40ac0000000p-4f, 0x1.b69f0c0000000p-4f,
        0x1.aef12c0000000p-4f, 0x1.a17c6a0000000p-4f, 0x1.8c30e60000000p-4f,
        0x1.73479c0000000p-4f, 0x1.5715820000000p-4f, 0x1.2762600000000p-4f,
        0x1.c04ed60000000p-5f, 0x1.26c6060000000p-5f, 0x1.13523c0000000p-6f,
        -0x1.61cf720000000p-7f, -0x1.549bd20000000p-5f, -0x1.f911460000000p-5f,
        -0x1.1ca37e0000000p-4f, -0x1.f436980000000p-5f, -0x1.f612000000000p-6f,
        -0x1.2de5080000000p-9f, 0x1.73324a0000000p-7f, 0x1.5ab9ca0000000p-7f,
        0x1.7263d60000000p-9f, 0x1.5cc4420000000p-12f, 0x1.52f6660000000p-16f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f},
      {
        -0x1.9b47700000000p-8f, -0x1.0440d80000000p-6f, -0x1.31777e0000000p-6f,
        -0x1.5da4ce0000000p-6f, -0x1.9d9cdc0000000p-6f, -0x1.edfc6e0000000p-6f,
        -0x1.1be0120000000p-5f, -0x1.3cfdb80000000p-5f, -0x1.66a4a00000000p-5f,
        -0x1.8e05960000000p-5f, -0x1.a1948c0000000p-5f, -0x1.a12fce0000000p-5f,
        -0x1.7d7db40000000p-5f, -0x1.1b39c20000000p-5f, -0x1.3150b80000000p-6f,
        -0x1.4a88340000000p-9f, 0x1.f7ba260000000p-7f, 0x1.692efe0000000p-6f,
        0x1.d7d21e0000000p-7f, 0x1.0f965e0000000p-8f, -0x1.6e5da00000000p-9f,
        -0x1.b4e3360000000p-10f, -0x1.1db69e0000000p-12f, -0x1.5823160000000p-16f, 0x0.0p+0f,
        0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f, 0x0.0p+0f}};
};

/// f64 formulas.
struct DoubleCoefficients {
  static constexpr double exp[] = {
      0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d37p-5, 0x1.11111111109a6p-7,
      0x1.6c16c1789d1d7p-10, 0x1.a01a01a7cebcdp-13, 0x1.a019b8ca26fcfp-16,
      0x1.71de0d85293b8p-19, 0x1.2891d4ffbb0f9p-22, 0x1.af390ba7e6f47p-26};
  static constexpr double expm1[] = {
      0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100bep-7,
      0x1.6c16c16c162c3p-10, 0x1.a01a01abf85abp-13, 0x1.a01a01a6e1e2ap-16,
      0x1.71de01fdbf9cap-19, 0x1.27e4db46cddd1p-22, 0x1.af4e554377204p-26, 0x1.1f7340dbc337ep-29};
  static constexpr double exp2[] = {
      0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c0p-5, 0x1.3b2ab6fba4e7bp-7,
      0x1.5d87fe78a6732p-10, 0x1.430912f86ac23p-13, 0x1.ffcbfc5889c87p-17,
      0x1.62c0224613675p-20, 0x1.b5253d42075a3p-24, 0x1.e4cf036b19586p-28,
      0x1.e8ca8d9985407p-32, 0x1.c4b62f9c6e5bcp-36, 0x1.82197f9570365p-40};
  static constexpr double sin[] = {
      -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019926p-13,
      0x1.71de3a545e700p-19, -0x1.ae64540f0ba18p-26, 0x1.61217c1864fa1p-33,
      -0x1.ab161757f0c63p-41};
  static constexpr double cos[] = {
      0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d02p-16,
      -0x1.27e4fb7711e1dp-22, 0x1.1eed8de9ef73ep-29, -0x1.9394b76d1f265p-37,
      0x1.ab76cf6e9b365p-45};
  static constexpr double atanh[] = {
      0x1.5555555555555p-1, 0x1.9999999999989p-2, 0x1.249249249500bp-2, 0x1.c71c71c1b0507p-3,
      0x1.745d19fac65e7p-3, 0x1.3b12ef4d5d8c1p-3, 0x1.1130d743d511bp-3, 0x1.dbda7a4188a45p-4,
      0x1.fcd9cadda7405p-4};
  static constexpr double ln20 = 0x1.62e42fefa39efp-1;
  static constexpr double ln21 = 0x1.abc9e3b39803fp-56;
  static constexpr double halfPi0 = 0x1.921fb54442d18p+0;
  static constexpr double halfPi1 = 0x1.1a62633145c07p-54;
  static constexpr double halfPi2 = -0x1.f1976b7ed8fbcp-110;
  static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double invLn20 = 0x1.71547652b82fep+0;
  static constexpr double invLn21 = 0x1.777d0ffda0d24p-56;
  static constexpr double invLn100 = 0x1.bcb7b1526e50ep-2;
  static constexpr double invLn101 = 0x1.95355baaafad3p-57;
  static constexpr double ln2Short0 = 0x1.62e42fefa3800p-1;
  static constexpr double ln2Short1 = 0x1.ef35793c76730p-45;
  static constexpr double log10Short0 = 0x1.34413509f7000p-2;
  static constexpr double log10Short1 = 0x1.3fde623e2566bp-43;
  static constexpr double erfcxScale = 0x1.0000000000000p-1;
  static constexpr double erfcx[] = {
      0x1.058671b52c776p-1, 0x1.5fd386754eff9p-1, 0x1.1e2deea6b0f9ep-1, 0x1.2a88e6107db56p-3,
      -0x1.606e4154c34b0p-3, -0x1.a89eaff910639p-4, 0x1.9517bb2a4804dp-4, 0x1.b6fbfa08ca456p-5,
      -0x1.5ba42bd241b8fp-4, -0x1.20545efaa2454p-7, 0x1.2ef8d8cc3217ap-4, -0x1.1e74612fef2e4p-5,
      -0x1.6bd3e360533fap-5, 0x1.0e6750e7aafeep-4, -0x1.36374abd89db5p-7, -0x1.e7ab3768a560ap-5,
      0x1.14b7ecceb7a6ap-4, -0x1.84f05f977af06p-10, -0x1.5ea0b157ce441p-4, 0x1.7a9af2a8df66ap-4,
      0x1.36f857e7cfef0p-5, -0x1.24d58b84f30a1p-3, 0x1.baccf936d3fc6p-6, 0x1.b3c98de482f62p-4,
      -0x1.04e725a005f77p-5, -0x1.0bd114fe48d08p-5};
  static constexpr double erfSmallEnd = 0x1.199999999999ap+0;
  static constexpr double erfSmall[] = {
      0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be1p-4, -0x1.b82ce31288afbp-6,
      0x1.565bcd0e69407p-8, -0x1.c02db3fffe6c4p-11, 0x1.f9a326ef4cdeep-14,
      -0x1.f4d25b1e41cb8p-17, 0x1.b9e6b3e5a1ccep-20, -0x1.5f72fa1954a7cp-23,
      0x1.fcacf1e33c83cp-27, -0x1.51244bc03f146p-30, 0x1.973e8d80084c2p-34,
      -0x1.a6874bab63d09p-38, 0x1.1ef5b19b54b9fp-42};
  static constexpr double sqrtHalf0 = 0x1.6a09e667f3bcdp-1;
  static constexpr double sqrtHalf1 = -0x1.bdd3413b26456p-55;
  static constexpr double geluLinear0 = 0x1.9884533d43651p+0;
  static constexpr double geluLinear1 = -0x1.cbc0d30ebfd15p-54;
  static constexpr double geluCubic0 = 0x1.2444f2a4d8b4bp-4;
  static constexpr double geluCubic1 = -0x1.6c843a29d1c70p-61;
  static constexpr double twoThirds0 = 0x1.5555555555555p-1;
  static constexpr double twoThirds1 = 0x1.5555555555555p-55;
  static constexpr double atanhTail[] = {
      0x1.999999999999ap-2, 0x1.2492492492483p-2, 0x1.c71c71c721697p-3, 0x1.745d1740dc734p-3,
      0x1.3b13b3b48c8c1p-3, 0x1.11105fcae6a57p-3, 0x1.e21bf82d71e85p-4, 0x1.a9a5d13ac3beep-4,
      0x1.cd16199869f75p-4};
  static constexpr double arctan[] = {
      -0x1.5555555555555p-2, 0x1.9999999999997p-3, -0x1.24924924920adp-3, 0x1.c71c71c6ddb9cp-4,
      -0x1.745d173563ab2p-4, 0x1.3b13aea9b6b8dp-4, -0x1.1110cee3bf64ep-4, 0x1.e1d8e942d6a22p-5,
      -0x1.aebd1ae878fa4p-5, 0x1.829cc4e1e78d4p-5, -0x1.503bca231ad2dp-5, 0x1.f5ed3e270c8a6p-6,
      -0x1.c80e16e6bcb9dp-7};
  static constexpr double arcsin[] = {
      0x1.555555555554fp-3, 0x1.3333333336da5p-4, 0x1.6db6db684b6a1p-5, 0x1.f1c71f95269afp-6,
      0x1.6e8b2b3b10be4p-6, 0x1.1c593c7b1d958p-6, 0x1.c87265d47ef49p-7, 0x1.8522ddffa6208p-7,
      0x1.ff5fc4d14c735p-8, 0x1.06b9d26d10838p-6, -0x1.603991d6060e0p-7, 0x1.cd864394d2ff2p-6};
  static constexpr double cbrt[] = {
      0x1.14ffcf71714dcp+1, -0x1.c55d8f3e78f56p+1, 0x1.684dd54267ba6p+2, -0x1.82699fb3802dap+2,
      0x1.0eee54a01680dp+2, -0x1.dd8d5222715b8p+0, 0x1.e0bb6a70af8eep-2, -0x1.a605ed3072cf3p-5};
  static constexpr double cbrtTwo0 = 0x1.428a2f98d728bp+0;
  static constexpr double cbrtTwo1 = -0x1.ddc22548ea41ep-56;
  static constexpr double cbrtHalf0 = 0x1.965fea53d6e3dp-1;
  static constexpr double cbrtHalf1 = -0x1.f53e999952f09p-55;
};

/// f32 functions evaluated in f64: about 2^-36, far below half a unit of f32.
struct WideCoefficients {
  static constexpr double exp[] = {
      0x1.0000000000000p-1, 0x1.555555676c1bbp-3, 0x1.5555555c910d6p-5, 0x1.1110c5ed7d6c9p-7,
      0x1.6c1685542fcb2p-10, 0x1.a152099da25bap-13, 0x1.a113930ccbff5p-16};
  static constexpr double expm1[] = {
      0x1.fffffffffe028p-2, 0x1.5555555554f8cp-3, 0x1.55555565dead9p-5, 0x1.11111117140a3p-7,
      0x1.6c166b8f94446p-10, 0x1.a019c3324fe13p-13, 0x1.a137426f16cfcp-16, 0x1.72ada50a7cd68p-19};
  static constexpr double exp2[] = {
      0x1.62e42fef9cb88p-1, 0x1.ebfbdff82a6f5p-3, 0x1.c6b08da761307p-5, 0x1.3b2ab70ae9b8ep-7,
      0x1.5d87750bb25c0p-10, 0x1.4308c6ca5cd4ap-13, 0x1.00c1552eaeb61p-16, 0x1.63b35413335edp-20};
  static constexpr double sin[] = {
      -0x1.5555555555161p-3, 0x1.1111110fd1496p-7, -0x1.a019fd95094bep-13,
      0x1.71d9a549ac8fbp-19, -0x1.aa262ee715b00p-26};
  static constexpr double cos[] = {
      0x1.5555555555434p-5, -0x1.6c16c16b5fdb7p-10, 0x1.a019ff501e5c1p-16,
      -0x1.27e25ca05d2bep-22, 0x1.1c808728603bbp-29};
  static constexpr double atanh[] = {
      0x1.55555555a0286p-1, 0x1.999996c139053p-2, 0x1.24947eb1b74ddp-2, 0x1.c5ea6ae9a4426p-3,
      0x1.95d29f3108086p-3};
  static constexpr double ln20 = 0x1.62e42fefa39efp-1;
  static constexpr double ln21 = 0x1.abc9e3b39803fp-56;
  static constexpr double halfPi0 = 0x1.921fb54442d18p+0;
  static constexpr double halfPi1 = 0x1.1a62633145c07p-54;
  static constexpr double halfPi2 = -0x1.f1976b7ed8fbcp-110;
  static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double invLn20 = 0x1.71547652b82fep+0;
  static constexpr double invLn21 = 0x1.777d0ffda0d24p-56;
  static constexpr double invLn100 = 0x1.bcb7b1526e50ep-2;
  static constexpr double invLn101 = 0x1.95355baaafad3p-57;
  static constexpr double ln2Short0 = 0x1.62e42fefa3800p-1;
  static constexpr double ln2Short1 = 0x1.ef35793c76730p-45;
  static constexpr double log10Short0 = 0x1.34413509f7000p-2;
  static constexpr double log10Short1 = 0x1.3fde623e2566bp-43;
  static constexpr double erfcxScale = 0x1.0000000000000p-2;
  static constexpr double erfcx[] = {
      0x1.18932bf1db43fp-2, 0x1.f3fe31eb7af20p-2, 0x1.8be201d2cae01p-1, 0x1.14eacb92f658ap+0,
      0x1.52cae283b49a7p+0, 0x1.645fba82bf0eap+0, 0x1.38d8bae0a6299p+0, 0x1.b011b4b1ed0ffp-1,
      0x1.91221462f3bddp-2, 0x1.22801dcd35dc5p-5, -0x1.eb8c07a6ffbe0p-4, -0x1.668474281b7fdp-4,
      0x1.0583b07aca7a7p-7, 0x1.e3fdeaa6ee0dfp-6};
  static constexpr double erfSmallEnd = 0x1.199999999999ap+0;
  static constexpr double erfSmall[] = {
      0x1.06eba8214cb19p-3, -0x1.812746afe3540p-2, 0x1.ce2f217c3f1c2p-4, -0x1.b82cdd1704394p-6,
      0x1.565b4b7ccc8b7p-8, -0x1.c0210f79579bfp-11, 0x1.f8e1b7ee4c292p-14,
      -0x1.ed977726cfcedp-17, 0x1.8f3b37df0074ep-20, -0x1.99f58ece449ddp-24};
  static constexpr double sqrtHalf0 = 0x1.6a09e667f3bcdp-1;
  static constexpr double sqrtHalf1 = -0x1.bdd3413b26456p-55;
  static constexpr double geluLinear0 = 0x1.9884533d43651p+0;
  static constexpr double geluLinear1 = -0x1.cbc0d30ebfd15p-54;
  static constexpr double geluCubic0 = 0x1.2444f2a4d8b4bp-4;
  static constexpr double geluCubic1 = -0x1.6c843a29d1c70p-61;
  static constexpr double arctan[] = {
      -0x1.5555555552614p-2, 0x1.999999885d999p-3, -0x1.249240da41636p-3, 0x1.c719636d4b2cap-4,
      -0x1.7415b3b39088ap-4, 0x1.377e031c91c5ep-4, -0x1.edc0eb9c0960ep-5, 0x1.0df9d68ec3cb8p-5};
  static constexpr double arcsin[] = {
      0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5, 0x1.efedf83ab6506p-6,
      0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7, 0x1.fb7ca379d49c6p-6};
  static constexpr double cbrt[] = {
      0x1.f4e0b6f9594fep+0, -0x1.23e9c2b8131c5p+1, 0x1.33593c4ae817bp+1, -0x1.87b983fa4468bp+0,
      0x1.0f2936ac7b235p-1, -0x1.39aedf63d5d49p-4};
  static constexpr double cbrtTwo0 = 0x1.428a2f98d728bp+0;
  static constexpr double cbrtTwo1 = -0x1.ddc22548ea41ep-56;
  static constexpr double cbrtHalf0 = 0x1.965fea53d6e3dp-1;
  static constexpr double cbrtHalf1 = -0x1.f53e999952f09p-55;
};
// clang-format on

} // namespace graphc::math
