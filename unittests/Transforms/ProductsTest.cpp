//===- unittests/Transforms/ProductsTest.cpp - products of many shapes ----===//
//
// Results of compiled code against sums in double precision (integers: exact ones, wrapped), by the
// bound of Higham, Accuracy and Stability of Numerical Algorithms, section 3.1: a sum of k products
// is off by at most k eps / (1 - k eps) times the sum of their absolute values, in any order.
//
//===----------------------------------------------------------------------===//
#include <cmath>

#include "KernelHarness.h"
#include "Targets.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

/// How an operand of a product lies in memory.
enum class Layout { AsItIs, Transposed, EverySecond, Backwards, Broadcast, Middle };

/// Matrices of a batch whose axis is between rows and columns (Layout::Middle).
constexpr int64_t kMiddle = 256;

struct Product {
  DType dtype;
  int64_t m, n, k;
  Layout left = Layout::AsItIs, right = Layout::AsItIs;
  int64_t batch = 0; ///< 0: no batch axis
  bool hasEpilogue = false;
  bool knowsColumns = false; ///< types say how many there are
};

double elementOf(const Tensor &t, int64_t i) {
  switch (t.dtype()) {
  case DType::Float64:
    return static_cast<const double *>(t.data())[i];
  case DType::Float32:
    return static_cast<const float *>(t.data())[i];
  case DType::Float16:
    return float(static_cast<const Half *>(t.data())[i]);
  case DType::BFloat16:
    return float(static_cast<const BFloat16 *>(t.data())[i]);
  case DType::Int64:
    return double(static_cast<const int64_t *>(t.data())[i]);
  default:
    return static_cast<const int32_t *>(t.data())[i];
  }
}

/// Unit roundoff of the sums, and of the result.
double roundoff(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return 0x1p-53;
  case DType::Float32:
    return 0x1p-24;
  case DType::Float16:
    return 0x1p-11;
  case DType::BFloat16:
    return 0x1p-8;
  default:
    return 0;
  }
}

/// The operand's shape in memory for a matrix of `rows` x `columns`.
std::vector<int64_t> shapeOf(Layout layout, int64_t batch, int64_t rows, int64_t columns) {
  std::vector<int64_t> shape = {rows, columns};
  if (layout == Layout::Transposed)
    shape = {columns, rows};
  if (layout == Layout::EverySecond)
    shape = {2 * rows, 2 * columns};
  if (layout == Layout::Middle)
    return {rows, kMiddle, columns};
  if (batch && layout != Layout::Broadcast)
    shape.insert(shape.begin(), batch);
  return shape;
}

/// Where element (i, j) of matrix b is.
int64_t placeOf(Layout layout, int64_t b, int64_t rows, int64_t columns, int64_t i, int64_t j) {
  switch (layout) {
  case Layout::AsItIs:
    return (b * rows + i) * columns + j;
  case Layout::Transposed:
    return (b * columns + j) * rows + i;
  case Layout::EverySecond:
    return (b * 2 * rows + 2 * i) * 2 * columns + 2 * j;
  case Layout::Backwards:
    return (b * rows + rows - 1 - i) * columns + columns - 1 - j;
  case Layout::Broadcast:
    return i * columns + j;
  case Layout::Middle:
    return (i * kMiddle + b) * columns + j;
  }
  return 0;
}

Scalar load(Emitter &e, Array x, Layout layout, std::vector<Scalar> batch, Scalar i, Scalar j,
            Extent rows, Extent columns) {
  if (layout == Layout::Broadcast)
    batch.clear();
  switch (layout) {
  case Layout::Transposed:
    std::swap(i, j);
    break;
  case Layout::EverySecond:
    i = i * 2;
    j = j * 2;
    break;
  case Layout::Backwards:
    i = e.scalar(rows) - 1 - i;
    j = e.scalar(columns) - 1 - j;
    break;
  case Layout::Middle:
    std::swap(batch[0], i);
    break;
  default:
    break;
  }
  batch.push_back(i);
  batch.push_back(j);
  return e.load(x, batch);
}

