//===- EmptyHandlesTest.cpp - handles that hold nothing -------------------===//
//
// What each method of the public headers answers where its object was default-constructed or moved
// from, or is asked for what it does not have: an empty answer or an error, never the end of the
// process.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <type_traits>

#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// What is left of `value` after a move.
template <class T> T movedFrom(T value) {
  T taken = std::move(value);
  return value; // NOLINT: that is what is tested
}
/// The same for what cannot be copied.
template <class T> void moveAway(T &value) { T taken = std::move(value); }

std::vector<std::string> gWarnings;

class EmptyHandles : public testing::Test {
protected:
  void SetUp() override {
    gWarnings.clear();
    setLogSink([](std::string_view text) { gWarnings.emplace_back(text); });
  }
  void TearDown() override { setLogSink({}); }
};

constexpr const char *kUnset = "ValueError: a Variable is used before it was given a value";

TEST_F(EmptyHandles, Variable) {
  for (Variable v : {Variable(), movedFrom(dscalar("x"))}) {
    EXPECT_EQ(said(v.status()), kUnset);
    EXPECT_EQ(v.type().kind(), Type::Kind::Invalid);
    EXPECT_EQ(v.dtype(), DType::Float64);
    EXPECT_EQ(v.rank(), 0);
    EXPECT_FALSE(v.hasOwner());
    EXPECT_FALSE(v.owner());
    EXPECT_EQ(v.index(), 0);
    EXPECT_EQ(v.setName("x").name(), "");
    v.setTag(std::make_shared<int>(1));
    EXPECT_EQ(v.tag(), nullptr);
    EXPECT_FALSE(v.place().known());
    EXPECT_FALSE(v.isConstant());
    EXPECT_FALSE(Constant::from(v));
    expectMessages({{v.T().status(), kUnset},
                    {v[0].status(), kUnset},
                    {v.sum(0).status(), kUnset},
                    {v.reshape({2}).status(), kUnset},
                    {v.astype(DType::Int8).status(), kUnset},
                    {(v + 1).status(), kUnset},
                    {(1 - v).status(), kUnset},
                    {concatenate({v, v}).status(), kUnset},
                    {split(v, {1, 1})[0].status(), kUnset},
                    {filterVariable(Type(), v).status(), kUnset},
                    {function({v}, v).status(), kUnset},
                    {FunctionGraph::create({v}, {v}).status(), kUnset}});
    EXPECT_EQ(ancestors({&v, 1}).size(), 1u);
    EXPECT_EQ(explicitGraphInputs({&v, 1}).size(), 1u);
    EXPECT_EQ(applysBetween({}, {&v, 1}).size(), 0u);
    EXPECT_TRUE(equalComputations({&v, 1}, {&v, 1}));
    EXPECT_EQ(errorKind(cloneReplace({&v, 1}, {{v, dscalar()}}).status()), ErrorKind::TypeError);
    EXPECT_EQ(clone({}, {&v, 1}).outputs.size(), 1u);
    EXPECT_NE(str(v) + debugPrint(v) + pp(v) + toDot(v), "");
  }
  Operand number = 2, empty = Variable();
  EXPECT_EQ(said(number.variable().status()), kUnset);
  EXPECT_FALSE(empty.weakValue().defined());
}

TEST_F(EmptyHandles, ConstantAndTensor) {
  for (Constant c : {Constant(Tensor()), movedFrom(constant(1.0))}) {
    EXPECT_FALSE(c.data().defined());
    EXPECT_FALSE(c.ok());
  }
  EXPECT_EQ(said(Constant(Tensor()).status()), "ValueError: a constant of an undefined Tensor");
  for (Tensor t : {Tensor(), movedFrom(Tensor(1.0))}) {
    EXPECT_FALSE(t.defined());
    EXPECT_EQ(t.dtype(), DType::Float64);
    EXPECT_EQ(t.rank(), 1);
    EXPECT_EQ(t.shape(), (absl::Span<const int64_t>{0}));
    EXPECT_EQ(t.strides().size(), 1u);
    EXPECT_EQ(t.numElements(), 0);
    EXPECT_EQ(t.numBytes(), 0);
    EXPECT_EQ(t.data(), nullptr);
    EXPECT_TRUE(t.isContiguous());
    EXPECT_FALSE(t.overlaps(t));
    EXPECT_EQ((t.view<double, 1>().data), nullptr);
    EXPECT_TRUE(t.flat<double>().empty());
    EXPECT_TRUE(t.mutableFlat<double>().empty());
    EXPECT_EQ(t.item<double>(), 0);
    EXPECT_EQ(t.copy().numElements(), 0);
    EXPECT_EQ(t.contiguous().numElements(), 0);
    EXPECT_EQ(t.cast(DType::Int8).numElements(), 0);
    EXPECT_EQ(t.str(), "<undefined>");
    (void)t.contentHash();
    EXPECT_EQ(t.identical(t), t == t);
    for (const absl::Status &status :
         {t.assign(t), t.transpose({0}).status(), t.slice(0, 0, 0, 1).status(),
          t.reshape({0}).status(), formatNpy(t).status(), toDLPack(t).status(),
          Tensor::full(DType::Float32, {2}, t).status()})
      EXPECT_TRUE(status.ok() || errorKind(status) == ErrorKind::ValueError) << status;
  }
}

