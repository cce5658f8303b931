//===- HostileTest.cpp - files that lie --------------------------------------------===//
//
// Each reader gives an error, or what it read, after work and memory bounded by the bytes that it
// got, whatever they claim: what malloc was asked for is counted.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "Hostile/Allocations.h"
#include "Hostile/Readers.h"
#include "onnx/onnx_pb.h"

namespace graphc::test {
namespace {

/// A byte of a file costs at most so many of memory, in all that is ever asked for: records of
/// nodes, their types, messages (236 were seen). Constants may be folded for a fraction of a second
/// (kFoldingBudget), and MLIR's contexts take some.
constexpr int64_t kBytesPerByte = 500, kBytesAtLeast = int64_t(4) << 20;

/// What calls of functions may come to, and unrolled loops, whatever a model's size (kAlways of
/// Import/Functions.cpp), and what reading takes for a byte of it.
constexpr int64_t kBytesOfCalls = 5 * (int64_t(2) << 20);

absl::Status readCounted(std::string_view reader, std::string_view bytes, int64_t more = 0) {
  resetAllocations();
  absl::Status status = findReader(reader)->read(bytes);
  int64_t allowed = kBytesPerByte * int64_t(bytes.size()) + kBytesAtLeast + more;
  EXPECT_LE(allocations().bytes, allowed) << reader << ": for " << bytes.size() << " bytes";
  return status;
}
void expectRefused(std::string_view reader, std::string_view bytes, const std::string &what,
                   int64_t more = 0) {
  absl::Status status = readCounted(reader, bytes, more);
  EXPECT_FALSE(status.ok()) << reader;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(what));
}

/// Else the bounds would say nothing.
TEST(Hostile, AllocationsAreCounted) {
  if (!areAllocationsCounted())
    GTEST_SKIP();
  resetAllocations();
  void *volatile memory = std::malloc(1000000); // as no compiler leaves out
  std::free(memory);
  EXPECT_GE(allocations().bytes, 1000000);
  ASSERT_TRUE(findReader("index")->read("1:2, 3").ok());
  EXPECT_GT(allocations().calls, 1) << "also what libraries ask for";
}

//===--- ONNX -------------------------------------------------------------------------===//

struct Model {
  onnx::ModelProto proto;
  Model() {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(18);
    proto.mutable_graph()->set_name("g");
  }
  onnx::GraphProto &graph() { return *proto.mutable_graph(); }
  void input(const std::string &name, std::vector<int64_t> shape,
             int type = onnx::TensorProto::FLOAT) {
    onnx::ValueInfoProto &info = *graph().add_input();
    info.set_name(name);
    onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (int64_t extent : shape)
      tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  }
  /// The first extent of that input becomes one that has a name.
  void openExtent(int input, const std::string &name) {
    onnx::TypeProto::Tensor &tensor =
        *graph().mutable_input(input)->mutable_type()->mutable_tensor_type();
    tensor.mutable_shape()->mutable_dim(0)->set_dim_param(name);
  }
  void output(const std::string &name) { graph().add_output()->set_name(name); }
  onnx::NodeProto &node(const std::string &op, std::vector<std::string> in,
                        const std::string &out) {
    onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    for (const std::string &name : in)
      node.add_input(name);
    node.add_output(out);
    return node;
  }
  onnx::TensorProto &ints(const std::string &name, std::vector<int64_t> values,
                          bool isScalar = false) {
    onnx::TensorProto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    if (!isScalar)
      tensor.add_dims(int64_t(values.size()));
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return tensor;
  }
  std::string bytes() const { return proto.SerializeAsString(); }
};

TEST(HostileOnnx, ClaimsOfWeights) {
  for (std::vector<int64_t> dims : {std::vector<int64_t>{int64_t(1) << 31},
                                    {int64_t(1) << 40, int64_t(1) << 40},
                                    {-1},
                                    {int64_t(1) << 62, 4, 4}}) {
    Model m;
    onnx::TensorProto &w = *m.graph().add_initializer();
    w.set_name("w");
    w.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t extent : dims)
      w.add_dims(extent);
    w.set_raw_data("1234");
    m.output("w");
    expectRefused("onnx", m.bytes(), "initializer 'w'");
  }
  Model m;
  onnx::TensorProto &w = *m.graph().add_initializer();
  w.set_name("w");
  w.set_data_type(onnx::TensorProto::FLOAT);
  for (int i = 0; i < 1000; ++i)
    w.add_dims(1);
  m.output("w");
  expectRefused("onnx", m.bytes(), "rank 1000");
  // A length prefix of 2 GiB, in a file of some bytes: field 7 (graph), wire type 2.
  expectRefused("onnx", std::string("\x3a\xff\xff\xff\xff\x07", 6) + "abc", "is no ONNX model");
}

