//===- GoldenGradientsTest.cpp - gradients against independent numbers --------===//
//
// Lines of test/Data/golden have the gradient of sum_k sum(w[k] * outputs[k]) with respect to their
// inputs, from formulas or differences at 60 digits (README.md there). The same cost is built here
// and differentiated (F-267).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "Closeness.h"
#include "CompiledRun.h"
#include "Eval/Evaluate.h"
#include "GoldenCalls.h"
#include "WaitingList.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// The gradients that a line gives, as a graph.
struct Case {
  const GoldenLine *line;
  GoldenExtents extents;
  const OpDef *op;
  /// Those of the line, and the weights.
  Variables inputs;
  std::vector<Tensor> values;
  Variables gradients;
  std::vector<Tensor> wanted;

  /// An op on the way has no pullback yet.
  bool isWaiting() const {
    const absl::Status &status = gradients[0].status();
    return errorKind(status) == ErrorKind::NullGradient &&
           status.message().find(" has no pullback") != absl::string_view::npos;
  }
};

bool hasGradients(const GoldenLine &line) {
  bool any = false;
  for (const Tensor &gradient : line.grads)
    any |= gradient.defined();
  return any && !line.skip;
}

/// Empty if the line's op is not there, or the line has no gradients.
std::optional<Case> caseOf(const GoldenLine &line, GoldenExtents extents) {
  const OpDef *op = goldenOp(line.op);
  if (!hasGradients(line) || !op)
    return std::nullopt;
  Variables inputs = goldenInputs(line, extents);
  std::optional<Variables> outputs = callGolden(line, inputs);
  if (!outputs)
    return std::nullopt;
  Case c{&line, extents, op, inputs, line.inputs, {}, {}};
  std::vector<Operand> costs;
  for (size_t k = 0; k < outputs->size(); ++k) {
    const Variable &output = (*outputs)[k];
    Variable weights(output.type().withDType(line.w[k].dtype()));
    c.inputs.push_back(weights);
    c.values.push_back(line.w[k]);
    costs.emplace_back(sum(weights * output));
  }
  Variable cost = costs[0].variable();
  for (size_t k = 1; k < costs.size(); ++k)
    cost = cost + costs[k];
  Variables wrt;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (line.grads[i].defined()) {
      wrt.push_back(inputs[i]);
      c.wanted.push_back(line.grads[i]);
    }
  c.gradients = grad(cost, wrt);
  return c;
}

/// The family's lines with both kinds of extents, without those that wait for a rule.
std::vector<Case> casesOf(const std::string &family) {
  std::vector<Case> cases;
  for (const GoldenLine &line : goldenLines())
    if (line.op == family)
      for (GoldenExtents extents : {GoldenExtents::Static, GoldenExtents::Dynamic})
        if (std::optional<Case> c = caseOf(line, extents); c && !c->isWaiting())
          cases.push_back(*std::move(c));
  return cases;
}

/// golden/README.md: relative, beside the line's own tolerance; absolute where terms are summed,
/// which is in all gradients but those of elementwise ops without broadcasting.
Tolerance toleranceOf(const Case &c, const Tensor &wanted) {
  bool single = wanted.dtype() == DType::Float32;
  bool isSum = c.op->elements != Elements::Elementwise;
  for (const Tensor &output : c.line->outputs)
    isSum |= output.shape() != wanted.shape();
  Tolerance t;
  t.rtol = c.line->rtol.value_or(single ? 1e-4 : 1e-9);
  t.atol = c.line->atol.value_or(!isSum ? 0 : single ? 1e-6 : 1e-12);
  return t;
}

void expectOutcome(const Case &c, const TensorsOr &results) {
  const GoldenLine &line = *c.line;
  SCOPED_TRACE(line.id + " " + line.op + line.attrs.dump() +
               (c.extents == GoldenExtents::Static ? " static" : " dynamic"));
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), c.wanted.size());
  for (size_t i = 0; i < c.wanted.size(); ++i) {
    const Type &type = c.gradients[i].type();
    EXPECT_TRUE(type.isSuperOf(Type(c.wanted[i].dtype(), c.wanted[i].shape())))
        << type; // F-270: the input's dtype and rank
    expectClose((*results)[i], c.wanted[i], toleranceOf(c, c.wanted[i]));
  }
}

void expectCompiled(const std::string &family, const Compilation &how) {
  std::vector<Case> cases = casesOf(family);
  std::vector<GraphAt> graphs;
  for (const Case &c : cases)
    graphs.push_back({c.gradients, c.inputs, c.values});
  runTogether(graphs, how,
              [&](size_t i, const TensorsOr &results) { expectOutcome(cases[i], results); });
}

//===--- all lines ----------------------------------------------------------------===//

/// How many lines of each family have gradients and an op, and how many of them wait for a rule.
const GoldenCounts &counts() {
  static const auto &families = *[] {
    auto *all = new GoldenCounts;
    for (const GoldenLine &line : goldenLines())
      if (std::optional<Case> c = caseOf(line, GoldenExtents::Static)) {
        GoldenCount &count = (*all)[line.op];
        ++count.lines;
        count.waiting += c->isWaiting();
      }
    return all;
  }();
  return families;
}

class GoldenGradients : public testing::TestWithParam<std::string> {};

TEST_P(GoldenGradients, Evaluated) {
  for (const Case &c : casesOf(GetParam()))
    expectOutcome(c, evaluate(c.gradients, c.inputs, c.values));
}

TEST_P(GoldenGradients, Compiled) { expectCompiled(GetParam(), {}); }

TEST_P(GoldenGradients, RewrittenAndCompiled) { expectCompiled(GetParam(), {.rewrites = true}); }

INSTANTIATE_TEST_SUITE_P(All, GoldenGradients, testing::ValuesIn(workingFamilies(counts())),
                         [](const auto &info) { return info.param; });

/// golden-gradients-waiting.txt has the families whose ops wait for a pullback, with the number of
/// their lines. It can only shrink.
TEST(GoldenGradientLines, WaitAsTheListSays) {
  std::map<std::string, int> listed;
  for (const auto &[family, words] : waitingList("golden-gradients-waiting.txt"))
    listed[family] = words.empty() ? 0 : std::stoi(words[0]);
  for (const auto &[family, count] : counts()) {
    EXPECT_EQ(count.waiting, listed[family])
        << family << ": change golden-gradients-waiting.txt if lines wait no more";
    listed.erase(family);
  }
  EXPECT_TRUE(listed.empty()) << listed.begin()->first << " is no family whose op is there";
}

} // namespace
} // namespace graphc
