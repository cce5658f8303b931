//===- Exporter.cpp - graphs as models ---------------------------------------===//
#include <map>

#include "Eval/Evaluate.h"
#include "Export/ExportRules.h"
#include "Graph/InnerGraph.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr int kOldestOpset = 17, kNewestOpset = 21;
/// What follows from constants and is no larger is computed now: axes, shapes, small tables.
constexpr int64_t kFoldedElements = 1 << 12;
constexpr int64_t kFoldingBudget = int64_t(1) << 16;

class Exporter {
public:
  Exporter(const GraphModule &module, const OnnxOptions &options)
      : module_(module), writer_(options) {}
  absl::Status run(const std::string &path);

private:
  absl::Status addInputs();
  absl::Status addOutputs();
  void add(const Apply &node);
  void addCall(const Apply &node, const detail::InnerGraph &inner);
  Values made(const Apply &node);
  bool fold(const Apply &node);
  Values composed(const Apply &node, const ExportRule &rule);
  Values onElements(const Apply &node, const ExportRule &rule);
  Value valueOf(const Variable &v);
  void bind(const Variable &v, Value value) { values_.insert_or_assign(v.node(), value); }
  /// Of what is being written, for an op's results.
  void refuse(const Apply &node, const std::string &why);

  const GraphModule &module_;
  OnnxWriter writer_;
  absl::flat_hash_map<const detail::VariableNode *, Value> values_;
  /// Of compositions: a Variable's record must not be another one's while it is a key.
  std::vector<Variables> alive_;
  std::vector<std::string> outputNames_;
  /// By op and reason.
  std::map<std::pair<std::string, std::string>, int> refused_;
  absl::Status status_;
};

/// ONNX has no name that is empty; the others stay.
std::string nameOr(std::string_view name, const std::string &otherwise) {
  return name.empty() ? otherwise : std::string(name);
}

absl::Status Exporter::addInputs() {
  auto reserve = [&](const std::string &name) { return writer_.reserve(name); };
  std::vector<std::string> names;
  for (size_t i = 0; i < module_.inputs.size(); ++i) {
    const Variable &input = module_.inputs[i];
    if (!input.ok())
      return input.status();
    if (!input.type().isTensor())
      return makeError(ErrorKind::TypeError, "input " + std::to_string(i) + " is no tensor");
    names.push_back(nameOr(input.name(), "input" + std::to_string(i)));
    if (!reserve(names.back()))
      return makeError(ErrorKind::ValueError, "two inputs are called '" + printable(names.back()) +
                                                  "'; ONNX tells them apart by their names");
  }
  for (size_t i = 0; i < module_.outputs.size(); ++i) {
    std::string name = i < module_.outputNames.size() ? module_.outputNames[i] : "";
    name = nameOr(name, nameOr(module_.outputs[i].name(), "out" + std::to_string(i)));
    std::string own = name;
    for (int k = 2; !reserve(own); ++k)
      own = name + "_" + std::to_string(k);
    outputNames_.push_back(own);
  }
  for (const Global &global : module_.globals)
    writer_.reserve(global.value.name());
  for (size_t i = 0; i < module_.inputs.size(); ++i)
    bind(module_.inputs[i], writer_.input(module_.inputs[i].type(), names[i]));
  return absl::OkStatus();
}

Value Exporter::valueOf(const Variable &v) {
  if (auto found = values_.find(v.node()); found != values_.end())
    return found->second;
  if (std::optional<Constant> constant = Constant::from(v)) {
    Value value{v.type(), std::string(v.name()), constant->data()};
    bind(v, value);
    return value;
  }
  if (status_.ok())
    status_ =
        makeError(ErrorKind::MissingInput, "'" + printable(v.name()) +
                                               "' is neither an input nor computed from "
                                               "inputs; shared variables must be given values");
  return Value{v.type(), "missing", {}};
}

void Exporter::refuse(const Apply &node, const std::string &why) {
  ++refused_[{std::string(node.op().name()), why}];
}