TEST(HostileOnnx, PathsOutOfTheFolder) {
  for (const char *path : {"../../etc/passwd", "/etc/passwd", "a/../../b", ""}) {
    Model m;
    onnx::TensorProto &w = *m.graph().add_initializer();
    w.set_name("w");
    w.set_data_type(onnx::TensorProto::UINT8);
    w.add_dims(16);
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto &entry = *w.add_external_data();
    entry.set_key("location");
    entry.set_value(path);
    m.output("w");
    expectRefused("onnx", m.bytes(), "which is not a file beside the model or below");
  }
}

TEST(HostileOnnx, CyclesMissingInputsAndEqualNames) {
  Model cycle;
  cycle.input("x", {2});
  cycle.node("Add", {"b", "x"}, "a");
  cycle.node("Add", {"a", "x"}, "b");
  cycle.output("a");
  expectRefused("onnx", cycle.bytes(), "node 2 (Add): 'a' is used before anything defines it");
  Model self;
  self.node("Neg", {"a"}, "a");
  self.output("a");
  expectRefused("onnx", self.bytes(), "node 1 (Neg): 'a' is used before anything defines it");
  Model missing;
  missing.node("Neg", {"nothing"}, "a");
  missing.output("a");
  expectRefused("onnx", missing.bytes(), "'nothing'");
  Model twice;
  twice.input("x", {2});
  twice.node("Neg", {"x"}, "a");
  twice.node("Abs", {"x"}, "a");
  twice.output("a");
  expectRefused("onnx", twice.bytes(), "defined twice");
  Model twoInputs;
  twoInputs.input("x", {2});
  twoInputs.input("x", {2});
  twoInputs.node("Neg", {"x"}, "a");
  twoInputs.output("a");
  expectRefused("onnx", twoInputs.bytes(), "input 'x' is defined twice");
}

/// Constants whose making a translation wants to know: shapes, axes.
TEST(HostileOnnx, ConstantsThatGrow) {
  Model ranged;
  ranged.input("x", {2});
  ranged.ints("start", {0}, true);
  ranged.ints("limit", {int64_t(1) << 50}, true);
  ranged.ints("step", {1}, true);
  ranged.node("Range", {"start", "limit", "step"}, "shape");
  ranged.node("Reshape", {"x", "shape"}, "y");
  ranged.output("y");
  expectRefused("onnx", ranged.bytes(),
                "input 1 has 1125899906842624 numbers; at most 32 make sense");

  Model doubled;
  doubled.input("x", {2});
  doubled.ints("c0", {1});
  for (int i = 0; i < 60; ++i) {
    std::string from = "c" + std::to_string(i);
    onnx::NodeProto &concat = doubled.node("Concat", {from, from}, "c" + std::to_string(i + 1));
    onnx::AttributeProto &axis = *concat.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(0);
  }
  doubled.node("Reshape", {"x", "c60"}, "y");
  doubled.output("y");
  expectRefused("onnx", doubled.bytes(),
                "node 60 (Concat): concatenate: shape (1152921504606846976,) is too large");

  Model filled;
  filled.input("x", {2});
  filled.ints("extents", {int64_t(1) << 40});
  onnx::AttributeProto &value = *filled.node("ConstantOfShape", {"extents"}, "big").add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::INT64);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->add_int64_data(1);
  filled.node("Expand", {"x", "big"}, "y");
  filled.output("y");
  expectRefused("onnx", filled.bytes(), "input 1 has 1099511627776 numbers; at most 32 make sense");
}

/// y{level} = -x.
onnx::GraphProto negation(int level) {
  onnx::GraphProto graph;
  graph.set_name("negation");
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Neg");
  node.add_input("x");
  node.add_output("y" + std::to_string(level));
  graph.add_output()->set_name(node.output(0));
  return graph;
}

