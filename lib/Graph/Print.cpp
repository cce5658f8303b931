//===- Graph/Print.cpp - one Variable in few words, graphviz --------------===//
#include "graphc/Print.h"

#include "Graph/Label.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

std::string constantLabel(const Variable &v) {
  constexpr int64_t kMaxElements = 8;
  const Tensor &data = Constant::from(v)->data();
  if (data.numElements() > kMaxElements)
    return v.type().brief();
  PrintOptions options;
  options.lineWidth = 1 << 20;
  std::string text, printed = toString(data, options);
  // NumPy starts a line for each row.
  for (size_t i = 0; i < printed.size(); ++i) {
    if (printed[i] != '\n') {
      text += printed[i];
      continue;
    }
    i = printed.find_first_not_of("\n ", i) - 1;
    text += ' ';
  }
  return text;
}

std::string leafLabel(const Variable &v) {
  if (!v.name().empty())
    return std::string(v.name());
  return v.isConstant() ? constantLabel(v) : "<" + v.type().str() + ">";
}

std::string operandLabel(const Operand &operand) {
  if (operand.isWeak())
    return operand.weakValue().str();
  const Variable &v = operand.variable();
  std::string label(v.name());
  if (label.empty() && v.isConstant())
    label = constantLabel(v);
  std::string type = v.type().brief();
  return label.empty() || label == type ? type : label + ": " + type;
}

std::string str(const Variable &v) {
  if (v.hasOwner() && v.name().empty())
    return std::string(v.owner().op().name()) + "." + std::to_string(v.index());
  return leafLabel(v);
}

//===--- graphviz ---------------------------------------------------------===//

static std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

namespace {

class DotWriter {
public:
  std::string write(absl::Span<const Variable> outputs) {
    for (const Apply &node : ioToposort({}, outputs))
      writeNode(node);
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string number = std::to_string(i);
      std::string label = outputs[i].name().empty() || !outputs[i].hasOwner()
                              ? "output " + number
                              : std::string(outputs[i].name());
      text_ += "  out" + number + " [shape=box, style=bold, label=" + quoted(label) + "];\n";
      writeEdge(outputs[i], "out" + number, "");
    }
    return text_ + "}\n";
  }

private:
  void writeNode(const Apply &node) {
    std::string id = "n" + std::to_string(nodes_.size());
    nodes_.emplace(node.node(), id);
    text_ += "  " + id + " [shape=ellipse, label=" + quoted(node.op().str()) + "];\n";
    for (int i = 0; i < node.numInputs(); ++i)
      writeEdge(node.input(i), id, node.numInputs() > 1 ? std::to_string(i) : "");
  }

  /// Labelled with the number of the operand, and of the result where there are several.
  void writeEdge(const Variable &from, const std::string &to, std::string label) {
    std::string id = from.hasOwner() ? nodes_.at(from.owner().node()) : leaf(from);
    if (from.hasOwner() && from.owner().numOutputs() > 1)
      label = "." + std::to_string(from.index()) + (label.empty() ? "" : " -> " + label);
    text_ += "  " + id + " -> " + to;
    text_ += label.empty() ? ";\n" : " [label=" + quoted(label) + "];\n";
  }

  const std::string &leaf(const Variable &v) {
    auto [at, isNew] = leaves_.try_emplace(v.node(), "v" + std::to_string(leaves_.size()));
    if (isNew) {
      std::string label = leafLabel(v);
      if (v.type().isTensor() && !v.isConstant() && !v.name().empty())
        label += ": " + v.type().brief();
      text_ += "  " + at->second + " [shape=box, label=" + quoted(label) + "];\n";
    }
    return at->second;
  }

  std::string text_ = "digraph {\n";
  absl::flat_hash_map<const void *, std::string> nodes_;
  absl::flat_hash_map<const void *, std::string> leaves_;
};

} // namespace

std::string toDot(absl::Span<const Variable> outputs) { return DotWriter().write(outputs); }
std::string toDot(const Variable &output) { return toDot(absl::MakeConstSpan(&output, 1)); }
std::string toDot(const FunctionGraph &graph) { return toDot(graph.outputs()); }

} // namespace graphc
