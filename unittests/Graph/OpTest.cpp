#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TestOps.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;

std::string message(const absl::Status &status) { return std::string(status.message()); }

struct OpTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), plus = testOp("plus", 2);
  Variable x = dmatrix("x"), y = dmatrix("y"), z = dmatrix("z");
};

//===--- Variables --------------------------------------------------------===//

// F-048
TEST_F(OpTest, Fields) {
  Variable v(TensorType(DType::Float32, {3}), "v");
  EXPECT_EQ(v.type(), TensorType(DType::Float32, {3}));
  EXPECT_FALSE(v.hasOwner());
  EXPECT_FALSE(v.owner());
  EXPECT_EQ(v.index(), 0);
  EXPECT_EQ(v.name(), "v");
  EXPECT_EQ(v.place().line, uint32_t(__LINE__ - 6));
  v.setName("w").setTag(std::make_shared<int>(3));
  EXPECT_EQ(v.name(), "w");
  EXPECT_EQ(*std::static_pointer_cast<int>(v.tag()), 3);
  Variable e = add(x, y);
  EXPECT_EQ(e.tag(), nullptr);
  EXPECT_EQ(e.owner().op(), add);
  EXPECT_EQ(e.owner().place().line, uint32_t(__LINE__ - 3));
}

// F-038: identity, and no truth value.
TEST_F(OpTest, NoTruthValue) {
  static_assert(!std::is_convertible_v<Variable, bool>);
  static_assert(!std::is_constructible_v<bool, Variable>);
  EXPECT_FALSE(dscalar("a") == dscalar("a"));
  Variable copy = x;
  EXPECT_TRUE(copy == x);
}

// Named constructors. (Those of complex dtypes are not there yet.)
TEST_F(OpTest, NamedConstructors) {
  auto type = [](DType dtype, std::initializer_list<int64_t> shape) {
    return Type(TensorType(dtype, shape));
  };
  EXPECT_EQ(bscalar().type(), type(DType::Int8, {}));
  EXPECT_EQ(wvector().type(), type(DType::Int16, {kDynamic}));
  EXPECT_EQ(imatrix().type(), type(DType::Int32, {kDynamic, kDynamic}));
  EXPECT_EQ(lrow().type(), type(DType::Int64, {1, kDynamic}));
  EXPECT_EQ(fcol().type(), type(DType::Float32, {kDynamic, 1}));
  EXPECT_EQ(dtensor3().rank(), 3);
  EXPECT_EQ(tensor4().rank(), 4);
  EXPECT_EQ(tensor5().rank(), 5);
  EXPECT_EQ(tensor6().rank(), 6);
  EXPECT_EQ(tensor7("t").type(), Type(DType::Float64, std::vector<int64_t>(7, kDynamic)));
  EXPECT_EQ(tensor(DType::Bool, {2, 3}, "b").type(), type(DType::Bool, {2, 3}));
}

// F-033: copied when made; the exact shape.
TEST_F(OpTest, Constants) {
  Tensor host({1.0, 2.0});
  Constant c(host, "c");
  host.mutableFlat<double>()[0] = 7;
  EXPECT_EQ(c.data().flat<double>()[0], 1.0);
  EXPECT_EQ(c.type(), TensorType(DType::Float64, {2}));
  EXPECT_FALSE(c.hasOwner());
  EXPECT_TRUE(c.isConstant());
  EXPECT_EQ(Constant::adopt(host).data().data(), std::as_const(host).data());
  EXPECT_FALSE(Constant::from(x));
  Variable asVariable = c;
  EXPECT_EQ(*Constant::from(asVariable), c);
  EXPECT_FALSE(Constant(Tensor()).ok());
  // Whoever writes to a copy of the data, or a view of it, writes elsewhere.
  Tensor data = c.data(), window = *c.data().slice(0, 0, 1, 1), stays = c.data();
  data.mutableFlat<double>()[0] = 99;
  window.mutableFlat<double>()[0] = 98;
  EXPECT_TRUE(stays.assign(Tensor({5.0, 6.0})).ok());
  EXPECT_EQ(c.data(), Tensor({1.0, 2.0}));
  EXPECT_EQ(stays, Tensor({5.0, 6.0}));
}

