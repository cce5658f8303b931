//===- ExportedModel.cpp --------------------------------------------------------===//
#include "ExportedModel.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "Control/Sink.h"
#include "Eval/Evaluate.h"
#include "GoldenVectors.h"
#include "absl/strings/escaping.h"

namespace graphc {
namespace {

/// A file of this process, for one test.
class ScratchModel {
public:
  ScratchModel()
      : path_(std::filesystem::temp_directory_path() /
              ("graphc-export-" + std::to_string(getpid()) + ".onnx")) {}
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

//===--- for another program ----------------------------------------------------------===//

/// Folder in which the models stay, each with operands and results, for test/Export/onnxruntime.mjs
/// to compare; null where nobody wants them. Several processes may use one.
const char *modelsFolder() { return std::getenv("GRAPHC_TEST_MODELS_TO"); }

nlohmann::json described(const std::string &name, const Tensor &value) {
  Tensor flat = value.contiguous();
  absl::string_view bytes(static_cast<const char *>(flat.data()), size_t(flat.numBytes()));
  std::string text;
  absl::Base64Escape(bytes, &text);
  return {{"name", name},
          {"dtype", dtypeName(value.dtype())},
          {"dims", std::vector<int64_t>(value.shape().begin(), value.shape().end())},
          {"data", text}};
}

} // namespace

TensorsOr throughFile(const Variables &outputs, const Variables &inputs,
                      const std::vector<Tensor> &values, const SaveOnnxOptions &options) {
  GraphModule module;
  for (size_t i = 0; i < inputs.size(); ++i)
    Variable(inputs[i]).setName("x" + std::to_string(i));
  module.inputs = inputs;
  module.outputs = outputs;
  ScratchModel file;
  for (size_t i = 0; i < outputs.size(); ++i)
    module.outputNames.push_back("output" + std::to_string(i));
  if (absl::Status s = saveOnnx(module, file.path(), options); !s.ok())
    return s;
  absl::StatusOr<GraphModule> again = loadOnnx(file.path());
  if (!again.ok())
    return again.status();
  EXPECT_EQ(again->inputs.size(), inputs.size());
  EXPECT_EQ(again->outputs.size(), outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(again->inputs[i].type(), inputs[i].type()) << "input " << i;
  return evaluateLazily(again->outputs, again->inputs, values);
}

TensorsOr evaluateLazily(const Variables &outputs, const Variables &inputs,
                         const std::vector<Tensor> &values) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, outputs);
  if (!graph.ok())
    return graph.status();
  absl::Status s = sinkBranches(*graph, /*inLoops=*/true);
  return s.ok() ? evaluate(graph->outputs(), graph->inputs(), values) : s;
}

void leaveModel(const Variables &outputs, const Variables &inputs,
                const std::vector<Tensor> &values, const std::vector<Tensor> &wanted,
                const std::vector<Tolerance> &tolerances) {
  if (!modelsFolder())
    return;
  static int number = 0;
  const testing::TestInfo &test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string stem =
      std::string(modelsFolder()) + "/" + std::to_string(getpid()) + "-" + std::to_string(number++);
  nlohmann::json description = {{"test", test.name()}, {"inputs", {}}, {"outputs", {}}};
  for (size_t i = 0; i < inputs.size(); ++i)
    description["inputs"].push_back(described("x" + std::to_string(i), values[i]));
  for (size_t i = 0; i < outputs.size(); ++i) {
    nlohmann::json output = described("output" + std::to_string(i), wanted[i]);
    output["rtol"] = tolerances[i].rtol.value_or(0);
    double atol = tolerances[i].atol.value_or(0);
    for (double own : tolerances[i].atols)
      atol = std::max(atol, own);
    output["atol"] = atol;
    description["outputs"].push_back(output);
  }
  std::ofstream(stem + ".json") << description.dump();
  std::filesystem::copy_file(ScratchModel().path(), stem + ".onnx",
                             std::filesystem::copy_options::overwrite_existing);
}

} // namespace graphc
