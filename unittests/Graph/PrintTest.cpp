#include "graphc/Print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "TestOps.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::HasSubstr;

struct PrintTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), sub = testOp("sub", 2), pow = testOp("pow", 2);
  Op neg = testOp("neg"), exp = testOp("exp");
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
};

// F-065, F-066: depth-first, one node a line, ids in the order of the first visit.
TEST_F(PrintTest, Tree) {
  Variable e = add(x, mul(y, z)).setName("e");
  EXPECT_EQ(debugPrint(e), "add [id A] 'e'\n"
                           " ├─ x [id B]\n"
                           " └─ mul [id C]\n"
                           "    ├─ y [id D]\n"
                           "    └─ z [id E]\n");
}

TEST_F(PrintTest, LinesBetween) {
  EXPECT_EQ(debugPrint(add(mul(x, y), exp(z))), "add [id A]\n"
                                                " ├─ mul [id B]\n"
                                                " │  ├─ x [id C]\n"
                                                " │  └─ y [id D]\n"
                                                " └─ exp [id E]\n"
                                                "    └─ z [id F]\n");
}

// F-067: a node again is its line and one of dots, across outputs too; equal nodes differ in ids.
TEST_F(PrintTest, SharedNodes) {
  Variable s = exp(x);
  EXPECT_EQ(debugPrint({add(s, s), s, exp(x)}), "add [id A]\n"
                                                " ├─ exp [id B]\n"
                                                " │  └─ x [id C]\n"
                                                " └─ exp [id B]\n"
                                                "    └─ ···\n"
                                                "exp [id B]\n"
                                                " └─ ···\n"
                                                "exp [id D]\n"
                                                " └─ x [id C]\n");
}

// F-066: one id for a node, its outputs told apart.
TEST_F(PrintTest, SeveralOutputs) {
  OpDef def = testDef("divmod", 2);
  def.numResults = 2;
  Variables parts = defineOp(def)->callAll({x, y}, Place());
  EXPECT_EQ(debugPrint(add(parts[1], parts[0])), "add [id A]\n"
                                                 " ├─ divmod.1 [id B]\n"
                                                 " │  ├─ x [id C]\n"
                                                 " │  └─ y [id D]\n"
                                                 " └─ divmod.0 [id B]\n"
                                                 "    └─ ···\n");
}

TEST_F(PrintTest, Letters) {
  Variables many;
  for (int i = 0; i < 29; ++i)
    many.push_back(dscalar("v"));
  std::string text = debugPrint(many);
  EXPECT_THAT(text, HasSubstr("[id Z]\nv [id AA]\nv [id AB]\nv [id AC]\n"));
}

// F-065: to 40 levels lines are indented, deeper ones tell their level.
TEST_F(PrintTest, DeepLevels) {
  Variable v = x;
  for (int i = 0; i < 45; ++i)
    v = exp(v);
  std::istringstream lines(debugPrint(v));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);)
    all.push_back(line);
  ASSERT_EQ(all.size(), 46u);
  EXPECT_EQ(all[40], std::string(39 * 3, ' ') + " └─ exp [id AO]");
  EXPECT_EQ(all[41], std::string(39 * 3, ' ') + " └─ 41: exp [id AP]");
  EXPECT_EQ(all[45], std::string(39 * 3, ' ') + " └─ 45: x [id AT]");
}

// F-068: options.
TEST_F(PrintTest, Options) {
  Variable m = mul(y, z).setName("m"), e = add(x, m);
  EXPECT_EQ(debugPrint(e, {.depth = 2}), "add [id A]\n ├─ x [id B]\n └─ mul [id C] 'm'\n");
  EXPECT_EQ(debugPrint(e, {.depth = 1, .printType = true}),
            "add [id A] <Scalar(float64, shape=())>\n");
  EXPECT_EQ(debugPrint(e, {.stopOnName = true, .idType = IdType::Numbers}),
            "add [id 0]\n ├─ x [id 1]\n └─ mul [id 2] 'm'\n");
  EXPECT_THAT(debugPrint(m, {.stopOnName = true}), HasSubstr("y [id B]"));
  EXPECT_EQ(debugPrint(e, {.depth = 1, .idType = IdType::None}), "add\n");
  EXPECT_THAT(debugPrint(e, {.depth = 1, .idType = IdType::Addresses}), HasSubstr("[id 0x"));
  DebugPrintMemory memory;
  EXPECT_EQ(debugPrint(m, {.depth = 1, .memory = &memory}), "mul [id A] 'm'\n");
  EXPECT_EQ(debugPrint(e, {.memory = &memory}),
            "add [id B]\n ├─ x [id C]\n └─ mul [id A] 'm'\n    └─ ···\n");
  std::ostringstream os;
  debugPrint(os, {x, y});
  EXPECT_EQ(os.str(), "x [id A]\ny [id B]\n");
}

