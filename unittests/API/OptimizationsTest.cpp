//===- OptimizationsTest.cpp - what a mode switches off by name -----------===//
//
// Each optimization has a graph whose code it changes, and whose results it does not: sums are of
// small whole numbers, so that no order of them rounds.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "Kernels/CompilerInterface.h"
#include "Messages.h"
#include "Support/Optimizations.h"
#include "graphc/OpDef.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

struct Example {
  Variables inputs;
  Variable output;
  std::vector<Tensor> values;
};

Tensor wholeNumbers(const std::vector<int64_t> &shape, DType dtype = DType::Float32) {
  Tensor values = *Tensor::zeros(DType::Float32, shape);
  auto *numbers = static_cast<float *>(values.data());
  std::mt19937 random(unsigned(values.numElements()));
  for (int64_t i = 0; i < values.numElements(); ++i)
    numbers[i] = float(int(random() % 5) - 2);
  return values.cast(dtype);
}

/// A graph that the optimization of that name changes; no output for a name that there is not.
Example exampleOf(std::string_view name) {
  Variable x = fmatrix("x"), y = fmatrix("y"), z = fmatrix("z");
  Variable columns = dimshuffle(x, {0, 1, -1}), rows = dimshuffle(x, {0, -1, 1});
  Tensor a = wholeNumbers({37, 70}), b = wholeNumbers({70, 45}), c = wholeNumbers({37, 70});
  if (name == "fusion")
    return {{x, z}, (exp(x) * z + 1.0f) * 2.0f, {a, c}};
  if (name == "unroll-sums") {
    Variable points = tensor(DType::Float32, {kDynamic, 3}, "points");
    return {{points}, sqrt(sum(sqr(points), Axis(1))), {wholeNumbers({29, 3})}};
  }
  if (name == "short-axes" || name == "short-rows") { // what pulls points, in each direction
    Variable points = tensor(DType::Float32, {kDynamic, 3}, "points");
    Variable apart = dimshuffle(points, {-1, 0, 1}) - dimshuffle(points, {0, -1, 1});
    Variable pull = floor(exp(max(apart, Axis(2))));
    return {{points}, sum(dimshuffle(pull, {0, 1, -1}) * apart, Axis(1)), {wholeNumbers({29, 3})}};
  }
  if (name == "turn-products") { // 7 x 7 pixels fill 3 vectors and a lane
    Variable picture = tensor(DType::Float32, {1, 128, 7, 7}, "picture");
    Variable kernel = tensor(DType::Float32, {256, 128, 1, 1}, "kernel");
    Variable g = tensor(DType::Float32, {1, 256, 7, 7}, "g");
    Tensor values = wholeNumbers({1, 128, 7, 7});
    return {{picture, kernel, g},
            pullback(conv2d(picture, kernel), picture, g),
            {values, wholeNumbers({256, 128, 1, 1}), wholeNumbers({1, 256, 7, 7})}};
  }
  if (name == "join-scatters") {
    Variable at = lvector("at"), v = fmatrix("v");
    Tensor places = wholeNumbers({90}).cast(DType::Int64); // -2 to 2
    return {{x, z, at, v},
            incTake(x, at, v, {.axis = 0}) * incTake(z, at, sqr(v), {.axis = 0}),
            {a, c, places, wholeNumbers({90, 70})}};
  }
  if (name == "scatter-rows") { // 600 terms for 37 places
    Variable v = dvector("v"), w = dvector("w"), at = lvector("at"), terms = dvector("terms");
    Tensor places = wholeNumbers({600}).cast(DType::Int64);
    return {{v, w, at, terms},
            incTake(v, at, terms, {.axis = 0}) - incTake(w, at, sqr(terms), {.axis = 0}),
            {wholeNumbers({37}, DType::Float64), wholeNumbers({37}, DType::Float64), places,
             wholeNumbers({600}, DType::Float64)}};
  }
  if (name == "gather-rows") { // 600 reads of 37 numbers
    Variable v = tensor(DType::Float64, {37}, "v"), w = tensor(DType::Float64, {37}, "w"),
             at = lvector("at");
    Tensor places = wholeNumbers({600}).cast(DType::Int64);
    return {{v, w, at},
            take(v, at) - take(w, at) * 8.0,
            {wholeNumbers({37}, DType::Float64), wholeNumbers({37}, DType::Float64), places}};
  }
  if (name == "common-loads") {
    Variable at = cast(z, DType::Int64);
    return {{x, y, z}, take(x, at) * take(y, at), {a, b, c}};
  }
  if (name == "gathers") { // of 64 bits and of several arrays: with mask registers, too
    Variable v = dmatrix("v"), w = dmatrix("w"), at = lmatrix("at");
    return {{v, w, at},
            take(v, at) - take(w, at) * 8.0,
            {wholeNumbers({37, 70}, DType::Float64), wholeNumbers({70, 45}, DType::Float64),
             wholeNumbers({29, 31}, DType::Int64)}};
  }
  if (name == "join-products" || name == "block-memory")
    return {{x, y, z}, dot(softmax(dot(x, y)), z), {a, b, wholeNumbers({45, 20})}};
  if (name == "parts-in-place")
    return {{x, y, z}, concatenate({dot(x, y), neg(dot(z, y))}, 0), {a, b, c}};
  if (name == "next-rows")
    return {{x}, softmax(x, Axis(1)), {a}};
  if (name == "schedule") {
    Variable total = dot(x, y); // of more terms than one kernel reads
    for (int k = 2; k < 40; ++k)
      total = total + dot(x, y * float(k));
    return {{x, y}, total, {a, b}};
  }
  if (name == "share-memory") {
    Variable p = dot(x, y);
    return {{x, y, z}, dot(p - sum(p), z), {a, b, wholeNumbers({45, 20})}};
  }
  if (name == "side-by-side")
    return {{x}, concatenate({sum(sqr(x), Axis(1)), sum(x, Axis(1))}, 0), {a}};
  if (name == "products" || name == "fetch-rows" || name == "fetch-results" ||
      name == "last-columns" || name == "vectors" || name == "outline")
    return {{x, y}, dot(x, y), {a, b}};
  if (name == "sum-blocks") // rows of 10 KB, too many for the L2 cache
    return {{x, y}, dot(x, y), {wholeNumbers({230, 2500}), wholeNumbers({2500, 70})}};
  if (name == "fill-panels")
    return {{x, y}, dot(x, y), {wholeNumbers({60, 300}), wholeNumbers({300, 200})}};
  if (name == "fetch-panels") // that the first tile of six fills
    return {{x, y}, dot(x, y), {wholeNumbers({40, 300}), wholeNumbers({300, 200})}};
  if (name == "row-tiles") // of the transposed one, with columns that are left over
    return {{x, y}, dot(x.T(), y), {wholeNumbers({130, 200}), wholeNumbers({130, 403})}};
  if (name == "square-panels") // with a panel of fewer columns, and k behind the last eight
    return {{x, y}, dot(x, y.T()), {wholeNumbers({37, 45}), wholeNumbers({70, 45})}};
  if (name == "half-vectors") {
    Variable few = tensor(DType::Float32, {kDynamic, 7}, "few");
    return {{x, few}, dot(x, few), {a, wholeNumbers({70, 7})}};
  }
  if (name == "whole-lines") // lines of 49 elements, of less than 128 KB
    return {{x, y}, dot(x, y), {wholeNumbers({200, 300}), wholeNumbers({300, 49})}};
  if (name == "buffer-rows") // rows of 4 KB, which collide
    return {{x, y}, dot(x, y), {wholeNumbers({61, 1024}), wholeNumbers({1024, 70})}};
  if (name == "kept-rows") { // rows of 4 KB, which collide
    Constant w(wholeNumbers({30, 1024}), "w");
    return {{x}, dot(w, x), {wholeNumbers({1024, 70})}};
  }
  if (name == "kept-panels") {
    Constant w(wholeNumbers({128, 70}), "w");
    return {{x}, relu(dot(x, w)), {wholeNumbers({37, 128})}};
  }
  if (name == "pairs" || name == "tile-registers") {
    Variable p = cast(x, DType::BFloat16), q = cast(y, DType::BFloat16);
    return {{x, y}, cast(dot(p, q), DType::Float32), {a, b}};
  }
  if (name == "separate-windows") {
    Variable picture = tensor(DType::Float32, {2, 3, kDynamic, kDynamic}, "picture");
    PoolOptions options;
    options.stride = {2, 2};
    options.padding = 1;
    return {{picture}, pool(picture, {3, 3}, options), {wholeNumbers({2, 3, 21, 40})}};
  }
  if (name == "quotients") { // of each element all that its window of 2 x 2 has
    PoolOptions sums;
    sums.mode = PoolMode::Sum;
    Variable large = fmatrix("large");
    return {
        {large, x}, pullback(pool(large, {2, 2}, sums), large, x), {wholeNumbers({74, 140}), a}};
  }
  if (name == "threads")
    return {
        {x, z}, exp(floor(x * 0.25f) * z), {wholeNumbers({200, 700}), wholeNumbers({200, 700})}};
  if (name == "pictures" || name == "wide-panels") { // 7 x 7 pixels
    std::vector<int64_t> shape = {name == "pictures" ? 3 : 1, 16, 7, 7};
    Variable picture = tensor(DType::Float32, shape, "picture");
    Variable kernel = tensor(DType::Float32, {16, 16, 3, 3}, "kernel");
    ConvOptions options;
    options.padding = 1;
    return {{picture, kernel},
            conv2d(picture, kernel, options),
            {wholeNumbers(shape), wholeNumbers({16, 16, 3, 3})}};
  }
  if (name == "line-tiles") { // of 9 x 9 pixels
    Variable picture = tensor(DType::Float32, {2, 16, 9, 9}, "picture");
    Variable kernel = tensor(DType::Float32, {62, 16, 3, 3}, "kernel");
    ConvOptions options;
    options.padding = 1;
    return {{picture, kernel},
            conv2d(picture, kernel, options),
            {wholeNumbers({2, 16, 9, 9}), wholeNumbers({62, 16, 3, 3})}};
  }
  if (name == "windows" || name == "line-parts" || name == "fetch-parts" ||
      name == "strided-lines" || name == "pads") {
    bool isDepthwise = name == "pads", isStrided = name == "strided-lines";
    std::vector<int64_t> shape = {1, 16, 20, isStrided ? 81 : 40};
    Variable picture = tensor(DType::Float32, shape, "picture");
    Variable kernel = tensor(DType::Float32, {16, isDepthwise ? 1 : 16, 3, 3}, "kernel");
    ConvOptions options;
    options.padding = isStrided ? 0 : 1;
    options.stride = {isStrided ? 2 : 1, isStrided ? 2 : 1};
    options.groups = isDepthwise ? 16 : 1;
    return {{picture, kernel},
            conv2d(picture, kernel, options),
            {wholeNumbers(shape), wholeNumbers({16, isDepthwise ? 1 : 16, 3, 3})}};
  }
  if (name == "blocks") // distances along a middle axis
    return {{x, y}, min(columns + dimshuffle(y, {-1, 0, 1}), Axis(1)), {a, b}};
  if (name == "dots") // along the last one
    return {{x, z}, min(rows + dimshuffle(z, {-1, 0, 1}), Axis(2)), {a, c}};
  if (name == "columns")
    return {{x}, sum(x, Axis(0)), {wholeNumbers({300, 70})}};
  if (name == "strips") {
    Variable chain = x;
    for (int k = 0; k < 24; ++k)                  // each waits for the one before
      chain = sqr(chain) * 0.001f - x * float(k); // stays finite
    return {{x}, chain, {a}};
  }
  if (name == "scatters") {
    Variable at = lvector("at"), v = fmatrix("v");
    Tensor places = wholeNumbers({90}).cast(DType::Int64); // -2 to 2
    return {{x, at, v}, incTake(x, at, v, {.axis = 0}), {a, places, wholeNumbers({90, 70})}};
  }
  if (name == "join-branches") { // a power of two vectors of distances
    Variable points = tensor(DType::Float32, {kDynamic, 3}, "points");
    Variable apart = dimshuffle(points, {-1, 0, 1}) - dimshuffle(points, {0, -1, 1});
    Variable pull = floor(pow(sum(sqr(apart), Axis(2)) + 1.0f, -1.5f) * 64.0f);
    Tensor places = wholeNumbers({29, 3});
    static_cast<float *>(places.data())[60] = 1e12f; // beyond what the estimate does for
    return {{points}, sum(dimshuffle(pull, {0, 1, -1}) * apart, Axis(1)), {places}};
  }
  if (name == "crossed" || name == "squares")
    return {{x, y}, x.T() + y, {wholeNumbers({45, 70}), b}};
  return {};
}

