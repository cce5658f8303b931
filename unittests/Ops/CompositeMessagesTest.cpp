//===- CompositeMessagesTest.cpp - mistakes in functions that are made of ops ---------===//
#include "OpMessages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// The first line of what a call says.
std::string saidByCall(const Variable &v) {
  auto f = function({}, v, {.mode = "interpreter"});
  absl::Status status = f.ok() ? (*f)().status() : f.status();
  return firstLine(status);
}

TEST(CompositeMessages, Arrays) {
  Variable s = f64({}), v = f64({3}), m = f64({2, 3}), cube = f64({2, 2, 2});
  expectMessages({
      {blockDiag({cube}),
       "ShapeError: blockDiag: a block has more than two axes\n  blockDiag(f64[2,2,2])"},
      {gradient(f64({1})),
       "ValueError: gradient: an axis of 1 elements has no differences\n  gradient(f64[1])"},
      {geomspace(v, s),
       "TypeError: geomspace: start and stop must be numbers\n  geomspace(f64[3])"},
      {vectorNorm(v, std::nan("")),
       "ValueError: vectorNorm: the order is NaN\n  vectorNorm(f64[3])"},
      {histogramOf(v, s).counts, "ValueError: histogram: edges are a sorted vector of at least two "
                                 "numbers\n  histogram(f64[3])"},
      {histogram(v, 0).counts, "ValueError: histogram: there are 0 bins\n  histogram(f64[3])"},
      {histogram(v, 2, {.range = {{1, 0}}}).edges,
       "ValueError: histogram: the range is not finite, or begins behind its end\n  "
       "histogram(f64[3])"},
      {reduceAnd(v), "TypeError: reduceAnd: bits are joined of integers and bools, not of floats\n "
                     " reduceAnd(f64[3])"},
  });
  EXPECT_EQ(errorKind(hstack({}).status()), ErrorKind::ValueError);
  EXPECT_EQ(vstack({}).status().message(), "vstack: there are no parts");
  EXPECT_EQ(block({}).status().message(), "block: there are no parts");
  EXPECT_EQ(saidByCall(histogram(constant(Tensor({1.0, HUGE_VAL})), 2).counts),
            "ValueError: assert: histogram: the least or the greatest element is not finite");
}

TEST(CompositeMessages, Products) {
  Variable v = f64({3}), m = f64({2, 3}), s = f64({});
  expectMessages({
      {einsum("ij,jk", {m}),
       "ValueError: einsum: the equation has 2 terms for 1 operands\n  einsum(f64[2,3])"},
      {einsum("i-", {v}), "ValueError: einsum: 'i-' is no term of labels\n  einsum(f64[3])"},
      {einsum("ijk", {m}),
       "ValueError: einsum: the term 'ijk' does not fit rank 2\n  einsum(f64[2,3])"},
      {einsum("ij->ik", {m}), "ValueError: einsum: the result repeats a label, or has one that no "
                              "operand has\n  einsum(f64[2,3])"},
      {einsum("ij,ij", {m, f64({2, 4})}),
       "ShapeError: einsum: label j has the extents 3 and 4\n  einsum(f64[2,3])"},
      {einsum("i,i", {v, f64({0})}),
       "ShapeError: einsum: label i has the extents 3 and 0\n  einsum(f64[3])"},
      {einsum("...", {f64({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})}),
       "ValueError: einsum: an ellipsis stands for more than 12 axes\n  "
       "einsum(f64[1,1,1,1,1,1,1,1,1,1,1,1,1])"},
      {matvec(v, v),
       "ShapeError: matvec: ranks are at least 2 and 1, not 1 and 1\n  matvec(f64[3])"},
  });
  EXPECT_EQ(einsum("i", {}).status().message(), "einsum: there are no operands");
  Variable x = dmatrix("x"), y = dmatrix("y");
  auto f = function({x, y}, einsum("ij,ij->", {x, y}));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(firstLine((*f)(*Tensor::zeros(kF64, {2, 3}), *Tensor::zeros(kF64, {3, 2})).status()),
            "ShapeError: assert: einsum: label i has different extents");
}

