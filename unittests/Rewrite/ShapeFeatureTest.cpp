// F-146: symbolic shapes. Expected extents are worked out by hand, or computed by the evaluator
// from the Variable itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "Eval/Evaluate.h"
#include "OnStack.h"
#include "Support/Work.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

using testing::ElementsAre;

struct ShapeFeatureTest : testing::Test {
  Variable x = dvector("x"), y = dvector("y"), a = dmatrix("a"), b = dmatrix("b");
  Variable n = lscalar("n"), k = iscalar("k");
  std::shared_ptr<ShapeFeature> shapes = std::make_shared<ShapeFeature>();

  FunctionGraph graph(const Variables &outputs) {
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y, a, b, n, k}, outputs, {.features = {shapes}});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  /// The extents of the output as formulas.
  std::vector<std::string> of(const Variable &output) {
    shapes = std::make_shared<ShapeFeature>();
    FunctionGraph fg = graph({output});
    std::vector<std::string> texts;
    absl::StatusOr<Variables> extents = shapes->shape(fg.output(0));
    EXPECT_TRUE(extents.ok()) << extents.status();
    for (const Variable &extent : *extents) {
      EXPECT_EQ(extent.type(), TensorType(DType::Int64, {}));
      texts.push_back(pp(extent));
    }
    EXPECT_TRUE(fg.checkIntegrity().ok());
    return texts;
  }
  std::string extentOf(const Variable &v, int axis = 0) { return pp(shape(v, axis)); }
};

TEST_F(ShapeFeatureTest, FormulasOfInputs) {
  std::string x0 = extentOf(x), a0 = extentOf(a), a1 = extentOf(a, 1), b1 = extentOf(b, 1);
  EXPECT_THAT(of(x), ElementsAre(x0));
  EXPECT_THAT(of(exp(sin(x)) * 2.0), ElementsAre(x0));
  EXPECT_THAT(of(dot(exp(a), b)), ElementsAre(a0, b1));
  EXPECT_THAT(of(a.T()), ElementsAre(a1, a0));
  EXPECT_THAT(of(a.sum(0)), ElementsAre(a1));
  EXPECT_THAT(of(a.sum()), ElementsAre());
  EXPECT_THAT(of(concatenate({x, y})), ElementsAre(pp(shape(x, 0) + shape(y, 0))));
  EXPECT_THAT(of(a.dimshuffle({0, -1, 1})), ElementsAre(a0, "1", a1));
  EXPECT_THAT(of(constant(*Tensor::zeros(DType::Float32, {3, 4})).T()), ElementsAre("4", "3"));
  // F-024: what is known is a constant.
  EXPECT_THAT(of(reshape(x, {2, 3})), ElementsAre("2", "3"));
  EXPECT_THAT(of(exp(a)[{Index(0)}]), ElementsAre(a1));
}

TEST_F(ShapeFeatureTest, ExtentsThatDependOnValues) {
  EXPECT_THAT(of(arange(n)), ElementsAre(pp(maximum(n, constant(0)))));
  EXPECT_THAT(of(broadcastTo(x.sum(), {n, 3})), ElementsAre("n", "3"));
  EXPECT_THAT(of(broadcastTo(x.sum(), {n * 2 + shape(x, 0)})),
              ElementsAre(pp(shape(x, 0) + n * constant(2)))); // older terms first
  // Through the small nodes that make a shape; int32 is widened.
  EXPECT_THAT(of(broadcastTo(x.sum(), {cast(k, DType::Int64)})),
              ElementsAre(pp(cast(k, DType::Int64))));
}

TEST_F(ShapeFeatureTest, EqualExtentsAreOneVariable) {
  FunctionGraph fg = graph({exp(x), sin(exp(x) * 3.0), dot(a, b), b.T(), x[{Slice(0, shape(x, 0))}],
                            reshape(a, {shape(a, 0), -1}), arange(n) + 0.0, arange(n)});
  EXPECT_EQ(shapes->extent(fg.output(0), 0), shapes->extent(fg.output(1), 0));
  EXPECT_EQ(shapes->extent(fg.output(2), 1), shapes->extent(fg.output(3), 0));
  EXPECT_TRUE(shapes->sameShape(fg.output(0), fg.output(1)));
  EXPECT_TRUE(shapes->sameShape(fg.output(4), fg.input(0)));
  EXPECT_TRUE(shapes->sameExtent(fg.output(5), 0, fg.input(2), 0));
  EXPECT_TRUE(shapes->sameShape(fg.output(6), fg.output(7)));
  EXPECT_FALSE(shapes->sameShape(fg.input(0), fg.input(1)));
  EXPECT_FALSE(shapes->sameShape(fg.output(0), fg.output(2)));
  // Negative axes count from the end.
  EXPECT_TRUE(shapes->sameExtent(fg.output(2), -1, fg.input(3), 1));
}

