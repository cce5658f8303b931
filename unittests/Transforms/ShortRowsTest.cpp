//===- unittests/Transforms/ShortRowsTest.cpp - results of few coordinates ===//
#include "KernelHarness.h"
#include "Targets.h"

#include "JIT/LoopTargetOf.h"
#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

struct Shape {
  int64_t points, others, axes;
};

/// y[i, c] = join over j of |z[j, 0] - x[i, 0]| * (z[j, c] - x[i, c]), and y + x behind it.
TestKernel pullKernel(DType dtype, Combine combine, Shape of) {
  Emitter e;
  Array x = e.operand(Type(dtype, {kDynamic, of.axes}));
  Array z = e.operand(Type(dtype, {kDynamic, of.axes}));
  Array y = e.reduce(combine, {e.dim(x, 0), e.dim(x, 1)}, {e.dim(z, 0)}, [&](Indices i, Indices j) {
    Scalar first = e.index(0);
    return abs(e.load(z, {j[0], first}) - e.load(x, {i[0], first})) *
           (e.load(z, {j[0], i[1]}) - e.load(x, {i[0], i[1]}));
  });
  Array after = e.define(e.shape(x), [&](Indices i) { return e.load(y, i) + e.load(x, i); });
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, {x, z}, {y, after}, {{of.points, of.axes}, {of.others, of.axes}},
                    /*numShared=*/2);
}

void expectPulls(DType dtype, Combine combine, Shape of,
                 const TargetDescription &target = hostTarget()) {
  SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::string(combineName(combine)) + " " +
               std::to_string(of.points) + "x" + std::to_string(of.axes) + " and " +
               std::to_string(of.others) + " " + target.name);
  // Terms up to 16; 16 of them may be joined in float32 (F-012), or in float16's float32.
  double rounding = dtype == DType::Float64 ? 0x1p-52 : dtype == DType::Float32 ? 0x1p-20 : 0x1p-9;
  double absolute = isFloat(dtype) ? double(of.others + 1) * 16 * rounding : 0;
  expectSame(
      pullKernel(dtype, combine, of),
      {randomTensor(dtype, {of.points, of.axes}, 3), randomTensor(dtype, {of.others, of.axes}, 4)},
      1, absolute, target);
}

TEST(ShortRows, EveryExtent) {
  for (int64_t axes : {2, 3, 4})
    for (int64_t points : {0, 1, 7, 16, 17, 32, 33, 50})
      for (int64_t others : {0, 1, 2, 16, 17, 40})
        expectPulls(DType::Float32, Combine::Sum, {points, others, axes});
}

TEST(ShortRows, EveryKind) {
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::Int32, DType::Int64})
    for (Combine combine : {Combine::Sum, Combine::Max, Combine::Min})
      expectPulls(dtype, combine, {37, 19, 3});
}

TEST(ShortRows, OtherProcessors) {
  for (const TargetDescription &target : runnableTargets())
    for (int64_t points : {5, 16, 29})
      expectPulls(DType::Float32, Combine::Sum, {points, 21, 3}, target);
}

/// The distance is made once for all coordinates: as often as there are vectors in a block.
TEST(ShortRows, SharedValuesAreMadeOnce) {
  LoopTarget target = loopTargetOf(hostTarget());
  std::string loops = loopsOf(pullKernel(DType::Float32, Combine::Sum, {64, 64, 3}), target);
  size_t count = 0;
  for (size_t at = 0; (at = loops.find("math.absf", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_GE(count, 1u) << loops;
  EXPECT_LE(count, 2u) << loops;
}

} // namespace
} // namespace graphc::testing