// An operand's axes of one label are not broadcast, as in NumPy.
TEST(CompositeMessages, EinsumComparesAxesOfOneLabel) {
  for (const char *equation : {"ii", "ii->i", "ii->", "iij,j", "...jj->..."}) {
    SCOPED_TRACE(equation);
    bool hasJ = std::string_view(equation) == "iij,j";
    std::string label = std::string_view(equation).starts_with("...jj") ? "j" : "i";
    for (int rows : {1, 2}) {
      std::vector<int64_t> shape = {rows, 3};
      if (hasJ)
        shape.push_back(4);
      std::vector<Operand> operands = {zeros(ShapeList(shape), kF64)}, open;
      Variable x = tensor(kF64, std::vector<int64_t>(shape.size(), kDynamic), "x");
      open.push_back(x);
      if (hasJ) {
        operands.push_back(f64({4}));
        open.push_back(zeros({4}, kF64));
      }
      EXPECT_EQ(firstLine(einsum(equation, operands).status()),
                "ShapeError: einsum: label " + label + " has the extents " + std::to_string(rows) +
                    " and 3");
      for (const char *mode : {"interpreter", "fast_run"}) {
        auto f = function({x}, einsum(equation, open), {.mode = mode});
        ASSERT_TRUE(f.ok()) << f.status();
        EXPECT_EQ(firstLine((*f)(*Tensor::zeros(kF64, shape)).status()),
                  "ShapeError: assert: einsum: label " + label + " has different extents");
        shape[0] = 3;
        EXPECT_TRUE((*f)(*Tensor::zeros(kF64, shape)).ok());
        shape[0] = rows;
      }
    }
  }
}

/// More operands than sets of them have bits.
TEST(CompositeMessages, EinsumOfManyOperands) {
  Variable x = dvector("x");
  std::string equation = "i";
  for (int k = 1; k < 40; ++k)
    equation += ",i";
  auto f = function({x}, einsum(equation + "->i", std::vector<Operand>(40, x)));
  ASSERT_TRUE(f.ok()) << f.status();
  auto powers = (*f)(Tensor({1.0, 2.0}));
  ASSERT_TRUE(powers.ok()) << powers.status();
  Tensor power = (*powers)[0];
  EXPECT_EQ(power.flat<double>(), (std::vector<double>{1.0, 0x1p40}));
}

TEST(CompositeMessages, Matrices) {
  Variable v = f64({3}), m = f64({2, 2}), s = f64({});
  expectMessages({
      {solveSylvester(m, v, m),
       "ShapeError: solveSylvester: a, b and q must be matrices, not of ranks 2, 1 and 2\n  "
       "solveSylvester(f64[2,2])"},
      {solveContinuousLyapunov(v, m),
       "ShapeError: solveSylvester: a, b and q must be matrices, not of ranks 1, 1 and 2\n  "
       "solveSylvester(f64[3])"},
      {solveSylvester(m, m, f64({3, 2})),
       "ShapeError: solveSylvester: q has 3 rows where a has 2\n  "
       "solveSylvester(f64[2,2], f64[2,2], f64[3,2])"},
      {solveSylvester(m, m, f64({2, 3})),
       "ShapeError: solveSylvester: q has 3 columns where b has 2\n  "
       "solveSylvester(f64[2,2], f64[2,2], f64[2,3])"},
      {toeplitz(s), "ShapeError: toeplitz: column and row must be vectors, or batches of one rank, "
                    "not of ranks 0 "
                    "and 0\n  toeplitz(f64)"},
  });
  Variable a = constant(Tensor({{1.0, 0.0}, {0.0, 2.0}}));
  EXPECT_EQ(saidByCall(solveSylvester(a, -a, a)), "LinAlgError: solveSylvester: the matrix has an "
                                                  "eigenvalue that is the negative of one of b's");
  EXPECT_EQ(saidByCall(solveDiscreteLyapunov(a, a)),
            "LinAlgError: solveSylvester: the matrix has an eigenvalue that is the reciprocal of "
            "one of b's");
  EXPECT_EQ(saidByCall(luSolve(luFactor(a * 0.0), a)),
            "LinAlgError: luSolve: the matrix is singular");
  EXPECT_EQ(saidByCall(choSolve(a * 0.0, a)), "LinAlgError: choSolve: the matrix is singular");
  Variable wide = f64({2, 3}), open = shared(Tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 7.0}}));
  expectMessages({{luSolve(luFactor(wide), f64({2})),
                   "ShapeError: luSolve: the matrix must be square, not 2 x 3\n  "
                   "luSolve{lower = true, unitDiagonal = true}(f64[2,3], f64[2,1])"}});
  EXPECT_EQ(saidByCall(luSolve(luFactor(open), a)),
            "ShapeError: luSolve: the matrix must be square, not 2 x 3");
}