Mode without(std::string_view name) { return Mode().excluding({name}); }

std::string codeOf(const Example &example, const Mode &mode,
                   std::string_view target = "x86-64-v4-amx") {
  GraphModule module;
  module.inputs = example.inputs;
  module.outputs = {example.output};
  CompileOptions options;
  options.mode = mode;
  options.target = target;
  std::string text;
  for (std::string_view stage : {"kernels", "loops"}) {
    absl::StatusOr<std::string> one = (*loadCompiler())->emit(module, stage, options);
    EXPECT_TRUE(one.ok()) << one.status();
    text += one.ok() ? *one : "";
  }
  return text;
}

Tensor resultOf(const Example &example, const Mode &mode, int threads = 1) {
  FunctionOptions options{.mode = mode};
  options.threads = threads;
  absl::StatusOr<Function> f = function(InputList(example.inputs), example.output, options);
  EXPECT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> results = f->call(example.values);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : Tensor();
}

TEST(Optimizations, EachChangesCodeAndNoResult) {
  for (const OptimizationInfo &one : kOptimizations) {
    SCOPED_TRACE(std::string(one.name));
    EXPECT_TRUE(
        std::filesystem::exists(std::string(GRAPHC_TEST_DATA "/../../lib/") + one.file.data()));
    Example example = exampleOf(one.name);
    ASSERT_TRUE(!example.values.empty()) << "has no example here";
    // Some are for processors without mask registers.
    const bool isWithoutMasks = one.name == "gathers" || one.name == "row-tiles" ||
                                one.name == "whole-lines" || one.name == "fetch-results" ||
                                one.name == "fetch-panels";
    std::string_view target = isWithoutMasks ? "x86-64-v3" : "x86-64-v4-amx";
    EXPECT_TRUE(codeOf(example, "fast_run", target) != codeOf(example, without(one.name), target));
    EXPECT_EQ(resultOf(example, "fast_run"), resultOf(example, without(one.name)));
  }
}

