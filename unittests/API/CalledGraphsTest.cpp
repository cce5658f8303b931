//===- CalledGraphsTest.cpp - OpFromGraphs compiled once and called --------===//
//
// Numbers follow by hand from the values beside them; counts are of what must not grow.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>

#include <set>

#include "Calls.h"
#include "Kernels/CompilerInterface.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using testing::HasSubstr;
using List = std::vector<double>;

FunctionOptions inMode(const char *mode) { return {.mode = mode}; }
const char *const kModes[] = {"fast_run", "fast_compile", "strict",
                              "debug",    "nanguard",     "interpreter"};

class CalledGraphsTest : public ::testing::Test {
protected:
  Variable x = dvector("x"), y = dvector("y");
  OpFromGraph cell{{x, y}, {tanh(x * y) + y}, {.name = "cell"}};

  Variable chain(int sites) {
    Variable t = x;
    for (int i = 0; i < sites; ++i)
      t = cell(t, y);
    return t;
  }
  int64_t kernels(const Variables &outputs) {
    auto f = function({x, y}, outputs, {.onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    return f.ok() ? f->counters().kernels : -1;
  }
};

// Kernels do not grow with sites, nor with functions.
TEST_F(CalledGraphsTest, OneKernelForAllSites) {
  EXPECT_EQ(kernels({chain(1)}), 1);
  EXPECT_EQ(kernels({chain(1000)}), 1);
  int64_t once = kernels({grad(sum(chain(2)), x)});
  EXPECT_EQ(kernels({grad(sum(chain(300)), x)}), once);
  // Equal ones that are made apart are one.
  OpFromGraph twin({y, x}, {tanh(y * x) + x}, {.name = "twin"});
  EXPECT_EQ(kernels({twin(cell(x, y), y)}), 1);
  // Inlined, they fuse.
  OpFromGraph inlined({x, y}, {tanh(x * y) + y}, {.inlined = true});
  EXPECT_EQ(kernels({inlined(inlined(x, y), y) * 2}), 1);
  EXPECT_EQ(kernels({cell(cell(x, y), y) * 2}), 2);
  OpFromGraph few({x, y}, {x * y + y}, {.inlined = Inline::Automatic});
  EXPECT_EQ(kernels({few(few(x, y), y) * 2}), 1);
  Variable t = x;
  for (int i = 0; i < 6; ++i)
    t = tanh(t * y) + y;
  OpFromGraph many({x, y}, {t}, {.inlined = Inline::Automatic});
  EXPECT_EQ(kernels({many(x, y) * 2}), 1); // stands once
  EXPECT_EQ(kernels({many(many(x, y), y) * 2}), 2);
}

// F-239: Automatic puts a graph of at most 8 nodes in the place of each application, also where it
// stands twice; graphs within count with their nodes, and each application as one.
TEST_F(CalledGraphsTest, AutomaticBound) {
  Variable a = dvector("a"), b = dvector("b");
  auto chainOf = [&](int nodes) {
    Variable t = a;
    for (int i = 0; i < nodes; ++i)
      t = i % 2 ? tanh(t) : t * b;
    return t;
  };
  auto automatic = [&](const Variable &output) {
    return OpFromGraph({a, b}, {output}, {.inlined = Inline::Automatic});
  };
  /// Calls that are left in a function with so many applications.
  auto callsLeft = [&](const OpFromGraph &op, int sites) {
    Variable t = x;
    for (int i = 0; i < sites; ++i)
      t = op(t, y);
    auto f = function({x, y}, t);
    EXPECT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(Tensor({0.0}), Tensor({1.0}))), List{0});
    auto graph = f->graph();
    EXPECT_TRUE(graph.ok()) << graph.status();
    int calls = 0;
    std::vector<Apply> order = *graph->toposort();
    for (const Apply &node : order)
      calls += node.op().def().inner != nullptr;
    return calls;
  };
  EXPECT_EQ(callsLeft(automatic(chainOf(8)), 2), 0);
  EXPECT_EQ(callsLeft(automatic(chainOf(8)), 20), 0);
  EXPECT_EQ(callsLeft(automatic(chainOf(9)), 1), 0); // stands once
  EXPECT_EQ(callsLeft(automatic(chainOf(9)), 2), 2);
  EXPECT_EQ(callsLeft(automatic(chainOf(9)), 20), 20);
  OpFromGraph seven({a, b}, {chainOf(7)}), eight({a, b}, {chainOf(8)});
  EXPECT_EQ(callsLeft(automatic(seven(a, b)), 2), 2); // of the inner one, which says No
  EXPECT_EQ(callsLeft(automatic(eight(a, b)), 2), 2);
  OpFromGraph five({a, b}, {chainOf(5)}, {.inlined = true});
  EXPECT_EQ(callsLeft(automatic(tanh(tanh(five(a, b)))), 2), 0); // 5 nodes, one application, 2
  EXPECT_EQ(callsLeft(automatic(tanh(tanh(tanh(five(a, b))))), 2), 2);
}