// Singular matrices, and those without a value, give what the headers say.
TEST(CompositeMessages, SingularMatricesAreNoErrors) {
  auto valueOf = [](const Variable &v) { return *(*function({}, v))(); };
  for (DType dtype : {DType::Float64, DType::Float32}) {
    Variable zero = zeros({2, 2}, dtype), none = zero / zero;
    EXPECT_EQ(valueOf(luFactor(zero).factors)[0], Tensor({{0.0, 0.0}, {0.0, 0.0}}).cast(dtype));
    EXPECT_EQ(valueOf(ldl(zero).d)[0], Tensor({{0.0, 0.0}, {0.0, 0.0}}).cast(dtype));
    EXPECT_EQ(valueOf(pinv(zero))[0], Tensor({{0.0, 0.0}, {0.0, 0.0}}).cast(dtype));
    for (const Variable &v :
         {logm(zero), logm(-eye(2, 2, 0, dtype)), luFactor(none).factors, ldl(none).l, ldl(none).d,
          pinv(none), logm(none), solveSylvester(none, none, none)})
      EXPECT_TRUE(valueOf(all(isnan(v)))[0].item<bool>()) << v.owner().op().name();
    // The derivatives of a singular matrix' pseudoinverse are finite.
    Variable a = zeros({2, 2}, dtype) + Tensor({{1.0, 0.0}, {0.0, 0.0}}).cast(dtype);
    EXPECT_TRUE(valueOf(all(isfinite(grad(sum(pinv(a)), a))))[0].item<bool>());
  }
}

