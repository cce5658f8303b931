//===- ModesAgreeTest.cpp - what rewriting must not change ------------------===//
//
// Graphs whose results, or errors, once were others with rewriting than without. Expected are the
// interpreter's, which are written here, too.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "Calls.h"
#include "Messages.h"
#include "absl/strings/str_split.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// The first line of the error, or all elements of all results, in all modes the same.
std::string inAllModes(const std::string &text, const std::vector<Tensor> &values) {
  std::optional<std::string> first;
  for (const char *mode : {"interpreter", "fast_compile", "strict", "fast_run"}) {
    absl::StatusOr<GraphModule> module = parseGraph(text, "t.mlir");
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok())
      return "";
    absl::StatusOr<Function> f =
        function(*module, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    absl::StatusOr<Results> results = f.ok() ? f->call(values) : f.status();
    std::string now;
    if (!results.ok())
      now = firstLine(results.status());
    for (double value : results.ok() ? valuesOf(results) : std::vector<double>())
      now += (now.empty() ? "" : " ") + std::to_string(int64_t(value));
    if (!first)
      first = now;
    EXPECT_EQ(now, *first) << mode;
  }
  return *first;
}

Tensor list(std::initializer_list<Braces> values) { return Tensor(values); }
Tensor number(int64_t value) { return Tensor(value); }

std::string sliceOfSlice(const std::string &inner, const std::string &outer) {
  return "func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {\n  %a = graph.subtensor %x {index "
         "= "
         "\"" +
         inner + "\"} : (tensor<?xf64>) -> tensor<?xf64>\n  %b = graph.subtensor %a {index = \"" +
         outer + "\"} : (tensor<?xf64>) -> tensor<?xf64>\n  return %b : tensor<?xf64>\n}\n";
}

// Bounds are clipped, however large.
TEST(ModesAgree, SlicesOfSlices) {
  const Tensor x = list({1, 2, 3, 4});
  EXPECT_EQ(inAllModes(sliceOfSlice("2:", ":9223372036854775806"), {x}), "3 4");
  EXPECT_EQ(inAllModes(sliceOfSlice("1:", "0:9223372036854775807"), {x}), "2 3 4");
  EXPECT_EQ(inAllModes(sliceOfSlice("9223372036854775807:", "1:"), {x}), "");
  EXPECT_EQ(inAllModes("func.func @main(%x: tensor<4xf64>) -> tensor<1xf64> {\n"
                       "  %a = graph.subtensor %x {index = \"1::4611686018427387905\"} : "
                       "(tensor<4xf64>) -> tensor<1xf64>\n"
                       "  %b = graph.subtensor %a {index = \"::4\"} : (tensor<1xf64>) -> "
                       "tensor<1xf64>\n  return %b : tensor<1xf64>\n}\n",
                       {x}),
            "2");
}

/// Adds what a step makes of halves to a float32.
std::string sumOfHalves(const std::string &op, const std::string &rows, const std::string &term) {
  const std::string types = "(" + rows + ", " + rows + ", tensor<1x1xf32>)";
  return "func.func @main(%x: " + rows + ", %y: " + rows + ", %h: tensor<1x1xf32>) -> " +
         "tensor<1x1xf32> {\n  %r = graph.scan @step(%x, %y, %h) {sequences = [[0], [0]], states = "
         "[[-1]], last = [true]} : " +
         types +
         " -> tensor<1x1xf32>\n  return %r : tensor<1x1xf32>\n}\nfunc.func private "
         "@step(%x: " +
         term + ", %y: " + term + ", %h: tensor<1x1xf32>) -> tensor<1x1xf32> {\n  %0 = graph." +
         op + " %x, %y : (" + term + ", " + term + ") -> tensor<1x1xf16>\n" +
         "  %1 = graph.add %h, %0 : (tensor<1x1xf32>, tensor<1x1xf16>) -> tensor<1x1xf32>\n"
         "  return %1 : tensor<1x1xf32>\n}\n";
}

// Sums over steps are made in the state's dtype: 160,000 is no float16.
TEST(ModesAgree, SumsOfSteps) {
  const Tensor x = Tensor({{200}, {200}, {200}, {200}}, DType::Float16);
  const Tensor zero = *Tensor::zeros(DType::Float32, {1, 1});
  EXPECT_EQ(inAllModes(sumOfHalves("outer", "tensor<?x1xf16>", "tensor<1xf16>"), {x, x, zero}),
            "160000");
}