TEST_F(OpTest, MovedFromAndDefault) {
  Variable none, moved = std::move(x);
  EXPECT_EQ(errorKind(none.status()), ErrorKind::ValueError);
  EXPECT_FALSE(add(none, y).ok());
  x = moved;
  EXPECT_TRUE(x.ok());
}

//===--- Apply ------------------------------------------------------------===//

// F-049, F-051, A02: x + y * z by hand.
TEST_F(OpTest, LongExample) {
  Variable m(x.type()), e(x.type());
  absl::StatusOr<Apply> nodeMul = Apply::create(mul, {y, z}, {m});
  ASSERT_TRUE(nodeMul.ok());
  EXPECT_EQ(m.owner(), *nodeMul);
  EXPECT_EQ(m.index(), 0);
  absl::StatusOr<Apply> nodeAdd = Apply::create(add, {x, m}, {e});
  ASSERT_TRUE(nodeAdd.ok());
  EXPECT_EQ(e.owner().input(1), m);
  EXPECT_EQ(e.owner().input(1).owner().input(0), y);
  EXPECT_TRUE(equalComputations({e}, {add(x, mul(y, z))}));
}

// An Apply and its outputs are one group: any handle keeps all of them, the very same.
TEST_F(OpTest, OutputsLiveTogether) {
  OpDef def = testDef("two");
  def.numResults = 2;
  Variable second;
  {
    Variable a(x.type(), "a"), b(x.type(), "b");
    ASSERT_TRUE(Apply::create(*defineOp(def), {x}, {a, b}).ok());
    second = b;
  }
  EXPECT_EQ(second.owner().output(0).name(), "a");
  EXPECT_EQ(second.owner().output(1), second);
  EXPECT_EQ(second.index(), 1);
  second = defineOp(def)->callAll({x}, Place())[1];
  EXPECT_EQ(second.owner().output(0).index(), 0);
}

// F-050: what Apply::create refuses; nothing has changed then.
TEST_F(OpTest, CreateRefuses) {
  auto kind = [&](Variables in, Variables out) {
    return errorKind(Apply::create(add, in, out).status());
  };
  Variable e = add(x, y), o(x.type()), p(x.type());
  EXPECT_EQ(kind({x, y}, {e}), ErrorKind::ValueError);
  EXPECT_EQ(kind({x, y}, {o, o}), ErrorKind::ValueError);
  EXPECT_EQ(kind({x, y}, {o, constant(1)}), ErrorKind::ValueError);
  EXPECT_EQ(kind({x, Variable()}, {o}), ErrorKind::TypeError);
  EXPECT_EQ(kind({x, y}, {Variable()}), ErrorKind::TypeError);
  EXPECT_EQ(kind({x, o}, {o}), ErrorKind::ValueError);
  EXPECT_EQ(kind({x, add(add(o, x), y)}, {o}), ErrorKind::ValueError);
  EXPECT_FALSE(o.hasOwner());
  FunctionGraph fg = *FunctionGraph::create({p}, {p}, {.clone = false});
  EXPECT_EQ(kind({x, y}, {p}), ErrorKind::ValueError);
}

// F-057
TEST_F(OpTest, ApplyClone) {
  Variable e = add(x, y).setName("e");
  Apply copy = e.owner().clone();
  EXPECT_FALSE(copy == e.owner());
  EXPECT_FALSE(copy.output(0) == e);
  EXPECT_THAT(copy.inputs(), ElementsAre(x, y));
  EXPECT_EQ(copy.output(0).type(), e.type());
  EXPECT_EQ(copy.output(0).name(), "e");
  absl::StatusOr<Apply> other = e.owner().cloneWithNewInputs({y, z});
  EXPECT_THAT(other->inputs(), ElementsAre(y, z));
  Variable f = fmatrix("f");
  EXPECT_EQ(errorKind(e.owner().cloneWithNewInputs({f, f}).status()), ErrorKind::TypeError);
  absl::StatusOr<Apply> again = e.owner().cloneWithNewInputs({f, f}, /*strict=*/false);
  EXPECT_EQ(again->output(0).dtype(), DType::Float32);
  EXPECT_EQ(errorKind(e.owner().cloneWithNewInputs({x}).status()), ErrorKind::ValueError);
}