void check(const Product &p, const TargetDescription &target = hostTarget()) {
  SCOPED_TRACE(std::string(dtypeName(p.dtype)) + " " + std::to_string(p.m) + "x" +
               std::to_string(p.n) + "x" + std::to_string(p.k) + " batch " +
               std::to_string(p.batch) + " layouts " + std::to_string(int(p.left)) + " " +
               std::to_string(int(p.right)) + " for " + target.name);
  bool isHalf = p.dtype == DType::Float16 || p.dtype == DType::BFloat16;
  DType joined = isHalf ? DType::Float32 : p.dtype;
  std::vector<int64_t> shapeA = shapeOf(p.left, p.batch, p.m, p.k);
  std::vector<int64_t> shapeB = shapeOf(p.right, p.batch, p.k, p.n);
  std::vector<int64_t> shapeC = {p.m, p.n};
  if (p.batch)
    shapeC.insert(shapeC.begin(), p.batch);

  auto typeOf = [&](const std::vector<int64_t> &shape, size_t columns) {
    std::vector<int64_t> extents(shape.size(), kDynamic);
    if (p.knowsColumns && columns < shape.size())
      extents[columns] = p.n;
    return Type(p.dtype, extents);
  };
  const size_t last = shapeB.size() - 1;
  Emitter e;
  Array a = e.operand(typeOf(shapeA, shapeA.size())),
        b = e.operand(typeOf(shapeB, p.right == Layout::Transposed ? last - 1 : last)),
        c = e.operand(typeOf(shapeC, shapeC.size() - 1));
  int axis = p.batch ? 1 : 0;
  Extent rows = e.dim(c, axis), columns = e.dim(c, axis + 1);
  int sumAxis = p.left == Layout::Transposed ? 0 : 1;
  Extent inner = e.dim(a, int(shapeA.size()) - 2 + sumAxis);
  if (p.left == Layout::EverySecond)
    inner = floorDiv(inner, e.size(2));
  // Equal extents are one size: loads along them are operands with maps, as in kernels of graphs.
  auto equate = [&](Array x, Layout layout, Extent first, Extent second) {
    int rank = e.rank(x);
    if (layout == Layout::EverySecond)
      return;
    if (layout == Layout::Transposed)
      std::swap(first, second);
    int batches = 0, firsts = rank - 2;
    if (layout == Layout::Middle)
      std::swap(batches, firsts);
    e.requireEqual(e.dim(x, firsts), first, "extents");
    e.requireEqual(e.dim(x, rank - 1), second, "extents");
    if (rank == 3)
      e.requireEqual(e.dim(x, batches), e.dim(c, 0), "batches");
  };
  equate(a, p.left, rows, inner);
  equate(b, p.right, inner, columns);
  Extents parallel = {rows, columns};
  if (p.batch)
    parallel.insert(parallel.begin(), e.dim(c, 0));
  ReduceOptions options;
  options.result = p.dtype;
  options.accumulator = joined;
  Array product = e.reduce(
      Combine::Sum, parallel, {inner},
      [&](Indices i, Indices r) {
        std::vector<Scalar> batch;
        if (p.batch)
          batch.push_back(i[0]);
        Scalar x = load(e, a, p.left, batch, i[size_t(axis)], r[0], rows, inner);
        Scalar y = load(e, b, p.right, batch, r[0], i[size_t(axis) + 1], inner, columns);
        return isHalf ? cast(x, joined) * cast(y, joined) : x * y;
      },
      options);
  Array y = product;
  if (p.hasEpilogue)
    y = e.define(parallel, [&](Indices i) {
      std::vector<Scalar> at(i.begin(), i.end());
      return maximum(e.load(product, at) + e.load(c, at), e.literal(p.dtype, 0));
    });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test =
      makeKernel(*emission, {a, b, c}, {y}, {shapeA, shapeB, shapeC}, int(parallel.size()));
  std::vector<Tensor> in = {randomTensor(p.dtype, shapeA, 1), randomTensor(p.dtype, shapeB, 2),
                            randomTensor(p.dtype, shapeC, 3)};
  CompiledRun run = runKernel(test, in, target);
  ASSERT_EQ(run.outputs.size(), 1u);

  double u = roundoff(joined), rounding = roundoff(p.dtype);
  for (int64_t g = 0; g < std::max<int64_t>(p.batch, 1); ++g)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < p.k; ++k) {
          double term = elementOf(in[0], placeOf(p.left, g, p.m, p.k, i, k)) *
                        elementOf(in[1], placeOf(p.right, g, p.k, p.n, k, j));
          sum += term;
          size += std::fabs(term);
        }
        double ku = double(p.k + 1) * u, bound = ku / (1 - ku) * size;
        bound += rounding * (std::fabs(sum) + bound) + double(p.k) * 0x1p-53 * size;
        int64_t at = (g * p.m + i) * p.n + j;
        if (p.hasEpilogue) {
          double added = sum + elementOf(in[2], at);
          bound += rounding * (std::fabs(added) + bound);
          sum = std::max(added, 0.0);
        }
        if (rounding == 0)
          bound = 0; // integers of these sizes are exact in double precision
        double got = elementOf(run.outputs[0], at);
        ASSERT_LE(std::fabs(got - sum), bound) << i << ", " << j << " of " << g;
      }
}