// Without a step nothing tells how long the slices of its terms are.
TEST(ModesAgree, ProductsOfNoStep) {
  const std::string text =
      "func.func @main(%n: tensor<i64>, %x: tensor<?x?xf64>, %i: tensor<?xi64>, %h: "
      "tensor<?x?xf64>) -> tensor<?x?xf64> {\n"
      "  %r = graph.scan @step(%n, %x, %i, %h) {sequences = [[0], [0]], states = [[-1]], steps, "
      "last = [true]} : (tensor<i64>, tensor<?x?xf64>, tensor<?xi64>, tensor<?x?xf64>) -> "
      "tensor<?x?xf64>\n  return %r : tensor<?x?xf64>\n}\n"
      "func.func private @step(%x: tensor<?xf64>, %i: tensor<i64>, %h: tensor<?x?xf64>) -> "
      "tensor<?x?xf64> {\n"
      "  %v = graph.subtensor %x, %i {index = \"0:$0\"} : (tensor<?xf64>, tensor<i64>) -> "
      "tensor<?xf64>\n"
      "  %0 = graph.outer %v, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?x?xf64>\n"
      "  %1 = graph.add %h, %0 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>\n"
      "  return %1 : tensor<?x?xf64>\n}\n";
  const Tensor x = list({{1, 2}, {3, 4}}), lengths = Tensor({2, 2}, DType::Int64);
  EXPECT_EQ(inAllModes(text, {number(0), x, lengths, x}), "1 2 3 4");
  EXPECT_EQ(inAllModes(text, {number(2), x, lengths, x}), "11 16 17 24");
}

/// Of a loop over more elements than it makes steps, forwards or backwards.
std::string products(bool backwards) {
  return "func.func @main(%n: tensor<i64>, %x: tensor<?x2xf32>, %w: tensor<2x2xf32>, %h: "
         "tensor<2xf32>) -> tensor<2xf32> {\n"
         "  %r = graph.scan @step(%n, %x, %h, %w) {sequences = [[0]], states = [[-1]], steps, " +
         std::string(backwards ? "backwards, " : "") +
         "last = [true]} : (tensor<i64>, tensor<?x2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> "
         "tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n"
         "func.func private @step(%x: tensor<2xf32>, %h: tensor<2xf32>, %w: tensor<2x2xf32>) -> "
         "tensor<2xf32> {\n"
         "  %0 = graph.dot %x, %w : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>\n"
         "  %d = graph.add %h, %h : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
         "  %1 = graph.mul %d, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
         "  return %1 : tensor<2xf32>\n}\n";
}

TEST(ModesAgree, FewerStepsThanElements) {
  const Tensor x = Tensor({{1, 2}, {3, 4}, {5, 6}}, DType::Float32),
               w = Tensor({{1, 0}, {0, 1}}, DType::Float32), h = Tensor({1, 1}, DType::Float32);
  EXPECT_EQ(inAllModes(products(false), {number(2), x, w, h}), "12 32");
  EXPECT_EQ(inAllModes(products(true), {number(2), x, w, h}), "60 96");
  EXPECT_EQ(inAllModes(products(true), {number(0), x, w, h}), "1 1");
  EXPECT_EQ(inAllModes(products(false), {number(3), x, w, h}), "120 384");
}

// F-330: a loop in a branch that is not taken gives what may fail.
TEST(ModesAgree, LoopsOfBranches) {
  const std::string text =
      "func.func @main(%c: tensor<i64>, %n: tensor<i64>, %h: tensor<f64>, %w: tensor<?xf64>, %i: "
      "tensor<i64>) -> (tensor<f64>, tensor<f64>) {\n"
      "  %z = graph.constant dense<0.0> : tensor<f64>\n"
      "  %ra, %ma = graph.scan @a(%n, %h, %w, %i) {sequences = [], states = [[-1]], steps, mapped "
      "= 1} : (tensor<i64>, tensor<f64>, tensor<?xf64>, tensor<i64>) -> (tensor<?xf64>, "
      "tensor<?xf64>)\n"
      "  %rb = graph.scan @b(%n, %h, %w, %i) {sequences = [], states = [[-1]], steps} : "
      "(tensor<i64>, tensor<f64>, tensor<?xf64>, tensor<i64>) -> tensor<?xf64>\n"
      "  %sa = graph.sum %ma : (tensor<?xf64>) -> tensor<f64>\n"
      "  %sb = graph.sum %rb : (tensor<?xf64>) -> tensor<f64>\n"
      "  %r = graph.ifElse %c, %sa, %z : (tensor<i64>, tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  return %r, %sb : tensor<f64>, tensor<f64>\n}\n"
      "func.func private @a(%h: tensor<f64>, %w: tensor<?xf64>, %i: tensor<i64>) -> (tensor<f64>, "
      "tensor<f64>) {\n"
      "  %0 = graph.add %h, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  %t = graph.take %w, %i {axis = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>\n"
      "  %1 = graph.mul %t, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0, %1 : tensor<f64>, tensor<f64>\n}\n"
      "func.func private @b(%h: tensor<f64>, %w: tensor<?xf64>, %i: tensor<i64>) -> tensor<f64> {\n"
      "  %0 = graph.add %h, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n";
  const Tensor w = list({1, 2});
  EXPECT_EQ(inAllModes(text, {number(0), number(2), Tensor(1.0), w, number(7)}), "0 6");
  EXPECT_EQ(inAllModes(text, {number(1), number(2), Tensor(1.0), w, number(1)}), "6 6");
}

