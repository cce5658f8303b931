//===- BackendTest.cpp - the ONNX project's own tests -----------------------===//
//
// libonnx-testdata's folders, each with a model and values; ONNX compares with rtol 1e-3 and
// atol 1e-7. Each is a test; all pass, evaluated and compiled, but those of backend-failures.txt,
// each with what is wrong and why; their number may only go down. Two lists say what is done
// otherwise with some: backend-constants.txt, whose inputs are made constant, and
// backend-drawn.txt, whose numbers are another generator's. With GRAPHC_LIST_BACKEND_TESTS set,
// what is wrong with tests is printed.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "Import/TensorReader.h"
#include "graphc/Function.h"
#include "onnx/onnx-data_pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const std::string kFolder = "/usr/share/libonnx-testdata/data/";
const char *const kGroups[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};

//===--- lists ------------------------------------------------------------------------===//

/// Lines of "NAME | COLUMN | COLUMN", by name.
using List = std::map<std::string, std::vector<std::string>>;

List readList(const std::string &file) {
  std::istringstream lines(readFile(GRAPHC_TEST_DATA "/" + file));
  List list;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#'))
      continue;
    std::vector<std::string> columns;
    constexpr std::string_view kBetween = " | ";
    for (size_t begin = 0, end = 0; end != line.npos; begin = end + kBetween.size()) {
      end = line.find(kBetween, begin);
      columns.push_back(line.substr(begin, end - begin));
    }
    std::string name = columns.front();
    columns.erase(columns.begin());
    EXPECT_TRUE(list.emplace(name, columns).second) << file << " has " << name << " twice";
  }
  return list;
}

/// What is wrong, why.
const List &failures() {
  static const List &list = *new List(readList("backend-failures.txt"));
  return list;
}
/// What is compared.
const List &drawn() {
  static const List &list = *new List(readList("backend-drawn.txt"));
  return list;
}
/// The first input that is made constant, what is said otherwise.
const List &constants() {
  static const List &list = *new List(readList("backend-constants.txt"));
  return list;
}

//===--- values -----------------------------------------------------------------------===//

/// The tensors of a file: one, or the elements of a sequence, or none.
struct FileValue {
  std::vector<Tensor> tensors;
  /// As OnnxInputs::lengths has it.
  int64_t length = 1;
};

FileValue valueOf(const onnx::TensorProto &proto) {
  absl::StatusOr<Tensor> tensor = readTensor(proto, "");
  return {{tensor.ok() ? *tensor : Tensor()}};
}

FileValue valueOf(const onnx::SequenceProto &proto) {
  FileValue value{{}, proto.tensor_values_size()};
  for (const onnx::TensorProto &element : proto.tensor_values())
    value.tensors.push_back(valueOf(element).tensors[0]);
  return value;
}

FileValue valueOf(const onnx::OptionalProto &proto) {
  switch (proto.elem_type()) {
  case onnx::OptionalProto::TENSOR:
    return valueOf(proto.tensor_value());
  case onnx::OptionalProto::SEQUENCE:
    return valueOf(proto.sequence_value());
  default:
    return {{}, OnnxInputs::kNone};
  }
}

template <class Proto> FileValue readAs(const std::string &path) {
  Proto proto;
  return proto.ParseFromString(readFile(path)) ? valueOf(proto) : FileValue{{Tensor()}};
}

FileValue readValue(const std::string &path, const onnx::TypeProto &type) {
  if (type.has_sequence_type())
    return readAs<onnx::SequenceProto>(path);
  return type.has_optional_type() ? readAs<onnx::OptionalProto>(path)
                                  : readAs<onnx::TensorProto>(path);
}

/// ONNX's data has the bits of bfloat16 numbers as uint16.
Tensor withBits(const Tensor &value, DType dtype) {
  if (!value.defined() || dtype != DType::BFloat16 || value.dtype() != DType::UInt16)
    return value;
  Tensor bits = value.contiguous(), result = *Tensor::allocate(dtype, value.shape());
  std::memcpy(result.data(), bits.data(), size_t(bits.numBytes()));
  return result;
}

