//===- NestLoopsTest.cpp - what an index follows -------------------------------===//
#include "Kernels/NestLoops.h"

#include <gtest/gtest.h>

#include "TestGraphs.h"

namespace graphc {
namespace {

using Factors = absl::InlinedVector<int64_t, 6>;

/// Of the index at which a vector is loaded in a nest over 5 and `m` elements, of which only the
/// first is a constant.
std::optional<Affine> indexOf(const std::function<Scalar(Emitter &, Indices, Array)> &index) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic});
  g.output(g.e.define({g.e.size(5), g.e.dim(x, 0)},
                      [&](Indices i) { return g.e.load(x, {index(g.e, i, x)}); }));
  GraphRecord record = g.finish();
  const Nest &nest = record.emission.steps[0].nest;
  auto constantSize = [&](int32_t size) {
    const SizeNode &node = record.emission.sizes[size_t(size)];
    return node.op == SizeOp::Constant ? std::optional(node.value) : std::nullopt;
  };
  return affineNodes(nest, constantSize)[size_t(nest.indices[0])];
}

TEST(NestLoops, IndicesAreSumsOfCounters) {
  auto mixed = indexOf([](Emitter &e, Indices i, Array) {
    return -(i[0] * e.index(3) - i[1]) + e.scalar(e.size(7)) * e.index(2);
  });
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->factors, (Factors{-3, 1}));
  EXPECT_EQ(mixed->constant, 14);
  EXPECT_FALSE(indexOf([](Emitter &, Indices i, Array) { return i[0] * i[1]; }));
  EXPECT_FALSE(indexOf([](Emitter &, Indices i, Array) { return minimum(i[0], i[1]); }));
  EXPECT_FALSE(
      indexOf([](Emitter &e, Indices i, Array x) { return i[0] + e.scalar(e.dim(x, 0)); }));
}

TEST(NestLoops, DoubledIndicesAreReadOnce) { // 2^62 paths
  auto doubled = [](int times) {
    return [times](Emitter &, Indices i, Array) {
      Scalar index = i[0];
      for (int step = 0; step < times; ++step)
        index = index + index;
      return index;
    };
  };
  auto most = indexOf(doubled(62));
  ASSERT_TRUE(most);
  EXPECT_EQ(most->factors[0], int64_t(1) << 62);
  EXPECT_FALSE(indexOf(doubled(63))) << "that factor does not fit";
}

} // namespace
} // namespace graphc