// The symbol says what is in a kernel: the same in every function, so code is compiled once.
TEST_F(CalledGraphsTest, OneSymbolInAllFunctions) {
  auto symbolsOf = [&](const Variable &output) {
    GraphModule module;
    module.inputs = {x, y};
    module.outputs = {output};
    auto text = (*loadCompiler())->emit(module, "kernels", CompileOptions());
    EXPECT_TRUE(text.ok()) << text.status();
    std::set<std::string> symbols;
    for (size_t at = 0; text.ok() && (at = text->find("graphc_cell_", at)) != text->npos; ++at)
      symbols.insert(text->substr(at, text->find('\n', at) - at));
    return symbols;
  };
  std::set<std::string> one = symbolsOf(chain(1));
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(symbolsOf(chain(20)), one);
  OpFromGraph outer({x, y}, {cell(x, exp(y)), x}, {.name = "outer"});
  EXPECT_EQ(symbolsOf(outer.apply({x, y})[0]), one);
}

// Nothing is copied at the boundary, but where outputs of the function would alias.
TEST_F(CalledGraphsTest, NoCopies) {
  OpFromGraph pass({x, y}, {x + y, x, dimshuffle(y, {-1, 0}), x + y});
  Variables out = pass.apply({x, y});
  auto f = function({x, y}, sum(out[0]) + sum(out[1]) + sum(out[2]) + sum(out[3] * out[1]));
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a({1, 2}), b({3, 4});
  EXPECT_EQ(valuesOf((*f)(a, b)), List{10 + 3 + 7 + 4 + 12});
  EXPECT_EQ(f->counters().bytesCopied, 0);
  auto all = function({x, y}, out);
  ASSERT_TRUE(all.ok()) << all.status();
  auto results = (*all)(a, b);
  EXPECT_EQ(valuesOf(results), (List{4, 6, 1, 2, 3, 4, 4, 6}));
  // Fresh memory for each output (F-171): writing to one changes nothing else.
  ASSERT_TRUE(results.ok());
  Tensor written = (*results)[0];
  written.mutableFlat<double>()[0] = 100;
  EXPECT_EQ((*results)[3].flat<double>()[0], 4);
  Tensor handed = (*results)[1];
  handed.mutableFlat<double>()[0] = 100;
  EXPECT_EQ(a.flat<double>()[0], 1);
}