Tensor numbers(const std::vector<int64_t> &shape, unsigned seed, DType dtype) {
  Tensor values = *Tensor::zeros(DType::Float64, shape);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < values.numElements(); ++i)
    static_cast<double *>(values.data())[i] = uniform(random);
  return values.cast(dtype);
}

/// Parts of a batch end within panels: results are those of one thread, bit for bit.
TEST(Optimizations, PicturesOnThreads) {
  for (int64_t side : {7, 20}) {
    std::vector<int64_t> pictures = {5, 40, side, side}, weights = {50, 40, 3, 3};
    Variable x = tensor(DType::Float32, pictures, "x"), w = tensor(DType::Float32, weights, "w");
    ConvOptions options;
    options.padding = 1;
    Example example = {{x, w},
                       relu(conv2d(x, w, options)),
                       {numbers(pictures, 1, DType::Float32), numbers(weights, 2, DType::Float32)}};
    Tensor one = resultOf(example, "fast_run");
    for (int threads : {2, 3, 4})
      EXPECT_EQ(resultOf(example, "fast_run", threads), one) << threads << " threads";
  }
}

TEST(Optimizations, NamesAreExcludedOnly) {
  Variable x = dvector("x");
  expectMessages({
      {function({x}, x * 2.0, {.mode = without("strip")}).status(),
       "KeyError: function: mode: no rewrite and no tag is called 'strip'; did you mean 'strips'?"},
      {function({x}, x * 2.0, {.mode = Mode().including({"strips"})}).status(),
       "KeyError: function: mode: no rewrite and no tag is called 'strips'"},
  });
}