/// So many Ifs in each other, each within the other's then_branch.
std::string nestedIfs(int depth) {
  onnx::GraphProto inner = negation(depth);
  for (int level = depth - 1; level >= 0; --level) {
    onnx::GraphProto outer;
    outer.set_name("outer");
    onnx::NodeProto &node = *outer.add_node();
    node.set_op_type("If");
    node.add_input("c");
    node.add_output("y" + std::to_string(level));
    auto branch = [&](const char *name, onnx::GraphProto graph) {
      onnx::AttributeProto &a = *node.add_attribute();
      a.set_name(name);
      a.set_type(onnx::AttributeProto::GRAPH);
      *a.mutable_g() = std::move(graph);
    };
    branch("then_branch", std::move(inner));
    branch("else_branch", negation(level + 1));
    outer.add_output()->set_name(node.output(0));
    inner = std::move(outer);
  }
  Model m;
  *m.proto.mutable_graph() = std::move(inner);
  m.input("c", {}, onnx::TensorProto::BOOL);
  m.input("x", {2});
  return m.bytes();
}

/// nestedIfs(depth), the innermost graph of which calls a function that has as many.
std::string nestedIfsOfFunction(int depth) {
  onnx::ModelProto model, inner;
  model.ParseFromString(nestedIfs(depth));
  inner.ParseFromString(nestedIfs(depth));
  onnx::FunctionProto &function = *model.add_functions();
  function.set_name("F");
  function.set_domain("local");
  function.add_input("c");
  function.add_input("x");
  function.add_output(inner.graph().node(0).output(0));
  *function.mutable_node() = inner.graph().node();
  *function.mutable_opset_import() = inner.opset_import();
  onnx::OperatorSetIdProto &set = *model.add_opset_import();
  set.set_domain("local");
  set.set_version(1);
  onnx::GraphProto *graph = model.mutable_graph();
  while (graph->node(0).attribute_size() > 0)
    graph = graph->mutable_node(0)->mutable_attribute(0)->mutable_g();
  onnx::NodeProto &call = *graph->mutable_node(0);
  call.set_op_type("F");
  call.set_domain("local");
  call.set_input(0, "c");
  call.add_input("x");
  return model.SerializeAsString();
}

/// A model whose input is a sequence of so many sequences of tensors.
std::string nestedSequences(int depth) {
  Model m;
  onnx::TypeProto *type = m.proto.mutable_graph()->add_input()->mutable_type();
  for (int level = 0; level < depth; ++level)
    type = type->mutable_sequence_type()->mutable_elem_type();
  type->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return m.bytes();
}

/// Graphs in graphs, three messages of protobuf each, of which 1,000 are read.
TEST(HostileOnnx, DeepNesting) {
  const std::string graphs =
      "graphs are nested deeper than 32 levels: make functions of the model of inner ones";
  for (int depth : {1, 5, 32})
    EXPECT_EQ(readCounted("onnx", nestedIfs(depth)), absl::OkStatus()) << depth;
  EXPECT_EQ(readCounted("onnx", nestedIfsOfFunction(20)), absl::OkStatus()); // the remedy
  for (int depth : {33, 41, 90, 300, 330, 331, 332, 333, 334, 400, 2000})
    expectRefused("onnx", nestedIfs(depth), graphs);
  for (int depth : {500, 2000})
    expectRefused("onnx", nestedSequences(depth),
                  "messages are nested deeper than 1000 levels, as types of sequences of sequences "
                  "are");
  std::string damaged = nestedIfs(5);
  expectRefused("onnx", damaged.substr(0, damaged.size() / 2), "is no ONNX model, or damaged");
}

/// Products are made pair after pair; none looks at all operands, nor copies their labels.
TEST(HostileOnnx, EinsumOfManyOperands) {
  Model m;
  m.input("x", {2, 2});
  std::string equation = "ij";
  for (int k = 1; k < 4000; ++k)
    equation += ",ij";
  onnx::NodeProto &node = m.node("Einsum", std::vector<std::string>(4000, "x"), "y");
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name("equation");
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(equation);
  m.output("y");
  constexpr int64_t kBytesOfProduct = 4096; // an operand takes six bytes of the file
  EXPECT_EQ(readCounted("onnx", m.bytes(), 4000 * kBytesOfProduct), absl::OkStatus());
}

/// A model that calls F0 `calls` times, where F0 calls F1 `fan` times, and so on; the last one
/// calls itself, or consists of other operators.
struct Calls {
  int depth, fan, calls;
  size_t nameBytes = 0;
  std::string op = "Neg";
  bool isCycle = false;