// Where outputs of the function would alias something, it is copied once.
TEST_F(CalledGraphsTest, OneCopyWhereAliasingDemandsIt) {
  const int64_t kBytes = 3 * 8;
  Tensor a({1, 2, 3}), b({10, 20, 30});
  auto copied = [&](const Variables &outputs, const List &expected, FunctionOptions options = {}) {
    options.onUnusedInput = OnUnusedInput::Ignore;
    auto f = function({x, y}, outputs, options);
    EXPECT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(a, b)), expected);
    return f->counters().bytesCopied;
  };
  OpFromGraph pass({x}, {x}), twice({x, y}, {x + y, x + y, y});
  Variables out = twice.apply({x, y});
  const List sum{11, 22, 33};
  // Fresh memory is what it is: nothing is copied.
  EXPECT_EQ(copied({out[0]}, sum), 0);
  // An input (F-171): through one call, through three.
  EXPECT_EQ(copied({pass(x)}, {1, 2, 3}), kBytes);
  EXPECT_EQ(copied({pass(pass(pass(x)))}, {1, 2, 3}), kBytes);
  EXPECT_EQ(copied({out[2]}, {10, 20, 30}), kBytes);
  EXPECT_EQ(copied({out[2], out[0]}, {10, 20, 30, 11, 22, 33}), kBytes);
  // What two outputs are is computed once and copied once.
  EXPECT_EQ(copied({out[0], out[1]}, {11, 22, 33, 11, 22, 33}), kBytes);
  EXPECT_EQ(copied({out[0], pass(out[0])}, {11, 22, 33, 11, 22, 33}), kBytes);
  // What is read within only is not.
  EXPECT_EQ(copied({pass(out[0]) * pass(pass(x))}, {11, 44, 99}), 0);
  // A shared variable that becomes another one's value, and one that does not change (F-171).
  SharedVariable s = shared(Tensor({1.0, 1.0, 1.0}), "s"), t = shared(a, "t");
  EXPECT_EQ(copied({out[0]}, sum, {.updates = {{s, pass(t)}}}), kBytes);
  Tensor now = s.get();
  EXPECT_EQ(now.flat<double>()[2], 3);
  EXPECT_EQ(copied({pass(t)}, {1, 2, 3}), kBytes);
}

// F-241: what nobody needs is not computed.
TEST_F(CalledGraphsTest, UnusedOutputs) {
  OpFromGraph two({x, y}, {exp(x), sum(y)});
  EXPECT_EQ(kernels(two.apply({x, y})), 2);
  EXPECT_EQ(kernels({two.apply({x, y})[0]}), 1);
  EXPECT_EQ(kernels({two.apply({x, y})[1]}), 1);
}

// What is read for its shape alone is not computed: the gradient of a sum needs no values.
TEST_F(CalledGraphsTest, OnlyWhatIsNeeded) {
  OpFromGraph linear({x, y}, {x * 2 + y}, {.name = "linear"});
  EXPECT_EQ(kernels({grad(sum(linear(x, y)), x)}), kernels({grad(sum(x * 2 + y), x)}) + 1);
}

// Mode debug knows the bound of each node, but none of a whole graph, in which errors add up: it
// looks at the nodes themselves.
TEST_F(CalledGraphsTest, DebugLooksWithin) {
  Variable t = x;
  for (int i = 0; i < 100; ++i)
    t = sin(t) + exp(t * 0.01) - 1;
  OpFromGraph hundred({x}, {t});
  auto f = function({x}, hundred(hundred(x)), inMode("debug"));
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor values = *Tensor::zeros(DType::Float64, {100});
  for (size_t i = 0; i < 100; ++i)
    values.mutableFlat<double>()[i] = 0.03 * double(i) - 1.5;
  EXPECT_TRUE((*f)(values).ok());
}

// F-242: shapes without values, also of operands that are shapes.
TEST_F(CalledGraphsTest, ShapesWithoutValues) {
  EXPECT_EQ(kernels({shape(chain(3))}), 1); // that writes the shape
  Variable n = tensor(DType::Int64, {2}, "n");
  OpFromGraph reshaped({x, n}, {reshape(x, n) * 2});
  auto f = function({x, y}, reshaped(x, stack({shape(y)[0], -1})));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(Tensor({1, 2, 3, 4}), Tensor({0, 0}))), (List{2, 4, 6, 8}));
  EXPECT_EQ(f->counters().kernels, 1); // nothing computes the operand `n`
}

