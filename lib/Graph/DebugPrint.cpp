//===- Graph/DebugPrint.cpp - graphs as indented lines --------------------===//
#include <algorithm>
#include <ostream>
#include <sstream>

#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Label.h"
#include "Graph/Nodes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Print.h"

namespace graphc {

/// By node, or by Variable without owner: the number of its id. What has one has been printed.
struct DebugPrintMemory::State {
  absl::flat_hash_map<const void *, size_t> ids;
  Variables keepAlive;
};

DebugPrintMemory::DebugPrintMemory() : state_(std::make_unique<State>()) {}
DebugPrintMemory::~DebugPrintMemory() = default;
DebugPrintMemory::DebugPrintMemory(DebugPrintMemory &&) noexcept = default;
DebugPrintMemory &DebugPrintMemory::operator=(DebugPrintMemory &&) noexcept = default;
DebugPrintMemory::State &DebugPrintMemory::state() {
  if (!state_)
    state_ = std::make_unique<State>();
  return *state_;
}

/// A to Z, then AA, AB, ...
static std::string letters(size_t number) {
  std::string text;
  for (size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26)
    text += char('A' + (rest - 1) % 26);
  return {text.rbegin(), text.rend()};
}

static std::string mapText(const char *label, const std::vector<int> &map) {
  std::string text;
  for (size_t i = 0; i < map.size(); ++i)
    if (map[i] >= 0)
      text += (text.empty() ? "" : ", ") + std::to_string(i) + ": [" + std::to_string(map[i]) + "]";
  return text.empty() ? text : std::string(" ") + label + "={" + text + "}";
}

namespace {

class Printer {
public:
  Printer(std::ostream &os, const DebugPrintOptions &options)
      : os_(os), options_(options), memory_(options.memory ? *options.memory : ownMemory_) {}

  void setPositions(const FunctionGraph &graph) {
    size_t position = 0;
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    for (const Apply &node : order.ok() ? *order : std::vector<Apply>())
      positions_.emplace(node.node(), position++);
  }

  void print(const Variable &output) {
    memory_.state().keepAlive.push_back(output);
    pending_.push_back({output.node(), 0, true});
    while (!pending_.empty()) {
      Item item = pending_.back();
      pending_.pop_back();
      printItem(item);
    }
  }

  /// Below all outputs, the graphs of the OpFromGraphs and vectorized ops that stand above, each
  /// once: first a line for the op, with its inputs, then the outputs.
  void printInnerGraphs() {
    bool isFirst = true;
    for (size_t i = 0; i < inner_.size(); ++i) { // those within them join the list
      Op op = inner_[i];
      os_ << (isFirst ? "\nInner graphs:\n" : "") << '\n' << opText(op);
      isFirst = false;
      const FrozenGraph &graph = detail::recordOf(op.def())->graph();
      bool first = true;
      for (const Variable &input : graph.inputs()) {
        auto [at, isNew] =
            memory_.state().ids.try_emplace(input.node(), memory_.state().ids.size());
        os_ << (first ? " of " : ", ") << leafLabel(input) << idText(input.node(), at->second);
        first = false;
      }
      os_ << '\n';
      for (const Variable &output : graph.outputs())
        print(output);
    }
  }

private:
  /// A line to come. Those of one node's operands follow each other, the last one first.
  struct Item {
    /// Null stands for operands that are not shown again.
    detail::VariableNode *v;
    size_t level;
    bool last;
  };
  static constexpr size_t kMaxLevels = 40;

  void printItem(const Item &item) {
    if (options_.depth >= 0 && item.level >= size_t(options_.depth))
      return;
    indent(item);
    if (!item.v) {
      os_ << "···\n";
      return;
    }
    bool isNew = printLine(Variable::fromNode(item.v));
    detail::ApplyNode *node = item.v->owner;
    bool cut =
        options_.stopOnName && item.level > 0 && item.v->extras && !item.v->extras->name.empty();
    if (!node || cut || node->numInputs == 0)
      return;
    if (!isNew) {
      pending_.push_back({nullptr, item.level + 1, true});
      return;
    }
    for (uint32_t i = node->numInputs; i-- > 0;)
      pending_.push_back({node->input(i), item.level + 1, i + 1 == node->numInputs});
  }