  std::string bytes() const {
    Model m;
    onnx::OperatorSetIdProto &set = *m.proto.add_opset_import();
    set.set_domain("f");
    set.set_version(1);
    m.input("x", {2});
    for (int k = 0; k < depth; ++k) {
      onnx::FunctionProto &function = *m.proto.add_functions();
      function.set_name(name(k));
      function.set_domain("f");
      function.add_input("v0");
      function.add_output("v" + std::to_string(fan));
      bool isCall = k + 1 < depth || isCycle;
      for (int i = 0; i < fan; ++i)
        fill(*function.add_node(), isCall ? name(k + 1 < depth ? k + 1 : 0) : op, isCall,
             "v" + std::to_string(i), "v" + std::to_string(i + 1));
    }
    for (int i = 0; i < calls; ++i)
      fill(*m.graph().add_node(), name(0), true, i ? "y" + std::to_string(i) : "x",
           "y" + std::to_string(i + 1));
    m.output("y" + std::to_string(calls));
    return m.bytes();
  }

private:
  std::string name(int k) const { return "F" + std::to_string(k) + std::string(nameBytes, 'n'); }
  static void fill(onnx::NodeProto &node, const std::string &op, bool isCall, const std::string &in,
                   const std::string &out) {
    node.set_op_type(op);
    if (isCall)
      node.set_domain("f");
    node.add_input(in);
    node.add_output(out);
  }
};

/// Up to 2^40 nodes of a file of 2 KiB, and one that calls itself.
TEST(HostileOnnx, FunctionsOfFunctions) {
  for (const Calls &calls : {Calls{40, 2, 1}, Calls{2, 100, 100}, Calls{1, 1000, 1000},
                             Calls{60, 1, 100}, Calls{60, 1, 100, 1000}, Calls{30, 2, 1, 10000},
                             Calls{.depth = 40, .fan = 2, .calls = 1, .isCycle = true}})
    expectRefused("onnx", calls.bytes(),
                  calls.isCycle ? "function f.F0 calls itself; ONNX's functions must not"
                                : "come to more than 64 times the file and 8192 nodes",
                  kBytesOfCalls);
}

/// As many as are just allowed, and ones whose nodes become several of ours.
TEST(HostileOnnx, FunctionsThatAreRead) {
  for (const Calls &calls : {Calls{10, 2, 1}, Calls{1, 20, 350}, Calls{2, 10, 50},
                             Calls{1, 20, 350, 0, "Mish"}, Calls{1, 20, 350, 0, "Softmax"}})
    EXPECT_EQ(readCounted("onnx", calls.bytes(), kBytesOfCalls), absl::OkStatus());
}

onnx::AttributeProto &attribute(onnx::NodeProto &node, const std::string &name,
                                onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name(name);
  a.set_type(type);
  return a;
}

/// A map over a sequence beside an optional value that is not there.
TEST(HostileOnnx, MapOfNothing) {
  Model m;
  m.input("x", {2});
  m.node("SequenceConstruct", {"x"}, "s");
  onnx::TypeProto::Tensor &type =
      *attribute(m.node("Optional", {}, "n"), "type", onnx::AttributeProto::TYPE_PROTO)
           .mutable_tp()
           ->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_value(2);
  onnx::GraphProto &body =
      *attribute(m.node("SequenceMap", {"s", "n"}, "r"), "body", onnx::AttributeProto::GRAPH)
           .mutable_g();
  for (const char *name : {"a", "b"})
    body.add_input()->set_name(name);
  body.add_output()->set_name("a");
  m.output("r");
  expectRefused("onnx", m.bytes(), "input 1 must be a tensor or a sequence");
}

/// A loop over a sequence of 2^62 steps without a node, which is unrolled.
TEST(HostileOnnx, StepsWithoutNodes) {
  Model m;
  m.input("x", {2});
  m.ints("m", {int64_t(1) << 62}, true);
  m.node("SequenceConstruct", {"x"}, "s");
  onnx::GraphProto &body =
      *attribute(m.node("Loop", {"m", "", "s"}, "r"), "body", onnx::AttributeProto::GRAPH)
           .mutable_g();
  for (const char *name : {"i", "c", "q"})
    body.add_input()->set_name(name);
  for (const char *name : {"c", "q"})
    body.add_output()->set_name(name);
  m.output("r");
  absl::Status status = readCounted("onnx", m.bytes(), kBytesOfCalls);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("loops over sequences are unrolled"));
}