constexpr DType kDTypes[] = {DType::Float32,  DType::Float64, DType::Float16,
                             DType::BFloat16, DType::Int32,   DType::Int64};

/// F-012: all extents from 1 to 40 occur; each with other ones.
TEST(ProductShapes, OfExtentsUpTo40) {
  for (int64_t m = 1; m <= 40; ++m) {
    int64_t n = m * 17 % 41, k = m * 29 % 41;
    check({kDTypes[m % 6], m, n, k, Layout(m % 2), Layout(m / 2 % 2), 0, m % 3 == 0});
  }
}

TEST(ProductShapes, LayoutsOfOperands) {
  for (Layout left : {Layout::AsItIs, Layout::Transposed, Layout::EverySecond, Layout::Backwards,
                      Layout::Broadcast})
    for (Layout right : {Layout::AsItIs, Layout::Transposed, Layout::EverySecond, Layout::Backwards,
                         Layout::Broadcast}) {
      check({DType::Float32, 31, 45, 38, left, right, 3});
      check({DType::BFloat16, 18, 33, 19, left, right, 0, true});
    }
}

/// One row, one column, both: matrices times vectors, which only shows when they run.
TEST(ProductShapes, OfOneRowOrColumn) {
  for (Layout left : {Layout::AsItIs, Layout::Transposed})
    for (Layout right : {Layout::AsItIs, Layout::Transposed})
      for (int i = 0; i < 6; ++i) {
        DType dtype = kDTypes[i];
        check({dtype, 1, 77 + i, 131 - i, left, right, 0, i % 2 == 0});
        check({dtype, 77 + i, 1, 131 - i, left, right, 0, i % 2 == 1});
        check({dtype, 1, 1, 67 + i, left, right});
        check({dtype, 1, 70 + i, i, left, right});
      }
  for (Layout layout : {Layout::EverySecond, Layout::Backwards, Layout::Broadcast}) {
    check({DType::Float32, 1, 45, 38, layout, Layout::AsItIs, 3});
    check({DType::Float32, 45, 1, 38, Layout::AsItIs, layout, 3, true});
    check({DType::Float32, 1, 45, 38, Layout::Broadcast, layout, 3});
    check({DType::Float32, 45, 1, 38, layout, Layout::Transposed, 3});
  }
}

/// More results than fit the stack at once.
TEST(ProductShapes, BlocksOfOneRowOrColumn) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32})
    for (Layout layout : {Layout::AsItIs, Layout::Transposed}) {
      check({dtype, 1, 8209, 21, Layout::AsItIs, layout, 0, true});
      check({dtype, 8209, 1, 21, layout, Layout::AsItIs, 0, true});
    }
}

/// What is left of the rows behind whole tiles: 5 to 7 are one tile where rows stand together.
TEST(ProductShapes, LeftRows) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (int64_t m = 14; m <= 28; ++m)
      check({dtype, m, 43, 37, Layout::Transposed, Layout::AsItIs, 0, true});
}

/// One to four columns behind the last whole vector, copied to the stack or to scratch memory.
TEST(ProductShapes, LastColumns) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::BFloat16, DType::Int64})
    for (int64_t columns : {1, 2, 3, 4, 5}) {
      check({dtype, 19, 32 + columns, 15 * columns});
      check({dtype, 19, 32 + columns, 83, Layout::AsItIs, Layout::Transposed, 2, true});
      check({dtype, 9, 16 + columns, 1501, Layout::AsItIs, Layout::AsItIs, 0, true});
    }
  check({DType::Float32, 203, 33, 1501});
  // Several are side by side, some k of each in a vector: all that may be left of k and of 8 rows.
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32})
    for (int64_t columns : {2, 3, 4})
      for (int64_t k : {32, 33, 34, 35, 63, 1021, 1025})
        check({dtype, 9 + k % 8, 16 + columns, k, Layout::AsItIs, Layout::AsItIs, 0, true});
}

