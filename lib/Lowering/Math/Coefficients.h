//===- Coefficients.h - written by fit.py; do not edit -----------*- C++ -*-===//
#pragma once

namespace graphc::math {

// clang-format off
/// f32 formulas evaluated in f32.
struct SingleCoefficients {
  static constexpr float exp[] = {
      0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f, 0x1.5555000000000p-5f,
      0x1.120c380000000p-7f, 0x1.6d308e0000000p-10f};
  static constexpr float expm1[] = {
      0x1.0000000000000p-1f, 0x1.5555560000000p-3f, 0x1.5555000000000p-5f,
      0x1.110fc80000000p-7f, 0x1.6d308e0000000p-10f, 0x1.a2cb1c0000000p-13f};
  static constexpr float exp2[] = {
      0x1.62e4300000000p-1f, 0x1.ebfbe00000000p-3f, 0x1.c6b06c0000000p-5f,
      0x1.3b2a540000000p-7f, 0x1.5da9720000000p-10f, 0x1.44177c0000000p-13f,
      0x1.da7dac0000000p-17f};
  static constexpr float sin[] = {
      -0x1.5555560000000p-3f, 0x1.1111980000000p-7f, -0x1.a083120000000p-13f,
      0x1.8775340000000p-19f};
  static constexpr float cos[] = {
      0x1.5555560000000p-5f, -0x1.6c17d40000000p-10f, 0x1.a0f5960000000p-16f,
      -0x1.58df860000000p-22f};
  static constexpr float log[] = {
      0x1.5555560000000p-2f, -0x1.00004c0000000p-2f, 0x1.9999ce0000000p-3f,
      -0x1.5527c20000000p-3f, 0x1.2437c80000000p-3f, -0x1.03b27e0000000p-3f,
      0x1.dffb4a0000000p-4f, -0x1.80e2ee0000000p-4f, 0x1.4c58e20000000p-5f};
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
      0x1.394bbe0000000p-1f, 0x1.600dfe0000000p-1f, 0x1.2bb6dc0000000p-2f,
      -0x1.887c940000000p-3f, -0x1.3e21ca0000000p-3f, 0x1.3db3d40000000p-3f,
      0x1.ba78e80000000p-5f, -0x1.38cc8c0000000p-3f, 0x1.687e1a0000000p-5f,
      0x1.8c0de80000000p-4f, -0x1.42a71e0000000p-4f};
  static constexpr float erfSmallEnd = 0x1.3333333333333p+0f;
  static constexpr float erfSmallCentre = 0x1.7000000000000p-1f;
  static constexpr float erfSmall[] = {
      -0x1.7a78000000000p-4f, -0x1.fd92fe0000000p-3f, 0x1.17fa940000000p-4f,
      -0x1.fba09c0000000p-7f, 0x1.7eafe80000000p-9f, -0x1.ea18bc0000000p-12f,
      0x1.0c50640000000p-14f, -0x1.10088a0000000p-17f, 0x1.c058f00000000p-20f};
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
      0x1.0000000000001p-1, 0x1.5555555555557p-3, 0x1.5555555553cb8p-5, 0x1.1111111110045p-7,
      0x1.6c16c178bac5fp-10, 0x1.a01a01ac27468p-13, 0x1.a019b877dabe5p-16,
      0x1.71de018a4e96dp-19, 0x1.289221149f929p-22, 0x1.af4f1961bbff2p-26};
  static constexpr double expm1[] = {
      0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.1111111110045p-7,
      0x1.6c16c16c15fefp-10, 0x1.a01a01ac27468p-13, 0x1.a01a01a82049dp-16,
      0x1.71de018a4e96dp-19, 0x1.27e4d7fddc246p-22, 0x1.af4f1961bbff2p-26, 0x1.1f7919372ca92p-29};
  static constexpr double exp2[] = {
      0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a235p-5, 0x1.3b2ab6fba4d47p-7,
      0x1.5d87fe784948bp-10, 0x1.430912f8c2780p-13, 0x1.ffcbfed611a4fp-17,
      0x1.62c020e7ee91bp-20, 0x1.b51cf47eb1cd7p-24, 0x1.e4d3fa22fe913p-28,
      0x1.019f9d8be48b7p-31, 0x1.be0140f9606dcp-36, -0x1.efcaab36d2202p-36};
  static constexpr double sin[] = {
      -0x1.5555555555555p-3, 0x1.111111111101fp-7, -0x1.a01a019fe8dc5p-13,
      0x1.71de3a10d6808p-19, -0x1.ae63f90709ef2p-26, 0x1.60e694a9b66dap-33,
      -0x1.8dc40a95e2836p-41};
  static constexpr double cos[] = {
      0x1.5555555555555p-5, -0x1.6c16c16c16a33p-10, 0x1.a01a019fb80f0p-16,
      -0x1.27e4faef7e369p-22, 0x1.1eecd71c4bbdcp-29, -0x1.92a81992c9e90p-37,
      0x1.35ab3554ac5a4p-45};
  static constexpr double atanh[] = {
      0x1.5555555555555p-1, 0x1.9999999999cacp-2, 0x1.24924924508a7p-2, 0x1.c71c7215877e1p-3,
      0x1.745cfec185975p-3, 0x1.3b17f303739d9p-3, 0x1.10aa2c7ef13a3p-3, 0x1.ead8746e10624p-4,
      0x1.a4e2177846feap-4};
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
      0x1.058671b52c776p-1, 0x1.5fd386754eff6p-1, 0x1.1e2deea6b1019p-1, 0x1.2a88e6107ebbfp-3,
      -0x1.606e4154d30f4p-3, -0x1.a89eaffa09a1dp-4, 0x1.9517bb31b937fp-4, 0x1.b6fbfa768186fp-5,
      -0x1.5ba42ccbe916fp-4, -0x1.2054951d22b6ap-7, 0x1.2ef8ece2ba574p-4, -0x1.1e7358b91b811p-5,
      -0x1.6bd5fd1e02348p-5, 0x1.0e60b71a78772p-4, -0x1.35ec092e5a766p-7, -0x1.e739b85639bbep-5,
      0x1.147f117e9a889p-4, -0x1.d79d12e0a3e77p-10, -0x1.5dbbcd3dc8f1bp-4, 0x1.7fa36a27fcfbfp-4,
      0x1.32603bf8ca8c6p-5, -0x1.2b1c9702101d3p-3, 0x1.c86d834eec9b0p-6, 0x1.c5eab24f66f73p-4,
      -0x1.09574837e06a6p-5, -0x1.22ddefd1b31bap-5};
  static constexpr double erfSmallEnd = 0x1.199999999999ap+0;
  static constexpr double erfSmallCentre = 0x1.3800000000000p-1;
  static constexpr double erfSmall[] = {
      -0x1.0790b6157b937p-4, -0x1.0eaf0abf1db88p-2, 0x1.2daefe203b899p-4, -0x1.13af066af0ac7p-6,
      0x1.a1b9c4c4f4d7dp-9, -0x1.0c834389613a8p-11, 0x1.2af5001c62868p-14,
      -0x1.252451c7dbd2ap-17, 0x1.009cf051db05ap-20, -0x1.959341f772019p-24,
      0x1.241486134fdddp-27, -0x1.8304447fcc3d0p-31, 0x1.bb1dee587b5d9p-35,
      -0x1.6187ea4116c1dp-39, 0x1.7a70bb086a083p-39};
  static constexpr double geluLinear0 = 0x1.9884533d43651p+0;
  static constexpr double geluLinear1 = -0x1.cbc0d30ebfd15p-54;
  static constexpr double geluCubic0 = 0x1.2444f2a4d8b4bp-4;
  static constexpr double geluCubic1 = -0x1.6c843a29d1c70p-61;
  static constexpr double twoThirds0 = 0x1.5555555555555p-1;
  static constexpr double twoThirds1 = 0x1.5555555555555p-55;
  static constexpr double atanhTail[] = {
      0x1.999999999999ap-2, 0x1.24924924922a9p-2, 0x1.c71c71c77231ap-3, 0x1.745d170f66db1p-3,
      0x1.3b13c3c3c0120p-3, 0x1.110d6a85aa0f2p-3, 0x1.e2badaae0b540p-4, 0x1.a0cdad55a27acp-4,
      0x1.007dc06db17b8p-3};
  static constexpr double arctan[] = {
      -0x1.5555555555555p-2, 0x1.9999999999803p-3, -0x1.249249248059ap-3, 0x1.c71c71bb5b2a4p-4,
      -0x1.745d151cb02fep-4, 0x1.3b13723bcc712p-4, -0x1.110c5d0469553p-4, 0x1.e168688a30cb1p-5,
      -0x1.aaf8dd3631a00p-5, 0x1.6d0ba36dbd6dcp-5, -0x1.0139c00180454p-5, 0x1.4e15544fac8d3p-7,
      0x1.5101bc5f04ac1p-8};
  static constexpr double arcsin[] = {
      0x1.555555555554ep-3, 0x1.3333333337220p-4, 0x1.6db6db67f8af8p-5, 0x1.f1c71fbc2e914p-6,
      0x1.6e8b266e90171p-6, 0x1.1c59953c28fa3p-6, 0x1.c86a5f7fbe91bp-7, 0x1.855ea2ba920b9p-7,
      0x1.fd231f5bcad7bp-8, 0x1.086402eaf0402p-6, -0x1.65d4498c2b933p-7, 0x1.cf8fda191b501p-6};
  static constexpr double cbrt[] = {
      0x1.1552a063d4671p+1, -0x1.c77de96a420f1p+1, 0x1.6b44ca00526b9p+2, -0x1.86f58f062e833p+2,
      0x1.1312be6c5d1a0p+2, -0x1.e6857d86e9f89p+0, 0x1.eb6b8dd360bfcp-2, -0x1.b0d6eff7c8b27p-5};
  static constexpr double cbrtTwo0 = 0x1.428a2f98d728bp+0;
  static constexpr double cbrtTwo1 = -0x1.ddc22548ea41ep-56;
  static constexpr double cbrtHalf0 = 0x1.965fea53d6e3dp-1;
  static constexpr double cbrtHalf1 = -0x1.f53e999952f09p-55;
};