// F-018: the same type passes, a super type is narrowed, others are refused with both named.
TEST_F(OpTest, FilterVariable) {
  Type narrow = TensorType(DType::Float64, {2, 3});
  EXPECT_EQ(filterVariable(x.type(), x), x);
  Variable v = filterVariable(narrow, x);
  ASSERT_TRUE(v.ok()) << v.status();
  EXPECT_EQ(v.type(), narrow);
  EXPECT_EQ(v.owner().op().name(), "specifyShape");
  EXPECT_EQ(filterVariable(x.type(), v), v);
  Variable partly = tensor(DType::Float64, {kDynamic, 3});
  EXPECT_EQ(filterVariable(TensorType(DType::Float64, {2, kDynamic}), partly).type(), narrow);
  EXPECT_FALSE(filterVariable(TensorType(DType::Float64, {2, 4}), partly).ok());
  Variable bad = filterVariable(narrow, fmatrix("f"));
  EXPECT_EQ(errorKind(bad.status()), ErrorKind::TypeError);
  EXPECT_EQ(message(bad.status()),
            "f: f32[?,?] where f64[2,3] is needed; nothing is cast implicitly");
}

//===--- Op and makeNode --------------------------------------------------===//

// F-052: counts; nothing is made.
TEST_F(OpTest, CountsOperands) {
  absl::StatusOr<Apply> node = plus.makeNode({x, y, z}, Place("m.cpp", 4, 2));
  EXPECT_EQ(errorKind(node.status()), ErrorKind::ValueError);
  EXPECT_EQ(message(node.status()), "plus: expected 2 operands, got 3\n"
                                    "  plus(x: f64[?,?], y: f64[?,?], z: f64[?,?])");
  EXPECT_EQ(errorPlace(node.status())->str(), "m.cpp:4:2");
  OpDef def = testDef("stack", 2);
  def.variadic = true;
  EXPECT_TRUE((*defineOp(def))(x, y, z).ok());
  EXPECT_EQ(message((*defineOp(def))(x).status()),
            "stack: expected at least 2 operands, got 1\n  stack(x: f64[?,?])");
  def.minOperands = 1;
  EXPECT_TRUE((*defineOp(def))(x).ok());
  EXPECT_EQ((*defineOp(def))({x, y, 1, 2, 3}).owner().numInputs(), 5);
}

// F-052: the type rule's words, the operands and the caller's line.
TEST_F(OpTest, TypeRuleErrors) {
  Variable a = tensor(DType::Float32, {8, 3}, "a"), b = tensor(DType::Float32, {5, 2});
  Variable bad = plus(a, b);
  uint32_t line = __LINE__ - 1;
  EXPECT_EQ(errorKind(bad.status()), ErrorKind::ShapeError);
  EXPECT_EQ(message(bad.status()), "plus: operands 0 and 1 have different shapes\n"
                                   "  plus(a: f32[8,3], f32[5,2])");
  EXPECT_EQ(errorPlace(bad.status())->line, line);
  OpDef def = testDef("picky", 2);
  def.type = [](const TypeRequest &) -> absl::StatusOr<std::vector<Type>> {
    return makeError(ErrorKind::TypeError, "never\nnote: really");
  };
  EXPECT_EQ(message((*defineOp(def))(2, constant(0.5)).status()),
            "picky: never\n  picky(2, 0.5: f64)\nnote: really");
}

// The first error goes on unchanged.
TEST_F(OpTest, ErrorsGoOn) {
  Variable first = plus(tensor(DType::Float64, {1}), tensor(DType::Float64, {2}));
  Variable second = plus.call({}, Place());
  EXPECT_EQ(mul(first, second).status(), first.status());
  EXPECT_EQ(mul(add(x, mul(y, second)), first).status(), second.status());
  for (const Variable &v : add.callAll({first, y}, Place()))
    EXPECT_EQ(v.status(), first.status());
}

TEST_F(OpTest, NoTensor) {
  Variable none(Type::null("no gradient"));
  EXPECT_EQ(errorKind(add(x, none).status()), ErrorKind::TypeError);
  EXPECT_EQ(
      message(add(x, none).status()),
      "add: operand 1 is no tensor but Null(no gradient)\n  add(x: f64[?,?], Null(no gradient))");
}