/// An array becomes sequences, one or a hundred of them: elements of which the file has nothing.
TEST(HostileOnnx, PiecesOfSplits) {
  for (int count : {1, 100}) {
    Model m;
    m.input("x", {2000});
    for (int i = 0; i < count; ++i)
      m.node("SplitToSequence", {"x"}, "s" + std::to_string(i));
    m.node("SequenceLength", {"s0"}, "n");
    m.output("n");
    EXPECT_EQ(readCounted("onnx", m.bytes(), kBytesOfCalls).ok(), count == 1);
  }
}

/// A leaf and a million targets, of which the file has one weight.
TEST(HostileOnnx, TargetsOfTrees) {
  Model m;
  onnx::OperatorSetIdProto &set = *m.proto.add_opset_import();
  set.set_domain("ai.onnx.ml");
  set.set_version(3);
  m.input("x", {3, 2});
  onnx::NodeProto &tree = m.node("TreeEnsembleRegressor", {"x"}, "y");
  tree.set_domain("ai.onnx.ml");
  attribute(tree, "n_targets", onnx::AttributeProto::INT).set_i(1000000);
  for (const char *name :
       {"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids",
        "nodes_falsenodeids", "target_treeids", "target_nodeids", "target_ids"})
    attribute(tree, name, onnx::AttributeProto::INTS).add_ints(0);
  attribute(tree, "nodes_modes", onnx::AttributeProto::STRINGS).add_strings("LEAF");
  for (const char *name : {"nodes_values", "target_weights"})
    attribute(tree, name, onnx::AttributeProto::FLOATS).add_floats(1);
  m.output("y");
  expectRefused("onnx", m.bytes(), "1 leaves and 1000000 targets");
}

/// A tree that asks for a feature whose successor is no number.
TEST(HostileOnnx, FeaturesOfTrees) {
  Model m;
  onnx::OperatorSetIdProto &set = *m.proto.add_opset_import();
  set.set_domain("ai.onnx.ml");
  set.set_version(3);
  m.input("x", {3, 2});
  onnx::NodeProto &tree = m.node("TreeEnsembleRegressor", {"x"}, "y");
  tree.set_domain("ai.onnx.ml");
  auto ints = [&](const char *name, std::vector<int64_t> values) {
    onnx::AttributeProto &a = attribute(tree, name, onnx::AttributeProto::INTS);
    a.mutable_ints()->Assign(values.begin(), values.end());
  };
  auto floats = [&](const char *name, std::vector<float> values) {
    onnx::AttributeProto &a = attribute(tree, name, onnx::AttributeProto::FLOATS);
    a.mutable_floats()->Assign(values.begin(), values.end());
  };
  ints("nodes_treeids", {0, 0, 0});
  ints("nodes_nodeids", {0, 1, 2});
  ints("nodes_featureids", {INT64_MAX, 0, 0});
  ints("nodes_truenodeids", {1, 0, 0});
  ints("nodes_falsenodeids", {2, 0, 0});
  onnx::AttributeProto &modes = attribute(tree, "nodes_modes", onnx::AttributeProto::STRINGS);
  for (const char *mode : {"BRANCH_LEQ", "LEAF", "LEAF"})
    modes.add_strings(mode);
  floats("nodes_values", {0.5, 0, 0});
  ints("target_treeids", {0, 0});
  ints("target_nodeids", {1, 2});
  ints("target_ids", {0, 0});
  floats("target_weights", {1, 2});
  m.output("y");
  expectRefused("onnx", m.bytes(), "asks for feature");
}

/// Fields that no version of the format has are nobody's concern.
TEST(HostileOnnx, UnknownFields) {
  Model m;
  m.input("x", {2});
  m.node("Neg", {"x"}, "y");
  m.output("y");
  std::string bytes = m.bytes() + std::string("\xfa\x7f\x03", 3) + "abc"; // field 2047, 3 bytes
  EXPECT_TRUE(readCounted("onnx", bytes).ok());
}

/// Ten times as many nodes, ten times as much work: malloc's calls count the records that are made,
/// and its bytes the nodes that walks visit, whose sets of those seen are as large.
template <class Read> void expectLinear(Read read, int nodes) {
  auto workOf = [&](int count) {
    std::string bytes = read(count).bytes();
    resetAllocations();
    absl::Status status = findReader("onnx")->read(bytes);
    EXPECT_TRUE(status.ok()) << status;
    return allocations();
  };
  workOf(10);
  if (!areAllocationsCounted())
    return;
  Allocations one = workOf(nodes), ten = workOf(10 * nodes);
  EXPECT_LE(ten.calls, 15 * one.calls);
  EXPECT_LE(ten.bytes, 15 * one.bytes);
}