bool Exporter::fold(const Apply &node) {
  const OpDef &def = node.op().def();
  if (!def.foldable || def.inner || def.vectorized)
    return false;
  std::vector<Tensor> inputs;
  for (const Variable &input : node.inputs()) {
    inputs.push_back(valueOf(input).constant);
    if (!inputs.back().defined())
      return false;
  }
  for (const Variable &output : node.outputs())
    if (output.type().hasStaticShape() && output.type().numElements() > kFoldedElements)
      return false;
  EvaluationBudget budget{kFoldingBudget};
  TensorsOr results = evaluate(node, inputs, &budget);
  if (!results.ok())
    return false;
  for (const Tensor &result : *results)
    if (!result.defined() || result.numElements() > kFoldedElements)
      return false;
  for (int i = 0; i < node.numOutputs(); ++i)
    bind(node.output(i), OnnxWriter::known((*results)[size_t(i)]));
  return true;
}

Values Exporter::onElements(const Apply &node, const ExportRule &rule) {
  Variable output = node.output(0);
  DType dtype = output.dtype();
  if (rule.compares) {
    dtype = node.input(0).dtype();
    for (int i = 1; i < node.numInputs(); ++i)
      dtype = promote(dtype, node.input(i).dtype());
  }
  DType computed = dtypeWithin(rule.dtypes, dtype);
  Type type = output.type().withDType(rule.compares ? DType::Bool : computed);
  Value result = writer_.as(valueOf(node.input(0)), computed);
  if (node.numInputs() == 1)
    result = writer_.node(rule.onnx, {result}, type);
  for (int i = 1; i < node.numInputs(); ++i) {
    Value next = writer_.as(valueOf(node.input(i)), computed);
    // Of the operands so far.
    IntList shape;
    if (node.numInputs() > 2 && i + 1 < node.numInputs()) {
      int rank = std::max(result.rank(), next.rank());
      for (int axis = 0; axis < rank; ++axis) {
        int64_t a = result.type.extent(axis - rank + result.rank());
        int64_t b = next.type.extent(axis - rank + next.rank());
        bool hasA = axis >= rank - result.rank(), hasB = axis >= rank - next.rank();
        shape.push_back(!hasA || (hasB && a == 1) ? b : !hasB || b == 1 ? a : std::max(a, b));
      }
    }
    result = writer_.node(rule.onnx, {result, next},
                          i + 1 < node.numInputs() ? type.withShape(shape) : type);
  }
  return {writer_.as(result, output.dtype())};
}

Values Exporter::composed(const Apply &node, const ExportRule &rule) {
  Variables results = rule.compose(node);
  if (results.empty())
    return {};
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].ok() && results[i].dtype() != node.output(int(i)).dtype())
      results[i] = cast(results[i], node.output(int(i)).dtype());
    if (!results[i].ok()) {
      writer_.refuse(node.output(0).type(), std::string(results[i].status().message()));
      return {Value{node.output(0).type(), "refused", {}}};
    }
  }
  alive_.push_back(results);
  std::string refusal;
  for (const Apply &part : ioToposort(node.inputs(), results)) {
    if (values_.contains(part.output(0).node()))
      continue;
    if (fold(part))
      continue;
    Values values = made(part);
    if (std::string why = writer_.takeRefusal(); refusal.empty())
      refusal = why;
    for (size_t i = 0; i < values.size(); ++i)
      bind(part.output(int(i)), values[i]);
  }
  if (!refusal.empty())
    writer_.refuse(node.output(0).type(), refusal);
  Values values;
  for (const Variable &result : results)
    values.push_back(valueOf(result));
  return values;
}

/// Values of a node's results. What it cannot say is noted in the writer.
Values Exporter::made(const Apply &node) {
  std::string name(node.op().name());
  auto refused = [&](const std::string &why) {
    Values values;
    for (const Variable &output : node.outputs())
      values.push_back(writer_.refuse(output.type(), why));
    return values;
  };
  const ExportRule *rule = findExport(name);
  if (!rule)
    return refused("ONNX has no operators for it");
  if (writer_.opset() < rule->since)
    return refused("ONNX has it from version " + std::to_string(rule->since) + " on");
  for (const Variable &output : node.outputs())
    if (!output.type().isTensor())
      return refused("it is no tensor");
  if (rule->compose)
    if (Values values = composed(node, *rule); !values.empty())
      return values;
  if (!rule->onnx.empty())
    return onElements(node, *rule);
  Values in;
  for (const Variable &input : node.inputs())
    in.push_back(valueOf(input));
  return rule->write(writer_, node, in);
}

