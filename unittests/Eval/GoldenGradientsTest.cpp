//===- GoldenGradientsTest.cpp - derivatives against independent numbers ------===//
//
// Lines of test/Data/golden have the gradient g = J^T w of sum_k sum(w[k] * outputs[k]) with
// respect to their inputs, from formulas or differences at 50 digits or more (README.md there). The
// same cost is built here and differentiated (F-267). Pushforwards give J u for tangents u (F-287):
// of them, w . (J u) = u . g is looked at, for each unit vector u and for several at once.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "Closeness.h"
#include "CompiledRun.h"
#include "Eval/Evaluate.h"
#include "GoldenCalls.h"
#include "Gradient/Connection.h"
#include "Ops/Registry.h"
#include "WaitingList.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// The gradients that a line gives, as a graph.
struct Case {
  const GoldenLine *line;
  GoldenExtents extents;
  const OpDef *op;
  Variables outputs;
  /// Those of the line, and the weights.
  Variables inputs;
  std::vector<Tensor> values;
  /// Which of the inputs have gradients, the gradients as graphs, and the line's.
  std::vector<size_t> wrt;
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
  const OpDef *op = goldenOp(line.op); // null for functions that are made of ops
  if (!hasGradients(line))
    return std::nullopt;
  Variables inputs = goldenInputs(line, extents);
  std::optional<Variables> outputs = callGolden(line, inputs);
  if (!outputs)
    return std::nullopt;
  Case c{&line, extents, op, *outputs, inputs, line.inputs, {}, {}, {}};
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
      c.wrt.push_back(i);
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

/// Whether each element of the results depends on one of the input alone.
bool isElementwise(const Case &c, const Tensor &input) {
  bool each = c.op && c.op->elements == Elements::Elementwise;
  for (const Tensor &output : c.line->outputs)
    each &= output.shape() == input.shape();
  return each;
}

/// golden/README.md: relative, beside the line's own tolerance; absolute where terms are summed,
/// which is in all gradients but those of elementwise ops without broadcasting.
Tolerance toleranceOf(const Case &c, const Tensor &wanted) {
  bool single = wanted.dtype() == DType::Float32;
  Tolerance t;
  t.rtol = c.line->rtol.value_or(single ? 1e-4 : 1e-9);
  t.atol = c.line->atol.value_or(isElementwise(c, wanted) ? 0 : single ? 1e-6 : 1e-12);
  return t;
}

std::string nameOf(const Case &c) {
  return c.line->id + " " + c.line->op + c.line->attrs.dump() +
         (c.extents == GoldenExtents::Static ? " static" : " dynamic");
}

void expectOutcome(const Case &c, const TensorsOr &results) {
  SCOPED_TRACE(nameOf(c));
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

//===--- pushforwards -------------------------------------------------------------===//

std::vector<double> elementsOf(const Tensor &t) {
  Tensor wide = t.cast(DType::Float64).contiguous();
  return {wide.flat<double>().begin(), wide.flat<double>().end()};
}

/// The pushforward along one of the line's inputs.
struct Push {
  const Case *c;
  size_t k; // of c->wrt
  /// Of the outputs that are floats; the tangent is the last input.
  Variables pushed, inputs;
  std::vector<size_t> outputs;

  Push(const Case &c, size_t k, bool byRules) : c(&c), k(k), inputs(c.inputs) {
    const Variable &x = c.inputs[c.wrt[k]];
    Variable tangent(x.type());
    Variables of;
    for (size_t o = 0; o < c.outputs.size(); ++o)
      if (isFloat(c.outputs[o].dtype())) {
        of.push_back(c.outputs[o]);
        outputs.push_back(o);
      }
    pushed = pushforward(
        of, {x}, {tangent},
        {.useOpPushforward = byRules, .disconnectedInputs = DisconnectedInputs::Ignore});
    inputs.push_back(tangent);
  }

  const Tensor &gradient() const { return c->wanted[k]; }
  bool isEach() const { return isElementwise(*c, gradient()); }
  std::vector<Tensor> valuesWith(const Tensor &tangent) const {
    std::vector<Tensor> values = c->values;
    values.push_back(tangent);
    return values;
  }
  /// Multiples of 1/4, none of them 0, so that each element counts.
  Tensor direction() const {
    Tensor u = *Tensor::allocate(DType::Float64, gradient().shape());
    int next = 3;
    for (double &element : u.mutableFlat<double>()) {
      next = (next * 5 + 1) % 16; // all of 0 to 15
      element = 0.25 * (next < 8 ? next - 8 : next - 7);
    }
    return u.cast(gradient().dtype());
  }
  /// 1 at one element.
  Tensor unit(int64_t i) const {
    Tensor u = *Tensor::zeros(DType::Float64, gradient().shape());
    u.mutableFlat<double>()[size_t(i)] = 1;
    return u.cast(gradient().dtype());
  }

  void expectAlong(const Tensor &u, const TensorsOr &results) const {
    ASSERT_TRUE(results.ok()) << results.status();
    ASSERT_EQ(results->size(), outputs.size());
    Tolerance t = toleranceOf(*c, gradient());
    for (size_t o = 0; o < outputs.size(); ++o) {
      const Tensor &value = c->line->outputs[outputs[o]];
      ASSERT_EQ((*results)[o].shape(), value.shape()); // F-287: the type of its f
      ASSERT_EQ((*results)[o].dtype(), value.dtype());
    }
    // By output: w times what was pushed.
    std::vector<std::vector<double>> products;
    for (size_t o = 0; o < outputs.size(); ++o) {
      products.push_back(elementsOf(c->line->w[outputs[o]]));
      std::vector<double> pushed = elementsOf((*results)[o]);
      for (size_t i = 0; i < pushed.size(); ++i)
        products[o][i] *= pushed[i];
    }
    double wanted = 0, got = 0, bound = 0;
    std::vector<double> g = elementsOf(gradient()), along = elementsOf(u);
    for (size_t i = 0; i < g.size(); ++i) {
      double off = std::fabs(along[i]) * (*t.atol + *t.rtol * std::fabs(g[i]));
      if (isEach()) {
        ASSERT_EQ(outputs.size(), 1u);
        if (std::isinf(g[i]) && along[i] != 0) // the bound is one, too
          ASSERT_EQ(products[0][i], along[i] * g[i])
              << "element " << i << " of input " << c->wrt[k];
        else
          ASSERT_NEAR(products[0][i], along[i] * g[i], off)
              << "element " << i << " of input " << c->wrt[k];
      }
      wanted += along[i] * g[i];
      bound += off;
    }
    if (isEach())
      return;
    for (const std::vector<double> &of : products)
      got = std::accumulate(of.begin(), of.end(), got);
    EXPECT_NEAR(got, wanted, bound) << "input " << c->wrt[k] << " along " << u;
  }
};

void expectPushed(const std::string &family, bool byRules) {
  for (const Case &c : casesOf(family)) {
    SCOPED_TRACE(nameOf(c));
    for (size_t k = 0; k < c.wrt.size(); ++k) {
      Push push(c, k, byRules);
      auto along = [&](const Tensor &u) {
        push.expectAlong(u, evaluate(push.pushed, push.inputs, push.valuesWith(u)));
      };
      along(push.direction());
      if (!push.isEach() && c.extents == GoldenExtents::Static)
        for (int64_t i = 0; i < push.gradient().numElements(); ++i)
          along(push.unit(i));
    }
  }
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

TEST_P(GoldenGradients, PushedByRules) { expectPushed(GetParam(), true); }

TEST_P(GoldenGradients, PushedByTwoPullbacks) { expectPushed(GetParam(), false); }

TEST_P(GoldenGradients, PushedCompiled) {
  std::vector<Case> cases = casesOf(GetParam());
  for (bool rewrites : {false, true}) {
    std::vector<std::vector<Push>> pushes;
    std::vector<GraphAt> graphs;
    for (const Case &c : cases) {
      GraphAt &graph = graphs.emplace_back(GraphAt{{}, c.inputs, c.values});
      pushes.emplace_back();
      for (size_t k = 0; k < c.wrt.size(); ++k) {
        const Push &push = pushes.back().emplace_back(c, k, /*byRules=*/true);
        graph.outputs.insert(graph.outputs.end(), push.pushed.begin(), push.pushed.end());
        graph.inputs.push_back(push.inputs.back());
        graph.values.push_back(push.direction());
      }
    }
    runTogether(graphs, {.rewrites = rewrites}, [&](size_t i, const TensorsOr &results) {
      SCOPED_TRACE(nameOf(cases[i]));
      ASSERT_TRUE(results.ok()) << results.status();
      auto next = results->begin();
      for (const Push &push : pushes[i]) {
        std::vector<Tensor> along(next, next + ptrdiff_t(push.outputs.size()));
        push.expectAlong(push.direction(), along);
        next += ptrdiff_t(along.size());
      }
    });
  }
}

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

/// golden-gradients-none.txt has the ops through which no golden gradient goes, each with the
/// reason. All others are differentiated by their own rules above.
TEST(GoldenGradientLines, GoThroughEveryOtherOp) {
  std::set<std::string> differentiated;
  for (const GoldenLine &line : goldenLines()) {
    std::optional<Case> c = caseOf(line, GoldenExtents::Static);
    if (!c || c->isWaiting())
      continue;
    Variables wrt;
    for (size_t i : c->wrt)
      wrt.push_back(c->inputs[i]);
    std::vector<Apply> order = ioToposort({}, c->outputs);
    Connection connection(order, wrt);
    for (const Apply &node : order) {
      const auto depends = dependentOutputs(node, [&](int i) {
        return connection.depends(node.input(i)) && isFloat(node.input(i).dtype());
      });
      for (int o = 0; o < node.numOutputs(); ++o)
        if (depends[size_t(o)] && isFloat(node.output(o).dtype()))
          differentiated.emplace(node.op().name());
    }
  }
  auto listed = waitingList("golden-gradients-none.txt");
  for (const OpDef *op : allOps()) {
    EXPECT_NE(differentiated.count(op->name), listed.count(op->name))
        << op->name
        << (listed.count(op->name) ? ": golden-gradients-none.txt need not list it"
                                   : ": no golden gradient goes through it: write one "
                                     "(make_gradients.py), or say in golden-gradients-none.txt "
                                     "why there is none");
    if (auto found = listed.find(op->name); found != listed.end()) {
      EXPECT_GE(found->second.size(), 2u) << op->name << ": say why";
      listed.erase(found);
    }
  }
  EXPECT_TRUE(listed.empty()) << listed.begin()->first << " is no op";
}

} // namespace
} // namespace graphc