TEST(HostileOnnx, WorkGrowsWithTheFile) {
  expectLinear(
      [](int nodes) {
        Model m;
        m.input("x", {2});
        std::string last = "x";
        for (int i = 0; i < nodes; ++i) {
          m.node("Add", {last, last}, "v" + std::to_string(i)); // each path is one of 2^i
          last = "v" + std::to_string(i);
        }
        m.output(last);
        return m;
      },
      1000);
}

/// Of each node it is asked whether it is a constant.
TEST(HostileOnnx, WorkGrowsWithChainsOfShapes) {
  for (bool isKnown : {false, true}) {
    SCOPED_TRACE(isKnown);
    expectLinear(
        [&](int nodes) {
          Model m;
          m.input("x", {3});
          if (!isKnown)
            m.openExtent(0, "N");
          std::string last = "x";
          for (int i = 0; i < nodes; ++i) {
            std::string k = std::to_string(i);
            m.node("Shape", {last}, "s" + k);
            m.node("ConstantOfShape", {"s" + k}, "z" + k);
            m.node("Add", {last, "z" + k}, "v" + k);
            last = "v" + k;
          }
          m.output(last);
          return m;
        },
        300);
  }
}

/// Operators of many inputs, of open extents, and many outputs that others ask about.
TEST(HostileOnnx, WorkGrowsWithOperatorsWidth) {
  for (const char *op : {"Sum", "Max", "Concat"}) {
    SCOPED_TRACE(op);
    expectLinear(
        [&](int width) {
          Model m;
          m.input("x", {3});
          m.openExtent(0, "N");
          m.node("Shape", {"x"}, "s");
          std::vector<std::string> all;
          for (int i = 0; i < width; ++i) {
            all.push_back("z" + std::to_string(i));
            m.node("ConstantOfShape", {"s"}, all.back());
          }
          onnx::NodeProto &node = m.node(op, all, "y");
          if (std::string_view(op) == "Concat")
            attribute(node, "axis", onnx::AttributeProto::INT).set_i(0);
          m.node("Shape", {"y"}, "t");
          for (int i = 0; i < width; ++i)
            m.node("Expand", {"x", "t"}, "e" + std::to_string(i));
          m.output("e0");
          return m;
        },
        100);
  }
}

/// So it does for pieces of an array.
TEST(HostileOnnx, WorkGrowsWithTheOutputs) {
  auto callsFor = [](int pieces, bool isKnown) {
    Model m;
    m.input("x", {pieces});
    if (!isKnown)
      m.openExtent(0, "N");
    onnx::NodeProto &node = m.node("Split", {"x"}, "y0");
    for (int i = 1; i < pieces; ++i)
      node.add_output("y" + std::to_string(i));
    attribute(node, "num_outputs", onnx::AttributeProto::INT).set_i(pieces);
    for (int i = 0; i < pieces; ++i)
      m.output("y" + std::to_string(i));
    std::string bytes = m.bytes();
    resetAllocations();
    EXPECT_TRUE(findReader("onnx")->read(bytes).ok());
    return allocations().calls;
  };
  callsFor(10, true);
  if (!areAllocationsCounted())
    GTEST_SKIP();
  EXPECT_LE(callsFor(4000, true), 15 * callsFor(400, true));
  EXPECT_LE(callsFor(2000, false), 15 * callsFor(200, false));
}

//===--- arrays -----------------------------------------------------------------------===//

std::string npy(const std::string &dict, const std::string &data) {
  std::string header = dict + "\n", bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 255);
  bytes += char(header.size() >> 8);
  return bytes + header + data;
}

TEST(HostileNpy, Claims) {
  const std::map<std::string, std::string> said = {
      {"(2147483648,)", "takes 8589934592 bytes; there are 4"},
      {"(1099511627776, 1099511627776)", "the shape is too large"},
      {"(-1,)", "negative extent"},
      {"(99999999999999999999999,)", "extent is too large"},
      {"(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
       "1, 1, 1, 1, 1)",
       "rank is above the maximum of 32"}};
  for (const auto &[shape, what] : said) {
    SCOPED_TRACE(shape);
    expectRefused("npy",
                  npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", "1234"),
                  what);
  }
  std::string deep(60000, '(');
  expectRefused("npy", npy("{'descr': '<f4', 'shape': " + deep, ""), "expected an extent");
  // Version 2 has four bytes for the header's length.
  expectRefused("npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f{}", 14),
                "the header of 2147483647 bytes goes beyond the end");
}

