//===- NodeError.cpp ------------------------------------------------------===//
#include "API/NodeError.h"

#include <algorithm>

#include "Control/Control.h"
#include "Eval/Evaluate.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Ops/Registry.h"
#include "Support/Text.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Print.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr const char *kDetailsUrl = "graphc/error-details";
/// Larger graphs, and more work, are not looked at: a call that fails should say so soon.
constexpr int kMostNodes = 10000;
constexpr int64_t kMostIterations = 100000;

/// Whether errors of this kind are about what a node was given.
bool isOfNode(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::TypeError:
  case ErrorKind::ValueError:
  case ErrorKind::ShapeError:
  case ErrorKind::IndexError:
  case ErrorKind::AxisError:
  case ErrorKind::LinAlgError:
  case ErrorKind::RuntimeError:
    return true;
  default:
    return false;
  }
}

/// Whether nobody sees that nodes are evaluated once more: no ops of the program's own, and none
/// that print.
bool areUnseen(absl::Span<const Apply> nodes) {
  return std::ranges::all_of(nodes, [](const Apply &node) {
    if (const Control *control = controlOf(node.op()))
      return std::ranges::all_of(control->bodies,
                                 [](const FrozenGraph &body) { return areUnseen(body.order()); });
    return node.op().name() != "print" && findOp(node.op().name()) == &node.op().def();
  });
}

/// The node that an evaluation came to last, and its operands.
struct LastNode {
  Apply node;
  size_t position = 0;
  std::vector<Tensor> operands;
};

std::string operandText(const Variable &v, const Tensor &value) {
  std::string text = "\n  " + str(v) + ": " + Type(value.dtype(), value.shape()).brief();
  text += ", strides (" +
          join(value.strides(), ", ", [](int64_t stride) { return std::to_string(stride); }) + ")";
  if (value.numElements() <= kDetailedElements)
    text += ", " + toString(value, {.precision = -1, .inlineList = true});
  if (v.isConstant())
    return text + "; a constant";
  if (!v.hasOwner())
    return text + "; an input" + (v.place().known() ? ", at " + v.place().str() : "");
  Apply maker = v.owner();
  return text + "; made by " + std::string(calledName(maker.op())) +
         (maker.place().known() ? ", at " + maker.place().str() : "");
}

std::string detailsOf(const LastNode &last, size_t numNodes) {
  std::string text = "node " + std::to_string(last.position) + " of " + std::to_string(numNodes) +
                     ": " + std::string(calledName(last.node.op()));
  if (last.node.place().known())
    text += ", at " + last.node.place().str();
  for (size_t i = 0; i < last.operands.size(); ++i)
    text += operandText(last.node.input(int(i)), last.operands[i]);
  return text;
}

/// "index 7" in the place of "an index".
std::string withIndex(std::string message, std::string_view evaluated) {
  constexpr std::string_view kUnknown = ": an index is out of range", kKnown = ": index ";
  size_t at = message.find(kUnknown), from = evaluated.find(kKnown);
  if (at == message.npos || from == evaluated.npos)
    return message;
  size_t end = evaluated.find(" is out of range", from);
  if (end == evaluated.npos)
    return message;
  return message.replace(at, std::string_view(": an index").size(),
                         evaluated.substr(from, end - from));
}

} // namespace

absl::Status explainCall(const absl::Status &error, const GraphModule &module,
                         absl::Span<const Tensor> arguments) {
  if (!isOfNode(errorKind(error)))
    return error;
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok() || graph->numNodes() > kMostNodes || !inlineAllCalls(*graph).ok())
    return error;
  const std::vector<Apply> order = ioToposort(graph->inputs(), graph->outputs());
  if (order.size() > size_t(kMostNodes) || !areUnseen(order))
    return error;
  LastNode last;
  NodeWatch watch;
  watch.before = [&](const Apply &node, absl::Span<const Tensor> operands) {
    last.node = node;
    last.operands.assign(operands.begin(), operands.end());
    return absl::OkStatus();
  };
  EvaluationBudget budget{kMostIterations};
  absl::Status found =
      evaluate(graph->outputs(), graph->inputs(), arguments, &budget, watch).status();
  if (errorKind(found) != errorKind(error) || !last.node || errorPlace(found) != errorPlace(error))
    return error;
  last.position = size_t(std::ranges::find(order, last.node) - order.begin());
  absl::string_view was = error.message(), is = found.message();
  absl::Status explained = makeError(
      errorKind(error), withIndex(std::string(was), std::string_view(is.data(), is.size())),
      errorPlace(error).value_or(Place()));
  // Not from a std::string&&, as in Support/Status.cpp.
  std::string details = detailsOf(last, order.size());
  explained.SetPayload(kDetailsUrl, absl::Cord(absl::string_view(details.data(), details.size())));
  return explained;
}

std::string errorDetails(const absl::Status &status) {
  absl::optional<absl::Cord> details = status.GetPayload(kDetailsUrl);
  return details ? std::string(*details) : std::string();
}

} // namespace graphc
