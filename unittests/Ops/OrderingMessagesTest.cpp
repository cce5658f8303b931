//===- OrderingMessagesTest.cpp - what sorting, positions and matrices say ------===//
#include "OpMessages.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Neural.h"
#include "graphc/Sorting.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

Variable i64(std::initializer_list<int64_t> shape,
             std::source_location loc = std::source_location::current()) {
  return of(kI64, shape, loc);
}

/// What a call of the compiled function says, and the evaluator, which is the same.
std::string fails(const Variable &v, const Variables &inputs, std::vector<Tensor> values) {
  std::string said;
  for (const char *mode : {"interpreter", "fast_run"}) {
    FunctionOptions options;
    options.mode = mode;
    options.onUnusedInput = OnUnusedInput::Ignore;
    std::vector<Param> params(inputs.begin(), inputs.end());
    auto f = function(params, {v}, options);
    EXPECT_TRUE(f.ok()) << f.status();
    if (!f.ok())
      return "";
    absl::StatusOr<Results> results = f->call(values);
    std::string own =
        std::string(errorKindName(errorKind(results.status()))) + ": " +
        std::string(results.status().message().substr(0, results.status().message().find('\n')));
    if (!said.empty())
      EXPECT_EQ(own, said) << mode;
    said = own;
  }
  return said;
}