/// A member of 1 KiB that says it has 2 GiB.
TEST(HostileNpz, Claims) {
  auto number = [](uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
      text += char(i < 8 ? value >> (8 * i) & 255 : 0);
    return text;
  };
  std::string name = "x.npy", data(1024, 'a');
  auto sizes = number(0, 4) + number(1024, 4) + number(0x7fffffff, 4); // checksum, packed, whole
  std::string local = "PK\3\4" + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) +
                      sizes + number(uint32_t(name.size()), 2) + number(0, 2) + name + data;
  std::string central = "PK\1\2" + number(20, 2) + number(20, 2) + number(0, 2) + number(8, 2) +
                        number(0, 4) + sizes + number(uint32_t(name.size()), 2) + number(0, 12) +
                        number(0, 4) + name;
  std::string end = "PK\5\6" + number(0, 4) + number(1, 2) + number(1, 2) +
                    number(uint32_t(central.size()), 4) + number(uint32_t(local.size()), 4) +
                    number(0, 2);
  expectRefused("npz", local + central + end, "x.npy: sizes 1024 and 2147483647");
  expectRefused("saved", local + central + end, "is no saved function");
  // Many members that are the same bytes, each for a thousand times as many.
  std::string directory;
  for (int k = 0; k < 8; ++k) {
    std::string one = central;
    one.back() = char('0' + k);
    directory += one;
  }
  std::string overlapping = "PK\5\6" + number(0, 4) + number(8, 2) + number(8, 2) +
                            number(uint32_t(directory.size()), 4) +
                            number(uint32_t(local.size()), 4) + number(0, 2);
  expectRefused("npz", local + directory + overlapping,
                "members overlap: there are " +
                    std::to_string(local.size() + directory.size() + overlapping.size()) +
                    " bytes in all");
  // A directory of 65,535 members that are not there.
  std::string many = "PK\5\6" + number(0, 4) + number(0xffff, 2) + number(0xffff, 2) +
                     number(0xffffff, 4) + number(0, 4) + number(0, 2);
  expectRefused("npz", many, "Zip archive inconsistent");
}

//===--- texts ------------------------------------------------------------------------===//

std::string repeated(const std::string &part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += part;
  return text;
}

TEST(HostileText, Claims) {
  std::string head = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n";
  using Said = std::pair<std::string, std::string>;
  for (const auto &[body, what] :
       {Said{"%0 = graph.exp" + repeated("(", 100000) + "\n", "nested deeper than 1000 levels"},
        Said{repeated("{", 100000), "nested deeper than 1000 levels"},
        Said{"%0 = \"graph.exp\"(%x) {a = " + repeated("[", 100000) + "\n",
             "nested deeper than 1000 levels"},
        Said{"%0 = graph.exp %x : (" + repeated("tuple<", 100000) + "\n",
             "nested deeper than 1000 levels"},
        Said{"%0 = graph.exp %x : (tensor<2xf32>) -> tensor<2xf32> loc" +
                 repeated("(fused[", 20000) + "\n",
             "nested deeper than 1000 levels"}}) {
    SCOPED_TRACE(body.substr(0, 60));
    expectRefused("text", head + body + "return %0 : tensor<2xf32>\n}\n", what);
  }
  auto splat = [](const std::string &type) {
    return "func.func @main() -> " + type + " {\n%0 = graph.constant dense<0.0> : " + type +
           "\nreturn %0 : " + type + "\n}\n";
  };
  expectRefused("text", splat("tensor<9223372036854775807x9xf32>"),
                "shape (9223372036854775807, 9) is too large");
  // A large splat is an expression, which is no array before it is computed.
  EXPECT_EQ(readCounted("text", splat("tensor<100000000x10000000xf32>")), absl::OkStatus());
  expectRefused("text", "ML\xefR" + std::string(1000, '\xff'),
                "bytecode that graphc has not written");
}