/// The nodes of the graph that an OpFromGraph stands for, in its place.
void Exporter::addCall(const Apply &node, const detail::InnerGraph &inner) {
  std::vector<Type> types;
  for (const Variable &input : node.inputs())
    types.push_back(input.type());
  detail::FlatGraphs::Flat flat = inner.flat(types);
  if (!flat.ok()) {
    refuse(node, std::string(flat.status().message()));
    return;
  }
  Variables inputs = (*flat)->inputs(), outputs = (*flat)->outputs();
  alive_.push_back(inputs);
  alive_.push_back(outputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    bind(inputs[i], valueOf(node.input(int(i))));
  for (const Apply &part : (*flat)->order())
    add(part);
  for (size_t i = 0; i < outputs.size(); ++i)
    bind(node.output(int(i)), valueOf(outputs[i]));
}

static bool hasComplex(const Apply &node) {
  auto isOne = [](const Variable &v) { return isComplex(v.dtype()); };
  return std::ranges::any_of(node.inputs(), isOne) || std::ranges::any_of(node.outputs(), isOne);
}

void Exporter::add(const Apply &node) {
  const OpDef &def = node.op().def();
  if (def.inner)
    return addCall(node, *def.inner);
  if (fold(node))
    return;
  Values values;
  if (hasComplex(node))
    refuse(node, "ONNX has no operators on complex numbers");
  else if (def.vectorized)
    refuse(node, "ONNX computes no graph for each slice");
  else
    values = made(node);
  if (std::string why = writer_.takeRefusal(); !why.empty())
    refuse(node, why);
  for (int i = 0; i < node.numOutputs(); ++i) {
    Variable output = node.output(i);
    bind(output, i < int(values.size()) ? values[size_t(i)] : Value{output.type(), "refused", {}});
  }
}

absl::Status Exporter::addOutputs() {
  // The first names are the users' outputs', then those of what is between.
  for (size_t i = 0; i < module_.outputs.size(); ++i)
    writer_.suggestName(valueOf(module_.outputs[i]), outputNames_[i]);
  for (size_t i = 0; i < module_.outputs.size(); ++i)
    writer_.output(valueOf(module_.outputs[i]), outputNames_[i]);
  return status_;
}

absl::Status Exporter::run(const std::string &path) {
  if (writer_.opset() < kOldestOpset || writer_.opset() > kNewestOpset)
    return makeError(ErrorKind::ValueError, "version " + std::to_string(writer_.opset()) +
                                                " of ONNX's operators is not written; " +
                                                std::to_string(kOldestOpset) + " to " +
                                                std::to_string(kNewestOpset) + " are");
  if (absl::Status s = addInputs(); !s.ok())
    return s;
  for (const Variable &output : module_.outputs)
    if (!output.ok())
      return output.status();
  std::vector<Apply> nodes = ioToposort(module_.inputs, module_.outputs);
  // Names that nothing else has stay, the first one's of equal ones.
  std::vector<Variable> named;
  for (const Apply &node : nodes)
    for (const Variable &output : node.outputs())
      if (!output.name().empty() && writer_.reserve(output.name()))
        named.push_back(output);
  for (const Apply &node : nodes)
    add(node);
  if (!refused_.empty())
    return makeError(ErrorKind::NotSupported,
                     "uses ops that ONNX cannot say: " + join(refused_, ", ", [](const auto &one) {
                       return one.first.first + " (" + std::to_string(one.second) + "; " +
                              one.first.second + ")";
                     }));
  if (absl::Status s = addOutputs(); !s.ok())
    return s;
  for (const Variable &v : named)
    writer_.suggestName(valueOf(v), v.name());
  return writer_.write(module_.name, path);
}

} // namespace
} // namespace graphc

/// What libgraphc looks up in this library: see saveOnnx.
extern "C" __attribute__((visibility("default"))) void
graphcOnnxWriter(const graphc::GraphModule &module, const std::string &path,
                 const graphc::OnnxOptions &options, absl::Status *result) {
  *result = graphc::Exporter(module, options).run(path);
}