//===--- one data set -----------------------------------------------------------------===//

/// The inputs that have a file, in the order of the files: those without an initializer.
std::vector<const onnx::ValueInfoProto *> givenInputs(const onnx::GraphProto &graph) {
  std::set<std::string> initialized;
  for (const onnx::TensorProto &initializer : graph.initializer())
    initialized.insert(initializer.name());
  std::vector<const onnx::ValueInfoProto *> list;
  for (const onnx::ValueInfoProto &info : graph.input())
    if (!initialized.contains(info.name()))
      list.push_back(&info);
  return list;
}

std::string inputFile(const std::string &folder, size_t i) {
  return folder + "/input_" + std::to_string(i) + ".pb";
}

/// The same model with the values of its tensors from input `first` on as initializers. ONNX's
/// tests give axes and the like as inputs; in networks they are constant. Their files are counted
/// on: the graph keeps the inputs.
onnx::ModelProto withInitializers(onnx::ModelProto model, const std::string &folder, size_t first) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<const onnx::ValueInfoProto *> inputs = givenInputs(graph);
  for (size_t i = first; i < inputs.size(); ++i) {
    if (!inputs[i]->type().has_tensor_type())
      continue;
    onnx::TensorProto &value = *graph.add_initializer();
    value.ParseFromString(readFile(inputFile(folder, i)));
    value.set_name(inputs[i]->name());
  }
  return model;
}

/// What the files say about the structure of inputs.
OnnxInputs optionsOf(const onnx::GraphProto &graph, const std::string &folder) {
  OnnxInputs options;
  std::vector<const onnx::ValueInfoProto *> inputs = givenInputs(graph);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const onnx::TypeProto &type = inputs[i]->type();
    if (type.has_tensor_type())
      continue;
    const onnx::TypeProto &content =
        type.has_optional_type() ? type.optional_type().elem_type() : type;
    FileValue value = readValue(inputFile(folder, i), type);
    options.lengths[inputs[i]->name()] = value.length;
    if (content.has_sequence_type() &&
        !content.sequence_type().elem_type().tensor_type().has_shape())
      for (size_t k = 0; k < value.tensors.size(); ++k)
        options.shapes[inputs[i]->name() + "[" + std::to_string(k) + "]"].assign(
            value.tensors[k].shape().begin(), value.tensors[k].shape().end());
  }
  return options;
}

absl::StatusOr<std::vector<Tensor>> runCompiled(const GraphModule &module,
                                                const std::vector<Tensor> &inputs) {
  FunctionOptions options;
  options.onUnusedInput = OnUnusedInput::Ignore;
  auto f = function(module, options);
  if (!f.ok())
    return f.status();
  auto results = f->call(inputs);
  if (!results.ok())
    return results.status();
  return std::vector<Tensor>(results->begin(), results->end());
}

/// What is wrong with drawn numbers (backend-drawn.txt), of which these of another generator are
/// expected.
std::string wrongDraws(const std::string &what, const std::vector<Tensor> &outputs,
                       const std::vector<Tensor> &inputs) {
  auto numbers = [](const Tensor &t) {
    Tensor wide = t.contiguous().cast(DType::Float64);
    return std::vector<double>(wide.flat<double>().begin(), wide.flat<double>().end());
  };
  std::vector<double> drawn = numbers(outputs[0]), x = numbers(inputs[0]);
  if (what == "bits") {
    for (double number : drawn)
      if (number != 0 && number != 1)
        return "neither 0 nor 1: " + std::to_string(number);
    return "";
  }
  if (what != "dropout")
    return "nothing is compared";
  const double kept = 1 - numbers(inputs[1])[0];
  for (size_t i = 0; i < x.size(); ++i) {
    if (drawn[i] != 0 && std::abs(drawn[i] - x[i] / kept) > 1e-6 * std::abs(x[i] / kept))
      return "neither dropped nor kept: " + std::to_string(drawn[i]);
    if (outputs.size() > 1 && x[i] != 0 && (drawn[i] != 0) != (numbers(outputs[1])[i] != 0))
      return "the mask differs";
  }
  return "";
}

