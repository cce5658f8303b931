//===- unittests/Transforms/GroupTest.cpp - products, windows, row groups -===//
#include "KernelHarness.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

Type tensorOf(DType dtype, int rank) {
  return Type(dtype, std::vector<int64_t>(size_t(rank), kDynamic));
}
ReduceOptions joinedIn(DType dtype) {
  ReduceOptions options;
  options.accumulator = dtype;
  return options;
}

// Products of n terms up to 4, joined one after the other: n roundings of sums up to 4 n, twice
// (both sides round).
double productTolerance(int64_t n) { return 2.0 * double(n) * 4 * double(n) * 0x1p-24; }

TEST(Products, MatrixProductWithBiasAndRelu) {
  for (auto [m, k, n] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1},
                         {7, 5, 3},
                         {13, 40, 70},
                         {32, 17, 128},
                         {6, 0, 20},
                         {0, 3, 4}}) {
    Emitter e;
    Array a = e.operand(tensorOf(DType::Float32, 2)), b = e.operand(tensorOf(DType::Float32, 2));
    Array c = e.operand(tensorOf(DType::Float32, 1));
    Extent rows = e.dim(a, 0), inner = e.dim(a, 1), columns = e.dim(b, 1);
    e.requireEqual(inner, e.dim(b, 0), "inner");
    e.requireEqual(columns, e.dim(c, 0), "bias");
    Array product = e.reduce(
        Combine::Sum, {rows, columns}, {inner},
        [&](Indices i, Indices r) { return e.load(a, {i[0], r[0]}) * e.load(b, {r[0], i[1]}); },
        joinedIn(DType::Float32));
    Array y = e.define({rows, columns}, [&](Indices i) {
      return maximum(e.load(product, i) + e.load(c, {i[1]}), 0.0);
    });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    for (int shared : {2, 0}) {
      TestKernel test = makeKernel(*emission, {a, b, c}, {y}, {{m, k}, {k, n}, {n}}, shared);
      expectSame(test,
                 {randomTensor(DType::Float32, {m, k}, 1), randomTensor(DType::Float32, {k, n}, 2),
                  randomTensor(DType::Float32, {n}, 3)},
                 1, productTolerance(k));
    }
  }
}

TEST(Products, TransposedOperandsAndOtherDTypes) {
  for (DType dtype : {DType::Float64, DType::Int32, DType::Float16, DType::UInt8}) {
    Emitter e;
    Array a = e.operand(tensorOf(dtype, 2)), b = e.operand(tensorOf(dtype, 2));
    e.requireEqual(e.dim(a, 1), e.dim(b, 1), "inner");
    e.requireEqual(e.dim(a, 0), e.dim(b, 0), "outer");
    Array abt = e.reduce(
        Combine::Sum, {e.dim(a, 0), e.dim(b, 0)}, {e.dim(a, 1)},
        [&](Indices i, Indices r) { return e.load(a, {i[0], r[0]}) * e.load(b, {i[1], r[0]}); });
    Array atb = e.reduce(
        Combine::Sum, {e.dim(a, 1), e.dim(b, 1)}, {e.dim(a, 0)},
        [&](Indices i, Indices r) { return e.load(a, {r[0], i[0]}) * e.load(b, {r[0], i[1]}); });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {a, b}, {abt, atb}, {{19, 35}, {19, 35}});
    SCOPED_TRACE(std::string(dtypeName(dtype)));
    // float16 rounds each product to 11 bits; sums are joined in float32.
    double tolerance = !isFloat(dtype) ? 0 : dtype == DType::Float64 ? 1e-12 : 35 * 4 * 0x1p-11;
    expectSame(test, {randomTensor(dtype, {19, 35}, 1), randomTensor(dtype, {19, 35}, 2)}, 1,
               tolerance);
  }
}

/// Dot products in blocks of rows and columns, whole and cut short; with what follows them, another
/// parallel and another reduction loop.
TEST(Products, RowsTimesRows) {
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1},
                         {2, 4, 16},
                         {6, 3, 17},
                         {7, 9, 40},
                         {13, 8, 64},
                         {5, 6, 0},
                         {0, 3, 4}}) {
    Emitter e;
    Array a = e.operand(tensorOf(DType::Float32, 4)), b = e.operand(tensorOf(DType::Float32, 3));
    Array c = e.operand(tensorOf(DType::Float32, 1));
    Extent groups = e.dim(a, 0), rows = e.dim(a, 1), outer = e.dim(a, 2), inner = e.dim(a, 3);
    Extent columns = e.dim(b, 0);
    e.requireEqual(outer, e.dim(b, 1), "outer");
    e.requireEqual(inner, e.dim(b, 2), "inner");
    e.requireEqual(columns, e.dim(c, 0), "bias");
    Array product = e.reduce(
        Combine::Sum, {groups, rows, columns}, {outer, inner},
        [&](Indices i, Indices r) {
          return e.load(a, {i[0], i[1], r[0], r[1]}) * e.load(b, {i[2], r[0], r[1]});
        },
        joinedIn(DType::Float32));
    Array y = e.define({groups, rows, columns}, [&](Indices i) {
      return maximum(e.load(product, i) + e.load(c, {i[2]}), 0.0);
    });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {a, b, c}, {product, y}, {{2, m, 3, k}, {n, 3, k}, {n}},
                                 /*numShared=*/3);
    std::vector<Tensor> inputs = {randomTensor(DType::Float32, {2, m, 3, k}, 1),
                                  randomTensor(DType::Float32, {n, 3, k}, 2),
                                  randomTensor(DType::Float32, {n}, 3)};
    expectSame(test, inputs, 1, productTolerance(3 * k));
    for (const char *target : {"x86-64", "x86-64-v3"})
      if (auto description = parseTarget(target);
          description.ok() && description->whyNotHere.empty())
        expectSame(test, inputs, 1, productTolerance(3 * k), *description);
  }
}