TEST_F(ShapeFeatureTest, Mistakes) {
  FunctionGraph fg = graph({exp(x)});
  EXPECT_EQ(errorKind(shapes->extent(fg.output(0), 1).status()), ErrorKind::AxisError);
  EXPECT_EQ(shapes->extent(fg.output(0), 1).status().message(),
            "axis 1 is out of range for rank 1");
  EXPECT_EQ(errorKind(shapes->extent(fg.output(0), -2).status()), ErrorKind::AxisError);
  EXPECT_EQ(errorKind(shapes->extent(x, 0).status()), ErrorKind::KeyError);
  EXPECT_EQ(shapes->shape(exp(fg.input(0))).status().message(),
            "the ShapeFeature knows no shape of what is not in its FunctionGraph");
  EXPECT_FALSE(shapes->sameShape(x, x));
  EXPECT_FALSE(shapes->neverFails(x));
  EXPECT_FALSE(shapes->sameExtent(fg.output(0), 1, fg.output(0), 1));
  // One for each graph.
  absl::StatusOr<FunctionGraph> other = FunctionGraph::create({x}, {x});
  EXPECT_EQ(
      other->attachFeature(shapes).message(),
      "the feature ShapeFeature is attached to another FunctionGraph; clone() makes one for each");
  ShapeFeature second;
  EXPECT_EQ(second.onAttach(fg).message(), "the FunctionGraph has a ShapeFeature already");
  EXPECT_TRUE(fg.attachFeature(std::make_shared<ShapeFeature>()).ok());
  EXPECT_EQ(fg.features().size(), 1u);
  // A graph that is gone has no members; removed, it knows none.
  Variable output = fg.output(0);
  ASSERT_TRUE(fg.removeFeature(shapes).ok());
  EXPECT_EQ(errorKind(shapes->extent(output, 0).status()), ErrorKind::KeyError);
}

// Ops of users, and results whose extents an op finds while it runs.
TEST_F(ShapeFeatureTest, UserDefinedOps) {
  OpDef def;
  def.name = "twice";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &request) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{Type(request.type(0).dtype(), {kDynamic})};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    Extent n = e.dim(in[0], 0);
    return {e.define({n * 2}, [&](Indices i) { return e.load(in[0], {mod(i[0], e.scalar(n))}); })};
  };
  Op twice = *defineOp(def);
  EXPECT_THAT(of(twice(exp(x))), ElementsAre(pp(shape(x, 0) * constant(2))));

  def.name = "counted"; // as many elements as the first one says
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    Array count =
        e.define({}, [&](Indices) { return cast(e.load(in[0], {e.index(0)}), DType::Int64); });
    return {e.define({e.element(count)}, [&](Indices) { return e.literal(DType::Float64, 1); })};
  };
  Op counted = *defineOp(def);
  Variable v = counted(x);
  EXPECT_THAT(of(exp(v)), ElementsAre(pp(shape(v, 0))));
}

TEST_F(ShapeFeatureTest, FollowsChanges) {
  FunctionGraph fg = graph({sin(exp(x))});
  Variable before = shapes->extent(fg.output(0), 0);
  EXPECT_EQ(pp(before), extentOf(x));
  absl::StatusOr<Checkpoint> start = fg.checkpoint();
  // Another value of another extent.
  ASSERT_TRUE(fg.replace(fg.input(0), concatenate({fg.input(1), fg.input(1)})).ok());
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), pp(shape(y, 0) + shape(y, 0)));
  ASSERT_TRUE(fg.revert(*std::move(start)).ok());
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), extentOf(x));
  ASSERT_TRUE(fg.replace(fg.output(0), arange(fg.input(4)) + 0.0).ok());
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), pp(maximum(n, constant(0))));
  FunctionGraph copy = *fg.clone();
  auto *copied = copy.find<ShapeFeature>();
  ASSERT_NE(copied, nullptr);
  EXPECT_NE(copied, shapes.get());
  EXPECT_EQ(copied->extent(copy.output(0), 0), copied->extent(copy.output(0), -1));
  EXPECT_EQ(errorKind(copied->extent(fg.output(0), 0).status()), ErrorKind::KeyError);
}

