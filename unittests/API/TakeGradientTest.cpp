//===- TakeGradientTest.cpp - rows added where they belong --------------------===//
#include <gtest/gtest.h>

#include <tuple>

#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

Tensor noise(std::vector<int64_t> shape, uint64_t seed) {
  Tensor t = *Tensor::allocate(DType::Float64, shape);
  for (double &value : t.mutableFlat<double>()) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = double(int64_t(seed)) * 0x1p-63;
  }
  return t;
}

Tensor randomIndices(int64_t count, int64_t extent) {
  Tensor t = *Tensor::allocate(DType::Int64, {count});
  uint64_t seed = 17;
  for (int64_t &value : t.mutableFlat<int64_t>()) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = int64_t((seed >> 33) % uint64_t(2 * extent)) - extent;
  }
  return t;
}

/// y's lines added to x's along the middle axis, one after the other.
Tensor added(const Tensor &x, const Tensor &y, const Tensor &indices) {
  Tensor result = x.copy();
  int64_t outer = x.shape()[0], extent = x.shape()[1], inner = x.shape()[2],
          count = indices.numElements();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < count; ++k) {
      int64_t p = indices.flat<int64_t>()[size_t(k)];
      p += p < 0 ? extent : 0;
      for (int64_t i = 0; i < inner; ++i)
        result.mutableFlat<double>()[size_t((o * extent + p) * inner + i)] +=
            y.flat<double>()[size_t((o * count + k) * inner + i)];
    }
  return result;
}

/// Whatever part of the work a thread has, the terms of an element are joined in one order.
TEST(TakeGradient, SameBitsForEveryNumberOfThreads) {
  for (auto [outer, extent, inner, count] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t>{1, 500, 1, 400000},
        {1, 3000, 70, 9000},
        {40, 90, 17, 900}}) {
    Tensor x = noise({outer, extent, inner}, 1), y = noise({outer, count, inner}, 2),
           i = randomIndices(count, extent);
    Tensor expected = added(x, y, i);
    auto vx = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic}),
         vy = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic}), vi = lvector("i");
    for (int threads : {1, 2, 3}) {
      auto f = function({vx, vy, vi}, {incTake(vx, vi, vy, {.axis = 1})}, {.threads = threads});
      ASSERT_TRUE(f.ok()) << f.status();
      auto results = f->call({x, y, i});
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_TRUE((*results)[0].identical(expected)) << threads << " threads";
    }
  }
}

/// The positions, and the sums with what they are added to: nothing runs on the host.
TEST(TakeGradient, IsTwoKernels) {
  auto x = dvector("x"), y = dvector("y"), i = lvector("i");
  auto f = function({x, y, i}, {incTake(x, i, y)});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE(f->call({Tensor({1.0, 2.0}), Tensor({3.0}), Tensor({1}, DType::Int64)}).ok());
  EXPECT_EQ(f->counters().kernels, 2);
}

TEST(TakeGradient, IndicesOfEveryIntegerDtype) {
  for (DType dtype : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
                      DType::UInt32, DType::Int64, DType::UInt64})
    for (std::string_view mode : {"fast_run", "interpreter"}) {
      auto x = dvector("x"), y = dvector("y"), i = tensor(dtype, {kDynamic}, "i");
      auto f = function({x, y, i}, {incTake(x, i, y)}, {.mode = std::string(mode)});
      ASSERT_TRUE(f.ok()) << f.status();
      auto results =
          f->call({Tensor({1.0, 2.0, -0.0}), Tensor({3.0, 4.0, 5.0}), Tensor({1, 0, 1}, dtype)});
      ASSERT_TRUE(results.ok()) << results.status();
      // -0 stays, since nothing is added to it.
      EXPECT_TRUE((*results)[0].identical(Tensor({5.0, 10.0, -0.0}))) << (*results)[0];
    }
}

TEST(TakeGradient, NothingOfNothing) {
  auto x = dmatrix("x"), y = dmatrix("y"), i = lvector("i");
  Tensor none = *Tensor::zeros(DType::Float64, {0, 3});
  for (std::string_view mode : {"fast_run", "interpreter"}) {
    auto f = function({x, y, i}, {incTake(x, i, y, {.axis = 0})}, {.mode = std::string(mode)});
    ASSERT_TRUE(f.ok()) << f.status();
    auto results = f->call({none, none, *Tensor::zeros(DType::Int64, {0})});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE((*results)[0].identical(none));
  }
}

/// An index is looked at though neither x nor y has an element.
TEST(TakeGradient, IndicesOfNothingAreLookedAt) {
  auto x = dmatrix("x"), y = dmatrix("y"), i = lvector("i");
  auto f = function({x, y, i}, {incTake(x, i, y, {.axis = 0})});
  ASSERT_TRUE(f.ok()) << f.status();
  auto zeros = [](std::vector<int64_t> shape) { return *Tensor::zeros(DType::Float64, shape); };
  EXPECT_TRUE(f->call({zeros({2, 0}), zeros({1, 0}), Tensor({1}, DType::Int64)}).ok());
  absl::Status status = f->call({zeros({2, 0}), zeros({1, 0}), Tensor({2}, DType::Int64)}).status();
  EXPECT_EQ(errorKind(status), ErrorKind::IndexError) << status;
}

} // namespace
} // namespace graphc
