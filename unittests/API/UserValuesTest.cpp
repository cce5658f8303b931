//===- UserValuesTest.cpp - sizes and positions that are any 64-bit number ---===//
//
// Values of run time that name sizes, steps and positions, up to both ends of int64: the answer is
// Python's, or an error; never memory that is not the operand's.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr int64_t kMin = INT64_MIN, kMax = INT64_MAX, k32 = int64_t(1) << 32;

const char *const kModes[] = {"interpreter", "fast_run"};

/// The status of f(inputs = values) in a mode, and its value.
absl::StatusOr<Tensor> call(const Variables &inputs, const Variable &output,
                            std::vector<Tensor> values, const char *mode) {
  auto f = function(inputs, {output}, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
  if (!f.ok())
    return f.status();
  auto r = f->call(std::move(values));
  if (!r.ok())
    return r.status();
  return (*r)[0];
}

/// Errors without their notes; `compiled` where compiled code says something else.
void expectError(const Variables &inputs, const Variable &output, std::vector<Tensor> values,
                 ErrorKind kind, const std::string &text, std::string compiled = {}) {
  if (compiled.empty())
    compiled = text;
  for (const char *mode : kModes) {
    absl::Status status = call(inputs, output, values, mode).status();
    EXPECT_EQ(errorKind(status), kind) << mode << ": " << status;
    std::string message(status.message());
    EXPECT_EQ(message.substr(0, message.find('\n')),
              mode == std::string("interpreter") ? text : compiled)
        << mode;
  }
}

// F-024: Python's answers for [10, 20, 30, 40, 50][::step].
TEST(UserValues, StepsOfAnySize) {
  auto v = dvector("v");
  auto s = lscalar("s");
  Tensor data({10, 20, 30, 40, 50});
  for (auto [step, wanted] :
       std::initializer_list<std::pair<int64_t, Tensor>>{{kMax, Tensor({10})},
                                                         {kMax - 1, Tensor({10})},
                                                         {kMin, Tensor({50})},
                                                         {kMin + 1, Tensor({50})},
                                                         {int64_t(1) << 31, Tensor({10})},
                                                         {6, Tensor({10})},
                                                         {5, Tensor({10})},
                                                         {4, Tensor({10, 50})},
                                                         {-4, Tensor({50, 10})},
                                                         {-5, Tensor({50})}}) {
    Variable fixed = constant(data)[{Slice(kEnd, kEnd, step)}];
    ASSERT_TRUE(fixed.ok()) << fixed.status();
    EXPECT_EQ(fixed.type().extent(0), wanted.shape()[0]) << step;
    for (const char *mode : kModes) {
      SCOPED_TRACE(std::string(mode) + " " + std::to_string(step));
      auto dynamic = call({v, s}, v[{Slice(kEnd, kEnd, s)}], {data, Tensor(step)}, mode);
      ASSERT_TRUE(dynamic.ok()) << dynamic.status();
      EXPECT_EQ(*dynamic, wanted);
      auto known = call({v}, v[{Slice(kEnd, kEnd, step)}], {data}, mode);
      ASSERT_TRUE(known.ok()) << known.status();
      EXPECT_EQ(*known, wanted);
      auto folded = call({}, fixed, {}, mode);
      ASSERT_TRUE(folded.ok()) << folded.status();
      EXPECT_EQ(*folded, wanted);
      auto nothing = call({v, s}, v[{Slice(kEnd, kEnd, s)}],
                          {*Tensor::zeros(DType::Float64, {0}), Tensor(step)}, mode);
      ASSERT_TRUE(nothing.ok()) << nothing.status();
      EXPECT_EQ(nothing->numElements(), 0);
    }
  }
}

TEST(UserValues, BoundsOfAnySize) {
  auto v = dvector("v");
  auto a = lscalar("a"), b = lscalar("b");
  Tensor data({10, 20, 30});
  for (const char *mode : kModes) {
    auto whole = call({v, a, b}, v[{Slice(a, b)}], {data, Tensor(kMin), Tensor(kMax - 1)}, mode);
    ASSERT_TRUE(whole.ok()) << whole.status();
    EXPECT_EQ(*whole, data);
    auto none = call({v, a, b}, v[{Slice(a, b)}], {data, Tensor(kMax), Tensor(kMin)}, mode);
    ASSERT_TRUE(none.ok()) << none.status();
    EXPECT_EQ(none->numElements(), 0);
  }
}

TEST(UserValues, PositionsOfAnySize) {
  auto v = dvector("v");
  auto i = lscalar("i");
  auto many = lvector("many");
  Tensor data({10, 20, 30});
  for (int64_t at : {kMin, kMin + 2, int64_t(-4), int64_t(3), kMax}) {
    std::string text =
        "index " + std::to_string(at) + " is out of range for axis 0 with 3 elements";
    Tensor list = *Tensor::fromSpan(absl::MakeConstSpan({int64_t(1), at}), {2});
    expectError({v}, v[at], {data}, ErrorKind::IndexError, "subtensor: " + text);
    expectError({v, i}, v[i], {data, Tensor(at)}, ErrorKind::IndexError, "subtensor: " + text);
    expectError({v, many}, take(v, many), {data, list}, ErrorKind::IndexError, "take: " + text);
  }
  // Positions that compiled code knows as sizes.
  std::string end = "subtensor: index 6 is out of range for axis 0 with 3 elements";
  expectError({v}, v[shape(v, 0) + 3], {data}, ErrorKind::IndexError, end);
  std::string start = "subtensor: index -4 is out of range for axis 0";
  expectError({v}, v[shape(v, 0) - 7], {data}, ErrorKind::IndexError, start + " with 3 elements",
              start + ", where -3 is the first element");
}

/// A reshape whose product wraps to the number of elements would read far outside them.
TEST(UserValues, ReshapesAreCounted) {
  auto v = fvector("v");
  auto n = lscalar("n"), k = lscalar("k"), i = lscalar("i");
  Tensor none = *Tensor::zeros(DType::Float32, {0}), four({5, 6, 7, 8}, DType::Float32),
         one({5}, DType::Float32);
  Variable r = reshape(v, {n, k});
  for (const Variable &out : {r, sum(r), shape(r), exp(r[{0, i}]), max(r, Axis(0))}) {
    expectError({v, n, k, i}, out, {one, Tensor(kMax), Tensor(kMax), Tensor(1)},
                ErrorKind::ShapeError,
                "reshape: 1 elements do not fit a shape of 85070591730234615847396907784232501249");
    expectError({v, n, k, i}, out, {none, Tensor(k32), Tensor(k32), Tensor(int64_t(1) << 31)},
                ErrorKind::ShapeError,
                "reshape: 0 elements do not fit a shape of 18446744073709551616");
    // 4 (2^62 + 1) is 4 in 64 bits.
    expectError({v, n, k, i}, out,
                {four, Tensor(4), Tensor((int64_t(1) << 62) + 1), Tensor(int64_t(1) << 40)},
                ErrorKind::ShapeError,
                "reshape: 4 elements do not fit a shape of 18446744073709551620");
  }
  expectError({v, n, k}, r, {four, Tensor(2), Tensor(kMin + 2)}, ErrorKind::ShapeError,
              "reshape: extent -9223372036854775806 along axis 1 of the new shape is negative");
  EXPECT_EQ(errorKind(reshape(constant(none), {k32, k32}).status()), ErrorKind::ShapeError);
  for (const char *mode : kModes) {
    auto empty = call({v, n, k}, r, {none, Tensor(0), Tensor(int64_t(1) << 40)}, mode);
    ASSERT_TRUE(empty.ok()) << empty.status();
    EXPECT_EQ(empty->shape(), (absl::Span<const int64_t>{0, int64_t(1) << 40}));
    auto rest = call({v, n, k}, r, {four, Tensor(-1), Tensor(2)}, mode);
    ASSERT_TRUE(rest.ok()) << rest.status();
    EXPECT_EQ(*rest, Tensor({{5, 6}, {7, 8}}, DType::Float32));
  }
}

// Nothing is made, but indices are looked at in a loop: it must not run 2^40 times.
TEST(UserValues, LoopsOfNothingAreLeftOut) {
  auto t = tensor(DType::Float32, {kDynamic, kDynamic}, "t");
  auto at = lvector("at");
  auto n = lscalar("n");
  Variable rows = take(t, broadcastTo(at, {n, shape(at)[{0}]}), {.axis = 0});
  for (const char *mode : {"fast_run", "strict"}) {
    auto empty = call({t, at, n}, rows,
                      {*Tensor::zeros(DType::Float32, {3, 0}), Tensor({0, 1, 2}, DType::Int64),
                       Tensor(int64_t(1) << 40)},
                      mode);
    ASSERT_TRUE(empty.ok()) << empty.status();
    EXPECT_EQ(empty->shape(), (absl::Span<const int64_t>{int64_t(1) << 40, 3, 0}));
  }
}

TEST(UserValues, PiecesLieInTheAxis) {
  auto v = fvector("v");
  auto sizes = lvector("sizes");
  Tensor data({1, 2, 3, 4, 5}, DType::Float32);
  Variables pieces = split(v, sizes, 3);
  auto list = [](int64_t a, int64_t b, int64_t c) {
    return *Tensor::fromSpan(absl::MakeConstSpan({a, b, c}), {3});
  };
  std::string many =
      "split: the sizes add up to 18446744073709551621 where the axis has 5 elements";
  for (const Variable &out : {pieces[0], pieces[2], sum(pieces[0])}) {
    expectError({v, sizes}, out, {data, list(kMax, kMax, 7)}, ErrorKind::ValueError, many);
    expectError({v, sizes}, out, {data, list(7, kMax, kMax)}, ErrorKind::ValueError, many);
    expectError({v, sizes}, out, {data, list(kMin, kMin, 5)}, ErrorKind::ValueError,
                "split: piece 0 has the negative size -9223372036854775808");
    expectError({v, sizes}, out, {data, list(1, 1, 1)}, ErrorKind::ValueError,
                "split: the sizes add up to 3 where the axis has 5 elements");
  }
  EXPECT_EQ(errorKind(split(v, {kMax, kMax, 7})[0].status()), ErrorKind::ValueError);
}

TEST(UserValues, NewArraysAreCounted) {
  auto n = lscalar("n"), k = lscalar("k");
  for (auto &[op, out] : {std::pair{"zeros", sum(zeros({n, k}, DType::Float32))},
                          {"eye", sum(eye(n, k))},
                          {"broadcastTo", argmax(broadcastTo(n, {k, n}))}})
    expectError({n, k}, out, {Tensor(k32), Tensor(k32)}, ErrorKind::ValueError,
                std::string(op) + ": shape (4294967296, 4294967296) is too large");
}

} // namespace
} // namespace graphc