// An extent that has become a member is changed with the graph; what is asked next is as the graph
// is then.
TEST_F(ShapeFeatureTest, FormulasMayBecomeMembers) {
  FunctionGraph fg = graph({exp(x), n + 1});
  Variable extent = shapes->extent(fg.output(0), 0);
  ASSERT_TRUE(fg.replace(fg.output(1), extent).ok());
  ASSERT_TRUE(fg.replace(fg.input(0), fg.input(1)).ok()); // changes the operand of shapeI too
  EXPECT_EQ(pp(fg.output(1)), extentOf(y));
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), extentOf(y));
  Variable x0 = shapes->extent(fg.input(0), 0);
  EXPECT_EQ(pp(x0), extentOf(x));
}

// F-146: nothing that has left the graph is kept.
TEST_F(ShapeFeatureTest, KeepsNoDeadNode) {
  auto tag = std::make_shared<int>(1);
  std::weak_ptr<void> alive = tag;
  FunctionGraph fg = graph({exp(x), exp(y)});
  {
    // A Variable on whose values an extent depends: not a member any more after the change.
    Variable data = cast(fg.input(0).sum(), DType::Int64);
    data.owner().setTag(std::move(tag));
    ASSERT_TRUE(fg.replace(fg.output(1), exp(arange(data) + 0.0)).ok());
  }
  EXPECT_THAT(pp(shapes->extent(fg.output(1), 0)), testing::HasSubstr("cast"));
  EXPECT_FALSE(alive.expired());
  ASSERT_TRUE(fg.replace(fg.output(1), fg.input(1)).ok());
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(pp(shapes->extent(fg.output(1), 0)), extentOf(y));
}

// Asked after each change at the top of a long chain, it looks no further than extents change.
TEST_F(ShapeFeatureTest, AskedAfterEachChange) {
  constexpr int kLength = 20'000, kChanges = 1'000;
  Variable v = a;
  for (int i = 0; i < kLength; ++i)
    v = sin(v);
  FunctionGraph fg = graph({v, exp(a.T()).T()});
  Apply top = fg.output(0).owner();
  while (top.input(0).hasOwner())
    top = top.input(0).owner();
  std::string a0 = extentOf(a), b0 = extentOf(b);
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), a0);
  Variable same = fg.output(1), former = top.input(0);
  ASSERT_TRUE(fg.changeInput({top, 0}, same).ok()); // moves the chain behind it, once
  uint64_t before = detail::workDone;
  for (int i = 1; i <= kChanges; ++i) {
    ASSERT_TRUE(fg.changeInput({top, 0}, i % 2 ? former : same).ok());
    EXPECT_TRUE(shapes->sameShape(fg.output(0), fg.input(2)));
  }
  EXPECT_LT(detail::workDone - before, 20u * kChanges);
  // Where they do change, they change everywhere below.
  ASSERT_TRUE(fg.changeInput({top, 0}, fg.input(3)).ok());
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), b0);
  EXPECT_FALSE(shapes->sameShape(fg.output(0), fg.input(2)));
  ASSERT_TRUE(fg.changeInput({top, 0}, fg.input(2)).ok());
  EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), a0);
}

