//===- PartsInPlaceTest.cpp - concatenations that nobody copies -----------===//
//
// What test/Stages/parts-in-place.mlir shows of programs is compared here with the interpreter:
// graphs of random joins, of small whole numbers, which no order of a sum rounds.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <random>

#include "Eval/Evaluate.h"
#include "Runtime/TestData.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

Tensor wholeNumbers(const std::vector<int64_t> &shape, unsigned seed) {
  Tensor values = *Tensor::zeros(DType::Float32, shape);
  std::mt19937 random(seed);
  for (float &x : values.mutableFlat<float>())
    x = float(int(random() % 5) - 2);
  return values;
}

Variable small(const Variable &v) { return clip(v, -3.0f, 3.0f); }

struct Graph {
  Variables inputs, outputs;
};

/// Joins of what products, sums and maps of rows compute, and of other joins; with leading extents
/// of 1 if `rank` is 3. Arrays are read again, and are outputs, now and then.
Graph randomGraph(unsigned seed, int rank) {
  std::mt19937 random(seed);
  auto below = [&](size_t end) { return size_t(random() % end); };
  constexpr int64_t kColumns = 6;
  std::vector<int64_t> rows = {kDynamic, kColumns};
  if (rank == 3)
    rows.insert(rows.begin(), 1);
  const int axis = rank - 2;
  Variable x = tensor(DType::Float32, rows, "x"), y = tensor(DType::Float32, rows, "y");
  Variable w = tensor(DType::Float32, {kColumns, kColumns}, "w");
  Variables pool = {small(dot(x, w)), small(dot(y, w))};
  for (int i = 0; i < 12; ++i) {
    const Variable v = pool[below(pool.size())], u = pool[below(pool.size())];
    switch (below(8)) {
    case 0:
      pool.push_back(small(dot(v, w)));
      break;
    case 1:
      pool.push_back(-v);
      break;
    case 2:
      pool.push_back(small(v - max(v, {.axes = Axis(-1), .keepDims = true})));
      break;
    case 3:
      pool.push_back(small(dot(neg(v), w) + 1.0f));
      break;
    case 4:
      pool.push_back(concatenate({v, u, pool[below(pool.size())]}, axis));
      break;
    case 5:
      pool.push_back(concatenate({v, x}, axis));
      break;
    default:
      pool.push_back(concatenate({v, u}, axis));
    }
  }
  Graph graph{{x, y, w}, {pool.back()}};
  for (size_t k = below(3); k > 0; --k)
    graph.outputs.push_back(pool[below(pool.size())]);
  return graph;
}

std::vector<Tensor> resultsOf(const Function &f, const std::vector<Tensor> &values) {
  absl::StatusOr<Results> results = f.call(values);
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<Tensor> tensors;
  for (size_t k = 0; results.ok() && k < results->size(); ++k)
    tensors.push_back((*results)[k]);
  return tensors;
}

void expectSame(const Function &f, const Graph &graph, const std::vector<Tensor> &values) {
  TensorsOr wanted = evaluate(graph.outputs, graph.inputs, values);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  std::vector<Tensor> got = resultsOf(f, values);
  ASSERT_EQ(got.size(), wanted->size());
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_EQ(got[k], (*wanted)[k]) << "result " << k;
}

std::vector<Tensor> valuesOf(int64_t n, int64_t m, int rank) {
  std::vector<int64_t> x = {n, 6}, y = {m, 6};
  if (rank == 3) {
    x.insert(x.begin(), 1);
    y.insert(y.begin(), 1);
  }
  return {wholeNumbers(x, 1), wholeNumbers(y, 2), wholeNumbers({6, 6}, 3)};
}

TEST(PartsInPlace, RandomGraphs) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int rank = 2 + int(seed % 2);
    Graph graph = randomGraph(seed, rank);
    FunctionOptions options;
    options.threads = 1 + int(seed % 3 == 0);
    options.onUnusedInput = OnUnusedInput::Ignore;
    absl::StatusOr<Function> f = function(InputList(graph.inputs), graph.outputs, options);
    ASSERT_TRUE(f.ok()) << f.status();
    expectSame(*f, graph, valuesOf(5, 3, rank));
    expectSame(*f, graph, valuesOf(0, 4, rank));
    expectSame(*f, graph, valuesOf(700, 1, rank));
  }
}