// Elements of small integer results are sizes of the caller, which nothing computes.
TEST_F(CalledGraphsTest, ElementsOfResults) {
  OpFromGraph extents({x}, {stack({constant(int64_t(2)), shape(x)[0]})});
  auto f = function({x, y}, reshape(y, extents(x)));
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(Tensor({0, 0}), Tensor({1, 2, 3, 4}));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(toString((*r)[0]), "[[1. 2.]\n [3. 4.]]");
  EXPECT_EQ(f->counters().kernels, 0);
}

// Constants stand in the program once.
TEST_F(CalledGraphsTest, ConstantsOnce) {
  Variable three = tensor(DType::Float64, {3}, "three");
  OpFromGraph scaled({three}, {three * constant(Tensor({1.0, 2.0, 4.0}))});
  GraphModule module;
  module.inputs = {three};
  module.outputs = {scaled(scaled(scaled(three)))};
  auto text = (*loadCompiler())->emit(module, "kernels", CompileOptions());
  ASSERT_TRUE(text.ok()) << text.status();
  int count = 0;
  for (size_t at = 0; (at = text->find(" = constant", at)) != text->npos; ++at)
    ++count;
  EXPECT_EQ(count, 1) << *text;
}

// A graph whose shapes are elements that it computes is computed in its caller.
TEST_F(CalledGraphsTest, SizesFromOwnElements) {
  Variable n = dscalar("n");
  OpFromGraph op({x, n}, {arange(cast(n * 2, DType::Int64)) + 1});
  for (const char *mode : kModes) {
    auto f = function({x, n}, {sum(op(x, n)) + sum(x)}, inMode(mode));
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(Tensor({1, 2}), 2.0)), List{13}) << mode;
  }
}

// Failures within name the op, its place in the graph, and the shapes.
TEST_F(CalledGraphsTest, Failures) {
  Variable i = lscalar("i");
  OpFromGraph op({x, y, i}, {take(x + y, i)}, {.name = "pick"});
  auto f = function({x, y, i}, op(x, y, i) * 2);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(Tensor({1, 2}), Tensor({10, 20}), 1)), List{44});
  absl::Status shapes = (*f)(Tensor({1, 2}), Tensor({1, 2, 3}), 0).status();
  EXPECT_EQ(errorKind(shapes), ErrorKind::ShapeError);
  EXPECT_THAT(std::string(shapes.message()),
              HasSubstr("add: extents differ along axis 0: 2 and 3"));
  ASSERT_TRUE(errorPlace(shapes).has_value());
  EXPECT_THAT(errorPlace(shapes)->str(), HasSubstr("CalledGraphsTest.cpp"));
  absl::Status index = (*f)(Tensor({1, 2}), Tensor({1, 2}), 7).status();
  EXPECT_EQ(errorKind(index), ErrorKind::IndexError);
  EXPECT_THAT(std::string(index.message()),
              HasSubstr("take: index 7 is out of range for axis 0 with 2 elements"));
  // A check runs though nobody needs the elements that it belongs to.
  Variable many = tensor(DType::Int64, {kDynamic}, "many");
  OpFromGraph picks({x, many}, {take(x, many)});
  for (const Variable &picked : {picks(x, many), take(x, many)}) {
    auto extent = function({x, many}, shape(picked));
    ASSERT_TRUE(extent.ok()) << extent.status();
    EXPECT_EQ(valuesOf((*extent)(Tensor({1, 2}), Tensor({0, 1, 1}).cast(DType::Int64))), List{3});
    EXPECT_EQ(errorKind((*extent)(Tensor({1, 2}), Tensor({7}).cast(DType::Int64)).status()),
              ErrorKind::IndexError);
  }
  // What is pruned with its output does not.
  OpFromGraph two({x, i}, {sum(x), take(x, i)});
  auto g = function({x, i}, two.apply({x, i})[0]);
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(valuesOf((*g)(Tensor({1, 2}), 7)), List{3});
}

