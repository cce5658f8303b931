//===- Exporter.cpp - graphs as models ---------------------------------------===//
#include "Control/Sink.h"
#include "Export/GraphWriter.h"
#include "Graph/OnnxEntry.h"
#include "Ops/Build.h"
#include "Support/Text.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr int kOldestOpset = 17, kNewestOpset = 21;

class Exporter {
public:
  Exporter(const GraphModule &module, const SaveOnnxOptions &options)
      : module_(module), inputs_(module.inputs), outputs_(module.outputs), writer_(options),
        graph_(writer_) {}
  absl::Status run(const std::string &path);

private:
  absl::Status findBranches();
  absl::Status addInputs();
  absl::Status addOutputs();
  void addInput(const Variable &input, const std::string &name, const ExtentNames &extents);

  const GraphModule &module_;
  /// The module's, or copies of them whose branches are lazy.
  Variables inputs_, outputs_;
  OnnxWriter writer_;
  GraphWriter graph_;
  std::vector<std::string> outputNames_;
};

/// ONNX has no name that is empty; the others stay.
std::string nameOr(std::string_view name, const std::string &otherwise) {
  return name.empty() ? otherwise : std::string(name);
}

/// The type of the array of pairs that stands for complex numbers.
Type pairsOf(const Type &type) {
  IntList shape(type.shape().begin(), type.shape().end());
  shape.push_back(2);
  return Type(realDType(type.dtype()), shape);
}

/// The names of the extents of an input or output, by axis.
ExtentNames namesOf(const std::vector<ExtentName> &all, size_t number) {
  ExtentNames names;
  for (const ExtentName &one : all)
    if (one.number == int(number))
      names.emplace(one.axis, one.name);
  return names;
}

/// Nodes that only one branch of a choice needs are written within it.
absl::Status Exporter::findBranches() {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs_, outputs_);
  if (!graph.ok()) // the same mistake is found node by node
    return absl::OkStatus();
  if (absl::Status s = sinkBranches(*graph, /*inLoops=*/true); !s.ok())
    return s;
  inputs_ = graph->inputs();
  outputs_ = graph->outputs();
  return absl::OkStatus();
}

/// A complex one is an array of pairs, as ONNX's DFT has it: an axis of 2 behind.
void Exporter::addInput(const Variable &input, const std::string &name,
                        const ExtentNames &extents) {
  if (!isComplex(input.dtype())) {
    graph_.bind(input, {writer_.input(input.type(), name, extents)});
    return;
  }
  Value pairs = writer_.input(pairsOf(input.type()), name, extents);
  Values parts;
  for (int64_t which : {0, 1})
    parts.push_back(writer_.node("Gather", {pairs, OnnxWriter::known(Tensor(which))},
                                 input.type().withDType(pairs.dtype()),
                                 {{"axis", int64_t(input.rank())}}));
  graph_.bind(input, parts);
}

absl::Status Exporter::addInputs() {
  auto reserve = [&](const std::string &name) { return writer_.reserve(name); };
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Variable &input = inputs_[i];
    if (!input.ok())
      return input.status();
    if (!input.type().isTensor())
      return makeError(ErrorKind::TypeError, "input " + std::to_string(i) + " is no tensor");
    names.push_back(nameOr(input.name(), "input" + std::to_string(i)));
    if (!reserve(names.back()))
      return makeError(ErrorKind::ValueError, "two inputs are called '" + printable(names.back()) +
                                                  "'; ONNX tells them apart by their names");
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    std::string name = i < module_.outputNames.size() ? module_.outputNames[i] : "";
    name = nameOr(name, nameOr(module_.outputs[i].name(), "out" + std::to_string(i)));
    std::string own = name;
    for (int k = 2; !reserve(own); ++k)
      own = name + "_" + std::to_string(k);
    outputNames_.push_back(own);
  }
  for (const Global &global : module_.globals)
    writer_.reserve(global.value.name());
  for (size_t i = 0; i < inputs_.size(); ++i)
    addInput(inputs_[i], names[i], namesOf(module_.inputExtents, i));
  return absl::OkStatus();
}

absl::Status Exporter::addOutputs() {
  Values values;
  for (const Variable &output : outputs_) {
    Values parts = graph_.valuesOf(output);
    if (parts.size() == 1) {
      values.push_back(parts[0]);
      continue;
    }
    for (Value &part : parts)
      part = writer_.unsqueezed(part, {int64_t(part.rank())});
    values.push_back(
        writer_.node("Concat", parts, pairsOf(output.type()), {{"axis", int64_t(output.rank())}}));
  }
  // The first names are the users' outputs', then those of what is between.
  for (size_t i = 0; i < values.size(); ++i)
    writer_.suggestName(values[i], outputNames_[i]);
  for (size_t i = 0; i < values.size(); ++i)
    writer_.output(values[i], outputNames_[i], namesOf(module_.outputExtents, i));
  return graph_.status();
}

absl::Status Exporter::run(const std::string &path) {
  if (writer_.opset() < kOldestOpset || writer_.opset() > kNewestOpset)
    return makeError(ErrorKind::ValueError, "version " + std::to_string(writer_.opset()) +
                                                " of ONNX's operators is not written; " +
                                                std::to_string(kOldestOpset) + " to " +
                                                std::to_string(kNewestOpset) + " are");
  for (const Variable &output : outputs_)
    if (!output.ok())
      return output.status();
  if (absl::Status s = findBranches(); !s.ok())
    return s;
  if (absl::Status s = addInputs(); !s.ok())
    return s;
  std::vector<Apply> nodes = ioToposort(inputs_, outputs_);
  // Names that nothing else has stay, the first one's of equal ones.
  std::vector<Variable> named;
  for (const Apply &node : nodes)
    for (const Variable &output : node.outputs())
      if (!output.name().empty() && writer_.reserve(output.name()))
        named.push_back(output);
  for (const Apply &node : nodes)
    graph_.add(node);
  if (!graph_.refused().empty())
    return makeError(ErrorKind::NotSupported, "uses ops that ONNX cannot say: " +
                                                  join(graph_.refused(), ", ", [](const auto &one) {
                                                    return one.first.first + " (" +
                                                           std::to_string(one.second) + "; " +
                                                           one.first.second + ")";
                                                  }));
  if (absl::Status s = addOutputs(); !s.ok())
    return s;
  for (const Variable &v : named)
    if (!isComplex(v.dtype()))
      writer_.suggestName(graph_.valueOf(v), v.name());
  for (const auto &[value, name] : graph_.named())
    writer_.suggestName(value, name);
  return writer_.write(module_.name, path);
}

} // namespace
} // namespace graphc

void graphcOnnxWriter(const graphc::GraphModule &module, const std::string &path,
                      const graphc::SaveOnnxOptions &options, absl::Status *result) {
  *result = graphc::Exporter(module, options).run(path);
}
