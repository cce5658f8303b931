//===- unittests/JIT/KernelsTest.cpp - loops to running code --------------===//
#include "TestKernels.h"

#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

TEST(Kernels, Scalar) {
  for (const TargetDescription &target : runnableTargets()) {
    auto code = load(kScalar, target);
    ASSERT_TRUE(code);
    float x = 1.5f, y = 2.0f, z = 3.25f, out = 0;
    void *buffers[] = {&x, &y, &z, &out};
    EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
    EXPECT_EQ(out, 8.0f) << target.name;
  }
}

TEST(Kernels, VectorLoopWithMaskedTail) {
  for (const TargetDescription &target : runnableTargets()) {
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

} // namespace
} // namespace graphc::testing