// Known wrong answers elsewhere, in every mode: outputs that alias, the same Variable twice, an
// output that is an input, constants within, and a second output that got lost.
TEST_F(CalledGraphsTest, KnownWrongAnswersElsewhere) {
  for (Inline::Kind inlined : {Inline::No, Inline::Yes})
    for (const char *mode : kModes) {
      OpFromGraphOptions options{.inlined = inlined};
      Variable both = x + y;
      OpFromGraph aliased({x, y}, {both, both, x, constant(Tensor({7.0, 8.0}))}, options);
      Variables out = aliased.apply({x, x});
      auto f = function({x}, {out[0], out[1] * 2, out[2], out[3]}, inMode(mode));
      ASSERT_TRUE(f.ok()) << f.status();
      auto results = (*f)(Tensor({1, 2}));
      EXPECT_EQ(valuesOf(results), (List{2, 4, 4, 8, 1, 2, 7, 8})) << mode;
      OpFromGraph second({x, y}, {x * 2, y * 3}, options);
      Variables pair = second.apply({x, y});
      Variables again = second.apply({pair[1], pair[0]});
      auto g = function({x, y}, {again[1], again[0]}, inMode(mode));
      ASSERT_TRUE(g.ok()) << g.status();
      EXPECT_EQ(valuesOf((*g)(Tensor({1}), Tensor({10}))), (List{6, 60})) << mode;
      // Inner shared state with updates: the old value within, the new one afterwards.
      SharedVariable s = shared(Tensor({1.0, 1.0}), "s");
      OpFromGraph state({x}, {x + s}, options);
      auto h = function({x}, state(state(x)), {.mode = mode, .updates = {{s, state(s)}}});
      ASSERT_TRUE(h.ok()) << h.status();
      EXPECT_EQ(valuesOf((*h)(Tensor({0, 0}))), (List{2, 2})) << mode; // s = 1, then 2
      EXPECT_EQ(valuesOf((*h)(Tensor({0, 0}))), (List{4, 4})) << mode; // then 4
      Tensor now = s.get();
      EXPECT_EQ(now.flat<double>()[0], 4) << mode;
    }
}

// In-place work and updates go through a call.
TEST_F(CalledGraphsTest, UpdatesOverCalls) {
  SharedVariable w = shared(Tensor({1.0, 2.0}), "w");
  OpFromGraph step({x, y}, {x - 0.5 * y}, {.name = "step"});
  auto f = function({y}, Variables{}, {.updates = {{w, step(w, y)}}});
  ASSERT_TRUE(f.ok()) << f.status();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE((*f)(Tensor({2.0, 4.0})).ok());
  Tensor now = w.get();
  EXPECT_EQ(now.flat<double>()[0], -2);
  EXPECT_EQ(now.flat<double>()[1], -4);
}

// A user's op that calls the host, within a graph that is called.
TEST_F(CalledGraphsTest, HostCallsWithin) {
  OpDef def;
  def.name = "reversed";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) { return std::vector<Type>{r.type(0)}; };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(
        [](absl::Span<const Tensor> from, absl::Span<Tensor> to) {
          auto source = from[0].flat<double>();
          auto target = to[0].mutableFlat<double>();
          for (size_t i = 0; i < source.size(); ++i)
            target[i] = source[source.size() - 1 - i];
          return absl::OkStatus();
        },
        in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Op reversed = *defineOp(def);
  OpFromGraph op({x}, {reversed(x * 2) + 1});
  auto f = function({x}, op(op(x)));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(Tensor({1, 2, 3}))), (List{7, 11, 15}));
}

