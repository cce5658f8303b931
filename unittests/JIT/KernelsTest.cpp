//===- unittests/JIT/KernelsTest.cpp - loops to running code --------------===//
#include <cmath>
#include <numeric>

#include "Messages.h"
#include "TestKernels.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"
#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

using ::testing::ElementsAre;

/// `body` in a kernel on rank-1 views %x1 and %o1 of f32 with %n elements each.
std::string f32Kernel(absl::string_view body) {
  return absl::StrCat(R"(
func.func private @sinf(f32) -> f32
func.func private @atan2f(f32, f32) -> f32
func.func @kernel(%x: memref<f32>, %out: memref<f32>, %n: index) -> i32
    attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
)",
                      body, R"(
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
}

/// Runs such a kernel on 1, 2, ..., n.
std::vector<float> runF32(absl::string_view body, int64_t n,
                          const TargetDescription &target = hostTarget()) {
  std::vector<float> x(n), out(n);
  std::iota(x.begin(), x.end(), 1.0f);
  auto code = load(f32Kernel(body), target);
  void *buffers[] = {x.data(), out.data()};
  EXPECT_TRUE(code && code->function(0)(buffers, &n) == 0);
  return out;
}

TEST(Kernels, Scalar) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(kScalar, target);
    ASSERT_TRUE(code);
    float x = 1.5f, y = 2.0f, z = 3.25f, out = 0;
    void *buffers[] = {&x, &y, &z, &out};
    EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
    EXPECT_EQ(out, 8.0f) << target.name;
  }
}

/// What is narrowed in front of a store of one lane writes that lane alone.
TEST(Kernels, OneLaneOfNarrowedElements) {
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (int64_t lane : {0, 1, 15}) {
      const std::string text = absl::StrCat(R"(
func.func @kernel(%x: memref<i32>, %out: memref<i16>) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %begin = arith.constant dense<false> : vector<16xi1>
  %true = arith.constant true
  %mask = vector.insert %true, %begin [)",
                                            lane, R"(] : i1 into vector<16xi1>
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [16], strides: [1] : memref<i32> to memref<16xi32>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [16], strides: [1] : memref<i16> to memref<16xi16>
  %wide = vector.load %x1[%c0] : memref<16xi32>, vector<16xi32>
  %narrow = arith.trunci %wide : vector<16xi32> to vector<16xi16>
  vector.maskedstore %o1[%c0], %mask, %narrow : memref<16xi16>, vector<16xi1>, vector<16xi16>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
      auto code = load(text, target);
      ASSERT_TRUE(code);
      std::vector<int32_t> x(16, 0x50005);
      std::vector<int16_t> out(18, -1), expected = out;
      expected[size_t(lane)] = 5;
      void *buffers[] = {x.data(), out.data()};
      EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
      EXPECT_EQ(out, expected) << target.name << ", lane " << lane;
    }
}

TEST(Kernels, VectorLoopWithMaskedTail) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(kVector, target);
    ASSERT_TRUE(code);
    for (int64_t n : {0, 1, 15, 16, 17, 31, 32, 100}) {
      std::vector<float> x(n), y(n), z(n), out(n + 1, -1.0f);
      for (int64_t i = 0; i < n; ++i)
        x[i] = i, y[i] = 2 * i, z[i] = 0.5f;
      void *buffers[] = {x.data(), y.data(), z.data(), out.data()};
      EXPECT_EQ(code->function(0)(buffers, &n), 0);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_EQ(out[i], 2.0f * i) << target.name << " " << i << " of " << n;
      EXPECT_EQ(out[n], -1.0f) << "written behind the end";
    }
  }
}

/// The count of a mask may be larger than 2^32, and negative.
TEST(Kernels, MaskCountsAreNotCut) {
  auto code = load(R"(
func.func @kernel(%out: memref<i32>, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
  %mask = vector.create_mask %n : vector<8xi1>
  %ones = arith.extui %mask : vector<8xi1> to vector<8xi32>
  vector.store %ones, %o[%c0] : memref<8xi32>, vector<8xi32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
  ASSERT_TRUE(code);
  for (int64_t n : {int64_t(0), int64_t(3), int64_t(8), int64_t(1) << 32, (int64_t(1) << 32) + 1,
                    int64_t(-1), -(int64_t(1) << 32) + 1, int64_t(1) << 62}) {
    std::vector<int32_t> out(8, -1);
    void *buffers[] = {out.data()};
    EXPECT_EQ(code->function(0)(buffers, &n), 0);
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), std::clamp<int64_t>(n, 0, 8)) << n;
  }
}