TEST(CompositeMessages, Pictures) {
  Variable s = f64({}), v = f64({3}), x = f64({1, 2, 4, 4}), i = of(kI64, {1, 2, 4, 4});
  expectMessages({
      {im2col(v, {2, 2}),
       "ShapeError: im2col: x must have channels and as many axes as the window, 2, not rank 1\n  "
       "im2col(f64[3])"},
      {im2col(x, {0, 2}), "ValueError: im2col: window, stride and dilation are positive, a number "
                          "for each axis of the "
                          "window\n  im2col(f64[1,2,4,4])"},
      {images2neibs(v, {2, 2}),
       "ShapeError: images2neibs: x must have rank 4, and the window two axes, not rank 1\n  "
       "images2neibs(f64[3])"},
      {images2neibs(x, {2, 2}, {.step = {0, 1}}),
       "ValueError: images2neibs: window and step are positive, a number for each axis\n  "
       "images2neibs(f64[1,2,4,4])"},
      {depthToSpace(v, 2),
       "ShapeError: depthToSpace: x must be (batch, channels, height, width), not rank 1\n  "
       "depthToSpace(f64[3])"},
      {spaceToDepth(x, 0), "ValueError: spaceToDepth: a block has 0 pixels along an axis\n  "
                           "spaceToDepth(f64[1,2,4,4])"},
      {resize(s, {2}), "ShapeError: resize: sizes are a vector of known length, of at most as many "
                       "numbers as x has "
                       "axes\n  resize(f64)"},
      {resize(i, {2}),
       "TypeError: resize: only floats are interpolated, not int64\n  resize(i64[1,2,4,4])"},
      {upsample(x, {0}),
       "ValueError: upsample: factors are positive, of at most as many axes as x has\n  "
       "upsample(f64[1,2,4,4])"},
      {conv2dTranspose(v, v),
       "ShapeError: conv2dTranspose: x and kernel must have rank 4, not 1 and 1\n  "
       "conv2dTranspose(f64[3])"},
      {conv2dTranspose(x, x, {.stride = {1}}),
       "ValueError: conv2dTranspose: stride, dilation and outputPadding have a number for each "
       "spatial axis\n  conv2dTranspose(f64[1,2,4,4])"},
      {conv2dTranspose(x, x, {.outputPadding = {1, 0}}),
       "ValueError: conv2dTranspose: stride and dilation are positive, and outputPadding is at "
       "least 0 "
       "and less than one of them\n  conv2dTranspose(f64[1,2,4,4])"},
      {conv2dTranspose(x, x, {.padding = Padding(Padding::Kind::Half)}),
       "ValueError: conv2dTranspose: padding is given in numbers\n  conv2dTranspose(f64[1,2,4,4])"},
      {conv2dTranspose(x, x, {.groups = 0}),
       "ValueError: conv2dTranspose: there are 0 groups\n  conv2dTranspose(f64[1,2,4,4])"},
      {quantize(x, i, of(DType::Int8)),
       "TypeError: quantize: scale is a float, zero an integer: numbers, vectors, or arrays of "
       "x's rank\n  "
       "quantize(f64[1,2,4,4])"},
      {quantize(x, s, of(kI64)), "TypeError: quantize: the integers have 8, 16 or 32 bits, not "
                                 "int64\n  quantize(f64[1,2,4,4])"},
      {quantize(v, v, of(DType::Int8, {3}), 2),
       "TypeError: quantize: x has no axis 2\n  quantize(f64[3])"},
      {quantize(i, s, of(DType::Int8)),
       "TypeError: quantize: x is a float\n  quantize(i64[1,2,4,4])"},
      {matmulInteger(of(DType::Int8, {3}), of(DType::Int8, {3, 2}), of(DType::Int8, {3})),
       "TypeError: matmulInteger: a vector of zeros is for the rows or columns of a matrix\n  "
       "matmulInteger(i8[3])"},
      {matmulInteger(i, i),
       "TypeError: matmulInteger: the matrices are integers of 8 or 16 bits, not int64\n  "
       "matmulInteger(i64[1,2,4,4])"},
      {RandomStream(1).dropout(v, 1.5),
       "ValueError: dropout: p must be a probability, not 1.500000\n  dropout(f64[3])"},
      {print(node("print", {}, {v, v})),
       "TypeError: print: the condition must be one number, not an array; use any(...)\n  "
       "print(f64[3], f64[3])"},
  });
  EXPECT_EQ(saidByCall(images2neibs(zeros({1, 1, 3, 4}, kF64), {2, 2})),
            "ShapeError: assert: images2neibs: windows do not end where the picture does");
}