TEST_F(EmptyHandles, Type) {
  int64_t shape[] = {2, 3};
  Type type = movedFrom(Type(DType::Int8, shape));
  EXPECT_EQ(type, Type());
  EXPECT_EQ(type.hash(), Type().hash());
  EXPECT_EQ(type.text(), "tensor<f64>");
  EXPECT_TRUE(type.status().ok());
  EXPECT_EQ(type.reason(), "");
  EXPECT_EQ(type.numElements(), 1);
  EXPECT_TRUE(type.hasStaticShape() && type.isSuperOf(Type()));
  EXPECT_EQ(type.withDType(DType::Int8).brief(), "i8");
  for (int axis : {-1, 0, 7})
    EXPECT_EQ(type.extent(axis), kDynamic);
  EXPECT_FALSE(type.broadcastable(0));
}

TEST_F(EmptyHandles, Apply) {
  constexpr const char *kNoOp =
      "ValueError: an Op is used that is none: it was moved from, or is that of a null Apply";
  Apply null;
  EXPECT_FALSE(null);
  EXPECT_EQ(null.numInputs() + null.numOutputs(), 0);
  EXPECT_TRUE(null.inputs().empty() && null.outputs().empty() && null.origins().empty());
  EXPECT_FALSE(null.place().known());
  null.setTag(std::make_shared<int>(1));
  EXPECT_EQ(null.tag(), nullptr);
  EXPECT_FALSE(null.clone());
  Apply sum = (dscalar("x") + 1).owner();
  expectMessages({
      {null.input(0).status(), "IndexError: a null Apply has 0 inputs; there is no number 0"},
      {null.output(0).status(), "IndexError: a null Apply has 0 outputs; there is no number 0"},
      {sum.input(2).status(), "IndexError: add has 2 inputs; there is no number 2"},
      {sum.output(-1).status(), "IndexError: add has 1 output; there is no number -1"},
      {null.cloneWithNewInputs({}).status(),
       "ValueError: a null Apply cannot be cloned with inputs"},
      {Apply::create(null.op(), {}, {}).status(), kNoOp},
  });
  for (Op op : {null.op(), movedFrom(sum.op())}) {
    EXPECT_EQ(op.name(), "");
    EXPECT_EQ(op.str(), "");
    EXPECT_EQ(op.def().name, "");
    EXPECT_TRUE(op.attributes().entries().empty());
    EXPECT_EQ(op, null.op());
    EXPECT_EQ(op.hash(), null.op().hash());
    EXPECT_FALSE(op == sum.op());
    expectMessages({{op.makeNode({}).status(), kNoOp},
                    {op(1.0).status(), kNoOp},
                    {op.callAll({}, Place())[0].status(), kNoOp}});
  }
  expectMessages({{Op::create(std::shared_ptr<const OpDef>()).status(),
                   "ValueError: an Op without a definition: the pointer is null"}});
}

TEST_F(EmptyHandles, Attributes) {
  Attributes none;
  EXPECT_EQ(none.find("axes"), nullptr);
  EXPECT_FALSE(none.has("axes") || none.isNone("axes") || none.boolean("axes"));
  EXPECT_EQ(none.integer("axis"), 0);
  EXPECT_EQ(none.real("alpha"), 0);
  EXPECT_EQ(none.string("mode"), "");
  EXPECT_EQ(none.dtype("dtype"), DType::Float64);
  EXPECT_TRUE(none.ints("axes").empty() && none.reals("list").empty());
  EXPECT_FALSE(none.tensor("value").defined());
  EXPECT_EQ(gWarnings.size(), 8u);
  EXPECT_EQ(gWarnings[1], "Attributes: there is no axis that is an int");
  EXPECT_EQ(gWarnings[5], "Attributes: there is no axes that is a list of ints");
}