//===--- products with rows between them ----------------------------------------===//

struct Attention {
  int64_t heads, queries, keys, width, values; ///< no head: matrices
  DType dtype = DType::Float32;
  bool isCausal = false;
};

Example exampleOf(const Attention &a, bool isKnown = false) {
  auto shaped = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> shape = {rows, columns};
    if (a.heads)
      shape.insert(shape.begin(), a.heads);
    return shape;
  };
  Example example;
  auto add = [&](int64_t rows, int64_t columns, const char *name) {
    std::vector<int64_t> shape = shaped(rows, columns);
    example.values.push_back(numbers(shape, unsigned(example.values.size()), a.dtype));
    std::vector<int64_t> known = isKnown ? shape : std::vector<int64_t>(shape.size(), kDynamic);
    example.inputs.push_back(tensor(a.dtype, known, name));
    return example.inputs.back();
  };
  Variable q = add(a.queries, a.width, "q"), k = add(a.keys, a.width, "k"),
           v = add(a.keys, a.values, "v");
  Variable scores = matmul(q, swapaxes(k, -1, -2)) * 0.25;
  if (a.isCausal)
    scores = where(ge(dimshuffle(arange(a.queries), {0, -1}), arange(a.keys)), scores,
                   -std::numeric_limits<double>::infinity());
  example.output = matmul(softmax(scores), v);
  if (example.output.type().dtype() != a.dtype)
    example.output = cast(example.output, a.dtype);
  return example;
}