// F-310: what falls out of the result may fail still.
TEST(ModesAgree, ErrorsOfWhatFallsOut) {
  const std::string error = "IndexError: take: index 9 is out of range for axis 0 with 4 elements";
  for (const char *ops : {"add add sub", "bitwiseXor bitwiseXor bitwiseXor"}) {
    const std::vector<std::string> op = absl::StrSplit(ops, ' ');
    const std::string types = " : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>\n";
    EXPECT_EQ(inAllModes("func.func @main(%w: tensor<4xi64>, %i: tensor<3xi64>, %y: "
                         "tensor<3xi64>) -> tensor<3xi64> {\n  %x = graph.take %w, %i {axis = 0} : "
                         "(tensor<4xi64>, tensor<3xi64>) -> tensor<3xi64>\n  %s = graph." +
                             op[0] + " %x, %y" + types + "  %t = graph." + op[1] + " %s, %y" +
                             types + "  %r = graph." + op[2] + " %t, %x" + types +
                             "  return %r : tensor<3xi64>\n}\n",
                         {Tensor({1, 2, 3, 4}, DType::Int64), Tensor({0, 1, 9}, DType::Int64),
                          Tensor({1, 2, 3}, DType::Int64)}),
              error)
        << ops;
  }
  const std::string begin = "func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>) -> "
                            "tensor<?xf64> {\n  %z = graph.constant dense<0.0> : tensor<f64>\n",
                    set = " {index = \"5\"} : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>\n",
                    get = "  %s = graph.subtensor %x {index = \"5\"} : (tensor<?xf64>) -> "
                          "tensor<f64>\n",
                    end = "  return %r : tensor<?xf64>\n}\n";
  const Tensor x = list({1, 2, 3}), y = list({4, 5});
  auto said = [](const char *op) {
    return "IndexError: " + std::string(op) +
           ": index 5 is out of range for axis 0 with 3 elements";
  };
  EXPECT_EQ(inAllModes(begin + get + "  %r = graph.setSubtensor %x, %s" + set + end, {x, y}),
            said("subtensor"));
  EXPECT_EQ(inAllModes(begin + "  %r = graph.incSubtensor %x, %z" + set + end, {x, y}),
            said("incSubtensor"));
  EXPECT_EQ(inAllModes(begin + get +
                           "  %r = graph.ifElse %s, %y, %y : (tensor<f64>, "
                           "tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>\n" +
                           end,
                       {x, y}),
            said("subtensor"));
}

/// A vector that a body's results are reshaped to rows of, whose number it computes.
const std::string kRows =
    "  %r = graph.mul %a, %x : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>\n"
    "  %s = graph.sum %r : (tensor<6xi64>) -> tensor<i64>\n"
    "  %m = graph.mod %s, %c : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
    "  %two = graph.constant dense<2> : tensor<i64>\n"
    "  %n = graph.add %m, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
    "  %n1 = graph.dimshuffle %n {order = [-1]} : (tensor<i64>) -> "
    "tensor<1xi64>\n"
    "  %k = graph.constant dense<[-1]> : tensor<1xi64>\n"
    "  %sh = graph.join %n1, %k {axis = 0} : (tensor<1xi64>, "
    "tensor<1xi64>) -> tensor<2xi64>\n"
    "  %y = graph.reshape %r, %sh : (tensor<6xi64>, tensor<2xi64>) -> "
    "tensor<?x?xi64>\n";
const std::string kOneToSix = "  %a = graph.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>\n";