/// Products of no more columns than half a vector has lanes, and of two to four, which are last
/// columns alone: with few terms, too, and fewer rows than a vector of them has. Transposed right
/// operands, in squares and what is left behind these.
TEST(ProductShapes, FewKnownColumns) {
  constexpr int64_t kRows[] = {4, 9, 37, 215, 300}, kTerms[] = {3, 16, 17, 20, 31, 33, 70};
  auto checkAll = [&](DType dtype, int64_t n, int number, const TargetDescription &target) {
    for (Layout left : {Layout::AsItIs, Layout::Transposed})
      for (Layout right : {Layout::AsItIs, Layout::Transposed}) {
        const int64_t m = kRows[number % 5], k = kTerms[number % 7];
        check({dtype, m, n, k, left, right, number % 3 ? 0 : 2, number % 2 == 0, true}, target);
        ++number;
      }
  };
  int number = 0;
  for (DType dtype : kDTypes)
    for (int64_t n = 2; n <= 9; ++n)
      checkAll(dtype, n, number += 4, hostTarget());
  for (const TargetDescription &target : runnableTargets())
    for (int64_t n : {3, 4, 7})
      for (DType dtype : {DType::Float32, DType::Float64})
        checkAll(dtype, n, number += 5, target);
}

/// Panels of transposed right operands: whole vectors of columns, and parts of one; all that may be
/// left of k behind squares; sums in parts.
TEST(ProductShapes, SquaresOfTransposedPanels) {
  for (const TargetDescription &target : runnableTargets())
    for (int64_t k = 15; k <= 24; ++k) {
      const int64_t n = 13 * k % 50 + 4;
      check({DType::Float32, 31, n, k, Layout::AsItIs, Layout::Transposed, 0, true}, target);
      check({DType::Float64, 17, n, k, Layout::Transposed, Layout::Transposed, 2}, target);
    }
  check({DType::Float32, 230, 70, 2500, Layout::AsItIs, Layout::Transposed});
}

/// The first tile of rows copies panels of the right operand on its way, where rows stand together
/// and are few: with whole panels alone, and with columns behind them.
TEST(ProductShapes, PanelsFilledByTiles) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32}) {
    check({dtype, 75, 703, 131, Layout::Transposed});
    check({dtype, 57, 2048, 21, Layout::Transposed, Layout::AsItIs, 2, true});
  }
  check({DType::Float32, 14, 1056, 260, Layout::Transposed}); // one tile
  check({DType::Float32, 224, 300, 210, Layout::Transposed, Layout::AsItIs, 0, true});
  check({DType::Float32, 225, 300, 210, Layout::Transposed}); // copied before
  // Beside a second tile, or a part of one, of operands that the L2 cache has no room for: lines of
  // 4 KB, which meet in one set of the L1 cache, and others.
  for (int64_t rows : {14, 15, 20, 22, 27, 28}) {
    check({DType::Float32, rows, 1024, 530});
    check({DType::Float64, rows, 519, 530, Layout::AsItIs, Layout::AsItIs, 0, true});
  }
}

