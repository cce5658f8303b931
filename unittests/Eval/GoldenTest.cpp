//===- GoldenTest.cpp - every op against independent numbers -----------------===//
//
// The vectors are in test/Data/golden (README.md there: formats, sources and tolerances).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "Closeness.h"
#include "CompiledRun.h"
#include "Eval/Evaluate.h"
#include "GoldenCalls.h"
#include "GoldenTolerance.h"
#include "Ops/Registry.h"
#include "WaitingList.h"
#include "graphc/OpDef.h"

namespace graphc {
namespace {

/// Whether elements say how many there are of the results, or the op is there to forget it.
bool isAsLongAsElementsSay(const GoldenLine &line) {
  static const auto &families = *new std::set<std::string>{
      "arange", "unique_rows", "unique_columns", "non_max_suppression", "nonzero", "flatnonzero",
      "unique", "bincount",    "compress",       "unbroadcast"};
  return families.count(line.op) || line.attrs.dump().find("\"mask\"") != std::string::npos;
}

//===--- one line ---------------------------------------------------------------===//

/// A line as a graph.
struct Case {
  const GoldenLine *line;
  GoldenExtents extents;
  const OpDef *op;
  Variables inputs, outputs;
};

/// Empty if the line's op is not there yet.
std::optional<Case> caseOf(const GoldenLine &line, GoldenExtents extents) {
  Variables inputs = goldenInputs(line, extents);
  std::optional<Variables> outputs = callGolden(line, inputs);
  if (!outputs)
    return std::nullopt;
  return Case{&line, extents, goldenOp(line.op), inputs, *outputs};
}

/// The family's lines with both kinds of extents, without those that wait for an op.
std::vector<Case> casesOf(const std::string &family) {
  std::vector<Case> cases;
  for (const GoldenLine &line : goldenLines()) {
    if (line.op != family || line.skip)
      continue;
    for (GoldenExtents extents : {GoldenExtents::Static, GoldenExtents::Dynamic})
      if (std::optional<Case> c = caseOf(line, extents))
        cases.push_back(*c);
  }
  return cases;
}

void expectOutcome(const Case &c, const TensorsOr &results) {
  const GoldenLine &line = *c.line;
  bool isStatic = c.extents == GoldenExtents::Static;
  SCOPED_TRACE(line.id + " " + line.op + line.attrs.dump() + (isStatic ? " static" : " dynamic"));
  if (!line.error.empty()) {
    EXPECT_FALSE(results.ok());
    EXPECT_EQ(errorKindName(errorKind(results.status())), line.error) << results.status();
    return;
  }
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), line.outputs.size());
  for (size_t k = 0; k < line.outputs.size(); ++k) {
    const Type &type = c.outputs[k].type();
    EXPECT_TRUE(type.isSuperOf(Type(line.outputs[k].dtype(), line.outputs[k].shape())))
        << type; // F-024: no static extent that is wrong
    if (isStatic) {
      EXPECT_TRUE(type.hasStaticShape() || isAsLongAsElementsSay(line)) << type;
    }
    expectClose((*results)[k], line.outputs[k], toleranceOf(line, c.op, line.outputs[k].dtype()));
  }
}

//===--- compiled -----------------------------------------------------------------===//

void expectCompiled(const std::string &family, const Compilation &how) {
  std::vector<Case> working;
  std::vector<GraphAt> graphs;
  for (const Case &c : casesOf(family)) {
    if (!c.line->error.empty()) {
      expectOutcome(c, runCompiled(c.outputs, c.inputs, c.line->inputs, how));
      continue;
    }
    working.push_back(c);
    graphs.push_back({c.outputs, c.inputs, c.line->inputs});
  }
  runTogether(graphs, how,
              [&](size_t i, const TensorsOr &results) { expectOutcome(working[i], results); });
}

//===--- all lines ----------------------------------------------------------------===//

/// How many lines of each family there are, and how many of them no op computes yet.
const GoldenCounts &counts() {
  static const auto &families = *[] {
    auto *all = new GoldenCounts;
    for (const GoldenLine &line : goldenLines())
      if (!line.skip) {
        GoldenCount &count = (*all)[line.op];
        ++count.lines;
        count.waiting += !caseOf(line, GoldenExtents::Static);
      }
    return all;
  }();
  return families;
}

class Golden : public testing::TestWithParam<std::string> {};

// F-369: among them masks of wrong lengths, indices out of range, negative steps.
TEST_P(Golden, Evaluated) {
  for (const Case &c : casesOf(GetParam()))
    expectOutcome(c, evaluate(c.outputs, c.inputs, c.line->inputs));
}

TEST_P(Golden, Compiled) { expectCompiled(GetParam(), {}); }

TEST_P(Golden, RewrittenAndCompiled) { expectCompiled(GetParam(), {.rewrites = true}); }

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(workingFamilies(counts())),
                         [](const auto &info) { return info.param; });

/// "log_softmax" as an op's name.
std::string camelCase(const std::string &family) {
  std::string name;
  for (size_t i = 0; i < family.size(); ++i)
    if (family[i] != '_')
      name += i && family[i - 1] == '_' ? char(std::toupper(family[i])) : family[i];
  return name;
}

/// golden-waiting.txt has the families that wait for an op, with the number of their lines. It can
/// only shrink: a line more is a mistake, a line less must leave the list.
TEST(GoldenLines, WaitAsTheListSays) {
  std::map<std::string, int> listed;
  std::set<std::string> withReason;
  for (const auto &[family, words] : waitingList("golden-waiting.txt")) {
    listed[family] = words.empty() ? 0 : std::stoi(words[0]);
    if (words.size() > 1)
      withReason.insert(family);
  }
  int sum = 0;
  for (const auto &[family, lines] : listed)
    sum += lines;
  // What is computed once does not wait again, even if the list says so: this goes down only.
  constexpr int kMostWaiting = 0;
  EXPECT_EQ(sum, kMostWaiting) << "lower kMostWaiting, or make the lines pass again";
  for (const auto &[family, count] : counts()) {
    int waiting = listed.count(family) ? listed[family] : 0;
    EXPECT_LE(count.waiting, waiting) << family << ": lines are left out that no list allows";
    EXPECT_GE(count.waiting, waiting) << family << ": change golden-waiting.txt, it waits no more";
    if (count.waiting) {
      EXPECT_TRUE(withReason.count(family) || (!findOp(camelCase(family)) && !goldenOp(family)))
          << family << " has an op: GoldenCalls.cpp must call it, or the list say why not";
    }
    listed.erase(family);
  }
  EXPECT_TRUE(listed.empty()) << listed.begin()->first << " is no family";
}

} // namespace
} // namespace graphc
