//===- PlacesOfCallsTest.cpp - where errors of calls stand: in the user's file ---------===//
#include <gtest/gtest.h>

#include <cmath>

#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// A mistake that only a call can see, since no extent is known before, or one that is seen before.
struct Failing {
  Variable result;
  Variables inputs;
  std::vector<Tensor> arguments;
};

const Variable v = dvector("v"), m = dmatrix("m"), k = lvector("k"), t3 = dtensor3("t3"),
               t4 = dtensor4("t4");

Tensor array(std::vector<int64_t> shape) {
  return *Tensor::full(DType::Float64, shape, Tensor(1.0));
}
Tensor ints(std::initializer_list<int64_t> numbers) {
  return *Tensor::fromSpan<int64_t>({numbers.begin(), numbers.size()}, {int64_t(numbers.size())});
}

/// Functions that are made of several ops put all of them there where they were called.
void expectErrorsHere(const std::vector<Failing> &calls) {
  for (const Failing &call : calls) {
    auto f = function(std::vector<In>(call.inputs.begin(), call.inputs.end()), call.result,
                      {.mode = "fast_compile", .onUnusedInput = OnUnusedInput::Ignore});
    absl::Status status = f.ok() ? f->call(call.arguments).status() : f.status();
    SCOPED_TRACE(whole(status));
    EXPECT_FALSE(status.ok()) << (call.result.hasOwner() ? call.result.owner().op().name() : "");
    std::optional<Place> place = errorPlace(status);
    EXPECT_TRUE(status.ok() || (place && std::string_view(place->file) == __FILE__));
  }
}