/// A vector times a matrix, or a matrix times a vector: one parallel loop, or a batch of them.
void checkVector(DType dtype, int64_t results, int64_t k, bool isTransposed, int64_t batch,
                 const TargetDescription &target = hostTarget()) {
  SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(results) + " of " +
               std::to_string(k) + (isTransposed ? " transposed" : "") + " batch " +
               std::to_string(batch) + " for " + target.name);
  std::vector<int64_t> ofMatrix = {k, results}, ofVector = {k}, ofBias = {results};
  if (isTransposed)
    std::swap(ofMatrix[0], ofMatrix[1]);
  if (batch)
    for (auto *shape : {&ofMatrix, &ofVector, &ofBias})
      shape->insert(shape->begin(), batch);
  auto typeOf = [&](const std::vector<int64_t> &shape) {
    return Type(dtype, std::vector<int64_t>(shape.size(), kDynamic));
  };
  Emitter e;
  Array a = e.operand(typeOf(ofMatrix)), x = e.operand(typeOf(ofVector)),
        c = e.operand(typeOf(ofBias));
  int axis = batch ? 1 : 0;
  e.requireEqual(e.dim(a, axis + isTransposed), e.dim(x, axis), "extents");
  e.requireEqual(e.dim(a, axis + !isTransposed), e.dim(c, axis), "extents");
  Extents parallel = {e.dim(c, axis)};
  if (batch) {
    e.requireEqual(e.dim(a, 0), e.dim(c, 0), "batches");
    e.requireEqual(e.dim(x, 0), e.dim(c, 0), "batches");
    parallel.insert(parallel.begin(), e.dim(c, 0));
  }
  ReduceOptions options;
  options.accumulator = dtype;
  Array sums = e.reduce(
      Combine::Sum, parallel, {e.dim(x, axis)},
      [&](Indices i, Indices r) {
        std::vector<Scalar> at, other;
        if (batch)
          at = other = {i[0]};
        at.push_back(isTransposed ? i[size_t(axis)] : r[0]);
        at.push_back(isTransposed ? r[0] : i[size_t(axis)]);
        other.push_back(r[0]);
        return e.load(a, at) * e.load(x, other);
      },
      options);
  Array y = e.define(parallel, [&](Indices i) {
    std::vector<Scalar> at(i.begin(), i.end());
    return maximum(e.load(sums, at) + e.load(c, at), e.literal(dtype, 0));
  });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test =
      makeKernel(*emission, {a, x, c}, {y}, {ofMatrix, ofVector, ofBias}, int(parallel.size()));
  // Sums of k products up to 4, of which each side rounds each.
  double bound = 2 * double(k + 1) * roundoff(dtype) * double(k + 1) * 4;
  expectSame(test,
             {randomTensor(dtype, ofMatrix, 1), randomTensor(dtype, ofVector, 2),
              randomTensor(dtype, ofBias, 3)},
             0, bound, target);
}

TEST(ProductShapes, OfVectors) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32, DType::Int64})
    for (bool isTransposed : {false, true})
      for (auto [results, k] : std::vector<std::pair<int64_t, int64_t>>{
               {0, 20}, {1, 20}, {7, 0}, {7, 1}, {77, 3}, {64, 64}, {131, 77}, {9001, 18}})
        checkVector(dtype, results, k, isTransposed, results == 131 ? 3 : 0);
  for (const TargetDescription &target : runnableTargets()) {
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int64})
      for (bool isTransposed : {false, true})
        checkVector(dtype, 83, 61, isTransposed, 0, target);
  }
}

/// Large enough for panels of the right operand, and rows of the left one, to be copied, in several
/// blocks.
TEST(ProductShapes, CopiedOperands) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (Layout left : {Layout::AsItIs, Layout::Transposed})
      for (Layout right : {Layout::AsItIs, Layout::Transposed})
        check({dtype, 411, 75, 769, left, right});
  // Of rows as long as these, sums are cut: k has two parts, or three, and none where it is no
  // more.
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int64})
    for (Layout right : {Layout::AsItIs, Layout::Transposed, Layout::EverySecond}) {
      check({dtype, 230, 70, 2500, Layout::AsItIs, right});
      check({dtype, 140, 40, 4200, Layout::AsItIs, right, 2});
    }
  check({DType::BFloat16, 131, 70, 4500});
  check({DType::Float32, 60, 1100, 40});
  check({DType::Float32, 60, 1100, 40, Layout::Transposed, Layout::Transposed, 0, true});
  check({DType::BFloat16, 250, 70, 128});
  check({DType::Int32, 70, 200, 256});
}

/// Rows that stand together, copied tile by tile where there are no mask registers, and on Intel's
/// processors: each number of them behind whole tiles, several blocks of them, and all kinds of
/// columns behind whole panels; rows of 16 terms are the shortest that are.
TEST(ProductShapes, RowsInTiles) {
  for (const TargetDescription &target : runnableTargets()) {
    for (int64_t m = 191; m <= 197; ++m)
      check({DType::Float32, m, 386 + m % 6, 131, Layout::Transposed, Layout::AsItIs, 0, true},
            target);
    check({DType::Float64, 101, 411, 130, Layout::Transposed, Layout::Transposed}, target);
    check({DType::Float64, 200, 170, 140, Layout::Transposed}, target);
    check({DType::Int32, 90, 1025, 100, Layout::Transposed, Layout::AsItIs, 2}, target);
    for (int64_t k : {15, 16})
      check({DType::Float32, 601, 1035, k, Layout::Transposed}, target);
    check({DType::Float32, 2100, 410, 5, Layout::Transposed}, target);
    check({DType::Float32, 100, 148, 300, Layout::Transposed}, target); // 4 rows of 24 are left
  }
}