// The length of a range has an int64 formula, though the distance of its ends may be no int64.
// Lengths are Python's len(range(start, stop, step)), without its limit for len.
TEST_F(ShapeFeatureTest, LengthsOfRanges) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = -(kMin + 1);
  struct Case {
    int64_t start, stop, step, length;
  };
  const Case cases[] = {
      {kMin, kMax, int64_t(1) << 62, 4},
      {kMax, kMin, -(int64_t(1) << 62), 4},
      {kMin, kMax, kMax, 3},
      {kMax, kMin, kMin, 2},
      {kMin, kMax, int64_t(1) << 40, 16777216},
      {kMax, kMin, -(int64_t(1) << 60) - 1, 16},
      {kMax, kMin, 1, 0},
      {kMin, kMax, -1, 0},
      {5, kMin, 1, 0},
      {-5, kMax, -3, 0},
      {kMax - 6, kMax, 4, 2},
      {kMin + 7, kMin, -4, 2},
      {kMin, kMin + 7, 4, 2},
      {-1, kMax, kMax, 2},
      {0, kMin, kMin, 1},
      {kMin, 0, kMax, 2},
      {3, 3, kMin, 0},
      {-3, 4, 3, 3},
      {4, -3, -3, 3},
      {0, 10, 3, 4},
  };
  Variable start = lscalar("start"), stop = lscalar("stop"), step = lscalar("step");
  for (const Case &c : cases)
    // Each of the three known, or found when it runs.
    for (int known = 0; known < 8; ++known) {
      auto operand = [&](int bit, const Variable &v, int64_t value) {
        return known >> bit & 1 ? constant(value) : v;
      };
      Variable range =
          arange(operand(0, start, c.start), operand(1, stop, c.stop), operand(2, step, c.step));
      auto feature = std::make_shared<ShapeFeature>();
      FunctionGraph fg =
          *FunctionGraph::create({start, stop, step}, {range}, {.features = {feature}});
      TensorsOr length = evaluate({feature->extent(fg.output(0), 0)}, fg.inputs(),
                                  {Tensor(c.start), Tensor(c.stop), Tensor(c.step)});
      ASSERT_TRUE(length.ok()) << length.status();
      EXPECT_EQ((*length)[0].item<int64_t>(), c.length)
          << c.start << " " << c.stop << " " << c.step << " " << known;
    }
}

/// Asks for shapes when it hears of a change.
struct Asking : Feature {
  std::string_view name() const override { return "Asking"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Asking>(); }
  absl::Status onChangeInput(FunctionGraph &graph, const Client &, const Variable &,
                             const Variable &fresh, std::string_view) override {
    auto *shapes = graph.find<ShapeFeature>();
    for (absl::Status status : {shapes->shape(fresh).status(), shapes->extent(fresh, 0).status()}) {
      EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
      EXPECT_EQ(status.message(), "the ShapeFeature cannot be asked while Features are told of a "
                                  "change; ask afterwards");
    }
    EXPECT_FALSE(shapes->sameShape(fresh, fresh) || shapes->sameExtent(fresh, 0, fresh, 0));
    EXPECT_FALSE(shapes->neverFails(fresh));
    return refuses ? makeError(ErrorKind::RuntimeError, "refused by the test") : absl::OkStatus();
  }
  bool refuses = false;
};

// What is asked in the middle of a change that is then refused would be of a graph that never was.
TEST_F(ShapeFeatureTest, NotAskedInCallbacks) {
  auto asking = std::make_shared<Asking>();
  FunctionGraph fg = *FunctionGraph::create({x, y}, {exp(x)}, {.features = {asking, shapes}});
  for (bool refuses : {true, false}) {
    asking->refuses = refuses;
    EXPECT_NE(fg.replace(fg.output(0), sin(concatenate({fg.input(0), fg.input(1)}))).ok(), refuses);
    Variable x0 = shape(fg.input(0), 0);
    EXPECT_EQ(pp(shapes->extent(fg.output(0), 0)), pp(refuses ? x0 : x0 + shape(fg.input(1), 0)));
  }
}

TEST_F(ShapeFeatureTest, NeverFails) {
  FunctionGraph fg =
      graph({exp(x) * sin(x), x + y, dot(a, b), x[{Index(0)}], a.sum(0), broadcastTo(x.sum(), {n}),
             exp(x + y), reshape(x, {-1}), x + x[{Slice(0, shape(x, 0))}]});
  std::vector<bool> safe;
  for (const Variable &output : fg.outputs())
    safe.push_back(shapes->neverFails(output));
  EXPECT_THAT(safe, ElementsAre(true, false, false, false, true, false, false, true, true));
}