/// What attention is, in double precision.
std::vector<double> expectedOf(const Attention &a, const std::vector<Tensor> &given) {
  std::vector<Tensor> in;
  for (const Tensor &t : given)
    in.push_back(t.cast(DType::Float64));
  auto at = [&](int which, int64_t i) {
    return static_cast<const double *>(in[size_t(which)].data())[i];
  };
  std::vector<double> out;
  for (int64_t h = 0; h < std::max<int64_t>(a.heads, 1); ++h)
    for (int64_t i = 0; i < a.queries; ++i) {
      std::vector<double> powers;
      double total = 0;
      for (int64_t j = 0; j < a.keys; ++j) {
        double sum = 0;
        for (int64_t d = 0; d < a.width; ++d)
          sum += at(0, (h * a.queries + i) * a.width + d) * at(1, (h * a.keys + j) * a.width + d);
        powers.push_back(a.isCausal && j > i ? 0 : std::exp(sum / 4));
        total += powers.back();
      }
      for (int64_t d = 0; d < a.values; ++d) {
        double sum = 0;
        for (int64_t j = 0; j < a.keys; ++j)
          sum += powers[size_t(j)] * at(2, (h * a.keys + j) * a.values + d);
        out.push_back(sum / total);
      }
    }
  return out;
}

class JoinProducts : public ::testing::TestWithParam<Attention> {};

// Means of numbers in [-1, 1], of scores up to width / 4: errors of scores are at most
// (width + 2) u width / 4, twice that relative in the weights, and a mean of keys numbers adds
// (keys + 4) u; float16 rounds p and results to 2^-11 besides.
TEST_P(JoinProducts, GiveTheBitsOfKernelsOfTheirOwn) {
  const Attention &a = GetParam();
  double u = a.dtype == DType::Float64 ? 0x1p-53 : 0x1p-24;
  double bound = (0.5 * double(a.width + 2) * double(a.width) + double(a.keys) + 8) * u;
  for (bool isKnown : {false, true}) {
    Example example = exampleOf(a, isKnown);
    Tensor joined = resultOf(example, "fast_run"), threads = resultOf(example, "fast_run", 3);
    Tensor apart = resultOf(example, without("join-products"));
    Tensor plain = resultOf(example, without("block-memory"));
    ASSERT_TRUE(joined.defined() && apart.defined() && threads.defined() && plain.defined());
    ASSERT_EQ(joined.shape(), apart.shape());
    EXPECT_EQ(std::memcmp(joined.data(), apart.data(), size_t(joined.numBytes())), 0);
    EXPECT_EQ(std::memcmp(joined.data(), threads.data(), size_t(joined.numBytes())), 0);
    EXPECT_EQ(std::memcmp(joined.data(), plain.data(), size_t(joined.numBytes())), 0);
    std::vector<double> expected = expectedOf(a, example.values);
    Tensor wide = joined.cast(DType::Float64);
    ASSERT_EQ(wide.numElements(), int64_t(expected.size()));
    double worst = 0;
    for (size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<const double *>(wide.data())[i] - expected[i]));
    EXPECT_LE(worst, bound);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, JoinProducts,
    ::testing::Values(Attention{0, 128, 128, 64, 64}, Attention{0, 113, 57, 16, 20},
                      Attention{0, 1, 40, 16, 16}, Attention{0, 300, 17, 8, 70},
                      Attention{3, 112, 33, 32, 32}, Attention{2, 225, 129, 24, 8},
                      Attention{1, 57, 3, 5, 6}, Attention{4, 0, 5, 8, 8},
                      Attention{0, 113, 65, 16, 16, DType::Float64},
                      Attention{2, 115, 115, 16, 16, DType::Float32, true},
                      Attention{0, 240, 240, 8, 12, DType::Float64, true},
                      // Panels of more than 512 columns; rows of which few stay in the L2 cache.
                      Attention{2, 150, 530, 8, 40}, Attention{0, 300, 4100, 4, 33}));