TEST_F(EmptyHandles, FunctionGraph) {
  constexpr const char *kGone = "Inconsistency: the FunctionGraph has been disowned or moved from";
  Variable x = dscalar("x"), y = exp(x);
  absl::StatusOr<FunctionGraph> made = FunctionGraph::create({x}, {y});
  ASSERT_TRUE(made.ok());
  FunctionGraph live = *std::move(made);
  FunctionGraph &gone = *made;
  EXPECT_EQ(gone.numInputs() + gone.numOutputs(), 0);
  EXPECT_TRUE(gone.inputs().empty() && gone.outputs().empty() && gone.applyNodes().empty() &&
              gone.variables().empty() && gone.updateMapping().empty() && gone.features().empty());
  EXPECT_EQ(gone.name(), "");
  EXPECT_EQ(gone.numNodes() + gone.numClients(x), 0u);
  EXPECT_FALSE(gone.contains(x) || gone.contains(y.owner()) || gone.contains(Apply()) ||
               gone.consistent() || gone.find<History>());
  NodeFinder finder;
  EXPECT_EQ(gone.secondsIn(finder), 0);
  EXPECT_TRUE(gone.removeFeature(nullptr).ok());
  EXPECT_TRUE(gone.collectCallbacks(&Feature::clone).empty());
  Checkpoint empty = gone.checkpoint();
  expectMessages({
      {gone.input(0).status(), "IndexError: the FunctionGraph has 0 inputs; there is no number 0"},
      {live.output(1).status(),
       "IndexError: the FunctionGraph has 1 outputs; there is no number 1"},
      {gone.clients(x).status(), "KeyError: x: f64 is not in the FunctionGraph"},
      {gone.toposort().status(), kGone},
      {gone.orderings().status(), kGone},
      {gone.changeInput(Client::output(0), x), kGone},
      {gone.replace(x, y), kGone},
      {gone.replaceAll({{x, y}}), kGone},
      {gone.addInput(x), kGone},
      {gone.addMissingInputs(y), kGone},
      {gone.addOutput(y), kGone},
      {gone.removeOutput(0), kGone},
      {gone.removeInput(0), kGone},
      {gone.removeNode(y.owner()), kGone},
      {gone.revert(std::move(empty)), kGone},
      {gone.validate(), kGone},
      {gone.replaceAllValidate({{x, y}}).status(), kGone},
      {gone.replaceAllValidateRemove({{x, y}}, {Apply()}).status(), kGone},
      {gone.attachFeature(std::make_shared<History>()), kGone},
      {gone.checkIntegrity(), kGone},
      {gone.clone().status(), kGone},
      {gone.cloneGetEquiv({.checkIntegrity = false}).status(), kGone},
      {gone.disown(), kGone},
      {rewrite(gone).status(), kGone},
  });
  (void)(debugPrint(gone) + toDot(gone));
  // Of a live graph.
  Checkpoint point = live.checkpoint();
  moveAway(point);
  expectMessages({
      {live.revert(std::move(point)),
       "ValueError: only the youngest open checkpoint of a FunctionGraph can be reverted to"},
      {live.attachFeature(nullptr),
       "ValueError: there is no feature to attach: the pointer is null"},
  });
  EXPECT_TRUE(live.removeNode(Apply()).ok());
  EXPECT_TRUE(live.replaceAllValidateRemove({}, {Apply()}).ok());
  EXPECT_TRUE(live.validate().ok());
}

TEST_F(EmptyHandles, FrozenGraph) {
  Variable x = dscalar("x");
  FunctionGraph graph = *FunctionGraph::create({x}, {exp(x)});
  FrozenGraph live = *graph.freeze(), frozen = movedFrom(live);
  EXPECT_EQ(frozen.numInputs() + frozen.numOutputs(), 0);
  EXPECT_TRUE(frozen.inputs().empty() && frozen.outputs().empty() && frozen.order().empty());
  EXPECT_EQ(frozen.numNodes() + frozen.hash(), 0u);
  EXPECT_EQ(frozen, frozen);
  EXPECT_FALSE(frozen == live);
  moveAway(graph);
  expectMessages({{frozen.thaw().status(), "Inconsistency: the FrozenGraph has been moved from"},
                  {graph.freeze().status(),
                   "Inconsistency: the FunctionGraph has been disowned or moved from"}});
}