  void indent(const Item &item) {
    if (item.level == 0)
      return;
    size_t shown = std::min(item.level, kMaxLevels);
    lastAt_.resize(kMaxLevels + 1);
    lastAt_[shown] = item.last;
    for (size_t level = 1; level < shown; ++level)
      os_ << (lastAt_[level] ? "   " : " │ ");
    os_ << (item.last ? " └─ " : " ├─ ");
    if (item.level > kMaxLevels)
      os_ << item.level << ": ";
  }

  std::string opText(const Op &op) const {
    if (op.def().inner) { // F-243
      const char *const kNames[] = {"false", "true", "automatic"};
      return std::string(calledName(op)) +
             "{inline=" + kNames[size_t(op.def().inner->traits().inlining)] + "}";
    }
    if (!options_.printOpInfo)
      return op.str();
    std::string list, name(op.name());
    for (const auto &[attribute, value] : op.attributes().entries())
      list += (list.empty() ? "" : ", ") + attribute + " = " + toString(value);
    return list.empty() ? name : name + "{" + list + "}";
  }

  std::string idText(const void *key, size_t number) const {
    switch (options_.idType) {
    case IdType::Letters:
      return " [id " + letters(number) + "]";
    case IdType::Numbers:
      return " [id " + std::to_string(number) + "]";
    case IdType::Addresses: {
      std::ostringstream text;
      text << " [id " << key << "]";
      return text.str();
    }
    case IdType::None:
      break;
    }
    return "";
  }

  /// Whether the node has not been printed before.
  bool printLine(const Variable &v) {
    Apply node = v.owner();
    const void *key = node ? static_cast<const void *>(node.node()) : v.node();
    auto &ids = memory_.state().ids;
    auto [at, isNew] = ids.try_emplace(key, ids.size());
    const detail::InnerGraph *record = node ? detail::recordOf(node.op().def()).get() : nullptr;
    if (record && known_.insert(record).second)
      inner_.push_back(node.op());
    if (node)
      os_ << opText(node.op());
    else
      os_ << leafLabel(v);
    if (node && node.numOutputs() > 1)
      os_ << '.' << v.index();
    os_ << idText(key, at->second);
    if (options_.printType)
      os_ << " <" << v.type().str() << '>';
    if (node && !v.name().empty())
      os_ << " '" << v.name() << "'";
    if (node && options_.printDestroyMap)
      os_ << mapText("d", node.op().def().destroyMap);
    if (node && options_.printViewMap)
      os_ << mapText("v", node.op().def().viewMap);
    if (auto position = positions_.find(key); position != positions_.end())
      os_ << ' ' << position->second;
    os_ << '\n';
    return isNew;
  }

  std::ostream &os_;
  const DebugPrintOptions &options_;
  DebugPrintMemory ownMemory_;
  DebugPrintMemory &memory_;
  absl::flat_hash_map<const void *, size_t> positions_;
  std::vector<Item> pending_;
  /// Ops of graphs, in the order in which they are met.
  std::vector<Op> inner_;
  absl::flat_hash_set<const detail::InnerGraph *> known_;
  /// By level: whether the line of that level on the way to the next line is its user's last.
  std::vector<bool> lastAt_;
};

} // namespace

void debugPrint(std::ostream &os, absl::Span<const Variable> outputs,
                const DebugPrintOptions &options) {
  Printer printer(os, options);
  for (const Variable &output : outputs)
    printer.print(output);
  printer.printInnerGraphs();
}

std::string debugPrint(absl::Span<const Variable> outputs, const DebugPrintOptions &options) {
  std::ostringstream os;
  debugPrint(os, outputs, options);
  return std::move(os).str();
}

std::string debugPrint(const Variable &output, const DebugPrintOptions &options) {
  return debugPrint(absl::MakeConstSpan(&output, 1), options);
}

std::string debugPrint(const FunctionGraph &graph, const DebugPrintOptions &options) {
  std::ostringstream os;
  Printer printer(os, options);
  if (options.printPosition)
    printer.setPositions(graph);
  for (const Variable &output : graph.outputs())
    printer.print(output);
  printer.printInnerGraphs();
  return std::move(os).str();
}

} // namespace graphc