// Weights lie in the memory of scores where these are not needed beside them; here they are: at
// other columns than those that are written.
TEST(JoinProducts, KeepScoresThatWeightsNeed) {
  Variable x = fmatrix("x"), y = fmatrix("y"), z = fmatrix("z");
  Variable scores = dot(x, y);
  for (const Variable &weights :
       {softmax(scores) * flip(scores, Axis(1)), softmax(flip(scores, Axis(1)) - scores)}) {
    Example example{{x, y, z},
                    dot(weights, z),
                    {wholeNumbers({150, 9}), wholeNumbers({9, 70}), wholeNumbers({70, 20})}};
    Tensor joined = resultOf(example, "fast_run"),
           apart = resultOf(example, without("join-products"));
    ASSERT_TRUE(joined.defined() && apart.defined());
    EXPECT_EQ(std::memcmp(joined.data(), apart.data(), size_t(joined.numBytes())), 0);
  }
}

// What is handed on is in memory for a block of rows: no array of the program holds it.
TEST(JoinProducts, KeepScoresOfABlockOnly) {
  Example example = exampleOf(Attention{0, 3000, 2000, 16, 16});
  auto memory = [&](const Mode &mode) {
    FunctionOptions options{.mode = mode, .profile = true};
    absl::StatusOr<Function> f = function(InputList(example.inputs), example.output, options);
    EXPECT_TRUE(f.ok()) << f.status();
    EXPECT_TRUE(f->call(example.values).ok());
    Profile::FunctionSummary summary = f->profile()->functions().at(0);
    return std::pair(summary.arenaBytes, summary.scratchBytes);
  };
  int64_t scores = int64_t(3000) * 2000 * 4;
  EXPECT_GE(memory(without("join-products")).first, scores);
  EXPECT_EQ(memory("fast_run").first, 0);
  EXPECT_LT(memory("fast_run").second, scores / 2); // mostly copies of the right operands
}

// Whoever wants the scores or the weights as well has them in memory: nothing is joined.
TEST(JoinProducts, LeavesWhatOthersReadAsItIs) {
  Variable x = fmatrix("x"), y = fmatrix("y"), z = fmatrix("z");
  auto kernels = [](const Variables &outputs, const Mode &mode = "fast_run") {
    std::string size;
    FunctionOptions options{.mode = mode, .cache = false};
    options.observer = [&](const StageReport &report) {
      if (report.stage == "kernels" && report.isDone)
        size = report.size;
    };
    EXPECT_TRUE(function(InputList(graphInputs(outputs)), OutputList(outputs), options).ok());
    return size;
  };
  Variable scores = dot(x, y), weights = softmax(scores), mixed = dot(weights, z);
  EXPECT_EQ(kernels({mixed}), "1 kernel in 1 step");
  // One kernel is both products.
  EXPECT_EQ(kernels({mixed, weights}), "2 kernels in 3 steps");
  EXPECT_EQ(kernels({mixed, scores}), "2 kernels in 3 steps");
  EXPECT_EQ(kernels({dot(relu(scores), z)}), "2 kernels in 2 steps"); // a layer: nothing by rows
  // Sums that are no products of matrices: scattered ones, and windows.
  Variable picture = tensor(DType::Float32, {kDynamic, 16, kDynamic, kDynamic}, "picture");
  Variable kernel = tensor(DType::Float32, {16, 16, 3, 3}, "kernel");
  for (const Variable &sums :
       {incTake(x, lvector("at"), y, {.axis = 0}), conv2d(picture, kernel)}) {
    Variables outputs = {matmul(softmax(sums), z)};
    EXPECT_EQ(kernels(outputs), kernels(outputs, without("join-products")));
  }
}