/// Callbacks of Features that are attached to nothing, or to another graph.
TEST_F(EmptyHandles, Features) {
  constexpr const char *kElsewhere = "Inconsistency: the DestroyHandler is not attached to this "
                                     "FunctionGraph; attachFeature does that";
  Variable x = dvector("x"), y = exp(x);
  FunctionGraph graph = *FunctionGraph::create({x}, {y}, {.clone = false});
  DestroyHandler handler;
  NodeFinder finder;
  History history;
  EXPECT_TRUE(handler.destroyers(graph, x).empty());
  EXPECT_FALSE(handler.hasDestroyers(graph, {&x, 1}));
  EXPECT_EQ(DestroyHandler::root(Variable()), Variable());
  handler.protect(Variable());
  expectMessages(
      {{handler.onValidate(graph), kElsewhere}, {handler.orderings(graph).status(), kElsewhere}});
  Supervisor supervisor({});
  NoOutputFromInplace inplace({0, 7, -1});
  EXPECT_EQ(said(supervisor.onValidate(graph)),
            "Inconsistency: the Supervisor needs the DestroyHandler, which has been removed");
  EXPECT_TRUE(inplace.onValidate(graph).ok());
  ShapeFeature shapes;
  MergeFeature merging;
  EXPECT_FALSE(shapes.sameExtent(x, 0, y, 0) || shapes.sameShape(x, y) || shapes.neverFails(y));
  EXPECT_EQ(errorKind(shapes.extent(x, 0).status()), ErrorKind::KeyError);
  EXPECT_EQ(errorKind(shapes.shape(x).status()), ErrorKind::KeyError);
  EXPECT_FALSE(merging.equalOf(y.owner()) || merging.equalOf(Apply()));
  for (Feature *feature :
       std::initializer_list<Feature *>{&handler, &finder, &history, &shapes, &merging}) {
    EXPECT_TRUE(feature->onImport(graph, y.owner(), "").ok());
    EXPECT_TRUE(feature->onChangeInput(graph, {y.owner(), 0}, x, x, "").ok());
    EXPECT_TRUE(feature->onPrune(graph, y.owner(), "").ok());
    EXPECT_TRUE(feature->onDetach(graph).ok());
  }
  EXPECT_TRUE(finder.nodes(Apply().op()).empty());
  FunctionGraph other = *FunctionGraph::create({x}, {y});
  constexpr const char *kDetached = "KeyError: the History is not attached to this FunctionGraph";
  expectMessages({{history.back(other), kDetached}, {history.goTo(other, 9), kDetached}});
}

TEST_F(EmptyHandles, FunctionAndResults) {
  constexpr const char *kNone =
      "ValueError: the Function that is called was default-constructed or moved from: it is none";
  Variable x = dscalar("x");
  absl::StatusOr<Function> live = function({x}, x * 2);
  ASSERT_TRUE(live.ok());
  for (Function f : {Function(), movedFrom(*live)}) {
    EXPECT_FALSE(f);
    EXPECT_EQ(f, Function());
    EXPECT_EQ(f.name(), "");
    EXPECT_TRUE(f.inputNames().empty() && f.inputTypes().empty() && f.outputNames().empty() &&
                f.outputTypes().empty() && !f.profile());
    EXPECT_EQ(f.counters().calls, 0);
    expectMessages({{f().status(), kNone},
                    {f(1.0).status(), kNone},
                    {f.call({}, {{"x", 1.0}}).status(), kNone},
                    {f.bind<double(double)>().status(),
                     "ValueError: the Function to bind was default-constructed or moved from: it "
                     "is none"}});
  }
  EXPECT_TRUE(*live);

  Bound<double(double)> twice = *live->bind<double(double)>();
  auto status = *live->bind<absl::Status(double, View<double, 0>)>();
  EXPECT_EQ(twice(3), 6);
  double out = 5;
  View<double, 0> there;
  there.data = &out;
  for (auto &bound : {Bound<double(double)>(), movedFrom(twice)})
    EXPECT_EQ(bound(3), 0);
  for (auto &bound : {decltype(status)(), movedFrom(status)})
    EXPECT_EQ(said(bound(3, there)),
              "ValueError: the typed call was default-constructed or moved from: it is none");
  EXPECT_EQ(out, 5);

  gWarnings.clear();
  Results results;
  EXPECT_EQ(results.size(), 0u);
  EXPECT_FALSE(results[0].defined() || results["y"].defined());
  EXPECT_EQ(results.item<double>(), 0);
  EXPECT_EQ(results.begin(), results.end());
  expectMessages(
      {{results.at("y").status(), "KeyError: Results: no output is called 'y'; none has a name"}});
  EXPECT_EQ(gWarnings,
            (std::vector<std::string>{"Results: there is no output 0 of 0",
                                      "Results: no output is called 'y'; none has a name",
                                      "Results: item() is for one output, but there are 0",
                                      "Tensor::item of an undefined Tensor"}));
  // Fewer names than values.
  Results two({Tensor(1.0), Tensor(2.0)},
              std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"y"}));
  EXPECT_EQ(two["y"].item<double>(), 1);
  EXPECT_EQ(said(two.at("z").status()), "KeyError: Results: no output is called 'z'; they are 'y'");
  // One that is gone gives what it holds.
  static_assert(std::is_same_v<decltype(Results()[0]), Tensor>);
  static_assert(std::is_same_v<decltype(Results()["y"]), Tensor>);
}