TEST(OrderingMessages, Positions) {
  Variable x = f64({3, 4}), scalar = of(kBool);
  Variable i = i64({2}), j = i64({3});
  expectMessages({
      {subtensor(x, {Index(i), Index(scalar)}),
       "TypeError: subtensor: a mask is no scalar; use ifElse or where\n  subtensor(f64[3,4])"},
      {subtensor(x, {ellipsis, ellipsis, Index(i)}),
       "ValueError: subtensor: an index has one ellipsis at most\n  subtensor(f64[3,4])"},
      {subtensor(x, {Index(of(kF64, {2}))}),
       "TypeError: subtensor: indices are integers or masks, not float64\n  subtensor(f64[3,4])"},
      {subtensor(x, {Index(i), Index(i), Index(i)}),
       "IndexError: subtensor: 3 indices for 2 axes\n  subtensor(f64[3,4])"},
      {subtensor(x, {Index(i), Index(j)}),
       "IndexError: ravelIndex: index arrays have 2 and 3 elements along axis 0 of what they "
       "broadcast to\n  ravelIndex{axes = [0, 1]}(i64[2], i64[2], i64[3])"},
      {subtensor(x, {Index(of(kBool, {2}))}),
       "IndexError: subtensor: nonzero: the mask has 2 elements along axis 0 where the array has "
       "3\n  nonzero(i1[2], i64[1])\n  subtensor(f64[3,4])"},
      {setSubtensor(of(kI64, {3}), {Index(i)}, f64({2})),
       "TypeError: setSubtensor: float64 elements do not fit into int64; cast y\n  "
       "setSubtensor(i64[3])"},
      {takeAlongAxis(x, i), "ShapeError: takeAlongAxis: indices of rank 1 where there must be one "
                            "for each of 2 axes\n  takeAlongAxis(f64[3,4])"},
      {takeAlongAxis(x, i64({3, 4}), {.axis = 2}),
       "AxisError: takeAlongAxis: axis 2 is out of range for rank 2\n  takeAlongAxis(f64[3,4])"},
      {choose(i, {}), "ValueError: choose: there is nothing to choose from\n  choose(i64[2])"},
      {choose(f64({2}), {x}),
       "TypeError: choose: indices are integers, not float64\n  choose(f64[2])"},
      {fillDiagonal(f64({3}), 0.0),
       "ValueError: fillDiagonal: there is no diagonal below rank 2\n  fillDiagonal(f64[3])"},
      {embedding(f64({}), i), "ValueError: embedding: the table has no rows\n  embedding(f64)"},
      {nonzero(f64({}))[0],
       "ValueError: nonzero: an array of rank 0 has no positions\n  nonzero(f64)"},
      {node("nonzero", {}, {x, i, i}),
       "TypeError: nonzero: there are at most 2 operands\n  nonzero(f64[3,4], i64[2], i64[2])"},
      {node("nonzero", {}, {x, i64({3})}),
       "ValueError: nonzero: the extents must be 2\n  nonzero(f64[3,4], i64[3])"},
      {node("ravelIndex", {}, {i, i}),
       "ValueError: ravelIndex: 2 extents but 1 index arrays\n  ravelIndex(i64[2], i64[2])"},
      {node("ravelIndex", {}, {i64({1}), f64({2})}),
       "TypeError: ravelIndex: indices are integers, not float64\n  ravelIndex(i64[1], f64[2])"},
      {node("ravelIndex", {{"mode", std::string("none")}}, {i64({1}), i}),
       "ValueError: ravelIndex: mode is \"raise\", \"clip\" or \"wrap\", not \"none\"\n  "
       "ravelIndex{mode = \"none\"}(i64[1], i64[2])"},
      {node("ravelIndex", {{"axes", IntList{1, 2}}}, {i64({1}), i}),
       "ValueError: ravelIndex: the axes must be as many as the index arrays\n  ravelIndex{axes = "
       "[1, 2]}(i64[1], i64[2])"},
      {nonMaxSuppression(x, x),
       "ShapeError: nonMaxSuppression: boxes are (batch, n, 4) and scores (batch, classes, n)\n  "
       "nonMaxSuppression(f64[3,4], f64[3,4], 9223372036854775807: i64, 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(i64({1, 2, 4}), f64({1, 1, 2})),
       "TypeError: nonMaxSuppression: operand 0 must be of floats\n  nonMaxSuppression(i64[1,2,4], "
       "f64[1,1,2], 9223372036854775807: i64, 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(f64({1, 2, 4}), f64({1, 1, 2}), {.most = i}),
       "TypeError: nonMaxSuppression: operand 2 must be a scalar\n  nonMaxSuppression(f64[1,2,4], "
       "f64[1,1,2], i64[2], 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(f64({1, 2, 4}), f64({1, 1, 2}), {.most = 0.5}),
       "TypeError: nonMaxSuppression: how many boxes are kept must be an integer\n  "
       "nonMaxSuppression(f64[1,2,4], f64[1,1,2], 0.5: f64, 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(f64({1, 2, 4}), f64({2, 1, 2})),
       "ShapeError: nonMaxSuppression: boxes of 1 batches and scores of 2\n  "
       "nonMaxSuppression(f64[1,2,4], f64[2,1,2], 9223372036854775807: i64, 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(f64({1, 2, 4}), f64({1, 1, 3})),
       "ShapeError: nonMaxSuppression: 2 boxes and 3 scores of each class\n  "
       "nonMaxSuppression(f64[1,2,4], f64[1,1,3], 9223372036854775807: i64, 0.0: f64, 0.0: f64)"},
      {nonMaxSuppression(f64({1, 2, 5}), f64({1, 1, 2})),
       "ShapeError: nonMaxSuppression: a box has 4 numbers, not 5\n  nonMaxSuppression(f64[1,2,5], "
       "f64[1,1,2], 9223372036854775807: i64, 0.0: f64, 0.0: f64)"},
      {convolve(x, i), "TypeError: convolve: both must be vectors\n  convolve(f64[3,4])"},
      {causalConv1d(x, f64({1, 1, 1})),
       "ShapeError: causalConv1d: x and the kernels must have rank 3, not 2 and 3\n  "
       "causalConv1d(f64[3,4])"},
      {softmaxCrossentropy(x, i64({3, 4})),
       "ShapeError: crossentropy: labels must have one axis less than the 2 of what they choose "
       "from, not 2\n  crossentropy(i64[3,4])"},
      {assertTrue(x, x, "why"),
       "TypeError: assert: the condition must be one number, not an array; use all(...)\n  "
       "assert{message = \"why\"}(f64[3,4], f64[3,4])"},
      {node("assert", {{"message", std::string()}, {"kind", std::string("Sorry")}}, {x, scalar}),
       "ValueError: assert: there is no kind of error \"Sorry\"\n  assert{message = \"\", kind = "
       "\"Sorry\"}(f64[3,4], i1)"},
  });
}