// Random graphs: the formulas give the extents that the arrays have, before and after changes.
TEST_F(ShapeFeatureTest, AgreesWithTheEvaluator) {
  std::mt19937 random(7);
  auto any = [&](size_t count) { return size_t(random() % count); };
  std::vector<Tensor> values;
  for (std::vector<int64_t> extents : {std::vector<int64_t>{3}, {4}, {2, 5}, {5, 2}})
    values.push_back(*Tensor::zeros(DType::Float64, extents));
  values.push_back(Tensor(int64_t(6)));
  values.push_back(Tensor(2).cast(DType::Int32));
  int compared = 0;
  for (int round = 0; round < 40; ++round) {
    Variables made = {x, y, a, b};
    auto grow = [&](const Variables &from) {
      Variable v = from[any(from.size())], w = from[any(from.size())];
      switch (any(9)) {
      case 0:
        return exp(v);
      case 1:
        return v.rank() == 2 ? v.T() : v.rank() == 1 ? concatenate({v, v}) : v;
      case 2:
        return v.rank() > 0 ? v.sum(0) : v;
      case 3:
        return v.rank() > 0 ? Variable(v[{Slice(1, kEnd)}]) : v;
      case 4:
        return v.rank() > 0 ? Variable(v[{Slice(kEnd, kEnd, -2)}]) : v;
      case 5:
        return v.flatten();
      case 6:
        return broadcastTo(v.sum(), {shape(v.flatten(), 0) + 1, 2});
      case 7:
        return v.rank() == 2 && w.rank() == 2 ? dot(v, w.T()) : v;
      default:
        return v.rank() == 1 && w.rank() == 1 ? concatenate({v, w}) : v;
      }
    };
    for (int i = 0; i < 25; ++i)
      made.push_back(grow(made));
    shapes = std::make_shared<ShapeFeature>();
    FunctionGraph fg = graph({made.back(), made[made.size() - 2], made[made.size() - 3]});
    for (int step = 0; step < 12; ++step) {
      Variables all = fg.variables();
      for (int i = 0; i < 4; ++i) {
        Variable v = all[any(all.size())];
        TensorsOr value = evaluate(Variables{v}, fg.inputs(), values);
        if (!value.ok())
          continue; // products of matrices that do not match
        absl::StatusOr<Variables> extents = shapes->shape(v);
        ASSERT_TRUE(extents.ok()) << extents.status();
        TensorsOr numbers = evaluate(*extents, fg.inputs(), values);
        ASSERT_TRUE(numbers.ok()) << numbers.status();
        for (int axis = 0; axis < v.rank(); ++axis, ++compared)
          ASSERT_EQ((*numbers)[size_t(axis)].item<int64_t>(), (*value)[0].shape()[size_t(axis)])
              << pp(v) << " along " << axis << ": " << pp((*extents)[size_t(axis)]);
      }
      (void)fg.replace(all[any(all.size())], grow(fg.variables()), "a step");
    }
    ASSERT_TRUE(fg.checkIntegrity().ok());
  }
  EXPECT_GT(compared, 1000);
}

TEST_F(ShapeFeatureTest, AMillionNodesOnASmallStack) {
  onStack(1, [] {
    constexpr int kDepth = 1'000'000;
    Variable x = dvector("x"), v = x;
    for (int i = 0; i < kDepth; ++i)
      v = i % 2 ? exp(v) : sin(v);
    auto shapes = std::make_shared<ShapeFeature>();
    absl::StatusOr<FunctionGraph> fg = FunctionGraph::create({x}, {v}, {.features = {shapes}});
    ASSERT_TRUE(fg.ok());
    EXPECT_TRUE(shapes->sameShape(fg->output(0), fg->input(0)));
    ASSERT_TRUE(fg->replace(fg->input(0), concatenate({fg->input(0), fg->input(0)})).ok());
    EXPECT_FALSE(shapes->sameShape(fg->output(0), fg->input(0)));
    EXPECT_EQ(pp(shapes->extent(fg->output(0), 0)), pp(shape(x, 0) + shape(x, 0)));
  });
}

// Extents that are sums of a hundred thousand terms.
TEST_F(ShapeFeatureTest, DeepFormulas) {
  onStack(1, [this] {
    Variable v = x;
    for (int i = 0; i < 100'000; ++i)
      v = concatenate({v, i % 2 ? x : y});
    auto shapes = std::make_shared<ShapeFeature>();
    absl::StatusOr<FunctionGraph> fg = FunctionGraph::create({x, y}, {v}, {.features = {shapes}});
    ASSERT_TRUE(fg.ok());
    Variable extent = shapes->extent(fg->output(0), 0);
    std::vector<Tensor> values = {*Tensor::zeros(DType::Float64, {2}),
                                  *Tensor::zeros(DType::Float64, {3})};
    TensorsOr number = evaluate(Variables{extent}, fg->inputs(), values);
    ASSERT_TRUE(number.ok()) << number.status();
    EXPECT_EQ((*number)[0].item<int64_t>(), 2 + 50'000 * 2 + 50'000 * 3);
  });
}

} // namespace
} // namespace graphc