/// f32 functions evaluated in f64: about 2^-36, far below half a unit of f32.
struct WideCoefficients {
  static constexpr double exp[] = {
      0x1.fffffffffe026p-2, 0x1.555555676d035p-3, 0x1.55555565df367p-5, 0x1.1110c5eb9c3bfp-7,
      0x1.6c166b8e17ad5p-10, 0x1.a1520cbd4b396p-13, 0x1.a137447f00b35p-16};
  static constexpr double expm1[] = {
      0x1.fffffffffe026p-2, 0x1.5555555553b47p-3, 0x1.55555565df367p-5, 0x1.1111111c5758cp-7,
      0x1.6c166b8e17ad5p-10, 0x1.a019ad54c9865p-13, 0x1.a137447f00b35p-16, 0x1.72c7995efc416p-19};
  static constexpr double exp2[] = {
      0x1.62e42fef9cb80p-1, 0x1.ebfbdff823bcep-3, 0x1.c6b08da763553p-5, 0x1.3b2ab718480f4p-7,
      0x1.5d877508d5dbfp-10, 0x1.4308ac1b03470p-13, 0x1.00c15716b3bcbp-16, 0x1.63d1c4003f9d0p-20};
  static constexpr double sin[] = {
      -0x1.5555555555162p-3, 0x1.1111110fd16c6p-7, -0x1.a019fd955206bp-13,
      0x1.71d9a5794b2aap-19, -0x1.aa26424995e67p-26};
  static constexpr double cos[] = {
      0x1.5555555555434p-5, -0x1.6c16c16b5fe8fp-10, 0x1.a019ff503ce67p-16,
      -0x1.27e25cb50ace0p-22, 0x1.1c808fb9fffc6p-29};
  static constexpr double atanh[] = {
      0x1.55555555a0d3ap-1, 0x1.999996bd092abp-2, 0x1.249480bd03ad2p-2, 0x1.c5e9c7881cb50p-3,
      0x1.95da96aa0e116p-3};
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
      0x1.18932bf1cbcb7p-2, 0x1.f3fe31e3c58b8p-2, 0x1.8be201db65b0fp-1, 0x1.14eacc6a00b44p+0,
      0x1.52cae1bc848dbp+0, 0x1.645f9fb4959aap+0, 0x1.38d8c81412a72p+0, 0x1.b01492562f746p-1,
      0x1.91207ee79c6c0p-2, 0x1.214ef6162aec6p-5, -0x1.eb7595ca16f3bp-4, -0x1.649ce58f2a8f1p-4,
      0x1.0494fd54f3819p-7, 0x1.daa077bee4051p-6};
  static constexpr double erfSmallEnd = 0x1.199999999999ap+0;
  static constexpr double erfSmallCentre = 0x1.3800000000000p-1;
  static constexpr double erfSmall[] = {
      -0x1.0790b61579a58p-4, -0x1.0eaf0abf1e84dp-2, 0x1.2daefe1f341abp-4, -0x1.13af06689c2d7p-6,
      0x1.a1b9c79458426p-9, -0x1.0c83473c8901dp-11, 0x1.2af2508eab227p-14,
      -0x1.251fb968176a1p-17, 0x1.02b526fc35df2p-20, -0x1.9a3cf2886f5fap-24};
  static constexpr double erfcxSingleOver[] = {
      0x1.ffffffff56429p-1, 0x1.6f304ebf61ac6p+0, 0x1.0032e13d5f007p+0, 0x1.9c22b2cedb8aep-2,
      0x1.7c57269dccef5p-4, 0x1.485ef25ef5312p-7};
  static constexpr double erfcxSingleUnder[] = {
      0x1.0000000000000p+0, 0x1.4806e1ca7bcabp+1, 0x1.723cf4844edfap+1, 0x1.db1820119c3c2p+0,
      0x1.71cde698318cbp-1, 0x1.5110d340744adp-3, 0x1.2302f149a0238p-6};
  static constexpr double geluLinear0 = 0x1.9884533d43651p+0;
  static constexpr double geluLinear1 = -0x1.cbc0d30ebfd15p-54;
  static constexpr double geluCubic0 = 0x1.2444f2a4d8b4bp-4;
  static constexpr double geluCubic1 = -0x1.6c843a29d1c70p-61;
  static constexpr double arctan[] = {
      -0x1.55555555527b6p-2, 0x1.99999988d128cp-3, -0x1.249241040b942p-3, 0x1.c7196ec795d8fp-4,
      -0x1.74166fe62cd50p-4, 0x1.378445f1e8b72p-4, -0x1.edf5d61ac7fdap-5, 0x1.0e51ba3916fbcp-5};
  static constexpr double arcsin[] = {
      0x1.5555555c6f3fdp-3, 0x1.33331dd411850p-4, 0x1.6dc14ce8d7105p-5, 0x1.efe17688390d0p-6,
      0x1.833c5e738edf7p-6, 0x1.57c8e077046d9p-7, 0x1.fd4edcd345396p-6};
  static constexpr double cbrt[] = {
      0x1.f5a3babd1cd38p+0, -0x1.25b2dd0a08c66p+1, 0x1.36a557c149d10p+1, -0x1.8db91a4202edep+0,
      0x1.1489ecf29a0fcp-1, -0x1.414aa69d3997cp-4};
  static constexpr double cbrtTwo0 = 0x1.428a2f98d728bp+0;
  static constexpr double cbrtTwo1 = -0x1.ddc22548ea41ep-56;
  static constexpr double cbrtHalf0 = 0x1.965fea53d6e3dp-1;
  static constexpr double cbrtHalf1 = -0x1.f53e999952f09p-55;
};
// clang-format on

} // namespace graphc::math