TEST(OrderingMessages, Order) {
  Variable x = f64({3, 4});
  expectMessages({
      {topk(x, 0), "ValueError: argtopk: k = 0 is no number of elements\n  argtopk(f64[3,4])"},
      {topk(x, 5),
       "ValueError: argtopk: k is 5 where axis 1 has 4 elements\n  argtopk{axis = 1}(f64[3,4], 5)"},
      {node("argtopk", {{"axis", int64_t(0)}}, {x, constant(Tensor(int64_t(-1)))}),
       "ValueError: argtopk: k is negative: -1\n  argtopk{axis = 0}(f64[3,4], -1: i64)"},
      {quantile(x, 1.5), "ValueError: quantile: q is not between 0 and 1\n  quantile(f64[3,4])"},
      {bincount(x), "TypeError: bincount: x must be a vector of integers\n  bincount(f64[3,4])"},
      {sort(x, {.axis = 2}),
       "AxisError: sort: axis 2 is out of range for rank 2\n  sort{axis = 2}(f64[3,4])"},
      {unique(x, 2).values,
       "AxisError: unique: axis 2 is out of range for rank 2\n  unique(f64[3,4])"},
      {unique(of(DType::Complex64, {3})).values,
       "TypeError: unique: complex numbers have no order; of a vector take the rows of "
       "stack({real(x), imag(x)}, 1): unique(..., 0)\n  unique(complex<f32>[3])"},
      {node("searchsorted", {}, {x, x}),
       "TypeError: searchsorted: the sorted elements must be a vector, and the values of their "
       "dtype\n  searchsorted(f64[3,4], f64[3,4])"},
      {node("argsortRows", {}, {f64({3})}),
       "TypeError: argsortRows: x must be a matrix of rows, not of rank 1\n  argsortRows(f64[3])"},
      {node("linearRecurrence", {{"axis", int64_t(0)}}, {x, i64({3, 4})}),
       "TypeError: linearRecurrence: a and b must be floats of one dtype and rank\n  "
       "linearRecurrence{axis = 0}(f64[3,4], i64[3,4])"},
      {node("linearRecurrence", {{"axis", int64_t(0)}}, {x, f64({3, 5})}),
       "ShapeError: linearRecurrence: a has 4 elements along axis 1 and b 5\n  "
       "linearRecurrence{axis = 0}(f64[3,4], f64[3,5])"},
      {cumsum(x, 2),
       "AxisError: cumsum: axis 2 is out of range for rank 2\n  cumsum{axis = 2}(f64[3,4])"},
  });
}

TEST(OrderingMessages, Matrices) {
  Variable a = f64({3, 3}), wide = f64({2, 3}), v = f64({3});
  expectMessages({
      {inv(v), "ShapeError: inv: a matrix has two axes at least, not 1\n  inv(f64[3])"},
      {matrixPower(v, 2),
       "ShapeError: matrixPower: a matrix has two axes at least, not 1\n  matrixPower(f64[3])"},
      {matrixNorm(v),
       "ShapeError: matrixNorm: a matrix has two axes at least, not 1\n  matrixNorm(f64[3])"},
      {cholesky(wide),
       "ShapeError: cholesky: the matrix must be square, not 2 x 3\n  cholesky(f64[2,3])"},
      {solve(v, a), "ShapeError: solve: a must be matrices, and b vectors or matrices, not of "
                    "ranks 1 and 2\n  solve(f64[3])"},
      {solve(a, wide),
       "ShapeError: solve: b has 2 rows where a has 3\n  solve(f64[3,3], f64[2,3])"},
      {node("solve", {}, {f64({2, 3, 3}), f64({4, 3, 1})}),
       "ShapeError: solve: b has 4 elements along axis 0 where a has 2\n  solve(f64[2,3,3], "
       "f64[4,3,1])"},
      {node("solve", {}, {a, v}),
       "ShapeError: solve: operands must have one rank\n  solve(f64[3,3], f64[3])"},
      {node("solve", {}, {a, of(kF32, {3, 3})}),
       "TypeError: solve: operands must be floats of one dtype\n  solve(f64[3,3], f32[3,3])"},
      {node("solve", {{"assume", std::string("any")}}, {a, a}),
       "ValueError: solve: assume is \"general\", \"symmetric\" or \"positive\", not \"any\"\n  "
       "solve{assume = \"any\"}(f64[3,3], f64[3,3])"},
  });
}