// Splats are arrays up to some memory for all of a file, then expressions: not where they stand,
// nor where each of many nodes is checked that takes them. Globals are no expressions.
TEST(HostileText, Splats) {
  struct Splat {
    std::string extents, type, element;
    bool fits;
  };
  for (const Splat &s :
       {Splat{"100000000x10000000x", "f32", "0.5", false}, Splat{"3000x1000x", "f64", "0.0", false},
        Splat{"1000000x", "i1", "true", false}, Splat{"1030x", "f64", "0.5", true},
        Splat{"8x128x", "f64", "0.5", true},
        Splat{"2000x1000x", "complex<f64>", "(0.0, 1.0)", false}}) {
    const std::string t = "tensor<" + s.extents + s.type + ">",
                      one = "(dense<" + s.element + "> : ";
    std::string body, globals;
    for (int k = 0; k < 200; ++k) {
      const std::string n = std::to_string(k);
      body += "%c" + n + " = graph.constant dense<" + s.element + "> : " + t + "\n";
      body += "%" + n + " = graph.eq %c" + n + ", %c" + std::to_string(k / 2) + " : (" + t + ", " +
              t + ") -> tensor<" + s.extents + "i1>\n";
      globals += "ml_program.global private mutable @g" + n + one + t + ") : " + t + "\n";
    }
    body = "func.func @main() -> " + t + " {\n" + body + "return %c7 : " + t + "\n}\n";
    EXPECT_EQ(readCounted("text", body), absl::OkStatus()) << t;
    if (s.fits)
      EXPECT_EQ(readCounted("text", globals + body), absl::OkStatus()) << t;
    else
      expectRefused("text", globals + body,
                    "the splats of the file claim more than 2097152 bytes: write its elements, or "
                    "a graph.constant, which is computed");
  }
}

TEST(HostileKernels, Claims) {
  std::string head = "kernel @k(%0: f32[n0]) -> (%1: f32[n0]) { for (i0 < n0) %1[i0] = ";
  using Said = std::pair<std::string, std::string>;
  for (const auto &[body, what] :
       {Said{repeated("(", 100000), "nested deeper than 200 levels"},
        Said{repeated("exp(", 100000) + "1" + repeated(")", 100000) + " }",
             "nested deeper than 200 levels"},
        Said{"%4294967296[i0] }", "expected an array instead of '%4294967296'"},
        Said{"n99999999999 }", "expected a size (n0) instead of 'n99999999999'"},
        Said{"v2147483647 }", "'v2147483647' is no value"}}) {
    SCOPED_TRACE(body.substr(0, 40));
    expectRefused("kernels", head + body, what);
  }
  expectRefused("kernels", "kernel @k(%0: f32[" + repeated("9", 1000) + "]) -> (",
                "expected an extent instead of '9999");
}

TEST(HostileLiteral, Claims) {
  expectRefused("literal", repeated("[", 100000), "lists are nested more than 32 deep");
  expectRefused("literal", repeated("[1,", 50000),
                "at character 4: a list stands where others have a number");
  expectRefused("literal", repeated("9", 100000), "is too large for dtype float");
  expectRefused("literal", "[" + repeated("[],", 50000) + "]",
                "at character 150002: a number stands where others have a list");
  expectRefused("index", repeated("$", 100000), "$\" is no entry of an index");
  expectRefused("index", repeated("9", 100000), "9\" is no entry of an index");
}

//===--- the corpus -------------------------------------------------------------------===//

struct CorpusFile {
  std::string name, bytes;
};
std::vector<CorpusFile> corpusOf(std::string_view reader) {
  std::vector<CorpusFile> files;
  std::string folder =
      std::string(GRAPHC_TEST_DATA) + "/../../test/Data/fuzz/" + std::string(reader);
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(),
                     {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  std::ranges::sort(files, {}, &CorpusFile::name);
  return files;
}

class Corpus : public testing::TestWithParam<Reader> {};

/// Each file as it is, cut short, with a byte changed, and with parts of it exchanged.
TEST_P(Corpus, IsReadWithinBounds) {
  const Reader &reader = GetParam();
  std::vector<CorpusFile> files = corpusOf(reader.name);
  ASSERT_FALSE(files.empty());
  std::mt19937 random(1);
  for (const auto &[name, file] : files) {
    absl::Status status = readCounted(reader.name, file);
    // Those that fuzzing found may be read or not, and those of another build's code.
    EXPECT_TRUE(status.ok() || name.starts_with("found-") || reader.name == "program")
        << name << ": " << status;
    for (int k = 0; k < 60 && !file.empty(); ++k) {
      std::string changed = file;
      size_t at = random() % file.size();
      if (k % 3 == 0)
        changed.resize(at);
      else if (k % 3 == 1)
        changed[at] = char(random());
      else
        changed.replace(at, 8, file.substr(random() % file.size(), 1 + random() % 16));
      (void)readCounted(reader.name, changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(readers()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace graphc::test