//===--- windows, axis by axis ----------------------------------------------------===//

/// y[c, i, j] = combine over k < 3, l < 3 of x[c, 2 i + 2 k + 1, s j + d l + o].
struct Windows {
  Combine combine;
  int64_t stride, dilation, offset;
};

OpDef windowsDef(const Windows &w) {
  OpDef def;
  def.name = "windows" + std::to_string(int(w.combine)) + std::to_string(w.stride) +
             std::to_string(w.dilation) + std::to_string(w.offset);
  def.doc = "windows";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &request) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{TensorType(request.type(0).dtype(), {3, kDynamic, kDynamic})};
  };
  def.emit = [w](Emitter &e, const Arrays &in, const Attributes &) {
    Extent rows = floorDiv(e.dim(in[0], 1) - 6, e.size(2)) + 1;
    Extent columns =
        floorDiv(e.dim(in[0], 2) - (2 * w.dilation + w.offset + 1), e.size(w.stride)) + 1;
    ReduceOptions options;
    options.accumulator = options.result = e.dtype(in[0]);
    return Arrays{e.reduce(
        w.combine, {e.dim(in[0], 0), rows, columns}, {e.size(3), e.size(3)},
        [&](Indices i, Indices r) {
          return e.load(in[0],
                        {i[0], i[1] * 2.0 + r[0] * 2.0 + 1.0,
                         i[2] * double(w.stride) + r[1] * double(w.dilation) + double(w.offset)});
        },
        options)};
  };
  return def;
}

class SeparateWindows : public ::testing::TestWithParam<Windows> {};

TEST_P(SeparateWindows, GiveWhatOneLoopOverAllGives) {
  const Windows &w = GetParam();
  absl::StatusOr<Op> op = defineOp(windowsDef(w));
  ASSERT_TRUE(op.ok()) << op.status();
  Variable x = tensor(DType::Float32, {3, kDynamic, kDynamic}, "x");
  Example example{{x}, (*op)(x), {wholeNumbers({3, 19, 83})}};
  Tensor found = resultOf(example, "fast_run");
  EXPECT_EQ(found, resultOf(example, without("separate-windows")));
  EXPECT_TRUE(codeOf(example, "fast_run") != codeOf(example, without("separate-windows")));
  const auto *from = static_cast<const float *>(std::as_const(example.values[0]).data());
  const auto *to = static_cast<const float *>(std::as_const(found).data());
  int64_t rows = (19 - 6) / 2 + 1, columns = (83 - 2 * w.dilation - w.offset - 1) / w.stride + 1;
  ASSERT_EQ(found.shape(), absl::MakeConstSpan({int64_t(3), rows, columns}));
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0, most = -10;
        for (int64_t k = 0; k < 3; ++k)
          for (int64_t l = 0; l < 3; ++l) {
            float element =
                from[(c * 19 + 2 * i + 2 * k + 1) * 83 + w.stride * j + w.dilation * l + w.offset];
            sum += element;
            most = std::max(most, element);
          }
        ASSERT_EQ(*to++, w.combine == Combine::Sum ? sum : most) << c << ", " << i << ", " << j;
      }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SeparateWindows,
                         ::testing::Values(Windows{Combine::Max, 2, 1, 0},
                                           Windows{Combine::Sum, 2, 1, 0},
                                           Windows{Combine::Max, 2, 3, 2},
                                           Windows{Combine::Sum, 3, 2, 1}));

} // namespace
} // namespace graphc