/// Into memory that the caller gives, and as copies where something else is as large.
TEST(PartsInPlace, ResultsInGivenMemory) {
  Variable x = fmatrix("x"), w = fmatrix("w");
  Variable p = dot(x, w), q = dot(-x, w);
  Graph graph{{x, w}, {concatenate({p, q}, 0), p, q - 1.0f}};
  auto f = function(InputList(graph.inputs), graph.outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  for (int64_t rows : {4, 0, 9})
    expectSame(*f, graph, {wholeNumbers({rows, 5}, 1), wholeNumbers({5, 3}, 2)});
}

/// A kernel that is the last to read all of it may write it over; a part is never written over.
TEST(PartsInPlace, NothingIsWrittenOver) {
  Variable x = fmatrix("x"), w = fmatrix("w");
  Variable p = dot(x, w), q = dot(x * 2.0f, w), j = concatenate({p, q}, 0);
  Variable r = p - sum(p), s = j - max(j);
  Graph graph{{x, w}, {dot(r, w), dot(s, w), q - sum(q)}};
  auto f = function(InputList(graph.inputs), graph.outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  expectSame(*f, graph, {wholeNumbers({7, 4}, 1), wholeNumbers({4, 4}, 2)});
}

/// In bodies of loops, whose outputs move from step to step: all values, and the last one alone.
TEST(PartsInPlace, InLoops) {
  Variable x = fmatrix("x"), w = fmatrix("w"), n = lscalar("n");
  ScanResult r = scan(
      [](Variables a) {
        Variable half = subtensor(a[0], {Slice(0, 2)});
        return concatenate({small(dot(half, a[1])), small(dot(half + 1.0f, a[1]))}, 0);
      },
      {.outputs = {x}, .nonSequences = {w}, .numSteps = n});
  Graph graph{{x, w, n}, {r.outputs[0], r.outputs[0][-1]}};
  auto f = function(InputList(graph.inputs), graph.outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  for (int64_t steps : {1, 2, 7})
    expectSame(*f, graph, {wholeNumbers({4, 3}, 1), wholeNumbers({3, 3}, 2), Tensor(steps)});
  Graph last{{x, w, n}, {r.outputs[0][-1]}};
  auto g = function(InputList(last.inputs), last.outputs);
  ASSERT_TRUE(g.ok()) << g.status();
  expectSame(*g, last, {wholeNumbers({4, 3}, 1), wholeNumbers({3, 3}, 2), Tensor(int64_t(5))});
}

/// Sizes that are elements of what is joined are read when all parts are there.
TEST(PartsInPlace, ElementsAreSizes) {
  Variable x = lmatrix("x"), y = lmatrix("y"), v = fmatrix("v");
  Variable shape = concatenate({max(x, Axis(1)), sum(y, Axis(1))}, 0);
  Graph graph{{x, y, v}, {reshape(v, {subtensor(shape, {0}), subtensor(shape, {1})}), shape}};
  auto f = function(InputList(graph.inputs), graph.outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a = wholeNumbers({1, 3}, 1).cast(DType::Int64), b = a.copy();
  for (int k = 0; k < 3; ++k) {
    a.mutableFlat<int64_t>()[size_t(k)] = 2 + k;
    b.mutableFlat<int64_t>()[size_t(k)] = 1;
  }
  expectSame(*f, graph, {a, b, wholeNumbers({6, 2}, 2)});
}

/// Functions that were stored have the parts, too.
TEST(PartsInPlace, SavedFunctions) {
  Graph graph = randomGraph(3, 2);
  auto f = function(InputList(graph.inputs), graph.outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  TemporaryFile file("parts.graphc");
  ASSERT_TRUE(f->save(file.path()).ok());
  absl::StatusOr<Function> loaded = loadFunction(file.path(), {.trustCode = true});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  expectSame(*loaded, graph, valuesOf(5, 3, 2));
}

/// Mode debug looks at each node's results, which are outputs there; profiles count parts once.
TEST(PartsInPlace, ProfilesCountBytes) {
  Variable x = fmatrix("x"), w = fmatrix("w");
  Variable j = concatenate({dot(x, w), dot(-x, w)}, 0);
  Profile profile;
  FunctionOptions options;
  options.profile = profile;
  auto f = function({x, w}, j, options);
  ASSERT_TRUE(f.ok()) << f.status();
  resultsOf(*f, {wholeNumbers({8, 4}, 1), wholeNumbers({4, 4}, 2)});
  int64_t written = 0;
  for (const auto &step : profile.steps())
    written += step.bytesWritten;
  EXPECT_EQ(written, 16 * 4 * 4);
}

} // namespace
} // namespace graphc