/// 0 to 5 columns behind the last whole vector, beside rows that stand together: copied, where they
/// lie, and more of them than are summed at a time.
TEST(ProductShapes, LastColumnsOfRows) {
  for (int64_t n : {1, 16, 17, 18, 19, 20, 21, 33, 34, 49, 66}) {
    check({DType::Float32, 300, n, 140, Layout::Transposed, Layout::AsItIs, 0, n % 2 == 0});
    check({DType::Float32, 531, n, 520, Layout::Transposed, Layout::Transposed, 0, n % 2 == 1});
    check({DType::Float64, 177, n, 210, Layout::Transposed, Layout::AsItIs, 2, true});
    check({DType::BFloat16, 190, n, 180, Layout::Transposed, Layout::AsItIs, 0, true});
    check({DType::Int32, 260, n, 130, Layout::Transposed, Layout::AsItIs});
  }
  for (const TargetDescription &target : runnableTargets())
    for (int64_t n : {17, 20, 26, 49})
      check({DType::Float32, 201, n, 170, Layout::Transposed, Layout::AsItIs, 0, true}, target);
}

TEST(ProductShapes, OfOtherProcessors) {
  for (const TargetDescription &target : runnableTargets()) {
    for (DType dtype : kDTypes)
      for (Layout right : {Layout::AsItIs, Layout::Transposed}) {
        check({dtype, 23, 37, 29, Layout::AsItIs, right, 0, true}, target);
        check({dtype, 64, 129, 257, Layout::Transposed, right}, target);
        check({dtype, 1, 83, 61, Layout::AsItIs, right, 0, true}, target);
        check({dtype, 83, 1, 61, Layout::Transposed, right, 0, true}, target);
        check({dtype, 83, 1, 61, Layout::AsItIs, right}, target);
        check({dtype, 230, 20, 2500, Layout::AsItIs, right}, target);
      }
  }
}

/// Rows in blocks, and few of them; panels that are copied line by line, in parts of a line, since
/// the right operand is more than eight L2 caches; each number of rows behind whole tiles.
TEST(ProductShapes, CopiedOperandsOnOtherProcessors) {
  for (const TargetDescription &target : runnableTargets()) {
    check({DType::Float32, 561, 40, 1000}, target);
    check({DType::Float32, 561, 40, 1000, Layout::Transposed}, target);
    check({DType::Float64, 300, 45, 131}, target);
    check({DType::Float32, 26, 8214, 260}, target);
    for (int64_t rows : {24, 25, 26, 27, 28, 29})
      check({DType::Float32, rows, 37, 900, Layout::AsItIs, Layout::AsItIs, 0, true}, target);
  }
}

/// Terms are done 16 at a time where tiles fetch the next one's rows, and where they fetch the next
/// panel as many as there are others than the first, or a multiple: fewer, as many, and more; tiles
/// of rows from 3 on, and in two blocks. Rows that stand together are copied beside panels that the
/// first tile fills.
TEST(ProductShapes, TermsInFrontOfWhichTilesFetch) {
  for (const TargetDescription &target : runnableTargets()) {
    for (int64_t k : {63, 64, 65, 127, 129, 200})
      for (int64_t m : {18, 24, 29, 49, 199})
        check({DType::Float32, m, 33000 / k + 16, k, Layout::AsItIs, Layout::AsItIs, 0, k % 2 == 0},
              target);
    for (int64_t k : {15, 16, 17, 100}) // rows of more than two L2 caches
      check({DType::Float32, 600000 / k, 70, k}, target);
    for (int64_t m : {49, 50, 54, 199, 210})
      check({DType::Float32, m, 117, 1030, Layout::Transposed}, target);
    check({DType::Float64, 60, 90, 515, Layout::Transposed}, target);
  }
}