/// What is wrong with results, or nothing; `draws`: what is compared of numbers that are drawn.
std::string wrongResults(const absl::StatusOr<std::vector<Tensor>> &outputs,
                         const std::vector<Tensor> &expected, const std::vector<Tensor> &inputs,
                         const std::string *draws) {
  if (!outputs.ok())
    return std::string(outputs.status().message());
  if (outputs->size() != expected.size())
    return std::to_string(outputs->size()) + " outputs instead of " +
           std::to_string(expected.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    Tensor value = withBits(expected[i], (*outputs)[i].dtype());
    std::string wrong;
    if (!draws)
      wrong = difference((*outputs)[i], value, 1e-3, 1e-7);
    else if ((*outputs)[i].dtype() != value.dtype() || (*outputs)[i].shape() != value.shape())
      wrong = "another type";
    if (!wrong.empty())
      return "output " + std::to_string(i) + ": " + wrong;
  }
  return draws ? wrongDraws(*draws, *outputs, inputs) : "";
}

/// What is wrong with one data set, or nothing.
std::string runDataSet(const onnx::ModelProto &model, const std::string &folder,
                       const std::string &name) {
  const onnx::GraphProto &graph = model.graph();
  OnnxInputs options = optionsOf(graph, folder);
  auto module = loadModel(model, options);
  std::set<std::string> constant;
  std::vector<const onnx::ValueInfoProto *> given = givenInputs(graph);
  if (auto listed = constants().find(name); listed != constants().end()) {
    if (module.ok())
      return "nothing must be constant: take it off backend-constants.txt";
    if (std::string message(module.status().message()); !message.starts_with(listed->second[1]))
      return "without constants: " + message;
    const size_t first = size_t(std::stoi(listed->second[0]));
    module = loadModel(withInitializers(model, folder, first), options);
    for (size_t i = first; i < given.size(); ++i)
      if (given[i]->type().has_tensor_type())
        constant.insert(given[i]->name());
  }
  if (!module.ok())
    return std::string(module.status().message());
  std::vector<Tensor> inputs, expected;
  for (size_t i = 0; i < given.size(); ++i)
    if (!constant.contains(given[i]->name()))
      for (const Tensor &value : readValue(inputFile(folder, i), given[i]->type()).tensors)
        inputs.push_back(value);
  if (inputs.size() != module->inputs.size())
    return std::to_string(module->inputs.size()) + " inputs instead of " +
           std::to_string(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined())
      return "input " + std::to_string(i) + " cannot be read";
    inputs[i] = withBits(inputs[i], module->inputs[i].dtype());
  }
  for (int i = 0; i < graph.output_size(); ++i)
    for (const Tensor &value :
         readValue(folder + "/output_" + std::to_string(i) + ".pb", graph.output(i).type()).tensors)
      expected.push_back(value);
  auto listed = drawn().find(name);
  const std::string *draws = listed == drawn().end() ? nullptr : &listed->second[0];
  std::string wrong =
      wrongResults(evaluate(module->outputs, module->inputs, inputs), expected, inputs, draws);
  if (wrong.empty())
    if (wrong = wrongResults(runCompiled(*module, inputs), expected, inputs, draws); !wrong.empty())
      wrong = "compiled: " + wrong;
  return wrong;
}

//===--- all of them ------------------------------------------------------------------===//

