//===- DependenceTest.cpp - what depends on what ---------------------------===//
#include "Graph/Dependence.h"

#include <gtest/gtest.h>

#include <random>

#include "Graph/InnerGraph.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using detail::Dependence;
using Ranges = Dependence::Ranges;

const Dependence &of(const OpFromGraph &op) { return op.op().def().inner->dependence(); }

Variables scalars(int count) {
  Variables made;
  for (int i = 0; i < count; ++i)
    made.push_back(dscalar());
  return made;
}

size_t numRanges(const Dependence &dependence) {
  size_t count = 0;
  for (const Ranges &ranges : dependence.distinct())
    count += ranges.size();
  return count;
}

// Where a table has n^2 entries.
TEST(Dependence, OfWideGraphsIsSmall) { // F-261
  constexpr int kMany = 300;
  Variables in = scalars(kMany), apart, sums;
  Variable total = in[0];
  for (int i = 0; i < kMany; ++i) {
    apart.push_back(in[size_t(i)] * 2);
    sums.push_back(total = total + in[size_t(i)]);
  }
  OpFromGraph each(in, apart), running(in, sums), all(in, Variables(kMany, total));
  EXPECT_EQ(numRanges(of(each)), size_t(kMany));
  EXPECT_EQ(numRanges(of(running)), size_t(kMany));
  EXPECT_EQ(numRanges(of(all)), 1u);
  EXPECT_EQ(of(running).distinct()[7], (Ranges{{0, 8}}));
  // Through another op of that graph.
  std::vector<Operand> given(in.rbegin(), in.rend());
  EXPECT_EQ(numRanges(of(OpFromGraph(in, each.apply(given)))), size_t(kMany));
  EXPECT_EQ(of(OpFromGraph(in, running.apply(given))).distinct()[7], (Ranges{{292, 300}}));
}

// Graphs at random, against sets that the test keeps for each Variable.
TEST(Dependence, EqualsATable) { // F-235, F-261, F-273
  constexpr size_t kInputs = 7;
  std::mt19937 random(5);
  auto pick = [&](size_t count) { return size_t(random() % count); };
  Variable a = dscalar(), b = dscalar(), c = dscalar();
  OpFromGraph part({a, b, c}, {a * c, zerosLike(b) + 1.0, b + c});
  for (int round = 0; round < 40; ++round) {
    Variables known = scalars(kInputs);
    std::vector<std::vector<bool>> sets(kInputs, std::vector<bool>(kInputs));
    for (size_t i = 0; i < kInputs; ++i)
      sets[i][i] = true;
    auto add = [&](const Variable &v, std::initializer_list<size_t> from) {
      std::vector<bool> set(kInputs);
      for (size_t k : from)
        for (size_t i = 0; i < kInputs; ++i)
          set[i] = set[i] || sets[k][i];
      known.push_back(v);
      sets.push_back(set);
    };
    for (int node = 0; node < 12; ++node) {
      size_t i = pick(known.size()), j = pick(known.size()), k = pick(known.size());
      switch (pick(4)) {
      case 0:
        add(known[i] + known[j], {i, j});
        break;
      case 1:
        add(zerosLike(known[i]) + known[j], {j});
        break;
      case 2:
        add(constant(2.0) * known[k], {k});
        break;
      default:
        Variables results = part.apply({known[i], known[j], known[k]});
        add(results[0], {i, k});
        add(results[1], {});
        add(results[2], {j, k});
      }
    }
    Variables inputs(known.begin(), known.begin() + kInputs), outputs;
    std::vector<size_t> chosen;
    for (int o = 0; o < 5; ++o) {
      chosen.push_back(pick(known.size()));
      outputs.push_back(known[chosen.back()]);
    }
    OpFromGraph op(inputs, outputs);
    ASSERT_TRUE(op.ok()) << op.status();
    for (size_t o = 0; o < outputs.size(); ++o)
      for (size_t i = 0; i < kInputs; ++i)
        EXPECT_EQ(of(op).has(int(i), int(o)), sets[chosen[o]][i]) << round << i << o;
    // Sets of inputs and of outputs.
    std::vector<bool> given;
    for (size_t i = 0; i < kInputs; ++i)
      given.push_back(pick(3) == 0);
    const auto reached = of(op).outputsOf([&](int i) { return given[size_t(i)]; });
    const auto needed = of(op).inputsOf([&](int o) { return given[size_t(o)]; });
    for (size_t o = 0; o < outputs.size(); ++o) {
      bool any = false;
      for (size_t i = 0; i < kInputs; ++i)
        any |= given[i] && sets[chosen[o]][i];
      EXPECT_EQ(reached[o], any) << round << o;
    }
    for (size_t i = 0; i < kInputs; ++i) {
      bool any = false;
      for (size_t o = 0; o < outputs.size(); ++o)
        any |= given[o] && sets[chosen[o]][i];
      EXPECT_EQ(needed[i], any) << round << i;
    }
  }
}

// What the author says goes before what the graph does.
TEST(Dependence, OfOverrides) { // F-252, F-261
  Variables in = scalars(3);
  Variables out = {in[0] * in[1], in[1] * in[2]};
  auto table = [&](OpFromGraphOptions options) {
    OpFromGraph op(in, out, std::move(options));
    EXPECT_TRUE(op.ok()) << op.status();
    std::string text;
    for (int i = 0; i < 3; ++i) {
      for (int o = 0; o < 2; ++o)
        text += of(op).has(i, o) ? '1' : '0';
      text += ' ';
    }
    return text;
  };
  auto rule = [](Inputs in, Outputs, Gradients) { return in[0]; };
  const Override byDefault = Override::byDefault(), never = Override::disconnected();
  EXPECT_EQ(table({}), "10 11 01 ");
  EXPECT_EQ(table({.pullback = {rule, never, byDefault}}), "11 00 01 ");
  EXPECT_EQ(table({.pullback = {byDefault, Override::nullType("why"), byDefault}}), "10 11 01 ");
  EXPECT_EQ(table({.connectionPattern = {{true, true}, {false, true}, {false, false}}}),
            "11 01 00 ");
  EXPECT_EQ(table({.pullback = {rule, byDefault, never},
                   .connectionPattern = {{true, false}, {false, true}, {true, true}}}),
            "10 01 00 ");
}

} // namespace
} // namespace graphc