TEST(Kernels, Reduction) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    // Sums of small integers are exact in any order.
    EXPECT_EQ(runF32(R"(
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %init = arith.constant 0.0 : f32
  %sums = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %zero) -> vector<16xf32> {
    %rest = arith.subi %n, %i : index
    %mask = vector.create_mask %rest : vector<16xi1>
    %0 = vector.maskedload %x1[%i], %mask, %zero : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %1 = arith.addf %acc, %0 : vector<16xf32>
    scf.yield %1 : vector<16xf32>
  }
  %sum = vector.reduction <add>, %sums, %init fastmath<reassoc> : vector<16xf32> into f32
  memref.store %sum, %o1[%c0] : memref<?xf32>)",
                     100, target)[0],
              5050.0f)
        << target.name;
    EXPECT_EQ(runF32(R"(
  %0 = vector.load %x1[%c0] : memref<?xf32>, vector<16xf32>
  %max = vector.reduction <maximumf>, %0 : vector<16xf32> into f32
  memref.store %max, %o1[%c0] : memref<?xf32>)",
                     16, target)[0],
              16.0f)
        << target.name;
  }
}

TEST(Kernels, TransfersGatherAndShuffles) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    EXPECT_THAT(runF32(R"(
  %pad = arith.constant 7.0 : f32
  %0 = vector.transfer_read %x1[%c0], %pad : memref<?xf32>, vector<8xf32>
  %1 = vector.shuffle %0, %0 [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
  vector.transfer_write %1, %o1[%c0] : vector<8xf32>, memref<?xf32>)",
                       5, target),
                ElementsAre(7, 7, 7, 5, 4))
        << target.name;
    EXPECT_THAT(runF32(R"(
  %index = arith.constant dense<[3, 0, 2, 1]> : vector<4xi32>
  %mask = arith.constant dense<[true, true, false, true]> : vector<4xi1>
  %other = arith.constant dense<-1.0> : vector<4xf32>
  %0 = vector.gather %x1[%c0][%index], %mask, %other
    : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %0, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(4, 1, -1, 2))
        << target.name;
    EXPECT_THAT(runF32(R"(
  %step = vector.step : vector<4xindex>
  %numbers = arith.index_cast %step : vector<4xindex> to vector<4xi32>
  %floats = arith.sitofp %numbers : vector<4xi32> to vector<4xf32>
  %a = vector.load %x1[%c0] : memref<?xf32>, vector<4xf32>
  %b = vector.broadcast %a : vector<4xf32> to vector<2x4xf32>
  %t = vector.transpose %b, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %row = vector.extract %t[2] : vector<2xf32> from vector<4x2xf32>
  %e = vector.extract %row[1] : f32 from vector<2xf32>
  %f = vector.insert %e, %floats[0] : f32 into vector<4xf32>
  %g = math.fma %f, %a, %f : vector<4xf32>
  vector.store %g, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(6, 3, 8, 15))
        << target.name;
  }
}

TEST(Kernels, AffineLoopsAndStrides) {
  for (const TargetDescription &target : hostAndRunnableTargets())
    EXPECT_THAT(runF32(R"(
  %c2 = arith.constant 2 : index
  %half = arith.floordivsi %n, %c2 : index
  %even = memref.reinterpret_cast %x to offset: [1], sizes: [%half], strides: [%c2]
    : memref<f32> to memref<?xf32, strided<[?], offset: 1>>
  affine.for %i = 0 to affine_map<(n) -> (n)>(%half) {
    %0 = affine.load %even[%i] : memref<?xf32, strided<[?], offset: 1>>
    %j = affine.apply affine_map<(i)[n] -> (n - 1 - i)>(%i)[%half]
    memref.store %0, %o1[%j] : memref<?xf32>
  })",
                       6, target),
                ElementsAre(6, 4, 2, 0, 0, 0))
        << target.name;
}

TEST(Kernels, MathAndLibm) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    std::vector<float> out = runF32(R"(
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x1[%i] : memref<?xf32>
    %1 = func.call @sinf(%0) : (f32) -> f32
    %2 = func.call @atan2f(%1, %0) : (f32, f32) -> f32
    %3 = math.sqrt %2 : f32
    %4 = math.copysign %3, %1 : f32
    memref.store %4, %o1[%i] : memref<?xf32>
  })",
                                    5, target);
    for (int i = 0; i < 5; ++i) {
      float x = i + 1, s = std::sin(x), expected = std::copysign(std::sqrt(std::atan2(s, x)), s);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(out[i]));
      else
        EXPECT_EQ(out[i], expected) << target.name;
    }
    // Rounding functions exist on every target, as instructions or in libm.
    EXPECT_THAT(runF32(R"(
  %quarter = arith.constant dense<0.5> : vector<4xf32>
  %0 = vector.load %x1[%c0] : memref<?xf32>, vector<4xf32>
  %1 = arith.mulf %0, %quarter : vector<4xf32>
  %2 = math.roundeven %1 : vector<4xf32>
  %3 = math.floor %1 : vector<4xf32>
  %4 = arith.addf %2, %3 : vector<4xf32>
  vector.store %4, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(0, 2, 3, 4))
        << target.name;
  }
}