TEST_F(EmptyHandles, GraphModuleAndPrinting) {
  GraphModule none;
  EXPECT_TRUE(printGraph(none).ok());
  EXPECT_TRUE(function(none).ok());
  GraphModule unnamed;
  unnamed.outputs = {constant(1.0)}; // outputNames is shorter
  EXPECT_EQ(function(unnamed)->operator()()->item<double>(), 1);
  EXPECT_TRUE(printGraph(unnamed).ok());
  DebugPrintMemory memory;
  moveAway(memory);
  EXPECT_NE(debugPrint(dscalar("x"), {.memory = &memory}), "");
  InputList inputs;
  OutputList outputs;
  EXPECT_TRUE(inputs.list().empty() && outputs.list().empty());
}

TEST_F(EmptyHandles, Rewriters) {
  RewriteDatabase database;
  expectMessages({{database.add(NodeRewriterPtr(), {}, 0),
                   "ValueError: there is no rewrite to add: the pointer is null"},
                  {database.add(GraphRewriterPtr(), {}, 0),
                   "ValueError: there is no rewrite to add: the pointer is null"},
                  {compileRule(Rule()).status(),
                   "ValueError: rule : the formula '', column 1: an operand is missing"}});
  Variable x = dvector("x");
  FunctionGraph graph = *FunctionGraph::create({x}, {exp(x)});
  RewriteReport report;
  for (const GraphRewriterPtr &rewriter : {database.select({}), equilibrium("", {nullptr}),
                                           onePass("", {nullptr}), sequence("", {nullptr})})
    EXPECT_TRUE(rewriter->rewrite(graph, {}, report).ok());
  // What a match does not have, and terms of the wrong kind.
  Rule rule{.name = "r", .pattern = "exp(x)", .replacement = "neg(t)"};
  rule.terms["t"] = [](const Match &match) -> Term {
    EXPECT_FALSE(match["q"].ok());
    EXPECT_FALSE(match.data("x").defined() || match.data("q").defined());
    return match.attribute("q");
  };
  EXPECT_TRUE(equilibrium("", {*compileRule(rule)})->rewrite(graph, {}, report).ok());
  EXPECT_EQ(report.steps, 0);
}