/// Rows that are in one set of a cache are read from a buffer, from 64 terms on: of whole lines of
/// a matrix, and of sums that end anywhere in one; tiles and rows that are left, panels of two
/// vectors and of one, filled by the first tile and not, in one block of rows and several; copied
/// before beside more than four panels, and parts of long sums.
TEST(ProductShapes, RowsInOneSet) {
  for (const TargetDescription &target : runnableTargets()) {
    for (int64_t n : {2, 5, 15, 16, 17, 24, 32, 33, 48, 70, 128, 129, 161})
      for (int64_t m : {14, 31})
        check({DType::Float32, m, n, 1024, Layout::AsItIs, Layout::AsItIs, 0, n % 2 == 0}, target);
    for (int64_t n : {4, 8, 16, 27, 64, 65, 90}) {
      check({DType::Float64, 45, n, 512}, target);
      check({DType::Float64, 29, n, 1024, Layout::AsItIs, Layout::Transposed}, target);
    }
    check({DType::Int32, 31, 40, 2048, Layout::AsItIs, Layout::AsItIs, 2}, target);
    for (int64_t m :
         {61, 210, 600}) // filled by the first tile, in two blocks, and in blocks of some
      check({DType::Float32, m, 70, 1024}, target);
    check({DType::Float32, 211, 161, 1024}, target);
    for (int64_t n : {70, 130}) // parts of sums
      check({DType::Float32, 200, n, 3072}, target);
    for (int64_t k : {60, 64, 68, 76, 80, 84})
      check({DType::Float32, 15, 40, k, Layout::Middle, Layout::AsItIs, kMiddle}, target);
    check({DType::Float64, 14, 20, 70, Layout::Middle, Layout::AsItIs, kMiddle}, target);
  }
}

/// Panels that lie anywhere in cache lines are copied, from 128 terms, two panels and 16 tiles of
/// rows on: fewer and more of each, and each number of columns and rows behind whole panels and
/// tiles.
TEST(ProductShapes, WholeLines) {
  for (const TargetDescription &target : runnableTargets()) {
    for (int64_t n = 31; n <= 49; ++n)
      check({DType::Float32, 95 + 5 * n % 7, n, 126 + n % 4, Layout::AsItIs, Layout::AsItIs, 0,
             n % 2 == 0},
            target);
    check({DType::Float64, 103, 21, 130}, target);
    check({DType::Float64, 97, 33, 128, Layout::Transposed}, target);
    check({DType::Int32, 111, 50, 140, Layout::AsItIs, Layout::AsItIs, 2}, target);
  }
}

/// Results beside the evaluator's of a product of extents that are known, or not, when it is
/// compiled.
void checkKnown(DType dtype, int64_t rows, int64_t rowsKnown, int64_t columns, int64_t length,
                const TargetDescription &target) {
  SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(rows) + "x" +
               std::to_string(columns) + "x" + std::to_string(length) + " for " + target.name);
  Emitter e;
  Array a = e.operand(Type(dtype, {rowsKnown, kDynamic}));
  Array b = e.operand(Type(dtype, {kDynamic, columns}));
  e.requireEqual(e.dim(a, 1), e.dim(b, 0), "inner");
  ReduceOptions options;
  options.accumulator = dtype;
  Array y = e.reduce(
      Combine::Sum, {e.dim(a, 0), e.dim(b, 1)}, {e.dim(a, 1)},
      [&](Indices i, Indices r) { return e.load(a, {i[0], r[0]}) * e.load(b, {r[0], i[1]}); },
      options);
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test = makeKernel(*emission, {a, b}, {y}, {{rows, length}, {length, columns}}, 2);
  // Sums of so many products up to 4, of which each side rounds each.
  double bound = 2 * double(length) * roundoff(dtype) * double(length) * 4;
  expectSame(test,
             {randomTensor(dtype, {rows, length}, 1), randomTensor(dtype, {length, columns}, 2)}, 0,
             bound, target);
}

/// Extents up to 16 are known when a kernel is compiled.
TEST(ProductShapes, OfKnownExtents) {
  for (int64_t rows : {1, 4, 5, 8, 13, 14, 15, 16})
    for (int64_t columns : {1, 8, 9, 15, 16})
      checkKnown(DType::Float32, rows, rows, columns, 21, hostTarget());
}

/// The same of rows that are in one set of a cache.
TEST(ProductShapes, OfKnownColumnsBesideRowsInOneSet) {
  for (const TargetDescription &target : runnableTargets())
    for (int64_t rows : {13, 14, 31}) {
      for (int64_t columns : {3, 5, 8, 10, 15, 16}) {
        checkKnown(DType::Float32, rows, kDynamic, columns, 1024, target);
        if (rows <= 16)
          checkKnown(DType::Float32, rows, rows, columns, 1024, target);
      }
      for (int64_t columns : {2, 3, 5, 7, 12})
        checkKnown(DType::Float64, rows, kDynamic, columns, 512, target);
    }
}

} // namespace
} // namespace graphc::testing