/// Of "node/test_abs".
std::string runTest(const std::string &name) {
  std::string folder = kFolder + name;
  onnx::ModelProto model;
  if (!model.ParseFromString(readFile(folder + "/model.onnx")))
    return "the model cannot be read";
  for (int set = 0;; ++set) {
    std::string data = folder + "/test_data_set_" + std::to_string(set);
    if (!std::filesystem::exists(data))
      return set > 0 ? "" : "no data";
    if (std::string wrong = runDataSet(model, data, name); !wrong.empty())
      return wrong;
  }
}

/// All tests, "node/test_abs" and so on; none where the package is not installed.
std::vector<std::string> testNames() {
  std::set<std::string> names;
  for (std::string group : kGroups)
    if (std::filesystem::exists(kFolder + group))
      for (const auto &entry : std::filesystem::directory_iterator(kFolder + group))
        names.insert(group + "/" + std::string(entry.path().filename()));
  return {names.begin(), names.end()};
}

/// How long the lists are: numbers that go down only.
constexpr size_t kFailures = 24, kDrawn = 10, kConstants = 5;

TEST(BackendTests, listsArePinned) {
  std::vector<std::string> names = testNames();
  if (names.empty())
    GTEST_SKIP() << "libonnx-testdata is not installed";
  EXPECT_EQ(names.size(), 1072u);
  EXPECT_EQ(failures().size(), kFailures);
  EXPECT_EQ(drawn().size(), kDrawn);
  EXPECT_EQ(constants().size(), kConstants);
  // At least 95 %.
  EXPECT_GE(names.size() - failures().size(), 1019u);
  for (const List *list : {&failures(), &drawn(), &constants()})
    for (const auto &[name, columns] : *list) {
      EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name << " is no test";
      ASSERT_EQ(columns.size(), list == &drawn() ? 1u : 2u) << name;
      if (list != &drawn())
        EXPECT_GT(columns[1].size(), 10u) << name << " has no reason";
      EXPECT_FALSE(columns[0].empty()) << name;
    }
}

void collectOperators(const onnx::GraphProto &graph, std::set<std::string> &operators) {
  for (const onnx::NodeProto &node : graph.node()) {
    operators.insert(node.op_type());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        collectOperators(attribute.g(), operators);
  }
}

/// Operators all of whose tests fail: those on strings.
TEST(BackendTests, noWholeOperatorIsExempt) {
  if (testNames().empty())
    GTEST_SKIP() << "libonnx-testdata is not installed";
  std::set<std::string> passing, failing, exempt;
  for (const std::string &name : testNames()) {
    onnx::ModelProto model;
    model.ParseFromString(readFile(kFolder + name + "/model.onnx"));
    collectOperators(model.graph(), failures().contains(name) ? failing : passing);
  }
  for (const std::string &op : failing)
    if (!passing.contains(op))
      exempt.insert(op);
  EXPECT_EQ(exempt, (std::set<std::string>{"StringNormalizer"}));
}

class BackendTest : public testing::TestWithParam<std::string> {};
// Where the package is not installed.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendTest);

TEST_P(BackendTest, PassesOrIsListed) {
  const std::string name = GetParam();
  std::string wrong = runTest(name);
  auto listed = failures().find(name);
  if (listed == failures().end())
    EXPECT_EQ(wrong, "");
  else if (wrong.empty())
    ADD_FAILURE() << "it passes: take it off backend-failures.txt";
  else
    EXPECT_THAT(wrong, testing::StartsWith(listed->second[0]));
  if (std::getenv("GRAPHC_LIST_BACKEND_TESTS") && !wrong.empty())
    std::cout << name << ": " << wrong.substr(0, wrong.find('\n')) << "\n";
}

INSTANTIATE_TEST_SUITE_P(All, BackendTest, testing::ValuesIn(testNames()), [](const auto &info) {
  std::string name = info.param;
  for (char &c : name)
    if (!isalnum((unsigned char)c))
      c = '_';
  return name;
});

} // namespace
} // namespace graphc::test
