//===- RunError.cpp - what a failed call says -----------------------------===//
//
//   add: extents differ along axis 1: 3 and 5 (an extent broadcasts only where its type says 1)
//     at model.cpp:42:21, in the add that makes `h`
//     dot(x, w): f32[8,3]   b: f32[8,5]
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Runtime/Plan.h"

namespace graphc {
namespace {

/// Collects text and sizes in order.
class Message {
public:
  Message &operator<<(std::string_view text) {
    if (pieces_.empty() || pieces_.back().size >= 0)
      pieces_.push_back({std::string(text), -1});
    else
      pieces_.back().text += text;
    return *this;
  }
  void size(int32_t number) {
    if (pieces_.empty() || pieces_.back().size >= 0)
      pieces_.push_back({"", -1});
    pieces_.back().size = number;
  }
  std::vector<MessagePiece> take() { return std::move(pieces_); }

private:
  std::vector<MessagePiece> pieces_;
};

/// `{a}` and `{b}` in `text` become sizes.
void putTemplate(Message &out, std::string_view text, int32_t a, int32_t b) {
  while (true) {
    size_t at = std::min(text.find("{a}"), text.find("{b}"));
    out << text.substr(0, at);
    if (at == text.npos)
      return;
    out.size(text[at + 1] == 'a' ? a : b);
    text.remove_prefix(at + 3);
  }
}

/// As shapeBytes says it.
void putShape(Message &out, const std::vector<int32_t> &shape, bool isNegative) {
  out << (isNegative ? "negative extent in shape (" : "shape (");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis)
      out << ", ";
    out.size(shape[axis]);
  }
  out << (shape.size() == 1 ? ",)" : ")") << (isNegative ? "" : " is too large");
}

/// Where it happened, and on which shapes.
void putNode(Message &out, const Program::Node &node) {
  if (node.place.known())
    out << "\n  at " << node.place.str();
  if (!node.result.empty())
    out << (node.place.known() ? ", in the " : "\n  in the ") << node.op << " that makes `"
        << node.result << "`";
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const Program::Node::Operand &operand = node.operands[k];
    out << (k ? "   " : "\n  ") << operand.label << ": " << dtypeShortName(operand.dtype) << "[";
    for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
      if (axis)
        out << ",";
      out.size(operand.shape[axis]);
    }
    out << "]";
  }
}

const Program::Node *nodeAt(const Program &program, int32_t number) {
  return number >= 0 && size_t(number) < program.nodes.size() ? &program.nodes[number] : nullptr;
}

absl::Status errorOf(const std::vector<MessagePiece> &pieces, ErrorKind kind,
                     const Program::Node *node, const std::vector<SizeValue> &values) {
  std::string text;
  for (const MessagePiece &piece : pieces) {
    text += piece.text;
    if (piece.size >= 0)
      text += sizeText(values[piece.size]);
  }
  return makeError(kind, text, node ? node->place : Place());
}

} // namespace

std::vector<MessagePiece> messageOf(const Program &program, const Program::SizeCheck &check,
                                    bool isNegative) {
  Message message;
  const Program::Node *node = nodeAt(program, check.node);
  if (node)
    message << node->op << ": ";
  if (check.predicate == Predicate::Fits)
    putShape(message, check.shape, isNegative);
  else
    putTemplate(message, check.message, check.a, check.b);
  if (node)
    putNode(message, *node);
  return message.take();
}

std::vector<MessagePiece> messageOf(const Program &program, const Program::Failure &failure) {
  Message message;
  const Program::Node *node = nodeAt(program, failure.node);
  if (node)
    message << node->op << ": ";
  message << failure.message;
  if (node)
    putNode(message, *node);
  return message.take();
}

absl::Status sizeError(const Program &program, const Program::SizeCheck &check,
                       const std::vector<SizeValue> &values) {
  bool isNegative = std::any_of(check.shape.begin(), check.shape.end(), [&](int32_t size) {
    return values[size] < 0 && values[size] != kHugeSize;
  });
  return errorOf(messageOf(program, check, isNegative), check.kind, nodeAt(program, check.node),
                 values);
}

absl::Status failureError(const Program &program, const Program::Failure &failure,
                          const std::vector<SizeValue> &values) {
  return errorOf(messageOf(program, failure), failure.kind, nodeAt(program, failure.node), values);
}

} // namespace graphc