TEST(PlacesOfCalls, Arrays) {
  expectErrorsHere({
      {takeAlongAxis(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {putAlongAxis(v, k, 1.0), {v, k}, {array({3}), ints({7, 9})}},
      {addAlongAxis(v, k, 1.0), {v, k}, {array({3}), ints({7, 9})}},
      {setTake(v, k, array({2}), {.axis = 0}), {v, k}, {array({3}), ints({7, 9})}},
      {compress(k, v, 0), {v, k}, {array({1}), ints({1, 1, 1})}},
      {choose(k, {1.0, 2.0}), {k}, {ints({7, 9})}},
      {ravelMultiIndex({k}, {3}), {k}, {ints({7, 9})}},
      {unravelIndex(k, {2, 2})[0], {k}, {ints({7, 9})}},
      {oneHot(k, 3), {k}, {ints({7, 9})}},
      {embedding(m, k), {m, k}, {array({3, 2}), ints({7, 9})}},
      {topk(v, 5), {v}, {array({3})}},
      {argtopk(v, 5), {v}, {array({3})}},
      {topk(v, 0), {v}, {array({3})}},
      {searchsorted(m, v), {m, v}, {array({2, 2}), array({2})}},
      {searchsorted(v, v, {.sorter = k}), {v, k}, {array({3}), ints({7, 9})}},
      {bincount(k), {k}, {ints({-1})}},
      {bincount(k, v), {k, v}, {ints({7, 9}), array({5})}},
      {quantile(v, 2.0), {v}, {array({3})}},
      {histogram(v, 0).counts, {v}, {array({3})}},
      {histogramOf(v, v).counts, {v}, {array({1})}},
      {histogram(v, 3, {.weights = m}).counts, {v, m}, {array({3}), array({2, 2})}},
      {roll(v, 1, 3), {v}, {array({3})}},
      {roll(v, {1, 2}, {0}), {v}, {array({3})}},
      {rot90(v), {v}, {array({3})}},
      {tile(v, {-1}), {v}, {array({3})}},
      {repeat(v, -1), {v}, {array({3})}},
      {repeat(v, {1, 2}), {v}, {array({3})}},
      {tril(v), {v}, {array({3})}},
      {diag(t3), {t3}, {array({1, 1, 1})}},
      {diagonal(m, 0, 0, 0), {m}, {array({2, 2})}},
      {trace(v), {v}, {array({3})}},
      {linearRecurrence(v, m), {v, m}, {array({3}), array({2, 2})}},
      {linearRecurrence(v, k * 1.0), {v, k}, {array({3}), ints({7, 9})}},
      {gradient(v), {v}, {array({1})}},
      {diff(v, -1), {v}, {array({3})}},
      {ptp(v), {v}, {array({0})}},
      {convolve(v, v), {v}, {array({0})}},
      {convolve(m, v), {m, v}, {array({2, 2}), array({2})}},
      {reduceAnd(v), {v}, {array({3})}},
      {maxAndArgmax(v).max, {v}, {array({0})}},
      {linspace(0.0, v[0], -1), {v}, {array({3})}},
      {geomspace(k, k, 3), {k}, {ints({7, 9})}},
      {hstack({m, v}), {m, v}, {array({2, 2}), array({3})}},
      {vstack({v, k * 1.0}), {v, k}, {array({3}), ints({7, 9})}},
      {block({{m, m}, {m}}), {m}, {array({2, 2})}},
      {blockDiag({t3}), {t3}, {array({1, 1, 1})}},
      {vectorNorm(v, HUGE_VAL), {v}, {array({0})}},
      {fillDiagonal(v, 1.0), {v}, {array({2})}},
      {kron(dimshuffle(v, {0, -1, -1}), incTake(m, k, 1.0)),
       {v, m, k},
       {array({2}), array({2, 2}), ints({7, 9})}},
      {stack(Variables{v, k * 1.0}), {v, k}, {array({3}), ints({7, 9})}},
      {concatenate(Variables{m, m.T()}), {m}, {array({2, 3})}},
      {logspace(0.0, v[5], 3), {v}, {array({3})}},
      {median(v), {v}, {array({0})}},
      {tile(m, {2, -1}), {m}, {array({2, 2})}},
      {unique(v, 1).values, {v}, {array({0})}},
      {fftfreq(k[5]), {k}, {ints({7, 9})}},
  });
}

TEST(PlacesOfCalls, Matrices) {
  expectErrorsHere({
      {nonMaxSuppression(m, t3), {m, t3}, {array({2, 4}), array({1, 1, 1})}},
      {nonMaxSuppression(t3, t3), {t3}, {array({1, 2, 3})}},
      {cholesky(m), {m}, {array({2, 3})}},
      {solveTriangular(m, v), {m, v}, {array({2, 2}), array({3})}},
      {solve(m, v), {m, v}, {array({2, 2}), array({2})}},
      {solve(m, v, {.assume = MatrixAssumption::Positive}), {m, v}, {array({2, 2}), array({2})}},
      {choSolve(m * 0.0, v), {m, v}, {array({2, 2}), array({2})}},
      {luSolve(luFactor(m), v), {m, v}, {array({2, 2}), array({2})}},
      {inv(m), {m}, {array({2, 2})}},
      {pinv(v), {v}, {array({2})}},
      {lstsq(m, v), {m, v}, {array({2, 2}), array({3})}},
      {solveSylvester(m, -m, m), {m}, {array({2, 2})}},
      {solveContinuousLyapunov(m * 0.0, m), {m}, {array({2, 2})}},
      {solveDiscreteLyapunov(eye(2), m), {m}, {array({2, 2})}},
      {toeplitz(m, v), {m, v}, {array({2, 2}), array({2})}},
      {solveToeplitz(v, v), {v}, {array({2})}},
      {det(m), {m}, {array({2, 3})}},
      {slogdet(m).logarithm, {m}, {array({2, 3})}},
      {quadraticForm(v, m), {v, m}, {array({3}), array({2, 2})}},
      {matrixNorm(m, MatrixNorm::Inf), {m}, {array({0, 0})}},
      {matrixNorm(m, MatrixNorm::MinusTwo), {m}, {array({0, 0})}},
      {lu(v).l, {v}, {array({2})}},
      {ldl(m).l, {m}, {array({2, 3})}},
      {eigh(m).values, {m}, {array({2, 3})}},
      {eig(m).values, {m}, {array({2, 3})}},
      {matrixPower(m, -2), {m}, {array({2, 2})}},
      {matrixPower(m, 3), {m}, {array({2, 3})}},
      {expm(m), {m}, {array({2, 3})}},
      {logm(m), {m}, {array({2, 3})}},
      {einsum("ij,j", {m, v}), {m, v}, {array({2, 2}), array({3})}},
      {einsum("ii", {m}), {m}, {array({2, 3})}},
      {inner(m, v), {m, v}, {array({2, 2}), array({3})}},
      {vecdot(v, k * 1.0), {v, k}, {array({3}), ints({7, 9})}},
      {matvec(m, v), {m, v}, {array({2, 2}), array({3})}},
      {gemm(m, 1.0, m, m, 1.0), {m}, {array({2, 3})}},
      {ger(m, 1.0, v, v), {m, v}, {array({2, 2}), array({3})}},
      {vecmat(v, m), {v, m}, {array({3}), array({2, 2})}},
      {gemv(v, 1.0, m, v, 1.0), {v, m}, {array({3}), array({2, 2})}},
      {einsum("ij,ij->", {m, t3[0]}), {m, t3}, {array({2, 3}), array({1, 2, 2})}},
      {lstsq(m, v), {m, v}, {array({3, 2}), array({2})}},
      {luSolve(luFactor(m), v, true), {m, v}, {array({2, 2}), array({3})}},
      {relEntr(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {klDiv(v, k), {v, k}, {array({3}), ints({7, 9})}},
  });
}

TEST(PlacesOfCalls, Networks) {
  expectErrorsHere({
      {layerNorm(m, v, v), {m, v}, {array({2, 2}), array({3})}},
      {rmsNorm(m, v), {m, v}, {array({2, 2}), array({3})}},
      {groupNorm(m, 3, v, v), {m, v}, {array({2, 4}), array({4})}},
      {groupNorm(m, 2, v, v), {m, v}, {array({2, 4}), array({3})}},
      {instanceNorm(t3, v, v), {t3, v}, {array({1, 2, 3}), array({3})}},
      {batchNormTrain(t3, v, v).result, {t3, v}, {array({1, 2, 3}), array({3})}},
      {batchNormInference(t3, v, v, v, v), {t3, v}, {array({1, 2, 3}), array({3})}},
      {images2neibs(t4, {2, 2}), {t4}, {array({1, 1, 3, 3})}},
      {depthToSpace(t4, 2), {t4}, {array({1, 3, 2, 2})}},
      {spaceToDepth(t4, 2), {t4}, {array({1, 1, 3, 3})}},
      {resize(t4, {2, 2}), {t4}, {array({1, 1, 0, 3})}},
      {quantize(m, v, k), {m, v, k}, {array({2, 2}), array({3}), ints({7, 9})}},
      {dequantize(k, v, 0), {v, k}, {array({3}), ints({7, 9})}},
      {matmulInteger(k, k), {k}, {ints({1})}},
      {binaryCrossentropy(v, m), {v, m}, {array({3}), array({2, 2})}},
      {softmaxCrossentropy(m, k), {m, k}, {array({2, 3}), ints({7, 9})}},
      {categoricalCrossentropy(m, k), {m, k}, {array({2, 3}), ints({7, 9})}},
      {softmaxCrossentropy(m, k), {m, k}, {array({3, 30}), ints({7, 9})}},
      {meanSquaredError(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {klDivergence(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {ctcLoss(t3, k, k, k), {t3, k}, {array({1, 2, 3}), ints({7, 9})}},
      {hinge(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {attention(m, m, v), {m, v}, {array({2, 2}), array({2})}},
      {attention(m, t3, t3), {m, t3}, {array({2, 2}), array({1, 2, 3})}},
      {lstmCell(m, m, m, m, m, v).h, {m, v}, {array({2, 2}), array({2})}},
      {gruCell(m, m, m, m, v), {m, v}, {array({2, 2}), array({2})}},
      {conv2dTranspose(t4, t4), {t4}, {array({1, 2, 3, 3})}},
      {meanAbsoluteError(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {sigmoidBinaryCrossentropy(v, k), {v, k}, {array({3}), ints({7, 9})}},
      {causalConv1d(t3, transpose(t3, {1, 0, 2})), {t3}, {array({2, 3, 3})}},
      {conv1dTranspose(t3, t3), {t3}, {array({1, 2, 3})}},
  });
}

TEST(PlacesOfCalls, Others) {
  RandomStream s(1);
  expectErrorsHere({
      {fft(v), {v}, {array({0})}},
      {irfft(v), {v}, {array({0})}},
      {stack({v, k * 1.0}), {v, k}, {array({3}), ints({7, 9})}},
      {squeeze(m, Axis(0)), {m}, {array({2, 2})}},
      {split(v, {1, 1})[0], {v}, {array({3})}},
      {tensordot(m, v, 1), {m, v}, {array({2, 2}), array({3})}},
      {batchedDot(t3, t3), {t3}, {array({1, 2, 3})}},
      {map([](const Variables &i) { return take(i[0], 5, {.axis = 0}); }, {m}),
       {m},
       {array({2, 2})}},
      {foldl([](const Variables &i) { return i[0] + i[1]; }, {m}, v),
       {m, v},
       {array({2, 2}), array({3})}},
      {s.choice(2, {.p = v}), {v}, {array({3})}},
      {s.choice(2, {.p = {0.5}}), {}, {}},
      {s.choice(0, {.size = {3}}), {}, {}},
      {s.choice(k, {.size = {3}, .replace = false}), {k}, {ints({7, 9})}},
      {s.shuffle(v[5]), {v}, {array({3})}},
      {s.dropout(v[5], 0.5), {v}, {array({3})}},
      {fftn(m), {m}, {array({0, 0})}},
      {irfftn(m), {m}, {array({0, 0})}},
      {rfft(v), {v}, {array({0})}},
      {scan([](const Variables &in) { return in[0] + in[1]; }, {.sequences = {v}, .outputs = {1.0}})
           .outputs[0][-1],
       {v},
       {array({0})}},
      {scan([](const Variables &in) { return in[0] + in[1]; }, {.sequences = {v}, .outputs = {1.0}})
           .outputs[0][-2],
       {v},
       {array({1})}},
  });
}

} // namespace
} // namespace graphc