/// A kernel returns the number of the check that failed.
TEST(Kernels, StatusCode) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(R"(
func.func @kernel(%x: memref<i64>, %n: index, %m: index) -> i32 attributes {graphc.kernel} {
  %0 = memref.load %x[] : memref<i64>
  %index = arith.index_cast %0 : i64 to index
  %bad = arith.cmpi uge, %index, %n : index
  cf.cond_br %bad, ^fail, ^next
^next:
  %same = arith.cmpi eq, %n, %m : index
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %1 = arith.select %same, %c0, %c2 : i32
  return %1 : i32
^fail:
  %c1 = arith.constant 1 : i32
  return %c1 : i32
})",
                     target);
    ASSERT_TRUE(code);
    int64_t x = 3, sizes[] = {4, 4}, less[] = {3, 4}, other[] = {4, 5};
    void *buffers[] = {&x};
    EXPECT_EQ(code->function(0)(buffers, sizes), 0);
    EXPECT_EQ(code->function(0)(buffers, less), 1);
    EXPECT_EQ(code->function(0)(buffers, other), 2);
  }
}

TEST(Kernels, ScratchOnTheStackAndSharedFunctions) {
  auto code = load(R"(
func.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func @kernel(%x: memref<f32>, %out: memref<f32>) -> i32 attributes {graphc.kernel} {
  %scratch = memref.alloca() : memref<4xf32>
  %c3 = arith.constant 3 : index
  %0 = memref.load %x[] : memref<f32>
  memref.store %0, %scratch[%c3] : memref<4xf32>
  %1 = memref.load %scratch[%c3] : memref<4xf32>
  %2 = func.call @twice(%1) : (f32) -> f32
  memref.store %2, %out[] : memref<f32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
  ASSERT_TRUE(code);
  float x = 3, out = 0;
  void *buffers[] = {&x, &out};
  EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
  EXPECT_EQ(out, 6.0f);
}

/// Ops and intrinsics of the LLVM dialect pass through, and casts between its types and those of
/// memref cancel.
TEST(Kernels, LLVMDialectInside) {
  EXPECT_THAT(runF32(R"(
  %address = memref.extract_aligned_pointer_as_index %x1 : memref<?xf32> -> index
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  %0 = llvm.load %pointer {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %1 = llvm.call_intrinsic "llvm.vector.reverse"(%0) : (vector<4xf32>) -> vector<4xf32>
  %two = llvm.mlir.constant(2 : i64) : i64
  %index = builtin.unrealized_conversion_cast %two : i64 to index
  vector.store %1, %o1[%c0] : memref<?xf32>, vector<4xf32>
  %v = memref.load %x1[%index] : memref<?xf32>
  memref.store %v, %o1[%c0] : memref<?xf32>)",
                     4),
              ElementsAre(3, 3, 2, 1));
}

TEST(Kernels, ErrorsAreStatus) {
  // What comes from a file may hold anything; a vector whose length is not known cannot be compiled
  // for every target.
  EXPECT_EQ(errorKind(compileText(f32Kernel("%m = memref.alloc(%n) : memref<?xf32>"), hostTarget(),
                                  /*trusted=*/false)
                          .status()),
            ErrorKind::Internal);
  EXPECT_EQ(
      errorKind(
          compileText(
              f32Kernel(
                  "%r = arith.constant 1.0 : f32\n"
                  "%v = vector.broadcast %r : f32 to vector<2x3xf32>\n"
                  "%m = memref.alloca() : memref<4x4xf32>\n"
                  "vector.transfer_write %v, %m[%c0, %c0] : vector<2x3xf32>, memref<4x4xf32>"),
              hostTarget(), /*trusted=*/false)
              .status()),
      ErrorKind::Internal);
  // A dialect op without a lowering: allocation on the heap.
  auto object = compileText(f32Kernel("%m = memref.alloc(%n) : memref<?xf32>"));
  EXPECT_EQ(errorKind(object.status()), ErrorKind::Internal);
  EXPECT_EQ(said(object.status()), "Internal: lowering to the LLVM dialect failed: "
                                   "loc(\"-\":11:6): failed to legalize operation 'memref.alloc'");
  // Signatures that are none of a kernel's.
  object = compileText("func.func @kernel(%x: f32) -> i32 attributes {graphc.kernel} {\n"
                       "  %0 = arith.constant 0 : i32\n  return %0 : i32\n}");
  EXPECT_EQ(said(object.status()),
            "Internal: a kernel's signature is wrong: loc(\"-\":1:1): a kernel takes memref<T> of "
            "rank 0 and then index; argument 0 is neither");
  object =
      compileText("func.func @kernel(%x: memref<f32>) attributes {graphc.kernel} {\n  return\n}");
  EXPECT_EQ(said(object.status()),
            "Internal: a kernel's signature is wrong: loc(\"-\":1:1): a kernel returns i32");
}

} // namespace
} // namespace graphc::testing