// F-068: attributes, view and destroy maps, positions in a FunctionGraph.
TEST_F(PrintTest, MoreOptions) {
  OpDef def = testDef("part", 2);
  def.attributes = {{"axis", AttributeKind::Int, 0}, {"name", AttributeKind::String, "a"}};
  def.viewMap = {1};
  def.destroyMap = {-1};
  Op part = *Op::create(std::make_shared<const OpDef>(def), {{"axis", 2}});
  EXPECT_EQ(debugPrint(part(x, y), {.depth = 1, .printViewMap = true}),
            "part{axis = 2} [id A] v={0: [1]}\n");
  EXPECT_EQ(debugPrint(part(x, y), {.depth = 1, .printOpInfo = true, .printDestroyMap = true}),
            "part{axis = 2, name = \"a\"} [id A]\n");
  def.viewMap = {};
  def.destroyMap = {0};
  EXPECT_EQ(debugPrint((*defineOp(def))(x, y), {.depth = 1, .printDestroyMap = true}),
            "part [id A] d={0: [0]}\n");
  FunctionGraph fg = *FunctionGraph::create({x, y}, {add(exp(x), y)});
  EXPECT_EQ(debugPrint(fg), "add [id A] 1\n ├─ exp [id B] 0\n │  └─ x [id C]\n └─ y [id D]\n");
  EXPECT_EQ(debugPrint(fg, {.depth = 1, .printPosition = false}), "add [id A]\n");
}

// F-070: small constants by value, others by type.
TEST_F(PrintTest, Constants) {
  EXPECT_EQ(str(constant(1)), "1");
  EXPECT_EQ(str(constant(Tensor({1, 2, 3}))), "[1. 2. 3.]");
  EXPECT_EQ(str(constant(Tensor({{1, 2}, {3, 4}}))), "[[1. 2.] [3. 4.]]");
  EXPECT_EQ(str(constant(*Tensor::zeros(DType::Float32, {20, 3}))), "f32[20,3]");
  EXPECT_EQ(str(Constant(Tensor(2.5), "half")), "half");
  EXPECT_EQ(debugPrint(add(x, 1)), "add [id A]\n ├─ x [id B]\n └─ 1 [id C]\n");
}

TEST_F(PrintTest, Str) {
  EXPECT_EQ(str(x), "x");
  EXPECT_EQ(str(add(x, y)), "add.0");
  EXPECT_EQ(str(dmatrix()), "<Matrix(float64, shape=(?, ?))>");
  EXPECT_EQ(str(add(x, y).setName("s")), "s");
}

// F-070: minimal parentheses.
TEST_F(PrintTest, Infix) {
  EXPECT_EQ(pp(add(x, mul(y, z))), "x + y * z");
  EXPECT_EQ(pp(mul(add(x, y), z)), "(x + y) * z");
  EXPECT_EQ(pp(sub(sub(x, y), z)), "x - y - z");
  EXPECT_EQ(pp(sub(x, sub(y, z))), "x - (y - z)");
  EXPECT_EQ(pp(pow(neg(x), 2)), "(-x)**2");
  EXPECT_EQ(pp(neg(pow(x, 2))), "-x**2");
  EXPECT_EQ(pp(pow(x, pow(y, z))), "x**y**z");
  EXPECT_EQ(pp(pow(pow(x, y), z)), "(x**y)**z");
  EXPECT_EQ(pp(pow(x, neg(y))), "x**-y");
  EXPECT_EQ(pp(pow(-2, x)), "(-2)**x");
  EXPECT_EQ(pp(mul(x, -2)), "x * -2");
  EXPECT_EQ(pp(exp(add(x, exp(y)))), "exp(x + exp(y))");
  EXPECT_EQ(pp(mul(neg(add(x, y)), z)), "-(x + y) * z");
}

// What is shared and long gets a name, so that a diamond's text is linear.
TEST_F(PrintTest, InfixOfSharedNodes) {
  Variable s = exp(x);
  EXPECT_EQ(pp(add(s, s)), "exp(x) + exp(x)");
  Variable v = x;
  for (int i = 0; i < 5; ++i)
    v = add(v, v);
  EXPECT_THAT(pp(mul(v, v)), testing::MatchesRegex("t0 = x \\+ .*\nt0 \\* t0"));
  for (int i = 0; i < 1000; ++i)
    v = add(v, v);
  EXPECT_LT(pp(v).size(), 100'000u);
}

TEST_F(PrintTest, Dot) {
  Variable s = exp(x);
  EXPECT_EQ(toDot(mul(s, 2)), "digraph {\n"
                              "  n0 [shape=ellipse, label=\"exp\"];\n"
                              "  v0 [shape=box, label=\"x: f64\"];\n"
                              "  v0 -> n0;\n"
                              "  n1 [shape=ellipse, label=\"mul\"];\n"
                              "  n0 -> n1 [label=\"0\"];\n"
                              "  v1 [shape=box, label=\"2\"];\n"
                              "  v1 -> n1 [label=\"1\"];\n"
                              "  out0 [shape=box, style=bold, label=\"output 0\"];\n"
                              "  n1 -> out0;\n"
                              "}\n");
  Variable odd = dscalar("a\"b\\");
  EXPECT_THAT(toDot(odd), HasSubstr("label=\"a\\\"b\\\\: f64\""));
}

} // namespace
} // namespace graphc