// F-239 in files: what is saved has the callees' steps.
TEST_F(CalledGraphsTest, SavedFunctions) {
  auto f = function({x, y}, grad(sum(chain(3)), {x, y}));
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a({0.5, 0.25}), b({2, 3});
  List expected = valuesOf((*f)(a, b));
  std::string path = testing::TempDir() + "called.graphc";
  ASSERT_TRUE(f->save(path).ok());
  auto loaded = loadFunction(path, {.trustCode = true});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(valuesOf((*loaded)(a, b)), expected);
}

// Narrower types have code of their own; the same op is called with several.
TEST_F(CalledGraphsTest, SeveralTypes) {
  Variable three = tensor(DType::Float64, {3}, "three");
  auto f = function({x, y, three}, {cell(x, y), cell(three, three)});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->counters().kernels, 2);
  EXPECT_EQ(valuesOf((*f)(Tensor({0.0}), Tensor({1.0}), Tensor({0.0, 0.0, 0.0}))),
            (List{1, 0, 0, 0}));
}

// The last types of an application are kept: each operand's decides.
TEST_F(CalledGraphsTest, TypesOfEachSite) {
  OpFromGraph second({x, y}, {x * 2.0, exp(y)});
  auto vector = [](int64_t n) { return tensor(DType::Float64, {n}, "v"); };
  auto extents = [&](const Variable &a, const Variable &b) {
    Variables results = second.apply({a, b});
    return std::pair(results[0].type().extent(0), results[1].type().extent(0));
  };
  EXPECT_EQ(extents(vector(3), vector(3)), std::pair(int64_t(3), int64_t(3)));
  EXPECT_EQ(extents(vector(3), vector(4)), std::pair(int64_t(3), int64_t(4)));
  EXPECT_EQ(extents(vector(5), vector(4)), std::pair(int64_t(5), int64_t(4)));
  EXPECT_EQ(extents(x, vector(4)), std::pair(kDynamic, int64_t(4)));
}

// F-237: the graph within is compiled in the mode of the function around it, and what is made for
// one mode serves no other.
TEST_F(CalledGraphsTest, Modes) {
  OpFromGraph op({x}, {log(1 + exp(x))});
  GraphModule module;
  module.inputs = {x};
  module.outputs = {op(x)};
  auto hasSoftplus = [&](const Mode &mode) {
    CompileOptions options;
    options.mode = mode;
    auto text = (*loadCompiler())->emit(module, "kernels", options);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() && text->find("softplus(") != text->npos;
  };
  EXPECT_FALSE(hasSoftplus(Mode("fast_run").requiring({"inline_graphs"})));
  EXPECT_TRUE(hasSoftplus("fast_run"));
  EXPECT_FALSE(hasSoftplus(Mode("fast_run").requiring({"inline_graphs"})));
}

// A view of what a call gives, which is a view itself.
TEST_F(CalledGraphsTest, ViewsOfViews) {
  Variable m = dmatrix("m");
  OpFromGraph flat({m}, {flatten(exp(m))}), twice({x}, {x * 2}), twiceOfMatrix({m}, {m * 2}),
      same({x}, {x});
  for (const char *mode : kModes) {
    SCOPED_TRACE(mode);
    auto f =
        function({m},
                 {twice(specifyShape(flat(m), {3})), twiceOfMatrix(reshape(flat(m), {3, 1})),
                  twiceOfMatrix(flat(m).dimshuffle({0, -1})), same(specifyShape(flat(m), {3}))},
                 inMode(mode));
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(*Tensor::zeros(DType::Float64, {1, 3}))),
              (List{2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1}));
  }
}

// The profile tells of the nodes within, also where it was compiled without one before.
TEST_F(CalledGraphsTest, Profile) {
  EXPECT_EQ(kernels({chain(2)}), 1);
  auto f = function({x, y}, chain(2), {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE((*f)(Tensor({1.0}), Tensor({1.0})).ok());
  EXPECT_THAT(f->profile()->text(), HasSubstr("tanh"));
}

} // namespace
} // namespace graphc