// F-053: one output, the default one, or all in a list; that is what callAll gives of any op.
TEST_F(OpTest, Calls) {
  EXPECT_EQ(add(x, y).owner().numOutputs(), 1);
  EXPECT_EQ(add.callAll({x, y}, Place()).size(), 1u);
  OpDef def = testDef("two");
  def.numResults = 2;
  Op two = *defineOp(def);
  Variables all = two.callAll({x}, Place());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].owner(), all[1].owner());
  EXPECT_EQ(all[0].index(), 0);
  EXPECT_EQ(all[1].index(), 1);
  EXPECT_EQ(errorKind(two(x).status()), ErrorKind::ValueError);
  def.defaultResult = 1;
  EXPECT_EQ((*defineOp(def))(x).index(), 1);
  EXPECT_EQ(defineOp(def)->callAll({x}, Place()).size(), 2u);
}

// F-054: equal definitions and attributes, every one of them.
TEST_F(OpTest, Equality) {
  static const OpDef *plain = new OpDef(testDef("plain"));
  EXPECT_EQ(*Op::create(*plain), *Op::create(*plain));
  EXPECT_EQ(Op::create(*plain)->hash(), Op::create(*plain)->hash());
  EXPECT_FALSE(add == mul);
  EXPECT_FALSE(testOp("same") == testOp("same"));
  OpDef with = testDef("with");
  with.attributes = {{"axis", AttributeKind::Int, 0}, {"eps", AttributeKind::Float, 0.5}};
  auto def = std::make_shared<const OpDef>(with);
  Op a = *Op::create(def, {{"axis", 1}}), b = *Op::create(def, {{"axis", 1}, {"eps", 0.5}});
  Op c = *Op::create(def, {{"axis", 1}, {"eps", 1}});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_FALSE(a == c);
  EXPECT_NE(a.hash(), c.hash());
  EXPECT_EQ(a.str(), "with{axis = 1}");
  EXPECT_EQ(c.str(), "with{axis = 1, eps = 1.0}");
  EXPECT_EQ(Op::create(def)->str(), "with");
}

TEST_F(OpTest, AttributesAreChecked) {
  OpDef def = testDef("with");
  def.attributes = {{"axis", AttributeKind::Int}, {"n", AttributeKind::Ints, NoneAttr(), true}};
  auto shared = std::make_shared<const OpDef>(def);
  auto fail = [&](Attributes a) { return Op::create(shared, std::move(a)).status(); };
  EXPECT_EQ(message(fail({})), "with: attribute axis must be given");
  EXPECT_EQ(message(fail({{"axis", 1}, {"b", 2}})), "with: there is no attribute b");
  EXPECT_EQ(errorKind(fail({{"axis", "x"}})), ErrorKind::TypeError);
  EXPECT_EQ(errorKind(fail({{"axis", NoneAttr()}})), ErrorKind::TypeError);
  EXPECT_TRUE(fail({{"axis", 1}, {"n", NoneAttr()}}).ok());
}

// F-056: definitions are checked.
TEST_F(OpTest, DefinitionsAreChecked) {
  auto kind = [](void (*change)(OpDef &)) {
    OpDef def = testDef("fine", 2);
    change(def);
    return errorKind(defineOp(def).status());
  };
  constexpr ErrorKind kBad = ErrorKind::ValueError;
  EXPECT_EQ(kind([](OpDef &) {}), ErrorKind::None);
  EXPECT_EQ(kind([](OpDef &d) { d.name = "Not fine"; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.type = {}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.emit = {}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.operands[1].name = "x0"; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.numResults = 0; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.defaultResult = 1; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.minOperands = 1; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.viewMap = {2}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.destroyMap = {0, 0}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.connection = {{true}}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.connection = {{true}, {true, true}}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) { d.attributes = {{"a", AttributeKind::Int, 0.5}}; }), kBad);
  EXPECT_EQ(kind([](OpDef &d) {
              d.viewMap = {0};
              d.destroyMap = {1};
            }),
            ErrorKind::NotSupported);
}

} // namespace
} // namespace graphc