/// An op's emission is code: what it does wrong is the first mistake of the record.
TEST_F(EmptyHandles, Emission) {
  EXPECT_EQ((Extent() + Extent()).id(), -1);
  for (Extent e : {Extent() + 1, Extent() * Extent(), ceilDiv(Extent(), Extent()),
                   select(Extent(), Extent(), Extent()), max(Extent(), Extent())})
    EXPECT_EQ(e.emitter(), nullptr);
  for (Scalar s : {Scalar() + Scalar(), Scalar() + 1, 2 / Scalar(), exp(Scalar()), !Scalar(),
                   apply(ScalarOp::Add, {}), cast(Scalar(), DType::Int8),
                   select(Scalar(), Scalar(), Scalar())})
    EXPECT_EQ(s.emitter(), nullptr);

  constexpr const char *kArray = "Internal: emission: an array is used that was never made";
  constexpr const char *kExtent = "Internal: emission: an extent is used that was never made here";
  constexpr const char *kScalar =
      "Internal: emission: a scalar is used that was never made in this body";
  constexpr const char *kNoScalar = "Internal: emission: a body gave no scalar";
  Emitter other;
  Extent foreign = other.size(3);
  struct Case {
    std::function<void(Emitter &, Array x)> emit;
    const char *message;
  };
  const Case cases[] = {
      {[](Emitter &e, Array) { EXPECT_EQ(e.dtype(Array()), DType::Float64); }, kArray},
      {[](Emitter &e, Array) { EXPECT_EQ(e.rank({99}), 0); }, kArray},
      {[](Emitter &e, Array) { e.shape({-7}); }, kArray},
      {[](Emitter &e, Array) { e.numElements(Array()); }, kArray},
      {[](Emitter &e, Array) { e.map({Array()}, [](const Scalars &s) { return s[0]; }); }, kArray},
      {[](Emitter &e, Array) { e.view(Array(), {}); }, kArray},
      {[](Emitter &e, Array) { e.element(Array()); }, kArray},
      {[](Emitter &e, Array) {
         e.hostCall([](auto, auto) { return absl::OkStatus(); }, {Array()}, {});
       },
       kArray},
      {[](Emitter &e, Array) { e.hostCall({}, {}, {}); },
       "Internal: emission: a host call without a function"},
      {[](Emitter &e, Array x) { e.dim(x, 1); }, "Internal: emission: there is no axis 1 of 1"},
      {[](Emitter &e, Array x) { EXPECT_FALSE(e.broadcasts(x, -1)); }, nullptr},
      {[](Emitter &e, Array x) { e.reduceAxes(Combine::Sum, x, {2}, false); },
       "Internal: emission: there is no axis 2 of 1"},
      {[](Emitter &e, Array) { EXPECT_EQ(e.resultType(0), Type()); },
       "Internal: emission: there is no result 0"},
      {[](Emitter &e, Array) { e.size(1) + Extent(); }, kExtent},
      {[](Emitter &e, Array) { Extent() + e.size(1); }, kExtent},
      {[&](Emitter &e, Array) { e.size(1) * foreign; }, kExtent},
      {[](Emitter &e, Array) { EXPECT_EQ(e.constantValue(Extent()), 0); }, kExtent},
      {[](Emitter &e, Array) { e.requireEqual(Extent(), Extent(), ""); }, kExtent},
      {[](Emitter &e, Array) { e.define({Extent()}, [&](Indices) { return e.index(0); }); },
       kExtent},
      {[&](Emitter &e, Array x) { e.view(x, {foreign}); }, kExtent},
      {[](Emitter &e, Array) { e.define({}, {}); }, kNoScalar},
      {[](Emitter &e, Array) { e.reduce(Combine::Sum, {}, {e.size(2)}, {}); }, kNoScalar},
      {[](Emitter &e, Array x) { e.map({x}, {}); }, kNoScalar},
      {[](Emitter &e, Array) { e.define({}, [](Indices) { return Scalar(); }); }, kNoScalar},
      {[](Emitter &e, Array x) { e.define({}, [&](Indices) { return e.load(x, {Scalar()}); }); },
       "Internal: emission: an index is float64, not int64"},
      {[](Emitter &e, Array) {
         e.define({}, [&](Indices) { return e.literal(DType::Float64, 1) + Scalar(); });
       },
       kScalar},
      {[](Emitter &e, Array) {
         Scalar kept;
         e.define({e.size(2)}, [&](Indices i) { return kept = i[0] + 1; });
         e.define({}, [&](Indices) { return kept; });
       },
       kScalar},
  };
  for (const Case &c : cases) {
    Emitter emitter;
    Array x = emitter.operand(TensorType(DType::Float64, {4}));
    c.emit(emitter, x);
    EXPECT_EQ(said(emitter.finish().status()), c.message ? c.message : "OK");
  }
}

//===--- what must not compile ----------------------------------------------===//

template <class T>
concept CanLookInto =
    requires(T t) { t.template flat<float>(); } ||
    requires(T t) { t.template mutableFlat<float>(); } ||
    requires(T t) { t.template view<float, 1>(); } || requires(T t) { t.data(); } ||
    requires(T t) { t.shape(); } || requires(T t) { t.strides(); };

/// A Tensor or Type that is gone at the end of the statement lets nobody look into it.
template <class T>
concept CanLookIntoTemporary =
    requires { T().template flat<float>(); } || requires { T().template mutableFlat<float>(); } ||
    requires { T().template view<float, 1>(); } || requires { T().data(); } ||
    requires { T().shape(); } || requires { T().strides(); };

static_assert(CanLookInto<Tensor &> && CanLookInto<const Tensor &> && CanLookInto<Type &>);
static_assert(!CanLookIntoTemporary<Tensor> && !CanLookIntoTemporary<const Tensor> &&
              !CanLookIntoTemporary<Type>);

} // namespace
} // namespace graphc