TEST(Windows, PaddedConvolution) {
  for (int64_t width : {5, 14, 56}) {
    Emitter e;
    Array x = e.operand(tensorOf(DType::Float32, 4));
    Array w = e.operand(Type(DType::Float32, {10, kDynamic, 3, 3}));
    e.requireEqual(e.dim(x, 1), e.dim(w, 1), "channels");
    Extent h = e.dim(x, 2), wide = e.dim(x, 3);
    Array y = e.reduce(
        Combine::Sum, {e.dim(x, 0), e.dim(w, 0), h, wide}, {e.dim(x, 1), e.size(3), e.size(3)},
        [&](Indices i, Indices r) {
          Scalar row = i[2] + r[1] - 1, column = i[3] + r[2] - 1;
          Scalar inside = row >= 0 && row < e.scalar(h) && column >= 0 && column < e.scalar(wide);
          Scalar pixel = e.loadIf(inside, x, std::vector<Scalar>{i[0], r[0], row, column},
                                  e.literal(DType::Float32, 0));
          return pixel * e.load(w, {i[1], r[0], r[1], r[2]});
        },
        joinedIn(DType::Float32));
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    std::vector<int64_t> xs = {2, 5, 4, width}, ws = {10, 5, 3, 3};
    TestKernel test = makeKernel(*emission, {x, w}, {y}, {xs, ws});
    expectSame(test, {randomTensor(DType::Float32, xs, 1), randomTensor(DType::Float32, ws, 2)}, 1,
               productTolerance(45));
  }
}

TEST(Windows, Pooling) {
  for (Combine combine : {Combine::Max, Combine::Sum, Combine::ArgMax}) {
    Emitter e;
    Array x = e.operand(tensorOf(DType::Float32, 3));
    Extent h = floorDiv(e.dim(x, 1), e.size(2)), w = floorDiv(e.dim(x, 2), e.size(2));
    Array y =
        e.reduce(combine, {e.dim(x, 0), h, w}, {e.size(2), e.size(2)}, [&](Indices i, Indices r) {
          return e.load(x, {i[0], i[1] * 2 + r[0], i[2] * 2 + r[1]});
        });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {x}, {y}, {{3, 10, 43}});
    expectSame(test, {randomTensor(DType::Float32, {3, 10, 43}, 1, combine != Combine::Sum)}, 1,
               4 * 8 * 0x1p-24);
  }
}

/// F-368: the maximum is subtracted; rows of -inf give NaN.
TEST(Rows, Softmax) {
  for (int64_t n : {1, 3, 16, 100, 1000}) {
    Emitter e;
    Array x = e.operand(tensorOf(DType::Float32, 2));
    Extent rows = e.dim(x, 0), columns = e.dim(x, 1);
    Array top = e.reduceAxes(Combine::Max, x, std::vector<int>{1}, false);
    Array powers = e.define({rows, columns},
                            [&](Indices i) { return exp(e.load(x, i) - e.load(top, {i[0]})); });
    Array sum = e.reduceAxes(Combine::Sum, powers, std::vector<int>{1}, false);
    Array y = e.define({rows, columns},
                       [&](Indices i) { return e.load(powers, i) / e.load(sum, {i[0]}); });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    for (int shared : {1, 0}) {
      TestKernel test = makeKernel(*emission, {x}, {y}, {{9, n}}, shared);
      // exp and the division within an ULP each, and the sum's float32 part.
      expectSame(test, {randomTensor(DType::Float32, {9, n}, 1)}, 8);
    }
  }
}

TEST(Rows, LayerNorm) {
  for (int64_t n : {1, 16, 77, 1024}) {
    Emitter e;
    Array x = e.operand(tensorOf(DType::Float32, 2)), g = e.operand(tensorOf(DType::Float32, 1));
    e.requireEqual(e.dim(x, 1), e.dim(g, 0), "columns");
    Extent rows = e.dim(x, 0), columns = e.dim(x, 1);
    auto count = [&] { return cast(e.scalar(columns), DType::Float32); };
    Array sum = e.reduceAxes(Combine::Sum, x, std::vector<int>{1}, false);
    Array mean = e.define({rows}, [&](Indices i) { return e.load(sum, i) / count(); });
    Array squares = e.reduce(Combine::Sum, {rows}, {columns}, [&](Indices i, Indices r) {
      Scalar d = e.load(x, {i[0], r[0]}) - e.load(mean, {i[0]});
      return d * d;
    });
    Array scale = e.define({rows}, [&](Indices i) {
      return e.literal(DType::Float32, 1) / sqrt(e.load(squares, i) / count() + 1e-5);
    });
    Array y = e.define({rows, columns}, [&](Indices i) {
      return (e.load(x, i) - e.load(mean, {i[0]})) * e.load(scale, {i[0]}) * e.load(g, {i[1]});
    });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {x, g}, {y}, {{5, n}, {n}}, 1);
    // The mean's rounding is seen where x is near it.
    expectSame(test,
               {randomTensor(DType::Float32, {5, n}, 1), randomTensor(DType::Float32, {n}, 2)}, 8,
               32 * 0x1p-24);
  }
}

} // namespace
} // namespace graphc::testing