TEST(CompositeMessages, Sequences) {
  Variable x = zeros({3, 2, 4}, kF64), labels = constant(Tensor({{1, 2}, {3, 1}}, kI64)),
           two = constant(Tensor({2, 2}, kI64));
  expectMessages({
      {ctcLoss(f64({3}), of(kI64, {1, 1}), of(kI64, {1}), of(kI64, {1})),
       "TypeError: ctcLoss: the logarithms of probabilities are floats, (times, batch, classes)\n  "
       "ctcLoss(f64[3], i64[1,1], i64[1], i64[1])"},
      {ctcLoss(f64({3, 2, 4}), of(kI64, {1, 1}), of(kI64, {2}), of(kI64, {2})),
       "ShapeError: ctcLoss: there are labels or lengths of 1 elements where the batch has 2\n  "
       "ctcLoss(f64[3,2,4], i64[1,1], i64[2], i64[2])"},
      {ctcLoss(f64({3, 2, 4}), of(kI64, {2, 1}), of(kI64, {4}), of(kI64, {2})),
       "ShapeError: ctcLoss: there are labels or lengths of 4 elements where the batch has 2\n  "
       "ctcLoss(f64[3,2,4], i64[2,1], i64[4], i64[2])"},
      {ctcLoss(f64({3, 2, 4}), of(kI64, {2, 1}), of(kI64, {2}), of(kI64, {3})),
       "ShapeError: ctcLoss: there are labels or lengths of 3 elements where the batch has 2\n  "
       "ctcLoss(f64[3,2,4], i64[2,1], i64[2], i64[3])"},
      {node("ctcGradientAlong", {},
            {f64({3, 2, 4}), of(kI64, {2, 1}), of(kI64, {2}), of(kI64, {2}), f64({3})}),
       "TypeError: ctcGradientAlong: the direction has the rank of the logarithms, 3\n  "
       "ctcGradientAlong(f64[3,2,4], i64[2,1], i64[2], i64[2], f64[3])"},
      {node("ctcGradientAlong", {},
            {f64({3, 2, 4}), of(kI64, {2, 1}), of(kI64, {2}), of(kI64, {2}), f64({3, 2, 5})}),
       "ShapeError: ctcGradientAlong: the direction has extent 5 where the operand has 4\n  "
       "ctcGradientAlong(f64[3,2,4], i64[2,1], i64[2], i64[2], f64[3,2,5])"},
  });
  EXPECT_EQ(saidByCall(ctcLoss(x, labels, two, two, 4)),
            "IndexError: ctcLoss: the blank 4 is none of the 4 classes");
  EXPECT_EQ(saidByCall(ctcLoss(x, labels + 1, two, two)),
            "IndexError: ctcLoss: the label 4 of element 1 is the blank or none of the 4 classes");
  EXPECT_EQ(saidByCall(ctcLoss(x, labels, two + 2, two)),
            "ValueError: ctcLoss: the number of times of element 0 is 4, not between 0 and 3");
  EXPECT_EQ(saidByCall(ctcLoss(x, labels, two, two - 3)),
            "ValueError: ctcLoss: the number of labels of element 0 is -1, not between 0 and 2");
}

// The message, the value, a line; nothing where the condition is 0.
TEST(Print, WritesLines) {
  Variable x = dvector("x");
  auto f = function({x}, {sum(print(x, "x is ")), breakpoint(x, gt(sum(x), 5.0), "great: ")});
  ASSERT_TRUE(f.ok()) << f.status();
  testing::internal::CaptureStdout();
  ASSERT_TRUE((*f)(Tensor({1.0, 2.0})).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is [1. 2.]\n");
  testing::internal::CaptureStdout();
  ASSERT_TRUE((*f)(Tensor({4.0, 2.0})).ok());
  std::string said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("x is [4. 2.]\n"), std::string::npos);
  EXPECT_NE(said.find("great: [4. 2.]\n"), std::string::npos);
  EXPECT_EQ((*function({x}, {grad(sum(print(x) * 3.0), x)}))(Tensor({0.0, 0.0})).status(),
            absl::OkStatus());
}

// Equal ones are not merged.
TEST(Print, EachWritesItsLine) {
  Variable x = dvector("x"), y = print(x, "x is ") + print(x, "x is ");
  for (const char *mode : {"interpreter", "fast_compile", "fast_run", "strict"}) {
    SCOPED_TRACE(mode);
    auto f = function({x}, y, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    testing::internal::CaptureStdout();
    ASSERT_TRUE((*f)(Tensor({1.0, 2.0})).ok());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is [1. 2.]\nx is [1. 2.]\n");
  }
}

// Kept with probability 1 - p, and the mean stays.
TEST(Dropout, KeepsTheMean) {
  RandomStream stream(3);
  Variable x = ones({100000}, DType::Float32);
  auto f = function({}, {mean(stream.dropout(x, 0.25)), max(stream.dropout(x, 0.25)),
                         stream.dropout(x, 0), stream.dropout(x, 1)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)();
  ASSERT_TRUE(r.ok()) << r.status();
  // Five standard errors.
  EXPECT_NEAR((*r)[0].item<float>(), 1, 5 * std::sqrt(0.25 / 0.75 / 100000));
  EXPECT_EQ((*r)[1].item<float>(), 1.0f / 0.75f);
  EXPECT_EQ((*r)[2].flat<float>()[7], 1);
  EXPECT_EQ((*r)[3].flat<float>()[7], 0);
}

} // namespace
} // namespace graphc