TEST(OrderingMessages, Calls) {
  Variable a(TensorType(kF64, {kDynamic, kDynamic, kDynamic}), "a");
  Tensor singular({{{1.0, 0.0}, {0.0, 1.0}}, {{1.0, 2.0}, {2.0, 4.0}}});
  EXPECT_EQ(fails(inv(a), {a}, {singular}), "LinAlgError: inv: matrix 1 of 2 (from 0) is singular");
  EXPECT_EQ(fails(inv(a[{1}]), {a}, {singular}), "LinAlgError: inv: the matrix is singular");
  EXPECT_EQ(fails(cholesky(a), {a}, {singular}),
            "LinAlgError: cholesky: matrix 1 of 2 (from 0) is not positive definite");
  EXPECT_EQ(fails(qr(a).r, {a}, {*Tensor::zeros(kF64, {1, 20001, 1})}),
            "ValueError: qr: a matrix has 20001 rows or columns, above the limit of 20000");
  EXPECT_EQ(fails(inv(a), {a}, {*Tensor::zeros(kF64, {1, 2, 1})}),
            "ShapeError: inv: the matrix must be square, not 2 x 1");
  Variable x = dvector("x"), k = lscalar("k"), m(TensorType(kBool, {kDynamic}), "m");
  Variable ids(TensorType(kI64, {kDynamic}), "ids");
  Tensor three({1.0, 2.0, 3.0});
  Variable top = node("argtopk", {{"axis", int64_t(0)}}, {x, k});
  EXPECT_EQ(fails(top, {x, k}, {three, Tensor(int64_t(4))}),
            "ValueError: argtopk: k is 4 where axis 0 has 3 elements");
  EXPECT_EQ(fails(top, {x, k}, {three, Tensor(int64_t(-1))}),
            "ValueError: argtopk: k is negative: -1");
  EXPECT_EQ(fails(x[{m}], {x, m}, {three, Tensor({1.0, 0.0}, kBool)}),
            "IndexError: nonzero: the mask has 2 elements along axis 0 where the array has 3");
  EXPECT_EQ(fails(x[{ids}], {x, ids}, {three, Tensor({0, 3}, kI64)}),
            "IndexError: take: index 3 is out of range for axis 0 with 3 elements");
  EXPECT_EQ(fails(oneHot(ids, 3), {ids}, {Tensor({-1, 0}, kI64)}),
            "IndexError: ravelIndex: index -1 is out of range for axis 0 with 3 elements");
  EXPECT_EQ(fails(bincount(ids), {ids}, {Tensor({2, -1}, kI64)}),
            "ValueError: assert: bincount: a number is negative");
  EXPECT_EQ(fails(assertTrue(x, k, "k is 0", ErrorKind::RuntimeError), {x, k},
                  {three, Tensor(int64_t(0))}),
            "RuntimeError: assert: k is 0");
}

// What has no value has none in the results, and nothing hangs or aborts.
TEST(LinearAlgebra, NaNsGiveNaNs) {
  Variable a = dmatrix("a");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  SvdFactors s = svd(a);
  EighFactors e = eigh(a);
  QrFactors q = qr(a);
  Variable c = real(eigvals(a));
  auto f = function({a}, Variables{s.u, s.s, s.vt, e.values, e.vectors, q.q, q.r, c, expm(a),
                                   svdvals(a), eigvalsh(a), inv(a),
                                   solve(a, a, {.assume = MatrixAssumption::Symmetric})});
  ASSERT_TRUE(f.ok()) << f.status();
  for (const Tensor &value : {Tensor({{nan, 1.0}, {1.0, 2.0}}), Tensor({{inf, 1.0}, {1.0, 2.0}})}) {
    absl::StatusOr<Results> results = (*f)(value);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t k = 0; k < results->size(); ++k)
      EXPECT_TRUE(std::isnan((*results)[k].flat<double>()[0]) ||
                  (k == 11 && (*results)[k].flat<double>()[0] == 0))
          << k << " " << (*results)[k];
  }
}

} // namespace
} // namespace graphc
