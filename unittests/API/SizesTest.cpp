//===- SizesTest.cpp - extents that no array can have ---------------------===//
//
// Whatever is computed of an array, be it ever in memory or fused away, the array must be one that
// could exist: NumPy refuses each of these as well, where it makes the array.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "graphc/graphc.h"

namespace graphc {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

class SizesTest : public testing::TestWithParam<const char *> {
protected:
  absl::StatusOr<Results> run(InputList inputs, OutputList outputs, std::vector<Tensor> values) {
    auto f =
        function(inputs, outputs, {.mode = GetParam(), .onUnusedInput = OnUnusedInput::Ignore});
    return f.ok() ? f->call(std::move(values)) : f.status();
  }
  /// The first line of the error, which must be a ValueError with a place.
  std::string problem(const absl::StatusOr<Results> &r) {
    EXPECT_EQ(errorKind(r.status()), ErrorKind::ValueError) << r.status();
    EXPECT_TRUE(errorPlace(r.status())) << r.status();
    std::string text(r.status().message());
    return text.substr(0, text.find('\n'));
  }

  Variable n = lscalar("n"), k = lscalar("k"), d = dscalar("d"), v = dvector("v");
};

TEST_P(SizesTest, ArraysThatAreFusedAway) {
  int64_t half = int64_t(1) << 32;
  Variable large = full({n, k}, d);
  auto of = [&](const Variable &result) {
    return problem(run({n, k, d}, {result}, {half, half, 1.0}));
  };
  std::string expected = "full: shape (4294967296, 4294967296) is too large";
  Variable results[] = {large.sum(),
                        large.mean(),
                        large.max(),
                        large.argmax(),
                        large,
                        size(large),
                        flatten(large).sum(),
                        exp(large.sum(0)).sum(),
                        softmax(large).sum(),
                        dot(large, large.T()).sum(),
                        any(large > 0.0)};
  for (const Variable &result : results)
    EXPECT_EQ(of(result), expected) << str(result);
}

// 2^64 is not 0.
TEST_P(SizesTest, ReshapesToExactSizes) {
  int64_t half = int64_t(1) << 32;
  auto of = [&](const Tensor &value, int64_t rows, int64_t columns) {
    auto r = run({v, n, k}, {reshape(v, {n, k})}, {value, rows, columns});
    std::string text(r.status().message());
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(of(*Tensor::zeros(DType::Float64, {0}), half, half),
            "reshape: 0 elements do not fit a shape of 18446744073709551616");
  EXPECT_EQ(of(Tensor({1.0, 2.0}), half, half),
            "reshape: 2 elements do not fit a shape of 18446744073709551616");
}

// numpy.arange refuses these too.
TEST_P(SizesTest, Ranges) {
  EXPECT_EQ(problem(run({n, k}, {arange(n, k)}, {kLeast, kMost})),
            "arange: shape (18446744073709551615,) is too large");
  EXPECT_EQ(problem(run({n, k}, {arange(n, k).sum()}, {kLeast, kMost})),
            "arange: shape (18446744073709551615,) is too large");
  std::string notANumber =
      "arange: the length cannot be computed: start, stop or step is NaN or infinite";
  EXPECT_EQ(problem(run({d}, {arange(d)}, {std::nan("")})), notANumber);
  for (double end : {HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(problem(run({d}, {arange(d)}, {end})), notANumber);
    EXPECT_EQ(problem(run({d}, {arange(d, 0.0)}, {end})), notANumber);
  }
  EXPECT_EQ(problem(run({d}, {arange(d)}, {1e300})),
            "arange: shape (9223372036854775807,) is too large");
  auto backwards = run({n, k}, {arange(0, n, k)}, {-5, kLeast});
  ASSERT_TRUE(backwards.ok()) << backwards.status();
  EXPECT_EQ((*backwards)[0], Tensor({0}, DType::Int64));
}

// Only the joined array is too large, and compiled code has its parts nowhere.
TEST(Join, SumsOfExtents) {
  Variable n = lscalar("n"), d = dscalar("d");
  Variable part = full({n}, d, DType::Int8);
  Variable joined = concatenate({part, part, part, part});
  for (const Variable &result : {joined, joined.sum()}) {
    absl::Status status = (*function({n, d}, {result}))(int64_t(1) << 62, 1.0).status();
    EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
    std::string text(status.message());
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "concatenate: shape (18446744073709551616,) is too large");
  }
}

TEST(ConstantRange, IsRefusedWhereItIsMade) {
  auto problem = [](const Variable &range) {
    std::string text(range.status().message());
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(problem(arange(kLeast, kMost)), "arange: shape (9223372036854775807,) is too large");
  for (double end : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    EXPECT_EQ(problem(arange(end)),
              "arange: the length cannot be computed: start, stop or step is NaN or infinite");
}

// Bounds far beyond the axis are clipped, as Python clips them.
TEST_P(SizesTest, SlicesFromEndToEnd) {
  Tensor three({1.0, 2.0, 3.0});
  auto of = [&](const Variable &result, int64_t first, int64_t second) {
    auto r = run({v, n, k}, {result}, {three, first, second});
    EXPECT_TRUE(r.ok()) << r.status();
    return r.ok() ? (*r)[0] : Tensor();
  };
  EXPECT_EQ(of(v[{Slice(n, k)}], kLeast, kMost), three);
  EXPECT_EQ(of(v[{Slice(n, kEnd, k)}], kMost, kLeast), Tensor({3.0}));
  EXPECT_EQ(of(v[{Slice(n, kEnd, k)}], kLeast, kMost), Tensor({1.0}));
}

// Int64 numbers wrap, also where they are indices.
TEST_P(SizesTest, IndicesOfWrappedNumbers) {
  Variable index = (n * k + 5) % 3;
  auto r = run({v, n, k}, {v[{index}]}, {Tensor({1.0, 2.0, 3.0}), kMost, 4});
  ASSERT_TRUE(r.ok()) << r.status();
  // (2^63 - 1) * 4 is -4 modulo 2^64.
  EXPECT_EQ((*r)[0].item<double>(), 2);
}

// A condition beyond 126 bits chooses neither extent: the interpreter and the code agree on it.
TEST_P(SizesTest, ChosenByWhatIsBeyondAllBounds) {
  OpDef def;
  def.name = "chosen";
  def.doc = "Ones, two if n cubed is not 0 and three otherwise.";
  def.operands = {{"n"}};
  def.type = [](const TypeRequest &) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{Type(DType::Float64, {kDynamic})};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    Extent n = e.element(in[0]);
    Extent chosen = select(n * n * n, e.size(2), e.size(3));
    return Arrays{e.define({chosen}, [&](Indices) { return e.literal(DType::Float64, 1); })};
  };
  Op op = *defineOp(def);
  auto two = run({n}, {op(n)}, {int64_t(1) << 41}), three = run({n}, {op(n)}, {0});
  ASSERT_TRUE(two.ok() && three.ok()) << two.status() << three.status();
  EXPECT_EQ((*two)[0], Tensor({1.0, 1.0}));
  EXPECT_EQ((*three)[0], Tensor({1.0, 1.0, 1.0}));
  std::string text = problem(run({n}, {op(n)}, {int64_t(1) << 62}));
  EXPECT_EQ(text, "chosen: shape (more than 2^126,) is too large");
}

INSTANTIATE_TEST_SUITE_P(Modes, SizesTest, testing::Values("fast_run", "interpreter"));

} // namespace
} // namespace graphc