/// Shapes and elements of results, in all modes the same; or the first line of the error.
std::string shapedInAllModes(const std::string &text, const std::vector<Tensor> &values) {
  std::optional<std::string> first;
  for (const char *mode : {"interpreter", "fast_compile", "strict", "fast_run"}) {
    Function f = made(function(*parseGraph(text, "t.mlir"), {.mode = mode}));
    absl::StatusOr<Results> results = f.call(values);
    std::string now = results.ok() ? (*results)[0].str() : firstLine(results.status());
    if (!first)
      first = now;
    EXPECT_EQ(now, *first) << mode;
  }
  return *first;
}

// A body's result that is another array in a shape which is known after that array.
TEST(ModesAgree, ViewsThatBodiesGive) {
  const std::string branch = "func.func @main(%p: tensor<i1>, %x: tensor<i64>, %c: tensor<i64>) -> "
                             "tensor<?x?xi64> {\n" +
                             kOneToSix + kRows +
                             "  %z = graph.constant dense<[[7]]> : tensor<1x1xi64>\n"
                             "  %zz = graph.ifElse %p, %y, %z : (tensor<i1>, tensor<?x?xi64>, "
                             "tensor<1x1xi64>) -> tensor<?x?xi64>\n  return %zz : "
                             "tensor<?x?xi64>\n}\n";
  EXPECT_EQ(shapedInAllModes(branch, {number(1).cast(DType::Bool), number(1), number(1)}),
            "[[1 2 3]\n [4 5 6]]");
  EXPECT_EQ(shapedInAllModes(branch, {number(0).cast(DType::Bool), number(1), number(1)}), "[[7]]");
  const std::string loop =
      "func.func @main(%x: tensor<?xi64>, %c: tensor<i64>) -> tensor<?x?x?xi64> {\n"
      "  %0 = graph.scan @body(%x, %c) {sequences = [[0]], states = [], mapped = 1} : "
      "(tensor<?xi64>, tensor<i64>) -> tensor<?x?x?xi64>\n  return %0 : tensor<?x?x?xi64>\n}\n"
      "func.func private @body(%x: tensor<i64>, %c: tensor<i64>) -> tensor<?x?xi64> {\n" +
      kOneToSix + kRows + "  return %y : tensor<?x?xi64>\n}\n";
  EXPECT_EQ(shapedInAllModes(loop, {Tensor({1, 2}, DType::Int64), number(1)}),
            "[[[ 1  2  3]\n  [ 4  5  6]]\n\n [[ 2  4  6]\n  [ 8 10 12]]]");
  // 21 and 42 modulo 22 + 2: 23 rows of six elements are none.
  EXPECT_THAT(shapedInAllModes(loop, {Tensor({1, 2}, DType::Int64), number(22)}),
              testing::StartsWith("ShapeError: scan: step 0: reshape: 6 elements do not fit"));
  // 21 and 420 modulo 20, and 2: three rows, then two.
  EXPECT_THAT(shapedInAllModes(loop, {Tensor({1, 20}, DType::Int64), number(20)}),
              testing::StartsWith("ShapeError: scan: step 1: result 0 is i64[2,3], and all have "));
}

// Numbers of uint64 that no int64 is are beyond all arrays.
TEST(ModesAgree, GreatUnsignedIndices) {
  const Tensor x = list({1, 2, 3, 4}), most = Tensor(~uint64_t(0)),
               half = Tensor(uint64_t(1) << 63);
  auto taking = [](const std::string &index, const std::string &type) {
    return "func.func @main(%x: tensor<?xf64>, %b: tensor<ui64>) -> " + type +
           " {\n  %0 = graph.subtensor %x, %b {index = \"" + index +
           "\"} : (tensor<?xf64>, tensor<ui64>) -> " + type + "\n  return %0 : " + type + "\n}\n";
  };
  for (const Tensor &b : {most, half}) {
    EXPECT_EQ(inAllModes(taking(":$0", "tensor<?xf64>"), {x, b}), "1 2 3 4");
    EXPECT_EQ(inAllModes(taking("$0:", "tensor<?xf64>"), {x, b}), "");
  }
  EXPECT_THAT(inAllModes(taking("$0", "tensor<f64>"), {x, half}),
              testing::StartsWith("IndexError: subtensor: index 9223372036854775808 is out of "
                                  "range for axis 0 with 4 elements"));
  const std::string wrap =
      "func.func @main(%x: tensor<?xf64>, %b: tensor<ui64>) -> tensor<f64> {\n  %0 = graph.take "
      "%x, %b {axis = 0, mode = \"wrap\"} : (tensor<?xf64>, tensor<ui64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n";
  EXPECT_EQ(inAllModes(wrap, {x, half}), "1");
  EXPECT_EQ(inAllModes(wrap, {x, most}), "4");
}

} // namespace
} // namespace graphc
